//! Runs the same policy with two agents, each in its own sandbox, and compares the runs. Agents are
//! programs here: this crate does not evaluate policies itself.
//!
//! A [`Room`] runs one agent and returns what was [`Seen`]: output, classes, requests to modules,
//! effects, exit code. [`normal`] removes what varies from run to run; [`compare`] finds the
//! remaining differences.

pub mod normal;
pub mod recorder;
pub mod scripted;

mod compare;
mod content;
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
