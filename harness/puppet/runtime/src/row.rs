//! A row that a provider returned, read as Ruby reads it.

use crate::fault::{Fault, Raised};
use puppet_types::Value;

/// The name of a row: its namevar, or a hash of its namevars.
pub(crate) fn name(namevars: &[String], row: &Value) -> Result<Value, Fault> {
    match namevars {
        [one] => member(row, one),
        [] => Ok(Value::Undef),
        all => {
            let mut members = Vec::new();
            for name in all {
                members.push((Value::symbol(name.as_str()), member(row, name)?));
            }
            Ok(Value::Hash(members))
        }
    }
}

/// The member of a row, as `row[:name]`.
pub(crate) fn member(row: &Value, name: &str) -> Result<Value, Fault> {
    match row {
        Value::Hash(_) => Ok(row.get(name).cloned().unwrap_or(Value::Undef)),
        Value::Undef => Err(no_method("[]", row)),
        Value::Array(_) | Value::String(_) => Err(no_index()),
        other => Err(Raised::new(
            "NoMethodError",
            format!(
                "undefined method `[]' for {}:{}",
                other.inspect(),
                other.class()
            ),
        )
        .into()),
    }
}

/// What Ruby raises if an array is asked for a symbol.
pub(crate) fn no_index() -> Fault {
    Raised::new("TypeError", "no implicit conversion of Symbol into Integer").into()
}

/// What Ruby raises if a value lacks a method.
pub(crate) fn no_method(name: &str, receiver: &Value) -> Fault {
    let class = receiver.class();
    let message = format!(
        "undefined method `{name}' for {}:{class}",
        receiver.inspect()
    );
    Raised::new("NoMethodError", message).into()
}
