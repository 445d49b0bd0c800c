//! Plans of sessions made from an author's examples, and running them.
//!
//! A plan is data ([`stickler_transcript::Plan`]); a run goes through stages,
//! each of which uses what the one before has learned of the subject. Nothing
//! here judges: rules do.

pub mod config;

mod builder;
mod confirm;
mod driven;
mod instance;
mod knowledge;
mod plans;
mod recorded;
mod redact;
mod run;
mod snapshot;
mod turn;
mod undo;
mod values;
mod why;

pub use builder::{HEADER_VERSION, Speech};
pub use confirm::{behind, confirm};
pub use driven::outcome;
pub use instance::SCRATCH;
pub use knowledge::Knowledge;
pub use recorded::planned;
pub use redact::Redactor;
pub use run::{Effort, Progress, RunError, RunOutput, RunSettings, command_line, replay, run};
pub use snapshot::{Plain, first_look, plain_sessions, probe};
pub use why::not_exercised;
