//! Plans of sessions made from an author's examples, and running them.
//!
//! A plan is data ([`stickler_transcript::Plan`]); a run goes through stages,
//! each of which uses what the one before has learned of the subject. Nothing
//! here judges: rules do.

pub mod config;

mod builder;
mod confirm;
mod dialect;
mod instance;
mod knowledge;
pub mod plans;
mod recorded;
mod redact;
mod run;
mod snapshot;
mod undo;
pub mod values;

pub use builder::{CaseBuilder, Setting, Speech};
pub use confirm::{behind, confirm};
pub use dialect::{Ask, Dialect, Drive, Pace, Planned, Stage, Verbs, Vocabulary};
pub use instance::{Instance, SCRATCH, fill, fill_value, scratch_dir};
pub use knowledge::Knowledge;
pub use recorded::planned;
pub use redact::Redactor;
pub use run::{Effort, Progress, RunError, RunOutput, RunSettings, command_line, replay, run};
pub use snapshot::{Plain, first_look, plain_sessions, probe};
