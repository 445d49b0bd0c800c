//! Runs a command to its end, with all that it prints.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::MemfdFlags;
use rustix::io::Errno;

use super::{Child, Error, ExitStatus, Sandbox};

/// The most bytes of an output that are read.
const MOST_OUTPUT: u64 = 64 << 20;

/// How often it is looked whether the user ended the run.
const LOOK: Duration = Duration::from_millis(200);

/// A command that ran.
#[derive(Debug)]
pub struct Captured {
    /// The process.
    pub child: Child,
    /// How it ended. `None` if it did not end in time, or before the user ended the run.
    pub exit: Option<ExitStatus>,
    /// Its standard output.
    pub stdout: Vec<u8>,
    /// Its standard error.
    pub stderr: Vec<u8>,
}

impl Sandbox {
    /// Starts a command of the specification with this standard input, and waits for its end, or until `stop` is set.
    ///
    /// # Errors
    ///
    /// As [`Sandbox::spawn`], and if the output cannot be kept.
    pub fn capture(
        &mut self,
        command: usize,
        input: &[u8],
        patience: Duration,
        stop: &AtomicBool,
    ) -> Result<Captured, Error> {
        let deadline = Instant::now() + patience;
        let (stdout, stderr) = (file("stdout")?, file("stderr")?);
        let mut stdin = file("stdin")?;
        let written = stdin.write_all(input).and_then(|()| stdin.rewind());
        written.map_err(|error| system("memfd", &error))?;
        let child = self.spawn(command, stdin.into(), copy(&stdout)?, copy(&stderr)?)?;
        let exit = self.await_exit(&child, deadline, stop);
        Ok(Captured {
            child,
            exit,
            stdout: content(stdout)?,
            stderr: content(stderr)?,
        })
    }

    fn await_exit(
        &mut self,
        child: &Child,
        deadline: Instant,
        stop: &AtomicBool,
    ) -> Option<ExitStatus> {
        loop {
            while let Some((id, status, _)) = self.next_exit() {
                if id == child.id {
                    return Some(status);
                }
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() || self.is_gone() || stop.load(Ordering::Relaxed) {
                return None;
            }
            let left = Timespec::try_from(left.min(LOOK)).ok();
            let mut fds = [PollFd::from_borrowed_fd(self.control_fd(), PollFlags::IN)];
            // An interrupted wait only makes the loop check again.
            let _ = poll(&mut fds, left.as_ref());
        }
    }
}

/// An anonymous file. Unlike with a pipe, a leftover process does not delay the reader.
fn file(name: &str) -> Result<File, Error> {
    let fd = rustix::fs::memfd_create(name, MemfdFlags::CLOEXEC);
    Ok(fd
        .map_err(|errno| Error::System {
            call: "memfd_create",
            errno,
        })?
        .into())
}

fn copy(file: &File) -> Result<OwnedFd, Error> {
    let copy = file.try_clone().map_err(|error| system("dup", &error))?;
    Ok(copy.into())
}

fn content(mut file: File) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    let read = file
        .seek(SeekFrom::Start(0))
        .and_then(|_| file.take(MOST_OUTPUT).read_to_end(&mut bytes));
    read.map_err(|error| system("read", &error))?;
    Ok(bytes)
}

fn system(call: &'static str, error: &std::io::Error) -> Error {
    Error::System {
        call,
        errno: Errno::from_io_error(error).unwrap_or(Errno::IO),
    }
}
