//! CFEngine on the command line: promise modules, policies, and the commands of the reference agent. This crate must
//! never know another system.

mod agent;
mod args;
mod campaign;
mod demo;
mod diff;
mod face;
mod harvest;
mod init;
mod installed;
mod look;
mod policy;
mod promise_type;
mod promised;
mod promises;
mod record;
mod situations;

pub use face::Cfengine;
