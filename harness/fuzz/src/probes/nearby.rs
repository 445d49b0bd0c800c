//! The author's items with values near the author's: in one field, in two at once, and after the item itself.

use super::made::{ask, each_left_out, looked_at};
use crate::input::{Input, InputItem};
use crate::near::{Way, near_value};
use crate::space::Space;
use crate::turns::by_turns;
use std::rc::Rc;
use stickler_transcript::{Bytes, Value};

/// So many values of a field are the most telling ones: of two fields, these meet first.
const TELLING: usize = 4;
/// The families of ways in which values that are not near the author's are changed: those that types, sources and other
/// examples name, and those of other fields.
const NAMED: usize = usize::MAX;
const ALIKE: usize = usize::MAX - 1;

/// A field of one of the author's items, and other values for it.
pub(super) struct Nearby {
    item: usize,
    name: Bytes,
    values: Vec<(Way, Value)>,
}

/// The fields of all items, each value once: other examples may have the same. A field that an item has not has the
/// values that types and other examples give it.
pub(super) fn all(space: &Space<'_>) -> Vec<Nearby> {
    let mut known: Vec<(&str, &Bytes, Option<&Value>)> = Vec::new();
    let mut all = Vec::new();
    for (item, own) in space.items.iter().enumerate() {
        let named = space.others(item);
        let mut names: Vec<&Bytes> = own.fields().map(|(name, _)| name).collect();
        for (name, _) in &named {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        for name in names {
            let value = own.fields().find(|(known, _)| known == name);
            let value = value.map(|(_, value)| value);
            let field = (&own.kind[..], name, value);
            // A field that is in no item is tried in the first one.
            let is_new = match value {
                Some(_) => !known.contains(&field),
                None => known
                    .iter()
                    .all(|(kind, own, _)| (*kind, *own) != (field.0, name)),
            };
            if !is_new {
                continue;
            }
            let named = named.iter().filter(|(known, _)| known == name);
            let named = named.map(|(_, value)| value.clone());
            let text = value.and_then(Value::as_text);
            let siblings = text.map(|text| space.dictionary.siblings(text));
            let siblings = siblings.into_iter().flatten().map(Value::text);
            let mut values: Vec<(Way, Value)> = siblings
                .chain(named)
                .enumerate()
                .map(|(at, value)| ((NAMED, at), value))
                .collect();
            match value {
                Some(value) => {
                    values.extend(near_value(value));
                    values.extend(alike(own, name, value));
                }
                None => {
                    let first = values.first().map(|(_, value)| near_value(value));
                    values.extend(first.into_iter().flatten());
                }
            }
            let mut distinct: Vec<(Way, Value)> = Vec::new();
            for (way, one) in values {
                if Some(&one) != value && distinct.iter().all(|(_, known)| *known != one) {
                    distinct.push((way, one));
                }
            }
            all.push(Nearby {
                item,
                name: name.clone(),
                values: distinct,
            });
        }
        // Only now: one field of the item does not hide another one.
        known.extend(
            own.fields()
                .map(|(name, value)| (&own.kind[..], name, Some(value))),
        );
    }
    all
}

/// The values of other fields that are of the same type, and objects with a member of the same name.
fn alike(item: &InputItem, name: &Bytes, value: &Value) -> Vec<(Way, Value)> {
    let is_alike = |(other, one): &&(Bytes, Value)| {
        let is_same = std::mem::discriminant(one) == std::mem::discriminant(value);
        other != name && is_same && !matches!(value, Value::Bool(_))
    };
    let others = item.attributes.iter().filter(is_alike);
    let values = others.map(|(_, other)| match (value, other) {
        (Value::Object(own), Value::Object(others)) => {
            let new = others
                .iter()
                .filter(|(name, _)| own.iter().all(|(known, _)| known != name));
            Value::Object(own.iter().chain(new).cloned().collect())
        }
        (_, other) => other.clone(),
    });
    let values = values.enumerate();
    values.map(|(at, value)| ((ALIKE, at), value)).collect()
}

/// An item with another value in a field.
fn altered(item: &InputItem, values: impl IntoIterator<Item = (Bytes, Value)>) -> InputItem {
    let mut item = item.clone();
    for (name, value) in values {
        item.set(name, value);
    }
    item
}

/// Each value near that of the author in each field.
pub(super) fn neighbours<'s>(
    space: &'s Space<'_>,
    nearby: Rc<[Nearby]>,
) -> impl Iterator<Item = Input> + 's {
    let fields = nearby.iter().enumerate();
    let fields = fields.map(|(field, own)| (0..own.values.len()).map(move |at| (field, at)));
    by_turns(fields.collect()).map(move |(field, at)| {
        let own = &nearby[field];
        let value = (own.name.clone(), own.values[at].1.clone());
        // What is refused must be so again.
        let ask = ask(altered(&space.items[own.item], [value]));
        Input {
            steps: vec![ask.clone(), ask],
            ..Input::default()
        }
    })
}

/// Two of them at once: first the most telling ones, and the same change in both, then any. There may be many, so none is
/// made before its turn.
pub(super) fn two_neighbours<'s>(
    space: &'s Space<'_>,
    nearby: Rc<[Nearby]>,
) -> impl Iterator<Item = Input> + 's {
    let (mut telling, mut alike, mut pairs) = (Vec::new(), Vec::new(), Vec::new());
    for (one, first) in nearby.iter().enumerate() {
        for (two, second) in nearby.iter().enumerate().skip(one + 1) {
            if first.item != second.item {
                continue;
            }
            let same = first.values.iter().enumerate();
            let same = same.filter_map(|(at, (way, _))| {
                let mut others = second.values.iter();
                let other = others.position(|(other, _)| other == way)?;
                Some([(one, at), (two, other)])
            });
            alike.push(same.collect::<Vec<_>>().into_iter());
            let counts = [first, second].map(|own| own.values.len());
            let [firsts, seconds] = counts.map(|count| count.min(TELLING));
            let first = (0..firsts).flat_map(move |at| (0..seconds).map(move |other| (at, other)));
            telling.push(first.map(move |(at, other)| [(one, at), (two, other)]));
            // By turns, so that no value waits for all pairs of another one.
            let [firsts, seconds] = counts;
            let each =
                (0..firsts).map(|at| (0..seconds).map(move |other| [(one, at), (two, other)]));
            pairs.push(by_turns(each.collect()));
        }
    }
    type Pairs = Box<dyn Iterator<Item = [(usize, usize); 2]>>;
    let first: Vec<Pairs> = vec![Box::new(by_turns(telling)), Box::new(by_turns(alike))];
    by_turns(first).chain(by_turns(pairs)).map(move |both| {
        let item = &space.items[nearby[both[0].0].item];
        let values = both.map(|(field, at)| {
            let own = &nearby[field];
            (own.name.clone(), own.values[at].1.clone())
        });
        looked_at(space, altered(item, values))
    })
}

/// After an item, another one of the same identity, twice, and then the item once more: with a value near the author's,
/// without an attribute, with those of another example.
pub(super) fn after_another<'s>(
    space: &'s Space<'_>,
    nearby: Rc<[Nearby]>,
) -> impl Iterator<Item = Input> + 's {
    let then = |first: &InputItem, item: InputItem| {
        let mut input = looked_at(space, item);
        input.steps.insert(0, ask(first.clone()));
        input.steps.push(ask(first.clone()));
        input
    };
    let others = move |number: usize| {
        let first = &space.items[number];
        let others = space.items.iter().enumerate();
        let others =
            others.filter(move |(other, item)| *other != number && item.kind == first.kind);
        others.flat_map(move |(_, other)| {
            let mut whole = other.clone();
            whole.identity.clone_from(&first.identity);
            let mut all = vec![whole.clone()];
            for at in 0..other.attributes.len() {
                // One of its attributes alone, and all but one.
                let mut added = first.clone();
                let (name, _) = &other.attributes[at];
                added.attributes.retain(|(known, _)| known != name);
                added.attributes.push(other.attributes[at].clone());
                let mut fewer = whole.clone();
                fewer.attributes.remove(at);
                all.extend([added, fewer]);
            }
            all.into_iter().map(move |item| then(first, item))
        })
    };
    let without = move |number: usize| {
        let first = &space.items[number];
        each_left_out(first).map(move |item| then(first, item))
    };
    let near = move |number: usize| {
        let identity = &space.items[number].identity;
        let is_attribute = |own: &&Nearby| {
            own.item == number && identity.iter().all(|(name, _)| *name != own.name)
        };
        let values = nearby.iter().filter(is_attribute).map(|own| {
            let name = own.name.clone();
            let values = own.values.clone().into_iter();
            values.map(move |(_, value)| (name.clone(), value))
        });
        by_turns(values.collect()).map(move |value| {
            let first = &space.items[number];
            then(first, altered(first, [value]))
        })
    };
    let numbers = 0..space.items.len();
    let each: Vec<Box<dyn Iterator<Item = Input> + 's>> = numbers
        .flat_map(|number| {
            let all: [Box<dyn Iterator<Item = Input> + 's>; 3] = [
                Box::new(near(number)),
                Box::new(others(number)),
                Box::new(without(number)),
            ];
            all
        })
        .collect();
    by_turns(each)
}
