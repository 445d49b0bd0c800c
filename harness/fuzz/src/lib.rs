//! Fuzz campaigns: sessions that are made up, mutated where they show something new, and judged by
//! the rules.
//!
//! An [`Input`] is what one session does, as data. A campaign converts it into a plan, so that a
//! finding is an ordinary reproducer. `LibAFL` schedules the corpus. This crate knows no dialect.

mod campaign;
mod cause;
mod compare;
mod confirm;
mod corpus;
mod coverage;
mod dice;
mod dictionary;
mod driven;
mod engine;
mod feedback;
mod finding;
mod guided;
mod input;
mod judging;
mod lane;
mod local;
mod machine;
mod minimise;
mod mutate;
mod near;
mod novelty;
mod pattern;
mod plan;
mod probes;
mod secrets;
mod series;
mod source;
mod space;
mod status;
mod turns;
mod unreached;
mod usual;
mod worth;

pub use campaign::{
    Before, CampaignError, CampaignEvent, CampaignObserver, CampaignOutcome, Ended, Limits,
    Recalled, Setup, campaign,
};
pub use corpus::{CorpusError, FILE_EXTENSION, merge, minimised};
pub use coverage::{Coverage, Watch};
pub use dictionary::{files, sources};
pub use feedback::{CoverageKind, RUNTIME};
pub use finding::{Finding, Signature};
pub use guided::{Guide, Guided, MAP};
pub use input::{Ask, Input, InputItem, InputStep, Piece, Surrounding, Verb};
pub use series::Sample;
pub use source::{Mark, Source};
pub use status::Status;
pub use unreached::{Unreached, What};

use dictionary::Dictionary;
use secrets::Secrets;
use space::Space;
use stickler_suite::Setting;
use stickler_transcript::Case;

/// The session that an input plans.
pub fn planned(setting: &Setting<'_>, input: &Input) -> Case {
    plan::plan(
        &Space::new(setting, Dictionary::new(), None, Secrets::default()),
        input,
    )
}

/// The input that bytes choose, for a fuzzer that makes bytes.
pub fn chosen(setting: &Setting<'_>, bytes: &[u8]) -> Input {
    let space = Space::new(setting, Dictionary::new(), None, Secrets::default());
    guided::chosen(&space, &space.seeds(), bytes)
}

/// The published schema of the lines of `stickler fuzz --format json`.
pub fn json_schema() -> &'static str {
    include_str!("../../../docs/schema/fuzz.schema.json")
}
