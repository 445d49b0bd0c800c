//! Is a value of a type?

use crate::assign::is_member;
use crate::regex::Pattern;
use crate::types::{Alias, Kind, Member, Text, Type};
use crate::undecided::{Reason, Undecided};
use crate::value::Value;

/// Whether a value is of a type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Match {
    /// It is.
    Yes,
    /// It is not.
    No,
    /// Only a real Ruby can tell.
    Undecided(Box<Undecided>),
}

impl Match {
    /// Is it a clear yes?
    pub fn is_yes(&self) -> bool {
        matches!(self, Self::Yes)
    }

    /// Is it a clear no?
    pub fn is_no(&self) -> bool {
        matches!(self, Self::No)
    }

    fn of(found: bool) -> Self {
        if found { Self::Yes } else { Self::No }
    }

    /// Yes if one of them is, no if all are.
    fn any(all: impl Iterator<Item = Match>) -> Self {
        let mut result = Self::No;
        for one in all {
            match one {
                Self::Yes => return one,
                Self::No => {}
                Self::Undecided(_) => result = one,
            }
        }
        result
    }

    /// No if one of them is, yes if all are.
    fn all(all: impl Iterator<Item = Match>) -> Self {
        let mut result = Self::Yes;
        for one in all {
            match one {
                Self::No => return one,
                Self::Yes => {}
                Self::Undecided(_) => result = one,
            }
        }
        result
    }

    fn and(self, other: impl FnOnce() -> Match) -> Self {
        match self {
            Self::No => Self::No,
            Self::Yes => other(),
            Self::Undecided(_) => match other() {
                Self::No => Self::No,
                _ => self,
            },
        }
    }
}

impl Type {
    /// Is the value of this type? Nothing is converted: `"5"` is no integer, and `1` is no float.
    pub fn matches(&self, value: &Value) -> Match {
        matches(self, value)
    }
}

fn undecided(own: &Type, class: &str) -> Match {
    Match::Undecided(Box::new(Undecided {
        subject: own.to_string(),
        reason: Reason::Object(class.to_owned()),
    }))
}

fn is_undef(value: &Value) -> bool {
    matches!(value, Value::Undef) || value.as_symbol() == Some("undef")
}

fn matches(own: &Type, value: &Value) -> Match {
    let optional = |inner: &Option<Box<Type>>| {
        inner
            .as_ref()
            .map_or(Match::Yes, |inner| matches(inner, value))
    };
    match own {
        Type::Any | Type::Unit => Match::Yes,
        Type::Undef => Match::of(is_undef(value)),
        Type::Default => Match::of(value.as_symbol() == Some("default")),
        Type::NotUndef(inner) => Match::of(!is_undef(value)).and(|| optional(inner)),
        Type::Optional(inner) => {
            if is_undef(value) {
                return Match::Yes;
            }
            inner
                .as_ref()
                .map_or(Match::No, |inner| matches(inner, value))
        }
        Type::Variant(types) => Match::any(types.iter().map(|one| matches(one, value))),
        Type::Alias(Alias::Module(alias)) => matches(&alias.target, value),
        Type::Alias(alias) => matches(&alias.target(), value),
        Type::Unknown(unknown) => Match::Undecided(Box::new(Undecided {
            subject: unknown.name.clone(),
            reason: Reason::Alias(unknown.why.clone()),
        })),
        Type::Scalar => scalar(own, value),
        Type::ScalarData => Match::of(is_scalar_data(value)),
        Type::Numeric => Match::of(match value {
            Value::Integer(_) => true,
            Value::Float(number) => !number.is_nan(),
            _ => false,
        }),
        Type::Integer(range) => {
            Match::of(matches!(value, Value::Integer(number) if range.contains(number)))
        }
        Type::Float(range) => {
            Match::of(matches!(value, Value::Float(number) if range.contains(*number)))
        }
        Type::Boolean(wanted) => {
            Match::of(matches!(value, Value::Bool(own) if wanted.is_none_or(|one| one == *own)))
        }
        Type::String(text) => string(own, text, value),
        Type::Enum {
            values,
            insensitive,
        } => Match::of(matches!(
            value,
            Value::String(text) if is_member(values, *insensitive, text)
        )),
        Type::Pattern(patterns) => pattern(own, patterns, value),
        Type::Regexp(None) => Match::of(matches!(value, Value::Regexp { .. })),
        Type::Regexp(Some(own)) => Match::of(matches!(
            value,
            // Both are compared as Ruby does: source and options.
            Value::Regexp { source, options } if options.is_empty() && source == own.source()
        )),
        Type::Collection(size) => {
            let length = match value {
                Value::Array(items) => items.len(),
                Value::Hash(pairs) => pairs.len(),
                Value::Cycle => return undecided(own, value.class()),
                _ => return Match::No,
            };
            Match::of(size.as_ref().is_none_or(|size| size.contains_size(length)))
        }
        Type::Array { element, size } => match value {
            Value::Array(items) => Match::of(
                size.as_ref()
                    .is_none_or(|size| size.contains_size(items.len())),
            )
            .and(|| Match::all(items.iter().map(|item| matches(element, item)))),
            Value::Cycle => undecided(own, value.class()),
            _ => Match::No,
        },
        Type::Hash {
            key,
            value: of,
            size,
        } => match value {
            Value::Hash(pairs) => Match::of(
                size.as_ref()
                    .is_none_or(|size| size.contains_size(pairs.len())),
            )
            .and(|| Match::all(pairs.iter().map(|(one, _)| matches(key, one))))
            .and(|| Match::all(pairs.iter().map(|(_, one)| matches(of, one)))),
            Value::Cycle => undecided(own, value.class()),
            _ => Match::No,
        },
        Type::Struct(members) => structure(members, value),
        Type::Tuple { types, size } => match value {
            Value::Array(items) => {
                let sized = match size {
                    Some(size) => size.contains_size(items.len()),
                    None => types.is_empty() || types.len() == items.len(),
                };
                Match::of(sized).and(|| {
                    Match::all(items.iter().enumerate().map(|(index, item)| {
                        let of = types.get(index).or(types.last());
                        of.map_or(Match::Yes, |of| matches(of, item))
                    }))
                })
            }
            Value::Cycle => undecided(own, value.class()),
            _ => Match::No,
        },
        Type::Iterable(inner) => iterable(own, inner.as_deref(), value),
        Type::Iterator(_) => Match::No,
        Type::Sensitive(inner) => match value {
            Value::Sensitive(own) => matches(inner, own),
            _ => Match::No,
        },
        Type::Type(_) => match value {
            Value::Object { class, .. }
                if class.starts_with("Puppet::Pops::Types::P")
                    || matches!(class.as_str(), "Class" | "Module")
                    || class.ends_with("Resource") =>
            {
                undecided(own, class)
            }
            _ => Match::No,
        },
        Type::Runtime { .. } => match value {
            Value::Object { class, .. } => {
                if own.is_assignable(&Type::of(value)) {
                    Match::Yes
                } else {
                    undecided(own, class)
                }
            }
            _ => Match::of(own.is_assignable(&Type::of(value))),
        },
        Type::CatalogEntry | Type::Class(_) | Type::Resource { .. } | Type::Reference(_) => {
            Match::No
        }
        Type::Rare(rare) => match (rare.kind, value) {
            (Kind::Callable, Value::Proc(_)) if rare.parameters.is_empty() => Match::Yes,
            (Kind::Init, _) => undecided(own, value.class()),
            (Kind::Callable, Value::Proc(_)) => undecided(own, "Proc"),
            (kind, Value::Object { class, .. }) => {
                let unknown = matches!(kind, Kind::Object | Kind::TypeSet | Kind::TypeAlias);
                match (unknown || kind.holds(class), rare.parameters.is_empty()) {
                    (false, _) => Match::No,
                    (true, true) if !unknown => Match::Yes,
                    (true, _) => undecided(own, class),
                }
            }
            (Kind::TypeAlias, _) if !rare.parameters.is_empty() => undecided(own, value.class()),
            _ => Match::No,
        },
    }
}

fn is_scalar_data(value: &Value) -> bool {
    matches!(
        value,
        Value::String(_) | Value::Binary(_) | Value::Integer(_) | Value::Float(_) | Value::Bool(_)
    )
}

fn scalar(own: &Type, value: &Value) -> Match {
    match value {
        Value::Regexp { .. } => Match::Yes,
        Value::Symbol(_) | Value::Object { .. } => Match::of(own.is_assignable(&Type::of(value))),
        _ => Match::of(is_scalar_data(value)),
    }
}

/// The characters of a string, as Ruby counts them: each byte that is no UTF-8 is one.
fn length(value: &Value) -> Option<usize> {
    match value {
        Value::String(text) => Some(text.chars().count()),
        Value::Binary(bytes) => Some(
            bytes
                .utf8_chunks()
                .map(|chunk| chunk.valid().chars().count() + chunk.invalid().len())
                .sum(),
        ),
        _ => None,
    }
}

fn string(own: &Type, text: &Text, value: &Value) -> Match {
    match (text, value) {
        (Text::Any, Value::String(_) | Value::Binary(_)) => Match::Yes,
        (Text::Value(wanted), Value::String(text)) => Match::of(wanted == text),
        // A broken character may be several bytes, and a binary string is counted by bytes.
        (Text::Size(_), Value::Binary(_)) => undecided(own, "String"),
        (Text::Size(size), Value::String(_)) => {
            Match::of(length(value).is_some_and(|length| size.contains_size(length)))
        }
        _ => Match::No,
    }
}

fn pattern(own: &Type, patterns: &[Pattern], value: &Value) -> Match {
    match value {
        Value::String(_) | Value::Binary(_) if patterns.is_empty() => Match::Yes,
        Value::String(text) => {
            Match::any(patterns.iter().map(|pattern| match pattern.is_match(text) {
                Ok(found) => Match::of(found),
                Err(error) => Match::Undecided(Box::new(error)),
            }))
        }
        Value::Binary(_) => Match::Undecided(Box::new(Undecided {
            subject: own.to_string(),
            reason: Reason::NotUtf8,
        })),
        _ => Match::No,
    }
}

fn structure(members: &[Member], value: &Value) -> Match {
    let Value::Hash(pairs) = value else {
        return Match::No;
    };
    let mut matched = 0;
    let mut result = Match::Yes;
    for member in members {
        let found = pairs
            .iter()
            .find(|(key, _)| key.as_str() == Some(member.name.as_str()));
        match found {
            None if member.optional => {}
            None => return Match::No,
            Some((_, value)) => {
                matched += 1;
                match matches(&member.value, value) {
                    Match::No => return Match::No,
                    Match::Yes => {}
                    undecided @ Match::Undecided(_) => result = undecided,
                }
            }
        }
    }
    if matched == pairs.len() {
        result
    } else {
        Match::No
    }
}

fn iterable(own: &Type, inner: Option<&Type>, value: &Value) -> Match {
    if inner.is_none_or(|inner| inner.is_assignable(&Type::Any)) {
        return match value {
            Value::String(_)
            | Value::Binary(_)
            | Value::Hash(_)
            | Value::Array(_)
            | Value::Cycle => Match::Yes,
            Value::Integer(number) => Match::of(*number >= num_bigint::BigInt::ZERO),
            Value::Object { class, .. } => undecided(own, class),
            _ => Match::No,
        };
    }
    match value {
        Value::Object { class, .. } => undecided(own, class),
        _ => Match::of(own.is_assignable(&Type::of(value))),
    }
}
