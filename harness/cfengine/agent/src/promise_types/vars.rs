//! `vars`, `meta` and `defaults` promises.

use crate::context::{Agent, LAST_PASS, Reference, Variable};
use crate::functions;
use crate::log::Severity;
use crate::number;
use crate::outcome::Outcome;
use crate::program::Bundle;
use crate::promise::Expanded;
use crate::scan;
use crate::stop::{Step, Stop};
use crate::value::{Kind, Text, Value};
use std::rc::Rc;

/// The definition of a variable in a promise.
struct Definition {
    kind: Kind,
    value: Value,
    constant: bool,
    only_defined: bool,
}

impl Agent {
    /// Defines a variable, as far as that is possible yet.
    pub(crate) fn define_variable(&mut self, promise: &Rc<Expanded>) -> Step<Outcome> {
        if self.checking {
            self.read_action(promise);
        }
        let Some(definition) = self.definition(promise)? else {
            return Ok(Outcome::Kept);
        };
        let bundle = &promise.bundle;
        let home = (Some(&*bundle.namespace), Some(&*bundle.name));
        let mut reference = self.reference(&promise.promiser, home);
        if &*promise.written.kind == "meta" {
            let scope = reference.scope.as_deref().unwrap_or_default();
            reference.scope = Some(format!("{scope}_meta").into());
        }
        let existing = if scan::is_expandable(&promise.promiser) {
            None
        } else {
            self.find_value(&reference)
        };
        let Some(value) = self.defined_value(promise, &definition, existing.is_some())? else {
            return Ok(Outcome::Kept);
        };
        let value = match value {
            Ok(value) => value,
            Err(outcome) => return Ok(outcome),
        };
        if self.is_paradox(&reference, &promise.promiser, &value, 0)? {
            let name = &promise.promiser;
            let message =
                format!("Variable '{name}' contains itself indirectly - an unkeepable promise");
            self.say(Severity::Error, message);
            return Err(Stop::Exit(1));
        }
        let home = (reference.namespace.as_deref(), reference.scope.as_deref());
        let value = self.settle(&value, home, true)?;
        if let Some((_, old)) = &existing
            && definition.constant
        {
            self.say_constant(promise, old, &value);
            return Ok(Outcome::Kept);
        }
        if scan::has_variables(&promise.promiser) {
            return Ok(Outcome::Kept);
        }
        if !self.is_legal_name(promise) {
            let message = format!("Variable identifier '{}' is not legal", promise.promiser);
            self.say(Severity::Error, message);
            self.say_place(Severity::Error, promise);
            return Ok(Outcome::Kept);
        }
        self.store(promise, &reference, &definition, value)
    }

    fn store(
        &mut self,
        promise: &Expanded,
        reference: &Reference,
        definition: &Definition,
        mut value: Value,
    ) -> Step<Outcome> {
        if let Value::List(items) = &value {
            if definition.only_defined {
                let defined = |item: &&Value| {
                    item.scalar()
                        .is_none_or(|text| scan::naked(text, b'@').is_none())
                };
                value = Value::List(Rc::new(items.iter().filter(defined).cloned().collect()));
            } else if items.iter().any(|item| item.scalar().is_none()) {
                return Ok(Outcome::Kept);
            }
        }
        if !reference.indices.is_empty() && definition.kind == Kind::Data {
            let message = format!(
                "Cannot assign a container to an indexed variable name '{}'. Should be assigned to '{}' instead",
                reference.show(),
                reference.name
            );
            self.say(Severity::Error, message);
            return Ok(Outcome::Kept);
        }
        if !reference.indices.is_empty() && self.is_part_of_container(reference) {
            let base = Reference {
                indices: Vec::new(),
                ..reference.clone()
            };
            let message = format!(
                "Cannot assign value to indexed variable name '{}', because a container is already assigned to the base name '{}'",
                reference.show(),
                base.show()
            );
            self.say(Severity::Error, message);
            return Ok(Outcome::Kept);
        }
        if !definition.kind.fits(&value) {
            let message = format!(
                "Variable '{}' expected a variable of type '{}', but was given incompatible value '{}'",
                reference.show(),
                definition.kind.word(),
                value.show(false)
            );
            self.say(Severity::Error, message);
            self.say_place(Severity::Error, promise);
            return Ok(Outcome::Failed);
        }
        if let Value::Data(data) = &value {
            value = Value::data(self.copied(crate::data::Data::clone(data))?);
        }
        if promise
            .get("meta")
            .is_some_and(|tags| tags.items().is_none())
        {
            return Err(self.no_list("meta", promise));
        }
        let comment = promise.comment.clone();
        let mut tags: Vec<Text> = vec!["source=promise".into()];
        tags.extend(promise.texts("meta"));
        let variable = Variable {
            kind: definition.kind,
            value,
            tags: Rc::new(tags),
            comment: comment.clone(),
            promise: Some(promise.written.clone()),
        };
        if !self.put(reference, variable)? {
            self.verbose(|| {
                format!(
                    "Unable to converge {}.{} value (possibly empty or infinite regression)",
                    reference.scope.as_deref().unwrap_or_default(),
                    promise.promiser
                )
            });
            self.say_place(Severity::Verbose, promise);
            return Ok(Outcome::Failed);
        }
        if let Some(comment) = comment {
            let name = &promise.promiser;
            self.verbose(|| format!("Added variable '{name}' with comment '{comment}'"));
        }
        self.note_outcome(Outcome::Kept, promise);
        Ok(Outcome::Kept)
    }

    fn is_part_of_container(&self, reference: &Reference) -> bool {
        let found = self.find(reference);
        found.is_some_and(|found| found.kind() == Kind::Data)
    }

    /// The definition, if the promise has one and its conditions hold.
    fn definition(&mut self, promise: &Expanded) -> Step<Option<Definition>> {
        let mut found = None;
        let (mut constant, mut only_defined) = (false, false);
        let mut values = 0;
        for (name, value) in &promise.attributes {
            match (&**name, value) {
                ("if" | "ifvarclass", Value::Scalar(text)) => {
                    if !self.is_defined(text) {
                        return Ok(None);
                    }
                }
                ("if" | "ifvarclass", Value::Call(call)) => {
                    let Some(Value::Scalar(text)) = self.call(call)? else {
                        return Ok(None);
                    };
                    if !self.is_defined(&text) {
                        return Ok(None);
                    }
                }
                ("policy", Value::Scalar(policy)) => match &**policy {
                    "ifdefined" => only_defined = true,
                    "constant" => constant = true,
                    _ => {}
                },
                (name, value) => {
                    if let Some(kind) = Kind::named(name) {
                        values += 1;
                        found = Some((kind, value.clone()));
                    }
                }
            }
        }
        let Some((kind, value)) = found else {
            let message = format!("Incomplete vars promise: {}", promise.promiser);
            self.say(Severity::Warning, message);
            self.say_place(Severity::Info, promise);
            return Ok(None);
        };
        if values > 2 {
            let message = format!(
                "Variable '{}' breaks its own promise with multiple ({values}) values",
                promise.promiser
            );
            self.say(Severity::Error, message);
            self.say_place(Severity::Error, promise);
            return Ok(None);
        }
        Ok(Some(Definition {
            kind,
            value,
            constant,
            only_defined,
        }))
    }

    /// Evaluates the value's function call; gives an outcome if the value is malformed.
    fn defined_value(
        &mut self,
        promise: &Expanded,
        definition: &Definition,
        exists: bool,
    ) -> Step<Option<Result<Value, Outcome>>> {
        let value = match &definition.value {
            Value::Call(call) => {
                if !functions::is_known(&call.name) {
                    return Err(Stop::Fatal(format!(
                        "While setting variable '{}' in bundle '{}', unknown function '{}'",
                        promise.promiser, promise.bundle.name, call.name
                    )));
                }
                if functions::kind_of(&call.name) != definition.kind {
                    return Err(Stop::Fatal(format!(
                        "While setting variable '{}' in bundle '{}', variable declared type '{}' but function '{}' returns type '{}'",
                        promise.promiser,
                        promise.bundle.name,
                        definition.kind.word(),
                        call.name,
                        functions::kind_of(&call.name).word()
                    )));
                }
                if exists {
                    return Ok(None);
                }
                match self.call(call)? {
                    Some(value) => value,
                    None => {
                        if self.pass == LAST_PASS {
                            self.verbose(|| {
                                format!(
                                    "While setting variable '{}' in bundle '{}', function '{}' failed - skipping",
                                    promise.promiser, promise.bundle.name, call.name
                                )
                            });
                        }
                        return Ok(None);
                    }
                }
            }
            Value::Scalar(text) if definition.kind == Kind::Int => match self.int(text) {
                Some(number) => Value::text(number.to_string()),
                None => return Ok(Some(Err(Outcome::Failed))),
            },
            Value::Scalar(text) if definition.kind == Kind::Real => match self.real(text) {
                Some(number) => Value::text(number::shown(number)),
                None => return Ok(Some(Err(Outcome::Failed))),
            },
            Value::List(items) => Value::List(Rc::new(self.flatten(items))),
            other => other.clone(),
        };
        Ok(Some(Ok(value)))
    }

    /// Whether a variable's value refers to the variable itself.
    fn is_paradox(
        &mut self,
        reference: &Reference,
        name: &Text,
        value: &Value,
        level: u32,
    ) -> Step<bool> {
        match value {
            Value::Scalar(text) => {
                if scan::refers_to(text, name) {
                    let message = format!(
                        "Scalar variable '{name}' contains itself (non-convergent) '{text}'"
                    );
                    self.say(Severity::Error, message);
                    return Ok(true);
                }
                if !scan::has_variables(text) {
                    return Ok(false);
                }
                let home = (reference.namespace.as_deref(), reference.scope.as_deref());
                let expanded = self.expand_text(text, home)?;
                if expanded == *text || level > 3 {
                    return Ok(false);
                }
                self.is_paradox(reference, name, &Value::Scalar(expanded), level + 1)
            }
            Value::List(items) => {
                for item in items.iter() {
                    if self.is_paradox(reference, name, item, level)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            _ => Ok(false),
        }
    }

    fn say_constant(&mut self, promise: &Expanded, old: &Value, new: &Value) {
        if old == new {
            return;
        }
        match (old, new) {
            (Value::Scalar(old), Value::Scalar(new)) => self.verbose(|| {
                format!(
                    "V: Skipping redefinition of constant scalar '{}': from '{old}' to '{new}'",
                    promise.promiser
                )
            }),
            (_, Value::List(_)) => self.verbose(|| {
                format!(
                    "V: Skipping redefinition of constant list '{}'",
                    promise.promiser
                )
            }),
            _ => return,
        }
        self.say_place(Severity::Verbose, promise);
    }

    /// Whether the name has only letters, digits, `_`, dots and an index, and no other bundle's
    /// scope.
    fn is_legal_name(&mut self, promise: &Expanded) -> bool {
        let name = &promise.promiser;
        let head = name.find('[').map_or(&**name, |at| &name[..at]);
        let word = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.') || b >= 0x80;
        let index = &name[head.len()..];
        let indexed = index.is_empty() || (index.len() > 2 && index.ends_with(']'));
        if head.is_empty() || !head.bytes().all(word) || !indexed {
            return false;
        }
        let Some((prefix, _)) = head.split_once('.') else {
            return true;
        };
        if prefix == &*promise.bundle.name {
            return true;
        }
        self.verbose(|| {
            format!("Variable '{name}' may be attempted to be injected into a remote bundle")
        });
        if self.loaded && self.program.bundles.iter().any(|b| *b.name == *prefix) {
            let message = "Remote bundle variable injection detected!";
            self.say(Severity::Error, message);
            return false;
        }
        let injected = self.remote.entry(prefix.into()).or_default();
        injected.push(promise.written.clone());
        true
    }

    /// Removes variables that other bundles set in a bundle before it was loaded.
    pub(crate) fn remove_injected(&mut self, bundle: &Bundle) {
        let Some(promises) = self.remote.get(&bundle.name).cloned() else {
            return;
        };
        let mut injected = Vec::new();
        // A promise that is recorded twice is reported twice.
        for promise in promises {
            let from = |variable: &Variable| {
                let by = variable.promise.as_ref();
                by.is_some_and(|by| Rc::ptr_eq(by, &promise))
            };
            let variables = self.variables.in_order(None, Some(&bundle.name));
            let found = variables.into_iter().filter(|(_, variable)| from(variable));
            injected.extend(found.map(|(reference, _)| reference));
        }
        for reference in injected {
            let message = format!("Ignoring remotely-injected variable '{}'", reference.name);
            self.say(Severity::Error, message);
            self.variables.remove(&reference);
        }
    }

    /// Gives a variable a default if it has no value or a wrong one.
    pub(crate) fn define_default(&mut self, promise: &Rc<Expanded>) -> Step<Outcome> {
        let pattern = promise.text("if_match_regex").cloned();
        let reference = self.reference(&promise.promiser, (None, Some("this")));
        match (self.find_value(&reference), pattern) {
            (Some((_, Value::Scalar(_))), None) => return Ok(Outcome::Kept),
            (Some((_, Value::Scalar(text))), Some(pattern))
                if pattern != text && !self.matches_anew(&pattern, &text) =>
            {
                return Ok(Outcome::Kept);
            }
            (Some((_, Value::List(items))), Some(pattern)) => {
                let texts: Vec<_> = items.iter().filter_map(Value::scalar).cloned().collect();
                let matches = |text: &Text| pattern == *text || self.matches_anew(&pattern, text);
                if !texts.iter().any(matches) {
                    return Ok(Outcome::Kept);
                }
            }
            _ => {}
        }
        let bundle = &promise.bundle;
        let home = (Some(&*bundle.namespace), Some(&*bundle.name));
        let reference = self.reference(&promise.promiser, home);
        self.remove(&reference);
        self.define_variable(promise)
    }
}
