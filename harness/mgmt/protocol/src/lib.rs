//! mgmt resources: the messages between Stickler and a host, sessions as rules see them, and the rules.
//!
//! Pure: this crate reads transcripts and bytes. It never starts a process, reads a clock or touches a file.
//! `docs/resource-protocol.md` describes the messages.

mod comparison;
mod counts;
mod described;
pub mod engines;
mod excerpt;
mod fields;
mod graphs;
pub mod managed;
pub mod message;
pub mod needs;
pub mod phase;
pub mod purpose;
pub mod races;
mod reads;
pub mod recorded;
pub mod relation;
mod replaced;
pub mod request;
mod resources;
pub mod rules;
mod session;
mod settled;
mod spoilt;
mod usual;
mod visit;
mod watched;
mod written;

pub use described::{Described, Field, Shape, reached, shadowed};
pub use excerpt::{answered, answered_without, asked};
pub use message::{Answer, Panic};
pub use session::{Call, Process, Session, kinds};
pub use spoilt::{Drifted, drifts, unmade};
pub use stickler_rpc::FRAMING;
pub use visit::{WORDS, fate};
