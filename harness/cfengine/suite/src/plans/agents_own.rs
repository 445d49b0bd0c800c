//! Attributes that cf-agent handles itself, and still sends to the module.

use cfengine_protocol::relation;
use stickler_suite::plans::subjects;
use stickler_suite::{Effort, Instance, Setting, Speech};
use stickler_transcript::{Case, Purpose, Role, Value, Variation};

/// What a policy writer may say about any promise.
const SENT: [(&str, &str); 2] = [
    ("comment", "Our users rely on this, so it must be right"),
    ("handle", "what_our_users_rely_on"),
];

pub(super) fn cases(setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    // The specification's agent keeps these attributes to itself.
    if setting.speech == Speech::Spec || setting.config.examples.is_empty() {
        return Vec::new();
    }
    let subjects = subjects(setting, effort);
    let cases = subjects.iter().filter_map(|example| one(setting, example));
    cases.collect()
}

/// The whole life of an example with these attributes added.
fn one(setting: &Setting<'_>, instance: &Instance) -> Option<Case> {
    let label = &instance.info.label;
    let settles = instance.stays_kept();
    // The label stays: rules compare each exchange with that of the plain example.
    let mut changed = instance.clone();
    let mut added = Vec::new();
    for (name, text) in SENT {
        if changed.value(name).is_none() {
            changed.set(name, Value::text(text));
            added.push(format!("`{name}`"));
        }
    }
    if added.is_empty() {
        return None;
    }
    let words = format!("with {}", added.join(" and "));
    changed.info.original = false;
    changed.info.expect.clear();
    changed.info.classes.clear();
    changed.info.variation = Some(Variation::Reserved);
    changed.info.description = Some(words.clone());
    let mut case = setting.case(format!("agents-own/{label}"));
    case.member(relation::ATTRIBUTES, label, Role::variant(&words))
        .setup(&changed)
        .observing()
        .open()
        .validate(&changed)
        .evaluate(&changed);
    // Some promises have something to do each time.
    if settles {
        case.evaluate_as(Purpose::EVALUATE.turn(2), Purpose::VALIDATE, &changed);
    }
    Some(case.terminate().build())
}
