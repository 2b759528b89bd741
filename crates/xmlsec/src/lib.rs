//! XML Signature and XML Encryption over bartizan-xml and bartizan-crypto.
