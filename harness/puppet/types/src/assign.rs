//! Is every value of one type also of another?

use crate::regex::Pattern;
use crate::types::{Alias, FloatRange, Kind, Member, Range, Text, Type};

/// Pairs of aliases that are being compared: `Data` contains itself.
type Guard = Vec<(Alias, Alias)>;

impl Type {
    /// Does this type admit all values of the other one, by Puppet's own reasoning? It errs where
    /// Puppet errs. A pattern that cannot be tried here counts as not matching.
    pub fn is_assignable(&self, other: &Self) -> bool {
        assignable(self, other, &mut Guard::new())
    }
}

fn assignable(own: &Type, other: &Type, guard: &mut Guard) -> bool {
    match own {
        Type::Unit => true,
        Type::Variant(types) => match other {
            Type::Undef if types.is_empty() => false,
            Type::Variant(_) if types.is_empty() => true,
            Type::Variant(others) => {
                !others.is_empty() && others.iter().all(|one| general(own, one, guard))
            }
            _ => general(own, other, guard),
        },
        Type::Alias(alias) => {
            if let Type::Alias(other_alias) = other {
                let pair = (alias.clone(), other_alias.clone());
                if guard.contains(&pair) {
                    return true;
                }
                guard.push(pair);
                let found = general(own, other, guard);
                guard.pop();
                return found;
            }
            general(own, other, guard)
        }
        _ => general(own, other, guard),
    }
}

/// Types that wrap others are looked through first.
fn general(own: &Type, other: &Type, guard: &mut Guard) -> bool {
    match other {
        Type::Unit => true,
        Type::Alias(alias) => assignable(own, &alias.target(), guard),
        Type::Variant(types) => match own {
            Type::Any => true,
            Type::NotUndef(_) if types.is_empty() => specific(own, other, guard),
            _ => !types.is_empty() && types.iter().all(|one| assignable(own, one, guard)),
        },
        Type::Optional(inner) => {
            assignable(own, &Type::Undef, guard)
                && inner
                    .as_ref()
                    .is_none_or(|inner| assignable(own, inner, guard))
        }
        Type::NotUndef(Some(inner)) if !inner.accepts_undef() => assignable(own, inner, guard),
        _ => specific(own, other, guard),
    }
}

fn specific(own: &Type, other: &Type, guard: &mut Guard) -> bool {
    match own {
        Type::Any | Type::Unit | Type::Unknown(_) => true,
        Type::Undef => matches!(other, Type::Undef),
        Type::Default => matches!(other, Type::Default),
        Type::NotUndef(inner) => {
            !assignable(other, &Type::Undef, guard)
                && inner
                    .as_ref()
                    .is_none_or(|inner| assignable(inner, other, guard))
        }
        Type::Optional(inner) => {
            matches!(other, Type::Undef)
                || inner
                    .as_ref()
                    .is_none_or(|inner| assignable(inner, other, guard))
        }
        Type::Variant(types) => types.iter().any(|one| assignable(one, other, guard)),
        Type::Alias(alias) => assignable(&alias.target(), other, guard),
        Type::Scalar => is_scalar(other),
        Type::ScalarData => is_scalar_data(other),
        Type::Numeric => match other {
            Type::Numeric | Type::Integer(_) => true,
            Type::Float(range) => FloatRange::ALL.covers(range),
            _ => false,
        },
        Type::Integer(range) => matches!(other, Type::Integer(other) if range.covers(other)),
        Type::Float(range) => matches!(other, Type::Float(other) if range.covers(other)),
        Type::Boolean(value) => {
            matches!(other, Type::Boolean(other) if value.is_none() || value == other)
        }
        Type::String(text) => string(text, other),
        Type::Enum {
            values,
            insensitive,
        } => own == other || enumeration(values, *insensitive, other),
        Type::Pattern(patterns) => own == other || pattern(patterns, other),
        Type::Regexp(own) => {
            matches!(other, Type::Regexp(other) if own.is_none() || own == other)
        }
        Type::Collection(size) => collection(size.as_ref(), other),
        Type::Array { element, size } => array(element, size.as_ref(), other, guard),
        Type::Hash { key, value, size } => hash(key, value, size.as_ref(), other, guard),
        Type::Struct(members) => structure(members, other, guard),
        Type::Tuple { types, size } => {
            own == other || tuple(types, &own_size(types, size.as_ref()), other, guard)
        }
        Type::Iterable(inner) => iterable(inner.as_deref(), other, guard),
        Type::Iterator(inner) => match other {
            Type::Iterator(other) => inner.as_ref().is_none_or(|inner| {
                let other = other.as_ref();
                other.is_some_and(|other| assignable(inner, other, guard))
            }),
            _ => false,
        },
        Type::Sensitive(inner) => {
            matches!(other, Type::Sensitive(other) if assignable(inner, other, guard))
        }
        Type::Type(inner) => match (inner, other) {
            (None, Type::Type(_)) => true,
            (Some(inner), Type::Type(Some(other))) => assignable(inner, other, guard),
            _ => false,
        },
        Type::Runtime { runtime, class } => match other {
            Type::Runtime {
                runtime: other_runtime,
                class: other_class,
            } => {
                (runtime.is_none() || runtime == other_runtime)
                    && (class.is_none() || class == other_class)
            }
            _ => false,
        },
        Type::CatalogEntry => matches!(
            other,
            Type::CatalogEntry | Type::Class(_) | Type::Resource { .. }
        ),
        Type::Class(name) => matches!(other, Type::Class(other) if name.is_none() || name == other),
        Type::Resource { name, title } => match other {
            Type::Resource {
                name: other_name,
                title: other_title,
            } => {
                let lower = |name: &Option<String>| name.as_ref().map(|name| name.to_lowercase());
                name.is_none()
                    || lower(name) == lower(other_name) && (title.is_none() || title == other_title)
            }
            _ => false,
        },
        Type::Rare(rare) => match other {
            Type::Rare(other) => {
                rare.kind == other.kind && (rare.parameters.is_empty() || rare == other)
            }
            _ => false,
        },
        Type::Reference(_) => own == other,
    }
}

fn is_scalar_data(other: &Type) -> bool {
    matches!(
        other,
        Type::ScalarData
            | Type::Enum { .. }
            | Type::Numeric
            | Type::Integer(_)
            | Type::Float(_)
            | Type::String(_)
            | Type::Pattern(_)
            | Type::Boolean(_)
    )
}

fn is_scalar(other: &Type) -> bool {
    let rare = |kind: Kind| {
        matches!(
            kind,
            Kind::SemVer | Kind::SemVerRange | Kind::Timestamp | Kind::Timespan
        )
    };
    is_scalar_data(other)
        || matches!(other, Type::Scalar | Type::Regexp(_))
        || matches!(other, Type::Rare(other) if rare(other.kind))
}

fn lengths(values: &[String]) -> Option<Range> {
    let sizes = values.iter().map(|value| value.chars().count());
    Some(Range::new(sizes.clone().min()?, sizes.max()?))
}

fn string(text: &Text, other: &Type) -> bool {
    match text {
        Text::Any => matches!(
            other,
            Type::String(_) | Type::Enum { .. } | Type::Pattern(_)
        ),
        Text::Size(size) => match other {
            Type::String(Text::Size(other)) => size.covers(other),
            Type::String(Text::Value(value)) => size.covers(&Range::exactly(value.chars().count())),
            Type::String(Text::Any) | Type::Pattern(_) => size.covers(&Range::any_size()),
            Type::Enum { values, .. } => {
                size.covers(&lengths(values).unwrap_or_else(Range::any_size))
            }
            _ => false,
        },
        Text::Value(value) => match other {
            Type::String(Text::Value(other)) => value == other,
            // Puppet does not compare the member with the value.
            Type::Enum {
                values,
                insensitive,
            } => values.len() == 1 && !insensitive,
            _ => false,
        },
    }
}

/// Is the text a member of the enumeration?
pub(crate) fn is_member(values: &[String], insensitive: bool, text: &str) -> bool {
    if insensitive {
        // As `casecmp`: only letters of ASCII.
        values.iter().any(|value| value.eq_ignore_ascii_case(text))
    } else {
        values.iter().any(|value| value == text)
    }
}

fn enumeration(values: &[String], insensitive: bool, other: &Type) -> bool {
    match other {
        Type::String(_) | Type::Enum { .. } | Type::Pattern(_) if values.is_empty() => true,
        Type::String(Text::Value(text)) => is_member(values, insensitive, text),
        Type::Enum {
            values: others,
            insensitive: other_insensitive,
        } => {
            !others.is_empty()
                && (insensitive || !other_insensitive)
                && others.iter().all(|one| is_member(values, insensitive, one))
        }
        _ => false,
    }
}

fn pattern(patterns: &[Pattern], other: &Type) -> bool {
    let matches = |text: &str| {
        let mut patterns = patterns.iter();
        patterns.any(|pattern| pattern.is_match(text).unwrap_or(false))
    };
    match other {
        Type::String(_) | Type::Enum { .. } | Type::Pattern(_) if patterns.is_empty() => true,
        Type::String(Text::Value(text)) => matches(text),
        Type::Enum { values, .. } => !values.is_empty() && values.iter().all(|one| matches(one)),
        _ => false,
    }
}

fn size_or_any(size: Option<&Range>) -> Range {
    size.cloned().unwrap_or_else(Range::any_size)
}

/// The size of a tuple: as given, or the number of its types, or any if it has none.
pub(crate) fn own_size(types: &[Type], size: Option<&Range>) -> Range {
    match size {
        Some(size) => size.clone(),
        None if types.is_empty() => Range::any_size(),
        None => Range::exactly(types.len()),
    }
}

fn collection(size: Option<&Range>, other: &Type) -> bool {
    let size = size_or_any(size);
    match other {
        Type::Collection(other)
        | Type::Array { size: other, .. }
        | Type::Hash { size: other, .. } => size.covers(&size_or_any(other.as_ref())),
        Type::Tuple { types, size: other } => {
            let other = other.clone();
            size.covers(&other.unwrap_or_else(|| Range::exactly(types.len())))
        }
        Type::Struct(members) => size.covers(&Range::exactly(members.len())),
        _ => false,
    }
}

fn array(element: &Type, size: Option<&Range>, other: &Type, guard: &mut Guard) -> bool {
    match other {
        Type::Tuple { types, .. } => {
            collection(size, other) && types.iter().all(|one| assignable(element, one, guard))
        }
        Type::Array {
            element: other_element,
            ..
        } => collection(size, other) && assignable(element, other_element, guard),
        _ => false,
    }
}

fn hash(key: &Type, value: &Type, size: Option<&Range>, other: &Type, guard: &mut Guard) -> bool {
    match other {
        Type::Hash {
            key: other_key,
            value: other_value,
            size: other_size,
        } => {
            let may_be_empty = size.is_none_or(|size| size.contains_size(0));
            let is_empty = **other_key == Type::Unit
                && **other_value == Type::Unit
                && other_size.as_ref().is_some_and(Range::is_zero);
            may_be_empty && is_empty
                || assignable(key, other_key, guard)
                    && assignable(value, other_value, guard)
                    && collection(size, other)
        }
        Type::Struct(members) => {
            size_or_any(size).contains_size(members.len())
                && members.iter().all(|member| {
                    let name = Type::String(Text::Value(member.name.clone()));
                    assignable(key, &name, guard) && assignable(value, &member.value, guard)
                })
        }
        _ => false,
    }
}

fn structure(members: &[Member], other: &Type, guard: &mut Guard) -> bool {
    match other {
        Type::Struct(others) => {
            let mut matched = 0;
            let all = members.iter().all(|member| {
                match others.iter().find(|other| other.name == member.name) {
                    None => member.optional,
                    Some(other) => {
                        matched += 1;
                        (member.optional || !other.optional)
                            && assignable(&member.value, &other.value, guard)
                    }
                }
            });
            all && matched == others.len()
        }
        Type::Hash { key, value, size } => {
            let mut required = 0;
            let all = members.iter().all(|member| {
                if member.optional {
                    return true;
                }
                required += 1;
                assignable(&member.value, value, guard) && assignable(&Type::STRING, key, guard)
            });
            all && Range::new(required, members.len()).covers(&size_or_any(size.as_ref()))
        }
        _ => false,
    }
}

fn tuple(types: &[Type], size: &Range, other: &Type, guard: &mut Guard) -> bool {
    let at = |index: usize| types.get(index).or(types.last());
    match other {
        Type::Tuple {
            types: others,
            size: other_size,
        } => {
            if !size.covers(&own_size(others, other_size.as_ref())) {
                return false;
            }
            if types.is_empty() {
                return true;
            }
            if others.is_empty() {
                return size.contains_size(0);
            }
            others
                .iter()
                .enumerate()
                .all(|(index, one)| at(index).is_some_and(|own| assignable(own, one, guard)))
        }
        Type::Array {
            element,
            size: other_size,
        } => {
            let other_size = size_or_any(other_size.as_ref());
            size.covers(&other_size)
                && types
                    .iter()
                    .enumerate()
                    .take_while(|(index, _)| {
                        // Only as many types as the array can have elements.
                        Range {
                            from: None,
                            to: other_size.to.clone(),
                        }
                        .contains_size(index + 1)
                    })
                    .all(|(_, own)| assignable(own, element, guard))
        }
        _ => false,
    }
}

fn iterable(inner: Option<&Type>, other: &Type, guard: &mut Guard) -> bool {
    let any = inner.is_none_or(|inner| inner.is_assignable(&Type::Any));
    match (any, elements(other)) {
        (true, Elements::None) => false,
        (true, _) => true,
        (false, Elements::Some(element)) => {
            inner.is_some_and(|inner| assignable(inner, &element, guard))
        }
        (false, _) => false,
    }
}

/// What one gets when one iterates over a value of a type.
enum Elements {
    /// It cannot be iterated.
    None,
    /// Something of no known type.
    Unknown,
    /// Something of this type.
    Some(Type),
}

fn elements(of: &Type) -> Elements {
    let pair = |key: Type, value: Type| {
        Elements::Some(Type::tuple(vec![key, value], Some(Range::exactly(2))))
    };
    match of {
        Type::String(_) | Type::Enum { .. } => {
            Elements::Some(Type::String(Text::Size(Range::exactly(1))))
        }
        Type::Integer(_) => Elements::Some(Type::INTEGER),
        Type::Array { element, .. } if **element == Type::Any => Elements::Unknown,
        Type::Array { element, .. } => Elements::Some((**element).clone()),
        Type::Hash { key, value, size } => {
            let bare = **key == Type::Any && **value == Type::Any && size.is_none();
            if bare {
                pair(Type::Unit, Type::Unit)
            } else {
                pair((**key).clone(), (**value).clone())
            }
        }
        Type::Struct(members) if members.is_empty() => pair(Type::Unit, Type::Unit),
        Type::Struct(members) => {
            let key = |member: &Member| {
                let name = Type::String(Text::Value(member.name.clone()));
                if member.optional {
                    Type::optional(name)
                } else {
                    name
                }
            };
            let keys = members.iter().map(key).collect();
            let values = members.iter().map(|member| member.value.clone()).collect();
            pair(Type::variant(keys), Type::variant(values))
        }
        Type::Tuple { types, .. } => Elements::Some(Type::variant(types.clone())),
        Type::Collection(_) => Elements::Unknown,
        Type::Iterable(inner) | Type::Iterator(inner) => match inner {
            Some(inner) => Elements::Some((**inner).clone()),
            None => Elements::Unknown,
        },
        Type::Type(Some(inner)) => match &**inner {
            Type::Enum { .. } => Elements::Some((**inner).clone()),
            Type::Integer(range) if range.from.is_some() && range.to.is_some() => {
                Elements::Some((**inner).clone())
            }
            _ => Elements::None,
        },
        Type::Alias(alias) => elements(&alias.target()),
        _ => Elements::None,
    }
}
