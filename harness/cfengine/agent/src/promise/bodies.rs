//! Replaces the names of bodies by the bodies' attributes.

use super::Expanded;
use crate::context::{Agent, Frame, Variable};
use crate::data::Data;
use crate::expand::NOWHERE;
use crate::functions;
use crate::log::Severity;
use crate::program::{Attribute, Body, Bundle, Promise, is_known_body};
use crate::scan;
use crate::stop::{Step, Stop};
use crate::value::{Call, Kind, Text, Value};
use cfengine_policy::syntax::{Type, syntax};
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

/// The longest chain of bodies through `inherit_from`.
const DEEPEST: usize = 30;

/// A body and its arguments.
struct Link {
    body: Rc<Body>,
    arguments: Vec<Value>,
}

impl Agent {
    /// The promise with its bodies in place and `@(lists)` flattened.
    pub(super) fn with_bodies(
        &mut self,
        promise: &Rc<Promise>,
        bundle: &Rc<Bundle>,
    ) -> Step<Expanded> {
        let promisee = promise.promisee.as_ref().map(|promisee| match promisee {
            Value::List(items) => Value::List(Rc::new(self.flatten(items))),
            other => other.clone(),
        });
        let mut out = Expanded {
            written: promise.clone(),
            bundle: bundle.clone(),
            promiser: promise.promiser.clone(),
            promisee,
            attributes: Vec::with_capacity(promise.attributes.len()),
            comment: None,
        };
        for attribute in &promise.attributes {
            self.place_attribute(attribute, &mut out)?;
        }
        self.default_bodies(&mut out)?;
        Ok(out)
    }

    fn place_attribute(&mut self, attribute: &Attribute, out: &mut Expanded) -> Step<()> {
        let (name, arguments) = match &attribute.value {
            Value::Scalar(name) if attribute.bare => (name.clone(), None),
            Value::Call(call) => (call.name.clone(), Some(call.arguments.clone())),
            _ => {
                let value = self.laid_open(&attribute.value);
                out.set(&attribute.name, value);
                return Ok(());
            }
        };
        let (namespace, plain) = self.qualified(&name);
        let program = self.program.clone();
        let Some(body) = program.body(&attribute.name, &namespace, &plain) else {
            if attribute.bare {
                self.complain_of_bundle(attribute, &name, out);
            }
            out.set(&attribute.name, attribute.value.clone());
            return Ok(());
        };
        let chain = self.chain(body)?;
        self.enter_body(body, arguments.as_deref().unwrap_or_default(), out)?;
        let called = arguments.is_some_and(|arguments| !arguments.is_empty());
        let placed = self.place_body(attribute, body, called, &chain, out);
        self.leave();
        placed
    }

    fn place_body(
        &mut self,
        attribute: &Attribute,
        body: &Rc<Body>,
        called: bool,
        chain: &[Link],
        out: &mut Expanded,
    ) -> Step<()> {
        let custom = !is_known_body(&body.kind);
        if !custom {
            out.set(
                &format!("{}_name", attribute.name).into(),
                Value::Scalar(body.name.clone()),
            );
            out.set(&attribute.name, Value::text("true"));
        }
        let has_parameters = !body.parameters.is_empty();
        if !has_parameters && called {
            let what = format!(
                "The body '{}' has no parameters, and is given some at line {} of {}",
                body.name, out.written.line, out.bundle.path
            );
            return Err(self.aborts(&what));
        }
        if has_parameters && !called {
            let message = format!(
                "Argument mismatch for body reference '{}' in promise at line {} of file '{}'",
                body.name, out.written.line, out.bundle.path
            );
            self.say(Severity::Error, message);
        }
        let mut container = crate::map::Map::default();
        for link in chain {
            for (name, value) in self.body_attributes(link, has_parameters)? {
                if custom {
                    container.insert(name, value.to_data());
                } else {
                    out.set(&name, value);
                }
            }
        }
        if custom {
            out.set(&attribute.name, Value::data(Data::Object(container)));
        }
        Ok(())
    }

    /// A body's attributes whose guards hold, with parameters replaced. Variables are only expanded
    /// if the named body has parameters.
    fn body_attributes(&mut self, link: &Link, expand: bool) -> Step<Vec<(Text, Value)>> {
        let parameters = link.body.parameters.iter().cloned();
        let arguments = link.arguments.iter().filter_map(Value::scalar).cloned();
        let map: HashMap<Text, Text> = parameters.zip(arguments).collect();
        let mut out = Vec::with_capacity(link.body.attributes.len());
        for attribute in &link.body.attributes {
            if &*attribute.name == "inherit_from" || !self.holds(attribute.guard.as_ref()) {
                continue;
            }
            let mut value = self.rewrite(&attribute.value, &map);
            if !expand && let Value::List(items) = &value {
                value = Value::List(Rc::new(self.flatten(items)));
            }
            if expand {
                value = self.expand_value(&value, (None, Some("body")))?;
            }
            out.push((attribute.name.clone(), value));
        }
        Ok(out)
    }

    /// A value of an inherited body with its parameters replaced. If a text has references but none
    /// of them is a parameter, 3.21.0 uses what is in memory: the last replaced text, or nothing.
    fn rewrite(&mut self, value: &Value, map: &HashMap<Text, Text>) -> Value {
        if map.is_empty() {
            return value.clone();
        }
        match value {
            Value::Scalar(text) if scan::next_reference(text).is_none() => value.clone(),
            Value::Scalar(text) => {
                let (rewritten, replaced) = rewrite_text(text, map);
                if replaced || self.by_specification() || !self.release().mangles_inherited {
                    self.rewritten = rewritten;
                }
                Value::Scalar(self.rewritten.clone())
            }
            Value::List(items) => {
                let items = items.iter().map(|item| self.rewrite(item, map));
                Value::List(Rc::new(items.collect()))
            }
            Value::Call(call) => {
                let arguments = call.arguments.iter().map(|item| self.rewrite(item, map));
                Value::Call(Rc::new(Call {
                    arguments: arguments.collect(),
                    name: call.name.clone(),
                }))
            }
            Value::Data(_) => value.clone(),
        }
    }

    fn enter_body(&mut self, body: &Rc<Body>, arguments: &[Value], out: &Expanded) -> Step<()> {
        self.frames
            .push(Frame::Body(crate::context::body_frame(body)));
        if body.parameters.len() != arguments.len() {
            let message = format!(
                "Argument arity mismatch in body '{}' at line {} in file '{}', expected {}, got {}",
                body.name,
                out.written.line,
                out.bundle.path,
                body.parameters.len(),
                arguments.len()
            );
            self.say(Severity::Error, message);
            return Ok(());
        }
        for (parameter, argument) in body.parameters.iter().zip(arguments) {
            let (kind, value) = match argument {
                Value::Scalar(text) => (self.text_kind(text), argument.clone()),
                Value::Call(call) if !functions::is_known(&call.name) => {
                    return Err(Stop::Fatal(format!(
                        "Argument '{}' given to body '{}' is not a valid function",
                        call.name, body.name
                    )));
                }
                Value::Call(call) => match self.called_by_none(call)? {
                    Some(value) => (functions::kind_of(&call.name), value),
                    None => {
                        self.verbose(|| {
                            format!(
                                "Embedded function argument does not resolve to a name - probably too many evaluation levels for '{}'",
                                call.name
                            )
                        });
                        continue;
                    }
                },
                other => (Kind::StringList, other.clone()),
            };
            self.put_body(
                parameter,
                Variable {
                    kind,
                    value,
                    tags: Rc::default(),
                    comment: None,
                    promise: None,
                },
            );
        }
        Ok(())
    }

    /// Calls a function that is a body's argument. No promise is known as the caller.
    fn called_by_none(&mut self, call: &Rc<Call>) -> Step<Option<Value>> {
        let before = std::mem::replace(&mut self.uncalled, true);
        let value = self.call(call);
        self.uncalled = before;
        value
    }

    /// The type of a text's expansion.
    fn text_kind(&mut self, text: &Text) -> Kind {
        let name = scan::naked(text, b'@').or_else(|| scan::naked(text, b'$'));
        let reference = name.map(|name| self.reference(name, NOWHERE));
        let found = reference.and_then(|reference| self.find(&reference));
        found.map_or(Kind::String, |found| found.kind())
    }

    /// The body and the bodies that it inherits from, the most distant one first.
    fn chain(&mut self, body: &Rc<Body>) -> Step<Vec<Link>> {
        // The body's own parameters are variables in the scope `body`.
        let mut chain = vec![Link {
            body: body.clone(),
            arguments: Vec::new(),
        }];
        let program = self.program.clone();
        let mut current = body.clone();
        loop {
            let own = &current.name;
            if chain.len() > DEEPEST {
                let depth = chain.len();
                return self.end_inheritance(&format!(
                    "body inheritance chain depth {depth} in body {own} is too much"
                ));
            }
            let inherited = current.attributes.iter();
            let Some(inherited) = inherited.rev().find(|a| &*a.name == "inherit_from") else {
                break;
            };
            let (name, given) = match &inherited.value {
                Value::Scalar(name) => (name.clone(), Vec::new()),
                Value::Call(call) => (call.name.clone(), call.arguments.clone()),
                _ => break,
            };
            let (namespace, name) = self.qualified(&name);
            if *name == **own {
                return self.end_inheritance(&format!("self body inheritance in {own}->{name}"));
            }
            let Some(parent) = program.body(&body.kind, &namespace, &name) else {
                break;
            };
            if parent.parameters.len() != given.len() {
                return Err(Stop::Fatal(format!(
                    "Argument count mismatch for body (gave {} arguments) vs. inherited body '{}:{}' (requires {} arguments)",
                    given.len(),
                    parent.namespace,
                    parent.name,
                    parent.parameters.len()
                )));
            }
            current = parent.clone();
            chain.push(Link {
                body: parent.clone(),
                arguments: given,
            });
        }
        chain.reverse();
        Ok(chain)
    }

    fn end_inheritance<T>(&mut self, why: &str) -> Step<T> {
        let message = format!("EvalContextAppendBodyParentsAndArgs: {why}, aborting");
        self.say(Severity::Error, message);
        Err(Stop::Exit(1))
    }

    /// Applies the default bodies: `body perms files_perms` in the namespace `bodydefault` applies
    /// if a promise names no `perms`. As in cf-agent 3.21.0, the naming attribute stays absent.
    /// Code that asks whether the attribute exists (`copy_from`) therefore ignores the default.
    fn default_bodies(&mut self, out: &mut Expanded) -> Step<()> {
        const KINDS: [&str; 2] = ["classes", "action"];
        if let Some(kind) = KINDS.into_iter().find(|kind| {
            let items = out.get(kind).map(Value::items);
            items.flatten().is_some()
        }) {
            let message = format!(
                "Anomalous type mismatch - type l for bundle constraint '{kind}' did not match internals"
            );
            self.say(Severity::Error, message);
            self.say_place(Severity::Error, out);
            return Err(Stop::Fatal("Aborted".into()));
        }
        let program = self.program.clone();
        if !program.has_defaults {
            return Ok(());
        }
        let own = syntax().promise_type(&out.bundle.component, &out.written.kind);
        let own = own.iter().flat_map(|own| own.attributes.iter());
        let bodies = own.filter(|(_, constraint)| constraint.kind == Type::Body);
        let bodies: BTreeSet<_> = bodies.map(|(kind, _)| *kind).collect();
        for kind in bodies.into_iter().chain(["action", "classes"]) {
            if out.get(kind).is_some() {
                continue;
            }
            let name = format!("{}_{kind}", out.written.kind);
            let Some(body) = program.body(kind, "bodydefault", &name) else {
                continue;
            };
            self.say(
                Severity::Verbose,
                format!("Using the default body: {name:>60}"),
            );
            for attribute in &body.attributes {
                if self.holds(attribute.guard.as_ref()) {
                    let value = self.expand_value(&attribute.value, (None, Some("body")))?;
                    out.set(&attribute.name, value);
                }
            }
        }
        Ok(())
    }

    fn laid_open(&mut self, value: &Value) -> Value {
        match value {
            Value::List(items)
                if items
                    .iter()
                    .any(|i| i.scalar().is_none_or(|t| t.contains('@'))) =>
            {
                Value::List(Rc::new(self.flatten(items)))
            }
            other => other.clone(),
        }
    }

    /// Namespace and name of a body or bundle that the current frame refers to.
    pub(crate) fn qualified(&self, name: &str) -> (Text, Text) {
        match name.split_once(':') {
            Some((namespace, name)) => (namespace.into(), name.into()),
            None => {
                let namespace = self.namespace().cloned();
                (namespace.unwrap_or_else(|| "default".into()), name.into())
            }
        }
    }

    fn complain_of_bundle(&mut self, attribute: &Attribute, name: &Text, out: &Expanded) {
        let (namespace, plain) = self.qualified(name);
        let found = [&*attribute.name, "agent", "common"]
            .into_iter()
            .any(|kind| self.program.bundle(kind, &namespace, &plain).is_some());
        if !found && !matches!(&*attribute.name, "if" | "ifvarclass") {
            let message = format!(
                "Apparent bundle '{name}' was undeclared, but used in a promise near line {} of {} (possible unquoted literal value)",
                out.written.line, out.bundle.path
            );
            self.say(Severity::Error, message);
        }
    }
}

/// Replaces parameters. Arguments may name parameters again, so this repeats up to ten times. Also
/// returns whether anything was replaced.
fn rewrite_text(text: &Text, map: &HashMap<Text, Text>) -> (Text, bool) {
    let mut text = text.clone();
    let mut any = false;
    for _ in 0..10 {
        let mut out = String::with_capacity(text.len());
        let mut rest = &*text;
        let mut replaced = false;
        while let Some(at) = scan::next_reference(rest) {
            let close = if rest.as_bytes()[at + 1] == b'(' {
                ')'
            } else {
                '}'
            };
            let inside = &rest[at + 2..];
            let end = inside.find(close);
            let known = end.and_then(|end| Some((end, map.get(&inside[..end])?)));
            match known {
                Some((end, value)) => {
                    out.push_str(&rest[..at]);
                    out.push_str(value);
                    rest = &inside[end + 1..];
                    replaced = true;
                }
                None => {
                    out.push_str(&rest[..at + 2]);
                    rest = inside;
                }
            }
        }
        out.push_str(rest);
        text = out.into();
        any |= replaced;
        if !replaced {
            break;
        }
    }
    (text, any)
}
