//! Relations between resources: `->`, `~>`, `<-`, `<~`.

use super::collections::flattened;
use super::{Evaluator, describe};
use crate::check::with_article;
use crate::compiler::Relation;
use crate::error::Result;
use crate::reference::Reference;
use crate::tree::{Edge, Expr};
use puppet_types::Value;
use std::collections::HashSet;

/// How many bytes a relation takes, roughly.
const PAIR: usize = 128;

impl Evaluator<'_, '_> {
    pub(super) fn relation(&mut self, first: &Expr, rest: &[(Edge, usize, Expr)]) -> Result<Value> {
        let mut left = self.eval(first)?;
        for (edge, offset, operand) in rest {
            let right = self.eval(operand)?;
            let before = self.operands(left, *offset)?;
            let after = self.operands(right, *offset)?;
            let pairs = before.len().saturating_mul(after.len());
            self.charge(pairs.saturating_mul(PAIR), *offset)?;
            let (sources, targets) = if edge.reverse {
                (&after, &before)
            } else {
                (&before, &after)
            };
            for source in sources {
                for target in targets {
                    self.compiler.relate(Relation {
                        source: source.clone(),
                        target: target.clone(),
                        notifies: edge.notifies,
                        offset: *offset,
                    });
                }
            }
            let result = if after.is_empty() { before } else { after };
            left = Value::Array(result.iter().map(Reference::to_value).collect());
        }
        Ok(left)
    }

    /// The resources that an operand names, each once.
    fn operands(&self, value: Value, offset: usize) -> Result<Vec<Reference>> {
        let mut values = Vec::new();
        flattened(value, &mut values);
        let mut known = HashSet::new();
        let mut references = Vec::new();
        for value in &values {
            let Some(reference) = Reference::of(value) else {
                if value.as_str().is_some() {
                    return Err(self.unsupported(offset, "relation with a string"));
                }
                let message = format!(
                    "Illegal relationship operand, can not form a relationship with {}. A Catalog type is required.",
                    with_article(&describe::label(value))
                );
                return Err(self.refuse(offset, message));
            };
            if known.insert(reference.clone()) {
                references.push(reference);
            }
        }
        Ok(references)
    }
}
