//! A resource gets everything that its type has, and then updates that name one property alone. After each, the same
//! update names all others, too.

use super::beside::most_telling;
use crate::altered::{properties, values};
use crate::shown::Shown;
use puppet_types::{Attribute, Definition, Type};
use stickler_suite::{Effort, Instance, Setting};
use stickler_transcript::{Case, Value as Sent, Variation};

/// So many properties are updated of each type.
const UPDATED: usize = 4;
/// So many properties that no example gives are set before.
const MORE: usize = 3;

pub(super) fn cases(shown: &Shown, setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let items = most_telling(shown, setting, effort).into_iter();
    items
        .filter_map(|(item, definition)| case(setting, &definition, &item))
        .collect()
}

/// A value that a property is to have.
struct Named {
    name: String,
    value: Sent,
}

fn case(setting: &Setting<'_>, definition: &Definition, item: &Instance) -> Option<Case> {
    let is_free = |one: &&Attribute| {
        one.default.is_none()
            && (!definition.is_ensurable() || matches!(one.data_type, Some(Type::Optional(_))))
    };
    let free: Vec<&Attribute> = properties(definition).filter(is_free).collect();
    let plain = |item: &Instance, attribute: &Attribute| {
        let all = values(setting, definition, item, attribute).into_iter();
        let mut plain = all.filter(|one| one.info.variation != Some(Variation::Text));
        plain.find_map(|one| {
            let value = one.value(&attribute.name)?.clone();
            Some(Named {
                name: attribute.name.clone(),
                value,
            })
        })
    };
    let missing = free.iter().filter(|one| item.value(&one.name).is_none());
    let missing = missing.filter_map(|one| plain(item, one));
    let more: Vec<Named> = missing.take(MORE).collect();
    let given = |one: &&&Attribute| {
        item.value(&one.name).is_some() || more.iter().any(|more| more.name == one.name)
    };
    // What only one property has cannot be lost with another.
    if free.iter().filter(given).count() == 0 {
        return None;
    }
    let mut case = setting.case(format!("partial/{}", item.info.label));
    case.setup(item).observing().open().evaluate(item);
    for one in &more {
        case.evaluate(&with(item, "more", [one]));
    }
    let whole = with(item, "whole", &more);
    let all = properties(definition);
    let updated: Vec<Named> = all.filter_map(|one| plain(&whole, one)).collect();
    for one in updated.iter().take(UPDATED) {
        let mut alone = with(item, "alone", [one]);
        for other in free.iter().filter(|other| other.name != one.name) {
            alone.remove(&other.name);
        }
        case.evaluate(&alone);
        // Without what no example gives as well: its values may not suit the provider.
        if !more.is_empty() {
            case.evaluate(&with(item, "named", [one]));
        }
        case.evaluate(&with(&whole, "all", [one]));
    }
    Some(case.terminate().build())
}

/// The item with other values.
fn with<'n>(item: &Instance, how: &str, values: impl IntoIterator<Item = &'n Named>) -> Instance {
    let values: Vec<&Named> = values.into_iter().collect();
    let names: Vec<&str> = values.iter().map(|one| one.name.as_str()).collect();
    let words = match how {
        "alone" => format!("of which only \"{}\" is named", names.join(", ")),
        _ => format!("with another \"{}\"", names.join(", ")),
    };
    let mut with = item.variant(
        Variation::Typed,
        &names.join(","),
        &format!(":{how}"),
        words,
    );
    for one in values {
        with.set(&one.name, one.value.clone());
    }
    with
}
