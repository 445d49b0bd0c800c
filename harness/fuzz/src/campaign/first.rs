//! The author's examples as they are, before a campaign makes anything up.

use super::setup::{LOOK, Setup};
use super::shared::Campaign;
use crate::confirm::finding_of;
use crate::input::Input;
use crate::judging::Judge;
use crate::technique::Source;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use stickler_judge::AnySession;
use stickler_suite::{Quiet, RunError, RunOutput, RunSettings, learn};

/// How long they may take at most, as in a check. The first one may take longer.
const LONGEST: Duration = Duration::from_secs(60);

/// What they showed.
pub(super) struct First {
    pub(super) output: RunOutput,
    /// How long they took.
    pub(super) took: Duration,
    /// Was the campaign's time over before they ended?
    pub(super) is_cut: bool,
}

/// Runs the examples until the campaign's time is over or the user ends it.
///
/// # Errors
/// If no session can start, or if the description is refused.
pub(super) fn first(setup: &Setup<'_>, user: &AtomicBool) -> Result<First, RunError> {
    let began = Instant::now();
    let limit = setup.limits.time;
    let settings = RunSettings {
        time: Some(limit.unwrap_or(LONGEST).min(LONGEST)),
        ..setup.settings.clone()
    };
    let (stop, done) = (AtomicBool::new(false), AtomicBool::new(false));
    let is_late = || limit.is_some_and(|limit| began.elapsed() >= limit);
    let output = std::thread::scope(|scope| {
        let watch = scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                if user.load(Ordering::Relaxed) || is_late() {
                    stop.store(true, Ordering::Relaxed);
                }
                std::thread::park_timeout(LOOK);
            }
        });
        let output = learn(&setup.bench, &settings, &Quiet(&stop));
        done.store(true, Ordering::Relaxed);
        watch.thread().unpark();
        output
    });
    let is_stopped = stop.load(Ordering::Relaxed);
    Ok(First {
        output: output?,
        took: began.elapsed(),
        is_cut: is_stopped && !user.load(Ordering::Relaxed),
    })
}

impl Campaign<'_> {
    /// Tells of examples that hang: there, they had the time that the description gives them, which a campaign may not
    /// have once more.
    pub(super) fn tell_hangs(&self, judge: &Judge<'_>, sessions: &[AnySession]) {
        for session in sessions {
            for suspicion in judge.suspicions(session) {
                if !suspicion.is_slow() || !self.known.take(&suspicion) {
                    continue;
                }
                let signature = suspicion.signature.clone();
                let is_new = self.known.is_new(&suspicion);
                self.known.settle(signature, Some(suspicion.level));
                let at = self.counters.began.elapsed();
                let finding = finding_of(
                    judge,
                    session,
                    suspicion,
                    (Input::default(), (1, 1)),
                    (at, 0),
                );
                if let (Some(finding), true) = (finding, is_new) {
                    self.find(finding, Source::Seeds.into());
                }
            }
        }
    }
}
