//! Messages about a file, and the outcome that they add up to.

use super::path::os;
use super::perms::Perms;
use crate::context::Agent;
use crate::log::Severity;
use crate::outcome::Outcome;
use crate::promise::Expanded;
use std::path::PathBuf;
use std::rc::Rc;

/// A promise about one file, and its outcome so far.
pub(crate) struct Task {
    pub(crate) promise: Rc<Expanded>,
    /// The promise before `$(this.promiser)` in its classes was expanded.
    pub(super) unseen: Rc<Expanded>,
    pub(crate) outcome: Outcome,
    pub(super) perms: Perms,
    /// In a simulation, where the file is looked up even after a rename.
    pub(super) place: Option<PathBuf>,
}

impl Task {
    pub(super) fn new(promise: Rc<Expanded>, perms: Perms) -> Self {
        Self {
            unseen: promise.clone(),
            promise,
            outcome: Outcome::Kept,
            perms,
            place: None,
        }
    }

    /// Where the promise's file is looked up.
    pub(super) fn place(&self, path: &str) -> PathBuf {
        self.place.clone().unwrap_or_else(|| os(path))
    }

    /// Whether an attribute is set to true.
    pub(super) fn is(&self, name: &str) -> bool {
        self.promise.is_true(name)
    }

    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.promise.text(name).map(|text| &**text)
    }

    pub(super) fn add(&mut self, outcome: Outcome) {
        self.outcome = self.outcome.and(outcome);
    }
}

impl Agent {
    fn record(&mut self, task: &mut Task, level: Severity, outcome: Outcome, message: &str) {
        self.say_context(&task.promise);
        self.say(level, message);
        self.set_outcome_classes(outcome, &task.promise);
        task.add(outcome);
    }

    pub(super) fn changed(&mut self, task: &mut Task, message: impl AsRef<str>) {
        self.record(task, Severity::Info, Outcome::Repaired, message.as_ref());
    }

    pub(super) fn unchanged(&mut self, task: &mut Task, message: impl AsRef<str>) {
        self.record(task, Severity::Verbose, Outcome::Kept, message.as_ref());
    }

    pub(super) fn failed(&mut self, task: &mut Task, message: impl AsRef<str>) {
        self.record(task, Severity::Error, Outcome::Failed, message.as_ref());
    }

    pub(super) fn denied(&mut self, task: &mut Task, message: impl AsRef<str>) {
        self.record(task, Severity::Error, Outcome::Denied, message.as_ref());
    }

    /// Does the same as [`Agent::failed`], for a change that may succeed later.
    pub(super) fn interrupted(&mut self, task: &mut Task, message: impl AsRef<str>) {
        self.record(
            task,
            Severity::Error,
            Outcome::Interrupted,
            message.as_ref(),
        );
    }

    pub(super) fn warned(&mut self, task: &mut Task, message: impl AsRef<str>) {
        self.record(task, Severity::Warning, Outcome::Warned, message.as_ref());
    }

    /// Whether the agent may make a change, at least to a copy. If not, it reports the change.
    pub(super) fn may_change(&mut self, task: &mut Task, what: impl AsRef<str>) -> bool {
        self.simulates() && !task.promise.only_warns() || self.may_record(task, what)
    }

    /// Does the same as [`Agent::may_change`] for the agent's own records, which have no copies.
    pub(super) fn may_record(&mut self, task: &mut Task, what: impl AsRef<str>) -> bool {
        let only_warns = task.promise.only_warns();
        if !self.is_dry() && !only_warns {
            return true;
        }
        let promised = if only_warns {
            ", but only warning promised"
        } else {
            ""
        };
        let message = format!("Should {}{promised}", what.as_ref());
        self.record(task, Severity::Warning, Outcome::Warned, &message);
        false
    }
}
