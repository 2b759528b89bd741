//! The few primitives of AWS-LC that aws-lc-rs does not offer, behind a safe interface.
