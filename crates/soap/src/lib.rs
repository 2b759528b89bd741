//! SOAP 1.1 and 1.2 envelopes, faults and WS-Addressing.
