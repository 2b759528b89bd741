//! The binary from outside: what a user types, what is printed, how it ends.

mod attack;
mod call;
mod check;
mod demo;
mod files;
mod help;
mod keys;
mod policy;
mod program;
mod serve;
mod xml;
