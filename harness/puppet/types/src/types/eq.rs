//! When Puppet takes two types for equal.

use super::{Member, Type};

/// Do both have the same members, whatever their order?
fn same_members<T: PartialEq>(one: &[T], other: &[T]) -> bool {
    one.len() == other.len() && one.iter().all(|member| other.contains(member))
}

impl PartialEq for Member {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.optional == other.optional && self.value == other.value
    }
}

impl PartialEq for Type {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Any, Self::Any)
            | (Self::Undef, Self::Undef)
            | (Self::Default, Self::Default)
            | (Self::Unit, Self::Unit)
            | (Self::Scalar, Self::Scalar)
            | (Self::ScalarData, Self::ScalarData)
            | (Self::Numeric, Self::Numeric)
            | (Self::CatalogEntry, Self::CatalogEntry) => true,
            (Self::NotUndef(one), Self::NotUndef(other))
            | (Self::Optional(one), Self::Optional(other))
            | (Self::Iterable(one), Self::Iterable(other))
            | (Self::Iterator(one), Self::Iterator(other))
            | (Self::Type(one), Self::Type(other)) => one == other,
            (Self::Integer(one), Self::Integer(other)) => one == other,
            (Self::Float(one), Self::Float(other)) => one == other,
            (Self::Boolean(one), Self::Boolean(other)) => one == other,
            (Self::String(one), Self::String(other)) => one == other,
            (
                Self::Enum {
                    values: one,
                    insensitive: one_insensitive,
                },
                Self::Enum {
                    values: other,
                    insensitive: other_insensitive,
                },
            ) => one == other && one_insensitive == other_insensitive,
            (Self::Pattern(one), Self::Pattern(other)) => same_members(one, other),
            (Self::Regexp(one), Self::Regexp(other)) => one == other,
            (Self::Collection(one), Self::Collection(other)) => one == other,
            (
                Self::Array {
                    element: one,
                    size: one_size,
                },
                Self::Array {
                    element: other,
                    size: other_size,
                },
            ) => one == other && one_size == other_size,
            (
                Self::Hash { key, value, size },
                Self::Hash {
                    key: other_key,
                    value: other_value,
                    size: other_size,
                },
            ) => key == other_key && value == other_value && size == other_size,
            (Self::Struct(one), Self::Struct(other)) => one == other,
            (
                Self::Tuple { types, size },
                Self::Tuple {
                    types: other,
                    size: other_size,
                },
            ) => types == other && size == other_size,
            (Self::Variant(one), Self::Variant(other)) => same_members(one, other),
            (Self::Sensitive(one), Self::Sensitive(other)) => one == other,
            (
                Self::Runtime { runtime, class },
                Self::Runtime {
                    runtime: other,
                    class: other_class,
                },
            ) => runtime == other && class == other_class,
            (Self::Class(one), Self::Class(other)) => one == other,
            (
                Self::Resource { name, title },
                Self::Resource {
                    name: other,
                    title: other_title,
                },
            ) => {
                name.as_ref().map(|name| name.to_lowercase())
                    == other.as_ref().map(|name| name.to_lowercase())
                    && title == other_title
            }
            (Self::Rare(one), Self::Rare(other)) => one == other,
            (Self::Alias(one), Self::Alias(other)) => one == other,
            (Self::Unknown(one), Self::Unknown(other)) => one == other,
            (Self::Reference(one), Self::Reference(other)) => one == other,
            _ => false,
        }
    }
}
