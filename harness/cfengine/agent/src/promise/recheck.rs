//! Checks values again after expansion. A value out of range ends the run before any promise is
//! kept.

use super::Expanded;
use crate::context::Agent;
use crate::log::Severity;
use crate::scan;
use crate::stop::{Step, Stop};
use crate::value::{Call, Value, show_list};
use cfengine_policy::syntax::{Constraint, Fault, Type, syntax};

impl Agent {
    /// Checks all attributes of a promise.
    ///
    /// # Errors
    /// An attribute has an invalid value.
    pub(super) fn recheck(&mut self, promise: &Expanded) -> Step<()> {
        for (name, value) in &promise.attributes {
            for constraint in syntax().of_expanded(&promise.written.kind, name) {
                let Err(fault) = self.judge(constraint, name, value) else {
                    continue;
                };
                let message = format!(
                    "{}:0:0: In attribute '{name}', {}. Given attribute value '{}'",
                    promise.bundle.path,
                    fault.words(),
                    value.show(false)
                );
                self.say(Severity::Error, message);
                return Err(Stop::Fatal("Cannot continue".into()));
            }
        }
        Ok(())
    }

    /// Checks the arguments of a call as written, and the number of expanded arguments.
    ///
    /// # Errors
    /// An argument is out of range, or a list or container changed the number of arguments.
    pub(crate) fn check_arguments(&mut self, call: &Call, given: &[Value]) -> Step<()> {
        let Some(function) = syntax().function(&call.name) else {
            return Ok(());
        };
        for (argument, parameter) in call.arguments.iter().zip(function.parameters.iter()) {
            let Some(text) = argument.scalar() else {
                continue;
            };
            if let Err(fault) = self.judge_text(parameter, &call.name, text) {
                return Err(Stop::Fatal(format!(
                    "In function '{}', error in variable '{text}', '{}'",
                    call.name,
                    fault.words()
                )));
            }
        }
        if function.variadic || given.len() == call.arguments.len() {
            return Ok(());
        }
        let message = format!(
            "Argument template mismatch handling function {}({})",
            call.name,
            show_list(given)
        );
        self.say(Severity::Error, message);
        // cf-agent shows the first argument for every parameter.
        let text = given.first().map(|value| value.show(false));
        let text = text.as_deref().unwrap_or("?");
        for (at, parameter) in function.parameters.iter().enumerate() {
            let message = format!("  arg[{at}] range {}\t {text} ", parameter.written);
            self.say(Severity::Error, message);
        }
        Err(Stop::Fatal("Bad arguments".into()))
    }

    fn judge(&mut self, constraint: &Constraint, name: &str, value: &Value) -> Result<(), Fault> {
        match value {
            Value::Scalar(_) if constraint.kind.is_list() => Err(Fault::Scalar),
            Value::List(_) if !constraint.kind.is_list() => Err(Fault::List),
            Value::Scalar(text) => self.judge_text(constraint, name, text),
            Value::List(items) => items.iter().try_for_each(|item| match item {
                Value::Scalar(text) => self.judge_text(constraint, name, text),
                other => self.judge(constraint, name, other),
            }),
            Value::Call(call) => constraint
                .check_call(name, &call.name)
                .map_err(|mismatch| mismatch.fault()),
            Value::Data(_) => Ok(()),
        }
    }

    fn judge_text(&mut self, constraint: &Constraint, name: &str, text: &str) -> Result<(), Fault> {
        self.say_parsed(constraint.kind, name, text);
        match constraint.check_text(name, text) {
            Err(mismatch) if mismatch.fault() != Fault::Variable => Err(mismatch.fault()),
            _ => Ok(()),
        }
    }

    /// Prints what cf-agent prints when it parses a text.
    fn say_parsed(&mut self, kind: Type, name: &str, text: &str) {
        let whole = scan::naked(text, b'$').or_else(|| scan::naked(text, b'@'));
        let holds = scan::has_variables(text);
        match kind.item().unwrap_or(kind) {
            Type::Int if !holds => _ = self.int(text),
            Type::Real if !holds && text != "inf" => _ = self.real(text),
            Type::IntRange if !holds && text.split(',').count() == 2 => {
                // Like cf-agent, stops at the first end that is no number.
                let _ = text.split(',').all(|end| self.int(end).is_some());
            }
            Type::String if matches!(name, "mode" | "search_mode") && whole.is_none() => {
                self.say_mode(text);
            }
            _ => {}
        }
    }
}
