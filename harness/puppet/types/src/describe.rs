//! Why a value is not of a type, in Puppet's words.

mod detail;
mod mismatch;

use crate::assign::own_size;
use crate::types::{Member, Range, Text, Type};
use crate::value::Value;
use mismatch::{Element, Fault, Mismatch};

impl Type {
    /// Says why the value is not of this type: `name expects an Integer value, got String`. The
    /// name stands for the value; it may be empty. Where Puppet finds no words, the text is empty.
    ///
    /// It describes any value, also one that matches; ask [`Type::matches`] before.
    pub fn describe_mismatch(&self, name: &str, value: &Value) -> String {
        self.describe_type_mismatch(name, &Type::detailed_of(value))
    }

    /// Says why values of another type are not of this type.
    pub fn describe_type_mismatch(&self, name: &str, actual: &Type) -> String {
        let found = describe(self, actual, &[Element::Subject(name.to_owned())]);
        match found.as_slice() {
            [] => String::new(),
            [one] => one.text().trim().to_owned(),
            all => {
                let all: Vec<String> = all.iter().map(Mismatch::text).collect();
                all.join("\n ")
            }
        }
    }
}

fn describe(expected: &Type, actual: &Type, path: &[Element]) -> Vec<Mismatch> {
    if let Some(text) = expected.unresolved() {
        return vec![Mismatch::new(path, Fault::Unresolved(text.to_owned()))];
    }
    inner(&expected.normalize(), expected, actual, path)
}

fn and(path: &[Element], element: Element) -> Vec<Element> {
    let mut longer = path.to_vec();
    longer.push(element);
    longer
}

/// `original` is the type as it was written, for the message.
fn inner(expected: &Type, original: &Type, actual: &Type, path: &[Element]) -> Vec<Mismatch> {
    match expected {
        Type::Variant(types) => variant(types, original, actual, path),
        Type::Struct(members) => structure(members, original, actual, path),
        Type::Hash { key, value, size } => hash(key, value, size.as_ref(), original, actual, path),
        Type::Tuple { types, size } => {
            tuple(expected, types, size.as_ref(), original, actual, path)
        }
        Type::Array { element, size } => array(element, size.as_ref(), original, actual, path),
        Type::Optional(of) => match of {
            Some(of) if *actual != Type::Undef => {
                let original = if matches!(original, Type::Alias(_)) {
                    original
                } else {
                    expected
                };
                inner(of, original, actual, path)
            }
            _ => Vec::new(),
        },
        Type::Pattern(_) | Type::Enum { .. } => {
            vec![Mismatch::expected(path, true, original, actual)]
        }
        Type::Alias(alias) => inner(&alias.target().normalize(), expected, actual, path),
        _ if expected.is_assignable(actual) => Vec::new(),
        _ => vec![Mismatch::expected(path, false, original, actual)],
    }
}

fn variant(types: &[Type], original: &Type, actual: &Type, path: &[Element]) -> Vec<Mismatch> {
    let undef = matches!(original, Type::Optional(_)).then_some(&Type::Undef);
    let mut all = Vec::new();
    for (index, one) in undef.into_iter().chain(types).enumerate() {
        let found = describe(one, actual, &and(path, Element::Variant(index)));
        if found.is_empty() {
            return Vec::new();
        }
        all.push(found);
    }
    let merged = mismatch::merge(path.len(), &all);
    if matches!(original, Type::Alias(_)) && merged.len() == 1 {
        return vec![Mismatch::expected(path, false, original, actual)];
    }
    merged
}

fn array(
    element: &Type,
    size: Option<&Range>,
    original: &Type,
    actual: &Type,
    path: &[Element],
) -> Vec<Mismatch> {
    match actual {
        Type::Tuple { types, size: own } => {
            let expected = size.cloned().unwrap_or_else(Range::any_size);
            let own = own.clone().unwrap_or_else(|| Range::exactly(types.len()));
            if !expected.covers(&own) {
                return vec![Mismatch::new(path, Fault::Size(expected, own))];
            }
            let each = types.iter().enumerate();
            each.filter(|(_, one)| !element.is_assignable(one))
                .flat_map(|(index, one)| describe(element, one, &and(path, Element::Index(index))))
                .collect()
        }
        Type::Array {
            element: of,
            size: own,
        } => {
            let own = own.clone().unwrap_or_else(Range::any_size);
            match size {
                Some(expected) if !expected.covers(&own) => {
                    vec![Mismatch::new(path, Fault::Size(expected.clone(), own))]
                }
                _ => {
                    let plain = Type::array((**of).clone(), None);
                    vec![Mismatch::expected(path, false, original, &plain)]
                }
            }
        }
        _ => vec![Mismatch::expected(path, false, original, actual)],
    }
}

/// The key of a member as a type.
fn key_type(member: &Member) -> Type {
    let name = Type::String(Text::Value(member.name.clone()));
    if member.optional {
        Type::optional(name)
    } else {
        name
    }
}

fn required(members: &[Member]) -> Range {
    let count = members.iter().filter(|member| !member.optional).count();
    Range::new(count, members.len())
}

fn hash(
    key: &Type,
    value: &Type,
    size: Option<&Range>,
    original: &Type,
    actual: &Type,
    path: &[Element],
) -> Vec<Mismatch> {
    match actual {
        Type::Struct(members) => {
            let expected = size.cloned().unwrap_or_else(Range::any_size);
            let own = required(members);
            if !expected.covers(&own) {
                return vec![Mismatch::new(path, Fault::Size(expected, own))];
            }
            let mut all = Vec::new();
            for member in members {
                let own_key = key_type(member);
                if !key.is_assignable(&own_key) {
                    let path = and(path, Element::Key(member.name.clone()));
                    all.extend(describe(key, &own_key, &path));
                }
                if !value.is_assignable(&member.value) {
                    let path = and(path, Element::Entry(member.name.clone()));
                    all.extend(describe(value, &member.value, &path));
                }
            }
            all
        }
        _ => plain_hash(size, original, actual, path),
    }
}

/// Against a hash whose keys are not all known.
fn plain_hash(
    size: Option<&Range>,
    original: &Type,
    actual: &Type,
    path: &[Element],
) -> Vec<Mismatch> {
    let Type::Hash {
        key,
        value,
        size: own,
    } = actual
    else {
        return vec![Mismatch::expected(path, false, original, actual)];
    };
    let own = own.clone().unwrap_or_else(Range::any_size);
    match size {
        Some(expected) if !expected.covers(&own) => {
            vec![Mismatch::new(path, Fault::Size(expected.clone(), own))]
        }
        _ => {
            let plain = Type::hash((**key).clone(), (**value).clone(), None);
            vec![Mismatch::expected(path, false, original, &plain)]
        }
    }
}

fn structure(
    members: &[Member],
    original: &Type,
    actual: &Type,
    path: &[Element],
) -> Vec<Mismatch> {
    let Type::Struct(own) = actual else {
        return plain_hash(Some(&required(members)), original, actual, path);
    };
    let mut all = Vec::new();
    let mut left: Vec<&Member> = own.iter().collect();
    for member in members {
        let found = left.iter().position(|other| other.name == member.name);
        let Some(other) = found.map(|at| left.remove(at)) else {
            if !member.optional {
                all.push(Mismatch::new(path, Fault::MissingKey(member.name.clone())));
            }
            continue;
        };
        let (key, other_key) = (key_type(member), key_type(other));
        if !key.is_assignable(&other_key) {
            let path = and(path, Element::Key(member.name.clone()));
            all.extend(describe(&key, &other_key, &path));
        }
        if !member.value.is_assignable(&other.value) {
            let path = and(path, Element::Entry(member.name.clone()));
            all.extend(describe(&member.value, &other.value, &path));
        }
    }
    let extra = left.into_iter();
    all.extend(extra.map(|other| Mismatch::new(path, Fault::ExtraKey(other.name.clone()))));
    all
}

fn tuple(
    expected: &Type,
    types: &[Type],
    size: Option<&Range>,
    original: &Type,
    actual: &Type,
    path: &[Element],
) -> Vec<Mismatch> {
    let is_array = matches!(actual, Type::Array { .. });
    if expected == actual || types.is_empty() && is_array {
        return Vec::new();
    }
    let expected_size = own_size(types, size);
    match actual {
        Type::Tuple {
            types: own,
            size: other,
        } => {
            let other = own_size(own, other.as_ref());
            if !expected_size.covers(&other) {
                return vec![Mismatch::new(path, Fault::Size(expected_size, other))];
            }
            let each = own.iter().enumerate();
            each.filter_map(|(index, one)| {
                let at = index.min(types.len().checked_sub(1)?);
                Some((at, one))
            })
            .flat_map(|(at, one)| describe(&types[at], one, &and(path, Element::Index(at))))
            .collect()
        }
        Type::Array { element, size: own } => {
            let own = own.clone().unwrap_or_else(Range::any_size);
            if !expected_size.covers(&own) {
                return vec![Mismatch::new(path, Fault::Size(expected_size, own))];
            }
            let each = types.iter().enumerate();
            each.flat_map(|(index, one)| describe(one, element, &and(path, Element::Index(index))))
                .collect()
        }
        _ => vec![Mismatch::expected(path, false, original, actual)],
    }
}
