//! Changes the fields of items.

use super::text;
use crate::dice::Dice;
use crate::input::{Input, InputItem};
use crate::space::Space;
use stickler_transcript::{Bytes, Value};

pub(super) fn mutate(space: &Space<'_>, dice: &mut Dice, input: &mut Input, other: Option<&Input>) {
    let others: Vec<Value> = input
        .asks()
        .chain(other.into_iter().flat_map(Input::asks))
        .flat_map(|ask| ask.item.values().cloned())
        .collect();
    let count = input.asks().count();
    let at = dice.below(count);
    // Several messages about one item stay about one item, most of the time.
    let together = !dice.one_in(3);
    let Some(chosen) = input.asks().nth(at).map(|ask| ask.item.clone()) else {
        return;
    };
    let mut item = chosen.clone();
    match other.filter(|_| dice.one_in(8)) {
        Some(other) => cross(dice, &mut item, other),
        None => change(space, dice, &mut item, &others),
    }
    for (number, ask) in input.asks_mut().enumerate() {
        if number == at || together && ask.item == chosen {
            ask.item = item.clone();
        }
    }
}

/// Takes values of fields with the same names from an item that showed something new: together they may show more.
fn cross(dice: &mut Dice, item: &mut InputItem, other: &Input) {
    let asks: Vec<&InputItem> = other.asks().map(|ask| &ask.item).collect();
    let Some(from) = dice
        .pick(&asks)
        .copied()
        .filter(|from| from.kind == item.kind)
    else {
        return;
    };
    for (name, value) in &mut item.attributes {
        let same = from.attributes.iter().find(|(known, _)| known == name);
        if let Some((_, theirs)) = same.filter(|_| dice.one_in(2)) {
            value.clone_from(theirs);
        }
    }
    for (name, value) in &from.attributes {
        let is_there = item.attributes.iter().any(|(known, _)| known == name);
        if !is_there && dice.one_in(2) {
            item.attributes.push((name.clone(), value.clone()));
        }
    }
}

fn change(space: &Space<'_>, dice: &mut Dice, item: &mut InputItem, others: &[Value]) {
    let attributes = item.attributes.len();
    match dice.below(16) {
        0 if attributes > 0 => {
            item.attributes.remove(dice.below(attributes));
        }
        1 => {
            let name = space.dictionary.name(dice);
            let name = name.map_or_else(|| Bytes::from("stickler"), |name| name[..].into());
            let value = fresh(space, dice, others);
            let known = item.attributes.iter_mut().find(|(known, _)| *known == name);
            match known {
                Some((_, old)) => *old = value,
                None => item.attributes.push((name, value)),
            }
        }
        2 if attributes > 1 => {
            let (a, b) = (dice.below(attributes), dice.below(attributes));
            let value = item.attributes[a].1.clone();
            item.attributes[b].1 = value;
        }
        3 if attributes > 1 => {
            let (a, b) = (dice.below(attributes), dice.below(attributes));
            item.attributes.swap(a, b);
        }
        4 => {
            // The author's own value again: not everything must be odd at once.
            if let Some((_, base)) = space.base(&item.example) {
                let fields: Vec<_> = base.fields().cloned().collect();
                if let Some((name, value)) = dice.pick(&fields)
                    && let Some(own) = item.fields_mut().find(|(known, _)| known == name)
                {
                    own.1 = value.clone();
                }
            }
        }
        _ => {
            let fields = item.identity.len() + attributes;
            let at = dice.below(fields);
            if let Some((_, value)) = item.fields_mut().nth(at) {
                vary(space, dice, value, others);
            }
        }
    }
}

/// A value that has nothing to do with the old one.
fn fresh(space: &Space<'_>, dice: &mut Dice, others: &[Value]) -> Value {
    match dice.below(if space.any_value { 12 } else { 8 }) {
        0..=5 => Value::Text(space.dictionary.word(dice)),
        6 => dice.pick(others).cloned().unwrap_or(Value::Null),
        7 => Value::Text(text::generated(dice)),
        8 => Value::List((0..dice.below(4)).map(|_| small(space, dice)).collect()),
        9 => Value::Object(
            (0..dice.below(4))
                .map(|_| {
                    let name = dice.pick(&space.dictionary.names);
                    let name = name.cloned().unwrap_or_else(|| b"x".to_vec());
                    (name, small(space, dice))
                })
                .collect(),
        ),
        10 => Value::Number(
            ["0", "1", "-1", "1.5", "1e400", "9007199254740993"][dice.below(6)].into(),
        ),
        _ => match dice.below(3) {
            0 => Value::Bool(true),
            1 => Value::Bool(false),
            _ => Value::Null,
        },
    }
}

/// A part of a list or an object.
fn small(space: &Space<'_>, dice: &mut Dice) -> Value {
    match dice.below(8) {
        0 => Value::Number(dice.below(100).to_string()),
        1 => Value::Bool(true),
        2 => Value::List(Vec::new()),
        _ => Value::Text(space.dictionary.word(dice)),
    }
}

fn vary(space: &Space<'_>, dice: &mut Dice, value: &mut Value, others: &[Value]) {
    if dice.one_in(3) {
        *value = fresh(space, dice, others);
        return;
    }
    match value {
        Value::Text(old) => text::vary(dice, old, &space.dictionary),
        Value::List(items) => match dice.below(4) {
            0 => items.push(small(space, dice)),
            1 if !items.is_empty() => {
                items.remove(dice.below(items.len()));
            }
            2 if !items.is_empty() => {
                let again = items[dice.below(items.len())].clone();
                items.push(again);
            }
            _ => {
                let at = dice.below(items.len());
                if let Some(item) = items.get_mut(at) {
                    vary(space, dice, item, others);
                }
            }
        },
        Value::Object(members) => match dice.below(4) {
            0 => {
                let name = space.dictionary.word(dice);
                members.push((name, small(space, dice)));
            }
            1 if !members.is_empty() => {
                members.remove(dice.below(members.len()));
            }
            2 if !members.is_empty() => {
                let at = dice.below(members.len());
                text::vary(dice, &mut members[at].0, &space.dictionary);
            }
            _ => {
                let at = dice.below(members.len());
                if let Some((_, member)) = members.get_mut(at) {
                    vary(space, dice, member, others);
                }
            }
        },
        _ => *value = fresh(space, dice, others),
    }
}
