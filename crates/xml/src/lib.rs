//! XML 1.0 with namespaces for SOAP: a safe zero-copy parser, canonical forms, a canonical writer.
