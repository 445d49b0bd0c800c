//! What is known of a resource before it is changed.

use super::declared::{declared, settings};
use super::in_session::InSession;
use crate::deferred::{Encoded, Evaluation, Form, Is};
use puppet_protocol::absent;
use puppet_runtime::{Resource, Runtime, Strict};
use puppet_types::Value;

/// A resource, its state and its target.
pub(super) struct Known {
    pub resource: Resource,
    /// The row, if there is one.
    pub row: Option<Value>,
    pub target: Value,
}

impl Known {
    /// Asks for all of that. `None` if the provider fails, or Puppet refuses the resource.
    pub fn of(caller: &mut InSession<'_>, evaluation: &Evaluation) -> Option<Self> {
        let sink = &mut |_| {};
        let mut runtime = Runtime::new(caller, settings(evaluation, Strict::Off), sink);
        let mut resource = runtime.declared(&declared(evaluation)).ok()?;
        let current = runtime.current(&mut resource).ok()?;
        let target = runtime.target(&mut resource).ok()?;
        let row = resource.is_found().then_some(current);
        Some(Known {
            resource,
            row,
            target,
        })
    }

    /// A change of this form. `None` if it would not be true.
    pub fn change(&self, form: &Form) -> Option<Value> {
        let mut members = Vec::new();
        match (form.is, &self.row) {
            (Is::Row, Some(row)) => members.push(("is", row.clone())),
            (Is::Nil, None) => members.push(("is", Value::Undef)),
            (Is::Missing, _) => {}
            (Is::Row, None) | (Is::Nil, Some(_)) => return None,
        }
        if form.should {
            members.push(("should", self.target_with(&form.more)));
        }
        Some(Value::hash(members))
    }

    /// The target with other values of some attributes.
    fn target_with(&self, more: &[(String, Encoded)]) -> Value {
        let own = self.target.as_hash().unwrap_or_default().iter();
        let is_other = |key: &Value| more.iter().any(|(name, _)| key.as_symbol() == Some(name));
        let own = own.filter(|(key, _)| !is_other(key)).cloned();
        let more = more
            .iter()
            .map(|(name, value)| (Value::symbol(name), value.0.clone()));
        Value::Hash(own.chain(more).collect())
    }

    /// The state of the resource if it has no row.
    pub fn absent(&self) -> Value {
        let is_ensurable = self.resource.definition().is_ensurable();
        absent(&self.resource.name(), is_ensurable)
    }
}
