//! Two resources one after the other, in both orders.

use crate::plans::together::twins;
use crate::resource;
use crate::shown::Shown;
use puppet_types::Definition;
use stickler_suite::plans::subjects;
use stickler_suite::{Effort, Instance, Setting};
use stickler_transcript::{Case, Purpose, Value};

pub(super) fn cases(shown: &Shown, setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let items = subjects(setting, effort).into_iter();
    let items = items.filter(|item| shown.creates(&item.info.label));
    let mut cases = Vec::new();
    for item in items {
        let Some(definition) = shown.definition(&item.kind) else {
            continue;
        };
        for (number, twin) in twins(shown, &item).enumerate() {
            let other = with_other_values(&definition, twin);
            let id = |id: &str| match number {
                0 => id.to_owned(),
                more => format!("{id}-{more}"),
            };
            cases.push(case(setting, &id("order"), &item, &other));
            cases.push(case(setting, &id("order-reversed"), &other, &item));
        }
    }
    cases
}

fn case(setting: &Setting<'_>, id: &str, first: &Instance, second: &Instance) -> Case {
    let mut case = setting.case(format!("{id}/{}+{}", first.info.label, second.info.label));
    case.setup(first)
        .set_up_once(second)
        .observing()
        .open()
        .provide(second);
    // The second one leaves the first as it is.
    case.evaluate(first).evaluate(second).evaluate_as(
        Purpose::EVALUATE.turn(2),
        Purpose::VALIDATE,
        first,
    );
    case.terminate().build()
}

/// The resource with other texts and numbers, where its type admits them. If one names a path, all stay as
/// they are: the two resources may want something of one file, and other files may be missing.
fn with_other_values(definition: &Definition, item: Instance) -> Instance {
    let mut item = item;
    let is_path = |value: &Value| value.as_text().is_some_and(|text| text.contains(&b'/'));
    if item.attributes.iter().any(|(_, value)| is_path(value)) {
        return item;
    }
    for at in 0..item.attributes.len() {
        let other = match &item.attributes[at].1 {
            Value::Text(text) => Value::Text([text, &b"2"[..]].concat()),
            Value::Number(number) => match number.parse::<u32>() {
                Ok(number) => Value::Number(number.saturating_add(1).to_string()),
                Err(_) => continue,
            },
            _ => continue,
        };
        let own = std::mem::replace(&mut item.attributes[at].1, other);
        if !resource::is_admitted(definition, &item, &resource::target(definition, &item)) {
            item.attributes[at].1 = own;
        }
    }
    item
}
