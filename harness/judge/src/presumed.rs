//! Withdraws findings about examples that do not work as usual: there is nothing to compare with. So are those
//! about what a subject does after it met something that this machine lacks.

use crate::concern::examples_of;
use crate::consequence::weight;
use crate::unsuccessful::unsuccessful;
use crate::{AnySession, Finding, Ledger, Rule, RunPlace, WithdrawnBy};
use std::collections::{BTreeMap, BTreeSet};

/// The rules that examples break in their usual evaluation, for sessions that are judged one by one.
#[derive(Clone, Debug, Default)]
pub struct Presumed {
    broken: BTreeMap<&'static str, BTreeSet<String>>,
}

impl Presumed {
    /// What the judgement of these sessions shows, a ledger for each rule.
    pub fn of(rules: &[&'static Rule], ledgers: &[Ledger], views: &[AnySession]) -> Self {
        let mut presumed = Presumed::default();
        for (rule, ledger) in rules.iter().zip(ledgers) {
            let examples = broken_as_usual(ledger, views).into_iter();
            let examples: BTreeSet<String> = examples.map(str::to_owned).collect();
            if !examples.is_empty() {
                presumed.broken.insert(rule.code, examples);
            }
        }
        presumed
    }

    /// Withdraws findings about a session, as [`crate::judge`] does: of rules that presume a rule which the example
    /// breaks, and where something is missing on this machine.
    pub fn withdraw(&self, rules: &[&Rule], ledgers: &mut [Ledger], view: &AnySession) {
        let views = std::slice::from_ref(view);
        for (rule, ledger) in rules.iter().zip(ledgers) {
            if ledger.findings.is_empty() {
                continue;
            }
            withdraw_lacking(ledger, views);
            for (basis, examples) in &self.broken {
                if rule.presumes.contains(basis) && !may_cause(rules, rule, basis) {
                    let breaks = |_: &Finding, example: &str| examples.contains(example);
                    withdraw_about(ledger, views, breaks, Some(basis));
                }
            }
        }
    }
}

/// Withdraws findings of rules that presume others (see [`Rule::presumes`]), where one of those is
/// broken in the usual evaluation of the same example, or where that evaluation always fails.
pub(crate) fn withdraw(rules: &[&Rule], ledgers: &mut [Ledger], views: &[AnySession]) {
    for ledger in &mut *ledgers {
        withdraw_lacking(ledger, views);
    }
    let wanted: BTreeSet<&str> = rules
        .iter()
        .flat_map(|rule| rule.presumes)
        .copied()
        .collect();
    let mut broken: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    // The sessions in which each is broken.
    let mut sessions: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    for (rule, ledger) in rules.iter().zip(&*ledgers) {
        if wanted.contains(rule.code) {
            let held = ledger.findings.iter().map(|one| one.place.session);
            sessions.insert(rule.code, held.collect());
            broken.insert(rule.code, broken_as_usual(ledger, views));
        }
    }
    let failing = unsuccessful(views);
    for (rule, ledger) in rules.iter().zip(ledgers) {
        if !rule.presumes.is_empty() {
            let fails = |_: &Finding, example: &str| failing.contains_key(example);
            withdraw_about(ledger, views, fails, None);
        }
        // What names the cause of it is no comparison with it.
        let explained = rules.iter().filter(|one| {
            rule.presumes.contains(&one.code) && one.explained_by.contains(&rule.code)
        });
        let explained: BTreeSet<usize> = explained
            .flat_map(|one| sessions.get(one.code).into_iter().flatten())
            .copied()
            .collect();
        // What explains most withdraws first, and is named.
        let mut bases = rule.presumes.to_vec();
        bases.sort_by_key(|basis| std::cmp::Reverse(weight(rules, basis)));
        // What the usual evaluation breaks by itself has another cause than what a variation shows.
        let usual: BTreeSet<String> = broken_as_usual(ledger, views)
            .into_iter()
            .map(str::to_owned)
            .collect();
        for basis in bases {
            if let Some(broken) = broken.get(basis) {
                let may_cause = may_cause(rules, rule, basis);
                let breaks = |finding: &Finding, example: &str| {
                    let is_cause = may_cause
                        && usual.contains(example)
                        && explained.contains(&finding.place.session);
                    !is_cause && broken.contains(example)
                };
                withdraw_about(ledger, views, breaks, Some(basis));
            }
        }
    }
}

/// The examples that break a rule in their usual evaluation.
fn broken_as_usual<'v>(ledger: &Ledger, views: &'v [AnySession]) -> BTreeSet<&'v str> {
    let findings = ledger.findings.iter();
    let usual = findings.filter(|one| views[one.place.session].is_usual());
    usual
        .flat_map(|finding| examples_of(finding, views))
        .collect()
}

/// May a rule name the cause of what breaks a rule that it presumes?
fn may_cause(rules: &[&Rule], rule: &Rule, basis: &str) -> bool {
    let mut bases = rules.iter().filter(|one| one.code == basis);
    bases.any(|one| one.explained_by.contains(&rule.code))
}

/// Withdraws findings at places where something was missing on this machine.
fn withdraw_lacking(ledger: &mut Ledger, views: &[AnySession]) {
    let lack = |place: &RunPlace| views[place.session].lack(place.exchange?);
    let mut lacks = Vec::new();
    ledger.findings.retain(|finding| {
        let mut places = std::iter::once(&finding.place).chain(&finding.also);
        let why = places.find_map(lack);
        lacks.extend(why.clone());
        why.is_none()
    });
    for why in lacks {
        ledger.untried(why);
    }
}

/// Withdraws the findings about such examples: those that break a rule or, without one, never succeed. If there are any,
/// the reason is that of a skip.
fn withdraw_about(
    ledger: &mut Ledger,
    views: &[AnySession],
    is_such: impl Fn(&Finding, &str) -> bool,
    basis: Option<&'static str>,
) {
    let before = ledger.findings.len();
    ledger.findings.retain(|finding| {
        let about = examples_of(finding, views);
        !about.iter().any(|example| is_such(finding, example))
    });
    if ledger.findings.len() < before {
        let (why, cause) = match basis {
            Some(code) => (
                format!("the examples themselves break {code}"),
                WithdrawnBy::Rule(code),
            ),
            None => (
                "the examples themselves never succeed".to_owned(),
                WithdrawnBy::Examples,
            ),
        };
        ledger.withdraw(why, cause);
    }
}
