//! The input of reporters: the last stage of each outcome, and what is known about the run as a whole.

use crate::{Consequence, Found, Level, Places, Rule, Timeline, Verdict};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

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
    /// If it was not judged: what its author could add, as [`Need::wanted`](crate::Need::wanted).
    pub wanted: Option<&'static str>,
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

    /// What the author could add, if it was not judged for want of that.
    pub fn wants(&self) -> Option<&'static str> {
        let is_open = matches!(self.verdict, Verdict::NotExercised | Verdict::Skipped);
        self.wanted.filter(|_| is_open)
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

/// The number of rules per verdict.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Totals {
    /// Passed.
    pub pass: usize,
    /// Failed.
    pub fail: usize,
    /// Failed once.
    pub flaky: usize,
    /// Advice.
    pub advice: usize,
    /// Failed as declared.
    pub xfail: usize,
    /// Declared as failing, and passed.
    pub xpass: usize,
    /// Declared as not applying.
    pub waived: usize,
    /// Not exercised.
    pub not_exercised: usize,
    /// Skipped.
    pub skipped: usize,
}

/// The exit codes of the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Nothing failed.
    Success = 0,
    /// There are findings.
    Findings = 1,
    /// Wrong usage or configuration.
    Usage = 2,
    /// No session with the subject could be started.
    NoSession = 3,
    /// Nothing was exercised, an example was not evaluated or never succeeded, most rules of level `must` lack
    /// something that the author could add, or the time was over before each of them was exercised.
    NothingExercised = 4,
    /// The harness itself failed.
    Harness = 5,
}

/// An example of the author's that proves nothing: it was not evaluated, or never succeeded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Idle {
    /// Its name.
    pub example: String,
    /// Was it evaluated, and failed each time?
    pub evaluated: bool,
    /// What kept it from that, as a clause.
    pub why: String,
}

/// The manual pages of rules, read where one is shown.
#[derive(Clone)]
pub struct Pages(Arc<dyn Fn(&Reported) -> String + Send + Sync>);

impl Pages {
    /// Pages as Markdown.
    pub fn new(page: impl Fn(&Reported) -> String + Send + Sync + 'static) -> Pages {
        Pages(Arc::new(page))
    }

    /// Those of these rules.
    pub fn of_rules(rules: Vec<&'static Rule>) -> Pages {
        Pages::new(move |outcome| {
            let own = rules.iter().find(|rule| rule.code == outcome.code);
            own.map_or_else(String::new, |own| own.page().markdown)
        })
    }

    /// The page of an outcome's rule.
    pub fn of(&self, outcome: &Reported) -> String {
        (self.0)(outcome)
    }
}

impl std::fmt::Debug for Pages {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Pages")
    }
}

/// The input of a reporter.
#[derive(Clone, Debug)]
pub struct Report {
    /// Name of the subject.
    pub subject: String,
    /// The path of the subject or its configuration, for annotations.
    pub location: String,
    /// The files of the subject, as annotations name them.
    pub files: Vec<String>,
    /// The command line that starts it; empty if it is unknown.
    pub command: String,
    /// When the run began; empty if it is unknown.
    pub began: String,
    /// The page of its rules in Stickler's repository, such as `docs/rules-puppet.md`.
    pub rules_page: &'static str,
    /// The manual pages of its rules.
    pub pages: Pages,
    /// Facts about it and the run, in a few words each.
    pub facts: Vec<String>,
    /// One outcome per rule, by code.
    pub outcomes: Vec<Reported>,
    /// The number of exchanges in all sessions.
    pub exchanges: usize,
    /// The number of sessions.
    pub sessions: usize,
    /// Duration of the run in seconds.
    pub seconds: f64,
    /// Does a `should` fail the run too?
    pub strict: bool,
    /// What the user should know or do next.
    pub hints: Vec<String>,
    /// The seed of the run.
    pub seed: u64,
    /// Did the user end the run before everything was judged?
    pub interrupted: bool,
    /// Are there examples that were not evaluated, or never succeeded?
    pub idle: bool,
    /// Is there no example although the subject has something to evaluate?
    pub without_examples: bool,
}

impl Report {
    /// Counts verdicts.
    pub fn totals(&self) -> Totals {
        let mut totals = Totals::default();
        for outcome in &self.outcomes {
            *match outcome.verdict {
                Verdict::Pass => &mut totals.pass,
                Verdict::Fail => &mut totals.fail,
                Verdict::Flaky => &mut totals.flaky,
                Verdict::Advice => &mut totals.advice,
                Verdict::Xfail => &mut totals.xfail,
                Verdict::Xpass => &mut totals.xpass,
                Verdict::Waived => &mut totals.waived,
                Verdict::NotExercised => &mut totals.not_exercised,
                Verdict::Skipped => &mut totals.skipped,
            } += 1;
        }
        totals
    }

    /// The number of failures that fail the run, and of those that only warn.
    pub fn failed(&self) -> (usize, usize) {
        let warns = self.outcomes.iter().filter(|one| one.warns(self.strict));
        let warnings = warns.count();
        (self.totals().fail - warnings, warnings)
    }

    /// Was the time over before each rule of level `must` was exercised?
    pub fn lacks_time(&self) -> bool {
        let mut outcomes = self.outcomes.iter();
        outcomes.any(|one| one.is_unheld && one.level == Level::Must)
    }

    /// How many rules were judged.
    pub fn judged(&self) -> usize {
        let totals = self.totals();
        self.outcomes.len() - totals.not_exercised - totals.skipped
    }

    /// What the author could add, with the number of rules that are not judged for want of it, the most wanted first.
    pub fn wanted(&self) -> Vec<(&'static str, usize)> {
        let mut wanted: BTreeMap<&'static str, usize> = BTreeMap::new();
        for what in self.outcomes.iter().filter_map(Reported::wants) {
            *wanted.entry(what).or_default() += 1;
        }
        let mut wanted: Vec<(&'static str, usize)> = wanted.into_iter().collect();
        wanted.sort_by_key(|(_, number)| std::cmp::Reverse(*number));
        wanted
    }

    /// Were more than half of the rules of level `must` not judged, although there are examples, for want of something
    /// that the author could add?
    pub fn says_little(&self) -> bool {
        let must = self.outcomes.iter().filter(|one| one.level == Level::Must);
        let wanting = must.clone().filter(|one| one.wants().is_some());
        !self.without_examples && 2 * wanting.count() > must.count()
    }

    /// The exit code for these outcomes.
    pub fn exit(&self) -> Exit {
        let totals = self.totals();
        if self
            .outcomes
            .iter()
            .any(|outcome| outcome.fails(self.strict))
        {
            Exit::Findings
        } else if self.interrupted {
            Exit::Harness
        } else if self.lacks_time()
            || self.idle
            || self.says_little()
            || self.without_examples && self.strict
            || totals.not_exercised + totals.skipped == self.outcomes.len()
        {
            Exit::NothingExercised
        } else {
            Exit::Success
        }
    }
}
