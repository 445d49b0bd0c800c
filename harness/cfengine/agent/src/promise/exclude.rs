//! `if`, `unless`, `depends_on`: whether an iteration of a promise is skipped.

use super::Expanded;
use crate::context::{Agent, LAST_PASS};
use crate::expand::THIS;
use crate::log::Severity;
use crate::program::{Bundle, Promise};
use crate::scan;
use crate::stop::{Step, Stop};
use crate::value::{Text, Value};

impl Agent {
    /// Whether conditions exclude an iteration. The expanded conditions are added to the promise.
    pub(super) fn is_excluded(&mut self, from: &Expanded, to: &mut Expanded) -> Step<bool> {
        for name in ["ifvarclass", "if"] {
            if let Some(condition) = from.get(name)
                && self.condition(name, condition, to)? != Some(true)
            {
                let condition = condition.clone();
                self.verbose(|| skipping(from, name, &condition));
                return Ok(true);
            }
        }
        if let Some(condition) = from.get("unless") {
            let holds = self.condition("unless", condition, to)?;
            if holds.is_none() && self.pass == LAST_PASS {
                self.verbose(|| {
                    format!(
                        "Not skipping {} promise '{}' with constraint 'unless => {}' in last evaluation pass (since if would skip)",
                        from.written.kind,
                        from.promiser,
                        condition.show(false)
                    )
                });
            } else if holds != Some(false) {
                self.verbose(|| skipping(from, "unless", condition));
                return Ok(true);
            }
        }
        if let Some(dependencies) = from.get("depends_on") {
            let dependencies = self.settle(dependencies, THIS, false)?;
            to.set(&Text::from("depends_on"), dependencies.clone());
            if dependencies.items().is_none() {
                return Err(self.no_list("depends_on", to));
            }
            return Ok(self.misses(&dependencies, to));
        }
        Ok(false)
    }

    fn condition(&mut self, name: &str, value: &Value, to: &mut Expanded) -> Step<Option<bool>> {
        let value = self.settle(value, THIS, false)?;
        to.set(&Text::from(name), value.clone());
        let Value::Scalar(text) = value else {
            return Ok(None);
        };
        if scan::may_refer(&text) {
            return Ok(None);
        }
        Ok(self.check(&text))
    }

    /// Whether a promise that this one depends on is not kept yet.
    fn misses(&mut self, dependencies: &Value, promise: &Expanded) -> bool {
        let items = match dependencies {
            Value::List(items) => items.to_vec(),
            _ => return false,
        };
        for item in items {
            let Value::Scalar(handle) = item else {
                return true;
            };
            if !self.handles.contains(&handle) {
                self.verbose(|| {
                    format!(
                        "Skipping promise '{}', as promise dependency '{handle}' has not yet been kept",
                        promise.promiser
                    )
                });
                return true;
            }
        }
        false
    }

    /// Reports the place of the promise that calls a function.
    pub(crate) fn say_where_called(&mut self) {
        if let Some(frame) = self.promise_frame() {
            let message = place(&frame.bundle, &frame.promise);
            self.say(Severity::Error, message);
        }
    }

    /// Reports an attribute that must be a list and is none; the run aborts.
    pub(crate) fn no_list(&mut self, attribute: &str, promise: &Expanded) -> Stop {
        let message =
            format!("Type mismatch on rhs - expected type for list constraint '{attribute}'");
        self.say(Severity::Error, message);
        self.say_place(Severity::Error, promise);
        Stop::Fatal("Aborted".into())
    }

    /// Reports a promise's place, comment and promisee.
    pub(crate) fn say_place(&mut self, level: Severity, promise: &Expanded) {
        if !self.would(level) {
            return;
        }
        self.say(level, place(&promise.bundle, &promise.written));
        if let Some(comment) = &promise.comment {
            self.say(level, format!("Comment is '{comment}'"));
        }
        if let Some(promisee) = &promise.promisee {
            self.say(
                level,
                format!("This was a promise to '{}'", promisee.show(false)),
            );
        }
    }
}

fn place(bundle: &Bundle, promise: &Promise) -> String {
    format!(
        "Promise belongs to bundle '{}' in file '{}' near line {}",
        bundle.name, bundle.path, promise.line
    )
}

fn skipping(promise: &Expanded, name: &str, value: &Value) -> String {
    format!(
        "Skipping promise '{}' because constraint '{name} => {}' is not met",
        promise.promiser,
        value.show(false)
    )
}
