//! Plan families that need no wire knowledge: which sessions run, for any dialect. The tables say which
//! relations a family shows, what a subject has to be capable of, and the least effort.

mod baseline;
mod batch;
mod disturbed;
mod drifts;
mod dry;
mod environment;
mod family;
mod growth;
mod in_the_way;
mod inputs;
mod layouts;
mod lines;
mod near;
mod places;
mod read_otherwise;
mod removed;
mod rivals;
mod sequence;
mod subjects;
mod texts;
mod traps;
mod trouble;
mod twins;
mod variants;

use crate::effort::Effort::{self, Normal, Quick};
use crate::setting::Setting;
use family::{
    ANY, Family, MANY, TYPED, TYPED_MANY, UNTYPED, UNTYPED_MANY, VALIDATES, VALIDATES_FEW,
    VALIDATES_MANY,
};
use stickler_transcript::{Case, Relation, Role};

pub use batch::Batch;
pub use disturbed::is_document;
pub use environment::{ASCII, ascii, set_by_author};
pub use subjects::{by_itself, by_themselves, disturbable, probe, subjects};

/// Families from which the suite learns, beside the examples as they are.
const EXAMPLES: &[Family<Case>] = &[
    Family::new(&[Relation::Invalid], ANY, Quick, baseline::invalid),
    Family::new(&[Relation::Alone], MANY, Quick, sequence::seconds),
    Family::new(&[Relation::Write], ANY, Quick, trouble::counted),
    Family::new(
        &[Relation::Write, Relation::Commands],
        ANY,
        Quick,
        trouble::called,
    ),
];

/// All other families whose sessions run independently. Those from `Normal` on show the rules the same
/// defects in another way.
const SUITE: &[Family<Case>] = &[
    Family::new(&[Relation::Idle], ANY, Quick, sequence::quiet),
    Family::new(&[Relation::Restart], ANY, Quick, sequence::restarted),
    Family::new(
        &[Relation::Between],
        VALIDATES_MANY,
        Quick,
        sequence::invalid_between,
    ),
    Family::new(
        &[Relation::Alone],
        VALIDATES_MANY,
        Quick,
        sequence::after_others,
    ),
    Family::new(sequence::PAIRS, MANY, Quick, sequence::paired),
    Family::new(&[Relation::Alone], MANY, Normal, sequence::lacking),
    Family::new(&[Relation::Types], MANY, Quick, sequence::types),
    Family::new(&[Relation::Warn], ANY, Quick, dry::cases),
    Family::new(&[Relation::Environment], ANY, Quick, environment::cases),
    Family::new(&[Relation::Commands], ANY, Quick, trouble::failing_commands),
    Family::new(&[Relation::Kill], ANY, Quick, trouble::kills),
    Family::new(&[Relation::Write], ANY, Quick, trouble::failing_calls),
    Family::new(&[Relation::Protect], ANY, Quick, trouble::refusing_targets),
    Family::new(
        &[Relation::Bare],
        VALIDATES,
        Quick,
        in_the_way::without_setup,
    ),
    Family::new(&[Relation::InTheWay], ANY, Quick, in_the_way::cases),
    Family::new(&[Relation::Unended], ANY, Quick, in_the_way::unended_files),
    Family::new(&[Relation::Undone], ANY, Quick, drifts::undone),
    Family::new(&[Relation::Drift], ANY, Quick, drifts::cases),
    Family::new(&[Relation::Disturbed], ANY, Quick, disturbed::cases),
    Family::new(&[Relation::Disturbed], ANY, Quick, inputs::cases),
    Family::new(&[Relation::Near], TYPED_MANY, Quick, twins::cases),
    Family::new(&[Relation::Near], UNTYPED_MANY, Normal, near::cases),
    Family::new(&[Relation::Between], VALIDATES_MANY, Normal, rivals::cases),
    Family::new(&[Relation::Removed], MANY, Normal, removed::cases),
    Family::new(&[Relation::Places], ANY, Normal, places::cases),
    Family::new(&[Relation::Layouts], ANY, Normal, layouts::cases),
    Family::new(&[Relation::Lines], ANY, Normal, lines::cases),
    Family::new(&[Relation::Escape], ANY, Quick, traps::escapes),
    Family::new(
        &[Relation::Growth],
        VALIDATES_MANY,
        Quick,
        growth::many_items,
    ),
    Family::new(&[Relation::Growth], VALIDATES_FEW, Normal, growth::one_item),
];

/// Families of many small steps.
const BATCHES: &[Family<Batch>] = &[
    Family::new(
        &[Relation::Text, Relation::Fields],
        UNTYPED,
        Quick,
        variants::batches,
    ),
    Family::new(&[Relation::Text], TYPED, Quick, texts::batches),
    Family::new(&[Relation::Traps], ANY, Quick, traps::values),
    Family::new(&[Relation::Traps], UNTYPED, Quick, traps::names),
];

/// Each example unchanged; the invalid items; the second item of each pair; and each example with its
/// calls counted.
pub fn examples(setting: &Setting<'_>) -> Vec<Case> {
    let mut cases = baseline::cases(setting);
    cases.extend(family::cases(EXAMPLES, setting, Quick));
    cases
}

/// All other cases that run independently.
pub fn cases(setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let mut cases = family::cases(SUITE, setting, effort);
    cases.extend(baseline::late(setting, effort));
    cases
}

/// Cases of many small steps. If the subject dies on one, the rest runs in a fresh process.
pub fn batches(setting: &Setting<'_>, effort: Effort) -> Vec<Batch> {
    family::batches(BATCHES, setting, effort)
}

/// Puts repeated sessions last: they show which differences are volatile.
pub fn repeats_last(cases: &mut [Case]) {
    cases.sort_by_key(|case| case.groups.iter().any(|member| member.role == Role::Again));
}
