//! Values as texts, and what messages call them.

use crate::reference::{Reference, capitalized};
use puppet_types::value::puppet_quoted;
use puppet_types::{Type, Value};

/// Appends a value as strings interpolate it.
pub(super) fn text(value: &Value, out: &mut String) {
    match value {
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push_str(", ");
                }
                text(item, out);
            }
            out.push(']');
        }
        Value::Hash(pairs) => {
            out.push('{');
            for (index, (key, value)) in pairs.iter().enumerate() {
                if index > 0 {
                    out.push_str(", ");
                }
                text(key, out);
                out.push_str(" => ");
                text(value, out);
            }
            out.push('}');
        }
        Value::Regexp { .. } => out.push_str(&value.inspect()),
        Value::Object { .. } => out.push_str(&reference(value).unwrap_or_default()),
        _ => out.push_str(&value.to_text()),
    }
}

/// A value as strings interpolate it.
pub(super) fn shown(value: &Value) -> String {
    let mut out = String::new();
    text(value, &mut out);
    out
}

/// A reference as the language writes it.
fn reference(value: &Value) -> Option<String> {
    let own = Reference::of(value)?;
    let kind = capitalized(&own.kind);
    Some(if own.title.is_empty() {
        kind
    } else {
        format!("{kind}[{}]", puppet_quoted(&own.title))
    })
}

/// What messages call a value.
pub(super) fn label(value: &Value) -> String {
    match value {
        Value::Undef => "Undef Value".to_owned(),
        Value::Bool(_) => "Boolean".to_owned(),
        Value::Integer(_) => "Integer".to_owned(),
        Value::Float(_) => "Float".to_owned(),
        Value::String(_) | Value::Binary(_) => "String".to_owned(),
        Value::Array(_) | Value::Cycle => "Array".to_owned(),
        Value::Hash(_) => "Hash".to_owned(),
        Value::Regexp { .. } => "Regexp".to_owned(),
        Value::Sensitive(_) => "Sensitive".to_owned(),
        Value::Object { .. } => match Reference::of(value) {
            Some(own) if own.title.is_empty() => format!("{}-Type", capitalized(&own.kind)),
            _ => format!("{} Resource-Reference", shown(value)),
        },
        Value::Symbol(_) | Value::Proc(_) => "Object".to_owned(),
    }
}

/// The name of a value's type, without ranges.
pub(super) fn type_name(value: &Value) -> String {
    if let Some(own) = reference(value) {
        return format!("Type[{own}]");
    }
    if let Value::Array(items) = value {
        let all: Option<Vec<Reference>> = items.iter().map(Reference::of).collect();
        if let Some(all) = all
            && let Some((first, others)) = all.split_first()
        {
            let kind = capitalized(&first.kind);
            let common = if others.iter().all(|other| other == first) {
                shown(&first.to_value())
            } else if others.iter().all(|other| other.kind == first.kind) {
                kind
            } else {
                "Resource".to_owned()
            };
            return format!("Array[Type[{common}]]");
        }
    }
    Type::of(value).generalize().to_string()
}
