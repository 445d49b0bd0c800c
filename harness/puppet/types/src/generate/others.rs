//! Other values than a given one, of the same type: those in which programs often err.

use super::{DEEP, valid};
use crate::dice::Dice;
use crate::types::{Range, Text, Type};
use crate::value::Value;
use num_bigint::BigInt;

/// So many values of a pattern are made up.
const SAMPLES: usize = 2;
/// So many elements are added to a collection at once.
const MANY: usize = 4;
/// Made-up texts are not longer than this.
const LONGEST: usize = 60;

/// A value other than the given one.
#[derive(Clone, Debug, PartialEq)]
pub struct Other {
    /// The value.
    pub value: Value,
    /// Is it a text with spaces at its ends, or several in a row?
    pub is_spaced: bool,
}

/// Values of the type that are not the current one: empty, one element more or less, in another
/// order, at a limit, each word of an enumeration, in upper case, with more spaces. The most telling
/// ones come first. Those that are made up have only plain characters.
pub fn others(of: &Type, current: Option<&Value>, dice: &mut Dice) -> Vec<Other> {
    let mut found: Vec<Other> = Vec::new();
    for other in propose(of, current, dice, 0) {
        let is_known = found.iter().any(|known| known.value == other.value);
        if current != Some(&other.value) && !is_known && of.matches(&other.value).is_yes() {
            found.push(other);
        }
    }
    found
}

fn plain(value: Value) -> Other {
    Other {
        value,
        is_spaced: false,
    }
}

/// Candidates, which need not be of the type.
fn propose(of: &Type, current: Option<&Value>, dice: &mut Dice, depth: usize) -> Vec<Other> {
    if depth > DEEP {
        return Vec::new();
    }
    match of {
        Type::Optional(Some(inner)) | Type::NotUndef(Some(inner)) => {
            propose(inner, current, dice, depth + 1)
        }
        Type::Alias(alias) => propose(&alias.target(), current, dice, depth + 1),
        Type::Variant(types) => {
            // What is like the current value comes first.
            let fits = |one: &&Type| current.is_some_and(|value| one.matches(value).is_yes());
            let (near, far): (Vec<_>, Vec<_>) = types.iter().partition(fits);
            let near = near.into_iter().map(|one| (one, current));
            let all = near.chain(far.into_iter().map(|one| (one, None)));
            all.flat_map(|(one, current)| propose(one, current, dice, depth + 1))
                .collect()
        }
        Type::Boolean(_) => [false, true].map(Value::Bool).map(plain).into(),
        Type::Enum { values, .. } => values.iter().map(Value::string).map(plain).collect(),
        Type::Integer(range) => integers(range, current),
        Type::Float(range) => {
            let own = match current {
                Some(Value::Float(own)) => *own,
                _ => 1.0,
            };
            let limits = [range.from, range.to]
                .into_iter()
                .filter(|one| one.is_finite());
            // The last one has more decimals than money.
            let near = [own + 0.5, own + 0.12345];
            let all = [0.0].into_iter().chain(limits).chain(near);
            all.map(Value::Float).map(plain).collect()
        }
        Type::Numeric | Type::Scalar | Type::ScalarData | Type::Any => match current {
            Some(Value::Integer(_)) => integers(&Range::ALL, current),
            Some(Value::Bool(_)) => propose(&Type::Boolean(None), current, dice, depth + 1),
            Some(Value::String(_)) => texts(of, current, dice),
            _ => Vec::new(),
        },
        Type::String(_) | Type::Pattern(_) => texts(of, current, dice),
        Type::Array { element, .. } => arrays(element, current, dice, depth),
        Type::Tuple { types, .. } => {
            let own = current.and_then(Value::as_array).unwrap_or_default();
            let each = types.iter().zip(own).enumerate();
            let each = each.flat_map(|(at, (of, one))| {
                let others = propose(of, Some(one), dice, depth + 1).into_iter().take(2);
                others
                    .map(|other| replaced(own, at, other))
                    .collect::<Vec<_>>()
            });
            each.collect()
        }
        Type::Hash { key, value, .. } => hashes(key, value, current, dice, depth),
        Type::Struct(members) => {
            let own = current.and_then(Value::as_hash).unwrap_or_default();
            let mut found = Vec::new();
            for member in members {
                let at = own
                    .iter()
                    .position(|(key, _)| key.as_str() == Some(&member.name));
                let is = at.map(|at| &own[at].1);
                if let (Some(at), true) = (at, member.optional) {
                    found.push(plain(Value::Hash(without(own, at))));
                }
                let others = propose(&member.value, is, dice, depth + 1).into_iter();
                let others = others.filter(|other| member.value.matches(&other.value).is_yes());
                for other in others.take(2) {
                    let mut pairs = own.to_vec();
                    match at {
                        Some(at) => pairs[at].1 = other.value,
                        None => pairs.push((Value::string(&member.name), other.value)),
                    }
                    found.push(Other {
                        value: Value::Hash(pairs),
                        ..other
                    });
                }
            }
            found
        }
        _ => Vec::new(),
    }
}

fn integers(range: &Range, current: Option<&Value>) -> Vec<Other> {
    let own = match current {
        Some(Value::Integer(own)) => own.clone(),
        _ => range.from.clone().unwrap_or_default(),
    };
    let limits = [&range.from, &range.to].into_iter().flatten().cloned();
    let one = BigInt::from(1);
    let all = [BigInt::from(0)].into_iter().chain(limits);
    let all = all.chain([&own + &one, &own - &one]);
    all.map(Value::Integer).map(plain).collect()
}

fn texts(of: &Type, current: Option<&Value>, dice: &mut Dice) -> Vec<Other> {
    let mut all = vec![plain(Value::string(""))];
    let own = match current.and_then(Value::as_str) {
        Some(own) => Some(own.to_owned()),
        None => made_up(of, dice),
    };
    if let Some(own) = own {
        let spaced = |text: String| Other {
            value: Value::string(text),
            is_spaced: true,
        };
        let word = |text: String| plain(Value::string(text));
        if current.is_none() {
            all.push(word(own.clone()));
        }
        all.push(spaced(format!("  {own}  x  ")));
        all.extend([own.to_uppercase(), format!("{own}2")].map(word));
        all.extend([format!("{own}  x"), format!(" {own}"), format!("{own} ")].map(spaced));
        all.push(word(own));
    }
    if let Type::Pattern(_) = of {
        let samples = (0..SAMPLES).filter_map(|_| made_up(of, dice));
        all.extend(samples.map(Value::string).map(plain));
    }
    all
}

/// A text of plain characters.
fn made_up(of: &Type, dice: &mut Dice) -> Option<String> {
    let words = ["stickler".to_owned(), "ab".to_owned()].into_iter();
    let words = words.chain(match of {
        Type::String(Text::Value(text)) => Some(text.clone()),
        Type::String(Text::Size(range)) => {
            let least = range
                .from
                .as_ref()
                .and_then(|from| usize::try_from(from).ok());
            least
                .filter(|least| *least <= LONGEST)
                .map(|least| "a".repeat(least))
        }
        _ => None,
    });
    let fits = |text: &String| of.matches(&Value::string(text)).is_yes();
    let usual = words.into_iter().find(fits);
    usual.or_else(|| {
        let made = (0..20).filter_map(|_| valid(of, dice));
        let texts = made.filter_map(|value| value.as_str().map(str::to_owned));
        let mut texts = texts.filter(|text| is_plain(text));
        texts.next()
    })
}

/// Visible characters of ASCII and single spaces between them.
fn is_plain(text: &str) -> bool {
    let is_usual = |byte: u8| byte == b' ' || byte.is_ascii_graphic();
    !text.is_empty()
        && text.len() <= LONGEST
        && text.bytes().all(is_usual)
        && text.trim() == text
        && !text.contains("  ")
}

fn replaced(own: &[Value], at: usize, other: Other) -> Other {
    let mut items = own.to_vec();
    items[at] = other.value;
    Other {
        value: Value::Array(items),
        ..other
    }
}

fn arrays(element: &Type, current: Option<&Value>, dice: &mut Dice, depth: usize) -> Vec<Other> {
    let own = current.and_then(Value::as_array).unwrap_or_default();
    let mut all = vec![plain(Value::Array(Vec::new()))];
    let others = propose(element, own.first(), dice, depth + 1).into_iter();
    let others = others.filter(|other| element.matches(&other.value).is_yes());
    let (new, known): (Vec<Other>, Vec<Other>) =
        others.partition(|other| !own.contains(&other.value));
    // An empty element, or one with spaces, is less usual than a new word.
    let is_usual = |other: &&Other| !other.is_spaced && other.value != Value::string("");
    if let Some(other) = new.iter().find(is_usual) {
        // Programs may keep a few elements and lose further ones.
        let mut further: Vec<Value> = Vec::new();
        let most = if own.is_empty() { 1 } else { MANY };
        for other in new.iter().filter(is_usual) {
            if further.len() < most && !further.contains(&other.value) {
                further.push(other.value.clone());
            }
        }
        let more = own.iter().cloned().chain(further);
        all.push(plain(Value::Array(more.collect())));
        if let [one] = own {
            let turned = vec![other.value.clone(), one.clone()];
            all.push(plain(Value::Array(turned)));
        }
    }
    // An element is also needed where there is none and the others are not usual.
    if let (true, Some(other)) = (own.is_empty(), known.first().or(new.first())) {
        all.push(Other {
            value: Value::Array(vec![other.value.clone()]),
            ..other.clone()
        });
    }
    if let [first, .., last] = own {
        all.push(plain(Value::Array(own[..own.len() - 1].to_vec())));
        if first != last {
            all.push(plain(Value::Array(own.iter().rev().cloned().collect())));
        }
    }
    if !own.is_empty() {
        let others = new.into_iter().take(2);
        all.extend(others.map(|other| replaced(own, 0, other)));
    }
    all
}

fn hashes(
    key: &Type,
    value: &Type,
    current: Option<&Value>,
    dice: &mut Dice,
    depth: usize,
) -> Vec<Other> {
    let own = current.and_then(Value::as_hash).unwrap_or_default();
    let mut all = vec![plain(Value::Hash(Vec::new()))];
    let mut first_of = |of: &Type, is: Option<&Value>, taken: &dyn Fn(&Value) -> bool| {
        let others = propose(of, is, dice, depth + 1).into_iter();
        let mut others = others.filter(|other| {
            let empty = other.value == Value::string("");
            !other.is_spaced && !empty && !taken(&other.value) && of.matches(&other.value).is_yes()
        });
        others.next().map(|other| other.value)
    };
    let first = own.first();
    let is_taken = |name: &Value| own.iter().any(|(known, _)| known == name);
    // Programs may keep a few pairs and lose further ones.
    let mut further: Vec<Value> = Vec::new();
    while let (true, Some(one)) = (
        further.len() < MANY,
        first_of(key, first.map(|(key, _)| key), &|name| {
            is_taken(name) || further.contains(name)
        }),
    ) {
        further.push(one);
    }
    let new_value = first_of(value, first.map(|(_, value)| value), &|_| false);
    let made = (0..SAMPLES * MANY).filter_map(|_| valid(key, dice));
    for one in made {
        let is_new = !is_taken(&one) && !further.contains(&one);
        if is_new && further.len() < MANY && one.as_str().is_some_and(is_plain) {
            further.push(one);
        }
    }
    if let (Some(value), false) = (&new_value, further.is_empty()) {
        let further = further.into_iter().map(|key| (key, value.clone()));
        let more = own.iter().cloned().chain(further);
        all.push(plain(Value::Hash(more.collect())));
    }
    if let (Some(value), false) = (new_value, own.is_empty()) {
        let mut pairs = own.to_vec();
        pairs[0].1 = value;
        all.push(plain(Value::Hash(pairs)));
    }
    if own.len() > 1 {
        all.push(plain(Value::Hash(without(own, own.len() - 1))));
    }
    all
}

fn without(own: &[(Value, Value)], at: usize) -> Vec<(Value, Value)> {
    let mut pairs = own.to_vec();
    pairs.remove(at);
    pairs
}
