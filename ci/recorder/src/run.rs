//! Runs a program to its end, or to a deadline, and leaves no process behind.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{
    Pid, PidfdFlags, Signal, kill_process_group, pidfd_open, test_kill_process_group,
};
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// With this exit code.
    Code(i32),
    /// By this signal.
    Signal(i32),
    /// It was killed at its deadline.
    Hung,
}

/// Runs a program in a process group of its own. Whatever is left of the group in the end is killed.
///
/// The output has to go to files: a child process that is left would keep a pipe open.
///
/// # Errors
///
/// If the program can't be started or waited for.
pub fn to_end(command: &mut Command, deadline: Duration) -> io::Result<End> {
    let mut child = command.stdin(Stdio::null()).process_group(0).spawn()?;
    let group = Pid::from_child(&child);
    let ended = ends_within(group, deadline);
    let hung = !matches!(ended, Ok(true));
    if hung || test_kill_process_group(group).is_ok() {
        // It may have ended meanwhile.
        let _ = kill_process_group(group, Signal::KILL);
    }
    let status = child.wait()?;
    ended?;
    Ok(match (hung, status.code(), status.signal()) {
        (true, ..) => End::Hung,
        (false, Some(code), _) => End::Code(code),
        (false, None, signal) => End::Signal(signal.unwrap_or_default()),
    })
}

/// Does a process end within this time? It is not waited for, so its id stays its own.
fn ends_within(process: Pid, deadline: Duration) -> io::Result<bool> {
    let process = pidfd_open(process, PidfdFlags::empty())?;
    let deadline = Timespec::try_from(deadline).map_err(io::Error::other)?;
    let mut ends = [PollFd::new(&process, PollFlags::IN)];
    loop {
        match poll(&mut ends, Some(&deadline)) {
            Ok(count) => return Ok(count > 0),
            // A signal begins the wait anew: signals are rare here.
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Does the work for all items, two at a time: most of it waits. The results have the order of the items.
///
/// # Errors
///
/// The first error of the work, by the order of the items.
pub fn side_by_side<T: Sync, R: Send, E: Send>(
    items: &[T],
    work: impl Fn(&T) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(at) = Some(next.fetch_add(1, Ordering::Relaxed))
                    && let Some(item) = items.get(at)
                {
                    let result = work(item);
                    let mut results = match results.lock() {
                        Ok(results) => results,
                        Err(poisoned) => poisoned.into_inner(),
                    };
                    results.push((at, result));
                }
            });
        }
    });
    let mut results = match results.into_inner() {
        Ok(results) => results,
        Err(poisoned) => poisoned.into_inner(),
    };
    results.sort_by_key(|(at, _)| *at);
    results.into_iter().map(|(_, result)| result).collect()
}
