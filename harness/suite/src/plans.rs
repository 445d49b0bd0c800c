//! Plan families that need no wire knowledge: which sessions run, for any dialect.

mod baseline;
mod batch;
mod disturbed;
mod drifts;
mod dry;
mod environment;
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
mod variants;

use crate::effort::Effort;
use crate::setting::Setting;
use stickler_transcript::{Case, Relation, Role};

pub use batch::Batch;
pub use disturbed::is_document;
pub use environment::{ASCII, ascii, set_by_author};
pub use subjects::{by_itself, by_themselves, disturbable, probe, subjects};

/// Each example unchanged; the second promise of each pair; each example with its calls counted;
/// and the invalid items, which are validated.
pub fn examples(setting: &Setting<'_>) -> Vec<Case> {
    examples_and(setting, baseline::invalid(setting))
}

/// The same, in a dialect with sessions of its own for the invalid items.
pub fn examples_and(setting: &Setting<'_>, invalid: Vec<Case>) -> Vec<Case> {
    let mut cases = baseline::cases(setting);
    cases.extend(invalid);
    let mut cases = by_themselves(Relation::Invalid, cases);
    cases.extend(sequence::seconds(setting));
    cases.extend(by_themselves(Relation::Write, trouble::counted(setting)));
    cases.extend(by_themselves(Relation::Write, trouble::called(setting)));
    cases
}

/// All other cases that run independently.
pub fn cases(setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let mut cases = Vec::new();
    let mut add = |relation, family| cases.extend(by_themselves(relation, family));
    add(Relation::Ends, sequence::cases(setting, effort));
    add(Relation::Warn, dry::cases(setting, effort));
    add(Relation::Environment, environment::cases(setting, effort));
    add(Relation::Write, trouble::cases(setting, effort));
    add(Relation::InTheWay, in_the_way::cases(setting, effort));
    add(Relation::Drift, drifts::cases(setting, effort));
    add(Relation::Disturbed, disturbed::cases(setting, effort));
    add(Relation::Disturbed, inputs::cases(setting, effort));
    if effort != Effort::Quick {
        // Families that show the rules the same defects in another way.
        add(Relation::Near, near::cases(setting, effort));
        add(Relation::Between, rivals::cases(setting, effort));
        add(Relation::Removed, removed::cases(setting, effort));
        add(Relation::Places, places::cases(setting, effort));
        add(Relation::Layouts, layouts::cases(setting, effort));
        add(Relation::Lines, lines::cases(setting, effort));
    }
    add(Relation::Escape, traps::escapes(setting, effort));
    add(Relation::Growth, growth::cases(setting));
    cases.extend(baseline::late(setting, effort));
    cases
}

/// Examples whose evaluation is killed, and examples of whose calls that change
/// files one fails.
pub fn interrupted(setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let mut cases = by_themselves(Relation::Kill, trouble::kills(setting, effort));
    let writes = trouble::failing_calls(setting, effort);
    cases.extend(by_themselves(Relation::Write, writes));
    cases
}

/// Examples whose stand-ins for commands work for some calls, and then fail.
pub fn failing_commands(setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    by_themselves(
        Relation::Commands,
        trouble::failing_commands(setting, effort),
    )
}

/// Examples in other environments.
pub fn environments(setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    environment::cases(setting, effort)
}

/// Examples whose files have no newline at their end.
pub fn unended(setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    by_themselves(
        Relation::InTheWay,
        in_the_way::unended_files(setting, effort),
    )
}

/// Batches with baits in the values of attributes.
pub fn baits(setting: &Setting<'_>, effort: Effort) -> Vec<Batch> {
    traps::values(setting, effort)
}

/// Batches with difficult texts in the values of attributes.
pub fn difficult_texts(setting: &Setting<'_>, effort: Effort) -> Vec<Batch> {
    texts::batches(setting, effort)
}

/// Cases of many small steps. If the subject dies on one, the rest runs in a fresh process.
pub fn batches(setting: &Setting<'_>, effort: Effort) -> Vec<Batch> {
    let mut batches = variants::batches(setting, effort);
    batches.extend(traps::canaries(setting, effort));
    batches
}

/// Puts repeated sessions last: they show which differences are volatile.
pub fn repeats_last(cases: &mut [Case]) {
    cases.sort_by_key(|case| case.groups.iter().any(|member| member.role == Role::Again));
}
