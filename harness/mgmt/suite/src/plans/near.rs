//! The example with further values of each field: near the present one, of other examples, and words of the source. Where a
//! field takes few values, one of them may be valid. What is valid is compared, written and read again.

use super::{encoded, resources};
use crate::literals;
use crate::requests::{get, pair, validated};
use crate::shown::Shown;
use crate::values::{near_values, other_value, worded};
use mgmt_protocol::{Described, Field, phase, purpose};
use stickler_suite::plans::subjects;
use stickler_suite::{CaseBuilder, Effort, Instance, Setting};
use stickler_transcript::{Case, Purpose, Value, Variation};

/// How many values of a field are tried.
const MOST: usize = 20;

pub(super) fn cases(shown: &Shown, setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let items = subjects(setting, effort).into_iter();
    let cases = items.filter_map(|item| Some(one(shown, setting, shown.kind(&item.kind)?, &item)));
    cases.collect()
}

fn one(shown: &Shown, setting: &Setting<'_>, kind: &Described, item: &Instance) -> Case {
    let source = source(kind);
    let mut case = setting.case(format!("near/{}", item.info.label));
    case.setup(item).open();
    let case = &mut case;
    case.validate(item);
    get(case, item, 1);
    for field in &kind.fields {
        let key = field.key();
        let default = shown.default_of(kind, field);
        let present = item.value(key).or(default.as_ref());
        let mut values: Vec<Value> = other_value(field, present).into_iter().collect();
        values.extend(near_values(field, present));
        let own = values.len();
        values.extend(of_others(setting, item, field, &source));
        let mut known = Vec::new();
        for (number, value) in values.into_iter().enumerate().take(MOST) {
            // What stands for a field that is not set is often the name.
            let is_name = value.as_text() == Some(item.name());
            if Some(&value) == present || is_name || known.contains(&value) {
                continue;
            }
            known.push(value.clone());
            let words = format!("another value of \"{key}\"");
            let suffix = format!(":{number}");
            let mut other = item.variant(Variation::Near, key, &suffix, words);
            other.set(key, value);
            resources::differs(case, item, &other);
            if number < own {
                equals(case, &other);
                encoded::both(case, kind, &other, &validated(&other));
            }
        }
    }
    case.terminate().build()
}

/// The source of a kind, if it can be read.
fn source(kind: &Described) -> String {
    let file = kind.source.as_deref();
    let source = file.and_then(|file| std::fs::read_to_string(file).ok());
    source.unwrap_or_default()
}

/// Values of a field in other examples, and words of the source.
fn of_others(setting: &Setting<'_>, item: &Instance, field: &Field, source: &str) -> Vec<Value> {
    let words = literals::words(source, &field.name);
    let words = words.iter().filter_map(|word| worded(field, word));
    let examples = of_examples(setting, item, field).into_iter();
    examples.chain(words).collect()
}

/// Other values of an item's fields, a few of each: those of other examples and words of the source first.
pub(crate) fn others(
    shown: &Shown,
    setting: &Setting<'_>,
    item: &Instance,
) -> Vec<(String, Value)> {
    let Some(kind) = shown.kind(&item.kind) else {
        return Vec::new();
    };
    let source = source(kind);
    let fields = kind.fields.iter().flat_map(|field| {
        let key = field.key();
        let default = shown.default_of(kind, field);
        let present = item.value(key).or(default.as_ref()).cloned();
        let mut values = of_others(setting, item, field, &source);
        values.extend(other_value(field, present.as_ref()));
        values.retain(|value| Some(value) != present.as_ref());
        let values = values.into_iter().take(MOST);
        values
            .map(|value| (key.to_owned(), value))
            .collect::<Vec<_>>()
    });
    fields.collect()
}

/// Compares a valid item with one that has the same values.
fn equals(case: &mut CaseBuilder<'_>, item: &Instance) {
    let twin = item.twin("like");
    let valid = validated(item);
    case.validate_with(Purpose::VALIDATE, &twin, |send| {
        send.requires = Some(valid.clone());
    });
    let key = purpose::CMP.of(&twin.info.label);
    let after = validated(&twin);
    pair(case, phase::CMP, key, after, &twin, [item, &twin]);
}

/// The values of a field in other examples of the kind.
pub(super) fn of_examples(setting: &Setting<'_>, item: &Instance, field: &Field) -> Vec<Value> {
    let all = 0..setting.config.examples.len();
    let others = all.map(|index| setting.example(index, 0));
    let others = others.filter(|other| other.kind == item.kind);
    others
        .filter_map(|other| other.value(field.key()).cloned())
        .collect()
}
