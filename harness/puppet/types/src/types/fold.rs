//! Types made wider (generalized) or simpler (normalized), as Puppet does it before it describes
//! a mismatch.

use super::{FloatRange, Kind, Member, Range, Text, Type};

impl Type {
    /// Without the limits that only a value of the type can tell: `Integer[1, 2]` becomes
    /// `Integer`. Patterns and aliases stay.
    #[must_use]
    pub fn generalize(&self) -> Self {
        let all = |types: &[Type]| types.iter().map(Type::generalize).collect();
        let boxed =
            |inner: &Option<Box<Type>>| inner.as_ref().map(|inner| Box::new(inner.generalize()));
        match self {
            Self::Integer(_) => Self::INTEGER,
            Self::Float(_) => Self::FLOAT,
            Self::Boolean(_) => Self::Boolean(None),
            Self::String(_) => Self::STRING,
            Self::Enum { values, .. } => {
                let sizes = values.iter().map(|value| value.chars().count());
                match (sizes.clone().min(), sizes.max()) {
                    (Some(min), Some(max)) => Self::String(Text::Size(Range::new(min, max))),
                    _ => Self::STRING,
                }
            }
            Self::Collection(_) => Self::Collection(None),
            Self::Array { element, .. } => Self::array(element.generalize(), None),
            Self::Hash { key, value, size } => {
                let is_empty = **key == Self::Unit && **value == Self::Unit;
                if is_empty && size.as_ref().is_some_and(Range::is_zero) {
                    self.clone()
                } else {
                    Self::hash(key.generalize(), value.generalize(), None)
                }
            }
            Self::Struct(members) => Self::Struct(each_value(members, Type::generalize)),
            Self::Tuple { types, size } => Self::Tuple {
                types: all(types),
                size: size.clone(),
            },
            Self::Variant(types) if types.is_empty() => self.clone(),
            Self::Variant(types) => Self::variant(all(types)),
            Self::NotUndef(inner) => Self::NotUndef(boxed(inner)),
            Self::Optional(inner) => Self::Optional(boxed(inner)),
            Self::Iterable(inner) => Self::Iterable(boxed(inner)),
            Self::Iterator(inner) => Self::Iterator(boxed(inner)),
            Self::Type(inner) => Self::Type(boxed(inner)),
            Self::Sensitive(inner) => Self::sensitive(Some(inner)),
            Self::Rare(rare) if rare.kind != Kind::Callable => Self::bare(rare.kind),
            _ => self.clone(),
        }
    }

    /// The same values in the simplest form: enumerations and ranges of a variant are merged, and
    /// a variant with `Undef` becomes an `Optional`.
    #[must_use]
    pub fn normalize(&self) -> Self {
        let boxed =
            |inner: &Option<Box<Type>>| inner.as_ref().map(|inner| Box::new(inner.normalize()));
        match self {
            Self::NotUndef(Some(inner)) => match inner.normalize() {
                Self::Optional(None) => Self::NotUndef(None),
                Self::Optional(Some(inner)) => Self::not_undef(*inner).normalize(),
                inner if !inner.accepts_undef() => inner,
                inner => Self::not_undef(inner),
            },
            Self::Optional(Some(inner)) => match inner.normalize() {
                Self::NotUndef(inner) => Self::Optional(inner).normalize(),
                inner if inner.accepts_undef() => inner,
                inner => Self::optional(inner),
            },
            Self::Collection(_) => Self::Collection(None),
            // Puppet drops the size of an array of anything here.
            Self::Array { element, .. } if **element == Self::Any => Self::array(Self::Any, None),
            Self::Array { element, size } => Self::array(element.normalize(), size.clone()),
            Self::Hash { key, value, size } => {
                Self::hash(key.normalize(), value.normalize(), size.clone())
            }
            Self::Struct(members) => Self::Struct(each_value(members, Type::normalize)),
            Self::Tuple { types, size } => Self::Tuple {
                types: types.iter().map(Type::normalize).collect(),
                size: size.clone(),
            },
            Self::Variant(types) => variant(types),
            Self::Iterable(inner) => Self::Iterable(boxed(inner)),
            Self::Iterator(inner) => Self::Iterator(boxed(inner)),
            Self::Type(inner) => Self::Type(boxed(inner)),
            Self::Sensitive(inner) => match inner.normalize() {
                same if same == **inner => self.clone(),
                other => Self::sensitive(Some(&other)),
            },
            _ => self.clone(),
        }
    }

    /// Does it admit `nil`?
    pub fn accepts_undef(&self) -> bool {
        self.is_assignable(&Self::Undef)
    }
}

fn each_value(members: &[Member], change: fn(&Type) -> Type) -> Vec<Member> {
    let each = |member: &Member| Member {
        name: member.name.clone(),
        optional: member.optional,
        value: change(&member.value),
    };
    members.iter().map(each).collect()
}

/// Puppet makes a hash with a size anew each time, and takes that for a change.
fn has_sized_hash(of: &Type) -> bool {
    match of {
        Type::Hash { key, value, size } => {
            let is_empty = **key == Type::Unit && **value == Type::Unit;
            size.is_some() && !is_empty || has_sized_hash(key) || has_sized_hash(value)
        }
        Type::Array { element, .. } => has_sized_hash(element),
        Type::Tuple { types, .. } | Type::Variant(types) => types.iter().any(has_sized_hash),
        Type::Struct(members) => members.iter().any(|one| has_sized_hash(&one.value)),
        Type::NotUndef(inner)
        | Type::Optional(inner)
        | Type::Iterable(inner)
        | Type::Iterator(inner)
        | Type::Type(inner) => inner.as_deref().is_some_and(has_sized_hash),
        Type::Sensitive(inner) => has_sized_hash(inner),
        _ => false,
    }
}

fn variant(own: &[Type]) -> Type {
    let mut types: Vec<Type> = own.iter().map(Type::normalize).collect();
    if types.len() == 1 {
        return types.swap_remove(0);
    }
    let changed = types != own || own.iter().any(has_sized_hash);
    let undef = |one: &Type| matches!(one, Type::Undef | Type::Optional(_));
    if types.iter().any(undef) {
        let others = types.into_iter().filter_map(|one| match one {
            Type::Undef | Type::Optional(None) => None,
            Type::Optional(Some(inner)) => Some(*inner),
            other => Some(other),
        });
        return Type::optional(Type::variant(others.collect())).normalize();
    }
    let types: Vec<Type> = types
        .into_iter()
        .flat_map(|one| match one {
            Type::Variant(members) => members,
            other => vec![other],
        })
        .collect();
    let before = types.len();
    let types = merge_not_undefs(types);
    let types = merge_enums(types);
    let types = merge_patterns(types);
    let types = merge_ranges(
        types,
        |one| match one {
            Type::Integer(range) => Some(range.clone()),
            _ => None,
        },
        Range::merged,
        Type::Integer,
    );
    let types = merge_ranges(
        types,
        |one| match one {
            Type::Float(range) => Some(*range),
            _ => None,
        },
        FloatRange::merged,
        Type::Float,
    );
    // If nothing was merged, the members keep their order.
    let is_same = !changed && types.len() == before;
    if is_same {
        return Type::Variant(own.to_vec());
    }
    Type::variant(types)
}

/// Several types that `pick` takes become one, at the end.
fn merge<T>(
    types: Vec<Type>,
    pick: impl Fn(&Type) -> Option<T>,
    merged: impl FnOnce(Vec<T>) -> Type,
) -> Vec<Type> {
    let picked: Vec<T> = types.iter().filter_map(&pick).collect();
    if picked.len() < 2 {
        return types;
    }
    let mut others: Vec<Type> = types
        .into_iter()
        .filter(|one| pick(one).is_none())
        .collect();
    others.push(merged(picked));
    others
}

fn merge_not_undefs(types: Vec<Type>) -> Vec<Type> {
    let pick = |one: &Type| match one {
        Type::NotUndef(inner) => Some(inner.as_ref().map_or(Type::Any, |inner| (**inner).clone())),
        _ => None,
    };
    merge(types, pick, |inner| {
        Type::not_undef(Type::variant(inner).normalize())
    })
}

fn merge_enums(types: Vec<Type>) -> Vec<Type> {
    let exact = |one: &Type| match one {
        Type::Enum {
            values,
            insensitive: false,
        } if !values.is_empty() => Some(values.clone()),
        Type::String(Text::Value(value)) => Some(vec![value.clone()]),
        _ => None,
    };
    let types = merge(types, exact, |values| {
        Type::enumeration(values.concat(), false)
    });
    let insensitive = |one: &Type| match one {
        Type::Enum {
            values,
            insensitive: true,
        } if !values.is_empty() => Some(values.clone()),
        _ => None,
    };
    merge(types, insensitive, |values| {
        let values = values.concat();
        let lower = values.iter().map(|value| value.to_lowercase());
        Type::enumeration(lower.collect(), true)
    })
}

fn merge_patterns(types: Vec<Type>) -> Vec<Type> {
    let pick = |one: &Type| match one {
        Type::Pattern(patterns) => Some(patterns.clone()),
        _ => None,
    };
    merge(types, pick, |patterns| {
        let mut all = Vec::new();
        for pattern in patterns.into_iter().flatten() {
            if !all.contains(&pattern) {
                all.push(pattern);
            }
        }
        Type::Pattern(all)
    })
}

/// Ranges that touch become one; they come first then.
fn merge_ranges<R: Clone>(
    types: Vec<Type>,
    pick: impl Fn(&Type) -> Option<R>,
    merged: impl Fn(&R, &R) -> Option<R>,
    whole: fn(R) -> Type,
) -> Vec<Type> {
    let mut ranges: Vec<R> = types.iter().filter_map(&pick).collect();
    if ranges.len() < 2 {
        return types;
    }
    let mut result = Vec::new();
    while let Some(mut range) = ranges.pop() {
        let mut apart = Vec::new();
        for other in ranges {
            match merged(&range, &other) {
                Some(both) => range = both,
                None => apart.push(other),
            }
        }
        result.push(whole(range));
        ranges = apart;
    }
    result.extend(types.into_iter().filter(|one| pick(one).is_none()));
    result
}
