//! Changes from outside that the item itself did not make to its file: in content, mode and
//! kind.

use crate::effort::Effort;
use crate::instance::{Instance, scratch_dir};
use crate::plans::subjects::disturbable;
use crate::setting::Setting;
use serde_json::{Map, Value, json};
use stickler_transcript::{Bytes, Case, Drift, Provenance, Purpose, Variation};

/// How many parts of a document are replaced, one at a time.
const PARTS: usize = 8;

pub(super) fn cases(setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let known = setting.knowledge;
    let mut cases = Vec::new();
    for instance in disturbable(setting, effort) {
        let label = &instance.info.label;
        let path = instance.own_path().map(|(_, path)| path);
        if let Some(path) = path {
            cases.push(linked(setting, &instance, path));
        }
        if known.repaired.contains(label) {
            cases.extend(other_shapes(setting, &instance));
        } else if let Some(path) = path {
            cases.push(never_repaired(setting, &instance, path));
        }
    }
    cases
}

/// For an item that is kept from the start, or never repaired: changes its file in one aspect
/// after the other.
fn never_repaired(setting: &Setting<'_>, instance: &Instance, path: &[u8]) -> Case {
    let path = || Bytes::from(path);
    let write = |content: &str| Drift::Write {
        path: path(),
        content: content.into(),
    };
    let drifts = [
        Drift::Mode {
            path: path(),
            mode: 0o604,
        },
        write("stickler was here\n"),
        write(""),
        Drift::Remove { path: path() },
        Drift::Directory { path: path() },
    ];
    let drifts = drifts.map(|drift| (drift, instance.provenance));
    changed(setting, instance, "disturbed", drifts.into())
}

/// A link replaces its file: first to another file, then to a missing one.
fn linked(setting: &Setting<'_>, instance: &Instance, path: &[u8]) -> Case {
    let other = format!("{}/stickler-other", scratch_dir(0));
    let link = |target: &str| {
        let path = Bytes::from(path);
        let target = Bytes::from(target);
        [
            Drift::Remove { path: path.clone() },
            Drift::Link { path, target },
        ]
    };
    let words = "a link in its place".to_owned();
    let variant = instance.altered(Variation::Linked, "", words);
    let mut case = setting.case(format!("linked/{}", instance.info.label));
    case.setup(instance)
        .drift(Drift::Write {
            path: other.clone().into(),
            content: "stickler was here\n".into(),
        })
        .observing()
        .open()
        .validate(&variant);
    for (number, target) in [&other[..], "stickler-missing"].into_iter().enumerate() {
        for drift in link(target) {
            case.drift(drift);
        }
        case.observe("linked").evaluate_as(
            Purpose::LINKED.turn(number),
            Purpose::VALIDATE,
            &variant,
        );
        if instance.stays_kept() {
            case.evaluate_as(
                Purpose::LINKED_AGAIN.turn(number),
                Purpose::VALIDATE,
                &variant,
            );
        }
    }
    case.terminate().build()
}

/// Replaces values in a JSON document that the item wrote by values of other types.
fn other_shapes(setting: &Setting<'_>, instance: &Instance) -> Option<Case> {
    let label = &instance.info.label;
    let (path, document) = setting
        .knowledge
        .made_by(label)
        .into_iter()
        .find_map(|path| Some((path, document(setting.knowledge.content(label, path)?)?)))?;
    let drifts = altered(&document)
        .into_iter()
        .enumerate()
        .map(|(number, other)| {
            let drift = Drift::Write {
                path: path.into(),
                content: format!("{other:#}\n").into_bytes().into(),
            };
            // The document's format decides which values may be nested deep in it: advice only.
            let deep = number > 0;
            let provenance = if deep {
                Provenance::Beyond
            } else {
                instance.provenance
            };
            (drift, provenance)
        })
        .collect();
    Some(changed(setting, instance, "shapes", drifts))
}

/// Is the content of a file a JSON object or array?
pub fn is_document(content: &[u8]) -> bool {
    document(content).is_some()
}

/// The JSON document in a file, if it is an object or an array.
pub(super) fn document(content: &[u8]) -> Option<Value> {
    let document: Value = serde_json::from_slice(content).ok()?;
    (document.is_object() || document.is_array()).then_some(document)
}

/// Evaluates after each change. The provenance, who could make the change, sets the grade of a
/// finding.
fn changed(
    setting: &Setting<'_>,
    instance: &Instance,
    id: &str,
    drifts: Vec<(Drift, Provenance)>,
) -> Case {
    let words = "changed from outside".to_owned();
    let mut variant = instance.altered(Variation::Drifted, &format!(":{id}"), words);
    let mut case = setting.case(format!("{id}/{}", instance.info.label));
    case.setup(instance)
        .observing()
        .open()
        .validate(&variant)
        .evaluate(&variant);
    for (number, (drift, provenance)) in drifts.into_iter().enumerate() {
        variant.provenance = provenance;
        case.drift(drift).observe("changed").evaluate_as(
            Purpose::CHANGED.turn(number),
            Purpose::VALIDATE,
            &variant,
        );
    }
    case.terminate().build()
}

/// Copies of the document, each with one part replaced by another type, from the outside in.
fn altered(document: &Value) -> Vec<Value> {
    let mut paths = vec![String::new()];
    let mut at = 0;
    while let Some(path) = paths.get(at).cloned() {
        at += 1;
        match document.pointer(&path) {
            Some(Value::Object(members)) => paths.extend(
                members
                    .keys()
                    .map(|key| format!("{path}/{}", key.replace('~', "~0").replace('/', "~1"))),
            ),
            Some(Value::Array(items)) => {
                paths.extend((0..items.len()).map(|index| format!("{path}/{index}")));
            }
            _ => {}
        }
        paths.truncate(PARTS);
    }
    paths
        .iter()
        .filter_map(|path| {
            let mut other = document.clone();
            let part = other.pointer_mut(path)?;
            *part = match part {
                Value::Object(_) => json!(["stickler"]),
                Value::Array(_) => json!("stickler"),
                _ => Value::Object(Map::new()),
            };
            Some(other)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::altered;
    use serde_json::json;

    #[test]
    fn each_part_is_of_another_type_once() {
        assert_eq!(
            altered(&json!({ "a": { "b/c": 1 }, "d": [2] })),
            [
                json!(["stickler"]),
                json!({ "a": ["stickler"], "d": [2] }),
                json!({ "a": { "b/c": 1 }, "d": "stickler" }),
                json!({ "a": { "b/c": {} }, "d": [2] }),
                json!({ "a": { "b/c": 1 }, "d": [{}] }),
            ]
        );
    }
}
