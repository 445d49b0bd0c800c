//! Runs planned sessions: spawns subjects in a sandbox, speaks with them under
//! deadlines, reads their effects, and leaves a transcript.
//!
//! This crate knows no dialect: where a message ends and whether an answer is
//! an acceptance, a [`Wire`] tells it. It never judges.

pub mod effects;
pub mod record;
pub mod sandbox;

mod cpu;
mod error;
mod link;
mod run;

pub use cpu::CpuLease;
pub use error::SessionError;
pub use record::is_ignored;
pub use run::{Limits, OPTIONAL_US, RunOptions, Stepwise, Wire, run, weight};
