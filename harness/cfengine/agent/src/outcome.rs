//! The outcomes of promises, and the classes that they set.

use crate::context::{Agent, Reach};
use crate::log::Severity;
use crate::promise::Expanded;
use crate::scan;
use crate::value::{Text, Value};
use std::rc::Rc;

/// The outcome of a promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The agent did nothing.
    Skipped,
    /// The promise was already kept.
    Kept,
    /// The agent repaired it.
    Repaired,
    /// It is not kept, and only a warning was promised.
    Warned,
    /// It is not kept.
    Failed,
    /// It is not kept, because its source could not be read.
    Interrupted,
    /// It is not kept, because the system denied the change.
    Denied,
}

/// The number of promises with each outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) kept: u64,
    pub(crate) repaired: u64,
    pub(crate) not_kept: u64,
}

impl Outcome {
    /// Combines two outcomes.
    pub(crate) fn and(self, next: Outcome) -> Outcome {
        match (self, next) {
            (Self::Failed | Self::Interrupted | Self::Denied, _)
            | (_, Self::Skipped)
            | (Self::Repaired | Self::Warned, Self::Kept | Self::Repaired) => self,
            _ => next,
        }
    }

    /// The outcome as a word in machine-readable output.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Skipped => "skipped",
            Self::Kept => "kept",
            Self::Repaired => "repaired",
            Self::Warned => "warned",
            Self::Failed | Self::Interrupted | Self::Denied => "not_kept",
        }
    }
}

impl Agent {
    /// Reports the outcome of a promise, and sets the classes of its `classes` body.
    pub(crate) fn conclude(
        &mut self,
        level: Severity,
        outcome: Outcome,
        promise: &Expanded,
        message: impl AsRef<str>,
    ) {
        if level >= Severity::Verbose {
            self.say_context(promise);
        }
        self.say(level, message);
        self.note_outcome(outcome, promise);
    }

    /// Does the same as [`Agent::conclude`], without a message.
    pub(crate) fn note_outcome(&mut self, outcome: Outcome, promise: &Expanded) {
        let kind = &*promise.written.kind;
        let counted = !matches!(
            kind,
            "vars"
                | "classes"
                | "insert_lines"
                | "delete_lines"
                | "replace_patterns"
                | "field_edits"
        );
        if counted {
            match outcome {
                Outcome::Skipped => {}
                Outcome::Kept => self.counts.kept += 1,
                Outcome::Repaired => self.counts.repaired += 1,
                Outcome::Warned | Outcome::Failed | Outcome::Interrupted | Outcome::Denied => {
                    self.counts.not_kept += 1;
                }
            }
        }
        self.set_outcome_classes(outcome, promise);
        if counted {
            self.log_outcome(outcome, promise);
        }
    }

    /// Sets and cancels the classes for an outcome.
    pub(crate) fn set_outcome_classes(&mut self, outcome: Outcome, promise: &Expanded) {
        let (set, cancel) = match outcome {
            Outcome::Skipped => return,
            Outcome::Repaired => ("promise_repaired", "cancel_repaired"),
            Outcome::Kept => ("promise_kept", "cancel_kept"),
            Outcome::Warned | Outcome::Failed | Outcome::Interrupted => {
                ("repair_failed", "cancel_notkept")
            }
            Outcome::Denied => ("repair_denied", "cancel_notkept"),
        };
        let scope = promise.text("scope").map(|scope| &**scope);
        let minutes = promise.int("persist_time").unwrap_or(0);
        for name in promise.get(set).and_then(Value::items).unwrap_or_default() {
            let Some(name) = name.scalar() else {
                let what = format!(
                    "A function in the list '{set}' of promise '{}' could not be called",
                    promise.promiser
                );
                if self.stopped.is_none() {
                    self.stopped = Some(self.aborts(&what));
                }
                return;
            };
            self.add_outcome_class(name, scope, minutes);
        }
        for name in promise.texts(cancel) {
            if self.is_hard(&name) {
                let message = format!(
                    "You cannot cancel a reserved hard class '{name}' in post-condition classes"
                );
                self.say(Severity::Error, message);
                return;
            }
            self.verbose(|| format!("Cancelling class '{name}'"));
            self.forget_class(&name);
            self.cancel_class(&scan::canonify(&name));
        }
    }

    fn add_outcome_class(&mut self, name: &Text, scope: Option<&str>, minutes: i64) {
        if matches!(
            &**name,
            "a_class_global_from_command" | "xxx:a_class_global_from_command"
        ) {
            // A debugging message that was left in cf-agent.
            self.say(Severity::Error, format!("Hit '{name}'"));
        }
        let name = scan::canonify(name);
        if self.is_hard(&name) {
            let message =
                format!("You cannot use reserved hard class '{name}' as post-condition class");
            self.say(Severity::Error, message);
        }
        if minutes > 0 {
            if scope.is_none_or(|scope| scope == "bundle") {
                let message = format!(
                    "Automatically promoting context scope for '{name}' to namespace visibility, due to persistence"
                );
                self.say(Severity::Info, message);
            }
            self.verbose(|| format!("C:    + persistent outcome class '{name}'"));
            self.persist_class(&name, minutes, &[]);
            self.set_class(&name, Reach::Namespace, &Rc::default(), None);
            return;
        }
        self.verbose(|| format!("C:    + promise outcome class '{name}'"));
        if scope == Some("bundle") {
            self.set_outcome_class(&name);
        } else {
            self.set_class(&name, Reach::Namespace, &Rc::default(), None);
        }
    }

    fn is_hard(&self, name: &str) -> bool {
        let class = self.classes.get("default", name);
        class.is_some_and(|class| class.hard)
    }

    /// Reports the place of a promise, its handle and its comment.
    pub(crate) fn say_context(&mut self, promise: &Expanded) {
        if !self.would(Severity::Verbose) {
            return;
        }
        let mut line = String::from("Additional promise info:");
        if let Some(handle) = promise.handle() {
            line.push_str(&format!(" handle '{handle}'"));
        }
        if let Some(version) = &self.voice.control.version {
            line.push_str(&format!(" version '{version}'"));
        }
        let path = &promise.bundle.path;
        if !path.is_empty() {
            line.push_str(&format!(
                " source path '{path}' at line {}",
                promise.written.line
            ));
        }
        match &promise.promisee {
            Some(list @ crate::value::Value::List(_)) => {
                line.push_str(&format!(" promisee {}", list.show(false)));
            }
            Some(promisee) => line.push_str(&format!(" promisee '{}'", promisee.show(false))),
            None => {}
        }
        if let Some(comment) = &promise.comment {
            line.push_str(&format!(" comment '{comment}'"));
        }
        self.say(Severity::Verbose, line);
    }
}

#[cfg(test)]
mod tests {
    use super::Outcome::{Failed, Kept, Repaired, Skipped, Warned};

    #[test]
    fn the_worst_outcome_stays() {
        assert_eq!(Skipped.and(Kept), Kept);
        assert_eq!(Kept.and(Repaired), Repaired);
        assert_eq!(Repaired.and(Kept), Repaired);
        assert_eq!(Repaired.and(Failed), Failed);
        assert_eq!(Failed.and(Kept), Failed);
        assert_eq!(Warned.and(Repaired), Warned);
        assert_eq!(Kept.and(Skipped), Kept);
    }
}
