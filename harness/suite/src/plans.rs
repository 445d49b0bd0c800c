//! The conformance suite: which sessions are held.

mod agent;
mod baseline;
mod broken;
mod disturbed;
mod drifts;
mod environment;
mod growth;
mod header;
mod in_the_way;
mod layouts;
mod lines;
mod near;
mod places;
mod policy;
mod removed;
mod requests;
mod rivals;
mod sequence;
mod traps;
mod trouble;
mod variants;

use crate::builder::Setting;
use crate::instance::Instance;
use crate::run::Effort;
use cfengine_protocol::rules::RULES;
use std::collections::BTreeSet;
use stickler_judge::Check;
use stickler_transcript::{Case, Membership, Relation, Role, Variation};

pub(crate) use agent::Driven;
pub(crate) use variants::Batch;

/// Relations in which an example's plain session is the baseline: those that rules compare.
pub(crate) fn relations() -> BTreeSet<Relation> {
    let checks = RULES.iter().flat_map(|rule| rule.checks);
    let compared = checks.filter(|check| matches!(check, Check::Group(..)));
    compared.flat_map(Check::relations).copied().collect()
}

/// The first session: the header alone.
pub(crate) fn calibration(setting: &Setting<'_>) -> Vec<Case> {
    by_themselves(Relation::Header, vec![header::plain(setting)])
}

/// Each example as it is, twice and once watched, and the invalid promises.
pub(crate) fn baselines(setting: &Setting<'_>) -> Vec<Case> {
    let mut cases = by_themselves(Relation::Invalid, baseline::cases(setting));
    cases.extend(sequence::seconds(setting));
    cases.extend(by_themselves(Relation::Write, trouble::counted(setting)));
    cases
}

/// Everything else that stands alone.
pub(crate) fn cases(setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let mut cases = Vec::new();
    let mut add = |relation, family| cases.extend(by_themselves(relation, family));
    add(Relation::Header, header::cases(setting, effort));
    add(Relation::Ends, sequence::cases(setting, effort));
    add(Relation::Keys, requests::cases(setting, effort));
    add(Relation::Broken, broken::cases(setting));
    add(Relation::Warn, policy::cases(setting, effort));
    add(Relation::Environment, environment::cases(setting, effort));
    add(Relation::Write, trouble::cases(setting, effort));
    add(Relation::InTheWay, in_the_way::cases(setting, effort));
    add(Relation::Drift, drifts::cases(setting, effort));
    add(Relation::Disturbed, disturbed::cases(setting, effort));
    if effort != Effort::Quick {
        // What rules see here in another way than elsewhere.
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
    // Last what tells how runs differ that did the same.
    cases.sort_by_key(|case| case.groups.iter().any(|member| member.role == Role::Again));
    cases
}

/// Sessions that the reference agent drives.
pub(crate) fn driven(setting: &Setting<'_>, effort: Effort) -> Vec<Driven> {
    let mut driven = agent::driven(setting, effort);
    for one in &mut driven {
        by_itself(Relation::Policies, &mut one.case);
    }
    driven
}

/// Cases of many small steps: where a subject dies on one, the rest is tried in
/// a fresh process.
pub(crate) fn batches(setting: &Setting<'_>, effort: Effort) -> Vec<Batch> {
    let mut batches = variants::batches(setting, effort);
    batches.extend(traps::canaries(setting, effort));
    batches
}

/// Cases that no other is compared with are known by a relation too: it says what they are for.
fn by_themselves(relation: Relation, mut cases: Vec<Case>) -> Vec<Case> {
    for case in &mut cases {
        by_itself(relation, case);
    }
    cases
}

fn by_itself(relation: Relation, case: &mut Case) {
    if case.groups.is_empty() {
        case.groups.push(Membership {
            group: format!("{relation}/{}", case.id),
            relation,
            role: Role::Baseline,
        });
    }
}

/// The promises that plans are about: the examples, or a probe where there are none.
pub(crate) fn subjects(setting: &Setting<'_>, effort: Effort) -> Vec<Instance> {
    let count = match effort {
        Effort::Quick => 1,
        Effort::Normal | Effort::Deep => usize::MAX,
    };
    if setting.config.examples.is_empty() {
        return vec![probe(setting)];
    }
    (0..setting.config.examples.len())
        .take(count)
        .map(|index| setting.example(index, 0))
        .collect()
}

/// The examples that are known to be valid, where a sandbox allows to disturb them.
pub(crate) fn disturbable(setting: &Setting<'_>, effort: Effort) -> Vec<Instance> {
    if !setting.sandboxed || setting.config.examples.is_empty() {
        return Vec::new();
    }
    let mut instances = subjects(setting, effort);
    instances.retain(|instance| setting.knowledge.valid.contains(&instance.info.label));
    instances
}

/// A promise that may or may not be valid: it is validated, never evaluated.
fn probe(setting: &Setting<'_>) -> Instance {
    let example = crate::config::Example {
        name: String::new(),
        promiser: "{dir}/stickler-probe".into(),
        ..crate::config::Example::default()
    };
    let mut instance = Instance::of(&example, "p1", setting.usual_type(), 0);
    instance.info.original = false;
    instance.info.variation = Some(Variation::Probe);
    instance.info.description = Some("a probe".into());
    instance
}
