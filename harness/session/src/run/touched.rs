//! Whether files may have changed since the harness last looked at them.

use super::Looks;
use crate::sandbox::{Call, Sandbox};
use stickler_transcript::{Drift, Step};

#[derive(Debug)]
pub(super) struct Touched {
    /// Is each look needed, because nothing is announced?
    always: bool,
    /// The device of files that the harness shares with the subject.
    ours: Option<u64>,
    /// May a file have changed since the last look?
    since: bool,
    /// Has the harness changed one since then?
    by_harness: bool,
    /// Was a file opened for writing? Writing to it is not announced.
    opened: bool,
}

impl Touched {
    pub(super) fn new(looks: Looks) -> Self {
        let (always, ours) = match looks {
            Looks::Always => (true, None),
            Looks::Touched { ours } => (false, ours),
        };
        Touched {
            always,
            ours,
            since: true,
            by_harness: false,
            opened: false,
        }
    }

    /// A process starts; are its calls announced?
    pub(super) fn start(&mut self, announced: bool) {
        self.always |= !announced;
    }

    /// A step of the plan may change files itself.
    pub(super) fn step(&mut self, step: &Step) {
        match step {
            Step::Service { .. } => self.always = true,
            Step::Run { .. } | Step::Protect { .. } | Step::Drift(Drift::Command { .. }) => {
                self.since = true;
            }
            Step::Drift(_) => self.by_harness = true,
            _ => {}
        }
    }

    /// An announced call.
    pub(super) fn note(&mut self, call: &Call) {
        self.since |= call.changes;
        self.opened |= call.changes && call.opens();
        self.always |= call.lasts(self.ours);
    }

    /// Is a look needed?
    pub(super) fn is_so(&self) -> bool {
        self.always || self.since || self.by_harness
    }

    /// What the harness changed is as it was before.
    pub(super) fn restored(&mut self) {
        self.by_harness = false;
    }

    /// Files were looked at.
    pub(super) fn looked(&mut self, sandbox: &Sandbox) {
        self.opened = self.opened && !self.always && sandbox.holds_writable(self.ours);
        self.since = self.opened;
        self.by_harness = false;
    }
}
