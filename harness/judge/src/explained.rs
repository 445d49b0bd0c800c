//! The third stage of an outcome: why it says less than it could, and what an agent would do.

use crate::{Confirmed, Finding, Reported, Timeline, Verdict};
use std::ops::Deref;

/// What a rule's sessions show, and why they do not show more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explained {
    confirmed: Confirmed,
    is_unheld: bool,
    not_held: usize,
}

impl Deref for Explained {
    type Target = Confirmed;

    fn deref(&self) -> &Confirmed {
        &self.confirmed
    }
}

impl From<Confirmed> for Explained {
    /// An outcome that needs no explanation.
    fn from(confirmed: Confirmed) -> Self {
        Explained {
            confirmed,
            is_unheld: false,
            not_held: 0,
        }
    }
}

impl Explained {
    /// Says why the rule was not judged.
    #[must_use]
    pub fn because(mut self, why: impl Into<String>) -> Self {
        self.confirmed.judged.message = Some(why.into());
        self
    }

    /// Withdraws the verdict and its findings: the rule could not be judged.
    #[must_use]
    pub fn skipped(mut self, why: impl Into<String>) -> Self {
        self.confirmed.judged.verdict = Verdict::Skipped;
        self.confirmed.judged.findings.clear();
        self.because(why)
    }

    /// Says what the author could add, so that the rule is judged.
    #[must_use]
    pub fn wanting(mut self, what: Option<&'static str>) -> Self {
        self.confirmed.judged.wanted = what;
        self
    }

    /// Says that nothing exercised the rule because the run ended early.
    #[must_use]
    pub fn unheld(mut self, why: &str) -> Self {
        self.is_unheld = true;
        self.because(why)
    }

    /// Says how many sessions that the rule reads were not held.
    #[must_use]
    pub fn without(mut self, not_held: usize) -> Self {
        self.not_held = not_held;
        self
    }

    /// Adds to findings what a deployed agent would do, where `remark` says so.
    #[must_use]
    pub fn remarked(mut self, remark: impl Fn(&Finding) -> Option<String>) -> Self {
        for traced in &mut self.confirmed.judged.findings {
            let agent = remark(&traced.finding);
            traced.found.agent = agent.or_else(|| traced.found.agent.take());
        }
        self
    }

    /// What reports show, with the sessions behind the first finding.
    pub fn reported(self, reproducer: Option<String>, timelines: Vec<Timeline>) -> Reported {
        let is_confirmed = self.is_confirmed();
        let judged = self.confirmed.judged;
        Reported {
            code: judged.code.to_owned(),
            title: judged.title,
            level: judged.level,
            verdict: judged.verdict,
            cases: judged.cases,
            message: judged.message,
            findings: judged.findings.into_iter().map(|one| one.found).collect(),
            places: judged.places,
            is_confirmed,
            is_unheld: self.is_unheld,
            not_held: self.not_held,
            reproducer,
            timelines,
            explained_by: judged.explained_by.map(str::to_owned),
            explains: judged.explains,
            wanted: judged.wanted,
        }
    }
}
