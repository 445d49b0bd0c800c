//! Operators with two operands.

use super::collections::as_lists;
use super::numbers::Number;
use super::{Evaluator, compare, describe};
use crate::bounds::size;
use crate::check::with_article;
use crate::error::Result;
use crate::hash::hash_of;
use crate::reference::Reference;
use crate::tree::{Expr, Operator};
use num_bigint::BigInt;
use num_traits::{ToPrimitive, Zero};
use puppet_types::Value;
use puppet_types::regex::{Fault, Pattern};

impl Evaluator<'_, '_> {
    pub(super) fn binary(
        &mut self,
        operator: Operator,
        left: &Expr,
        right: &Expr,
        offset: usize,
    ) -> Result<Value> {
        let (one, other) = (self.eval(left)?, self.eval(right)?);
        let of_types = Reference::of(&one).is_some();
        Ok(Value::Bool(match operator {
            Operator::Equal => compare::equal(&one, &other),
            Operator::NotEqual => !compare::equal(&one, &other),
            Operator::Less | Operator::LessEqual | Operator::Greater | Operator::GreaterEqual => {
                if of_types {
                    return Err(self.unsupported(offset, "comparison of types"));
                }
                self.compared(operator, &one, &other, offset)?
            }
            Operator::Match => self.matches(&one, &other, left, right)?,
            Operator::NoMatch => !self.matches(&one, &other, left, right)?,
            Operator::In => self.includes(&other, &one, right.offset)?,
            _ => return self.calculated(operator, one, other, (left, right, offset)),
        }))
    }

    fn compared(
        &self,
        operator: Operator,
        one: &Value,
        other: &Value,
        offset: usize,
    ) -> Result<bool> {
        let order = match compare::order(one, other) {
            Ok(order) => order,
            Err(detail) => {
                let message = format!(
                    "Comparison of: {} {} {}, is not possible. Caused by '{detail}'.",
                    describe::label(one),
                    operator.sign(),
                    describe::label(other)
                );
                return Err(self.refuse(offset, message));
            }
        };
        Ok(match operator {
            Operator::Less => order.is_lt(),
            Operator::LessEqual => order.is_le(),
            Operator::Greater => order.is_gt(),
            _ => order.is_ge(),
        })
    }

    fn matches(&self, one: &Value, other: &Value, left: &Expr, right: &Expr) -> Result<bool> {
        if Reference::of(other).is_some() {
            return Err(self.unsupported(right.offset, "match with a type"));
        }
        let Some(pattern) = Pattern::of(other) else {
            let message = format!(
                "Can not convert right match operand to a regular expression. Caused by 'no implicit conversion of {} into String'.",
                ruby_class(other)
            );
            return Err(self.refuse(right.offset, message));
        };
        if let Some(Fault::Invalid(detail)) = pattern.fault() {
            let message = format!(
                "Can not convert right match operand to a regular expression. Caused by '{detail}'."
            );
            return Err(self.refuse(right.offset, message));
        }
        let Some(text) = one.as_str() else {
            let message = format!(
                "Left match operand must result in a String value. Got {}.",
                with_article(&describe::label(one))
            );
            return Err(self.refuse(left.offset, message));
        };
        self.pattern_matches(&pattern, text, right.offset)
    }

    pub(super) fn pattern_matches(
        &self,
        pattern: &Pattern,
        text: &str,
        offset: usize,
    ) -> Result<bool> {
        pattern.is_match(text).map_err(|undecided| {
            let message = format!("The regular expression cannot be used: {undecided}");
            self.source
                .error(crate::error::Kind::Unsupported, offset, message)
        })
    }

    /// Is a value in a string, a list, or the keys of a hash?
    fn includes(&self, whole: &Value, part: &Value, offset: usize) -> Result<bool> {
        match (whole, part) {
            (Value::String(whole), Value::String(part)) => {
                Ok(whole.to_lowercase().contains(&part.to_lowercase()))
            }
            (Value::String(text), Value::Regexp { .. }) => {
                self.any_matches(std::iter::once(text.as_str()), part, offset)
            }
            (Value::Array(items), Value::Regexp { .. }) => {
                self.any_matches(items.iter().filter_map(Value::as_str), part, offset)
            }
            (Value::Array(items), Value::String(_)) => {
                for item in items {
                    if self.option_matches(part, item, offset)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            (Value::Array(items), _) => Ok(items.iter().any(|item| compare::equal(item, part))),
            (Value::Hash(pairs), _) => {
                let keys = pairs.iter().map(|(key, _)| key.clone()).collect();
                self.includes(&Value::Array(keys), part, offset)
            }
            _ => Ok(false),
        }
    }

    fn any_matches<'v>(
        &self,
        texts: impl Iterator<Item = &'v str>,
        pattern: &Value,
        offset: usize,
    ) -> Result<bool> {
        let Some(pattern) = Pattern::of(pattern) else {
            return Ok(false);
        };
        for text in texts {
            if self.pattern_matches(&pattern, text, offset)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    pub(super) fn negated(&mut self, inner: &Expr, offset: usize) -> Result<Value> {
        let value = self.eval(inner)?;
        let number = self.number(&value, offset)?;
        Ok(match number {
            Number::Integer(number) => Value::Integer(-number),
            Number::Float(number) => Value::Float(-number),
        })
    }

    pub(super) fn number(&self, value: &Value, offset: usize) -> Result<Number> {
        Number::of(value).ok_or_else(|| {
            let shown = ruby_text(value);
            self.refuse(
                offset,
                format!("The value '{shown}' cannot be converted to Numeric."),
            )
        })
    }

    fn calculated(
        &mut self,
        operator: Operator,
        one: Value,
        other: Value,
        (left, right, offset): (&Expr, &Expr, usize),
    ) -> Result<Value> {
        self.charge(size(&one) + size(&other), offset)?;
        match (operator, one) {
            (Operator::Plus, Value::Array(mut items)) => {
                items.extend(listed(other));
                Ok(Value::Array(items))
            }
            (Operator::Minus, Value::Array(items)) => {
                let gone = listed(other);
                self.charge(items.len().saturating_mul(gone.len()), offset)?;
                let kept = items.into_iter().filter(|item| !gone.contains(item));
                Ok(Value::Array(kept.collect()))
            }
            (Operator::LeftShift, Value::Array(mut items)) => {
                items.push(other);
                Ok(Value::Array(items))
            }
            (Operator::Plus, Value::Hash(pairs)) => self.merged(pairs, other, offset),
            (Operator::Minus, Value::Hash(pairs)) => {
                let gone: Vec<Value> = match other {
                    Value::Array(items) => items,
                    Value::Hash(pairs) => pairs.into_iter().map(|(key, _)| key).collect(),
                    other => vec![other],
                };
                self.charge(pairs.len().saturating_mul(gone.len()), offset)?;
                let kept = pairs.into_iter().filter(|(key, _)| !gone.contains(key));
                Ok(Value::Hash(kept.collect()))
            }
            (Operator::LeftShift, value @ Value::Hash(_)) => {
                Err(self.not_applicable(operator, &value, left.offset))
            }
            (_, one) => {
                let first = self.number(&one, left.offset)?;
                let second = self.number(&other, right.offset)?;
                self.arithmetic(operator, first, second, (left, right, offset))
            }
        }
    }

    fn merged(&self, pairs: Vec<(Value, Value)>, other: Value, offset: usize) -> Result<Value> {
        let more = match other {
            Value::Hash(more) => more,
            Value::Array(items) => {
                let lists =
                    !items.is_empty() && items.iter().all(|item| matches!(item, Value::Array(_)));
                let pairs = if lists {
                    in_pairs(items)
                } else {
                    alternating(items)
                };
                let Some(pairs) = pairs else {
                    let message =
                        "Error while evaluating a '+' expression, odd number of arguments for Hash";
                    return Err(self.refuse(offset, message));
                };
                pairs
            }
            _ => return Err(self.refuse(
                offset,
                "Error while evaluating a '+' expression, Can only append Array or Hash to a Hash",
            )),
        };
        Ok(hash_of(pairs.into_iter().chain(more)))
    }

    fn not_applicable(
        &self,
        operator: Operator,
        value: &Value,
        offset: usize,
    ) -> Box<crate::error::Error> {
        let message = format!(
            "Operator '{}' is not applicable to {}.",
            operator.sign(),
            with_article(&describe::label(value))
        );
        self.refuse(offset, message)
    }

    fn arithmetic(
        &self,
        operator: Operator,
        first: Number,
        second: Number,
        (left, right, offset): (&Expr, &Expr, usize),
    ) -> Result<Value> {
        let (one, other) = match (first, second) {
            (Number::Integer(one), Number::Integer(other)) => (one, other),
            (Number::Integer(one), Number::Float(other))
                if matches!(operator, Operator::LeftShift | Operator::RightShift) =>
            {
                // Ruby drops the fraction.
                (
                    one,
                    BigInt::from(other.trunc().to_i64().unwrap_or(i64::MAX)),
                )
            }
            (first, second) => return self.of_floats(operator, &first, &second, left.offset),
        };
        let zero = other.is_zero();
        let result = match operator {
            Operator::Plus => one + other,
            Operator::Minus => one - other,
            Operator::Times => one * other,
            Operator::Divide | Operator::Modulo if zero => {
                return Err(self.refuse(right.offset, "Division by 0"));
            }
            Operator::Divide => floored(&one, &other).0,
            Operator::Modulo => floored(&one, &other).1,
            _ => {
                let by = other.to_i64().unwrap_or(i64::MAX);
                let by = if operator == Operator::LeftShift {
                    by
                } else {
                    by.saturating_neg()
                };
                shifted(&one, by)
            }
        };
        if result.to_i64().is_none() {
            let bound = if result > BigInt::zero() {
                "max"
            } else {
                "min"
            };
            let sign = if bound == "max" { "+" } else { "-" };
            let message = format!(
                "A '{}' expression resulted in a value outside of Puppet Integer {bound} range, got '{sign}0x{:x}'",
                operator.sign(),
                result.magnitude()
            );
            return Err(self.refuse(offset, message));
        }
        Ok(Value::Integer(result))
    }

    fn of_floats(
        &self,
        operator: Operator,
        first: &Number,
        second: &Number,
        offset: usize,
    ) -> Result<Value> {
        let (one, other) = (first.float(), second.float());
        let result = match operator {
            Operator::Plus => one + other,
            Operator::Minus => one - other,
            Operator::Times => one * other,
            Operator::Divide => one / other,
            Operator::Modulo if matches!(first, Number::Integer(_)) => {
                let message =
                    "Operator '%' is not applicable to an Integer when right side is a Float.";
                return Err(self.refuse(offset, message));
            }
            _ => {
                let value = first.clone().into_value();
                return Err(self.not_applicable(operator, &value, offset));
            }
        };
        if result.is_infinite() {
            let message = format!(
                "The result of the {} expression is Infinity",
                operator.sign()
            );
            return Err(self.refuse(offset, message));
        }
        Ok(Value::Float(result))
    }
}

/// What is added to a list, or taken from it.
fn listed(value: Value) -> Vec<Value> {
    match value {
        Value::Array(items) => items,
        Value::Hash(pairs) => as_lists(pairs),
        other => vec![other],
    }
}

/// Lists of two as pairs.
fn in_pairs(items: Vec<Value>) -> Option<Vec<(Value, Value)>> {
    let pair = |item: Value| match item {
        Value::Array(two) => match <[Value; 2]>::try_from(two) {
            Ok([key, value]) => Some((key, value)),
            Err(mut one) => one
                .pop()
                .filter(|_| one.is_empty())
                .map(|key| (key, Value::Undef)),
        },
        _ => None,
    };
    items.into_iter().map(pair).collect()
}

/// Keys and values in turn.
fn alternating(items: Vec<Value>) -> Option<Vec<(Value, Value)>> {
    let mut pairs = Vec::new();
    let mut items = items.into_iter();
    while let Some(key) = items.next() {
        pairs.push((key, items.next()?));
    }
    Some(pairs)
}

/// Quotient and remainder, as Ruby rounds them: down.
fn floored(one: &BigInt, other: &BigInt) -> (BigInt, BigInt) {
    let (quotient, remainder) = (one / other, one % other);
    let negative = |number: &BigInt| *number < BigInt::zero();
    if !remainder.is_zero() && negative(&remainder) != negative(other) {
        (quotient - 1, remainder + other)
    } else {
        (quotient, remainder)
    }
}

/// Shifts left, or right if the distance is negative.
fn shifted(number: &BigInt, by: i64) -> BigInt {
    if by < 0 {
        // Nothing but the sign is left of a number of Puppet's.
        let by = by.unsigned_abs().min(100);
        number >> by
    } else if number.is_zero() {
        BigInt::zero()
    } else {
        // Beyond that, the result is out of range anyway.
        number << by.min(4096)
    }
}

fn ruby_class(value: &Value) -> &str {
    match value {
        Value::Undef => "nil",
        Value::Bool(true) => "true",
        Value::Bool(false) => "false",
        _ => value.class(),
    }
}

/// What Ruby's `to_s` gives.
fn ruby_text(value: &Value) -> String {
    match value {
        Value::Object { .. } => describe::shown(value),
        _ => value.to_text(),
    }
}
