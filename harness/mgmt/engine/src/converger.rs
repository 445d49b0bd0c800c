//! Whether all is quiet for long enough.

/// Tells when a graph has converged. It knows only how many vertices are not quiet.
#[derive(Debug)]
pub struct Converger {
    timeout_ms: Option<u64>,
    restless: usize,
    since_ms: u64,
    converged: bool,
    /// What it reported since this was last taken.
    pub reports: Vec<bool>,
}

impl Converger {
    /// One with this timeout in seconds; below zero or `None` it is off.
    pub fn new(timeout_s: Option<i64>) -> Converger {
        let timeout_ms = timeout_s
            .and_then(|seconds| u64::try_from(seconds).ok())
            .map(|seconds| seconds.saturating_mul(1000));
        Converger {
            timeout_ms,
            restless: 0,
            since_ms: 0,
            converged: false,
            reports: Vec::new(),
        }
    }

    /// Whether it is on.
    pub fn is_on(&self) -> bool {
        self.timeout_ms.is_some()
    }

    /// A vertex becomes quiet or restless, or is new or gone.
    pub fn change(&mut self, was_restless: bool, is_restless: bool, now_ms: u64) {
        match (was_restless, is_restless) {
            (false, true) => self.restless += 1,
            (true, false) => self.restless = self.restless.saturating_sub(1),
            _ => return,
        }
        self.touch(now_ms);
    }

    /// Something changed: the time starts again.
    pub fn touch(&mut self, now_ms: u64) {
        self.since_ms = now_ms;
        if self.restless > 0 && self.converged {
            self.converged = false;
            self.reports.push(false);
        }
    }

    /// When it will have converged if nothing else happens.
    pub fn due(&self) -> Option<u64> {
        let due = self.since_ms.saturating_add(self.timeout_ms?);
        (!self.converged && self.restless == 0).then_some(due)
    }

    /// Looks at the clock.
    pub fn look(&mut self, now_ms: u64) {
        if self.due().is_some_and(|due| due <= now_ms) {
            self.converged = true;
            self.reports.push(true);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Converger;

    #[test]
    fn it_converges_after_the_timeout_and_an_event_ends_that() {
        let mut converger = Converger::new(Some(1));
        converger.change(false, true, 0);
        converger.change(true, false, 5);
        converger.look(1004);
        assert!(converger.reports.is_empty());
        converger.look(1005);
        converger.change(false, true, 2000);
        assert_eq!(vec![true, false], converger.reports);
    }
}
