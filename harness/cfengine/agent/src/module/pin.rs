//! Agent and module on one CPU: a round trip over pipes then costs a tenth.

use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};

/// Keeps the thread, and what it starts, on the CPU where it is. Dropping it
/// gives the thread its CPUs back; what was started stays.
pub(crate) struct Pin {
    before: Option<CpuSet>,
}

impl Pin {
    pub(crate) fn here() -> Self {
        let before = sched_getaffinity(None).ok();
        if before.as_ref().is_some_and(|cpus| cpus.count() == 1) {
            return Self { before: None };
        }
        let mut one = CpuSet::new();
        one.set(sched_getcpu());
        // Where it may not be, the run is slower, and that is all.
        let pinned = sched_setaffinity(None, &one).is_ok();
        Self {
            before: before.filter(|_| pinned),
        }
    }

    /// Does something that is to have all CPUs.
    pub(crate) fn lift<T>(&self, work: impl FnOnce() -> T) -> T {
        let Some(before) = &self.before else {
            return work();
        };
        let now = sched_getaffinity(None);
        // Best effort, both ways.
        let _ = sched_setaffinity(None, before);
        let done = work();
        if let Ok(now) = now {
            let _ = sched_setaffinity(None, &now);
        }
        done
    }
}

impl Drop for Pin {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            let _ = sched_setaffinity(None, before);
        }
    }
}
