//! Runs stored sessions again and compares them with the stored ones.

use crate::bench::Bench;
use crate::check::judged;
use crate::conversation;
use crate::dialect::Dialect;
use crate::error::RunError;
use crate::observer::{RunEvent, RunObserver};
use crate::redact::Redactor;
use crate::run::replay;
use crate::volatile;
use stickler_judge::{AnySession, Expectations, Reported, Verdict};
use stickler_transcript::Case;

/// How often the sessions run in all while a stored finding does not reappear.
const TRIES: usize = 2;

/// How a rule's verdict changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Became {
    /// It failed, and fails again.
    StillFailing,
    /// It failed in the new sessions only.
    New,
    /// It failed, and passes now.
    Fixed,
    /// It failed, and now nothing in the sessions exercises it.
    NotExercised,
}

impl Became {
    /// Does it fail the run?
    pub fn fails(self) -> bool {
        // A rule that is no longer exercised is not known to be fixed.
        !matches!(self, Became::Fixed)
    }
}

/// A rule that failed before or fails now.
#[derive(Clone, Debug)]
pub struct Change {
    /// How its verdict changed.
    pub became: Became,
    /// The outcome from the stored sessions.
    pub stored: Reported,
    /// The outcome from the new sessions.
    pub now: Reported,
}

impl Change {
    /// Was it advice, and is it no more than that now?
    pub fn is_advice(&self) -> bool {
        !failed(&self.stored) && !failed(&self.now)
    }

    /// Does it fail the run? Advice does not.
    pub fn fails(&self) -> bool {
        self.became.fails() && !self.is_advice()
    }
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

/// The result of running sessions again.
#[derive(Clone, Debug)]
pub struct Rerun {
    /// The rules that failed before or fail now.
    pub changes: Vec<Change>,
    /// The conversations that have changed.
    pub differences: Vec<Difference>,
    /// How often the sessions were run.
    pub tries: usize,
}

/// Runs the cases of stored sessions again. If they are about a rule, that one is judged by itself, as when
/// a check confirms it.
///
/// # Errors
/// If a session cannot run.
pub fn rerun(
    bench: &Bench<'_>,
    about: Option<&str>,
    stored: &[AnySession],
    cases: &[Case],
    redactor: &Redactor,
    observer: &RunObserver<'_>,
) -> Result<Rerun, RunError> {
    let dialect = bench.dialect;
    let rules = dialect.rules();
    let own = about.and_then(|code| rules.iter().position(|rule| rule.code == code));
    let expectations = Expectations::default();
    let outcomes = |sessions: &[AnySession]| {
        let mut all = judged(dialect, &rules, sessions, &expectations);
        // The check has decided that it is no consequence of another rule, from all its sessions.
        if let Some(at) = own {
            all.extend(judged(dialect, &rules[at..=at], sessions, &expectations));
            all.swap_remove(at);
        }
        let all = all.into_iter();
        all.map(|one| one.reported(None, Vec::new()))
            .collect::<Vec<_>>()
    };
    let plain = |session: &AnySession| plain(dialect, session);
    let before = outcomes(stored);
    let mut tries = vec![again(bench, cases, observer)?];
    let mut now = outcomes(&tries[0]);
    let differs = |now: &[AnySession]| stored.iter().zip(now).any(|(a, b)| plain(a) != plain(b));
    while tries.len() < TRIES && (disappeared(&before, &now) || differs(&tries[0])) {
        let next = again(bench, cases, observer)?;
        // A finding that appears in one try counts.
        for (outcome, other) in now.iter_mut().zip(outcomes(&next)) {
            if !failed(outcome) && failed(&other) || !shows(outcome) && shows(&other) {
                *outcome = other;
            }
        }
        tries.push(next);
    }
    // The new conversations, with masks where the tries differ.
    let text = |session: &AnySession| redactor.text(&plain(session));
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

fn again(
    bench: &Bench<'_>,
    cases: &[Case],
    observer: &RunObserver<'_>,
) -> Result<Vec<AnySession>, RunError> {
    observer.tell(RunEvent::Planned(cases.len()));
    let mut sessions = Vec::new();
    for case in cases {
        sessions.push(replay(bench, case.clone(), 1, None)?);
        observer.tell(RunEvent::Done(&case.id));
    }
    Ok(sessions)
}

/// The conversation, with masks over the parts that look volatile.
fn plain(dialect: &dyn Dialect, session: &AnySession) -> String {
    volatile::known_now(
        &conversation::text(dialect, session),
        &conversation::sent(session),
    )
}

fn failed(outcome: &Reported) -> bool {
    outcome.verdict.is_failure()
}

/// Does it show a defect, even one that nobody has to mend?
fn shows(outcome: &Reported) -> bool {
    failed(outcome) || outcome.verdict == Verdict::Advice
}

fn disappeared(before: &[Reported], now: &[Reported]) -> bool {
    let mut both = before.iter().zip(now);
    both.any(|(before, now)| failed(before) && !failed(now) || shows(before) && !shows(now))
}

fn changes(before: Vec<Reported>, now: Vec<Reported>) -> Vec<Change> {
    before
        .into_iter()
        .zip(now)
        .filter_map(|(stored, now)| {
            let became = match (failed(&stored), failed(&now)) {
                (true, true) => Became::StillFailing,
                (false, true) => Became::New,
                (false, false) => match (shows(&stored), shows(&now)) {
                    (true, true) => Became::StillFailing,
                    (true, false) if now.verdict == Verdict::Pass => Became::Fixed,
                    (true, false) => Became::NotExercised,
                    (false, _) => return None,
                },
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
