//! Estimates in the light of what sessions have taken so far.

use std::collections::BTreeMap;
use std::time::Duration;

/// Before this much is measured, in microseconds, the estimates are not corrected.
const MEASURED_US: u64 = 1_000_000;

/// Estimated and true times so far.
#[derive(Debug, Default)]
pub(super) struct Estimates {
    all: Times,
    families: BTreeMap<String, Times>,
}

/// In microseconds.
#[derive(Clone, Copy, Debug, Default)]
struct Times {
    estimated: u64,
    measured: u64,
}

impl Estimates {
    /// Notes what a session of a plan family took.
    pub fn took(&mut self, family: &str, estimate: u64, took: Duration) {
        let took = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.all.add(estimate, took);
        self.families
            .entry(family.to_owned())
            .or_default()
            .add(estimate, took);
    }

    /// What a session of a family will take, given its estimate in microseconds: as the sessions of this family
    /// did, or else as all did.
    pub fn of(&self, family: &str, estimate: u64) -> Duration {
        let own = self.families.get(family).and_then(Times::factor);
        scaled(estimate, own.or_else(|| self.all.factor()))
    }

    /// What sessions of any families will take.
    pub fn of_all(&self, estimate: u64) -> Duration {
        scaled(estimate, self.all.factor())
    }
}

impl Times {
    fn add(&mut self, estimate: u64, took: u64) {
        self.estimated = self.estimated.saturating_add(estimate);
        self.measured = self.measured.saturating_add(took);
    }

    fn factor(&self) -> Option<f64> {
        let known = self.measured >= MEASURED_US && self.estimated > 0;
        // The first few sessions may be far from the mean.
        known.then(|| (self.measured as f64 / self.estimated as f64).clamp(0.25, 4.0))
    }
}

fn scaled(estimate: u64, factor: Option<f64>) -> Duration {
    Duration::from_micros((estimate as f64 * factor.unwrap_or(1.0)) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_family_that_takes_longer_than_estimated_does_not_make_others_seem_slow() {
        let mut estimates = Estimates::default();
        estimates.took("slow", 1_000_000, Duration::from_secs(3));
        estimates.took("quick", 2_000_000, Duration::from_secs(2));
        assert_eq!(estimates.of("slow", 500_000), Duration::from_millis(1_500));
        assert_eq!(estimates.of("quick", 500_000), Duration::from_millis(500));
        // As all did: five seconds in place of three.
        let other = estimates.of("other", 3_000_000).as_secs_f64();
        assert!((other - 5.0).abs() < 0.01, "{other}");
    }
}
