//! Looks up variables by name.

use super::reference::is_special;
use super::{Agent, Frame, Reference, Variable};
use crate::data::Data;
use crate::expand::Home;
use crate::log::Severity;
use crate::stop::Step;
use crate::value::{Kind, Text, Value};
use std::rc::Rc;

/// The most bytes that a variable's name may have.
const LONGEST: usize = 1024;

/// The result of a lookup.
pub(crate) enum Found<'a> {
    /// A variable.
    Variable(&'a Variable),
    /// A part of a container.
    Part(&'a Data),
    /// A property of the current promise.
    Place(Text),
}

impl Found<'_> {
    pub(crate) fn kind(&self) -> Kind {
        match self {
            Self::Variable(variable) => variable.kind,
            Self::Part(_) => Kind::Data,
            Self::Place(_) => Kind::String,
        }
    }

    pub(crate) fn value(&self) -> Value {
        match self {
            Self::Variable(variable) => variable.value.clone(),
            Self::Part(data) => Value::data(Data::clone(data)),
            Self::Place(text) => Value::Scalar(text.clone()),
        }
    }

    /// The text to put in place of `$(name)`.
    fn text(&self) -> Option<Text> {
        match self {
            Self::Variable(variable) => match &variable.value {
                Value::Scalar(text) => Some(text.clone()),
                Value::Data(data) => data.primitive(),
                _ => None,
            },
            Self::Part(data) => data.primitive(),
            Self::Place(text) => Some(text.clone()),
        }
    }
}

impl Agent {
    /// Parses a name, and reports brackets that do not match.
    pub(crate) fn reference(&mut self, text: &str, home: Home<'_>) -> Reference {
        self.complain_of_brackets(text);
        Reference::parse(text, home)
    }

    pub(crate) fn complain_of_brackets(&mut self, text: &str) {
        if let Some(complaint) = Reference::complaint(text) {
            self.say(Severity::Error, complaint);
        }
    }

    /// Finds a variable as seen from the current frame.
    pub(crate) fn find(&self, r: &Reference) -> Option<Found<'_>> {
        self.resolve(r).and_then(|found| match found {
            Found::Variable(v) if !r.indices.is_empty() => self.part(r, v),
            other => Some(other),
        })
    }

    /// A variable's tags. A container's tags apply to all its parts, even to missing ones.
    pub(crate) fn variable_tags(&self, r: &Reference) -> Option<Rc<Vec<Text>>> {
        match self.resolve(r)? {
            Found::Variable(variable) => Some(variable.tags.clone()),
            _ => None,
        }
    }

    /// Selects the element in a container that the lookup found.
    fn part<'a>(&self, r: &Reference, variable: &'a Variable) -> Option<Found<'a>> {
        match &variable.value {
            Value::Data(data) if !self.is_element(r, variable) => {
                data.select(&r.indices).map(Found::Part)
            }
            _ => Some(Found::Variable(variable)),
        }
    }

    /// Elements of arrays are no containers, but elements among the current promise's `this`
    /// variables may be.
    fn is_element(&self, r: &Reference, variable: &Variable) -> bool {
        let frame = self.promise_frame();
        let element = frame.and_then(|frame| frame.variables.get(&r.name, &r.indices));
        element.is_some_and(|element| std::ptr::eq(element, variable))
    }

    pub(crate) fn find_value(&self, r: &Reference) -> Option<(Kind, Value)> {
        self.find(r).map(|found| (found.kind(), found.value()))
    }

    /// The text of a variable that is a scalar or can become one.
    pub(crate) fn find_text(&self, r: &Reference) -> Option<Text> {
        self.find(r)?.text()
    }

    fn resolve(&self, r: &Reference) -> Option<Found<'_>> {
        if r.scope.is_some()
            && let Some(found) = self.look(r)
        {
            return Some(found);
        }
        let qualified;
        let r = if r.scope.is_none() {
            qualified = self.qualify(r)?;
            if let Some(found) = self.look(&qualified) {
                return Some(found);
            }
            &qualified
        } else {
            r
        };
        let bundle = self.bundle()?;
        if matches!(r.scope.as_deref(), Some("this" | "body")) {
            return self.look(&r.moved(Some(&bundle.namespace), &bundle.name));
        }
        None
    }

    /// The scope in which an unqualified name is looked up first.
    fn qualify(&self, r: &Reference) -> Option<Reference> {
        Some(match self.frames.last()? {
            Frame::Body(_) => r.moved(None, "body"),
            Frame::Promise(_) | Frame::Iteration(_) => r.moved(None, "this"),
            Frame::Bundle(_) | Frame::Section => {
                let bundle = self.bundle()?;
                r.moved(Some(&bundle.namespace), &bundle.name)
            }
        })
    }

    /// Looks only in the scope that a name gives.
    fn look(&self, r: &Reference) -> Option<Found<'_>> {
        let scope = r.scope.as_deref()?;
        if let Some(found) = self.look_exactly(r, scope) {
            return Some(found);
        }
        if r.indices.is_empty() {
            return None;
        }
        if let Some(frame) = self.promise_frame() {
            let mangled = format!("{scope}___{}", r.name);
            if let Some(found) = frame.variables.get(&mangled, &r.indices) {
                return Some(Found::Variable(found));
            }
        }
        let base = Reference {
            indices: Vec::new(),
            ..r.clone()
        };
        self.look_exactly(&base, scope)
            .filter(|found| found.kind() == Kind::Data)
    }

    fn look_exactly(&self, r: &Reference, scope: &str) -> Option<Found<'_>> {
        match scope {
            "this" => {
                let frame = self.promise_frame()?;
                if let Some(found) = frame.variables.get(&r.name, &r.indices) {
                    return Some(Found::Variable(found));
                }
                if !r.indices.is_empty() {
                    return None;
                }
                frame.place(&r.name, self).map(Found::Place)
            }
            "body" => {
                let variables = &self.body_frame()?.variables;
                variables.get(&r.name, &r.indices).map(Found::Variable)
            }
            "edit" => {
                let variables = &self.bundle_frame()?.edit;
                variables.get(&r.name, &r.indices).map(Found::Variable)
            }
            "match" => {
                let found = self.matched.iter().find(|(name, _)| *name == r.name);
                found.map(|(_, text)| Found::Place(text.clone()))
            }
            "sys" | "const" | "mon" => {
                let r = r.moved(None, scope);
                self.variables.get(&r).map(Found::Variable)
            }
            _ => self.variables.get(r).map(Found::Variable),
        }
    }

    /// Stores a variable in the scope that its name gives.
    pub(crate) fn put(&mut self, r: &Reference, variable: Variable) -> Step<bool> {
        let scope = r.scope.as_deref().unwrap_or_default();
        if cfengine_policy::text::encode(&r.name).len() > LONGEST {
            let message = format!(
                "Variable '{}'' cannot be added because its length exceeds the maximum length allowed ('{LONGEST}' characters)",
                r.show()
            );
            self.say(Severity::Error, message);
            return Ok(false);
        }
        if scope != "body" && self.refers_to_itself(r, &variable.value) {
            return Ok(false);
        }
        match scope {
            "this" => {
                if let Some(frame) = self.promise_frame_mut() {
                    frame.variables.put(&r.name, &r.indices, variable);
                }
            }
            "body" => self.put_body(&r.name, variable),
            "edit" => {
                if let Some(frame) = self.bundle_frame_mut() {
                    frame.edit.put(&r.name, &r.indices, variable);
                }
            }
            "match" => {}
            _ if is_special(scope) && scope != "def" => {
                let r = r.moved(None, scope);
                self.variables.put(&r, variable);
            }
            _ => self.variables.put(r, variable),
        }
        self.tick()?;
        Ok(true)
    }

    pub(crate) fn put_body(&mut self, name: &Text, variable: Variable) {
        if let Some(Frame::Body(frame)) = self.frames.last_mut() {
            frame.variables.put(name, &[], variable);
        }
    }

    /// Sorts the keys of a container. cf-agent sorts the variable itself when it prints a
    /// container.
    pub(crate) fn sort_container(&mut self, r: &Reference) {
        let qualified = match (&r.scope, self.bundle()) {
            (None, Some(bundle)) => r.moved(Some(&bundle.namespace), &bundle.name),
            _ => r.clone(),
        };
        let base = Reference {
            indices: Vec::new(),
            ..qualified
        };
        if let Some(Value::Data(data)) = self.variables.value_mut(&base)
            && let Some(part) = Rc::make_mut(data).select_mut(&r.indices)
        {
            part.sort();
        }
    }

    /// Removes a variable.
    pub(crate) fn remove(&mut self, r: &Reference) {
        match r.scope.as_deref() {
            Some("this") => {
                if let Some(frame) = self.promise_frame_mut() {
                    frame.variables.remove(&r.name, &r.indices);
                }
            }
            Some("body" | "edit" | "match") => {}
            _ => self.variables.remove(r),
        }
    }
}
