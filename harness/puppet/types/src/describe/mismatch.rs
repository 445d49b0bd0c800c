//! One mismatch: where it is, what it is, and the sentence about it.

use super::detail::{detailed_actual, is_detailed, short_name};
use crate::types::{Range, Text, Type};
use num_traits::Zero as _;
use std::fmt::{self, Display, Formatter};

/// A step on the way to the place of a mismatch.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Element {
    /// What the caller calls the value.
    Subject(String),
    /// The value of a key.
    Entry(String),
    /// A key.
    Key(String),
    /// An element of an array.
    Index(usize),
    /// A member of a variant.
    Variant(usize),
}

impl Display for Element {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Subject(name) => f.write_str(name),
            Self::Entry(key) => write!(f, "entry '{key}'"),
            Self::Key(key) => write!(f, "key of entry '{key}'"),
            Self::Index(index) => write!(f, "index {index}"),
            Self::Variant(index) => write!(f, "variant {index}"),
        }
    }
}

/// What is wrong at a place.
#[derive(Debug, Clone)]
pub(super) enum Fault {
    MissingKey(String),
    ExtraKey(String),
    Unresolved(String),
    Size(Range, Range),
    Type {
        /// Is the expected type one that text has to match?
        pattern: bool,
        expected: Type,
        actual: Type,
    },
}

#[derive(Debug, Clone)]
pub(super) struct Mismatch {
    path: Vec<Element>,
    fault: Fault,
}

impl Mismatch {
    pub(super) fn new(path: &[Element], fault: Fault) -> Self {
        Self {
            path: path.to_vec(),
            fault,
        }
    }

    pub(super) fn expected(
        path: &[Element],
        pattern: bool,
        expected: &Type,
        actual: &Type,
    ) -> Self {
        Self::new(
            path,
            Fault::Type {
                pattern,
                expected: expected.normalize(),
                actual: actual.normalize(),
            },
        )
    }

    fn canonical_path(&self) -> Vec<&Element> {
        let variant = |element: &&Element| !matches!(element, Element::Variant(_));
        self.path.iter().filter(variant).collect()
    }

    pub(super) fn text(&self) -> String {
        let path: Vec<String> = self.path.iter().map(Element::to_string).collect();
        let position = if path.is_empty() {
            String::new()
        } else {
            format!(" {}", path.join(" "))
        };
        match &self.fault {
            Fault::MissingKey(key) => format!("{position} expects a value for key '{key}'"),
            Fault::ExtraKey(key) => format!("{position} unrecognized key '{key}'"),
            Fault::Unresolved(text) => {
                format!("{position} references an unresolved type '{text}'")
            }
            Fault::Size(expected, actual) => format!(
                "{position} expects size to be {}, got {}",
                size_text(expected),
                size_text(actual)
            ),
            Fault::Type {
                pattern: true,
                expected,
                actual,
            } => pattern_text(&position, expected, actual),
            Fault::Type {
                pattern: false,
                expected,
                actual,
            } => type_text(&position, expected, actual),
        }
    }
}

fn size_text(range: &Range) -> String {
    let zero = num_bigint::BigInt::zero();
    let min = range.from.as_ref().unwrap_or(&zero);
    match &range.to {
        Some(max) if max == min => min.to_string(),
        Some(max) if min.is_zero() => format!("at most {max}"),
        Some(max) => format!("between {min} and {max}"),
        None if min.is_zero() => "unlimited".to_owned(),
        None => format!("at least {min}"),
    }
}

fn pattern_text(position: &str, expected: &Type, actual: &Type) -> String {
    let (prefix, expected) = match expected {
        Type::Optional(Some(inner)) => ("an undef value or ", &**inner),
        other => ("", other),
    };
    let actual = match actual {
        Type::String(Text::Value(value)) => format!("'{value}'"),
        other => short_name(other),
    };
    format!("{position} expects {prefix}a match for {expected}, got {actual}")
}

fn type_text(position: &str, expected: &Type, actual: &Type) -> String {
    let (optional, expected) = match expected {
        Type::Optional(Some(inner)) => (true, (**inner).clone()),
        other => (false, other.clone()),
    };
    let is_variant = matches!(expected, Type::Variant(_));
    let all = match expected {
        Type::Variant(types) => types,
        other => vec![other],
    };
    let actual_text;
    let mut names: Vec<String> = Vec::new();
    if is_detailed(&all, actual) {
        actual_text = detailed_actual(&all, actual);
        names.extend(all.iter().map(Type::to_string));
    } else {
        actual_text = short_name(actual);
        for one in &all {
            let name = short_name(one);
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    if !is_variant {
        let name = names.swap_remove(0);
        return if optional {
            format!("{position} expects a value of type Undef or {name}, got {actual_text}")
        } else {
            format!(
                "{position} expects {} {name} value, got {actual_text}",
                article(&name)
            )
        };
    }
    if optional {
        names.insert(0, "Undef".to_owned());
    }
    let joined = match names.as_slice() {
        [one] => {
            return format!(
                "{position} expects {} {one} value, got {actual_text}",
                article(one)
            );
        }
        [one, other] => format!("{one} or {other}"),
        [most @ .., last] => format!("{}, or {last}", most.join(", ")),
        [] => ", or ".to_owned(),
    };
    format!("{position} expects a value of type {joined}, got {actual_text}")
}

fn article(name: &str) -> &'static str {
    let mut letters = name.chars().filter(|one| !matches!(one, '"' | '\''));
    let vowel = |one: char| "aeiouy".contains(one.to_ascii_lowercase());
    if letters.next().is_some_and(vowel) {
        "an"
    } else {
        "a"
    }
}

/// The mismatches of all members of a variant: one sentence, if all are alike and at one place.
pub(super) fn merge(depth: usize, all: &[Vec<Mismatch>]) -> Vec<Mismatch> {
    let flat: Vec<&Mismatch> = all.iter().flatten().collect();
    let sizes = |one: &&Mismatch| matches!(one.fault, Fault::Size(..));
    let types = |one: &&Mismatch| matches!(one.fault, Fault::Type { .. });
    let mut merged = None;
    for kind in [&sizes as &dyn Fn(&&Mismatch) -> bool, &types] {
        let alike: Vec<&Mismatch> = flat.iter().copied().filter(|one| kind(one)).collect();
        if alike.len() != all.len() {
            continue;
        }
        let Some((first, others)) = alike.split_first() else {
            continue;
        };
        let mut whole = (*first).clone();
        let together = others.iter().all(|other| {
            let same = whole.canonical_path() == other.canonical_path();
            if same {
                whole.fault = both(&whole.fault, &other.fault);
            }
            same
        });
        if together {
            merged = Some(whole);
            break;
        }
    }
    let mut found: Vec<Mismatch> = match merged {
        Some(one) => vec![one],
        None => flat.into_iter().cloned().collect(),
    };
    // If there is one sentence, it does not name the member of the variant.
    if let [one] = found.as_mut_slice()
        && depth < one.path.len()
    {
        one.path.remove(depth);
    }
    found
}

fn both(one: &Fault, other: &Fault) -> Fault {
    match (one, other) {
        (Fault::Size(expected, actual), Fault::Size(other, _)) => {
            let zero = num_bigint::BigInt::zero;
            let from = |range: &Range| range.from.clone().unwrap_or_else(zero);
            let to = match (&expected.to, &other.to) {
                (Some(one), Some(other)) => Some(one.max(other).clone()),
                _ => None,
            };
            let range = Range {
                from: Some(from(expected).min(from(other))),
                to,
            };
            Fault::Size(range, actual.clone())
        }
        (
            Fault::Type {
                pattern,
                expected,
                actual,
            },
            Fault::Type {
                expected: other, ..
            },
        ) => Fault::Type {
            pattern: *pattern,
            expected: Type::variant(vec![expected.clone(), other.clone()]).normalize(),
            actual: actual.clone(),
        },
        _ => one.clone(),
    }
}
