//! Tests over the public interface: published key stores, trust cases, the demo PKI.

mod demo;
mod stores;
mod trust;
