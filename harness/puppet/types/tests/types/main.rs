//! Types, definitions and patterns: by themselves, and beside the real Puppet.

mod aliases;
mod definitions;
mod differential;
mod edges;
mod grammar;
mod others;
mod properties;
