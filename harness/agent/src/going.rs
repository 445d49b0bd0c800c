//! What a run has going: it ends with the run, even where that is ended from outside.

use rustix::process::{Pid, Signal, kill_process_group};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The programs that a run has started, and the copies in which it simulates.
#[derive(Debug, Default)]
pub struct Going(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// Leaders of process groups.
    programs: Vec<u32>,
    copies: Option<PathBuf>,
    /// Nothing is to begin any more.
    stopped: bool,
}

/// Kills a program that leads a process group, and all that it started.
pub(crate) fn kill(leader: u32) {
    if let Some(group) = i32::try_from(leader).ok().and_then(Pid::from_raw) {
        // It may have ended by itself just now.
        let _ = kill_process_group(group, Signal::KILL);
    }
}

impl Going {
    /// Kills the programs and removes the copies, for whoever ends the run from outside.
    pub fn stop(&self) {
        let mut state = self.state();
        state.stopped = true;
        state.programs.drain(..).for_each(kill);
        if let Some(copies) = state.copies.take() {
            // The run itself may be writing there; what is left is no worse than before.
            let _ = std::fs::remove_dir_all(copies);
        }
    }

    /// A program has begun.
    pub(crate) fn begin(&self, leader: u32) {
        let mut state = self.state();
        if state.stopped {
            kill(leader);
        } else {
            state.programs.push(leader);
        }
    }

    /// It has ended.
    pub(crate) fn end(&self, leader: u32) {
        self.state().programs.retain(|other| *other != leader);
    }

    /// Copies are there, or gone.
    pub(crate) fn copies(&self, root: Option<PathBuf>) {
        self.state().copies = root;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Whoever panicked has changed one entry, or none.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
