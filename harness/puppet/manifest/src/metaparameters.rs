//! Parameters as catalogs hold them, and metaparameters that all types share.

use crate::catalog::{Parameter, RELATIONS};
use crate::reference::Reference;
use puppet_types::Value;

/// A value without the wrapper that hides it.
pub(crate) fn revealed(value: &Value) -> &Value {
    match value {
        Value::Sensitive(inner) => inner,
        other => other,
    }
}

/// The reference that a value of a relation is.
///
/// # Errors
/// What Puppet says if it is none.
pub(crate) fn reference(value: &Value) -> Result<Reference, String> {
    let known = Reference::of(value).filter(|own| !own.title.is_empty());
    let text = || match value {
        Value::Object { text, .. } => text.clone(),
        _ => value.to_text(),
    };
    known
        .or_else(|| Reference::read(&text()))
        .ok_or_else(|| no_reference(&text()))
}

/// What Puppet says of a text that is no reference.
pub(crate) fn no_reference(text: &str) -> String {
    let quoted = Value::string(text).inspect();
    format!("No title provided and {quoted} is not a valid resource reference")
}

/// A parameter. In the values of relations, texts are references.
///
/// # Errors
/// What Puppet says of a text that is none.
pub(crate) fn parameter(name: &str, value: Value) -> Result<Parameter, String> {
    if RELATIONS.contains(&name) {
        let mut references = Vec::new();
        references_in(revealed(&value), &mut references)?;
        return Ok(Parameter::References(references));
    }
    let value = match value {
        Value::Array(items) if items.iter().any(names_resource) => {
            let mut flat = Vec::new();
            items.into_iter().for_each(|item| flatten(item, &mut flat));
            Value::Array(flat)
        }
        other => other,
    };
    let references = match &value {
        Value::Array(items) if !items.is_empty() => items.iter().map(titled).collect(),
        other => titled(other).map(|own| vec![own]),
    };
    Ok(references.map_or(Parameter::Value(value), Parameter::References))
}

fn titled(value: &Value) -> Option<Reference> {
    Reference::of(value).filter(|own| !own.title.is_empty())
}

/// Is a resource named in it, or in lists within it?
fn names_resource(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(names_resource),
        other => Reference::of(other).is_some(),
    }
}

fn flatten(value: Value, out: &mut Vec<Value>) {
    match value {
        Value::Array(items) => items.into_iter().for_each(|item| flatten(item, out)),
        other => out.push(other),
    }
}

fn references_in(value: &Value, out: &mut Vec<Reference>) -> Result<(), String> {
    match value {
        Value::Undef => {}
        Value::Array(items) => items.iter().try_for_each(|item| references_in(item, out))?,
        other => out.push(reference(other)?),
    }
    Ok(())
}

const LEVELS: [&str; 9] = [
    "debug", "info", "notice", "warning", "err", "alert", "emerg", "crit", "verbose",
];

/// What is wrong with the value of a metaparameter that all types check in the same way.
pub(crate) fn problem(name: &str, value: &Value, of: &Reference) -> Option<String> {
    let allowed: &[&str] = match name {
        "noop" => &["true", "false"],
        "loglevel" => &LEVELS,
        _ => return None,
    };
    let value = revealed(value);
    // Puppet checks no value that is false.
    if *value == Value::Bool(false) {
        return None;
    }
    let text = match value {
        Value::Bool(own) => own.to_string(),
        other => other.to_text(),
    };
    (!allowed.contains(&text.as_str())).then(|| {
        format!(
            "Parameter {name} failed on {of}: Invalid value {}. Valid values are {}.",
            value.inspect(),
            allowed.join(", ")
        )
    })
}
