//! The pipes to one process, and the data that came through them.

use crate::SessionError;
use crate::notices::Notices;
use crate::sandbox::{self, ChildId, Watch};
use rustix::fs::{OFlags, fcntl_setfl};
use rustix::pipe::{PipeFlags, pipe_with};
use std::collections::BTreeMap;
use std::os::fd::OwnedFd;
use std::time::Instant;
use stickler_transcript::{AtWrite, Bytes, Call, ExitCause, Key, Phase};

/// The subject's ends of its pipes.
pub(crate) struct SubjectEnds {
    pub(crate) stdin: OwnedFd,
    pub(crate) stdout: OwnedFd,
    pub(crate) stderr: OwnedFd,
}

/// A message that waits for its answer.
#[derive(Clone, Debug)]
pub(crate) struct Awaited {
    pub(crate) key: Key,
    pub(crate) phase: Phase,
    pub(crate) deadline_us: u64,
    pub(crate) owed: bool,
}

/// Who changed a path.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Authors {
    /// The process itself.
    pub(crate) itself: bool,
    /// A stand-in for a command, or a program that it started.
    pub(crate) stand_in: bool,
    /// Another program.
    pub(crate) other: bool,
}

impl Authors {
    fn join(&mut self, other: Authors) {
        self.itself |= other.itself;
        self.stand_in |= other.stand_in;
        self.other |= other.other;
    }
}

/// A process whose calls that change files wait for the harness.
pub(crate) struct Watched {
    pub(crate) watch: Watch,
    /// How many such calls it made since the last message began.
    pub(crate) writes: u32,
    pub(crate) plan: AtWrite,
    /// The number of the call that was made to fail.
    pub(crate) failed: Option<u32>,
    /// The call that failed, or before which the process was killed.
    pub(crate) call: Option<Box<Call>>,
    /// The paths changed since the last message, and who changed them.
    pub(crate) changed: BTreeMap<Vec<u8>, Authors>,
    /// Are only the calls announced after which files may have changed?
    pub(crate) only_touches: bool,
}

impl Watched {
    /// After a rename, the moved paths keep their authors.
    fn moved(&mut self, from: &[u8], to: &[u8]) {
        let below = |path: &[u8]| {
            let rest = path.strip_prefix(from)?;
            let is_below = rest.is_empty() || rest.starts_with(b"/");
            is_below.then(|| [to, rest].concat())
        };
        let moved = self.changed.iter();
        let moved: Vec<_> = moved
            .filter_map(|(path, authors)| Some((below(path)?, *authors)))
            .collect();
        for (path, authors) in moved {
            self.changed.entry(path).or_default().join(authors);
        }
    }

    /// Notes who makes a call.
    pub(crate) fn note(&mut self, call: &sandbox::Call, author: Authors) {
        let paths = call.paths();
        if let ("rename", [from, to]) = (call.name(), &paths[..]) {
            self.moved(from, to);
        }
        for path in paths {
            self.changed.entry(path).or_default().join(author);
        }
    }
}

/// One process of the subject.
pub(crate) struct Link {
    /// `None` if it could not be started.
    pub(crate) child: Option<ChildId>,
    pub(crate) host_pid: i32,
    pub(crate) stdin: Option<OwnedFd>,
    pub(crate) stdout: Option<OwnedFd>,
    pub(crate) stderr: Option<OwnedFd>,
    /// Its standard output, if it has a separate channel for messages.
    pub(crate) printed: Option<OwnedFd>,
    pub(crate) watched: Option<Watched>,
    /// The bytes to write to stdin; empty once all are written.
    pub(crate) outgoing: Bytes,
    /// How many of them are written.
    pub(crate) written: usize,
    /// Output that belongs to no message yet.
    pub(crate) incoming: Vec<u8>,
    /// How far `incoming` was searched for the end of a message.
    pub(crate) scanned: usize,
    /// Where the first message in it ends, once that is known.
    pub(crate) end: Option<usize>,
    /// Notifications that no step has heard yet.
    pub(crate) notices: Notices,
    /// Bytes of output since the last message began.
    pub(crate) received: u64,
    /// Bytes outside the protocol: on standard error, and on standard output if messages have a
    /// separate channel.
    pub(crate) errors: u64,
    /// How many bytes it may print before the next message.
    pub(crate) limit: u64,
    pub(crate) awaited: Option<Awaited>,
    /// Since when its processes only wait for input.
    pub(crate) reads_since: Option<Instant>,
    pub(crate) exit: Option<ExitCause>,
    /// Why it could not be started, until this is recorded.
    pub(crate) unstarted: Option<String>,
    /// Did it fail, so that it gets no further messages?
    pub(crate) failed: bool,
    /// Did it not read the answer to a question of its own? Then it gets no further ones.
    pub(crate) deaf: bool,
}

impl Link {
    /// Begins a message: further output belongs to it.
    pub(crate) fn begin(&mut self, limit: u64) {
        self.limit = limit;
        self.received = self.incoming.len() as u64;
        self.errors = 0;
        self.reads_since = None;
    }

    /// Makes pipes; the harness's ends are non-blocking.
    pub(crate) fn pipes() -> Result<(SubjectEnds, [OwnedFd; 3]), SessionError> {
        let pipe = || pipe_with(PipeFlags::CLOEXEC).map_err(SessionError::Pipe);
        let (stdin, to_subject) = pipe()?;
        let (from_subject, stdout) = pipe()?;
        let (errors, stderr) = pipe()?;
        for end in [&to_subject, &from_subject, &errors] {
            fcntl_setfl(end, OFlags::NONBLOCK).map_err(SessionError::Pipe)?;
        }
        Ok((
            SubjectEnds {
                stdin,
                stdout,
                stderr,
            },
            [to_subject, from_subject, errors],
        ))
    }

    /// Removes the first `end` bytes, a whole message, from the buffer.
    pub(crate) fn forget(&mut self, end: usize) {
        self.scanned = 0;
        self.end = None;
        self.incoming.drain(..end);
    }
}
