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
use stickler_transcript::Case;
use stickler_transcript::Relation;
use stickler_transcript::{Role, Variation};

pub(crate) use agent::{Driven, driven};
pub(crate) use variants::Batch;

/// Relations in which an example's plain session is the baseline.
pub(crate) const RELATIONS: &[Relation] = &[
    Relation::Header,
    Relation::Pieces,
    Relation::Keys,
    Relation::Level,
    Relation::Between,
    Relation::Restart,
    Relation::Large,
    Relation::Text,
    Relation::Warn,
    Relation::Environment,
    Relation::Kill,
    Relation::Protect,
    Relation::Write,
    Relation::Drift,
    Relation::Escape,
    Relation::Commands,
    Relation::Alone,
    Relation::Bare,
];

/// The first session: the header alone.
pub(crate) fn calibration(setting: &Setting<'_>) -> Vec<Case> {
    vec![header::plain(setting)]
}

/// Each example as it is, twice and once watched, and the invalid promises.
pub(crate) fn baselines(setting: &Setting<'_>) -> Vec<Case> {
    let mut cases = baseline::cases(setting);
    cases.extend(sequence::seconds(setting));
    cases.extend(trouble::counted(setting));
    cases
}

/// Everything else that stands alone.
pub(crate) fn cases(setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let mut cases = Vec::new();
    cases.extend(header::cases(setting, effort));
    cases.extend(sequence::cases(setting, effort));
    cases.extend(requests::cases(setting, effort));
    cases.extend(broken::cases(setting));
    cases.extend(policy::cases(setting, effort));
    cases.extend(environment::cases(setting, effort));
    cases.extend(trouble::cases(setting, effort));
    cases.extend(in_the_way::cases(setting, effort));
    cases.extend(drifts::cases(setting, effort));
    cases.extend(disturbed::cases(setting, effort));
    if effort != Effort::Quick {
        // What rules see here in another way than elsewhere.
        cases.extend(near::cases(setting, effort));
        cases.extend(rivals::cases(setting, effort));
        cases.extend(removed::cases(setting, effort));
        cases.extend(places::cases(setting, effort));
        cases.extend(layouts::cases(setting, effort));
        cases.extend(lines::cases(setting, effort));
    }
    cases.extend(traps::escapes(setting, effort));
    cases.extend(growth::cases(setting));
    cases.extend(baseline::late(setting, effort));
    // Last what tells how runs differ that did the same.
    cases.sort_by_key(|case| case.groups.iter().any(|member| member.role == Role::Again));
    cases
}

/// Cases of many small steps: where a subject dies on one, the rest is tried in
/// a fresh process.
pub(crate) fn batches(setting: &Setting<'_>, effort: Effort) -> Vec<Batch> {
    let mut batches = variants::batches(setting, effort);
    batches.extend(traps::canaries(setting, effort));
    batches
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
