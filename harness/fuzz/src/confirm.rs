//! Confirms in fresh processes what an input seems to show, and makes the input smaller.

use crate::finding::{Finding, Signature};
use crate::input::Input;
use crate::judging::{Judge, Suspicion};
use crate::lane::Driver;
use crate::minimise::minimise;
use crate::space::Space;
use std::time::{Duration, Instant};
use stickler_judge::{AnySession, Confirmed as Tried, Explained};
use stickler_suite::RunError;

/// How often a suspicion that does not show again is tried anew.
pub(crate) const DOUBTS: u32 = 3;
/// How often a finding is run in fresh processes.
pub(crate) const TRIES: u32 = 3;
/// How long one finding is made smaller.
const MINIMISING: Duration = Duration::from_secs(5);
/// The most sessions for that.
const SESSIONS: usize = 400;

/// What showed again.
pub(crate) struct Confirmed {
    /// The smallest input that shows it.
    pub(crate) input: Input,
    /// A session of that input.
    pub(crate) session: AnySession,
    /// What that session shows: it may be a defect that is known already.
    pub(crate) suspicion: Suspicion,
    /// How often it showed in how many tries.
    pub(crate) shown: (u32, u32),
}

impl Confirmed {
    /// The finding, with the rule's outcome on the session. `at` and `cases` say when it was found.
    /// `None` if the session does not break the rule.
    pub(crate) fn finding(self, judge: &Judge<'_>, at: Duration, cases: u64) -> Option<Finding> {
        let shown = (self.input, self.shown);
        finding_of(judge, &self.session, self.suspicion, shown, (at, cases))
    }
}

/// What a session shows, as a finding. `None` if the session does not break the rule.
pub(crate) fn finding_of(
    judge: &Judge<'_>,
    session: &AnySession,
    suspicion: Suspicion,
    (input, shown): (Input, (u32, u32)),
    (at, cases): (Duration, u64),
) -> Option<Finding> {
    let signature = suspicion.signature;
    let mut broken = judge.broken(session).into_iter();
    let judged = broken.find(|judged| judged.code == signature.rule)?;
    Some(Finding {
        level: suspicion.level,
        message: suspicion.message,
        signature,
        outcome: Explained::from(Tried::from(judged)).reported(None, Vec::new()),
        input,
        transcripts: vec![session.reading().transcript().clone()],
        shown,
        at,
        cases,
        again: false,
    })
}

/// Runs an input again in fresh processes, alone and then after what its process had taken before,
/// and makes it smaller until `is_over`. `None` if the defect does not show again.
///
/// # Errors
/// As [`Driver::fresh`].
pub(crate) fn confirm(
    driver: &mut Driver<'_>,
    judge: &Judge<'_>,
    space: &Space<'_>,
    (input, before): (&Input, &[Input]),
    signature: &Signature,
    is_over: &dyn Fn() -> bool,
) -> Result<Option<Confirmed>, RunError> {
    let shown_by = |session: AnySession| -> Option<(AnySession, Suspicion)> {
        let mut suspicions = judge.suspicions(&session).into_iter();
        let same = suspicions.find(|suspicion| suspicion.signature.resembles(signature));
        same.map(|suspicion| (session, suspicion))
    };
    let mut best = None;
    let alone = input.clone();
    let mut whole = Input {
        surroundings: input.surroundings.clone(),
        ..Input::default()
    };
    for earlier in before {
        whole.steps.extend(earlier.steps.iter().cloned());
    }
    whole.steps.extend(input.steps.iter().cloned());
    let mut candidates = vec![alone.clone()];
    if !before.is_empty() {
        candidates.push(whole);
    }
    candidates.push(alone);
    for candidate in candidates {
        if let Some(shown) = shown_by(driver.fresh(&candidate)?) {
            best = Some((candidate, shown));
            break;
        }
    }
    let Some((input, mut shown)) = best else {
        return Ok(None);
    };
    // That it hangs, if it does, is certain now.
    let began = Instant::now();
    let (mut sessions, mut failure) = (0, None);
    let smallest = minimise(space, input, |simpler| {
        sessions += 1;
        if sessions > SESSIONS || began.elapsed() > MINIMISING || is_over() {
            return None;
        }
        match driver.brief(simpler).map(shown_by) {
            Ok(Some(now)) => {
                shown = now;
                Some(true)
            }
            Ok(None) => Some(false),
            Err(error) => {
                failure = Some(error);
                None
            }
        }
    });
    if let Some(error) = failure {
        return Err(error);
    }
    // The session that was kept is the first of these tries.
    let mut times = 1;
    for _ in 1..TRIES {
        if let Some(now) = shown_by(driver.brief(&smallest)?) {
            shown = now;
            times += 1;
        }
    }
    let (session, suspicion) = shown;
    Ok(Some(Confirmed {
        input: smallest,
        session,
        suspicion,
        shown: (times, TRIES),
    }))
}
