//! Lists and hashes.

use super::Evaluator;
use crate::error::Result;
use crate::hash::hash_of;
use crate::tree::{Expr, Node};
use puppet_types::Value;

/// What `*` makes of a value.
pub(super) fn unfolded(value: Value) -> Vec<Value> {
    match value {
        Value::Undef => Vec::new(),
        Value::Array(items) => items,
        Value::Hash(pairs) => as_lists(pairs),
        other => vec![other],
    }
}

/// The pairs of a hash as lists.
pub(super) fn as_lists(pairs: Vec<(Value, Value)>) -> Vec<Value> {
    let pairs = pairs.into_iter();
    pairs
        .map(|(key, value)| Value::Array(vec![key, value]))
        .collect()
}

/// All values in nested lists.
pub(super) fn flattened(value: Value, out: &mut Vec<Value>) {
    match value {
        Value::Array(items) => items.into_iter().for_each(|item| flattened(item, out)),
        other => out.push(other),
    }
}

/// An expression without the parentheses around it.
pub(super) fn unwrapped(expr: &Expr) -> &Expr {
    match &expr.node {
        Node::Parenthesized(inner) => unwrapped(inner),
        _ => expr,
    }
}

impl Evaluator<'_, '_> {
    /// The values of a list, unfolded where the list says so.
    pub(super) fn items(&mut self, items: &[Expr]) -> Result<Vec<Value>> {
        let mut values = Vec::with_capacity(items.len());
        for item in items {
            let inner = unwrapped(item);
            let value = self.eval(inner)?;
            match (&inner.node, value) {
                (Node::Unfold(_), Value::Array(more)) => values.extend(more),
                (_, value) => values.push(value),
            }
        }
        Ok(values)
    }

    pub(super) fn hash(&mut self, pairs: &[(Expr, Expr)], offset: usize) -> Result<Value> {
        let mut values = Vec::with_capacity(pairs.len());
        for (key, value) in pairs {
            values.push((self.eval(key)?, self.eval(value)?));
        }
        self.charge(values.len(), offset)?;
        Ok(hash_of(values))
    }
}
