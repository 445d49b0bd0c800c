//! Fuzz campaigns: sessions that are made up, mutated where they show something new, and judged by
//! the rules.
//!
//! An [`Input`] is what one session does, as data. A campaign converts it into a plan, so that a
//! finding is an ordinary reproducer. `LibAFL` schedules the corpus. This crate knows no dialect.

mod bandit;
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
mod sources;
mod space;
mod status;
mod technique;
mod turns;
mod unreached;
mod usual;
mod worth;
mod yields;

pub use campaign::{
    Before, CampaignError, CampaignEvent, CampaignObserver, CampaignOutcome, Ended, Limits,
    Recalled, Setup, campaign,
};
pub use corpus::{CorpusError, FILE_EXTENSION, merge, minimised};
pub use coverage::{Coverage, Watch};
pub use feedback::{CoverageKind, RUNTIME};
pub use finding::{Finding, Signature};
pub use guided::{Guide, Guided, MAP};
pub use input::{Ask, Input, InputItem, InputStep, Piece, STEPS, Surrounding, Verb};
pub use series::Sample;
pub use source::{Mark, Source};
pub use sources::{files, sources};
pub use status::Status;
pub use technique::Technique;
pub use unreached::{Unreached, What};
pub use yields::Yield;

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

/// The names of all mutations.
pub fn mutations() -> impl Iterator<Item = &'static str> + Clone {
    mutate::MUTATIONS.iter().map(|one| one.technique.name)
}

/// An input that one mutation changes, by its name. `None` if there is nothing to change. `other` is another input, for
/// splicing, `compared` what the subject compared; the seed chooses where and how the input changes.
pub fn mutated(
    setting: &Setting<'_>,
    mutation: &str,
    (input, other): (&Input, &Input),
    compared: &[[Vec<u8>; 2]],
    seed: u64,
) -> Option<Input> {
    let space = &Space::new(setting, Dictionary::new(), None, Secrets::default());
    space.dictionary.learn(compared.to_vec());
    let mut all = mutate::MUTATIONS.iter();
    let mutation = all.find(|one| one.technique.name == mutation)?;
    let dice = &mut dice::Dice::new(seed, "mutated");
    let other = Some(other);
    let mut input = input.clone();
    let means = &mut mutate::Means { space, dice, other };
    mutate::changed(mutation, means, &mut input)?;
    Some(input)
}

/// The published schema of the lines of `stickler fuzz --format json`.
pub fn json_schema() -> &'static str {
    include_str!("../../../docs/schema/fuzz.schema.json")
}
