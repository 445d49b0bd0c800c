//! The first stage of an outcome: what the sessions of a run show about a rule.

use crate::consequence::causes;
use crate::found::{about, found};
use crate::{
    AnySession, Expectation, Expectations, Finding, Ledger, Level, Rule, RunPlace, Traced, Verdict,
    WORKING_EXAMPLE, WithdrawnBy,
};
use std::collections::BTreeSet;

/// A rule that is broken since another one is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Consequence {
    /// Its code.
    pub code: String,
    /// What happened.
    pub message: String,
}

/// The places that a rule is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// Those of all its findings.
    pub broken: BTreeSet<RunPlace>,
    /// Where it was kept.
    pub kept: BTreeSet<RunPlace>,
}

/// What sessions show about one rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    /// Code of the rule.
    pub code: &'static str,
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
    pub findings: Vec<Traced>,
    /// Where it was broken and kept.
    pub places: Places,
    /// The rule from whose findings all findings of this one follow.
    pub explained_by: Option<&'static str>,
    /// The rules whose findings follow from those of this one.
    pub explains: Vec<Consequence>,
    /// If it was not judged: what its author could add, as [`Need::wanted`](crate::Need::wanted).
    pub wanted: Option<&'static str>,
}

/// Turns ledgers into outcomes, one per rule, in the order of the rules. What follows from other
/// findings is marked, and fails until [`crate::Confirmed::set_aside`] sets it aside.
pub fn conclude(
    rules: &[&Rule],
    ledgers: &[Ledger],
    views: &[AnySession],
    expectations: &Expectations,
) -> Vec<Judged> {
    let causes = causes(rules, ledgers, views);
    let all = rules.iter().zip(ledgers).zip(&causes);
    let concluded: Vec<(Judged, Option<usize>)> = all
        .map(|((rule, ledger), causes)| {
            let (judged, cause) = outcome(rule, ledger, causes, views, expectations);
            let withdrawn = || {
                rules
                    .iter()
                    .position(|one| Some(one.code) == presumed(ledger))
            };
            let cause = match judged.verdict {
                Verdict::Skipped => withdrawn(),
                _ => cause,
            };
            (judged, cause)
        })
        .collect();
    let (mut outcomes, causes): (Vec<Judged>, Vec<Option<usize>>) = concluded.into_iter().unzip();
    for at in 0..causes.len() {
        if let Some(cause) = root(&causes, at) {
            let message = match outcomes[at].verdict {
                Verdict::Skipped => "not judged for such an example".to_owned(),
                _ => outcomes[at].message.clone().unwrap_or_default(),
            };
            let consequence = Consequence {
                code: outcomes[at].code.to_owned(),
                message,
            };
            outcomes[cause].explains.push(consequence);
            outcomes[at].explained_by = Some(outcomes[cause].code);
        }
    }
    outcomes
}

/// The cause of an outcome that has no cause itself.
fn root(causes: &[Option<usize>], at: usize) -> Option<usize> {
    let mut cause = causes[at]?;
    // Each rule is passed once at most, even if causes went round in a circle.
    for _ in causes {
        match causes[cause] {
            Some(next) if next != at => cause = next,
            _ => break,
        }
    }
    Some(cause)
}

/// The rule that an example breaks, so that findings which presume it were withdrawn.
fn presumed(ledger: &Ledger) -> Option<&'static str> {
    match ledger.withdrawn.as_ref()?.cause {
        WithdrawnBy::Rule(code) => Some(code),
        WithdrawnBy::Examples | WithdrawnBy::Machine => None,
    }
}

/// Were findings withdrawn since the examples never succeed?
fn fails_always(ledger: &Ledger) -> bool {
    let withdrawn = ledger.withdrawn.as_ref();
    withdrawn.is_some_and(|one| one.cause == WithdrawnBy::Examples)
}

/// The outcome of a rule, and the rule from which all its findings follow.
fn outcome(
    rule: &Rule,
    ledger: &Ledger,
    causes: &[Option<usize>],
    views: &[AnySession],
    expectations: &Expectations,
) -> (Judged, Option<usize>) {
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
        first.found.message = format!("{} (the xfail {expired})", first.message);
    }
    let own_title = findings.first().and_then(|first| first.variant.title());
    let (verdict, message) = if let Some(first) = findings.first() {
        (Verdict::of_findings(level), Some(first.message.clone()))
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
        (Verdict::Skipped, Some(why.why.clone()))
    } else if !ledger.passes.is_empty() {
        (Verdict::Pass, None)
    } else if let Some(reason) = ledger.skips.first() {
        (Verdict::Skipped, Some(reason.clone()))
    } else {
        (Verdict::NotExercised, None)
    };
    let judged = Judged {
        code: rule.code,
        title: own_title.map_or_else(|| rule.title(), str::to_owned),
        level,
        verdict,
        cases: cases.len(),
        message,
        findings,
        places: Places {
            broken: open.iter().map(|finding| finding.place).collect(),
            kept: ledger.passes.iter().copied().collect(),
        },
        explained_by: None,
        explains: Vec::new(),
        wanted: (verdict == Verdict::Skipped && fails_always(ledger)).then_some(WORKING_EXAMPLE),
    };
    (judged, cause)
}
