//! The connection to a module: the agent's own pipes, or a host that runs the modules for it.

use super::channel::Silence;
use crate::deployed::Behind;
use std::fmt::Debug;
use std::sync::Arc;
use std::time::Instant;

/// A module's input and output.
pub(crate) trait Pipe {
    /// Sends a message.
    fn send(&mut self, bytes: &[u8], deadline: Instant) -> Result<(), Silence>;

    /// The next line with its line end. The last line may lack one; after it, the result is empty.
    fn line(&mut self, deadline: Instant) -> Result<&[u8], Silence>;

    /// Whether the module has closed its output and all of it was read.
    fn is_over(&self) -> bool;

    /// Drops unexpected output; true if there was any.
    fn discard(&mut self) -> bool;

    /// Closes the module's input and waits for its exit; false if it had to be killed.
    fn finish(self: Box<Self>, deadline: Instant) -> bool;
}

/// Runs a run's modules instead of the agent: starts them, and talks to them under its own
/// deadlines.
pub trait ModuleHost: Debug + Send + Sync {
    /// Starts the module with this path and returns its number, or `None` if it does not start.
    fn start(&self, module: &str) -> Option<usize>;

    /// Sends a message to a module. Returns its output up to the point where it waits for the next
    /// message, or where the host gives up.
    fn exchange(&self, number: usize, message: &[u8]) -> (Vec<u8>, Behind);

    /// Closes a module's input and waits for its exit; false if it had to be killed.
    fn finish(&self, number: usize) -> bool;
}

/// A module that a host runs.
pub(crate) struct Kept {
    module_host: Arc<dyn ModuleHost>,
    number: usize,
    printed: Vec<u8>,
    /// How many bytes of the output are consumed.
    taken: usize,
    behind: Behind,
}

impl Kept {
    pub(crate) fn start(module_host: &Arc<dyn ModuleHost>, module: &str) -> Option<Self> {
        Some(Self {
            module_host: module_host.clone(),
            number: module_host.start(module)?,
            printed: Vec::new(),
            taken: 0,
            behind: Behind::Nothing,
        })
    }
}

impl Pipe for Kept {
    fn send(&mut self, bytes: &[u8], _: Instant) -> Result<(), Silence> {
        self.printed.drain(..self.taken);
        self.taken = 0;
        let (printed, behind) = self.module_host.exchange(self.number, bytes);
        self.printed.extend(printed);
        self.behind = behind;
        Ok(())
    }

    fn line(&mut self, _: Instant) -> Result<&[u8], Silence> {
        let mut lines = super::Printed {
            rest: &self.printed[self.taken..],
            silence: self.behind.silence(),
        };
        let end = self.taken + super::lines::Lines::line(&mut lines)?.len();
        let start = std::mem::replace(&mut self.taken, end);
        Ok(&self.printed[start..end])
    }

    fn is_over(&self) -> bool {
        self.behind == Behind::End && self.taken == self.printed.len()
    }

    fn discard(&mut self) -> bool {
        std::mem::replace(&mut self.taken, self.printed.len()) < self.printed.len()
    }

    fn finish(self: Box<Self>, _: Instant) -> bool {
        self.module_host.finish(self.number)
    }
}
