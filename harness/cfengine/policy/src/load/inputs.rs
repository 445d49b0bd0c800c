//! The inputs of a policy.

use super::{Loader, Value};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::tree::{Body, Policy, Rval};
use crate::variable;

/// An input to load.
pub(super) enum Next {
    Name(String),
    Unknown,
}

impl Loader<'_> {
    /// The items of a control body's `inputs`: those under the first guard that holds. A note if
    /// that is unknown.
    pub(super) fn inputs(&self, control: &Body) -> Result<Vec<Rval>, Diagnostic> {
        let mut all = control.attributes();
        let found = all.find_map(|(guard, attribute)| {
            if &*attribute.name.text != "inputs" {
                return None;
            }
            match self.resolve.holds(guard, &self.known) {
                Some(true) => Some(Ok(attribute)),
                Some(false) => None,
                None => Some(Err(Diagnostic::new(
                    attribute.span,
                    "these inputs were not followed: it is not known whether their guard holds",
                ))),
            }
        });
        match found.transpose()? {
            Some(attribute) => match &attribute.value {
                Rval::List(list) => Ok(list.items.clone()),
                _ => Ok(Vec::new()),
            },
            None => Ok(Vec::new()),
        }
    }

    /// Whether a policy ignores missing files.
    pub(super) fn ignores_missing(&self, policy: &Policy) -> bool {
        let Some(control) = policy.control("common") else {
            return false;
        };
        control.attributes().any(|(guard, attribute)| {
            if &*attribute.name.text != "ignore_missing_inputs" {
                return false;
            }
            let text = attribute.value.scalar();
            let value = text.map(|text| self.value(text, attribute.span));
            let yes =
                matches!(value, Some(Value::Text(yes)) if ["true", "yes", "on"].contains(&&*yes));
            yes && self.resolve.holds(guard, &self.known) == Some(true)
        })
    }

    fn value(&self, text: &str, place: Span) -> Value {
        self.resolve.value(text, place, &self.known, self.sources)
    }

    /// The file names in an item. As in cf-agent, calls and variables without a value give none.
    pub(super) fn names(&self, item: &Rval) -> Vec<Next> {
        let Some(text) = item.scalar() else {
            return Vec::new();
        };
        match self.value(text, item.span()) {
            Value::Text(name) if variable::holds(&name) == Some(true) => Vec::new(),
            Value::Text(name) => vec![Next::Name(name)],
            Value::List(names) => names.into_iter().map(Next::Name).collect(),
            Value::Unknown => vec![Next::Unknown],
        }
    }
}
