//! Policies attached to the elements of a WSDL, and what is in force for a message.
//!
//! Called by the verbs and the gateway for WSDL files.
