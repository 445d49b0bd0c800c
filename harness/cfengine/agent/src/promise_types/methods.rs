//! `methods` promises: bundles that call bundles.

use crate::context::{Agent, Reference};
use crate::log::Severity;
use crate::outcome::Outcome;
use crate::program::Bundle;
use crate::promise::Expanded;
use crate::scan;
use crate::stop::{Step, Stop};
use crate::value::{Text, Value};
use std::rc::Rc;

impl Agent {
    /// Calls a bundle.
    pub(crate) fn keep_method(&mut self, promise: &Rc<Expanded>) -> Step<Outcome> {
        let called = promise.get("usebundle").cloned();
        let called = called.unwrap_or_else(|| Value::Scalar(promise.promiser.clone()));
        let (name, arguments): (Text, &[Value]) = match &called {
            Value::Scalar(name) => (name.clone(), &[]),
            Value::Call(call) => (call.name.clone(), &call.arguments),
            _ => return Ok(Outcome::Kept),
        };
        let bundle = promise.bundle.clone();
        let home = (Some(&*bundle.namespace), Some(&*bundle.name));
        let name = self.expand_text(&name, home)?;
        self.read_attributes(promise);
        let salt = arguments.iter().map(|a| a.show(true)).collect::<Vec<_>>();
        let salt = format!("method-{}-{}", promise.promiser, salt.join("_"));
        if !self.claim(promise, &salt) {
            return Ok(Outcome::Skipped);
        }
        self.say_promise(promise);
        let (namespace, plain) = self.qualified(&name);
        let program = self.program.clone();
        let callee = program
            .bundle("agent", &namespace, &plain)
            .or_else(|| program.bundle("common", &namespace, &plain));
        let Some(callee) = callee.cloned() else {
            return self.missing_bundle(&name, promise);
        };
        if promise.only_warns() {
            let message =
                format!("Bundle '{name}' should be invoked, but only a warning was promised!");
            self.conclude(Severity::Warning, Outcome::Warned, promise, message);
            self.drop_parameters(&callee);
            self.say_bundle_end(&callee);
            return Ok(Outcome::Warned);
        }
        let outcome = self.call_bundle(&callee, arguments, promise)?;
        self.drop_parameters(&callee);
        self.say_bundle_end(&callee);
        Ok(outcome)
    }

    fn call_bundle(
        &mut self,
        callee: &Rc<Bundle>,
        arguments: &[Value],
        promise: &Rc<Expanded>,
    ) -> Step<Outcome> {
        self.say_bundle(callee, arguments);
        self.bundle_arguments = Some(arguments)
            .filter(|arguments| !arguments.is_empty())
            .map(|arguments| Rc::new(arguments.to_vec()));
        self.refuse_late(callee)?;
        self.enter_bundle(callee, arguments, promise.is_true("inherit"))?;
        self.variables.clear_arrays(&callee.namespace, &callee.name);
        self.settle_bundle(callee)?;
        let outcome = self.run_bundle(callee)?;
        self.take_results(callee, promise)?;
        self.leave();
        self.bundle_arguments = None;
        let name = &callee.name;
        let (level, concluded, message) = match outcome {
            Outcome::Skipped | Outcome::Kept => (
                Severity::Verbose,
                Outcome::Kept,
                format!("Method '{name}' verified"),
            ),
            Outcome::Warned => (
                Severity::Warning,
                Outcome::Warned,
                format!("Method '{name}' invoked repairs, but only warnings promised"),
            ),
            Outcome::Repaired => (
                Severity::Verbose,
                Outcome::Repaired,
                format!("Method '{name}' invoked repairs"),
            ),
            Outcome::Failed | Outcome::Denied => (
                Severity::Error,
                Outcome::Failed,
                format!("Method '{name}' failed in some repairs"),
            ),
            Outcome::Interrupted => (
                Severity::Info,
                Outcome::Interrupted,
                format!("Method '{name}' aborted in some repairs"),
            ),
        };
        self.conclude(level, concluded, promise, message);
        // A denied change counts as a failure of the method, but the outcome stays denied.
        Ok(match outcome {
            Outcome::Denied => Outcome::Denied,
            _ => concluded,
        })
    }

    /// Stores the values that the bundle's reports returned in an array of the caller.
    fn take_results(&mut self, callee: &Bundle, promise: &Expanded) -> Step<()> {
        let Some(name) = promise.text("useresult").cloned() else {
            return Ok(());
        };
        let results = self
            .variables
            .in_order(Some(&callee.namespace), Some(&callee.name));
        let results: Vec<_> = results
            .into_iter()
            .filter(|(r, _)| &*r.name == "last-result" && r.indices.len() == 1)
            .map(|(r, variable)| (r.indices, variable.clone()))
            .collect();
        let bundle = &promise.bundle;
        let home = (Some(&*bundle.namespace), Some(&*bundle.name));
        for (mut indices, mut variable) in results {
            let mut reference = self.reference(&name, home);
            reference.indices.append(&mut indices);
            variable.tags = Rc::new(vec!["source=bundle".into()]);
            self.put(&reference, variable)?;
        }
        Ok(())
    }

    fn drop_parameters(&mut self, callee: &Bundle) {
        for parameter in &callee.parameters {
            let home = (Some(&*callee.namespace), Some(&*callee.name));
            self.variables.remove(&Reference::parse(parameter, home));
        }
    }

    fn missing_bundle(&mut self, name: &Text, promise: &Rc<Expanded>) -> Step<Outcome> {
        if scan::has_variables(name) {
            let message = "A variable seems to have been used for the name of the method. In this case, the promiser also needs to contain the unique name of the method";
            self.say(Severity::Error, message);
        }
        let message =
            format!("A method attempted to use a bundle '{name}' that was apparently not defined");
        self.conclude(Severity::Error, Outcome::Failed, promise, message);
        if self.voice.control.ignore_missing_bundles {
            return Ok(Outcome::Failed);
        }
        Err(Stop::Fatal(format!(
            "Aborting due to missing bundle '{name}'"
        )))
    }
}
