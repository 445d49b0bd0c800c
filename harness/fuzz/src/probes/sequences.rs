//! Sequences of messages: each short one of what an agent may ask about two items, and crowds of items.

use crate::input::{Ask, Input, InputItem, InputStep, Verb};
use crate::mutate::last_part;
use crate::space::Space;
use stickler_transcript::Value;

/// How often the same is asked, and how many items come between two messages about one: around the sizes of tables.
const COUNTS: [usize; 12] = [3, 2, 4, 5, 8, 9, 16, 17, 10, 33, 65, 100];

fn step(verb: Verb, item: &InputItem) -> InputStep {
    InputStep::Ask(Ask::plain(verb, item.clone()))
}

fn input(steps: Vec<InputStep>) -> Input {
    Input {
        steps,
        ..Input::default()
    }
}

/// An item like another one, with its own name.
fn named(item: &InputItem, number: usize) -> InputItem {
    let mut item = item.clone();
    let mut names = item.identity.iter_mut().map(|(_, value)| value).rev();
    if let Some(Value::Text(name)) = names.find(|value| value.as_text().is_some()) {
        name.extend(format!("-{number}").into_bytes());
    }
    item
}

/// An item in a folder that is not there. `None` if it is no path.
fn nowhere(item: &InputItem) -> Option<InputItem> {
    let mut item = item.clone();
    let mut names = item.identity.iter_mut().map(|(_, value)| value);
    let path = names.find_map(|value| match value {
        Value::Text(path) if path.starts_with(b"/") => Some(path),
        _ => None,
    })?;
    let name = path.split_off(last_part(path));
    *path = [&path[..], b"stickler-nowhere/", &name].concat();
    Some(item)
}

/// What an agent may ask about an item and others: the item, the same one with other values, another one, one that is
/// refused, and one that cannot be brought about.
fn alphabet(space: &Space<'_>, number: usize) -> Vec<InputStep> {
    let item = &space.items[number];
    let mut others = space.items.iter().enumerate();
    let other = others.find(|(other, one)| *other != number && one.kind == item.kind);
    let mut changed = match other {
        Some((_, other)) => other.clone(),
        None => item.clone(),
    };
    changed.identity.clone_from(&item.identity);
    // What is left of it would be seen.
    let mut refused = changed.clone();
    refused.set("stickler".into(), Value::text("x"));
    let mut all = vec![
        step(Verb::Evaluate, item),
        step(Verb::Validate, item),
        step(Verb::Evaluate, &named(item, 1)),
        step(Verb::Later, item),
        step(Verb::Validate, &refused),
    ];
    all.extend(nowhere(item).map(|item| step(Verb::Evaluate, &item)));
    let invalid = space.invalid.first().into_iter();
    all.extend(invalid.map(|item| step(Verb::Validate, item)));
    if space.setting.knowledge.dry {
        all.insert(2, step(Verb::Look, item));
    }
    if changed != *item {
        all.insert(2, step(Verb::Evaluate, &changed));
        if space.setting.knowledge.dry {
            all.insert(3, step(Verb::Look, &changed));
        }
    }
    all
}

/// Each sequence of up to three of these, and the item once more.
pub(super) fn short<'s>(space: &'s Space<'_>) -> impl Iterator<Item = Input> + 's {
    let numbers = 0..space.items.len().min(2);
    let alphabets: Vec<Vec<InputStep>> = numbers.map(|number| alphabet(space, number)).collect();
    (2..=3_u32).flat_map(move |length| {
        let each = alphabets.iter().flat_map(move |alphabet| {
            let count = alphabet.len().pow(length);
            (0..count).map(move |mut number| {
                let mut steps = Vec::new();
                for _ in 0..length {
                    steps.push(alphabet[number % alphabet.len()].clone());
                    number /= alphabet.len();
                }
                // Whatever came before, this must work.
                steps.push(alphabet[0].clone());
                input(steps)
            })
        });
        each.collect::<Vec<_>>()
    })
}

/// Many messages about one item, and about many items before the first comes again.
pub(super) fn crowds<'s>(space: &'s Space<'_>) -> impl Iterator<Item = Input> + 's {
    COUNTS.into_iter().flat_map(move |count| {
        space.items.iter().flat_map(move |item| {
            let (ask, again) = (Verb::Evaluate, Verb::Later);
            let others = |verb| (1..=count).map(move |number| step(verb, &named(item, number)));
            let around = |verb, other, last| {
                let first = [step(verb, item)].into_iter();
                input(
                    first
                        .chain(others(other))
                        .chain([step(last, item)])
                        .collect(),
                )
            };
            let same = |verb| {
                let same = std::iter::repeat_n(step(verb, item), count);
                input(same.chain([step(ask, item)]).collect())
            };
            let mut all = vec![
                around(Verb::Validate, Verb::Validate, again),
                around(ask, ask, ask),
                same(ask),
                same(Verb::Validate),
            ];
            if space.setting.knowledge.dry {
                all.push(same(Verb::Look));
            }
            all
        })
    })
}
