//! Changes the fields of items.

use super::mutation::{Change, Fits, Means, Mutation};
use super::text;
use crate::input::{Input, InputItem};
use crate::near::near_value;
use stickler_transcript::{Bytes, Value};

pub(super) const MUTATIONS: &[Mutation] = &[
    Mutation::new(
        "item/remove",
        "leaves out an attribute",
        31,
        Change::Item(|means, item| {
            let at = means.dice.below(item.attributes.len());
            (at < item.attributes.len()).then(|| item.attributes.remove(at))?;
            Some(())
        }),
    ),
    Mutation::new(
        "item/add",
        "adds an attribute with a word as its value",
        45,
        Change::Item(add),
    ),
    Mutation::new(
        "item/copy",
        "copies the value of an attribute to another one",
        20,
        Change::Item(|means, item| {
            let (from, to) = two(means, item)?;
            item.attributes[to].1 = item.attributes[from].1.clone();
            Some(())
        }),
    ),
    Mutation::new(
        "item/swap",
        "swaps two attributes",
        14,
        Change::Item(|means, item| {
            let (one, other) = two(means, item)?;
            item.attributes.swap(one, other);
            Some(())
        }),
    ),
    Mutation::new(
        "item/own",
        "gives a field the author's own value again: not everything must be odd at once",
        31,
        Change::Item(own),
    ),
    Mutation::new(
        "item/cross",
        "takes values of fields with the same names from another input",
        60,
        Change::Item(cross),
    ),
    Mutation::new(
        "item/another",
        "puts a value of this input or of another one into a field",
        14,
        Change::Input(another),
    ),
    Mutation::new(
        "value/word",
        "puts a word of the dictionary in the place of a value",
        57,
        Change::Value(|means, value| {
            *value = Value::Text(means.word());
            Some(())
        }),
    ),
    Mutation::new(
        "value/made",
        "puts a made-up text in the place of a value",
        7,
        Change::Value(|means, value| {
            *value = Value::Text(text::generated(means.dice));
            Some(())
        }),
    ),
    Mutation::new(
        "value/list",
        "puts a list in the place of a value",
        10,
        Change::Value(|means, value| {
            any(means)?;
            let count = means.dice.below(4);
            *value = Value::List((0..count).map(|_| small(means)).collect());
            Some(())
        }),
    ),
    Mutation::new(
        "value/object",
        "puts an object in the place of a value",
        10,
        Change::Value(|means, value| {
            any(means)?;
            let count = means.dice.below(4);
            let member = |_| {
                let name = means.dice.pick(&means.space.dictionary.names);
                let name = name.cloned().unwrap_or_else(|| b"x".to_vec());
                (name, small(means))
            };
            *value = Value::Object((0..count).map(member).collect());
            Some(())
        }),
    ),
    Mutation::new(
        "value/number",
        "puts a number in the place of a value",
        10,
        Change::Value(|means, value| {
            any(means)?;
            let numbers = ["0", "1", "-1", "1.5", "1e400", "9007199254740993"];
            *value = Value::Number(numbers[means.dice.below(numbers.len())].into());
            Some(())
        }),
    ),
    Mutation::new(
        "value/near",
        "puts a value of the same type near a value in its place",
        30,
        Change::Value(|means, value| {
            let near = near_value(value);
            let (_, near) = means.dice.pick(&near)?;
            value.clone_from(near);
            Some(())
        }),
    ),
    Mutation::new(
        "value/literal",
        "puts true, false or null in the place of a value",
        10,
        Change::Value(|means, value| {
            any(means)?;
            *value = match means.dice.below(3) {
                0 => Value::Bool(true),
                1 => Value::Bool(false),
                _ => Value::Null,
            };
            Some(())
        }),
    ),
    Mutation::new(
        "list/add",
        "adds an element to a list",
        7,
        Change::List(|means, items| {
            items.push(small(means));
            Some(())
        }),
    ),
    Mutation::new(
        "list/remove",
        "leaves out an element of a list",
        7,
        Change::List(|means, items| {
            let at = means.dice.below(items.len());
            (at < items.len()).then(|| items.remove(at))?;
            Some(())
        }),
    ),
    Mutation::new(
        "list/double",
        "repeats an element of a list at its end",
        7,
        Change::List(|means, items| {
            let again = means.dice.pick(items)?.clone();
            items.push(again);
            Some(())
        }),
    ),
    Mutation::new(
        "object/add",
        "adds a member to an object",
        7,
        Change::Object(|means, members| {
            members.push((means.word(), small(means)));
            Some(())
        }),
    ),
    Mutation::new(
        "object/remove",
        "leaves out a member of an object",
        7,
        Change::Object(|means, members| {
            let at = means.dice.below(members.len());
            (at < members.len()).then(|| members.remove(at))?;
            Some(())
        }),
    ),
    Mutation::new(
        "object/rename",
        "gives a member of an object a word of the dictionary as its name",
        7,
        Change::Object(|means, members| {
            let at = means.dice.below(members.len());
            members.get_mut(at)?.0 = means.word();
            Some(())
        }),
    ),
];

/// Changes an item of an input. Several messages about one item stay about one item, most of the time.
pub(super) fn of_one_item(
    means: &mut Means<'_>,
    input: &mut Input,
    change: impl FnOnce(&mut Means<'_>, &mut InputItem) -> Fits,
) -> Fits {
    let at = means.dice.below(input.asks().count());
    let chosen = input.asks().nth(at)?.item.clone();
    let together = !means.dice.one_in(3);
    let mut item = chosen.clone();
    change(means, &mut item)?;
    for (number, ask) in input.asks_mut().enumerate() {
        if number == at || together && ask.item == chosen {
            ask.item = item.clone();
        }
    }
    Some(())
}

/// Changes a value of an item, or one inside of it, that fits.
pub(super) fn of_one_value(
    means: &mut Means<'_>,
    item: &mut InputItem,
    fits: fn(&Value) -> bool,
    change: impl FnOnce(&mut Means<'_>, &mut Value) -> Fits,
) -> Fits {
    let counts = item.values().map(|value| count(value, fits)).enumerate();
    let fields: Vec<(usize, usize)> = counts.filter(|(_, count)| *count > 0).collect();
    let (field, count) = *means.dice.pick(&fields)?;
    let mut at = means.dice.below(count);
    let (_, value) = item.fields_mut().nth(field)?;
    change(means, nth(value, fits, &mut at)?)
}

/// How many values fit, of this one and those inside of it.
fn count(value: &Value, fits: fn(&Value) -> bool) -> usize {
    let inside: usize = match value {
        Value::List(items) => items.iter().map(|item| count(item, fits)).sum(),
        Value::Object(members) => members.iter().map(|(_, item)| count(item, fits)).sum(),
        _ => 0,
    };
    inside + usize::from(fits(value))
}

/// One of them, by its number.
fn nth<'v>(
    value: &'v mut Value,
    fits: fn(&Value) -> bool,
    at: &mut usize,
) -> Option<&'v mut Value> {
    if fits(value) {
        match at.checked_sub(1) {
            Some(rest) => *at = rest,
            None => return Some(value),
        }
    }
    match value {
        Value::List(items) => items.iter_mut().find_map(|item| nth(item, fits, at)),
        Value::Object(members) => {
            let mut items = members.iter_mut().map(|(_, item)| item);
            items.find_map(|item| nth(item, fits, at))
        }
        _ => None,
    }
}

/// Two attributes of an item.
fn two(means: &mut Means<'_>, item: &InputItem) -> Option<(usize, usize)> {
    let attributes = item.attributes.len();
    let one = means.dice.below(attributes);
    // Any other one.
    let further = 1 + means.dice.below(attributes.checked_sub(1)?);
    (attributes > 1).then(|| (one, (one + further) % attributes))
}

/// Can any value be sent?
fn any(means: &Means<'_>) -> Fits {
    means.space.any_value.then_some(())
}

fn add(means: &mut Means<'_>, item: &mut InputItem) -> Fits {
    let name = means.space.dictionary.name(means.dice);
    let name = name.map_or_else(|| Bytes::from("stickler"), |name| name[..].into());
    let value = Value::Text(means.word());
    let known = item.attributes.iter_mut().find(|(known, _)| *known == name);
    match known {
        Some((_, old)) => *old = value,
        None => item.attributes.push((name, value)),
    }
    Some(())
}

fn own(means: &mut Means<'_>, item: &mut InputItem) -> Fits {
    let (_, base) = means.space.base(&item.example)?;
    let fields: Vec<_> = base.fields().collect();
    let (name, value) = means.dice.pick(&fields)?;
    let (_, own) = item.fields_mut().find(|(known, _)| known == name)?;
    *own = value.clone();
    Some(())
}

/// Together, two inputs that showed something new may show more.
fn cross(means: &mut Means<'_>, item: &mut InputItem) -> Fits {
    let asks: Vec<&InputItem> = means.other?.asks().map(|ask| &ask.item).collect();
    let from = means.dice.pick(&asks).copied();
    let from = from.filter(|from| from.kind == item.kind)?;
    for (name, value) in &mut item.attributes {
        let same = from.attributes.iter().find(|(known, _)| known == name);
        if let Some((_, same)) = same
            && means.dice.one_in(2)
        {
            value.clone_from(same);
        }
    }
    for (name, value) in &from.attributes {
        let is_there = item.attributes.iter().any(|(known, _)| known == name);
        if !is_there && means.dice.one_in(2) {
            item.attributes.push((name.clone(), value.clone()));
        }
    }
    Some(())
}

fn another(means: &mut Means<'_>, input: &mut Input) -> Fits {
    let others = means.other.into_iter().flat_map(Input::asks);
    let values = input.asks().chain(others).flat_map(|ask| ask.item.values());
    let values: Vec<&Value> = values.collect();
    let new = (*means.dice.pick(&values)?).clone();
    of_one_item(means, input, |means, item| {
        of_one_value(
            means,
            item,
            |_| true,
            |_, value| {
                *value = new;
                Some(())
            },
        )
    })
}

/// A part of a list or an object.
fn small(means: &mut Means<'_>) -> Value {
    match means.dice.below(8) {
        0 => Value::Number(means.dice.below(100).to_string()),
        1 => Value::Bool(true),
        2 => Value::List(Vec::new()),
        _ => Value::Text(means.word()),
    }
}
