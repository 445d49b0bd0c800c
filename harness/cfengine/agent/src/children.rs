//! The programs that a run starts: they end with the run, even if it is stopped from outside.

use rustix::process::{Pid, Signal, kill_process_group};
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The running programs of a run, and the root of its simulation's copies.
#[derive(Debug, Default)]
pub struct Children(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// The leaders of process groups.
    programs: Vec<u32>,
    copies: Option<PathBuf>,
    /// Whether new programs are killed at once.
    stopped: bool,
}

/// Kills a process group: a program and its descendants.
pub(crate) fn kill(leader: u32) {
    if let Some(group) = i32::try_from(leader).ok().and_then(Pid::from_raw) {
        // The group may just have exited.
        let _ = kill_process_group(group, Signal::KILL);
    }
}

/// Removes a directory and its contents, even read-only ones. True if the first attempt worked.
pub(crate) fn remove(folder: &Path) -> bool {
    let absent = |error: &std::io::Error| error.kind() == std::io::ErrorKind::NotFound;
    let removed = fs::remove_dir_all(folder);
    let gone = removed.is_ok() || removed.as_ref().is_err_and(absent);
    if !gone {
        open_up(folder);
        // Another process may write there; the rest then stays.
        let _ = fs::remove_dir_all(folder);
    }
    gone
}

fn open_up(folder: &Path) {
    // If this fails, the removal fails too.
    let _ = fs::set_permissions(folder, fs::Permissions::from_mode(0o700));
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            open_up(&entry.path());
        }
    }
}

impl Children {
    /// Kills the programs and removes the copies, when the caller stops the run from outside.
    pub fn stop(&self) {
        let mut state = self.state();
        state.stopped = true;
        state.programs.drain(..).for_each(kill);
        if let Some(copies) = state.copies.take() {
            remove(&copies);
        }
    }

    /// Starts a program and registers it. A stop meanwhile waits, so that it misses no program.
    pub(crate) fn start(&self, spawn: impl FnOnce() -> io::Result<Child>) -> io::Result<Child> {
        let mut state = self.state();
        let child = spawn()?;
        if state.stopped {
            kill(child.id());
        } else {
            state.programs.push(child.id());
        }
        Ok(child)
    }

    /// Removes a program that ended.
    pub(crate) fn end(&self, leader: u32) {
        self.state().programs.retain(|other| *other != leader);
    }

    /// Registers the root of a simulation's copies, or its removal.
    pub(crate) fn copies(&self, root: Option<PathBuf>) {
        self.state().copies = root;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A thread that panicked has changed at most one entry.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn read_only_copies_are_removed() {
        let folder = tempfile::tempdir().expect("a folder");
        let copies = folder.path().join("copies");
        fs::create_dir_all(copies.join("closed/within")).expect("folders");
        fs::write(copies.join("closed/within/file"), "").expect("a file");
        for closed in ["closed/within", "closed"] {
            let mode = fs::Permissions::from_mode(0o500);
            fs::set_permissions(copies.join(closed), mode).expect("a mode");
        }
        // Root can write even there.
        remove(&copies);
        assert!(!copies.exists());
    }

    #[test]
    fn children_that_start_after_the_end_are_ended_at_once() {
        use std::os::unix::process::CommandExt;
        let children = Children::default();
        let sleep = || {
            let mut command = std::process::Command::new("/bin/sleep");
            let started = children.start(|| command.arg("60").process_group(0).spawn());
            started.expect("sleep")
        };
        let mut early = sleep();
        children.stop();
        let mut late = sleep();
        for child in [&mut early, &mut late] {
            let status = child.wait().expect("an end");
            assert!(!status.success(), "{status}");
        }
    }
}
