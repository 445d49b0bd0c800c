//! Verdicts on rules.

use crate::Level;
use serde::Serialize;

/// The verdict on a rule after a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Kept wherever it was exercised.
    Pass,
    /// Broken.
    Fail,
    /// Broken once, but kept when tried again.
    Flaky,
    /// A `may` was not followed.
    Advice,
    /// Broken, as the author declared.
    Xfail,
    /// Declared as a known failure but kept, or the declaration has expired.
    Xpass,
    /// Broken, but the author declared that it does not apply.
    Waived,
    /// Nothing in any transcript exercised it.
    NotExercised,
    /// Could not be judged here; the message says why.
    Skipped,
}

impl Verdict {
    /// The verdict on a rule whose worst finding has this level.
    pub(crate) fn of_findings(level: Level) -> Verdict {
        match level {
            Level::May => Verdict::Advice,
            Level::Should | Level::Must => Verdict::Fail,
        }
    }

    /// Was the rule broken without a declaration?
    pub fn is_failure(self) -> bool {
        matches!(self, Verdict::Fail | Verdict::Flaky)
    }

    /// The verdict's name as printed.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Pass => "pass",
            Verdict::Fail => "fail",
            Verdict::Flaky => "flaky",
            Verdict::Advice => "advice",
            Verdict::Xfail => "xfail",
            Verdict::Xpass => "xpass",
            Verdict::Waived => "waived",
            Verdict::NotExercised => "not-exercised",
            Verdict::Skipped => "skipped",
        }
    }
}
