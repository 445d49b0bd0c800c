//! Compares this crate with the real Puppet, which has to be installed.

mod grammar;
mod peer;
mod types;
