//! Resources, defaults and overrides.

use super::collections::flattened;
use super::{Evaluator, describe};
use crate::compiler::Setting;
use crate::error::Result;
use crate::reference::Reference;
use crate::tree::{Body, Expr, Node, Operation};
use puppet_types::Value;
use std::collections::{HashMap, HashSet};

/// Attributes by name, in order.
#[derive(Default)]
struct Attributes {
    all: Vec<Setting>,
    known: HashMap<String, usize>,
}

impl Attributes {
    /// Sets an attribute, at its old place if it has one.
    fn set(&mut self, setting: Setting) {
        match self.known.get(&setting.name) {
            Some(&at) => self.all[at] = setting,
            None => {
                self.known.insert(setting.name.clone(), self.all.len());
                self.all.push(setting);
            }
        }
    }
}

/// A body whose titles and attributes are known.
struct Evaluated {
    titles: Vec<String>,
    attributes: Attributes,
    is_default: bool,
}

impl Evaluator<'_, '_> {
    pub(super) fn resource(
        &mut self,
        kind: &Expr,
        bodies: &[Body],
        offset: usize,
    ) -> Result<Value> {
        let kind = self.resource_kind(kind, offset)?;
        let mut used: HashSet<Option<String>> = HashSet::new();
        let mut all = Vec::with_capacity(bodies.len());
        for body in bodies {
            all.push(self.body(body, offset, &mut used)?);
        }
        let default = all.iter().find(|one| one.is_default);
        let defaults: Vec<Setting> =
            default.map_or_else(Vec::new, |one| one.attributes.all.clone());
        let mut references = Vec::new();
        for one in all {
            let mut attributes = Attributes::default();
            for setting in defaults.iter().cloned().chain(one.attributes.all) {
                attributes.set(setting);
            }
            let bytes: usize = attributes.all.iter().map(Setting::size).sum();
            for title in one.titles {
                self.charge(title.len() + bytes, offset)?;
                let reference = Reference::new(&kind, &title);
                references.push(reference.to_value());
                self.compiler.declare(reference, &attributes.all, offset)?;
            }
        }
        Ok(Value::Array(references))
    }

    fn resource_kind(&mut self, kind: &Expr, offset: usize) -> Result<String> {
        if let Node::Name(name) = &kind.node {
            if name.starts_with("::") {
                let message = format!(
                    "Error while evaluating a Resource Statement, Unknown resource type: '{name}'"
                );
                return Err(self.refuse(offset, message));
            }
            // No type that Ruby defines has such a name.
            if name.contains("::") {
                return Err(self.unsupported(offset, &format!("defined type '{name}'")));
            }
            return Ok(name.clone());
        }
        let value = self.eval(kind)?;
        let named = match &kind.node {
            Node::TypeName(_) => true,
            Node::Access(left, _) => matches!(left.node, Node::TypeName(_)),
            _ => false,
        };
        let actual = match Reference::of(&value) {
            Some(own) if named && own.title.is_empty() => return Ok(own.kind),
            Some(_) if named => describe::shown(&value),
            _ => describe::type_name(&value),
        };
        let message = format!(
            "Illegal Resource Type expression, expected result to be a type name, or untitled Resource, got {actual}"
        );
        Err(self.refuse(kind.offset, message))
    }

    fn body(
        &mut self,
        body: &Body,
        offset: usize,
        used: &mut HashSet<Option<String>>,
    ) -> Result<Evaluated> {
        let at = body.title.offset;
        let value = self.eval(&body.title)?;
        if value.is_nil() {
            let message = "Missing title. The title expression resulted in undef";
            return Err(self.refuse(at, message));
        }
        let mut values = Vec::new();
        flattened(value, &mut values);
        let mut titles = Vec::new();
        let mut is_default = false;
        for (index, value) in values.into_iter().enumerate() {
            let title = match value {
                Value::String(text) if text.is_empty() => {
                    let message = format!(
                        "Empty string title at {index}. Title strings must have a length greater than zero."
                    );
                    return Err(self.refuse(at, message));
                }
                Value::String(text) => Some(text),
                Value::Symbol(name) if name == "default" => None,
                Value::Undef => {
                    let message = format!(
                        "Missing title at index {index}. The title expression resulted in an undef title"
                    );
                    return Err(self.refuse(at, message));
                }
                other => {
                    let message = format!(
                        "Illegal title type at index {index}. Expected String, got {}",
                        describe::type_name(&other)
                    );
                    return Err(self.refuse(at, message));
                }
            };
            if !used.insert(title.clone()) {
                let message = format!(
                    "The title '{}' has already been used in this resource expression",
                    title.as_deref().unwrap_or("default")
                );
                return Err(self.refuse(offset, message));
            }
            match title {
                Some(title) => titles.push(title),
                None => is_default = true,
            }
        }
        let mut attributes = Attributes::default();
        for operation in &body.operations {
            for setting in self.operation(operation)? {
                if attributes.known.contains_key(&setting.name) {
                    let message = format!("The attribute '{}' has already been set", setting.name);
                    return Err(self.refuse(offset, message));
                }
                attributes.set(setting);
            }
        }
        Ok(Evaluated {
            titles,
            attributes,
            is_default,
        })
    }

    /// The attributes that operations set.
    fn operations(&mut self, operations: &[Operation]) -> Result<Vec<Setting>> {
        let mut settings = Vec::with_capacity(operations.len());
        for operation in operations {
            settings.extend(self.operation(operation)?);
        }
        Ok(settings)
    }

    /// The attribute that an operation sets; several with `*`.
    fn operation(&mut self, operation: &Operation) -> Result<Vec<Setting>> {
        let value = self.eval(&operation.value)?;
        let offset = operation.offset;
        if let Some(name) = &operation.name {
            return Ok(vec![Setting::new(name, value, operation.adds, offset)]);
        }
        let at = operation.value.offset;
        let Value::Hash(pairs) = value else {
            let message = format!(
                "Expected value of type Hash, got {}",
                describe::type_name(&value)
            );
            return Err(self.refuse(at, message));
        };
        let mut settings = Vec::with_capacity(pairs.len());
        for (key, value) in pairs {
            let Some(name) = key.as_str() else {
                let message = format!(
                    "The name of an attribute must be a String, got {}",
                    describe::type_name(&key)
                );
                return Err(self.refuse(at, message));
            };
            settings.push(Setting::new(name, value, false, offset));
        }
        Ok(settings)
    }

    pub(super) fn defaults(
        &mut self,
        kind: &str,
        operations: &[Operation],
        offset: usize,
    ) -> Result<Value> {
        let value = self.type_name(kind, offset)?;
        for setting in self.operations(operations)? {
            self.compiler.set_default(kind, setting)?;
        }
        Ok(value)
    }

    pub(super) fn overrides(
        &mut self,
        resources: &Expr,
        operations: &[Operation],
        offset: usize,
    ) -> Result<Value> {
        let value = self.eval(resources)?;
        let settings = self.operations(operations)?;
        let mut all = Vec::new();
        let kept = self.copy(&value, offset)?;
        flattened(value, &mut all);
        for one in &all {
            let Some(reference) = Reference::of(one) else {
                let message = format!(
                    "Resource Override can only operate on resources, got: {}",
                    describe::label(one)
                );
                return Err(self.refuse(offset, message));
            };
            self.compiler.override_with(reference, &settings, offset)?;
        }
        Ok(kept)
    }
}
