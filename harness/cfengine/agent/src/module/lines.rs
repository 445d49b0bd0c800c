//! The source of a module's lines: its pipe, or its recorded output.

use super::channel::Silence;
use super::pipe::Pipe;
use std::time::Instant;

/// A module's output, line by line.
pub(crate) trait Lines {
    /// The next line with its line end. The last line may lack one; after it, the result is empty.
    fn line(&mut self) -> Result<&[u8], Silence>;
}

/// The output of a running module, until a deadline.
pub(crate) struct Live<'c> {
    pub(crate) channel: &'c mut dyn Pipe,
    pub(crate) deadline: Instant,
}

impl Lines for Live<'_> {
    fn line(&mut self) -> Result<&[u8], Silence> {
        self.channel.line(self.deadline)
    }
}

/// A module's recorded output.
pub(crate) struct Printed<'o> {
    /// The unread rest.
    pub(crate) rest: &'o [u8],
    /// Why nothing follows; `None` if the output has ended.
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
