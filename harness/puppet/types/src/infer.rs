//! The type of a value, as messages name it.

use crate::regex::Pattern;
use crate::types::{Alias, FloatRange, Kind, Member, Parameter, Range, Rare, Text, Type};
use crate::value::Value;

impl Type {
    /// The narrowest type of the value; the elements of a collection are reduced to one type.
    pub fn of(value: &Value) -> Self {
        match value {
            Value::Undef => Self::Undef,
            Value::Bool(value) => Self::Boolean(Some(*value)),
            Value::Integer(number) => Self::Integer(Range::new(number.clone(), number.clone())),
            Value::Float(number) => Self::Float(FloatRange {
                from: *number,
                to: *number,
            }),
            Value::String(text) => Self::String(Text::Value(text.clone())),
            Value::Binary(_) => Self::String(Text::Value(value.to_text())),
            Value::Symbol(name) => match name.as_str() {
                "undef" => Self::Undef,
                "default" => Self::Default,
                _ => Self::ruby("Symbol"),
            },
            Value::Array(items) if items.is_empty() => empty_array(),
            Value::Array(items) => {
                Self::array(reduced(items.iter()), Some(Range::exactly(items.len())))
            }
            Value::Hash(pairs) if pairs.is_empty() => empty_hash(),
            Value::Hash(pairs) => Self::hash(
                reduced(pairs.iter().map(|(key, _)| key)),
                reduced(pairs.iter().map(|(_, value)| value)),
                Some(Range::exactly(pairs.len())),
            ),
            Value::Regexp { source, options } => {
                Self::Regexp(Some(Pattern::with_options(source, options)))
            }
            Value::Sensitive(inner) => Self::sensitive(Some(&Self::of(inner))),
            // Its parameters are not known here. Blocks in definitions have none.
            Value::Proc(_) => Self::Rare(Rare {
                kind: Kind::Callable,
                parameters: vec![Parameter::Value(Value::integer(0)); 2],
            }),
            Value::Object { class, .. } => {
                const KINDS: [Kind; 6] = [
                    Kind::Binary,
                    Kind::Timestamp,
                    Kind::Timespan,
                    Kind::SemVer,
                    Kind::SemVerRange,
                    Kind::Uri,
                ];
                let known = KINDS.into_iter().find(|kind| kind.holds(class));
                known.map_or_else(|| Self::ruby(class.clone()), Self::bare)
            }
            Value::Cycle => Self::array(Self::Any, None),
        }
    }

    /// The narrowest type of the value, with one type for each element: the one that messages
    /// compare with.
    pub fn detailed_of(value: &Value) -> Self {
        match value {
            Value::Array(items) if !items.is_empty() => {
                Self::tuple(items.iter().map(Self::detailed_of).collect(), None)
            }
            Value::Hash(pairs) if !pairs.is_empty() => {
                let name = |key: &Value| match key {
                    Value::String(text) if !text.is_empty() => Some(text.clone()),
                    Value::Binary(_) => Some(key.to_text()),
                    _ => None,
                };
                let members = pairs.iter().map(|(key, value)| {
                    Some(Member {
                        name: name(key)?,
                        optional: false,
                        value: Self::detailed_of(value),
                    })
                });
                if let Some(members) = members.collect() {
                    return Self::Struct(members);
                }
                let all = |values: Vec<Type>| Self::variant(values);
                Self::hash(
                    all(pairs
                        .iter()
                        .map(|(key, _)| Self::detailed_of(key))
                        .collect()),
                    all(pairs
                        .iter()
                        .map(|(_, value)| Self::detailed_of(value))
                        .collect()),
                    Some(Range::exactly(pairs.len())),
                )
            }
            _ => Self::of(value),
        }
    }
}

fn empty_array() -> Type {
    Type::array(Type::Unit, Some(Range::exactly(0)))
}

fn empty_hash() -> Type {
    Type::hash(Type::Unit, Type::Unit, Some(Range::exactly(0)))
}

fn reduced<'v>(values: impl Iterator<Item = &'v Value>) -> Type {
    values.map(Type::of).reduce(common).unwrap_or(Type::Unit)
}

/// A type over both, as Puppet reduces the types of elements. It prefers one of the two.
fn common(one: Type, other: Type) -> Type {
    if matches!(one, Type::Undef) {
        return other;
    }
    if matches!(other, Type::Undef) {
        return one;
    }
    if matches!(one, Type::Unit) {
        return other;
    }
    if matches!(other, Type::Unit) || one.is_assignable(&other) {
        return one;
    }
    if other.is_assignable(&one) {
        return other;
    }
    match (&one, &other) {
        (Type::Array { element: one, .. }, Type::Array { element: other, .. }) => {
            return Type::array(common((**one).clone(), (**other).clone()), None);
        }
        (
            Type::Hash { key, value, .. },
            Type::Hash {
                key: other_key,
                value: other_value,
                ..
            },
        ) => {
            return Type::hash(
                common((**key).clone(), (**other_key).clone()),
                common((**value).clone(), (**other_value).clone()),
                None,
            );
        }
        (Type::Integer(one), Type::Integer(other)) => return Type::Integer(one.hull(other)),
        (Type::Float(one), Type::Float(other)) => return Type::Float(one.hull(other)),
        (Type::String(one), Type::String(other)) => {
            return match (one, other) {
                (Text::Size(one), Text::Size(other)) => Type::String(Text::Size(one.hull(other))),
                (Text::Value(one), Text::Value(other)) => {
                    Type::enumeration(vec![one.clone(), other.clone()], false)
                }
                _ => Type::STRING,
            };
        }
        (Type::String(text), Type::Enum { values, .. })
        | (Type::Enum { values, .. }, Type::String(text)) => {
            return with_member(values, text);
        }
        (Type::Enum { values, .. }, Type::Enum { values: others, .. }) => {
            return Type::enumeration([&values[..], &others[..]].concat(), false);
        }
        (Type::Regexp(_), Type::Regexp(_)) => return Type::Regexp(None),
        _ => {}
    }
    let both = |wide: &Type| wide.is_assignable(&one) && wide.is_assignable(&other);
    let wide = [
        Type::Numeric,
        Type::ScalarData,
        Type::Scalar,
        Type::Alias(Alias::Data),
    ];
    if let Some(wide) = wide.into_iter().find(both) {
        return wide;
    }
    let rich = Type::Alias(Alias::RichData);
    if both(&rich) {
        return rich;
    }
    if let (
        Type::Runtime {
            class: Some(one), ..
        },
        Type::Runtime {
            class: Some(other), ..
        },
    ) = (&one, &other)
    {
        // All that is known here is the class that all classes have in common.
        return Type::ruby(if one == other { one.as_str() } else { "Object" });
    }
    Type::Any
}

fn with_member(values: &[String], text: &Text) -> Type {
    match text {
        Text::Value(text) => {
            Type::enumeration([values, std::slice::from_ref(text)].concat(), false)
        }
        _ => Type::enumeration(Vec::new(), false),
    }
}
