//! The last stage of an outcome: what reports show.

use crate::{Consequence, Found, Level, Places, Timeline, Verdict};

/// What a report shows about one rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reported {
    /// Code of the rule.
    pub code: String,
    /// What it requires, one line.
    pub title: String,
    /// The level of its worst finding; without findings, the rule's level.
    pub level: Level,
    /// The verdict.
    pub verdict: Verdict,
    /// The number of sessions in which it was judged.
    pub cases: usize,
    /// What happened, or why it was not judged.
    pub message: Option<String>,
    /// The findings, the most serious and clearest first.
    pub findings: Vec<Found>,
    /// Where it was broken and kept.
    pub places: Places,
    /// Was the first finding reproduced in fresh processes?
    pub is_confirmed: bool,
    /// Was it not exercised because the run ended early?
    pub is_unheld: bool,
    /// If it passed: how many sessions that it reads were not held, so that it says less than it could.
    pub not_held: usize,
    /// The path of the reproducer of the first finding.
    pub reproducer: Option<String>,
    /// The sessions behind the first finding. Empty unless the rule failed.
    pub timelines: Vec<Timeline>,
    /// The rule from whose findings all findings of this one follow.
    pub explained_by: Option<String>,
    /// The rules whose findings follow from those of this one.
    pub explains: Vec<Consequence>,
}

impl Reported {
    /// Does this outcome fail the run?
    pub fn fails(&self, strict: bool) -> bool {
        match self.verdict {
            Verdict::Fail | Verdict::Flaky => self.level == Level::Must || strict,
            Verdict::Xpass => true,
            _ => false,
        }
    }

    /// Is this a failure that does not fail the run?
    pub fn warns(&self, strict: bool) -> bool {
        self.verdict == Verdict::Fail && !self.fails(strict)
    }

    /// Shows the finding with this message first, as the whole outcome at this level.
    pub fn lead(&mut self, message: &str, level: Level) {
        let own = self.findings.iter().position(|one| one.message == message);
        let Some(own) = own else {
            return;
        };
        self.findings[..=own].rotate_right(1);
        self.level = level;
        self.message = Some(message.to_owned());
        self.verdict = Verdict::of_findings(level);
    }
}
