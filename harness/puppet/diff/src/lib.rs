//! The same catalog through Stickler's runtime and through the real Puppet: what each saw, and where
//! they part.
//!
//! [`PEER`] is the program that runs the real Puppet. This crate starts nothing itself.

mod compare;
mod run;
mod seen;

pub use compare::{Difference, of as compare_seen};
pub use run::{Run, compare, steady};
pub use seen::{Change, Message, Seen, Status};

/// A Ruby program that applies manifests with the real Puppet. Its arguments are the folders of
/// libraries, joined by colons, and a folder for Puppet's own files. Each line of its standard input
/// is a request, each line of its output a [`Seen`].
pub const PEER: &str = include_str!("peer.rb");
