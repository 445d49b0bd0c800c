//! What single words and literals stand for.

use super::Parameter;
use crate::names::lower_name;
use crate::types::{Alias, Kind, Type};
use crate::value::Value;
use num_bigint::BigInt;

/// A type without parameters.
pub(super) fn named(name: &str) -> Type {
    let lower = lower_name(name);
    match lower.as_str() {
        "any" => Type::Any,
        "undef" => Type::Undef,
        "default" => Type::Default,
        "notundef" => Type::NotUndef(None),
        "optional" => Type::Optional(None),
        "scalar" => Type::Scalar,
        "scalardata" => Type::ScalarData,
        "numeric" => Type::Numeric,
        "integer" => Type::INTEGER,
        "float" => Type::FLOAT,
        "boolean" => Type::Boolean(None),
        "string" => Type::STRING,
        "enum" => Type::enumeration(Vec::new(), false),
        "pattern" => Type::Pattern(Vec::new()),
        "regexp" => Type::Regexp(None),
        "collection" => Type::Collection(None),
        "array" => Type::array(Type::Any, None),
        "hash" => Type::hash(Type::Any, Type::Any, None),
        "struct" => Type::Struct(Vec::new()),
        "tuple" => Type::tuple(Vec::new(), None),
        "variant" => Type::Variant(Vec::new()),
        "iterable" => Type::Iterable(None),
        "iterator" => Type::Iterator(None),
        "sensitive" => Type::sensitive(None),
        "type" => Type::Type(None),
        "runtime" => Type::Runtime {
            runtime: None,
            class: None,
        },
        "catalogentry" => Type::CatalogEntry,
        "class" => Type::Class(None),
        "resource" => Type::Resource {
            name: None,
            title: None,
        },
        "binary" => Type::bare(Kind::Binary),
        "timestamp" => Type::bare(Kind::Timestamp),
        "timespan" => Type::bare(Kind::Timespan),
        "semver" => Type::bare(Kind::SemVer),
        "semverrange" => Type::bare(Kind::SemVerRange),
        "uri" => Type::bare(Kind::Uri),
        "callable" => Type::bare(Kind::Callable),
        "init" => Type::bare(Kind::Init),
        "object" | "deferred" => Type::bare(Kind::Object),
        "typeset" => Type::bare(Kind::TypeSet),
        "typealias" => Type::bare(Kind::TypeAlias),
        "typereference" => Type::Reference("UnresolvedReference".to_owned()),
        "data" => Type::Alias(Alias::Data),
        "richdata" => Type::Alias(Alias::RichData),
        "richdatakey" => Type::Alias(Alias::RichDataKey),
        "puppet::lookupkey" => Type::Alias(Alias::LookupKey),
        "puppet::lookupvalue" => Type::Alias(Alias::LookupValue),
        _ => Type::Reference(name.to_owned()),
    }
}

pub(super) fn number(digits: &str) -> Value {
    // Reading into a machine's integer is quicker.
    let parsed = |digits: &str, radix| match u64::from_str_radix(digits, radix) {
        Ok(small) => BigInt::from(small),
        Err(_) => BigInt::parse_bytes(digits.as_bytes(), radix).unwrap_or_default(),
    };
    if let Some(hex) = digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
        return Value::Integer(parsed(hex, 16));
    }
    if digits.contains(['.', 'e', 'E']) {
        return Value::Float(digits.parse().unwrap_or(f64::INFINITY));
    }
    let radix = if digits.len() > 1 && digits.starts_with('0') {
        8
    } else {
        10
    };
    Value::Integer(parsed(digits, radix))
}

/// The type that stands for a parameter where one is expected.
pub(super) fn type_of(parameter: &Parameter) -> Type {
    match parameter {
        Parameter::Type(own) => own.clone(),
        // A string is the name of a class of Ruby.
        Parameter::Value(Value::String(class)) => Type::ruby(class.as_str()),
        Parameter::Value(value) => Type::of(value).generalize(),
        Parameter::List(items) => {
            let items: Vec<Type> = items.iter().map(type_of).collect();
            Type::array(
                if items.is_empty() {
                    Type::Unit
                } else {
                    Type::variant(items)
                },
                None,
            )
        }
        Parameter::Hash(_) => Type::hash(Type::Any, Type::Any, None),
    }
}

/// The class of a parameter in Ruby.
pub(super) fn class_of(parameter: &Parameter) -> String {
    match parameter {
        Parameter::Value(value) => value.class().to_owned(),
        Parameter::List(_) => "Array".to_owned(),
        Parameter::Hash(_) => "Hash".to_owned(),
        Parameter::Type(Type::Alias(_)) => "Puppet::Pops::Types::PTypeAliasType".to_owned(),
        Parameter::Type(own) => format!("Puppet::Pops::Types::P{}Type", own.simple_name()),
    }
}
