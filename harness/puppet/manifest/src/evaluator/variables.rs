//! Variables: what they hold, and assignments.

use super::Evaluator;
use crate::bounds::size;
use crate::error::Result;
use crate::tree::{Expr, Node};
use puppet_types::Value;

/// Variables that Puppet sets itself; what they hold depends on the node.
const OF_THE_NODE: [&str; 7] = [
    "facts",
    "trusted",
    "server_facts",
    "environment",
    "serverversion",
    "servername",
    "serverip",
];

/// Variables that a manifest cannot assign.
fn built_in(name: &str) -> Option<&'static str> {
    match name {
        "title" | "name" => Some("main"),
        "module_name" => Some(""),
        _ => None,
    }
}

impl Evaluator<'_, '_> {
    pub(super) fn variable(&mut self, name: &str, offset: usize) -> Result<Value> {
        let plain = name.strip_prefix("::").unwrap_or(name);
        if let Some(value) = self.variables.get(plain) {
            let parts = size(value);
            let value = value.clone();
            self.charge(parts, offset)?;
            return Ok(value);
        }
        if let Some(text) = built_in(plain) {
            return Ok(Value::string(text));
        }
        if name.starts_with(|one: char| one.is_ascii_digit()) {
            return Err(self.unsupported(offset, &format!("match variable '${name}'")));
        }
        if OF_THE_NODE.contains(&plain) {
            return Err(self.unsupported(offset, &format!("variable '${name}' of the node")));
        }
        let message = format!(
            "Unknown variable: '{name}'. Puppet only warns of it, but facts and variables of classes are not known here: \
             if it is one, compile the catalog with Puppet and give Stickler the JSON"
        );
        Err(self.refuse(offset, message))
    }

    pub(super) fn assign(&mut self, left: &Expr, right: &Expr, offset: usize) -> Result<Value> {
        let value = self.eval(right)?;
        let kept = self.copy(&value, offset)?;
        self.assign_value(left, kept, offset)?;
        Ok(value)
    }

    fn assign_value(&mut self, left: &Expr, value: Value, offset: usize) -> Result<()> {
        match &left.node {
            Node::Variable(name) => self.set(name, value, offset),
            Node::List(names) => self.assign_several(names, value, offset),
            _ => Err(self.refuse(
                left.offset,
                "Illegal attempt to assign. Not an assignable reference",
            )),
        }
    }

    fn assign_several(&mut self, names: &[Expr], value: Value, offset: usize) -> Result<()> {
        if let Value::Hash(pairs) = value {
            for name in names {
                let Node::Variable(key) = &name.node else {
                    return Err(self.unsupported(offset, "assignment of a hash to nested lists"));
                };
                let mut of_key = pairs.iter().filter(|(own, _)| own.as_str() == Some(key));
                let Some((_, value)) = of_key.next() else {
                    let message = format!(
                        "No value for required key '{key}' in assignment to variables from hash"
                    );
                    return Err(self.refuse(offset, message));
                };
                let value = self.copy(value, offset)?;
                self.set(key, value, offset)?;
            }
            return Ok(());
        }
        let values = match value {
            Value::Array(items) => items,
            other => vec![other],
        };
        if values.len() != names.len() {
            let message = format!(
                "Mismatched number of assignable entries and values, expected {}, got {}",
                names.len(),
                values.len()
            );
            return Err(self.refuse(offset, message));
        }
        for (name, value) in names.iter().zip(values) {
            self.assign_value(name, value, offset)?;
        }
        Ok(())
    }

    fn set(&mut self, name: &str, value: Value, offset: usize) -> Result<()> {
        let message = match name {
            "facts" | "trusted" | "server_facts" => {
                format!("Attempt to assign to a reserved variable name: '${name}'")
            }
            "title" | "name" => {
                format!("Cannot reassign built in (or already assigned) variable '${name}'")
            }
            "environment" | "module_name" => format!("Cannot reassign variable '${name}'"),
            _ if self.variables.contains_key(name) => {
                format!("Cannot reassign variable '${name}'")
            }
            _ => {
                self.variables.insert(name.to_owned(), value);
                return Ok(());
            }
        };
        Err(self.refuse(offset, message))
    }
}
