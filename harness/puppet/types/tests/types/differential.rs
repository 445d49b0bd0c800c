//! Compares this crate with the real Puppet, which has to be installed.

mod definitions;
mod munging;
mod peer;
mod regexps;
mod slips;
mod types;
