//! Puppet on the command line: modules, manifests and catalogs. This crate must never know another system.

mod apply;
mod args;
mod demo;
mod diff;
mod face;
mod init;
mod installed;
mod narrow;
mod resource;
mod runtime;

pub use face::Puppet;
