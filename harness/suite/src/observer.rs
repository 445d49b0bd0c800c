//! What a run tells while it goes on, and who follows it. A campaign tells its own events in the same way.

use crate::error::RunError;
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use stickler_judge::{AnySession, Judged, Reported};
use stickler_transcript::Phase;

/// Everything that a run or a check tells.
#[derive(Clone, Copy, Debug)]
pub enum RunEvent<'e> {
    /// So many cases are planned so far.
    Planned(usize),
    /// The case with this name is done.
    Done(&'e str),
    /// The stage will still take this long.
    Left(Duration),
    /// A failure was proven while the run goes on (see [`RunSettings::live`](crate::RunSettings::live)). It holds no
    /// secrets, and its rule will be a failure in the end, too.
    Failed(&'e Reported),
}

/// Follows something by its events, and may end it.
pub trait Observer<E>: Sync {
    /// Something happened.
    fn tell(&self, event: E);
    /// Set to end it: running sessions end at once, and no new one starts.
    fn stop(&self) -> &AtomicBool;
}

/// Follows a run or a check.
pub type RunObserver<'o> = dyn for<'e> Observer<RunEvent<'e>> + 'o;

/// Shows nothing, but may end what it follows.
pub struct Quiet<'s>(pub &'s AtomicBool);

impl<E> Observer<E> for Quiet<'_> {
    fn tell(&self, _: E) {}

    fn stop(&self) -> &AtomicBool {
        self.0
    }
}

/// What is known of a run that goes on.
pub(crate) struct SoFar<'s> {
    /// The sessions held so far, in the order of the plan.
    pub sessions: &'s [AnySession],
    /// The groups of which a session may still be missing.
    pub open: &'s BTreeSet<String>,
    /// The phases in which the subject also hung with longer deadlines.
    pub hangs: &'s [Phase],
}

impl<'s> SoFar<'s> {
    /// As if all groups were whole.
    pub fn whole(sessions: &'s [AnySession]) -> Self {
        static NONE: BTreeSet<String> = BTreeSet::new();
        SoFar {
            sessions,
            open: &NONE,
            hangs: &[],
        }
    }
}

/// Judges the sessions of a run while it goes on.
pub(crate) trait Watch: Sync {
    /// What fails so far and is worth a proof. Is asked often.
    fn failures(&self, so_far: &SoFar<'_>) -> Vec<Judged>;
    /// Does one of these failures come again in fresh processes before `over` is set?
    ///
    /// # Errors
    /// If the harness fails.
    fn proves(
        &self,
        so_far: &SoFar<'_>,
        failures: Vec<Judged>,
        over: &AtomicBool,
    ) -> Result<bool, RunError>;
}

/// Who judges a run while it goes on.
#[derive(Clone, Copy, Default)]
pub(crate) struct Watches<'w> {
    /// Whose proof ends the run.
    pub ends: Option<&'w dyn Watch>,
    /// Who tells what is proven.
    pub tells: Option<&'w dyn Watch>,
}
