//! The standard error of a host whose run is recorded: passed on, and kept for the recording.

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use std::io::{self, Read, Write};
use std::process::ChildStderr;

/// How much is read at once.
const BUFFER: usize = 64 << 10;

/// How much is taken at most, so that a host that never stops writing does not keep its caller.
const MOST: usize = 1 << 20;

/// The standard error of a host.
#[derive(Debug)]
pub(crate) struct Errors {
    /// `None` when it has ended.
    pipe: Option<ChildStderr>,
}

impl Errors {
    /// Takes the reading end of the pipe.
    ///
    /// # Errors
    /// If it cannot be read without blocking.
    pub(crate) fn of(pipe: ChildStderr) -> io::Result<Errors> {
        let flags = fcntl_getfl(&pipe)?;
        fcntl_setfl(&pipe, flags | OFlags::NONBLOCK)?;
        Ok(Errors { pipe: Some(pipe) })
    }

    /// What the host has written since, which is passed on to this program's standard error.
    pub(crate) fn take(&mut self) -> Vec<u8> {
        let mut taken = Vec::new();
        let mut buffer = vec![0; BUFFER];
        while let Some(pipe) = self.pipe.as_mut().filter(|_| taken.len() < MOST) {
            match pipe.read(&mut buffer) {
                Ok(0) => self.pipe = None,
                Ok(count) => taken.extend_from_slice(&buffer[..count]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(_) => self.pipe = None,
            }
        }
        // If nobody reads it there, the recording still has it.
        let _ = io::stderr().lock().write_all(&taken);
        taken
    }

    /// What tells that there is something to take; `None` when nothing more comes.
    pub(crate) fn pipe(&self) -> Option<&ChildStderr> {
        self.pipe.as_ref()
    }
}
