//! Plans sessions from an author's examples, and runs them.
//!
//! A plan is data ([`stickler_transcript::Plan`]). A run goes through stages; each stage uses what
//! the one before has learned about the subject. Nothing here judges: rules do.

pub mod config;
pub mod conversation;
pub mod equal;
pub mod volatile;

mod bench;
mod builder;
mod capabilities;
mod check;
mod command;
mod confirm;
mod cost;
mod dialect;
mod effort;
mod error;
mod excuse;
mod filter;
mod harvest;
mod held;
mod instance;
mod knowledge;
mod learned;
mod live;
mod of_the_harness;
pub mod plans;
mod prepare;
mod recorded;
mod redact;
mod registered;
mod rerun;
mod run;
mod said;
mod schedule;
mod setting;
mod shard;
mod snapshot;
mod spoil;
mod undo;
pub mod values;
mod verbs;
mod vocabulary;

pub use bench::Bench;
pub use builder::{CaseBuilder, PATH};
pub use capabilities::{Capabilities, Tells, Values};
pub use check::{Checked, Checking, check, expectations, judged};
pub use command::command_line;
pub use confirm::behind;
pub use dialect::{Dialect, Drive, Planned, Stage};
pub use effort::Effort;
pub use error::RunError;
pub use filter::{Filter, Words, WordsError};
pub use harvest::Harvest;
pub use instance::{Holds, Instance, SCRATCH, fill, fill_commands, fill_value, scratch_dir};
pub use knowledge::Knowledge;
pub use learned::{Learned, Own};
pub use of_the_harness::is_of_the_harness;
pub use prepare::Preparing;
pub use recorded::planned;
pub use redact::{MASK, Redactor};
pub use registered::{Proof, Registered, codes};
pub use rerun::{Became, Change, Difference, Rerun, rerun};
pub use run::{
    Cut, Progress, RunOutput, RunSettings, SoFar, Tell, Unheld, Watch, Watches, learn, replay,
};
pub use said::{LINE, Said, line_of};
pub use setting::{Setting, Speech};
pub use snapshot::{Plain, Spoken, first_look, plain_sessions, probe, spoken};
pub use spoil::Spoil;
pub use undo::undo;
pub use verbs::{Ask, Verbs};
pub use vocabulary::{Pace, Vocabulary};
