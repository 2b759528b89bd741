//! Fixtures and runners for tests. Names no product type.
