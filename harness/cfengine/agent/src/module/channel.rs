//! The pipes to a module, with deadlines.

use super::pipe::Pipe;
use crate::children::{self, Children};
use crate::machine;
use rustix::buffer::spare_capacity;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use std::fmt;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Silence {
    /// The deadline is over.
    Time,
    /// The module exceeded the limit of its output.
    Flood,
}

impl fmt::Display for Silence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Time => "did not answer in time (cf-agent 3.21.0 would wait for ever)",
            Self::Flood => "printed without end (cf-agent 3.21.0 would run out of memory)",
        })
    }
}

/// The number of bytes in one read.
const CHUNK: usize = 16 << 10;

/// A process and its pipes. Dropping it ends the process group.
pub(crate) struct Channel {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: ChildStdout,
    buffer: Vec<u8>,
    /// How many bytes of the buffer are consumed.
    taken: usize,
    /// Whether the output has ended.
    ended: bool,
    limit: usize,
    children: Arc<Children>,
}

impl Channel {
    /// Starts a module, in a directory if one is given.
    pub(crate) fn start(
        words: &[&str],
        directory: Option<&str>,
        limit: usize,
        children: Arc<Children>,
    ) -> io::Result<Self> {
        let (program, arguments) = words
            .split_first()
            .ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?;
        let mut command = Command::new(program);
        machine::unlocalize(&mut command);
        if let Some(directory) = directory {
            command.current_dir(directory);
        }
        command
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .process_group(0);
        let mut child = children.start(|| command.spawn())?;
        let missing = || io::Error::from(io::ErrorKind::BrokenPipe);
        let stdin = child.stdin.take().ok_or_else(missing)?;
        let stdout = child.stdout.take().ok_or_else(missing)?;
        // A module that neither reads nor answers must not block the agent.
        for end in [stdin.as_fd(), stdout.as_fd()] {
            let flags = fcntl_getfl(end)?;
            fcntl_setfl(end, flags | OFlags::NONBLOCK)?;
        }
        Ok(Self {
            child,
            stdin: Some(stdin),
            stdout,
            buffer: Vec::new(),
            taken: 0,
            ended: false,
            limit,
            children,
        })
    }

    fn pid(&self) -> Option<Pid> {
        i32::try_from(self.child.id()).ok().and_then(Pid::from_raw)
    }

    fn take(&mut self, end: usize) -> &[u8] {
        let start = std::mem::replace(&mut self.taken, end);
        &self.buffer[start..end]
    }

    /// Waits until the pipes are ready, and reads what is available.
    fn wait(&mut self, deadline: Instant, writing: bool) -> Result<(), Silence> {
        // Module and agent share a CPU, so the answer is usually available right after a request.
        if self.fill() {
            return Ok(());
        }
        rustix::thread::sched_yield();
        if self.fill() {
            return Ok(());
        }
        let left = deadline.saturating_duration_since(Instant::now());
        let mut fds = vec![PollFd::new(&self.stdout, PollFlags::IN)];
        if let Some(stdin) = self.stdin.as_ref().filter(|_| writing) {
            fds.push(PollFd::new(stdin, PollFlags::OUT));
        }
        match poll(&mut fds, Some(&timespec(left))) {
            Ok(0) => return Err(Silence::Time),
            Ok(_) | Err(Errno::INTR) => {}
            Err(_) => {
                self.ended = true;
                return Ok(());
            }
        }
        if !fds[0].revents().is_empty() {
            self.fill();
        }
        Ok(())
    }

    /// Reads what is available; false if that is nothing.
    fn fill(&mut self) -> bool {
        if self.taken > 0 {
            self.buffer.drain(..self.taken);
            self.taken = 0;
        }
        self.buffer.reserve(CHUNK);
        match rustix::io::read(&self.stdout, spare_capacity(&mut self.buffer)) {
            Ok(0) => self.ended = true,
            Ok(_) => {}
            Err(Errno::INTR | Errno::AGAIN) => return false,
            Err(_) => self.ended = true,
        }
        true
    }
}

impl Pipe for Channel {
    fn send(&mut self, bytes: &[u8], deadline: Instant) -> Result<(), Silence> {
        let mut rest = bytes;
        while !rest.is_empty() {
            let Some(stdin) = &self.stdin else {
                return Ok(());
            };
            match rustix::io::write(stdin, rest) {
                Ok(written) => rest = &rest[written..],
                Err(Errno::AGAIN) => self.wait(deadline, true)?,
                Err(Errno::INTR) => {}
                // The module is gone; the missing answer will show it.
                Err(_) => self.stdin = None,
            }
        }
        Ok(())
    }

    fn line(&mut self, deadline: Instant) -> Result<&[u8], Silence> {
        let mut searched = self.taken;
        loop {
            if let Some(at) = memchr::memchr(b'\n', &self.buffer[searched..]) {
                return Ok(self.take(searched + at + 1));
            }
            searched = self.buffer.len();
            if self.ended {
                return Ok(self.take(self.buffer.len()));
            }
            if self.buffer.len() - self.taken > self.limit {
                return Err(Silence::Flood);
            }
            let before = self.taken;
            self.wait(deadline, false)?;
            searched -= before - self.taken;
        }
    }

    fn is_over(&self) -> bool {
        self.ended && self.taken == self.buffer.len()
    }

    fn discard(&mut self) -> bool {
        // Reads what is available without waiting.
        while !self.ended && self.wait(Instant::now(), false).is_ok() {}
        let any = self.taken < self.buffer.len();
        self.buffer.clear();
        self.taken = 0;
        any
    }

    fn finish(mut self: Box<Self>, deadline: Instant) -> bool {
        self.stdin = None;
        let pidfd = self
            .pid()
            .and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.child.try_wait() {
                Ok(Some(_)) | Err(_) => return true,
                Ok(None) if left.is_zero() => return false,
                Ok(None) => {}
            }
            match &pidfd {
                Some(ended) => {
                    // Whatever the result is, the loop checks the process again.
                    let _ = poll(
                        &mut [PollFd::new(ended, PollFlags::IN)],
                        Some(&timespec(left)),
                    );
                }
                None => std::thread::sleep(left.min(Duration::from_millis(1))),
            }
        }
    }
}

impl Drop for Channel {
    fn drop(&mut self) {
        let running = matches!(self.child.try_wait(), Ok(None));
        if running {
            children::kill(self.child.id());
            let _ = self.child.wait();
        }
        self.children.end(self.child.id());
    }
}

fn timespec(duration: Duration) -> Timespec {
    Timespec {
        tv_sec: i64::try_from(duration.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: i64::from(duration.subsec_nanos()),
    }
}
