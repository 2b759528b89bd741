//! Where keys and trust come from: stores, certificates, paths, a demo PKI.
