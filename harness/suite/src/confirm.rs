//! Tries findings again in fresh processes.

use crate::run::{RunError, replay};
use std::collections::{BTreeMap, BTreeSet};
use stickler_judge::{Ledger, Outcome, Rule, Verdict, judge};
use stickler_promise::{Ended, Session};
use stickler_session::sandbox::Host;
use stickler_transcript::Silence;

/// Deadlines are this many times longer when a hang is confirmed.
const PATIENCE: u32 = 4;

/// Runs the sessions behind each failed rule's first finding again. A rule that
/// is not broken then, tried twice, becomes `flaky`.
///
/// # Errors
/// Where the harness fails.
pub fn confirm(
    host: &Host,
    rules: &[&Rule<Session>],
    sessions: &[Session],
    outcomes: &mut [Outcome],
) -> Result<(), RunError> {
    for _ in 0..2 {
        let open: Vec<usize> = (0..outcomes.len())
            .filter(|index| outcomes[*index].verdict == Verdict::Fail && !confirmed(&outcomes[*index]))
            .collect();
        if open.is_empty() {
            return Ok(());
        }
        let wanted: BTreeMap<usize, BTreeSet<usize>> = open
            .iter()
            .map(|index| (*index, behind(sessions, &outcomes[*index])))
            .collect();
        let all: BTreeSet<usize> = wanted.values().flatten().copied().collect();
        let mut again: BTreeMap<usize, Session> = BTreeMap::new();
        for index in all {
            let patience = if hangs(&sessions[index]) { PATIENCE } else { 1 };
            let cases = vec![sessions[index].case().clone()];
            if let Some(session) = replay(host, cases, patience)?.pop() {
                again.insert(index, session);
            }
        }
        for (index, needed) in wanted {
            let outcome = &mut outcomes[index];
            let Some(rule) = rules.iter().find(|rule| rule.code == outcome.code) else {
                continue;
            };
            let views: Vec<Session> = needed.iter().filter_map(|n| again.get(n).cloned()).collect();
            let ledgers: Vec<Ledger> = judge(&[*rule], &views);
            if ledgers.iter().any(|ledger| !ledger.findings.is_empty()) {
                outcome.confirmed = true;
            }
        }
    }
    for outcome in outcomes.iter_mut() {
        if outcome.verdict == Verdict::Fail && !confirmed(outcome) {
            outcome.verdict = Verdict::Flaky;
        }
    }
    Ok(())
}

fn confirmed(outcome: &Outcome) -> bool {
    outcome.confirmed
}

fn hangs(session: &Session) -> bool {
    session
        .exchanges
        .iter()
        .any(|exchange| exchange.ended == Ended::Silent(Silence::Deadline) && exchange.owed)
}

/// The sessions that the first finding rests on, with the baselines of their groups.
pub fn behind(sessions: &[Session], outcome: &Outcome) -> BTreeSet<usize> {
    let Some(found) = outcome.findings.first() else {
        return BTreeSet::new();
    };
    let mut needed: BTreeSet<usize> = found.sessions.iter().copied().collect();
    let groups: BTreeSet<&str> = needed
        .iter()
        .flat_map(|index| &sessions[*index].case().groups)
        .filter(|membership| !matches!(&membership.role[..], "baseline" | "again"))
        .map(|membership| &membership.group[..])
        .collect();
    for (index, session) in sessions.iter().enumerate() {
        let partner = session.case().groups.iter().any(|membership| {
            groups.contains(&membership.group[..])
                && matches!(&membership.role[..], "baseline" | "again")
        });
        if partner {
            needed.insert(index);
        }
    }
    needed
}
