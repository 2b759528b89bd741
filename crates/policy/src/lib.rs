//! WS-Policy and WS-SecurityPolicy, read and compiled to plans.
