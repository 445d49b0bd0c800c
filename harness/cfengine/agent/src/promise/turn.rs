//! Evaluates a promise: once for each value of the lists in it.

use super::{Action, Expanded};
use crate::context::{Agent, Frame, IterationFrame, LAST_PASS, PromiseFrame};
use crate::data::Data;
use crate::expand::THIS;
use crate::log::Severity;
use crate::outcome::Outcome;
use crate::program::{Bundle, Promise};
use crate::scan;
use crate::stop::Step;
use crate::value::{Kind, Text, Value};
use std::rc::Rc;

impl Agent {
    /// Evaluates a promise if its guard holds.
    pub(crate) fn take(
        &mut self,
        promise: &Rc<Promise>,
        bundle: &Rc<Bundle>,
        action: Action,
    ) -> Step<Outcome> {
        self.tick()?;
        if !self.holds(promise.guard.as_ref()) {
            return Ok(Outcome::Skipped);
        }
        if action == Action::Keep && self.spent.contains(&Rc::as_ptr(promise)) {
            self.matched.clear();
            self.voice.log.level = self.voice.log.global;
            return Ok(Outcome::Skipped);
        }
        let mut prepared = self.with_bodies(promise, bundle)?;
        self.matched.clear();
        self.frames.push(Frame::Promise(Box::new(PromiseFrame {
            promise: promise.clone(),
            bundle: bundle.clone(),
            written: prepared.promiser.clone(),
            promiser: None,
            fresh: prepared.int("ifelapsed") == Some(0),
            variables: Default::default(),
        })));
        let last = self.pass == LAST_PASS;
        self.set_with(&prepared, last)?;
        let mut wheels = self.wheels_of(&mut prepared);
        if let Some(frame) = self.promise_frame_mut() {
            frame.written = prepared.promiser.clone();
        }
        let mut extra = prepared
            .attributes
            .iter()
            .any(|(_, value)| matches!(value, Value::Call(call) if &*call.name == "ifelse"));
        self.put_handle(&prepared)?;
        let mut outcome = Outcome::Skipped;
        // A promise with an ifelse call gets one iteration even if a list is unknown.
        while self.turn(&mut wheels, &prepared)? || extra {
            extra = false;
            let turn = self.take_turn(&prepared, wheels.turns, action)?;
            outcome = outcome.and(turn);
        }
        self.leave();
        Ok(outcome)
    }

    fn put_handle(&mut self, promise: &Expanded) -> Step<()> {
        let handle = match promise.handle() {
            Some(handle) => scan::canonify(&self.expand_text(&handle.clone(), THIS)?).into(),
            // A plain promise does not refer to its handle, so the agent does not build one.
            None if promise.written.plain => return Ok(()),
            None => promise.id(),
        };
        self.put_this("handle", Kind::String, Value::Scalar(handle));
        Ok(())
    }

    fn take_turn(&mut self, promise: &Expanded, index: usize, action: Action) -> Step<Outcome> {
        let Some(expanded) = self.expand_promise(promise)? else {
            return Ok(Outcome::Skipped);
        };
        let expanded = Rc::new(expanded);
        self.frames.push(Frame::Iteration(IterationFrame {
            promise: expanded.clone(),
            index,
        }));
        self.voice.log.level = expanded.report_level(self.voice.log.global);
        let outcome = match action {
            Action::Expand => {
                self.recheck(&expanded)?;
                self.check_anchor(&expanded);
                Outcome::Kept
            }
            Action::Variable => self.define_variable(&expanded)?,
            Action::Class => self.define_class(&expanded)?,
            Action::Default => self.define_default(&expanded)?,
            Action::Keep => self.keep(&expanded)?,
            Action::Edit => self.keep_edit(&expanded)?,
        };
        if action != Action::Expand
            && matches!(outcome, Outcome::Kept | Outcome::Repaired)
            && let Some(handle) = expanded.handle()
        {
            self.handles.insert(handle.clone());
        }
        // cf-agent defines variables once more after each other action.
        if matches!(&*expanded.written.kind, "vars" | "meta") && action != Action::Variable {
            self.define_variable(&expanded)?;
        }
        self.leave();
        Ok(outcome)
    }

    /// Expands all values of a promise; `None` if the iteration is skipped.
    pub(crate) fn expand_promise(&mut self, from: &Expanded) -> Step<Option<Expanded>> {
        let namespace = from.bundle.namespace.clone();
        let promiser = self.expand_text(&from.promiser, (Some(&namespace), Some("this")))?;
        self.set_promiser(Some(promiser.clone()));
        let promisee = match &from.promisee {
            Some(promisee) => Some(self.settle(promisee, THIS, true)?),
            None => None,
        };
        let mut to = Expanded {
            written: from.written.clone(),
            bundle: from.bundle.clone(),
            promiser,
            promisee,
            attributes: Vec::with_capacity(from.attributes.len()),
            comment: from.comment.clone(),
        };
        if &*from.written.kind == "classes" && self.is_defined(&scan::canonify(&to.promiser)) {
            return Ok(None);
        }
        if self.is_excluded(from, &mut to)? {
            return Ok(None);
        }
        if &*from.written.kind == "files" {
            // In `files` promises, each file sets `$(this.promiser)`.
            self.set_promiser(None);
        }
        for (name, value) in &from.attributes {
            if !matches!(&**name, "ifvarclass" | "if" | "unless" | "depends_on") {
                self.expand_attribute(name, value, &mut to)?;
            }
        }
        Ok(Some(to))
    }

    /// Sets `$(this.promiser)`.
    pub(crate) fn set_promiser(&mut self, promiser: Option<Text>) {
        if let Some(frame) = self.promise_frame_mut() {
            frame.promiser = promiser;
        }
    }

    fn expand_attribute(&mut self, name: &Text, value: &Value, to: &mut Expanded) -> Step<()> {
        let value = match value {
            // A bundle with arguments stays a call.
            _ if is_bundle(name) => match value {
                Value::Scalar(_) | Value::Call(_) => self.expand_value(value, THIS)?,
                Value::List(_) | Value::Data(_) => return Ok(()),
            },
            Value::Scalar(text) if !scan::may_refer(text) => value.clone(),
            other => match self.settle(other, THIS, false)? {
                // A function's result is copied, which formats its numbers again.
                Value::Data(data) => Value::data(self.copied(Data::clone(&data))?),
                settled => settled,
            },
        };
        if &**name == "comment" {
            match &value {
                Value::Scalar(comment) => {
                    let own = comment.replacen("$(this.promiser)", &to.promiser, 1);
                    to.comment = Some(own.replacen("${this.promiser}", &to.promiser, 1).into());
                }
                other => {
                    let what = match other {
                        Value::List(_) => "list",
                        Value::Data(_) => "data",
                        _ => "call",
                    };
                    let message = format!(
                        "Comments can only be scalar objects, not '{what}' in '{}'",
                        to.promiser
                    );
                    self.say(Severity::Error, message);
                }
            }
        }
        to.set(name, value);
        Ok(())
    }
}

/// Attributes whose value names a bundle.
fn is_bundle(name: &str) -> bool {
    matches!(
        name,
        "usebundle" | "edit_line" | "edit_xml" | "home_bundle" | "service_bundle"
    )
}
