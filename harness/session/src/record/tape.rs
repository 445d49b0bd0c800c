//! The file of a recording, written while it runs.

use super::name;
use rustix::time::{ClockId, clock_gettime};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use stickler_transcript::{Case, Event, write_case, write_event};

/// The most bytes of messages that a recording keeps, unless the user chooses.
pub const LIMIT: u64 = 256 << 20;

/// A transcript that is being written. Each event is written at once, with one call, so that
/// nothing is lost however the recorder ends.
#[derive(Debug)]
pub struct Tape {
    file: File,
    /// On the clock that all processes share.
    began: Duration,
    limit: u64,
    kept: u64,
    full: bool,
    failed: Option<io::Error>,
}

impl Tape {
    /// Begins a transcript in a new file that only its owner may read: what an agent sends may be
    /// secret.
    ///
    /// # Errors
    /// If the file exists already, or cannot be written.
    pub fn begin(path: &Path, case: &Case, limit: u64) -> io::Result<Tape> {
        let file = OpenOptions::new()
            .append(true)
            .create_new(true)
            .mode(0o600)
            .open(path)?;
        let mut tape = Tape::of(file, now(), limit);
        let mut line = Vec::new();
        write_case(&mut line, case)?;
        tape.file.write_all(&line)?;
        Ok(tape)
    }

    /// Begins a transcript in the first free file of a pattern: `{pid}` and `{n}` in its name are
    /// filled in; without `{n}`, taken names are numbered. The case is named after the file.
    ///
    /// # Errors
    /// If it cannot be written; the error names the file.
    pub fn begin_in(
        pattern: &Path,
        case: &Case,
        limit: u64,
    ) -> Result<(PathBuf, Tape), (PathBuf, io::Error)> {
        for path in name::candidates(pattern) {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            let case = Case {
                id: format!("recorded/{stem}"),
                ..case.clone()
            };
            match Tape::begin(&path, &case, limit) {
                Ok(tape) => return Ok((path, tape)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err((path, error)),
            }
        }
        let taken = io::Error::new(io::ErrorKind::AlreadyExists, "no name is free");
        Err((pattern.to_owned(), taken))
    }

    /// Continues a transcript that another process began at [`Tape::began`]. Both may write: each
    /// event is one line, appended at the end.
    ///
    /// # Errors
    /// If the file does not exist, or cannot be written.
    pub fn join(path: &Path, began: u64, limit: u64) -> io::Result<Tape> {
        let file = OpenOptions::new().append(true).open(path)?;
        Ok(Tape::of(file, Duration::from_micros(began), limit))
    }

    fn of(file: File, began: Duration, limit: u64) -> Tape {
        Tape {
            file,
            began,
            limit,
            kept: 0,
            full: false,
            failed: None,
        }
    }

    /// The start of the recording, in microseconds since the machine started.
    pub fn began(&self) -> u64 {
        micros(self.began)
    }

    /// Microseconds since it began.
    pub fn now(&self) -> u64 {
        micros(now().saturating_sub(self.began))
    }

    /// Writes an event.
    pub fn note(&mut self, event: &Event) {
        if self.failed.is_some() {
            return;
        }
        let mut line = Vec::new();
        let written = write_event(&mut line, event).and_then(|()| self.file.write_all(&line));
        self.failed = written.err();
    }

    /// Writes an event that contains bytes, unless the recording is full.
    pub fn keep(&mut self, bytes: usize, event: impl FnOnce() -> Event) {
        if self.full {
            return;
        }
        self.kept = self.kept.saturating_add(bytes as u64);
        self.full = self.kept > self.limit;
        if self.full {
            self.note(&Event::Full {
                t: self.now(),
                limit: self.limit,
            });
        } else {
            self.note(&event());
        }
    }

    /// Writes the last event.
    ///
    /// # Errors
    /// If this or an earlier event could not be written.
    pub fn finish(mut self) -> io::Result<()> {
        let end = Event::End {
            t: self.now(),
            complete: !self.full,
        };
        self.note(&end);
        self.failed.map_or(Ok(()), Err)
    }
}

fn now() -> Duration {
    Duration::try_from(clock_gettime(ClockId::Monotonic)).unwrap_or_default()
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}
