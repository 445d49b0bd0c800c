//! Promises: from the policy to evaluation.

mod account;
mod bodies;
mod exclude;
mod read;
mod recheck;
mod turn;

use crate::log::Severity;
use crate::program::{Attribute, Bundle, Promise};
use crate::scan;
use crate::value::{Text, Value};
use std::rc::Rc;

/// What the agent does in each iteration of a promise.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Action {
    /// Only expands the promise: before the bundles run.
    Expand,
    /// Defines a variable.
    Variable,
    /// Sets a class.
    Class,
    /// Defines a default.
    Default,
    /// Keeps the promise.
    Keep,
    /// Edits a file's lines.
    Edit,
}

/// A promise with its bodies in place. Its values may or may not be expanded yet.
#[derive(Clone, Debug)]
pub(crate) struct Expanded {
    pub(crate) written: Rc<Promise>,
    pub(crate) bundle: Rc<Bundle>,
    pub(crate) promiser: Text,
    pub(crate) promisee: Option<Value>,
    pub(crate) attributes: Vec<(Text, Value)>,
    pub(crate) comment: Option<Text>,
}

impl Expanded {
    pub(crate) fn get(&self, name: &str) -> Option<&Value> {
        let found = self.attributes.iter().find(|(key, _)| &**key == name);
        found.map(|(_, value)| value)
    }

    pub(crate) fn text(&self, name: &str) -> Option<&Text> {
        self.get(name)?.scalar()
    }

    /// The texts of an attribute that is a list.
    pub(crate) fn texts(&self, name: &str) -> Vec<Text> {
        let items = self.get(name).and_then(Value::items).unwrap_or_default();
        items.iter().filter_map(Value::scalar).cloned().collect()
    }

    /// A number in cf-agent's notation.
    pub(crate) fn int(&self, name: &str) -> Option<i64> {
        crate::number::int(self.text(name)?)
    }

    pub(crate) fn is_true(&self, name: &str) -> bool {
        let text = self.text(name);
        text.is_some_and(|text| matches!(&**text, "true" | "yes" | "on"))
    }

    /// Whether the promise only allows warnings.
    pub(crate) fn only_warns(&self) -> bool {
        let policy = self.text("action_policy");
        policy.is_some_and(|policy| matches!(&**policy, "warn" | "nop"))
    }

    pub(crate) fn handle(&self) -> Option<&Text> {
        self.text("handle")
    }

    /// Sets an attribute; it replaces one of the same name.
    pub(crate) fn set(&mut self, name: &Text, value: Value) {
        match self.attributes.iter_mut().find(|(key, _)| key == name) {
            Some(old) => old.1 = value,
            None => self.attributes.push((name.clone(), value)),
        }
    }

    /// The log level while the agent keeps the promise.
    pub(crate) fn report_level(&self, global: Severity) -> Severity {
        let asked = self.text("report_level").map(|text| &**text);
        let asked = match asked {
            Some("verbose") => Severity::Verbose,
            Some("inform") => Severity::Info,
            Some("error") => Severity::Notice,
            _ => return global,
        };
        global.max(asked)
    }

    /// Whether the promise is the same in every pass: it has no references, no conditions and no
    /// comment to print.
    pub(crate) fn is_constant(&self) -> bool {
        let conditional =
            |name: &str| matches!(name, "if" | "ifvarclass" | "unless" | "depends_on" | "with");
        let written = &self.written;
        // Default bodies add attributes.
        let silent = |a: &Attribute| &*a.name != "comment" || a.value.scalar().is_some();
        written.plain
            && written.attributes.iter().all(silent)
            && self.attributes.len() == written.attributes.len()
            && !written.attributes.iter().any(|a| conditional(&a.name))
    }

    /// The text that identifies a promise, in this run and in others. Its digest is part of the
    /// name of cf-agent's lock.
    pub(crate) fn identity(&self, salt: &str) -> Box<[u8]> {
        let mut all = Vec::with_capacity(128);
        for text in [
            &*self.promiser,
            self.comment.as_deref().unwrap_or_default(),
            &self.bundle.namespace,
            &self.bundle.name,
            salt,
        ] {
            all.extend_from_slice(text.as_bytes());
        }
        for (name, value) in &self.attributes {
            all.extend_from_slice(name.as_bytes());
            let changing = matches!(
                &**name,
                "mtime"
                    | "atime"
                    | "ctime"
                    | "stime_range"
                    | "ttime_range"
                    | "log_string"
                    | "template_data"
            );
            if !changing {
                add_value(value, &mut all);
            }
        }
        all.into()
    }

    /// The handle, or a name for a promise without one.
    pub(crate) fn id(&self) -> Text {
        if let Some(handle) = self.handle() {
            return scan::canonify(handle).into();
        }
        // The promise was created from a template.
        if self.bundle.path.is_empty() {
            return "unlabelled_promise".into();
        }
        let file = self.bundle.path.rsplit('/').next().unwrap_or_default();
        format!("promise_{}_{}", scan::canonify(file), self.written.line).into()
    }
}

/// Adds a value to an identity.
fn add_value(value: &Value, all: &mut Vec<u8>) {
    match value {
        Value::Scalar(text) => all.extend_from_slice(text.as_bytes()),
        Value::List(items) => items.iter().for_each(|item| add_item(item, all)),
        Value::Call(call) => {
            all.extend_from_slice(call.name.as_bytes());
            call.arguments.iter().for_each(|item| add_item(item, all));
        }
        Value::Data(data) => all.extend_from_slice(data.compact().as_bytes()),
    }
}

/// Of a call within a list or another call, cf-agent hashes only the name.
fn add_item(item: &Value, all: &mut Vec<u8>) {
    match item {
        Value::Call(call) => all.extend_from_slice(call.name.as_bytes()),
        other => add_value(other, all),
    }
}
