//! The engines.

pub mod bergshamra;
pub mod own;
pub mod parsers;
pub mod python;
pub mod xml_sec;
