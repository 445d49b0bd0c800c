//! The outcome of each rule, and the input of reporters.

use crate::consequence::causes;
use crate::{
    AnySession, Arrow, ExcerptLine, Expectation, Expectations, Finding, Ledger, Level, Place, Rule,
    Timeline, Variant,
};
use serde::Serialize;
use std::collections::BTreeSet;
use stickler_reading::words::in_backticks;
use stickler_transcript::Item;

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

/// A finding has at most so many [`Found::others`].
const OTHERS: usize = 20;

/// A finding with its excerpt, ready to be shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Found {
    /// Its level.
    pub level: Level,
    /// Which of the rule's defects it shows.
    #[serde(skip_serializing_if = "Variant::is_only")]
    pub variant: Variant,
    /// What happened.
    pub message: String,
    /// What was expected instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// Name of the case.
    pub case: String,
    /// What the case did, in words: the example and the change.
    pub context: String,
    /// The lines that show it.
    pub excerpt: Vec<ExcerptLine>,
    /// If it is about an answer: what a deployed agent would do with that answer, as a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// How many more cases show the same defect.
    pub more: usize,
    /// What happened there, where it is about something else, such as another attribute.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<String>,
    /// The sessions behind it, by index.
    #[serde(skip)]
    pub sessions: Vec<usize>,
    /// Further sessions that show the same defect, each by itself.
    #[serde(skip)]
    pub also: Vec<usize>,
    /// The finding itself.
    #[serde(skip)]
    pub finding: Finding,
}

/// A rule that is broken since another one is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Consequence {
    /// Its code.
    pub code: String,
    /// What happened.
    pub message: String,
}

/// The outcome of one rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Outcome {
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
    /// The findings, the most serious and clearest first; those of one variant and
    /// group are merged.
    pub findings: Vec<Found>,
    /// The places of all its findings.
    #[serde(skip)]
    pub places: BTreeSet<Place>,
    /// Where the rule was kept.
    #[serde(skip)]
    pub passed: BTreeSet<Place>,
    /// Was the first finding reproduced in fresh processes?
    #[serde(skip)]
    pub confirmed: bool,
    /// Was it not exercised because the time of the run was over?
    #[serde(skip)]
    pub unheld: bool,
    /// If it passed: how many sessions that it reads were not held, so that it says less than it could.
    #[serde(skip)]
    pub not_held: usize,
    /// The path of the reproducer of the first finding.
    pub reproducer: Option<String>,
    /// The sessions behind the first finding, without secrets. Empty unless the rule failed.
    #[serde(skip)]
    pub timelines: Vec<Timeline>,
    /// The rule from whose findings all findings of this one follow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explained_by: Option<String>,
    /// The rules whose findings follow from those of this one.
    #[serde(skip)]
    pub explains: Vec<Consequence>,
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

    /// Is this a failure that does not fail the run?
    pub fn warns(&self, strict: bool) -> bool {
        self.verdict == Verdict::Fail && !self.fails(strict)
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
    /// Nothing was exercised, an example was not evaluated or never succeeded, or the time was over before
    /// each `must` was.
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

/// The input of a reporter.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Name of the subject.
    pub subject: String,
    /// The path of the subject or its configuration, for annotations.
    pub location: String,
    /// The command line that starts it; empty if it is unknown.
    #[serde(skip)]
    pub command: String,
    /// When the run began; empty if it is unknown.
    #[serde(skip)]
    pub began: String,
    /// The page of its rules in Stickler's repository, such as `docs/rules-puppet.md`.
    #[serde(skip)]
    pub rules_page: &'static str,
    /// Facts about it and the run, in a few words each.
    pub facts: Vec<String>,
    /// One outcome per rule, by code.
    pub outcomes: Vec<Outcome>,
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
        outcomes.any(|one| one.unheld && one.level == Level::Must)
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
            || totals.not_exercised + totals.skipped == self.outcomes.len()
        {
            Exit::NothingExercised
        } else {
            Exit::Success
        }
    }
}

/// Turns ledgers into outcomes, one per rule, in the order of the rules. What follows from other
/// findings is marked, and fails until [`crate::set_aside`] sets it aside.
pub fn conclude(
    rules: &[&Rule],
    ledgers: &[Ledger],
    views: &[AnySession],
    expectations: &Expectations,
) -> Vec<Outcome> {
    let causes = causes(rules, ledgers, views);
    let all = rules.iter().zip(ledgers).zip(&causes);
    let concluded: Vec<(Outcome, Option<usize>)> = all
        .map(|((rule, ledger), causes)| outcome(rule, ledger, causes, views, expectations))
        .collect();
    let (mut outcomes, causes): (Vec<Outcome>, Vec<Option<usize>>) = concluded.into_iter().unzip();
    for (at, cause) in causes.into_iter().enumerate() {
        if let Some(cause) = cause {
            let consequence = Consequence {
                code: outcomes[at].code.clone(),
                message: outcomes[at].message.clone().unwrap_or_default(),
            };
            outcomes[cause].explains.push(consequence);
            outcomes[at].explained_by = Some(outcomes[cause].code.clone());
        }
    }
    outcomes
}

/// The outcome of a rule, and the rule from which all its findings follow.
fn outcome(
    rule: &Rule,
    ledger: &Ledger,
    causes: &[Option<usize>],
    views: &[AnySession],
    expectations: &Expectations,
) -> (Outcome, Option<usize>) {
    let page = rule.page();
    let covered = |list: &[Expectation], finding: &Finding| {
        let view = &views[finding.place.session];
        let (case, item) = (view.case(), about(finding, view));
        let mut list = list.iter();
        list.position(|known| known.expired.is_none() && known.covers(rule.code, case, item))
    };
    let mut open: Vec<(&Finding, Option<usize>)> = Vec::new();
    let mut waived: Option<&Expectation> = None;
    let mut xfailed: Option<&Expectation> = None;
    let mut used = BTreeSet::new();
    for (finding, cause) in ledger.findings.iter().zip(causes) {
        if let Some(index) = covered(&expectations.waive, finding) {
            waived = Some(&expectations.waive[index]);
        } else if let Some(index) = covered(&expectations.xfail, finding) {
            xfailed = Some(&expectations.xfail[index]);
            used.insert(index);
        } else {
            open.push((finding, *cause));
        }
    }
    // What follows from other findings is of interest only where nothing else is found.
    let is_own = |(_, cause): &(&Finding, Option<usize>)| cause.is_none();
    if open.iter().any(is_own) {
        open.retain(is_own);
    }
    let cause = open.first().and_then(|(_, cause)| *cause);
    let open: Vec<&Finding> = open.into_iter().map(|(finding, _)| finding).collect();
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
    let mut findings = found(&open, views);
    let level = open
        .iter()
        .map(|finding| finding.level)
        .max()
        .unwrap_or(rule.level);
    let expired = stale.iter().find_map(|known| {
        Some(format!(
            "expired {}: {}",
            known.expired.as_ref()?,
            known.reason
        ))
    });
    if let Some(first) = findings.first_mut()
        && let Some(expired) = &expired
    {
        first.message = format!("{} (the xfail {expired})", first.message);
    }
    let own_title = findings.first().and_then(|first| first.variant.title());
    let (verdict, message) = if let Some(first) = findings.first() {
        let verdict = match level {
            Level::May => Verdict::Advice,
            Level::Should | Level::Must => Verdict::Fail,
        };
        (verdict, Some(first.message.clone()))
    } else if let Some(known) = stale.first()
        && !expectations.partial
        && !cases.is_empty()
    {
        let reason = expired.unwrap_or_else(|| known.reason.clone());
        let message = format!("expected to fail, but it passed; remove the xfail ({reason})");
        (Verdict::Xpass, Some(message))
    } else if let Some(known) = xfailed {
        (Verdict::Xfail, Some(known.reason.clone()))
    } else if let Some(known) = waived {
        (Verdict::Waived, Some(known.reason.clone()))
    } else if let Some(why) = &ledger.withdrawn {
        (Verdict::Skipped, Some(why.clone()))
    } else if !ledger.passes.is_empty() {
        (Verdict::Pass, None)
    } else if let Some(reason) = ledger.skips.first() {
        (Verdict::Skipped, Some(reason.clone()))
    } else {
        (Verdict::NotExercised, None)
    };
    let outcome = Outcome {
        code: rule.code.to_owned(),
        title: own_title.map_or(page.title, str::to_owned),
        level,
        verdict,
        cases: cases.len(),
        message,
        findings,
        places: open.iter().map(|finding| finding.place).collect(),
        passed: ledger.passes.iter().copied().collect(),
        confirmed: false,
        unheld: false,
        not_held: 0,
        reproducer: None,
        timelines: Vec::new(),
        explained_by: None,
        explains: Vec::new(),
        page: page.markdown,
    };
    (outcome, cause)
}

/// The findings to show. The order is: most serious first, then the author's own examples, then
/// findings about an item, then usual sessions, then the shortest by pauses and by exchanges. Findings of one
/// variant and group are merged.
fn found(open: &[&Finding], views: &[AnySession]) -> Vec<Found> {
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
            // A finding about an item says more than one about the start or the end.
            about(finding, view).is_none(),
            // What also happens in the usual way is easiest to see there.
            !view.is_usual(),
            view.reading().length(),
            finding.place,
        )
    });
    let mut shown: Vec<Found> = Vec::new();
    for finding in sorted {
        if let Some(same) = shown.iter_mut().find(|known| {
            let group = &known.finding.group;
            known.variant == finding.variant && *group == finding.group
        }) {
            same.more += 1;
            if same.others.len() < OTHERS && names_more(&finding.message, same) {
                same.others.push(finding.message.clone());
            }
            // A comparison says nothing about one session.
            if let [session] = finding.sessions[..]
                && !same.also.contains(&session)
            {
                same.also.push(session);
            }
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
            others: Vec::new(),
            sessions: finding.sessions.clone(),
            also: Vec::new(),
            finding: finding.clone(),
        });
    }
    shown
}

/// Does a message name anything in backticks that no message of this finding names?
fn names_more(message: &str, found: &Found) -> bool {
    let told = std::iter::once(&found.message).chain(&found.others);
    let told: BTreeSet<&str> = told.flat_map(|text| in_backticks(text)).collect();
    in_backticks(message).any(|name| !told.contains(name))
}

/// The item of a finding, if it is about one.
fn about<'v>(finding: &Finding, view: &'v AnySession) -> Option<&'v Item> {
    view.item_of(finding.place.exchange?)
}

/// Names the item of the finding; without one, all items of the case.
fn context(view: &AnySession, finding: &Finding) -> String {
    let case = view.case();
    let items = about(finding, view).map_or(case.items.as_slice(), std::slice::from_ref);
    let mut words: Vec<String> = Vec::new();
    for item in items {
        let text = match &item.description {
            Some(made_up) if item.example.is_empty() => made_up.clone(),
            Some(changed) => format!("example \"{}\", {changed}", item.example),
            None if item.example.is_empty() => continue,
            None => format!("example \"{}\"", item.example),
        };
        if !words.contains(&text) {
            words.push(text);
        }
    }
    words.truncate(3);
    if !case.surroundings.is_empty() {
        words.push(format!("with {}", case.surroundings.join(", ")));
    }
    if words.is_empty() {
        return case.id.clone();
    }
    format!("{} — {}", words.join("; "), case.id)
}
