//! The WS-Security processor: plans run inbound and outbound.
