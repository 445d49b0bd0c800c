//! Tells failures while a run goes on: only those that its end cannot withdraw.
//!
//! A finding in a single session stays, whatever else is held. A finding in a group may go as long
//! as sessions of the group are missing: a late repetition may show that a difference says nothing.
//! A failure is told once it has come again in fresh processes, and then it is not `flaky` in the
//! end. It is not told if another finding explains it, or still could.

use crate::bench::Bench;
use crate::confirm::{Tries, behind, confirm};
use crate::error::RunError;
use crate::lock::lock;
use crate::observer::{RunEvent, RunObserver, SoFar, Watch};
use crate::redact::Redactor;
use crate::run::hangs;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use stickler_judge::{
    AnySession, Confirmed, Expectations, Explained, Judged, Level, Rule, Traced, Verdict, conclude,
    judge_part,
};

/// Proves and tells failures of a run.
pub(crate) struct Live<'c> {
    bench: Bench<'c>,
    rules: &'c [&'static Rule],
    observer: &'c RunObserver<'c>,
    /// The lowest level that is told.
    level: Level,
    expectations: Expectations,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    /// The rules whose failure was tried again.
    tried: BTreeSet<&'static str>,
    proofs: BTreeMap<&'static str, Proof>,
}

/// A finding that came again in fresh processes.
struct Proof {
    found: Traced,
    /// The names of the cases of all sessions at that time.
    cases: Vec<String>,
}

impl<'c> Live<'c> {
    /// For a check whose user wants to be told failures from this level on.
    pub fn of(
        bench: Bench<'c>,
        rules: &'c [&'static Rule],
        expectations: Expectations,
        level: Level,
        observer: &'c RunObserver<'c>,
    ) -> Self {
        Live {
            bench,
            rules,
            observer,
            level,
            expectations,
            known: Mutex::default(),
        }
    }

    /// Marks outcomes as confirmed whose first finding is proven already.
    pub fn spare(&self, outcomes: &mut [Confirmed]) {
        let known = lock(&self.known);
        for outcome in outcomes {
            let proof = known.proofs.get(outcome.code);
            let first = outcome.findings.first();
            if let (Some(proof), Some(first)) = (proof, first)
                && is_same(&proof.found, first)
            {
                outcome.came_again();
            }
        }
    }

    /// A rule that failed in fresh processes is a confirmed failure, even if the finding that the
    /// report would show first did not come again, or was not tried because the user ended the run.
    /// The proven one is shown first then.
    pub fn uphold(&self, outcomes: &mut [Confirmed], sessions: &[AnySession]) {
        let known = lock(&self.known);
        for outcome in outcomes {
            let proof = known.proofs.get(outcome.code);
            let doubtful = outcome.verdict.is_failure() && !outcome.is_confirmed();
            if let Some(proof) = proof.filter(|_| doubtful) {
                let place = |index: usize| {
                    let name = proof.cases.get(index)?;
                    sessions.iter().position(|one| one.case().id == *name)
                };
                if let Some(found) = moved(&proof.found, place) {
                    outcome.led_by(found);
                }
            }
        }
    }
}

impl Watch for Live<'_> {
    /// Only what the rest of the run cannot withdraw.
    fn failures(&self, so_far: &SoFar<'_>) -> Vec<Judged> {
        let known = lock(&self.known);
        let wanted = |rule: &&&Rule| rule.level >= self.level && !known.tried.contains(rule.code);
        let all = self.rules.iter();
        let causes = all
            .clone()
            .filter(wanted)
            .flat_map(|rule| rule.explained_by.iter().chain(rule.presumes));
        let causes: BTreeSet<&str> = causes.copied().collect();
        let rules = all.filter(|rule| wanted(rule) || causes.contains(rule.code));
        let rules: Vec<_> = rules.copied().collect();
        let whole = |group: &str| !so_far.open.contains(group);
        let ledgers = judge_part(&rules, so_far.sessions, whole);
        let outcomes = conclude(&rules, &ledgers, so_far.sessions, &self.expectations);
        // What another rule may tell the cause of is told at the end.
        let may_follow = |code: &str| {
            let mut all = rules.iter().zip(&ledgers);
            all.any(|(rule, ledger)| {
                rule.code == code && ledger.findings.iter().any(|one| one.follows.is_some())
            })
        };
        let told = |(rule, outcome): &(&&Rule, &Judged)| {
            outcome.verdict == Verdict::Fail
                && outcome.level >= self.level
                && outcome.explained_by.is_none()
                && !may_follow(rule.code)
                && !known.tried.contains(rule.code)
                && stands_alone(rule, outcome, &rules, &outcomes, so_far)
                && !in_doubt(outcome, so_far)
        };
        let told = rules.iter().zip(&outcomes).filter(told);
        let mut told: Vec<Judged> = told.map(|(_, outcome)| outcome.clone()).collect();
        told.sort_by_key(|outcome| std::cmp::Reverse(outcome.level));
        told
    }

    /// Tells what comes again.
    fn proves(
        &self,
        so_far: &SoFar<'_>,
        failures: Vec<Judged>,
        over: &AtomicBool,
    ) -> Result<bool, RunError> {
        let mut tried: Vec<Confirmed> = failures.into_iter().map(Confirmed::from).collect();
        let done = confirm(
            &self.bench,
            self.rules,
            so_far.sessions,
            so_far.hangs,
            &mut tried,
            Tries {
                jobs: 1,
                until: None,
                stop: over,
            },
        );
        lock(&self.known)
            .tried
            .extend(tried.iter().map(|one| one.code));
        done?;
        tried.retain(Confirmed::is_confirmed);
        let proves = !tried.is_empty();
        for outcome in tried {
            let Some(found) = outcome.findings.first() else {
                continue;
            };
            let cases = so_far.sessions.iter().map(|one| one.case().id.clone());
            let proof = Proof {
                cases: cases.collect(),
                found: found.clone(),
            };
            lock(&self.known).proofs.insert(outcome.code, proof);
            let Bench {
                dialect, config, ..
            } = self.bench;
            let mut shown = Explained::from(outcome).reported(None, Vec::new());
            Redactor::informed(dialect, config, so_far.sessions).outcome(&mut shown);
            self.observer.tell(RunEvent::Failed(&shown));
        }
        Ok(proves)
    }
}

/// Can no finding of another rule explain this outcome in the end? For each rule that could, there
/// must be a session where this one fails and the other will not.
fn stands_alone(
    rule: &Rule,
    outcome: &Judged,
    rules: &[&Rule],
    outcomes: &[Judged],
    so_far: &SoFar<'_>,
) -> bool {
    let sessions = |outcome: &Judged| -> BTreeSet<usize> {
        outcome
            .places
            .broken
            .iter()
            .map(|place| place.session)
            .collect()
    };
    let own = sessions(outcome);
    let causes = rules.iter().zip(outcomes);
    let mut causes = causes.filter(|(cause, _)| rule.explained_by.contains(&cause.code));
    causes.all(|(cause, found)| {
        let theirs = sessions(found);
        let is_whole = |session: usize| {
            let mut groups = so_far.sessions[session].case().groups.iter();
            groups.all(|member| !so_far.open.contains(&member.group))
        };
        own.difference(&theirs)
            .any(|session| !cause.compares() || is_whole(*session))
    })
}

/// Does the failure rest on a hang that may only be a busy machine? To try it again could take much
/// longer than the session.
fn in_doubt(outcome: &Judged, so_far: &SoFar<'_>) -> bool {
    let needed = behind(so_far.sessions, outcome);
    let mut hung = needed
        .iter()
        .filter_map(|index| hangs(&so_far.sessions[*index]));
    hung.any(|phase| !so_far.hangs.contains(&phase))
}

/// Do two outcomes of a rule show the same finding first?
fn is_same(one: &Traced, other: &Traced) -> bool {
    one.case == other.case
        && one.variant == other.variant
        && one.group == other.group
        && one.message == other.message
        && one.exchange == other.exchange
}

/// The finding with other indices of its sessions.
fn moved(found: &Traced, place: impl Fn(usize) -> Option<usize>) -> Option<Traced> {
    let mut found = found.clone();
    let finding = &mut found.finding;
    let also = finding.also.iter_mut().map(|place| &mut place.session);
    let own = [&mut finding.place.session].into_iter().chain(also);
    for index in own.chain(&mut finding.sessions) {
        *index = place(*index)?;
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use stickler_judge::{Found, Ledger, Places, RunPlace};

    fn found(session: usize, message: &str) -> Traced {
        let place = RunPlace::at(session, 2);
        let finding = Ledger::new(Level::Must).finding_at(place, message.to_owned());
        let found = Found {
            level: Level::Must,
            variant: finding.variant,
            group: finding.group.clone(),
            message: message.to_owned(),
            expected: None,
            exchange: place.exchange,
            case: format!("case/{session}"),
            context: String::new(),
            excerpt: Vec::new(),
            agent: None,
            more: 0,
            others: Vec::new(),
        };
        Traced {
            found,
            finding,
            also: Vec::new(),
        }
    }

    #[test]
    fn a_confirmed_finding_precedes_one_that_did_not_recur() {
        let mut flaky = found(0, "only once");
        flaky.found.more = 3;
        let mut outcome = Confirmed::from(Judged {
            code: "TY1",
            title: String::new(),
            level: Level::Must,
            verdict: Verdict::Fail,
            cases: 2,
            message: Some(flaky.message.clone()),
            places: Places::default(),
            findings: vec![flaky],
            explained_by: None,
            explains: Vec::new(),
            wanted: None,
        });
        outcome.never_again();
        let proven = moved(&found(1, "each time"), |index| Some(index + 6)).expect("known");
        outcome.led_by(proven);
        assert_eq!(outcome.verdict, Verdict::Fail);
        assert!(outcome.is_confirmed());
        assert_eq!(outcome.message.as_deref(), Some("each time"));
        // Both show the same kind of defect, so there is one finding, with all its cases.
        let [shown] = &outcome.findings[..] else {
            panic!("{:?}", outcome.findings);
        };
        assert_eq!((shown.more, &shown.finding.sessions[..]), (3, &[7][..]));
        assert_eq!(shown.finding.place.session, 7);
    }

    #[test]
    fn a_finding_is_the_same_if_its_case_and_its_words_are() {
        let one = found(1, "a");
        let mut elsewhere = one.clone();
        elsewhere.finding.place.session = 9;
        assert!(is_same(&one, &elsewhere));
        assert!(!is_same(&one, &found(1, "b")));
        assert!(!is_same(&one, &found(2, "a")));
    }

    #[test]
    fn a_session_that_is_not_known_moves_nothing() {
        assert_eq!(moved(&found(1, "a"), |_| None), None);
    }
}
