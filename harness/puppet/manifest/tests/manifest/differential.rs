//! Compares this crate with the real Puppet, which has to be installed.

mod catalogs;
mod compare;
mod elements;
mod errors;
mod generate;
mod generated;
mod peer;
