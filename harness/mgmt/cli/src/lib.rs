//! mgmt on the command line: Go packages with resources, and graphs. This crate must never know another system.

mod args;
mod cases;
mod demo;
mod diff;
mod face;
mod go;
mod graph;
mod init;

pub use face::Mgmt;
