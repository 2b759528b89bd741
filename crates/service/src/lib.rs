//! Hosting runtime for SOAP operations.
