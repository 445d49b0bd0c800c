//! Equality and order of values.

use super::numbers::Number;
use crate::hash::Lookup;
use puppet_types::Value;
use std::cmp::Ordering;

/// Is one equal to the other? Strings in ASCII are whatever their case.
pub(super) fn equal(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::String(one), Value::String(other)) => one.eq_ignore_ascii_case(other),
        (Value::Integer(_) | Value::Float(_), Value::Integer(_) | Value::Float(_)) => {
            match (Number::of(one), Number::of(other)) {
                (Some(Number::Integer(one)), Some(Number::Integer(other))) => one == other,
                (Some(one), Some(other)) => one.float() == other.float(),
                _ => false,
            }
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| equal(one, other))
        }
        (Value::Hash(one), Value::Hash(others)) => {
            if one.len() != others.len() {
                return false;
            }
            let others = Lookup::new(others);
            one.iter().all(|(key, value)| equal(others.get(key), value))
        }
        _ => one == other,
    }
}

/// Which one is greater?
///
/// # Errors
/// Why they have no order.
pub(super) fn order(one: &Value, other: &Value) -> Result<Ordering, &'static str> {
    match (one, other) {
        (Value::String(one), Value::String(other)) => {
            let lower = |text: &str| text.to_ascii_lowercase();
            Ok(lower(one).cmp(&lower(other)))
        }
        (Value::String(_), _) => Err("A String is not comparable to a non String"),
        (Value::Integer(_) | Value::Float(_), Value::Integer(_) | Value::Float(_)) => {
            match (Number::of(one), Number::of(other)) {
                (Some(Number::Integer(one)), Some(Number::Integer(other))) => Ok(one.cmp(&other)),
                (Some(one), Some(other)) => one
                    .float()
                    .partial_cmp(&other.float())
                    .ok_or("undefined method `<' for nil:NilClass"),
                _ => Err("A Numeric is not comparable to non Numeric"),
            }
        }
        (Value::Integer(_) | Value::Float(_), _) => {
            Err("A Numeric is not comparable to non Numeric")
        }
        (Value::Symbol(one), Value::Symbol(other)) => Ok(one.cmp(other)),
        (Value::Symbol(_), _) => Err("Symbol not comparable to non Symbol"),
        _ => Err("Only Strings, Numbers, Timespans, Timestamps, and Versions are comparable"),
    }
}
