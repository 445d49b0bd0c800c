//! The second stage of an outcome: its first finding was tried again in fresh processes.

use crate::{Consequence, Judged, Level, Traced, Verdict};
use std::collections::BTreeMap;
use std::ops::Deref;

/// What a rule's sessions show, and whether that came again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confirmed {
    pub(crate) judged: Judged,
    is_confirmed: bool,
}

impl Deref for Confirmed {
    type Target = Judged;

    fn deref(&self) -> &Judged {
        &self.judged
    }
}

impl From<Judged> for Confirmed {
    /// An outcome that was not tried again yet.
    fn from(judged: Judged) -> Self {
        Confirmed {
            judged,
            is_confirmed: false,
        }
    }
}

impl Confirmed {
    /// Was the first finding reproduced in fresh processes?
    pub fn is_confirmed(&self) -> bool {
        self.is_confirmed
    }

    /// The first finding came again.
    pub fn came_again(&mut self) {
        self.is_confirmed = true;
    }

    /// The first finding never came again.
    pub fn never_again(&mut self) {
        self.judged.verdict = Verdict::Flaky;
    }

    /// Another finding came again: it becomes the first one.
    pub fn led_by(&mut self, mut proven: Traced) {
        let shown = &mut self.judged.findings;
        let same = shown
            .iter()
            .position(|known| known.variant == proven.variant && known.group == proven.group);
        if let Some(at) = same {
            let known = shown.remove(at).found;
            (proven.found.more, proven.found.others) = (known.more, known.others);
        }
        self.judged.verdict = Verdict::Fail;
        self.judged.message = Some(proven.message.clone());
        shown.insert(0, proven);
        self.is_confirmed = true;
    }

    /// What says of each finding that it is due to the deployed agents, if it is. Such a finding is advice.
    pub fn excuse(&mut self, reasons: Vec<Option<String>>) {
        let findings = &mut self.judged.findings;
        for (traced, reason) in findings.iter_mut().zip(reasons) {
            if reason.is_some() {
                traced.found.level = Level::May;
                traced.found.agent = reason;
            }
        }
        if findings.iter().map(|one| one.level).max() == Some(Level::May) {
            self.judged.level = Level::May;
            self.judged.verdict = Verdict::Advice;
        }
    }

    /// Sets aside the outcomes that follow from another one that stands. Those whose cause does not stand, since
    /// it did not come again, count by themselves.
    pub fn set_aside(outcomes: &mut [Confirmed]) {
        let standing: BTreeMap<&str, Level> = outcomes
            .iter()
            .filter(|one| one.explained_by.is_none() && stands(one.verdict))
            .map(|one| (one.code, one.level))
            .collect();
        for Confirmed { judged, .. } in &mut *outcomes {
            let is_judged = judged.verdict != Verdict::Skipped;
            let holds = |code: &&str| {
                let level = standing.get(code);
                level.is_some_and(|level| !is_judged || *level >= judged.level)
            };
            judged.explained_by = judged.explained_by.filter(|code| holds(code));
            // What was set aside before says so already.
            if let Some(code) = judged.explained_by
                && judged.verdict != Verdict::Skipped
            {
                let what = judged.message.as_deref().unwrap_or(&judged.title);
                judged.message = Some(format!("follows from {code}: {what}"));
                judged.verdict = Verdict::Skipped;
            }
        }
        let kept: Vec<(&str, &str)> = outcomes
            .iter()
            .filter_map(|one| Some((one.explained_by?, one.code)))
            .collect();
        for Confirmed { judged, .. } in outcomes {
            let is_kept = |one: &Consequence| kept.contains(&(judged.code, &one.code));
            judged.explains.retain(is_kept);
        }
    }
}

/// May others follow from it? A failure that the author declared is one all the same.
fn stands(verdict: Verdict) -> bool {
    matches!(
        verdict,
        Verdict::Fail | Verdict::Advice | Verdict::Xfail | Verdict::Waived
    )
}
