//! Tests over the public interface: published key stores, trust cases, the demo PKI.

mod stores;
mod trust;
