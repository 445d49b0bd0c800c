//! How much of a type a message shows.

use crate::types::{Parameter, Type};
use std::mem::discriminant;

/// A type's bare form.
pub(super) fn bare(of: &Type) -> Type {
    match of {
        Type::Alias(alias) => bare(&alias.target()),
        Type::NotUndef(_) => Type::NotUndef(None),
        Type::Optional(_) => Type::Optional(None),
        Type::Integer(_) => Type::INTEGER,
        Type::Float(_) => Type::FLOAT,
        Type::Boolean(_) => Type::Boolean(None),
        Type::String(_) => Type::STRING,
        Type::Enum { .. } => Type::enumeration(Vec::new(), false),
        Type::Pattern(_) => Type::Pattern(Vec::new()),
        Type::Regexp(_) => Type::Regexp(None),
        Type::Collection(_) => Type::Collection(None),
        Type::Array { .. } => Type::array(Type::Any, None),
        Type::Hash { .. } => Type::hash(Type::Any, Type::Any, None),
        Type::Struct(_) => Type::Struct(Vec::new()),
        Type::Tuple { .. } => Type::tuple(Vec::new(), None),
        Type::Variant(_) => Type::Variant(Vec::new()),
        Type::Iterable(_) => Type::Iterable(None),
        Type::Iterator(_) => Type::Iterator(None),
        Type::Sensitive(_) => Type::sensitive(None),
        Type::Type(_) => Type::Type(None),
        Type::Runtime { .. } => Type::Runtime {
            runtime: None,
            class: None,
        },
        Type::Class(_) => Type::Class(None),
        Type::Resource { .. } => Type::Resource {
            name: None,
            title: None,
        },
        Type::Rare(rare) => Type::bare(rare.kind),
        Type::Reference(_) => Type::Reference("UnresolvedReference".to_owned()),
        other => other.clone(),
    }
}

/// Are both of one class of types? Then the message shows them in full.
pub(super) fn is_same_class(one: &Type, other: &Type) -> bool {
    match (one, other) {
        (Type::Rare(one), Type::Rare(other)) => one.kind == other.kind,
        _ => discriminant(one) == discriminant(other),
    }
}

pub(super) fn always_detailed(expected: &Type, actual: &Type) -> bool {
    is_same_class(expected, actual)
        || matches!(expected, Type::Alias(_))
        || matches!(actual, Type::Alias(_))
        || matches!(
            (expected, actual),
            (Type::Struct(_), Type::Hash { .. }) | (Type::Tuple { .. }, Type::Array { .. })
        )
}

pub(super) fn is_detailed(expected: &[Type], actual: &Type) -> bool {
    expected.iter().any(|one| always_detailed(one, actual))
        || expected.iter().any(|one| bare(one).is_assignable(actual))
}

pub(super) fn resolved(of: &Type) -> Type {
    match of {
        Type::Alias(alias) => resolved(&alias.target()),
        other => other.clone(),
    }
}

pub(super) fn detailed_actual(expected: &[Type], actual: &Type) -> String {
    let expected: Vec<Type> = expected.iter().map(resolved).collect();
    let general = actual.generalize();
    let full = expected.iter().any(|one| always_detailed(one, actual))
        || expected.iter().any(|one| one.is_assignable(&general));
    if full {
        actual.to_string()
    } else {
        actual.simple_name().to_owned()
    }
}

/// The name of a type, with the name of what it wraps.
pub(super) fn short_name(of: &Type) -> String {
    let wrapped = match of {
        Type::NotUndef(inner)
        | Type::Optional(inner)
        | Type::Iterable(inner)
        | Type::Iterator(inner)
        | Type::Type(inner) => inner.as_deref(),
        Type::Sensitive(inner) => Some(&**inner),
        Type::Rare(rare) => match rare.parameters.first() {
            Some(Parameter::Type(inner)) if rare.kind == crate::types::Kind::Init => Some(inner),
            _ => None,
        },
        _ => None,
    };
    if matches!(of, Type::Rare(rare) if rare.kind == crate::types::Kind::TypeSet) {
        return "DefaultTypeSet".to_owned();
    }
    match wrapped {
        Some(inner) if *inner != Type::Any => {
            format!("{}[{}]", of.simple_name(), inner.simple_name())
        }
        _ => of.simple_name().to_owned(),
    }
}
