//! What a run did.

use crate::fault::Raised;
use puppet_types::Value;

/// The result of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunReport {
    /// The resources in the order in which they were applied.
    pub statuses: Vec<Status>,
    /// What ended the run before its end: a cycle, or an exception that is no StandardError.
    pub stopped: Option<Raised>,
}

impl RunReport {
    /// Did a resource fail?
    pub fn has_failures(&self) -> bool {
        self.stopped.is_some() || self.statuses.iter().any(|status| status.failed)
    }

    /// Did a provider end the run by `exit`, without an error?
    pub fn is_exit(&self) -> bool {
        let stopped = self.stopped.as_ref();
        stopped.is_some_and(|raised| raised.exit == Some(0))
    }

    /// Did a resource change?
    pub fn has_changes(&self) -> bool {
        self.statuses.iter().any(Status::changed)
    }
}

/// What became of a resource.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Status {
    /// Its name, such as `Package_key[a]`.
    pub resource: String,
    /// The type.
    pub kind: String,
    /// The title.
    pub title: String,
    /// What happened to it.
    pub events: Vec<ReportEvent>,
    /// Did it fail?
    pub failed: bool,
    /// The exception that ended its evaluation.
    pub raised: Option<Raised>,
    /// Why it was not applied, if it was not.
    pub skipped: Option<Skipped>,
}

/// Why a resource was not applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Skipped {
    /// What it depends on failed.
    Dependency,
    /// It is a resource of a device, and the run is not on one; or the other way round.
    Device,
    /// It is only for other nodes.
    Virtual,
}

impl Status {
    /// Was something changed?
    pub fn changed(&self) -> bool {
        self.count(ResourceOutcome::Success) > 0
    }

    /// Would something be changed?
    pub fn out_of_sync(&self) -> bool {
        let audits = self.count(ResourceOutcome::Audit);
        self.events.len() > audits
    }

    fn count(&self, outcome: ResourceOutcome) -> usize {
        let of = |event: &&ReportEvent| event.status == outcome;
        self.events.iter().filter(of).count()
    }

    pub(crate) fn add(&mut self, event: ReportEvent) {
        self.failed |= event.status == ResourceOutcome::Failure;
        self.events.push(event);
    }
}

/// A change of a property, or a failure of a resource.
#[derive(Clone, Debug, PartialEq)]
pub struct ReportEvent {
    /// The property. `None` if the resource as a whole failed.
    pub property: Option<String>,
    /// Its value before.
    pub previous: Value,
    /// The value that was wanted.
    pub desired: Value,
    /// What came of it.
    pub status: ResourceOutcome,
    /// In words.
    pub message: String,
}

/// What came of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResourceOutcome {
    /// It was made.
    Success,
    /// It was not made.
    Failure,
    /// It would have been made.
    Noop,
    /// It was only noticed.
    Audit,
}

impl ResourceOutcome {
    /// Its name in Puppet's reports.
    pub fn name(self) -> &'static str {
        match self {
            ResourceOutcome::Success => "success",
            ResourceOutcome::Failure => "failure",
            ResourceOutcome::Noop => "noop",
            ResourceOutcome::Audit => "audit",
        }
    }
}
