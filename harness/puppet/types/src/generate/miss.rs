//! Values that are almost of a type. They may be of it by chance: the caller checks.

use super::{anything, make as valid, text};
use crate::dice::Dice;
use crate::types::{Member, Range, Text, Type};
use crate::value::Value;
use num_bigint::BigInt;
use num_traits::ToPrimitive as _;

pub(super) fn make(of: &Type, dice: &mut Dice, depth: usize) -> Option<Value> {
    // Some misses are the same for all types.
    if depth > 4 || dice.one_in(4) {
        return Some(foreign(of, dice));
    }
    match of {
        Type::Integer(range) => Some(match dice.below(4) {
            0 => Value::String(beyond(range, dice).to_string()),
            1 => Value::Float(beyond(range, dice).to_f64().unwrap_or(0.0)),
            2 => Value::String(format!("{} ", beyond(range, dice))),
            _ => Value::Integer(beyond(range, dice)),
        }),
        Type::Float(range) => Some(match dice.below(5) {
            0 => Value::Float(range.to + 0.5),
            1 => Value::Float(range.from - 0.5),
            2 => Value::Float(f64::NAN),
            3 => Value::integer(1),
            _ => Value::string("1.5"),
        }),
        Type::Numeric => Some(match dice.below(3) {
            0 => Value::string("1"),
            1 => Value::Float(f64::NAN),
            _ => Value::Bool(true),
        }),
        Type::Boolean(value) => {
            let wrong = value.is_none_or(|value| !value);
            Some(match dice.below(4) {
                0 => Value::string(wrong.to_string()),
                1 => Value::symbol(wrong.to_string()),
                2 => Value::integer(1),
                _ => Value::Bool(wrong),
            })
        }
        Type::String(Text::Size(range)) => {
            let from = range.from.as_ref().and_then(BigInt::to_usize);
            let to = range.to.as_ref().and_then(BigInt::to_usize);
            let wrong = match (from.filter(|from| *from > 0), to) {
                (Some(from), _) if dice.one_in(2) => from - 1,
                (_, Some(to)) if to < 100_000 => to + 1,
                (Some(from), _) => from - 1,
                _ => return Some(foreign(of, dice)),
            };
            Some(Value::String(text::of_length(wrong, dice)))
        }
        Type::Enum { values, .. } => {
            let text = dice.pick(values).cloned().unwrap_or_default();
            Some(match dice.below(6) {
                0 => Value::String(text.to_uppercase()),
                1 => Value::String(format!("{text} ")),
                2 => Value::String(text.chars().skip(1).collect()),
                3 => Value::String(format!("{text}s")),
                4 => Value::Symbol(text),
                _ => Value::String(text::any(dice)),
            })
        }
        Type::Pattern(_) => {
            let Some(Value::String(mut text)) = valid(of, dice, depth) else {
                return Some(Value::String(text::any(dice)));
            };
            match dice.below(6) {
                0 => text.push('\n'),
                1 => text.insert(0, ' '),
                2 => {
                    text.pop();
                }
                3 => text = text.to_uppercase(),
                4 => text = text.chars().skip(1).collect(),
                _ => text = text::any(dice),
            }
            Some(Value::String(text))
        }
        Type::Array { element, size } => {
            let Some(Value::Array(mut items)) = valid(of, dice, depth) else {
                return Some(foreign(of, dice));
            };
            match dice.below(3) {
                0 => resize(&mut items, size.as_ref(), dice),
                1 if !items.is_empty() => {
                    let at = dice.below(items.len());
                    items[at] = make(element, dice, depth + 1)?;
                }
                _ => items.push(make(element, dice, depth + 1)?),
            }
            Some(Value::Array(items))
        }
        Type::Tuple { types, size } => {
            let Some(Value::Array(mut items)) = valid(of, dice, depth) else {
                return Some(foreign(of, dice));
            };
            if dice.one_in(2) || items.is_empty() {
                let exact = Range::exactly(types.len());
                resize(&mut items, Some(size.as_ref().unwrap_or(&exact)), dice);
            } else {
                let at = dice.below(items.len());
                let of = types.get(at).or(types.last())?;
                items[at] = make(of, dice, depth + 1)?;
            }
            Some(Value::Array(items))
        }
        Type::Hash { key, value, .. } => {
            let Some(Value::Hash(mut pairs)) = valid(of, dice, depth) else {
                return Some(foreign(of, dice));
            };
            match dice.below(3) {
                0 => pairs = symbols(pairs),
                1 => pairs.push((
                    make(key, dice, depth + 1)?,
                    valid(value, dice, depth + 1).unwrap_or(Value::Undef),
                )),
                _ => pairs.push((
                    valid(key, dice, depth + 1).unwrap_or(Value::Undef),
                    make(value, dice, depth + 1)?,
                )),
            }
            distinct(pairs)
        }
        Type::Struct(members) => structure(of, members, dice, depth),
        Type::Variant(types) => {
            let one = dice.pick(types)?;
            make(one, dice, depth)
        }
        Type::Optional(Some(inner)) | Type::NotUndef(Some(inner)) => make(inner, dice, depth),
        Type::Sensitive(inner) => Some(if dice.one_in(2) {
            valid(inner, dice, depth)?
        } else {
            Value::Sensitive(Box::new(make(inner, dice, depth + 1)?))
        }),
        Type::Alias(alias) => make(&alias.target(), dice, depth + 1),
        _ => Some(foreign(of, dice)),
    }
}

/// A value of another class that looks like one of this type.
fn foreign(of: &Type, dice: &mut Dice) -> Value {
    let own = valid(of, dice, 3);
    match (dice.below(8), own) {
        (0, Some(Value::String(text))) => Value::Symbol(text),
        (1, Some(own)) => Value::Array(vec![own]),
        (2, Some(own)) => Value::Sensitive(Box::new(own)),
        (3, Some(own)) => Value::String(own.to_text()),
        (4, _) => Value::Undef,
        (5, _) => Value::Hash(Vec::new()),
        _ => anything(dice, 1),
    }
}

fn beyond(range: &Range, dice: &mut Dice) -> BigInt {
    let below = range.from.as_ref().map(|from| from - 1);
    let above = range.to.as_ref().map(|to| to + 1);
    match (below, above) {
        (Some(below), Some(above)) => {
            if dice.one_in(2) {
                below
            } else {
                above
            }
        }
        (Some(one), None) | (None, Some(one)) => one,
        (None, None) => BigInt::from(dice.below(100)),
    }
}

/// One element more than the most, or less than the least.
fn resize(items: &mut Vec<Value>, size: Option<&Range>, dice: &mut Dice) {
    let from = size.and_then(|size| size.from.as_ref()?.to_usize());
    let to = size.and_then(|size| size.to.as_ref()?.to_usize());
    match (from.filter(|from| *from > 0), to) {
        (_, Some(to)) if to < 1_000 && dice.one_in(2) => {
            let last = items.last().cloned().unwrap_or(Value::Undef);
            items.resize(to + 1, last);
        }
        (Some(from), _) => items.truncate(from - 1),
        _ => {
            items.pop();
        }
    }
}

fn symbols(pairs: Vec<(Value, Value)>) -> Vec<(Value, Value)> {
    let symbol = |key: Value| match key {
        Value::String(text) => Value::Symbol(text),
        other => other,
    };
    pairs
        .into_iter()
        .map(|(key, value)| (symbol(key), value))
        .collect()
}

/// A hash, unless one key occurs twice.
fn distinct(pairs: Vec<(Value, Value)>) -> Option<Value> {
    let twice = pairs.iter().enumerate().any(|(index, (key, _))| {
        let nan = matches!(key, Value::Float(number) if number.is_nan());
        nan || pairs[..index].iter().any(|(known, _)| known == key)
    });
    (!twice).then_some(Value::Hash(pairs))
}

fn structure(of: &Type, members: &[Member], dice: &mut Dice, depth: usize) -> Option<Value> {
    let Some(Value::Hash(mut pairs)) = valid(of, dice, depth) else {
        return Some(foreign(of, dice));
    };
    match dice.below(4) {
        0 => pairs = symbols(pairs),
        1 => pairs.push((Value::string("surplus"), Value::integer(1))),
        2 if !pairs.is_empty() => {
            let at = dice.below(pairs.len());
            pairs.remove(at);
        }
        _ => {
            let member = dice.pick(members)?;
            let wrong = make(&member.value, dice, depth + 1)?;
            pairs.retain(|(key, _)| key.as_str() != Some(member.name.as_str()));
            pairs.push((Value::string(member.name.as_str()), wrong));
        }
    }
    distinct(pairs)
}
