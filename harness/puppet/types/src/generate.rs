//! Values of a type, and values that almost are.
//!
//! The same dice give the same values. Valid ones are the telling ones: limits, empty and long
//! ones, all characters, big numbers, each member of an enumeration, texts that match a pattern.

mod miss;
mod others;
mod text;

pub use others::{Other, others};

use crate::dice::Dice;
use crate::regex::Pattern;
use crate::types::{FloatRange, Kind, Member, Range, Text, Type};
use crate::value::Value;
use num_bigint::BigInt;
use num_traits::ToPrimitive as _;

/// Collections and texts with more elements than this are not made, unless a type asks for them.
const MANY: usize = 5;
/// Types nested deeper than this get the shortest value.
const DEEP: usize = 6;
/// So many texts are tried for a pattern.
const TRIES: usize = 60;

/// A value of the type. `None` if the type has none, or none is found: a bare `Enum`, a name that
/// stands for nothing, a pattern that looks far around.
pub fn valid(of: &Type, dice: &mut Dice) -> Option<Value> {
    for _ in 0..8 {
        if let Some(value) = make(of, dice, 0)
            && of.matches(&value).is_yes()
        {
            return Some(value);
        }
    }
    None
}

/// A value that is not of the type, but close: beyond a limit, of a neighbouring class, with one
/// wrong element. `None` if everything is of the type, or a miss is not found.
pub fn invalid(of: &Type, dice: &mut Dice) -> Option<Value> {
    for _ in 0..40 {
        if let Some(value) = miss::make(of, dice, 0)
            && of.matches(&value).is_no()
        {
            return Some(value);
        }
    }
    None
}

/// Any value.
pub fn any(dice: &mut Dice) -> Value {
    anything(dice, 0)
}

fn anything(dice: &mut Dice, depth: usize) -> Value {
    let kinds = if depth >= 3 { 9 } else { 12 };
    match dice.below(kinds) {
        0 => Value::Undef,
        1 => Value::Bool(dice.one_in(2)),
        2 => integer(&Range::ALL, dice),
        3 => float(&FloatRange::ALL, dice),
        4 | 5 => Value::String(text::any(dice)),
        6 => {
            const NAMES: [&str; 7] = ["present", "undef", "default", "true", "false", "a b", "a"];
            Value::symbol(*dice.pick(&NAMES).unwrap_or(&"a"))
        }
        7 => Value::Regexp {
            source: "^a".to_owned(),
            options: if dice.one_in(2) { "i" } else { "" }.to_owned(),
        },
        8 => Value::Sensitive(Box::new(anything(dice, depth + 2))),
        9 => Value::Array(
            (0..dice.below(4))
                .map(|_| anything(dice, depth + 1))
                .collect(),
        ),
        10 => hash_of(
            dice.below(4),
            |dice, _| Some((Value::String(text::word(dice)), anything(dice, depth + 1))),
            dice,
        )
        .unwrap_or(Value::Undef),
        _ => hash_of(
            dice.below(4),
            |dice, _| Some((anything(dice, depth + 2), anything(dice, depth + 1))),
            dice,
        )
        .unwrap_or(Value::Undef),
    }
}

/// A hash of so many pairs, without a key twice. Fewer, if the keys do not suffice.
fn hash_of(
    count: usize,
    mut pair: impl FnMut(&mut Dice, usize) -> Option<(Value, Value)>,
    dice: &mut Dice,
) -> Option<Value> {
    let mut pairs: Vec<(Value, Value)> = Vec::new();
    for index in 0..count * 4 {
        if pairs.len() == count {
            break;
        }
        let (key, value) = pair(dice, index)?;
        // A float that is no number is no key that anyone finds again.
        let odd = matches!(&key, Value::Float(number) if number.is_nan());
        if !odd && !pairs.iter().any(|(known, _)| *known == key) {
            pairs.push((key, value));
        }
    }
    Some(Value::Hash(pairs))
}

fn make(of: &Type, dice: &mut Dice, depth: usize) -> Option<Value> {
    Some(match of {
        Type::Any | Type::Unit => anything(dice, depth),
        Type::Undef => Value::Undef,
        Type::Default => Value::symbol("default"),
        Type::NotUndef(inner) => match inner {
            Some(inner) => make(inner, dice, depth)?,
            None => anything(dice, depth),
        },
        Type::Optional(inner) => match inner {
            Some(inner) if !dice.one_in(8) => make(inner, dice, depth).unwrap_or(Value::Undef),
            _ => Value::Undef,
        },
        Type::Scalar if dice.one_in(6) => Value::Regexp {
            source: "a+".to_owned(),
            options: String::new(),
        },
        Type::Scalar | Type::ScalarData => match dice.below(4) {
            0 => Value::Bool(dice.one_in(2)),
            1 => integer(&Range::ALL, dice),
            2 => float(&FloatRange::ALL, dice),
            _ => Value::String(text::any(dice)),
        },
        Type::Numeric if dice.one_in(2) => float(&FloatRange::ALL, dice),
        Type::Numeric => integer(&Range::ALL, dice),
        Type::Integer(range) => integer(range, dice),
        Type::Float(range) => float(range, dice),
        Type::Boolean(value) => Value::Bool(value.unwrap_or_else(|| dice.one_in(2))),
        Type::String(Text::Any) => Value::String(text::any(dice)),
        Type::String(Text::Value(text)) => Value::string(text.as_str()),
        Type::String(Text::Size(range)) => {
            let size = size(Some(range), 64, dice)?;
            Value::String(text::of_length(size, dice))
        }
        Type::Enum {
            values,
            insensitive,
        } => {
            let text = dice.pick(values)?.clone();
            Value::String(if *insensitive && dice.one_in(2) {
                text.to_ascii_uppercase()
            } else {
                text
            })
        }
        Type::Pattern(patterns) if patterns.is_empty() => Value::String(text::any(dice)),
        Type::Pattern(patterns) => {
            let pattern = dice.pick(patterns)?;
            Value::String(matching(pattern, dice)?)
        }
        Type::Regexp(None) => Value::Regexp {
            source: "^a.*$".to_owned(),
            options: String::new(),
        },
        Type::Regexp(Some(pattern)) => Value::Regexp {
            source: pattern.source().to_owned(),
            options: String::new(),
        },
        Type::Collection(range) => {
            let size = size(range.as_ref(), MANY, dice)?;
            if dice.one_in(2) {
                Value::Array((0..size).map(|_| anything(dice, depth + 2)).collect())
            } else {
                let pair = |dice: &mut Dice, index: usize| {
                    Some((
                        Value::String(format!("k{index}")),
                        anything(dice, depth + 2),
                    ))
                };
                hash_of(size, pair, dice)?
            }
        }
        Type::Array {
            element,
            size: range,
        } => {
            let size = length(range.as_ref(), dice, depth)?;
            let items = (0..size).map(|_| make(element, dice, depth + 1));
            match items.collect::<Option<Vec<_>>>() {
                Some(items) => Value::Array(items),
                None => Value::Array(Vec::new()),
            }
        }
        Type::Hash {
            key,
            value,
            size: range,
        } => {
            let size = length(range.as_ref(), dice, depth)?;
            let pair = |dice: &mut Dice, _| {
                Some((make(key, dice, depth + 1)?, make(value, dice, depth + 1)?))
            };
            hash_of(size, pair, dice).unwrap_or(Value::Hash(Vec::new()))
        }
        Type::Struct(members) => structure(members, dice, depth)?,
        Type::Tuple { types, size: range } => {
            let size = match range {
                None if !types.is_empty() => types.len(),
                range => length(range.as_ref(), dice, depth)?,
            };
            let item = |index: usize| types.get(index).or(types.last());
            let items = (0..size).map(|index| match item(index) {
                Some(of) => make(of, dice, depth + 1),
                None => Some(anything(dice, depth + 1)),
            });
            Value::Array(items.collect::<Option<_>>()?)
        }
        Type::Variant(types) => {
            let one = dice.pick(types)?;
            make(one, dice, depth)?
        }
        Type::Alias(alias) if depth >= DEEP => match alias.target() {
            Type::Variant(types) => make(types.first()?, dice, depth)?,
            other => make(&other, dice, depth)?,
        },
        Type::Alias(alias) => make(&alias.target(), dice, depth + 1)?,
        Type::Iterable(None) => match dice.below(3) {
            0 => Value::integer(dice.below(100)),
            1 => Value::String(text::any(dice)),
            _ => Value::Array(vec![anything(dice, depth + 1)]),
        },
        Type::Iterable(Some(inner)) => Value::Array(vec![make(inner, dice, depth + 1)?]),
        Type::Sensitive(inner) => Value::Sensitive(Box::new(make(inner, dice, depth)?)),
        Type::Runtime { class, .. } => match class.as_deref() {
            None | Some("Symbol") => Value::symbol("present"),
            Some(class) => Value::Object {
                class: class.to_owned(),
                text: format!("#<{class}>"),
            },
        },
        Type::Rare(rare) if rare.kind == Kind::Callable => Value::Proc("-:1".to_owned()),
        // Only Ruby can make these.
        Type::Rare(_)
        | Type::Iterator(_)
        | Type::Type(_)
        | Type::CatalogEntry
        | Type::Class(_)
        | Type::Resource { .. }
        | Type::Unknown(_)
        | Type::Reference(_) => return None,
    })
}

fn structure(members: &[Member], dice: &mut Dice, depth: usize) -> Option<Value> {
    let mut pairs: Vec<(Value, Value)> = Vec::new();
    for member in members {
        if pairs
            .iter()
            .any(|(key, _)| key.as_str() == Some(&member.name))
        {
            continue;
        }
        if member.optional && (dice.one_in(3) || depth >= DEEP) {
            continue;
        }
        match make(&member.value, dice, depth + 1) {
            Some(value) => pairs.push((Value::string(member.name.as_str()), value)),
            None if member.optional => {}
            None => return None,
        }
    }
    if dice.one_in(3) {
        pairs.reverse();
    }
    Some(Value::Hash(pairs))
}

/// A text that the pattern matches.
fn matching(pattern: &Pattern, dice: &mut Dice) -> Option<String> {
    let sampler = pattern.sampler()?;
    (0..TRIES)
        .map(|_| sampler.text(dice))
        .find(|text| pattern.is_match(text).unwrap_or(false))
}

/// Fewer elements the deeper a value gets.
fn length(range: Option<&Range>, dice: &mut Dice, depth: usize) -> Option<usize> {
    size(range, if depth >= 2 { 1 } else { MANY }, dice)
}

/// A size in the range: a limit, or not much more than the least one.
fn size(range: Option<&Range>, more: usize, dice: &mut Dice) -> Option<usize> {
    const MOST: usize = 100_000;
    let least = match range.and_then(|range| range.from.as_ref()) {
        Some(from) => from.to_usize().filter(|from| *from <= MOST)?,
        None => 0,
    };
    let most = range
        .and_then(|range| range.to.as_ref())
        .map(|to| to.to_usize().unwrap_or(MOST));
    let most = most.unwrap_or(least + more);
    Some(match dice.below(4) {
        0 => least,
        1 if most <= least + 1_000 => most,
        _ => least + dice.below(most.saturating_sub(least).min(more) + 1),
    })
}

fn integer(range: &Range, dice: &mut Dice) -> Value {
    let one = BigInt::from(1);
    let mut telling: Vec<BigInt> = vec![
        BigInt::from(0),
        one.clone(),
        BigInt::from(-1),
        BigInt::from(42),
        (one.clone() << 31) - 1,
        one.clone() << 31,
        (one.clone() << 63) - 1,
        one.clone() << 63,
        -BigInt::from(1u64 << 63) - 1,
        one.clone() << 64,
        BigInt::from(10).pow(30),
        BigInt::from(dice.roll() % 100_000),
    ];
    for limit in [&range.from, &range.to].into_iter().flatten() {
        telling.extend([limit.clone(), limit + 1, limit - 1, limit.clone()]);
    }
    telling.retain(|number| range.contains(number));
    let found = dice.pick(&telling).cloned();
    Value::Integer(found.or_else(|| range.from.clone()).unwrap_or_default())
}

fn float(range: &FloatRange, dice: &mut Dice) -> Value {
    let mut telling = vec![
        0.0,
        -0.0,
        1.0,
        1.5,
        -2.25,
        1e16,
        1e-5,
        1e300,
        5e-324,
        f64::INFINITY,
        f64::NEG_INFINITY,
        0.1 + 0.2,
    ];
    for limit in [range.from, range.to] {
        telling.extend([limit, limit + 0.5, limit - 0.5]);
    }
    telling.push(range.from / 2.0 + range.to / 2.0);
    telling.retain(|number| range.contains(*number));
    Value::Float(dice.pick(&telling).copied().unwrap_or(range.from))
}
