//! Puppet's Resource API: the messages between Stickler and a host, sessions as rules see them, and
//! the rules.
//!
//! Pure: this crate reads transcripts and bytes. It never starts a process, reads a clock or
//! touches a file. `docs/provider-protocol.md` describes the messages.

pub mod absent;
mod after;
mod aliases;
mod alike;
mod backends;
pub mod brief;
mod by_name;
mod declared;
mod evaluated;
mod excerpt;
mod inputs;
mod message;
mod near;
pub mod needs;
mod others;
pub mod phase;
pub mod purpose;
mod question;
mod reads;
pub mod relation;
pub mod releases;
pub mod replaced;
pub mod request;
mod rows;
pub mod rules;
pub mod runtimes;
mod services;
mod session;
pub mod shown;
mod targets;
mod together;
mod told;

pub use absent::{absent, is_absent};
pub use after::is_shown;
pub use aliases::aliases;
pub use by_name::reads_by_name_alone;
pub use evaluated::{lacking, unevaluated, why_failed};
pub use message::{Answer, Failure, HostEvent};
pub use question::reply;
pub use rows::WORDS;
pub use session::{Call, Loaded, Process, Session};
pub use stickler_rpc::FRAMING;
