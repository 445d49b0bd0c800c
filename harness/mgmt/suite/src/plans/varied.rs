//! The example, and the same with another value of a single field, in turns: each is right alone where its value is there.
//!
//! Which fields count is not known. Those that do make another state where there is nothing.

use crate::shown::Shown;
use crate::values::other_value;
use stickler_suite::plans::disturbable;
use stickler_suite::{Effort, Instance, Setting};
use stickler_transcript::{Case, Purpose, Value, Variation};

/// How many fields of an example are tried.
const MOST: usize = 8;

pub(super) fn cases(shown: &Shown, setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let items = disturbable(setting, effort).into_iter();
    let cases = items.filter_map(|item| one(shown, setting, &item));
    cases.collect()
}

fn one(shown: &Shown, setting: &Setting<'_>, item: &Instance) -> Option<Case> {
    let label = &item.info.label;
    let undone = setting.knowledge.undone.get(label)?;
    let variants = variants(shown, setting, item);
    if variants.is_empty() || !item.stays_kept() {
        return None;
    }
    let mut case = setting.case(format!("varied/{label}"));
    case.setup(item).observing().open().validate(item);
    for one in &variants {
        case.validate(one);
    }
    // What the example makes twice shows what differs each time.
    let turns = [(item, 1), (item, 2)].into_iter();
    for (one, turn) in turns.chain(variants.iter().map(|one| (one, 1))) {
        case.drifts(undone).observe("undone");
        case.evaluate_as(Purpose::ANEW.nth(turn), Purpose::VALIDATE, one);
    }
    case.drifts(undone).observe("undone");
    case.evaluate(item);
    for one in &variants {
        case.evaluate(one);
        // It stays, and the example comes back.
        case.evaluate_as(Purpose::EVALUATE.turn(2), Purpose::VALIDATE, one);
        let key = Purpose::AFTER.part(&one.info.label);
        case.evaluate_as(key, Purpose::VALIDATE, item);
    }
    Some(case.terminate().build())
}

/// The example with another value of one field. Its paths stay, so that all are in one place.
fn variants(shown: &Shown, setting: &Setting<'_>, item: &Instance) -> Vec<Instance> {
    let kind = shown.kind(&item.kind);
    let mut variants = Vec::new();
    for (key, value) in item.attributes.iter().take(MOST) {
        let key = String::from_utf8_lossy(key).into_owned();
        let is_path = value.words().iter().any(|word| word.contains(&b'/'));
        if is_path || setting.config.subject.executes.contains(&key) {
            continue;
        }
        let field = kind.and_then(|kind| kind.field(&key));
        let other = field.and_then(|field| other_value(field, Some(value)));
        let mut add = |suffix: &str, variation: Variation, words: &str, value: Value| {
            let words = format!("{words} \"{key}\"");
            let mut variant = item.variant(variation, &key, suffix, words);
            variant.set(&key, value);
            variants.push(variant);
        };
        if let Value::Number(number) = value
            && let Ok(number) = number.parse::<i64>()
        {
            // Some numbers mean the least, others the most.
            for (suffix, other) in [(":above", number + 1), (":below", number - 1)] {
                let other = Value::Number(other.to_string());
                add(suffix, Variation::Number, "another", other);
            }
            continue;
        }
        if let Some(other) = other {
            add("", Variation::Far, "another", other);
        }
        if let Value::List(items) = value
            && let Some(first) = items.first()
        {
            let twice = Value::List(items.iter().chain([first]).cloned().collect());
            add(
                ":twice",
                Variation::Doubled,
                "with its first item once more, ",
                twice,
            );
        }
    }
    variants
}
