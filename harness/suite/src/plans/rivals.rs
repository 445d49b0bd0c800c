//! Items with the same name and other values: the subject must not confuse them.

use crate::effort::Effort;
use crate::instance::Instance;
use crate::plans::near::{split_name, unlike};
use crate::plans::subjects::{code, subjects};
use crate::setting::Setting;
use stickler_transcript::{Case, Purpose, Relation, Role, Value, Variation};

pub(super) fn cases(setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    subjects(setting, effort)
        .iter()
        .filter(|instance| !instance.attributes.is_empty())
        .flat_map(|instance| {
            let rivals = rivals(instance);
            [
                two_orders(setting, instance, &rivals),
                between(setting, instance, &rivals),
            ]
        })
        .collect()
}

/// For each attribute, an item with another value and one without it.
pub(super) fn rivals(instance: &Instance) -> Vec<Instance> {
    let mut rivals = Vec::new();
    for (name, value) in &instance.attributes {
        let field = String::from_utf8_lossy(name);
        if let Some(other) = other(value) {
            let words = match other.as_text() {
                Some(text) => format!("with \"{field}\" {}", code(text)),
                None => format!("with another list in \"{field}\""),
            };
            let mut rival = instance.variant(Variation::Rival, &field, "", words);
            rival.set(&field, other);
            rivals.push(rival);
        }
        let words = format!("without \"{field}\"");
        let mut rival = instance.variant(Variation::Rival, &field, ":without", words);
        rival.attributes.retain(|(known, _)| known != name);
        rivals.push(rival);
    }
    rivals
}

/// A value of the same shape.
fn other(value: &Value) -> Option<Value> {
    match value {
        Value::Text(text) => {
            let (folder, name) = split_name(text);
            (!name.is_empty()).then(|| Value::Text([folder, &unlike(name)].concat()))
        }
        Value::List(items) => {
            let (last, rest) = items.split_last()?;
            Some(Value::List(if rest.is_empty() {
                vec![other(last)?]
            } else {
                rest.to_vec()
            }))
        }
        _ => None,
    }
}

/// Validates in this order in one process, and in reverse order in the next.
fn two_orders(setting: &Setting<'_>, instance: &Instance, rivals: &[Instance]) -> Case {
    let mut case = setting.case(format!("validations/{}", instance.info.label));
    case.setup(instance).open().validate(instance);
    for rival in rivals {
        case.validate(rival);
    }
    case.terminate().start(1).greet();
    for rival in rivals.iter().rev() {
        case.validate_as(Purpose::VALIDATE.turn(2), rival);
    }
    case.validate_as(Purpose::VALIDATE.turn(2), instance)
        .terminate()
        .build()
}

/// Evaluates the example after its rivals were validated.
fn between(setting: &Setting<'_>, instance: &Instance, rivals: &[Instance]) -> Case {
    let label = &instance.info.label;
    let mut case = setting.case(format!("between-rivals/{label}"));
    case.member(Relation::BETWEEN, label, Role::Between)
        .setup(instance)
        .observing()
        .open()
        .validate(instance);
    for rival in rivals {
        case.validate(rival);
    }
    case.evaluate(instance).terminate().build()
}
