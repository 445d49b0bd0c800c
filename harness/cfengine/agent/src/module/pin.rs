//! Runs agent and module on one CPU: that cuts the cost of a round trip to a tenth.

use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};

/// Pins the thread, and the processes that it starts, to the current CPU. Dropping it frees the
/// thread; the processes stay pinned.
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
        // If pinning fails, the run is only slower.
        let pinned = sched_setaffinity(None, &one).is_ok();
        Self {
            before: before.filter(|_| pinned),
        }
    }

    /// Does work that should use all CPUs.
    pub(crate) fn lift<T>(&self, work: impl FnOnce() -> T) -> T {
        let Some(before) = &self.before else {
            return work();
        };
        let now = sched_getaffinity(None);
        // Errors only cost speed, in both directions.
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
