//! Runs planned sessions: starts subjects in a sandbox, exchanges messages with deadlines, records
//! their effects, and produces a transcript.
//!
//! This crate knows no dialect. A [`Wire`] tells it where a message ends and whether an answer
//! accepts. It never judges.

pub mod effects;
pub mod path;
pub mod record;
pub mod sandbox;

mod cpu;
mod error;
mod link;
mod notices;
mod run;
mod stage;

pub use cpu::CpuLease;
pub use error::SessionError;
pub use record::is_ignored;
pub use run::start::UNSTARTED;
pub use run::stepwise::{Stepwise, run};
pub use run::{Limits, Looks, OPTIONAL_US, RunOptions, Wire, weight};
pub use stage::Stage;
