//! Access to parts of values, and references: `$x[0]`, `Package_key['a']`.

use super::collections::flattened;
use super::numbers::Number;
use super::{Evaluator, describe};
use crate::bounds::size;
use crate::check::with_article;
use crate::error::Result;
use crate::hash::Lookup;
use crate::reference::Reference;
use crate::tree::Expr;
use num_traits::ToPrimitive as _;
use puppet_types::Value;

impl Evaluator<'_, '_> {
    pub(super) fn access(&mut self, left: &Expr, keys: &[Expr]) -> Result<Value> {
        let value = self.eval(left)?;
        let mut values = Vec::with_capacity(keys.len());
        for key in keys {
            values.push(self.eval(key)?);
        }
        if let Some(own) = Reference::of(&value) {
            return self.referenced(&own, values, left, keys);
        }
        match value {
            Value::Hash(pairs) => self.of_hash(&pairs, &values, left.offset),
            Value::Array(items) => {
                let at = self.positions(values, left, keys, "Array")?;
                let (single, start, length) = span(&at, items.len());
                if single {
                    let index = start.and_then(|start| items.into_iter().nth(start));
                    return Ok(index.unwrap_or(Value::Undef));
                }
                let skipped = items.into_iter().skip(start.unwrap_or(usize::MAX));
                Ok(Value::Array(skipped.take(length).collect()))
            }
            Value::String(text) => {
                let at = self.positions(values, left, keys, "String")?;
                let (_, start, length) = span(&at, text.chars().count());
                let skipped = text.chars().skip(start.unwrap_or(usize::MAX));
                Ok(Value::String(skipped.take(length).collect()))
            }
            other => {
                let message = format!(
                    "Operator '[]' is not applicable to {}.",
                    with_article(&describe::label(&other))
                );
                Err(self.refuse(left.offset, message))
            }
        }
    }

    fn of_hash(
        &mut self,
        pairs: &[(Value, Value)],
        keys: &[Value],
        offset: usize,
    ) -> Result<Value> {
        if let [key] = keys {
            let found = pairs.iter().find(|(own, _)| own == key);
            return Ok(found.map_or(Value::Undef, |(_, value)| value.clone()));
        }
        let known = Lookup::new(pairs);
        let found = keys.iter().map(|key| known.get(key));
        let found = found.filter(|value| !value.is_nil());
        let found: Vec<Value> = found.cloned().collect();
        self.charge(found.iter().map(size).sum(), offset)?;
        Ok(Value::Array(found))
    }

    /// One or two integers as keys.
    fn positions(
        &self,
        keys: Vec<Value>,
        left: &Expr,
        exprs: &[Expr],
        what: &str,
    ) -> Result<Vec<i64>> {
        let mut flat = Vec::new();
        flattened(Value::Array(keys), &mut flat);
        if !matches!(flat.len(), 1 | 2) {
            let message = format!(
                "{what} supports [] with one or two arguments. Got {}",
                flat.len()
            );
            return Err(self.refuse(left.offset, message));
        }
        let mut positions = Vec::new();
        for (index, key) in flat.iter().enumerate() {
            let offset = exprs
                .get(index)
                .or(exprs.first())
                .map_or(left.offset, |expr| expr.offset);
            let number = if what == "Array" {
                Some(self.number(key, offset)?)
            } else {
                Number::of(key)
            };
            let Some(Number::Integer(number)) = number else {
                let actual =
                    number.map_or_else(|| key_type(key), |own| key_type(&own.into_value()));
                let message = if what == "Array" {
                    format!("An Array[] cannot use {actual} where Integer is expected")
                } else {
                    format!(
                        "A substring operation does not accept {} as a character index. Expected an Integer",
                        with_article(&actual)
                    )
                };
                return Err(self.refuse(offset, message));
            };
            positions.push(number.to_i64().unwrap_or(i64::MAX));
        }
        Ok(positions)
    }

    /// References to resources of a type.
    fn referenced(
        &mut self,
        own: &Reference,
        keys: Vec<Value>,
        left: &Expr,
        exprs: &[Expr],
    ) -> Result<Value> {
        if !own.title.is_empty() {
            return Err(self.unsupported(left.offset, "access to attributes of resources"));
        }
        let several = keys.len() > 1 || matches!(keys.first(), Some(Value::Array(_)));
        let count = keys.len();
        let mut titles = Vec::new();
        flattened(Value::Array(keys), &mut titles);
        titles.retain(|title| !title.is_nil());
        let mut references = Vec::new();
        for (index, title) in titles.iter().enumerate() {
            let Some(text) = title.as_str() else {
                let at = if count == titles.len() {
                    index
                } else {
                    index + 1
                };
                let offset = exprs
                    .get(at)
                    .or(exprs.first())
                    .map_or(left.offset, |expr| expr.offset);
                let message = format!(
                    "Error creating type specialization of {}, Cannot use {} where a resource title String is expected",
                    with_article(&describe::label(&own.to_value())),
                    key_type(title)
                );
                return Err(self.refuse(offset, message));
            };
            references.push(Reference::new(&own.kind, text).to_value());
        }
        if several {
            return Ok(Value::Array(references));
        }
        Ok(references.pop().unwrap_or(Value::Undef))
    }
}

/// What messages call the type of a key.
fn key_type(value: &Value) -> String {
    describe::type_name(value)
}

/// Whether one element is meant, the first, and how many.
fn span(at: &[i64], length: usize) -> (bool, Option<usize>, usize) {
    let total = i64::try_from(length).unwrap_or(i64::MAX);
    let first = at.first().copied().unwrap_or(0);
    let mut start = if first < 0 {
        total.saturating_add(first)
    } else {
        first
    };
    let Some(&second) = at.get(1) else {
        return (true, usize::try_from(start).ok(), 1);
    };
    let mut count = if second < 0 {
        total
            .saturating_sub(start)
            .saturating_add(second)
            .saturating_add(1)
    } else {
        second
    };
    if start < 0 {
        count = count.saturating_add(start);
        start = 0;
    }
    let count = usize::try_from(count).unwrap_or(0);
    (false, usize::try_from(start).ok(), count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_count_from_both_ends() {
        assert_eq!(span(&[-1], 3), (true, Some(2), 1));
        assert_eq!(span(&[-4], 3), (true, None, 1));
        assert_eq!(span(&[1, -1], 3), (false, Some(1), 2));
        assert_eq!(span(&[-5, 3], 3), (false, Some(0), 1));
    }
}
