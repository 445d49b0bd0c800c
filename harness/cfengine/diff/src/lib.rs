//! The same policy through two agents, each in a room of its own, and where they
//! part. Agents are programs here: this crate evaluates no policy itself.
//!
//! A [`Room`] runs one agent and leaves what was [`Seen`]: output, classes,
//! requests that modules were sent, effects, exit code. [`normal`] says what of it
//! differs from run to run and is left out; [`compare`] finds what differs still.

pub mod normal;
pub mod recorder;
pub mod scripted;

mod compare;
mod error;
mod interpose;
mod known;
mod mode;
mod place;
mod room;
mod seen;
mod stored;

pub use compare::{Aspect, Difference, compare};
pub use error::Error;
pub use interpose::{Module, planted};
pub use known::{KNOWN, Known, known};
pub use mode::Mode;
pub use place::{Place, output_place, request_place};
pub use room::{Agent, Raw, Room, find};
pub use seen::{Seen, Sent};
pub use stored::{Stored, VERSION};
