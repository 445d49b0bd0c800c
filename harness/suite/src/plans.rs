//! Plan families that need no wire knowledge: which sessions run, for any dialect. The tables say which
//! relations a family shows, what a subject has to be capable of, and the least effort.

mod baseline;
mod batch;
mod disturbed;
mod drifts;
mod dry;
mod environment;
mod family;
mod foreign;
mod growth;
mod in_the_way;
mod inputs;
mod layouts;
mod lines;
mod near;
mod own;
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

use crate::capabilities::Capabilities;
use crate::effort::Effort::{self, Normal, Quick};
use crate::setting::Setting;
use family::{
    ANY, Family, MANY, TYPED, TYPED_MANY, UNTYPED, UNTYPED_MANY, VALIDATES, VALIDATES_FEW,
    VALIDATES_MANY,
};
use std::collections::BTreeSet;
use stickler_transcript::{Case, Relation, Role};

pub use batch::Batch;
pub use disturbed::is_document;
pub use environment::{ASCII, ascii, set_by_author};
pub use near::{neighbours, unlike};
pub use own::{OwnFamily, own, relations_of};
pub use subjects::{by_itself, disturbable, probe, subjects};

/// A table of families, a line for each: the relations of its sessions, what the subject has to be capable of,
/// the least effort, the function.
macro_rules! families {
    ($($first:ident $(+ $more:ident)*, $needs:ident, $from:ident, $plan:path;)*) => {
        &[$(Family {
            name: stringify!($plan),
            relations: &[Relation::$first $(, Relation::$more)*],
            needs: $needs,
            from: $from,
            plan: $plan,
        }),*]
    };
}

/// Families from which the suite learns, beside the examples as they are.
const EXAMPLES: &[Family<Case>] = families! {
    INVALID, ANY, Quick, baseline::invalid;
    ALONE, MANY, Quick, sequence::seconds;
    WRITE, ANY, Quick, trouble::counted;
    WRITE + COMMANDS, ANY, Quick, trouble::called;
};

/// All other families whose sessions run independently. Those from `Normal` on show the rules the same
/// defects in another way.
const SUITE: &[Family<Case>] = families! {
    IDLE, ANY, Quick, sequence::quiet;
    RESTART, ANY, Quick, sequence::restarted;
    BETWEEN, VALIDATES_MANY, Quick, sequence::invalid_between;
    ALONE, VALIDATES_MANY, Quick, sequence::after_others;
    ALONE + ORDER + BETWEEN + RESTART, MANY, Quick, sequence::paired;
    ALONE, MANY, Normal, sequence::lacking;
    TYPES, MANY, Quick, sequence::types;
    WARN, ANY, Quick, dry::cases;
    ENVIRONMENT, ANY, Quick, environment::cases;
    COMMANDS, ANY, Quick, trouble::failing_commands;
    KILL, ANY, Quick, trouble::kills;
    WRITE, ANY, Quick, trouble::failing_calls;
    PROTECT, ANY, Quick, trouble::refusing_targets;
    BARE, VALIDATES, Quick, in_the_way::without_setup;
    IN_THE_WAY, ANY, Quick, in_the_way::cases;
    UNENDED, ANY, Quick, in_the_way::unended_files;
    UNDONE, ANY, Quick, drifts::undone;
    DRIFT, ANY, Quick, drifts::cases;
    FOREIGN, ANY, Quick, foreign::cases;
    DISTURBED, ANY, Quick, disturbed::cases;
    DISTURBED, ANY, Quick, inputs::cases;
    NEAR, TYPED_MANY, Quick, twins::cases;
    NEAR, UNTYPED_MANY, Normal, near::cases;
    BETWEEN, VALIDATES_MANY, Normal, rivals::cases;
    REMOVED, MANY, Normal, removed::cases;
    PLACES, ANY, Normal, places::cases;
    LAYOUTS, ANY, Normal, layouts::cases;
    LINES, ANY, Normal, lines::cases;
    ESCAPE, ANY, Quick, traps::escapes;
    GROWTH, VALIDATES_MANY, Quick, growth::many_items;
    GROWTH, VALIDATES_FEW, Normal, growth::one_item;
};

/// Families of many small steps.
const BATCHES: &[Family<Batch>] = families! {
    TEXT + FIELDS, UNTYPED, Quick, variants::batches;
    TEXT, TYPED, Quick, texts::batches;
    TRAPS, TYPED, Quick, traps::all_values;
    TRAPS, UNTYPED, Quick, traps::values;
    TRAPS, UNTYPED, Quick, traps::names;
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

/// What is known of a shared family without a subject.
#[derive(Clone, Copy)]
pub struct SharedFamily {
    /// The function that plans it, with its file.
    pub name: &'static str,
    /// The relations of its sessions.
    pub relations: &'static [Relation],
    needs: fn(Capabilities) -> bool,
}

impl SharedFamily {
    /// Does it serve a dialect whose rules read these relations, with a subject that can do this?
    pub fn serves(&self, read: &BTreeSet<Relation>, capabilities: Capabilities) -> bool {
        self.relations.iter().any(|one| read.contains(one)) && (self.needs)(capabilities)
    }
}

/// All shared families but the examples as they are.
pub fn shared() -> Vec<SharedFamily> {
    fn each<T>(table: &'static [Family<T>]) -> impl Iterator<Item = SharedFamily> {
        table.iter().map(|family| SharedFamily {
            name: family.name,
            relations: family.relations,
            needs: family.needs,
        })
    }
    let cases = each(EXAMPLES).chain(each(SUITE));
    cases.chain(each(BATCHES)).collect()
}
