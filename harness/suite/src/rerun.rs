//! Stored sessions are held again, and compared with what was stored.

use crate::check::judged;
use crate::conversation;
use crate::dialect::Dialect;
use crate::error::RunError;
use crate::redact::Redactor;
use crate::run::{Progress, replay};
use crate::volatile;
use stickler_judge::{Expectations, Outcome, Verdict, View};
use stickler_session::sandbox::Host;
use stickler_transcript::Case;

/// A finding that is not seen is looked for so many times in all.
const TRIES: usize = 2;

/// What became of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Became {
    /// It failed, and fails again.
    StillFailing,
    /// It failed in the new sessions alone.
    New,
    /// It failed, and holds now.
    Fixed,
    /// It failed, and now nothing in the sessions could break it.
    NotExercised,
}

impl Became {
    /// Does it fail the run?
    pub fn fails(self) -> bool {
        // What is not exercised any more is not known to be fixed.
        !matches!(self, Became::Fixed)
    }
}

/// A rule that failed before or fails now.
#[derive(Clone, Debug)]
pub struct Change {
    /// What became of it.
    pub became: Became,
    /// What the stored sessions say.
    pub stored: Outcome,
    /// What the new ones say.
    pub now: Outcome,
}

/// A conversation that has changed.
#[derive(Clone, Debug)]
pub struct Difference {
    /// Name of the case.
    pub case: String,
    /// The stored conversation.
    pub old: String,
    /// The new one.
    pub new: String,
}

/// What came of holding sessions again.
#[derive(Clone, Debug)]
pub struct Rerun {
    /// The rules that failed before or fail now.
    pub changes: Vec<Change>,
    /// The conversations that have changed.
    pub differences: Vec<Difference>,
    /// How often the sessions were held.
    pub tries: usize,
}

/// Holds these cases again, whose sessions are stored.
///
/// # Errors
/// Where a session cannot be held.
pub fn rerun<D: Dialect>(
    dialect: &D,
    host: &Host,
    stored: &[D::Session],
    cases: &[Case],
    redactor: &Redactor,
    progress: &dyn Progress,
) -> Result<Rerun, RunError> {
    let rules = dialect.rules();
    let outcomes =
        |sessions: &[D::Session]| judged(dialect, &rules, sessions, &Expectations::default());
    let plain = |session: &D::Session| plain(dialect, session);
    let before = outcomes(stored);
    let mut tries = vec![again(dialect, host, cases, progress)?];
    let mut now = outcomes(&tries[0]);
    let differs = |now: &[D::Session]| stored.iter().zip(now).any(|(a, b)| plain(a) != plain(b));
    while tries.len() < TRIES && (disappeared(&before, &now) || differs(&tries[0])) {
        let next = again(dialect, host, cases, progress)?;
        // A finding that is seen once is there.
        for (outcome, other) in now.iter_mut().zip(outcomes(&next)) {
            if !failed(outcome) && failed(&other) {
                *outcome = other;
            }
        }
        tries.push(next);
    }
    // The new conversations, with masks where they differ among themselves.
    let text = |session: &D::Session| redactor.text(&plain(session));
    let mut differences = Vec::new();
    for (index, session) in stored.iter().enumerate() {
        let mut held = tries.iter().map(|sessions| text(&sessions[index]));
        let first = held.next().unwrap_or_default();
        let new = held.fold(first, |masked, other| volatile::between(&masked, &other));
        let old = volatile::like(&plain(session), &new);
        if old != new {
            let case = session.case().id.clone();
            differences.push(Difference { case, old, new });
        }
    }
    Ok(Rerun {
        changes: changes(before, now),
        differences,
        tries: tries.len(),
    })
}

fn again<D: Dialect>(
    dialect: &D,
    host: &Host,
    cases: &[Case],
    progress: &dyn Progress,
) -> Result<Vec<D::Session>, RunError> {
    progress.planned(cases.len());
    let mut sessions = Vec::new();
    for case in cases {
        sessions.push(replay(dialect, host, case.clone(), 1, None)?);
        progress.done(&case.id);
    }
    Ok(sessions)
}

/// The conversation, with what looks volatile masked.
fn plain<D: Dialect>(dialect: &D, session: &D::Session) -> String {
    volatile::known_now(
        &conversation::text(dialect, session),
        &conversation::sent(session),
    )
}

fn failed(outcome: &Outcome) -> bool {
    outcome.verdict.is_failure()
}

fn disappeared(before: &[Outcome], now: &[Outcome]) -> bool {
    let mut both = before.iter().zip(now);
    both.any(|(before, now)| failed(before) && !failed(now))
}

fn changes(before: Vec<Outcome>, now: Vec<Outcome>) -> Vec<Change> {
    before
        .into_iter()
        .zip(now)
        .filter_map(|(stored, now)| {
            let became = match (failed(&stored), failed(&now)) {
                (true, true) => Became::StillFailing,
                (false, true) => Became::New,
                (false, false) => return None,
                (true, false) if matches!(now.verdict, Verdict::Pass | Verdict::Advice) => {
                    Became::Fixed
                }
                (true, false) => Became::NotExercised,
            };
            Some(Change {
                became,
                stored,
                now,
            })
        })
        .collect()
}
