//! What follows from a finding of another rule: it is told with that finding, and fails nothing.
//!
//! A finding follows from one of a rule that explains its own (see [`Rule::explained_by`]), if both are in the same session
//! and about the same item; or, if the finding says so itself, from one about the same example, or another of its kind, in
//! any session (see [`Finding::follows`] and [`Rule::beside`]). If both are at the same exchange, and the message names the cause, what says
//! the same elsewhere follows from it, too. Findings that follow from nothing stay, so that one defect does not hide
//! another.

use crate::concern::{examples_of, kinds_of};
use crate::{AnySession, Finding, Ledger, Level, Rule};
use std::collections::{BTreeMap, BTreeSet};
use stickler_transcript::Name;

/// For each finding of each ledger, the index of the rule that names its cause.
pub(crate) fn causes(
    rules: &[&Rule],
    ledgers: &[Ledger],
    views: &[AnySession],
) -> Vec<Vec<Option<usize>>> {
    let all = rules.iter().zip(ledgers);
    let direct: Vec<Vec<Option<Reason>>> = all
        .map(|(rule, ledger)| direct(rule, ledger, rules, ledgers, views))
        .collect();
    let root = |mut reason: Reason| {
        // The table of rules has no circles; the limit keeps a wrong one from going on forever.
        for _ in 0..rules.len() {
            match direct[reason.rule][reason.finding] {
                Some(deeper) => reason = deeper,
                None => break,
            }
        }
        reason.rule
    };
    let roots = |reasons: &Vec<Option<Reason>>| {
        let reasons = reasons.iter();
        reasons.map(|reason| reason.map(root)).collect()
    };
    direct.iter().map(roots).collect()
}

/// How many rules a finding of this one may explain, or keep from saying anything.
pub(crate) fn weight(rules: &[&Rule], code: &str) -> usize {
    let named = |rule: &&&Rule| {
        let mut causes = rule
            .explained_by
            .iter()
            .chain(rule.presumes)
            .chain(rule.after)
            .chain(rule.beside);
        causes.any(|cause| *cause == code)
    };
    rules.iter().filter(named).count()
}

/// A finding, by the indices of its rule and of itself.
#[derive(Clone, Copy)]
struct Reason {
    rule: usize,
    finding: usize,
}

fn direct(
    rule: &Rule,
    ledger: &Ledger,
    rules: &[&Rule],
    ledgers: &[Ledger],
    views: &[AnySession],
) -> Vec<Option<Reason>> {
    if ledger.findings.is_empty() {
        return Vec::new();
    }
    let levels = ledger.findings.iter().map(|finding| finding.level);
    let levels: BTreeSet<Level> = levels.collect();
    let kept = levels.into_iter().filter_map(|level| {
        let cause = kept_from_before(rule, level, ledger, rules, ledgers, views)?;
        Some((level, cause))
    });
    let kept: BTreeMap<Level, Reason> = kept.collect();
    let of_its_level = |finding: &Finding| kept.get(&finding.level).copied();
    let mut found: Vec<_> = ledger.findings.iter().map(of_its_level).collect();
    let names_cause = |finding: &Finding| finding.follows.is_some();
    if rule.explained_by.is_empty()
        && rule.beside.is_empty()
        && !ledger.findings.iter().any(names_cause)
    {
        return found;
    }
    let own: Vec<Option<&Name>> = items(ledger, views);
    let mut candidates: Vec<usize> = (0..rules.len())
        .filter(|at| rule.explained_by.contains(&rules[*at].code))
        .filter(|at| !ledgers[*at].findings.is_empty())
        .collect();
    // What explains most comes first.
    candidates.sort_by_key(|at| std::cmp::Reverse(weight(rules, rules[*at].code)));
    for at in candidates {
        let theirs = items(&ledgers[at], views);
        let mut by_session: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (index, finding) in ledgers[at].findings.iter().enumerate() {
            let sessions = by_session.entry(finding.place.session);
            sessions.or_default().push(index);
        }
        for (index, finding) in ledger.findings.iter().enumerate() {
            let there = by_session.get(&finding.place.session);
            let mut there = there.into_iter().flatten();
            let is_cause = |other: &&usize| {
                let is_same =
                    own[index].is_none_or(|own| theirs[**other].is_none_or(|it| it == own));
                is_same && ledgers[at].findings[**other].level >= finding.level
            };
            if found[index].is_none()
                && let Some(cause) = there.find(is_cause)
            {
                found[index] = Some(Reason {
                    rule: at,
                    finding: *cause,
                });
            }
        }
    }
    for (finding, reason) in ledger.findings.iter().zip(&mut found) {
        let named = finding.follows.iter().chain(rule.beside);
        for code in named {
            *reason = reason.or_else(|| elsewhere(finding, code, rules, ledgers, views));
        }
    }
    let is_at_one_place = |(index, reason): &(usize, Reason)| {
        let (finding, cause) = (
            &ledger.findings[*index],
            &ledgers[reason.rule].findings[reason.finding],
        );
        finding.telling && finding.place == cause.place
    };
    let known = found.iter().enumerate();
    let known = known.filter_map(|(index, reason)| Some((index, (*reason)?)));
    let known: BTreeMap<_, Reason> = known
        .filter(is_at_one_place)
        .map(|(index, reason)| (said(&ledger.findings[index]), reason))
        .collect();
    for (finding, reason) in ledger.findings.iter().zip(&mut found) {
        *reason = reason.or_else(|| known.get(&said(finding)).copied());
    }
    found
}

/// What a rule that explains a finding tells of the same example or kind, in whatever session.
fn elsewhere(
    finding: &Finding,
    code: &str,
    rules: &[&Rule],
    ledgers: &[Ledger],
    views: &[AnySession],
) -> Option<Reason> {
    let own = examples_of(finding, views);
    let kinds = kinds_of(finding, views);
    let rule = rules.iter().position(|rule| rule.code == code)?;
    let is_cause = |other: &Finding| {
        let examples = examples_of(other, views);
        let is_same = own.iter().any(|one| examples.contains(one));
        let mut theirs = kinds_of(other, views).into_iter();
        other.level >= finding.level && (is_same || theirs.any(|one| kinds.contains(&one)))
    };
    let finding = ledgers[rule].findings.iter().position(is_cause)?;
    Some(Reason { rule, finding })
}

/// The finding about what a subject keeps from one request to the next, if all findings of this rule that have this
/// level come after other items, or after the same request.
fn kept_from_before(
    rule: &Rule,
    level: Level,
    ledger: &Ledger,
    rules: &[&Rule],
    ledgers: &[Ledger],
    views: &[AnySession],
) -> Option<Reason> {
    let mut states = (0..rules.len()).filter(|at| rule.after.contains(&rules[*at].code));
    let cause = states.find_map(|rule| {
        let mut theirs = ledgers[rule].findings.iter();
        let finding = theirs.position(|one| one.level >= level)?;
        Some(Reason { rule, finding })
    })?;
    let mut own = ledger.findings.iter().filter(|one| one.level == level);
    own.all(|one| comes_later(one, views)).then_some(cause)
}

/// Has the process of a finding met another item before, or the same request?
fn comes_later(finding: &Finding, views: &[AnySession]) -> bool {
    let reading = views[finding.place.session].reading();
    let all: Vec<_> = reading.exchanges().collect();
    let places = std::iter::once(&finding.place).chain(&finding.also);
    let mut places = places.filter(|place| place.session == finding.place.session);
    places.any(|place| {
        let own = all.iter().find(|one| Some(one.number) == place.exchange);
        own.is_some_and(|own| {
            let mut before = all.iter().filter(|one| one.number < own.number);
            before.any(|one| {
                one.process == own.process
                    && one.item.is_some()
                    && (one.item != own.item || one.phase == own.phase)
            })
        })
    })
}

/// What a finding says. Each name of an item or value makes a difference.
fn said(finding: &Finding) -> (&'static str, &str, &str) {
    (finding.variant.name(), &finding.group, &finding.message)
}

/// The item that each finding is about, if it is about one.
fn items<'v>(ledger: &Ledger, views: &'v [AnySession]) -> Vec<Option<&'v Name>> {
    let about = |finding: &Finding| {
        let item = views[finding.place.session].item_of(finding.place.exchange?)?;
        Some(&item.label)
    };
    ledger.findings.iter().map(about).collect()
}
