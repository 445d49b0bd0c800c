//! Types as Puppet writes them.

use super::{Alias, Member, Parameter, Range, Text, Type};
use crate::regex::Pattern;
use crate::value::{Value, puppet_quoted};
use std::fmt::{self, Display, Formatter};

impl Display for Type {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("Any"),
            Self::Undef => f.write_str("Undef"),
            Self::Default => f.write_str("Default"),
            Self::Unit => f.write_str("Unit"),
            Self::Scalar => f.write_str("Scalar"),
            Self::ScalarData => f.write_str("ScalarData"),
            Self::Numeric => f.write_str("Numeric"),
            Self::CatalogEntry => f.write_str("CatalogEntry"),
            Self::NotUndef(inner) => with_literal(f, "NotUndef", inner.as_deref()),
            Self::Optional(inner) => with_literal(f, "Optional", inner.as_deref()),
            Self::Iterable(inner) => with_inner(f, "Iterable", inner.as_deref()),
            Self::Iterator(inner) => with_inner(f, "Iterator", inner.as_deref()),
            Self::Type(inner) => with_inner(f, "Type", inner.as_deref()),
            Self::Sensitive(inner) => {
                let inner = Some(&**inner).filter(|inner| **inner != Self::Any);
                with_inner(f, "Sensitive", inner)
            }
            Self::Integer(range) => parameters(f, "Integer", &range.parts()),
            Self::Float(range) => parameters(f, "Float", &range.parts()),
            Self::Boolean(None) => f.write_str("Boolean"),
            Self::Boolean(Some(value)) => write!(f, "Boolean[{value}]"),
            Self::String(Text::Size(range)) => parameters(f, "String", &range.parts()),
            Self::String(_) => f.write_str("String"),
            Self::Enum {
                values,
                insensitive,
            } => {
                let mut parts: Vec<String> = values.iter().map(|one| puppet_quoted(one)).collect();
                if *insensitive && !parts.is_empty() {
                    parts.push("true".to_owned());
                }
                parameters(f, "Enum", &parts)
            }
            Self::Pattern(patterns) => {
                let parts: Vec<String> = patterns.iter().map(Pattern::to_string).collect();
                parameters(f, "Pattern", &parts)
            }
            Self::Regexp(None) => f.write_str("Regexp"),
            Self::Regexp(Some(pattern)) => write!(f, "Regexp[{pattern}]"),
            Self::Collection(size) => parameters(f, "Collection", &sizes(size.as_ref())),
            Self::Array { element, size } => {
                if size.as_ref().is_some_and(Range::is_zero) {
                    return f.write_str("Array[0, 0]");
                }
                if **element == Self::Any && size.is_none() {
                    return f.write_str("Array");
                }
                let mut parts = vec![element.to_string()];
                parts.extend(sizes(size.as_ref()));
                parameters(f, "Array", &parts)
            }
            Self::Hash { key, value, size } => {
                if size.as_ref().is_some_and(Range::is_zero) {
                    return f.write_str("Hash[0, 0]");
                }
                if **key == Self::Any && **value == Self::Any && size.is_none() {
                    return f.write_str("Hash");
                }
                let mut parts = vec![key.to_string(), value.to_string()];
                parts.extend(sizes(size.as_ref()));
                parameters(f, "Hash", &parts)
            }
            Self::Struct(members) if members.is_empty() => f.write_str("Struct"),
            Self::Struct(members) => {
                let mut parts: Vec<(String, String)> = Vec::new();
                for (key, value) in members.iter().map(member) {
                    // If a key occurs twice, Puppet shows its last value.
                    match parts.iter_mut().find(|(known, _)| *known == key) {
                        Some((_, known)) => *known = value,
                        None => parts.push((key, value)),
                    }
                }
                let parts: Vec<String> = parts
                    .iter()
                    .map(|(key, value)| format!("{key} => {value}"))
                    .collect();
                write!(f, "Struct[{{{}}}]", parts.join(", "))
            }
            Self::Tuple { types, .. } if types.is_empty() => f.write_str("Tuple"),
            Self::Tuple { types, size } => {
                let mut parts: Vec<String> = types.iter().map(Type::to_string).collect();
                parts.extend(sizes(size.as_ref()));
                parameters(f, "Tuple", &parts)
            }
            Self::Variant(types) => {
                let parts: Vec<String> = types.iter().map(Type::to_string).collect();
                parameters(f, "Variant", &parts)
            }
            Self::Runtime {
                runtime: None,
                class: None,
            } => f.write_str("Runtime"),
            Self::Runtime { runtime, class } => {
                let runtime = runtime.as_deref().unwrap_or("undef");
                let class = class.as_deref();
                let class = class.map_or_else(|| "undef".to_owned(), puppet_quoted);
                write!(f, "Runtime[{runtime}, {class}]")
            }
            Self::Class(None) => f.write_str("Class"),
            Self::Class(Some(name)) => write!(f, "Class[{name}]"),
            Self::Resource { name: None, .. } => f.write_str("Resource"),
            Self::Resource {
                name: Some(name),
                title,
            } => match title {
                None => f.write_str(name),
                Some(title) => write!(f, "{name}[{}]", puppet_quoted(title)),
            },
            Self::Rare(rare) => {
                let parts: Vec<String> = rare.parameters.iter().map(Parameter::to_string).collect();
                parameters(f, rare.kind.name(), &parts)
            }
            // As Puppet shows them in its messages.
            Self::Alias(Alias::Module(own)) => write!(f, "{} = {}", own.name, own.target),
            Self::Alias(alias) => f.write_str(alias.name()),
            Self::Unknown(own) => f.write_str(&own.name),
            Self::Reference(text) => write!(f, "TypeReference[{}]", puppet_quoted(text)),
        }
    }
}

impl Type {
    /// The type as Ruby's `to_s` writes it, with the names of aliases alone.
    pub(crate) fn brief(&self) -> String {
        let mut text = self.to_string();
        self.seek(&mut |one| {
            if let Self::Alias(Alias::Module(own)) = one {
                text = text.replace(&one.to_string(), &own.name);
            }
            None::<()>
        });
        text
    }
}

fn sizes(size: Option<&Range>) -> Vec<String> {
    size.map(Range::parts).unwrap_or_default()
}

fn parameters(f: &mut Formatter<'_>, name: &str, parts: &[String]) -> fmt::Result {
    f.write_str(name)?;
    if parts.is_empty() {
        return Ok(());
    }
    write!(f, "[{}]", parts.join(", "))
}

fn with_inner(f: &mut Formatter<'_>, name: &str, inner: Option<&Type>) -> fmt::Result {
    match inner {
        None => f.write_str(name),
        Some(inner) => write!(f, "{name}[{inner}]"),
    }
}

/// A string that stands for itself is written in quotes here.
fn with_literal(f: &mut Formatter<'_>, name: &str, inner: Option<&Type>) -> fmt::Result {
    match inner {
        Some(Type::String(Text::Value(text))) => write!(f, "{name}[{}]", puppet_quoted(text)),
        inner => with_inner(f, name, inner),
    }
}

fn member(member: &Member) -> (String, String) {
    let name = puppet_quoted(&member.name);
    let value_optional = member.value.accepts_undef();
    let key = match (member.optional, value_optional) {
        (true, true) | (false, false) => name,
        (true, false) => format!("Optional[{name}]"),
        (false, true) => format!("NotUndef[{name}]"),
    };
    (key, member.value.to_string())
}

impl Display for Parameter {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Type(own) => write!(f, "{own}"),
            Self::Value(Value::Undef) => f.write_str("undef"),
            Self::Value(Value::String(text)) => f.write_str(&puppet_quoted(text)),
            Self::Value(Value::Symbol(name)) => f.write_str(name),
            Self::Value(other) => f.write_str(&other.inspect()),
            Self::List(items) => {
                let parts: Vec<String> = items.iter().map(Self::to_string).collect();
                write!(f, "[{}]", parts.join(", "))
            }
            Self::Hash(pairs) => {
                let pairs = pairs.iter();
                let parts: Vec<String> = pairs
                    .map(|(key, value)| format!("{key} => {value}"))
                    .collect();
                write!(f, "{{{}}}", parts.join(", "))
            }
        }
    }
}
