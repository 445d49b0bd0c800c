//! Two resources of a kind with other keys in one place: in one file, or in one store.
//!
//! Nobody says which fields are keys. The far ones show it: where a quite different text leaves the example as it is, one
//! that is nearly the same has to leave it, too. Where it does not, both manage one thing.

use crate::shown::Shown;
use crate::values::other_value;
use mgmt_protocol::{Described, relation};
use stickler_suite::plans::{neighbours, subjects, unlike};
use stickler_suite::{Effort, Instance, Setting};
use stickler_transcript::{Case, Purpose, Role, Value};

/// How many fields of an example are tried.
const MOST: usize = 6;
/// How many other fields have another value along with one.
const MOST_BESIDE: usize = 3;

pub(super) fn cases(shown: &Shown, setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    if !setting.sandboxed {
        return Vec::new();
    }
    let mut cases = Vec::new();
    for item in subjects(setting, effort) {
        if !setting.knowledge.repaired.contains(&item.info.label) {
            continue;
        }
        let mut fields = vec![item.name_field()];
        fields.extend(item.text_fields());
        fields.extend(item.container_fields());
        fields.retain(|field| !setting.config.subject.executes.contains(field));
        fields.truncate(MOST);
        for field in &fields {
            cases.extend(of_field(setting, shown.kind(&item.kind), &item, field));
        }
    }
    cases
}

/// The example first, and then each other one; and each other one first.
fn of_field(
    setting: &Setting<'_>,
    kind: Option<&Described>,
    item: &Instance,
    field: &str,
) -> Vec<Case> {
    let plain = neighbours(item, field, None);
    if plain.is_empty() {
        return Vec::new();
    }
    let mut others = plain.clone();
    for (other, value) in values(setting, kind, item, field) {
        others.extend(neighbours(item, field, Some((&other, &value))));
    }
    let group = format!("{}/{field}", item.info.label);
    let mut after = setting.case(format!("together/{group}"));
    after
        .member(relation::TOGETHER, &group, Role::Beside)
        .setup(item)
        .observing()
        .open()
        .validate(item)
        .evaluate(item);
    for other in &others {
        after.validate(other).evaluate(other).evaluate_as(
            Purpose::AFTER.part(&other.info.label),
            Purpose::VALIDATE,
            item,
        );
    }
    let mut before = setting.case(format!("together-first/{group}"));
    before
        .member(relation::TOGETHER, &group, Role::Baseline)
        .setup(item)
        .observing()
        .open();
    for other in &plain {
        before.validate(other).evaluate(other);
    }
    let looks = |case: &mut stickler_suite::CaseBuilder<'_>, turn: usize| {
        for other in &plain {
            case.evaluate_as(
                Purpose::LOOK.turn(turn),
                Purpose::VALIDATE,
                &other.looked_at(),
            );
        }
    };
    looks(&mut before, 1);
    before.validate(item).evaluate(item);
    looks(&mut before, 2);
    vec![after.terminate().build(), before.terminate().build()]
}

/// Other values of other fields. Paths stay, so that both are in one place.
fn values(
    setting: &Setting<'_>,
    kind: Option<&Described>,
    item: &Instance,
    field: &str,
) -> Vec<(String, Value)> {
    let own = item.attributes.iter().filter_map(|(key, value)| {
        let key = String::from_utf8_lossy(key).into_owned();
        if key == field || setting.config.subject.executes.contains(&key) {
            return None;
        }
        let other = match value {
            Value::Text(text) => {
                let is_word = text.iter().any(u8::is_ascii_alphanumeric) && !text.contains(&b'/');
                is_word.then(|| Value::Text(unlike(text)))
            }
            Value::Number(_) => kind
                .and_then(|kind| kind.field(&key))
                .and_then(|known| other_value(known, Some(value))),
            _ => None,
        };
        Some((key, other?))
    });
    own.take(MOST_BESIDE).collect()
}
