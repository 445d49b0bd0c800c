//! The pipes to one process, and what has come through them.

use crate::SessionError;
use crate::sandbox::{self, ChildId, Watch};
use rustix::fs::{OFlags, fcntl_setfl};
use rustix::pipe::{PipeFlags, pipe_with};
use std::collections::BTreeMap;
use std::os::fd::OwnedFd;
use std::time::Instant;
use stickler_transcript::{AtWrite, Bytes, Call, ExitCause, Name, Phase};

/// The subject's ends of its pipes.
pub(crate) struct SubjectEnds {
    pub(crate) stdin: OwnedFd,
    pub(crate) stdout: OwnedFd,
    pub(crate) stderr: OwnedFd,
}

/// The message whose answer is awaited.
#[derive(Clone, Debug)]
pub(crate) struct Awaited {
    pub(crate) key: Name,
    pub(crate) phase: Phase,
    pub(crate) deadline_us: u64,
    pub(crate) owed: bool,
}

/// Who changed something.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Authors {
    /// The process itself.
    pub(crate) itself: bool,
    /// A stand-in for a command, or what that started.
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
    /// How many there were since the last message began.
    pub(crate) writes: u32,
    pub(crate) plan: AtWrite,
    /// The one that was made to fail.
    pub(crate) failed: Option<u32>,
    /// What is known of the call that failed, or that the process was killed before.
    pub(crate) call: Option<Box<Call>>,
    /// What was changed since the last message, and by whom.
    pub(crate) changed: BTreeMap<Vec<u8>, Authors>,
}

impl Watched {
    /// What is moved stays the work of those who made it.
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
    /// Nothing where it could not be started.
    pub(crate) child: Option<ChildId>,
    pub(crate) host_pid: i32,
    pub(crate) stdin: Option<OwnedFd>,
    pub(crate) stdout: Option<OwnedFd>,
    pub(crate) stderr: Option<OwnedFd>,
    /// Its own standard output, where it is spoken with on a channel.
    pub(crate) printed: Option<OwnedFd>,
    pub(crate) watched: Option<Watched>,
    /// Bytes on their way to stdin; empty when it took them all.
    pub(crate) outgoing: Bytes,
    /// How many of them it took.
    pub(crate) written: usize,
    /// Bytes that belong to no message yet.
    pub(crate) incoming: Vec<u8>,
    /// How far `incoming` was searched for the end of a message.
    pub(crate) scanned: usize,
    /// Where the first message in it ends, once that was found.
    pub(crate) end: Option<usize>,
    /// Notifications that nobody has waited for yet.
    pub(crate) notices: usize,
    /// Bytes printed since the last message began.
    pub(crate) received: u64,
    /// And beside the protocol: on standard error, and on standard output where that is not the
    /// protocol's.
    pub(crate) errors: u64,
    /// How many bytes it may print until the next message.
    pub(crate) limit: u64,
    pub(crate) awaited: Option<Awaited>,
    /// Since when all its processes were seen to do nothing but read.
    pub(crate) reads_since: Option<Instant>,
    pub(crate) exit: Option<ExitCause>,
    /// Why it could not be started, until that is told.
    pub(crate) unstarted: Option<String>,
    /// Nothing more is to be had from it.
    pub(crate) failed: bool,
}

impl Link {
    /// A message begins: what comes from now on belongs to it.
    pub(crate) fn begin(&mut self, limit: u64) {
        self.limit = limit;
        self.received = self.incoming.len() as u64;
        self.errors = 0;
        self.reads_since = None;
    }

    /// Makes pipes; the harness's ends do not block.
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

    /// Takes the bytes of a whole message out of the buffer.
    pub(crate) fn forget(&mut self, end: usize) {
        self.scanned = 0;
        self.end = None;
        self.incoming.drain(..end);
    }
}
