//! One outcome a rule, and what reporters are given.

use crate::{Expectation, Expectations, Finding, Ledger, Level, Place, Rule, Variant, View};
use serde::Serialize;
use std::collections::BTreeSet;
use stickler_transcript::Item;

/// What is said of a rule after a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Kept wherever it could have been broken.
    Pass,
    /// Broken.
    Fail,
    /// Broken once, not when tried again.
    Flaky,
    /// A `may` was not followed.
    Advice,
    /// Broken, as declared.
    Xfail,
    /// Declared as a known failure, and kept; or the declaration is stale.
    Xpass,
    /// Broken, and declared as not applying.
    Waived,
    /// Nothing in any transcript could have broken it.
    NotExercised,
    /// Could not be judged here, for a reason.
    Skipped,
}

impl Verdict {
    /// Was the rule broken, and nobody declared that?
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

/// The direction of a line in an excerpt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Arrow {
    /// From the harness to the subject.
    Sent,
    /// From the subject.
    Received,
    /// An effect on the system.
    Effect,
    /// Something that happened: an exit, a deadline.
    Happened,
}

/// One line of evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ExcerptLine {
    /// Number of the exchange.
    pub exchange: Option<usize>,
    /// Its direction.
    pub arrow: Arrow,
    /// The text, control characters made visible.
    pub text: String,
    /// A part of `text` to underline: start and length in characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mark: Option<(usize, usize)>,
    /// A remark beside it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// A finding, ready to be shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Found {
    /// How grave it is.
    pub level: Level,
    /// Which of the rule's defects it is.
    #[serde(skip_serializing_if = "Variant::is_only")]
    pub variant: Variant,
    /// What happened.
    pub message: String,
    /// What was expected instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// Name of the case.
    pub case: String,
    /// What was done in it, in words: the example and what was changed.
    pub context: String,
    /// The lines that show it.
    pub excerpt: Vec<ExcerptLine>,
    /// What a deployed agent would do with the answer that it is about, if it is
    /// about one: a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// How many more cases show the same.
    pub more: usize,
    /// The sessions that it rests on, by index.
    #[serde(skip)]
    pub sessions: Vec<usize>,
    /// The finding itself.
    #[serde(skip)]
    pub finding: Finding,
}

/// What is said of one rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Outcome {
    /// Code of the rule.
    pub code: String,
    /// What it requires, one line.
    pub title: String,
    /// The level: of the worst finding where there are any, else the rule's.
    pub level: Level,
    /// The verdict.
    pub verdict: Verdict,
    /// In how many sessions it was judged.
    pub cases: usize,
    /// What happened, or why it was not judged.
    pub message: Option<String>,
    /// The findings, gravest and clearest first, those of one kind as one.
    pub findings: Vec<Found>,
    /// Where all of its findings show.
    #[serde(skip)]
    pub places: BTreeSet<Place>,
    /// The first finding was seen again in fresh processes.
    #[serde(skip)]
    pub confirmed: bool,
    /// Where the reproducer of the first finding lies.
    pub reproducer: Option<String>,
    /// The manual page, as Markdown.
    #[serde(skip)]
    pub page: String,
}

impl Outcome {
    /// Does this outcome fail the run?
    pub fn fails(&self, strict: bool) -> bool {
        match self.verdict {
            Verdict::Fail | Verdict::Flaky => self.level == Level::Must || strict,
            Verdict::Xpass => true,
            _ => false,
        }
    }
}

/// How many rules have which verdict.
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
    /// Nothing was exercised.
    NothingExercised = 4,
    /// The harness itself failed.
    Harness = 5,
}

/// All that a reporter is given.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Name of the subject.
    pub subject: String,
    /// Where the subject (or its configuration) lies, for annotations.
    pub location: String,
    /// What is known about it and the run, in a few words each.
    pub facts: Vec<String>,
    /// One outcome a rule, by code.
    pub outcomes: Vec<Outcome>,
    /// Exchanges in all sessions.
    pub exchanges: usize,
    /// Sessions.
    pub sessions: usize,
    /// Duration of the run in seconds.
    pub seconds: f64,
    /// Fail on `should` too.
    pub strict: bool,
    /// What the user should know or do next.
    pub hints: Vec<String>,
    /// The seed of the run.
    pub seed: u64,
    /// Somebody ended the run before all was judged.
    pub interrupted: bool,
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

    /// The exit code that these outcomes ask for.
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
        } else if totals.not_exercised + totals.skipped == self.outcomes.len() {
            Exit::NothingExercised
        } else {
            Exit::Success
        }
    }
}

/// Turns ledgers into outcomes, one a rule, in the order of the rules.
pub fn conclude<V: View>(
    rules: &[&Rule<V>],
    ledgers: &[Ledger],
    views: &[V],
    expectations: &Expectations,
) -> Vec<Outcome> {
    rules
        .iter()
        .zip(ledgers)
        .map(|(rule, ledger)| outcome(rule, ledger, views, expectations))
        .collect()
}

fn outcome<V: View>(
    rule: &Rule<V>,
    ledger: &Ledger,
    views: &[V],
    expectations: &Expectations,
) -> Outcome {
    let page = rule.page();
    let covered = |list: &[Expectation], finding: &Finding| {
        let case = views[finding.place.session].case();
        let examples: Vec<&str> = case.items.iter().map(|p| p.example.as_str()).collect();
        let fields: Vec<&str> = case
            .items
            .iter()
            .filter_map(|p| p.field.as_deref())
            .collect();
        list.iter()
            .position(|known| !known.expired && known.covers(rule.code, &examples, &fields))
    };
    let mut open: Vec<&Finding> = Vec::new();
    let mut waived: Option<&Expectation> = None;
    let mut xfailed: Option<&Expectation> = None;
    let mut used = BTreeSet::new();
    for finding in &ledger.findings {
        if let Some(index) = covered(&expectations.waive, finding) {
            waived = Some(&expectations.waive[index]);
        } else if let Some(index) = covered(&expectations.xfail, finding) {
            xfailed = Some(&expectations.xfail[index]);
            used.insert(index);
        } else {
            open.push(finding);
        }
    }
    let stale: Vec<&Expectation> = expectations
        .xfail
        .iter()
        .enumerate()
        .filter(|(index, known)| known.rule == rule.code && !used.contains(index))
        .map(|(_, known)| known)
        .collect();
    let cases: BTreeSet<usize> = ledger
        .passes
        .iter()
        .map(|place| place.session)
        .chain(ledger.findings.iter().map(|finding| finding.place.session))
        .collect();
    let findings = found(&open, views);
    let level = open
        .iter()
        .map(|finding| finding.level)
        .max()
        .unwrap_or(rule.level);
    let (verdict, message) = if let Some(first) = findings.first() {
        let verdict = match level {
            Level::May => Verdict::Advice,
            Level::Should | Level::Must => Verdict::Fail,
        };
        (verdict, Some(first.message.clone()))
    } else if let Some(stale) = stale
        .first()
        .filter(|known| known.expired || !cases.is_empty())
    {
        let message = if stale.expired {
            format!("the expectation has expired: {}", stale.reason)
        } else {
            format!(
                "expected to fail, and passed; take the xfail out ({})",
                stale.reason
            )
        };
        (Verdict::Xpass, Some(message))
    } else if let Some(known) = xfailed {
        (Verdict::Xfail, Some(known.reason.clone()))
    } else if let Some(known) = waived {
        (Verdict::Waived, Some(known.reason.clone()))
    } else if !ledger.passes.is_empty() {
        (Verdict::Pass, None)
    } else if let Some(reason) = ledger.skips.first() {
        (Verdict::Skipped, Some(reason.clone()))
    } else {
        (Verdict::NotExercised, None)
    };
    Outcome {
        code: rule.code.to_owned(),
        title: page.title,
        level,
        verdict,
        cases: cases.len(),
        message,
        findings,
        places: open.iter().map(|finding| finding.place).collect(),
        confirmed: false,
        reproducer: None,
        page: page.markdown,
    }
}

/// Findings to show: gravest first, then from the author's own examples, then about an item,
/// then the shortest, by the clock and by exchanges; those of one variant as one.
fn found<V: View>(open: &[&Finding], views: &[V]) -> Vec<Found> {
    let mut sorted: Vec<&Finding> = open.to_vec();
    sorted.sort_by_cached_key(|finding| {
        let view = &views[finding.place.session];
        let case = view.case();
        (
            std::cmp::Reverse(finding.level),
            case.items.iter().any(|p| !p.original),
            case.plan
                .as_ref()
                .map_or(0, stickler_transcript::Plan::pauses_us),
            // What is said of an item says more than what is said of the start or the end.
            about(finding, view).is_none(),
            view.reading().exchanges.len(),
            finding.place,
        )
    });
    let mut shown: Vec<Found> = Vec::new();
    for finding in sorted {
        if let Some(same) = shown
            .iter_mut()
            .find(|known| known.variant == finding.variant)
        {
            same.more += 1;
            continue;
        }
        let view = &views[finding.place.session];
        let mut excerpt = view.excerpt(finding, finding.place.session);
        let others: BTreeSet<usize> = finding
            .also
            .iter()
            .map(|place| place.session)
            .filter(|session| *session != finding.place.session)
            .collect();
        for session in others {
            let partner = views[session].excerpt(finding, session);
            if partner.is_empty() {
                continue;
            }
            excerpt.push(ExcerptLine {
                exchange: None,
                arrow: Arrow::Happened,
                text: format!("and in {}:", views[session].case().id),
                mark: None,
                note: None,
            });
            excerpt.extend(partner);
        }
        shown.push(Found {
            level: finding.level,
            variant: finding.variant,
            message: finding.message.clone(),
            expected: finding.expected.clone(),
            case: view.case().id.clone(),
            context: context(view, finding),
            excerpt,
            agent: None,
            more: 0,
            sessions: finding.sessions.clone(),
            finding: finding.clone(),
        });
    }
    shown
}

/// The item that a finding is about, where it is about one.
fn about<'v>(finding: &Finding, view: &'v impl View) -> Option<&'v Item> {
    view.item_of(finding.place.exchange?)
}

/// Names the item that the finding is about; where it is about no single one,
/// those of the case.
fn context(view: &impl View, finding: &Finding) -> String {
    let case = view.case();
    let items = about(finding, view).map_or(case.items.as_slice(), std::slice::from_ref);
    let mut words: Vec<String> = Vec::new();
    for item in items {
        let text = match &item.description {
            Some(changed) => format!("example \"{}\", {changed}", item.example),
            None if item.example.is_empty() => continue,
            None => format!("example \"{}\"", item.example),
        };
        if !words.contains(&text) {
            words.push(text);
        }
    }
    if words.is_empty() {
        return case.id.clone();
    }
    words.truncate(3);
    format!("{} — {}", words.join("; "), case.id)
}
