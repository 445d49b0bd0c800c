//! What is said while a file is seen to, and the outcome that builds up.

use super::path::os;
use super::perms::Perms;
use crate::context::Agent;
use crate::log::Level;
use crate::outcome::Outcome;
use crate::promise::Expanded;
use std::path::PathBuf;
use std::rc::Rc;

/// A promise about one file, and what became of it so far.
pub(crate) struct Task {
    pub(crate) promise: Rc<Expanded>,
    /// The promise as it was before `$(this.promiser)` in its classes became a path.
    pub(super) unseen: Rc<Expanded>,
    pub(crate) outcome: Outcome,
    pub(super) perms: Perms,
    /// In a simulation, where the file is looked for, whatever becomes of its name.
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

    /// Where the promise's file is looked for.
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
    fn record(&mut self, task: &mut Task, level: Level, outcome: Outcome, message: &str) {
        self.say_context(&task.promise);
        self.say(level, message);
        self.set_outcome_classes(outcome, &task.promise);
        task.add(outcome);
    }

    pub(super) fn changed(&mut self, task: &mut Task, message: impl AsRef<str>) {
        self.record(task, Level::Info, Outcome::Repaired, message.as_ref());
    }

    pub(super) fn unchanged(&mut self, task: &mut Task, message: impl AsRef<str>) {
        self.record(task, Level::Verbose, Outcome::Kept, message.as_ref());
    }

    pub(super) fn failed(&mut self, task: &mut Task, message: impl AsRef<str>) {
        self.record(task, Level::Error, Outcome::Failed, message.as_ref());
    }

    pub(super) fn denied(&mut self, task: &mut Task, message: impl AsRef<str>) {
        self.record(task, Level::Error, Outcome::Denied, message.as_ref());
    }

    /// As [`Agent::failed`], of what would make sense later.
    pub(super) fn interrupted(&mut self, task: &mut Task, message: impl AsRef<str>) {
        self.record(task, Level::Error, Outcome::Interrupted, message.as_ref());
    }

    pub(super) fn warned(&mut self, task: &mut Task, message: impl AsRef<str>) {
        self.record(task, Level::Warning, Outcome::Warned, message.as_ref());
    }

    /// Whether a change may be made, be it to a copy. If not, the one that would be is told of.
    pub(super) fn may_change(&mut self, task: &mut Task, what: impl AsRef<str>) -> bool {
        self.simulates() && !task.promise.only_warns() || self.may_record(task, what)
    }

    /// As [`Agent::may_change`], of what the agent itself keeps: it has no copies.
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
        self.record(task, Level::Warning, Outcome::Warned, &message);
        false
    }
}
