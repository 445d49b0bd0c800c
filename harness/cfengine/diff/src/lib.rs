//! Runs the same policy with two agents, each in its own sandbox. Agents are programs here: this
//! crate does not evaluate policies itself.
//!
//! [`Agents`] are the sides of a comparison by `stickler-oracle`. A [`Room`] runs one agent; what it
//! showed is [`Seen`]: output, classes, requests to modules, effects, exit code. [`normal`] removes
//! what varies from run to run.

pub mod normal;
pub mod recorder;
pub mod scripted;

mod agents;
mod compare;
mod interpose;
mod known;
mod mode;
mod paths;
mod place;
mod room;
mod seen;

pub use agents::Agents;
pub use interpose::planted;
pub use mode::Mode;
pub use room::{Agent, Room, find};
pub use seen::{Seen, Sent};
