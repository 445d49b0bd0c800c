//! Tries to reproduce findings in fresh processes.

use crate::dialect::Dialect;
use crate::error::RunError;
use crate::excuse::excuse;
use crate::run::{PATIENCE, hangs, replay, size};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;
use stickler_judge::{Ledger, Outcome, Rule, Verdict, View, judge};
use stickler_session::SessionError;
use stickler_session::sandbox::Host;
use stickler_transcript::Phase;

/// The largest record, in bytes, that is kept for other rules.
const KEPT: usize = 1 << 20;

/// Runs the sessions behind each failed rule's first finding again. If the rule passes in both of
/// two tries, its outcome becomes `flaky`. If a phase is known to hang, its hangs are not retried.
/// If `stop` is set, the remaining findings stay unconfirmed.
///
/// # Errors
/// If the harness fails.
pub fn confirm<D: Dialect>(
    dialect: &D,
    host: &Host,
    rules: &[&Rule<D::Session>],
    sessions: &[D::Session],
    known: &[Phase],
    outcomes: &mut [Outcome],
    stop: &AtomicBool,
) -> Result<(), RunError> {
    // One hang per phase is retried with longer deadlines; its result holds for the others.
    let mut kinds: Vec<(Phase, bool)> = known.iter().map(|phase| (*phase, true)).collect();
    for _ in 0..2 {
        let open: Vec<usize> = (0..outcomes.len())
            .filter(|index| {
                outcomes[*index].verdict == Verdict::Fail && !outcomes[*index].confirmed
            })
            .collect();
        if open.is_empty() {
            return Ok(());
        }
        let wanted: BTreeMap<usize, BTreeSet<usize>> = open
            .iter()
            .map(|index| (*index, behind(sessions, &outcomes[*index])))
            .collect();
        let mut again: BTreeMap<usize, D::Session> = BTreeMap::new();
        for (index, needed) in wanted {
            let outcome = &mut outcomes[index];
            let Some(rule) = rules.iter().find(|rule| rule.code == outcome.code) else {
                continue;
            };
            let (mut numbers, mut views) = (Vec::new(), Vec::new());
            for number in needed {
                let known = match again.remove(&number) {
                    Some(known) => Some(known),
                    None => match once_more(dialect, host, &sessions[number], &mut kinds, stop) {
                        Err(RunError::Session(SessionError::Stopped)) => return Ok(()),
                        other => other?,
                    },
                };
                if let Some(session) = known {
                    numbers.push(number);
                    views.push(session);
                }
            }
            let ledgers: Vec<Ledger> = judge(&[*rule], &views);
            if ledgers.iter().any(|ledger| !ledger.findings.is_empty()) {
                outcome.confirmed = true;
                match excuse(dialect, host, rules, sessions, outcome, stop) {
                    Err(RunError::Session(SessionError::Stopped)) => return Ok(()),
                    other => other?,
                }
            }
            // Other rules may need the same sessions; only small ones are kept, big ones run again.
            let small = |session: &D::Session| size(&session.reading().transcript) <= KEPT;
            again.extend(
                numbers
                    .into_iter()
                    .zip(views)
                    .filter(|(_, session)| small(session)),
            );
        }
    }
    for outcome in outcomes.iter_mut() {
        if outcome.verdict == Verdict::Fail && !outcome.confirmed {
            outcome.verdict = Verdict::Flaky;
        }
    }
    Ok(())
}

fn once_more<D: Dialect>(
    dialect: &D,
    host: &Host,
    session: &D::Session,
    kinds: &mut Vec<(Phase, bool)>,
    stop: &AtomicBool,
) -> Result<Option<D::Session>, RunError> {
    let again = |patience| replay(dialect, host, session.case().clone(), patience, Some(stop));
    let Some(phase) = hangs(session) else {
        return again(1).map(Some);
    };
    if let Some((_, still)) = kinds.iter().find(|(known, _)| *known == phase) {
        return Ok(still.then(|| session.clone()));
    }
    let again = again(PATIENCE)?;
    kinds.push((phase, hangs(&again) == Some(phase)));
    Ok(Some(again))
}

/// The sessions behind the first finding, with the baselines of their groups.
pub fn behind(sessions: &[impl View], outcome: &Outcome) -> BTreeSet<usize> {
    let Some(found) = outcome.findings.first() else {
        return BTreeSet::new();
    };
    let mut needed: BTreeSet<usize> = found.sessions.iter().copied().collect();
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
