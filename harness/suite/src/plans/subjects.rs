//! What plans are about: the items, and the relation of a case that is compared with no other.

use crate::builder::group_name;
use crate::effort::Effort;
use crate::instance::Instance;
use crate::setting::Setting;
use stickler_reading::words::{cut, visible};
use stickler_transcript::{Case, Membership, Relation, Role, Value, Variation};

/// Gives a case that is compared with no other a relation, which says what it is for.
pub fn by_itself(relation: Relation, case: &mut Case) {
    if case.groups.is_empty() {
        case.groups.push(Membership {
            group: group_name(relation, &case.id),
            relation,
            role: Role::Baseline,
        });
    }
}

/// The items of plans: the examples. If there are none, a probe, where it may be validated.
pub fn subjects(setting: &Setting<'_>, effort: Effort) -> Vec<Instance> {
    let count = match effort {
        Effort::Quick => 1,
        Effort::Normal | Effort::Deep => usize::MAX,
    };
    if setting.config.examples.is_empty() && setting.tells_validity() {
        return vec![probe(setting)];
    }
    (0..setting.config.examples.len())
        .take(count)
        .map(|index| setting.example(index, 0))
        .collect()
}

/// The examples that are known to be valid, if a sandbox allows disturbing them.
pub fn disturbable(setting: &Setting<'_>, effort: Effort) -> Vec<Instance> {
    if !setting.sandboxed || setting.config.examples.is_empty() {
        return Vec::new();
    }
    let mut instances = subjects(setting, effort);
    instances.retain(|instance| setting.knowledge.valid.contains(&instance.info.label));
    instances
}

/// A value in a description, shortened.
pub(super) fn code(text: &[u8]) -> String {
    format!("`{}`", cut(&visible(text), 40))
}

/// An item of unknown validity: plans validate it and never evaluate it.
pub fn probe(setting: &Setting<'_>) -> Instance {
    let identity = Value::text("{dir}/stickler-probe");
    let example = crate::config::Example {
        identity: vec![(setting.vocabulary().identity_key.to_owned(), identity)],
        ..crate::config::Example::default()
    };
    let mut instance = Instance::of(
        &example,
        "p1",
        setting.usual_kind(),
        setting.vocabulary(),
        0,
    );
    instance.info.original = false;
    instance.info.variation = Some(Variation::Probe);
    let kind = &instance.kind;
    instance.info.description = Some(match kind.is_empty() {
        true => "a probe".to_owned(),
        false => {
            let word = setting.vocabulary().kind;
            format!("a probe of {word} {}", code(kind.as_bytes()))
        }
    });
    instance
}
