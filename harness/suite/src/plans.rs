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
mod together;
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

/// A table of families, a line for each: the relations of its sessions, what the subject has to be capable of,
/// the least effort, the function.
macro_rules! families {
    ($($first:ident $(+ $more:ident)*, $needs:ident, $from:ident, $plan:path;)*) => {
        &[$(Family {
            relations: &[Relation::$first $(, Relation::$more)*],
            needs: $needs,
            from: $from,
            plan: $plan,
        }),*]
    };
}

/// Families from which the suite learns, beside the examples as they are.
const EXAMPLES: &[Family<Case>] = families! {
    Invalid, ANY, Quick, baseline::invalid;
    Alone, MANY, Quick, sequence::seconds;
    Write, ANY, Quick, trouble::counted;
    Write + Commands, ANY, Quick, trouble::called;
};

/// All other families whose sessions run independently. Those from `Normal` on show the rules the same
/// defects in another way.
const SUITE: &[Family<Case>] = families! {
    Idle, ANY, Quick, sequence::quiet;
    Restart, ANY, Quick, sequence::restarted;
    Between, VALIDATES_MANY, Quick, sequence::invalid_between;
    Alone, VALIDATES_MANY, Quick, sequence::after_others;
    Alone + Order + Between + Restart, MANY, Quick, sequence::paired;
    Alone, MANY, Normal, sequence::lacking;
    Types, MANY, Quick, sequence::types;
    Warn, ANY, Quick, dry::cases;
    Environment, ANY, Quick, environment::cases;
    Commands, ANY, Quick, trouble::failing_commands;
    Kill, ANY, Quick, trouble::kills;
    Write, ANY, Quick, trouble::failing_calls;
    Protect, ANY, Quick, trouble::refusing_targets;
    Bare, VALIDATES, Quick, in_the_way::without_setup;
    InTheWay, ANY, Quick, in_the_way::cases;
    Unended, ANY, Quick, in_the_way::unended_files;
    Undone, ANY, Quick, drifts::undone;
    Drift, ANY, Quick, drifts::cases;
    Disturbed, ANY, Quick, disturbed::cases;
    Disturbed, ANY, Quick, inputs::cases;
    Near, TYPED_MANY, Quick, twins::cases;
    Near, UNTYPED_MANY, Normal, near::cases;
    Between, VALIDATES_MANY, Normal, rivals::cases;
    Removed, MANY, Normal, removed::cases;
    Places, ANY, Normal, places::cases;
    Layouts, ANY, Normal, layouts::cases;
    Lines, ANY, Normal, lines::cases;
    Escape, ANY, Quick, traps::escapes;
    Growth, VALIDATES_MANY, Quick, growth::many_items;
    Growth, VALIDATES_FEW, Normal, growth::one_item;
};

/// Families of many small steps.
const BATCHES: &[Family<Batch>] = families! {
    Text + Fields, UNTYPED, Quick, variants::batches;
    Text, TYPED, Quick, texts::batches;
    Traps, TYPED, Quick, traps::all_values;
    Traps, UNTYPED, Quick, traps::values;
    Traps, UNTYPED, Quick, traps::names;
};

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
