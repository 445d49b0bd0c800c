//! Where a module's lines come from: its pipe, or what it is known to have
//! printed.

use super::channel::Silence;
use super::pipe::Pipe;
use std::time::Instant;

/// A module's output, line by line.
pub(crate) trait Lines {
    /// The next line with its end; without one at the end of all output,
    /// empty behind it.
    fn line(&mut self) -> Result<&[u8], Silence>;
}

/// What a running module prints until a deadline.
pub(crate) struct Live<'c> {
    pub(crate) channel: &'c mut dyn Pipe,
    pub(crate) deadline: Instant,
}

impl Lines for Live<'_> {
    fn line(&mut self) -> Result<&[u8], Silence> {
        self.channel.line(self.deadline)
    }
}

/// What a module has printed.
pub(crate) struct Printed<'o> {
    /// What of it was not read yet.
    pub(crate) rest: &'o [u8],
    /// What then keeps the reader waiting; nothing where its output ended.
    pub(crate) silence: Option<Silence>,
}

impl Lines for Printed<'_> {
    fn line(&mut self) -> Result<&[u8], Silence> {
        let end = memchr::memchr(b'\n', self.rest).map(|at| at + 1);
        let end = match (end, self.silence) {
            (Some(end), _) => end,
            (None, Some(silence)) => return Err(silence),
            (None, None) => self.rest.len(),
        };
        let (line, rest) = self.rest.split_at(end);
        self.rest = rest;
        Ok(line)
    }
}
