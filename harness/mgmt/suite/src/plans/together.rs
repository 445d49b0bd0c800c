//! Two resources of a kind with other keys in one place: in one file, or in one store.
//!
//! Nobody says which fields are keys. The far ones show it: where a quite different text leaves the example as it is, one
//! that is nearly the same has to leave it, too. Where it does not, both manage one thing.

use crate::requests::{begin, calls};
use crate::shown::Shown;
use crate::values::other_value;
use mgmt_protocol::{Described, purpose, relation};
use serde_json::json;
use stickler_suite::plans::{neighbours, subjects, unlike};
use stickler_suite::{CaseBuilder, Effort, Instance, Setting, Spoil};
use stickler_transcript::{Case, Purpose, Role, Value, Variation};

/// How many fields of an example are tried.
const MOST: usize = 6;
/// How often two run at the same time.
const ROUNDS: usize = 12;
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
            cases.extend(at_once(setting, &item, field));
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

/// The example and a far one apply at the same time, often. The control: one after the other, in both orders.
fn at_once(setting: &Setting<'_>, item: &Instance, field: &str) -> Option<Case> {
    let undone = setting.knowledge.undone.get(&item.info.label)?;
    // What the example did is taken back before each round, whatever the other one did.
    let again = Spoil::Files(undone.clone());
    let far = neighbours(item, field, None);
    let far = far
        .into_iter()
        .find(|other| other.info.variation == Some(Variation::Far))?;
    let group = format!("{}/{field}", item.info.label);
    let mut case = setting.case(format!("together-at-once/{group}"));
    case.member(relation::TOGETHER, &group, Role::Concurrent)
        .setup(item)
        .queued_fakes()
        .observing()
        .open();
    begin(&mut case, item);
    begin(&mut case, &far);
    let looks = |case: &mut CaseBuilder<'_>, turn: usize| {
        for one in [item, &far] {
            let key = Purpose::LOOK.turn(turn).of(&one.info.label);
            calls(case, key, &one.looked_at(), &json!({}));
        }
    };
    for (turn, order) in [(1, [item, &far]), (2, [&far, item])] {
        for one in order {
            let key = Purpose::EVALUATE.turn(turn).of(&one.info.label);
            calls(&mut case, key, one, &json!({}));
        }
        looks(&mut case, turn);
        case.spoil(&again, true).observe("drift");
    }
    for round in 1..=ROUNDS {
        let key = purpose::AT_ONCE.turn(round).of(&item.info.label);
        let more = json!({ "beside": &*far.info.label, "once": true });
        calls(&mut case, key, item, &more);
        looks(&mut case, 2 + round);
        case.spoil(&again, true).observe("drift");
    }
    Some(case.terminate().build())
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
