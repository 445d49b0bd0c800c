//! Iterates a promise over the values of the lists in it.
//!
//! Each list is a wheel; the last one turns fastest. The current value is a `this` variable with
//! the list's own name. The name of another bundle's list is mangled for that in the whole promise.

use crate::context::{Agent, MANGLED, Reference};
use crate::expand::{NOWHERE, THIS};
use crate::log::Severity;
use crate::promise::Expanded;
use crate::scan;
use crate::stop::Step;
use crate::value::{Call, Kind, Text, Value};
use std::rc::Rc;

/// The lists in a promise and their current values.
#[derive(Default)]
pub(crate) struct Wheels {
    wheels: Vec<Wheel>,
    /// The number of iterations so far.
    pub(crate) turns: usize,
    /// References whose brackets do not close.
    broken: Vec<String>,
}

struct Wheel {
    /// The name as written, which may contain other lists.
    written: Text,
    /// The name with the current values of those lists.
    name: Option<Text>,
    kind: Option<Kind>,
    values: Option<Vec<Value>>,
    at: usize,
}

/// Whether a name is one that functions define while they work.
fn is_functions_own(name: &str) -> bool {
    matches!(
        name,
        "this" | "this.k" | "this.v" | "this.k[1]" | "this.this"
    )
}

fn is_mangled(name: &str) -> bool {
    let dollar = scan::next_reference(name).unwrap_or(name.len());
    let upto = name.find('[').map_or(dollar, |at| at.min(dollar));
    name[..upto].contains([MANGLED.0, MANGLED.1])
}

impl Agent {
    /// Collects all lists in a promise.
    pub(crate) fn wheels_of(&mut self, promise: &mut Expanded) -> Wheels {
        let mut wheels = Wheels::default();
        promise.promiser = self.note_text(&promise.promiser, &mut wheels);
        if let Some(promisee) = &promise.promisee {
            promise.promisee = Some(self.note(promisee, &mut wheels));
        }
        for at in 0..promise.attributes.len() {
            if let Some(changed) = self.note_changed(&promise.attributes[at].1, &mut wheels) {
                promise.attributes[at].1 = changed;
            }
        }
        for complaint in std::mem::take(&mut wheels.broken) {
            self.say(Severity::Error, complaint);
        }
        wheels
    }

    fn note_changed(&self, value: &Value, wheels: &mut Wheels) -> Option<Value> {
        match value {
            Value::Scalar(text) => {
                scan::next_reference(text)?;
                Some(Value::Scalar(self.note_text(text, wheels)))
            }
            Value::Data(_) => None,
            other => Some(self.note(other, wheels)),
        }
    }

    fn note(&self, value: &Value, wheels: &mut Wheels) -> Value {
        match value {
            Value::Scalar(text) => Value::Scalar(self.note_text(text, wheels)),
            Value::List(items) => {
                let items = items.iter().map(|item| self.note(item, wheels));
                Value::List(Rc::new(items.collect()))
            }
            Value::Call(call) => {
                let name = self.note_text(&call.name, wheels);
                let own = matches!(&*call.name, "maplist" | "mapdata" | "maparray");
                let arguments = call.arguments.iter();
                let arguments = if own {
                    arguments.cloned().collect()
                } else {
                    arguments
                        .map(|argument| self.note(argument, wheels))
                        .collect()
                };
                Value::Call(Rc::new(Call { name, arguments }))
            }
            Value::Data(_) => value.clone(),
        }
    }

    fn note_text(&self, text: &Text, wheels: &mut Wheels) -> Text {
        let Some(mut at) = scan::next_reference(text) else {
            return text.clone();
        };
        let mut bytes = text.as_bytes().to_vec();
        loop {
            let end = self.note_variable(&mut bytes, at + 2, wheels);
            if end >= bytes.len() {
                break;
            }
            match next_reference(&bytes, end + 1) {
                Some(next) => at = next,
                None => break,
            }
        }
        // Only ASCII bytes were changed, to other ASCII bytes.
        String::from_utf8(bytes).map_or_else(|_| text.clone(), Text::from)
    }

    /// Collects the variable whose name starts at `start`. Returns the position of its closing
    /// bracket, or the text's end.
    fn note_variable(&self, bytes: &mut [u8], start: usize, wheels: &mut Wheels) -> usize {
        let open = bytes[start - 1];
        let mut end = closing(bytes, start, open);
        let mut next = next_reference(bytes, start);
        while let Some(at) = next.filter(|at| *at < end) {
            let inner_end = self.note_variable(bytes, at + 2, wheels);
            if inner_end >= bytes.len() {
                next = next_reference(bytes, end);
            } else {
                end = closing(bytes, inner_end + 1, open);
                next = next_reference(bytes, inner_end + 1);
            }
        }
        if end >= bytes.len() {
            let close = if open == b'(' { ')' } else { '}' };
            let rest = String::from_utf8_lossy(&bytes[start..]);
            wheels
                .broken
                .push(format!("No closing '{close}' found for variable: {rest}"));
            return end;
        }
        let Ok(name) = std::str::from_utf8(&bytes[start..end]) else {
            return end;
        };
        wheels.broken.extend(Reference::complaint(name));
        if self.may_iterate(name) {
            mangle(&mut bytes[start..end]);
            if let Ok(name) = std::str::from_utf8(&bytes[start..end])
                && !wheels.wheels.iter().any(|wheel| &*wheel.written == name)
            {
                wheels.wheels.push(Wheel {
                    written: name.into(),
                    name: None,
                    kind: None,
                    values: None,
                    at: 0,
                });
            }
        }
        end
    }

    fn may_iterate(&self, name: &str) -> bool {
        if scan::next_reference(name).is_some() || is_functions_own(name) {
            return true;
        }
        let Some(bundle) = self.promise_frame().map(|frame| &frame.bundle) else {
            return false;
        };
        let home = (Some(&*bundle.namespace), Some(&*bundle.name));
        let found = self.find(&Reference::parse(name, home));
        found.is_some_and(|found| found.kind().is_iterable())
    }

    /// Advances to the next iteration; false if there is none.
    pub(crate) fn turn(&mut self, wheels: &mut Wheels, promise: &Expanded) -> Step<bool> {
        if wheels.wheels.is_empty() {
            wheels.turns += 1;
            return Ok(wheels.turns == 1);
        }
        let mut ready = false;
        if wheels.turns == 0 {
            self.reset_wheels(wheels, promise, 0)?;
            ready = !wheels.has_empty();
        }
        while !ready {
            self.tick()?;
            let Some(at) = wheels.increment() else {
                return Ok(false);
            };
            self.put_wheel(&wheels.wheels[at]);
            self.reset_wheels(wheels, promise, at + 1)?;
            ready = !wheels.has_empty();
        }
        self.set_with(promise, false)?;
        wheels.turns += 1;
        Ok(true)
    }

    /// Sets `$(with)`.
    pub(crate) fn set_with(&mut self, promise: &Expanded, even_unresolved: bool) -> Step<()> {
        let Some(with) = promise.get("with").cloned() else {
            return Ok(());
        };
        if let Value::Scalar(text) = self.settle(&with, THIS, false)?
            && (even_unresolved || !scan::has_variables(&text))
        {
            if scan::refers_to(&text, "with") {
                let message = format!(
                    "The value of variable 'default:this.with' contains a reference to itself, '{text}'"
                );
                self.say(Severity::Error, message);
                return Ok(());
            }
            self.put_this("with", Kind::String, Value::Scalar(text));
        }
        Ok(())
    }

    /// Resets the wheels from an index on to their first values.
    fn reset_wheels(&mut self, wheels: &mut Wheels, promise: &Expanded, from: usize) -> Step<()> {
        let namespace = promise.bundle.namespace.clone();
        for wheel in &mut wheels.wheels[from..] {
            wheel.at = 0;
            let name = self.expand_text(&wheel.written, (Some(&namespace), None))?;
            if wheel.name.as_ref() == Some(&name) {
                self.put_wheel(wheel);
                continue;
            }
            wheel.name = Some(name.clone());
            wheel.values = None;
            let found = self.wheel_value(&name, promise);
            wheel.kind = found.as_ref().map(|(kind, _)| *kind);
            match found {
                Some((kind, value)) if kind.is_iterable() => {
                    let values = match value {
                        Value::Data(data) => {
                            // Numbers in a variable were copied before, so they are readable.
                            let texts = data.iterated().unwrap_or_default();
                            texts.into_iter().map(Value::Scalar).collect()
                        }
                        Value::List(items) => items.to_vec(),
                        other => vec![other],
                    };
                    if values.is_empty() {
                        self.verbose(|| {
                            format!(
                                "Skipping iteration since variable '{name}' resolves to an empty list"
                            )
                        });
                    }
                    wheel.values = Some(values);
                    self.put_wheel(wheel);
                }
                Some((kind, value)) if is_mangled(&name) => self.put_this(&name, kind, value),
                _ => {}
            }
        }
        Ok(())
    }

    fn wheel_value(&mut self, name: &str, promise: &Expanded) -> Option<(Kind, Value)> {
        let bundle = &promise.bundle;
        self.complain_of_brackets(name);
        let home = (Some(&*bundle.namespace), Some(&*bundle.name));
        let found = self.find_value(&Reference::parse_with(name, home, MANGLED));
        if found.is_some() || is_mangled(name) {
            return found;
        }
        let reference = self.reference(name, NOWHERE);
        self.find_value(&reference)
    }

    fn put_wheel(&mut self, wheel: &Wheel) {
        let value = wheel
            .values
            .as_ref()
            .and_then(|values| values.get(wheel.at));
        if let (Some(name), Some(value)) = (&wheel.name, value) {
            let kind = match wheel.kind {
                Some(Kind::IntList) => Kind::Int,
                Some(Kind::RealList) => Kind::Real,
                _ => Kind::String,
            };
            self.put_this(name, kind, value.clone());
        }
    }
}

impl Wheels {
    fn has_empty(&self) -> bool {
        for wheel in &self.wheels {
            if is_functions_own(&wheel.written) {
                return false;
            }
            if wheel.kind.is_none() || wheel.values.as_ref().is_some_and(Vec::is_empty) {
                return true;
            }
        }
        false
    }

    fn increment(&mut self) -> Option<usize> {
        let wheels = self.wheels.iter_mut().enumerate().rev();
        for (at, wheel) in wheels {
            wheel.at += 1;
            if wheel
                .values
                .as_ref()
                .is_some_and(|values| wheel.at < values.len())
            {
                return Some(at);
            }
        }
        None
    }
}

fn next_reference(bytes: &[u8], from: usize) -> Option<usize> {
    let rest = bytes.get(from..)?;
    let found = memchr::memchr_iter(b'$', rest);
    let mut found = found.filter(|at| matches!(rest.get(at + 1), Some(b'(' | b'{')));
    found.next().map(|at| from + at)
}

/// The position where the bracket that opened before `from` closes.
fn closing(bytes: &[u8], from: usize, open: u8) -> usize {
    let close = if open == b'(' { b')' } else { b'}' };
    let mut depth = 0_usize;
    for (at, byte) in bytes.iter().enumerate().skip(from) {
        if *byte == close {
            if depth == 0 {
                return at;
            }
            depth -= 1;
        } else if *byte == open {
            depth += 1;
        }
    }
    bytes.len()
}

/// Replaces the separators of a name, up to its index.
fn mangle(name: &mut [u8]) {
    let dollar = next_reference(name, 0).unwrap_or(name.len());
    let upto = memchr::memchr(b'[', &name[..dollar]).unwrap_or(dollar);
    let head = &mut name[..upto];
    let colon = memchr::memchr(b':', head);
    if let Some(at) = colon {
        head[at] = MANGLED.0 as u8;
    }
    let from = colon.map_or(0, |at| at + 1);
    if let Some(at) = memchr::memchr(b'.', &head[from..])
        && !head[from..].starts_with(b"this")
    {
        head[from + at] = MANGLED.1 as u8;
    }
}
