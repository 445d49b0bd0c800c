//! Tries to reproduce findings in fresh processes.

use crate::bench::Bench;
use crate::error::RunError;
use crate::excuse::excuses;
use crate::lock::lock;
use crate::run::{PATIENCE, hangs, replay, size};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use stickler_judge::{AnySession, Confirmed, Judged, Ledger, Rule, Traced, Verdict, judge};
use stickler_session::SessionError;
use stickler_transcript::Phase;

/// The largest record, in bytes, that is kept for other rules.
const KEPT: usize = 1 << 20;

/// So many further findings of a rule are tried if the first one does not come again.
const OTHERS: usize = 3;

/// What confirming may take.
#[derive(Clone, Copy)]
pub struct Tries<'t> {
    /// Sessions in parallel.
    pub jobs: usize,
    /// When the time of the run is over: what was not tried again by then stays unconfirmed.
    pub until: Option<Instant>,
    /// If this is set, the remaining findings stay unconfirmed.
    pub stop: &'t AtomicBool,
}

/// Runs the sessions behind each failed rule's first finding again, those of level `must` first. If the rule
/// passes in both of two tries, and others of its findings do not come again either, its outcome becomes `flaky`. If
/// a phase is known to hang, its hangs are not retried. What follows from another finding is tried only if that one
/// does not come again, and set aside otherwise.
///
/// # Errors
/// If the harness fails.
pub fn confirm(
    bench: &Bench<'_>,
    rules: &[&Rule],
    sessions: &[AnySession],
    known: &[Phase],
    outcomes: &mut [Confirmed],
    tries: Tries<'_>,
) -> Result<(), RunError> {
    let confirming = Confirming {
        bench,
        rules,
        sessions,
        tries,
        // One hang per phase is retried with longer deadlines; its result holds for the others.
        hangs: Mutex::new(known.iter().map(|phase| (*phase, true)).collect()),
        failed: Mutex::default(),
    };
    // What is left to itself may in turn explain others.
    while confirming.goes_on() && outcomes.iter().any(is_open) {
        for last in [false, true] {
            let mut open: Vec<&mut Confirmed> =
                outcomes.iter_mut().filter(|one| is_open(one)).collect();
            open.sort_by_key(|outcome| Reverse(outcome.level));
            confirming.each(open, last);
            if let Some(error) = lock(&confirming.failed).take() {
                return Err(error);
            }
        }
        Confirmed::set_aside(outcomes);
    }
    Confirmed::set_aside(outcomes);
    Ok(())
}

/// Is it a failure that was not tried again? What follows from another one stands or falls with it.
fn is_open(outcome: &Confirmed) -> bool {
    outcome.verdict == Verdict::Fail && !outcome.is_confirmed() && outcome.explained_by.is_none()
}

struct Confirming<'c> {
    bench: &'c Bench<'c>,
    rules: &'c [&'c Rule],
    sessions: &'c [AnySession],
    tries: Tries<'c>,
    /// Which phases still hang when they are tried again.
    hangs: Mutex<Vec<(Phase, bool)>>,
    failed: Mutex<Option<RunError>>,
}

impl Confirming<'_> {
    /// Tries outcomes once, several at a time. `last`: are those flaky that pass?
    fn each(&self, open: Vec<&mut Confirmed>, last: bool) {
        let workers = self.tries.jobs.clamp(1, open.len().max(1));
        let again: Mutex<BTreeMap<usize, AnySession>> = Mutex::default();
        let open = Mutex::new(open.into_iter());
        std::thread::scope(|scope| {
            for _ in 0..workers {
                scope.spawn(|| {
                    while self.goes_on() {
                        let Some(outcome) = lock(&open).next() else {
                            return;
                        };
                        let tried = self.tried(outcome, 0, &again);
                        let tried = match tried {
                            Ok(()) if last && !outcome.is_confirmed() => {
                                self.others(outcome, &again)
                            }
                            other => other,
                        };
                        match tried {
                            Ok(()) if last && !outcome.is_confirmed() => outcome.never_again(),
                            Ok(()) | Err(RunError::Session(SessionError::Stopped)) => {}
                            Err(error) => {
                                lock(&self.failed).get_or_insert(error);
                            }
                        }
                    }
                });
            }
        });
    }

    fn goes_on(&self) -> bool {
        let is_over = self
            .tries
            .until
            .is_some_and(|until| Instant::now() >= until);
        !is_over && !self.tries.stop.load(Ordering::Relaxed) && lock(&self.failed).is_none()
    }

    /// Tries further findings of an outcome whose first one did not come again.
    fn others(
        &self,
        outcome: &mut Confirmed,
        again: &Mutex<BTreeMap<usize, AnySession>>,
    ) -> Result<(), RunError> {
        for at in 1..outcome.findings.len().min(1 + OTHERS) {
            self.tried(outcome, at, again)?;
            if outcome.is_confirmed() {
                break;
            }
        }
        Ok(())
    }

    /// Tries the finding at this place once more. `again`: the sessions that were run again for others.
    fn tried(
        &self,
        outcome: &mut Confirmed,
        at: usize,
        again: &Mutex<BTreeMap<usize, AnySession>>,
    ) -> Result<(), RunError> {
        let Some(rule) = self.rules.iter().find(|rule| rule.code == outcome.code) else {
            return Ok(());
        };
        let mut views = Vec::new();
        let Some(finding) = outcome.findings.get(at).cloned() else {
            return Ok(());
        };
        for number in partners(self.sessions, &finding) {
            let known = lock(again).get(&number).cloned();
            let session = match known {
                Some(known) => Some(known),
                None => self.once_more(&self.sessions[number])?,
            };
            let Some(session) = session else {
                continue;
            };
            // Other rules may need the same sessions; only small ones are kept, big ones run again.
            if size(session.reading().transcript()) <= KEPT {
                lock(again).entry(number).or_insert_with(|| session.clone());
            }
            views.push(session);
        }
        let ledgers: Vec<Ledger> = judge(&[*rule], &views);
        if ledgers.iter().any(|ledger| !ledger.findings.is_empty()) {
            match at {
                0 => outcome.came_again(),
                _ => outcome.led_by(finding),
            }
            let stop = self.tries.stop;
            let excuses = excuses(self.bench, self.rules, self.sessions, outcome, stop)?;
            // The first one comes last, so that it stays the first.
            let noted = excuses.notes.into_iter().enumerate().rev();
            let noted: Vec<Traced> = noted
                .filter_map(|(at, note)| {
                    let mut traced = outcome.findings.get(at)?.clone();
                    traced.found.agent = Some(note?);
                    Some(traced)
                })
                .collect();
            outcome.excuse(excuses.reasons);
            for traced in noted {
                outcome.led_by(traced);
            }
        }
        Ok(())
    }

    /// `None` if it hung, and does not hang with longer deadlines.
    fn once_more(&self, session: &AnySession) -> Result<Option<AnySession>, RunError> {
        let again = |patience| {
            let case = session.case().clone();
            replay(self.bench, case, patience, Some(self.tries.stop))
        };
        let Some(phase) = hangs(session) else {
            return again(1).map(Some);
        };
        // One waits for the other.
        let mut known = lock(&self.hangs);
        if let Some((_, still)) = known.iter().find(|(known, _)| *known == phase) {
            return Ok(still.then(|| session.clone()));
        }
        let again = again(PATIENCE)?;
        known.push((phase, hangs(&again) == Some(phase)));
        Ok(Some(again))
    }
}

/// The sessions behind the first finding, with the baselines of their groups.
pub fn behind(sessions: &[AnySession], outcome: &Judged) -> BTreeSet<usize> {
    let first = outcome.findings.first();
    first.map_or_else(BTreeSet::new, |first| partners(sessions, first))
}

/// The sessions behind a finding, with the baselines of their groups.
fn partners(sessions: &[AnySession], found: &Traced) -> BTreeSet<usize> {
    let mut needed: BTreeSet<usize> = found.finding.sessions.iter().copied().collect();
    let groups: BTreeSet<&str> = needed
        .iter()
        .flat_map(|index| &sessions[*index].case().groups)
        .filter(|membership| !membership.role.is_reference())
        .map(|membership| &membership.group[..])
        .collect();
    for (index, session) in sessions.iter().enumerate() {
        let partner = session.case().groups.iter().any(|membership| {
            groups.contains(&membership.group[..]) && membership.role.is_reference()
        });
        if partner {
            needed.insert(index);
        }
    }
    needed
}
