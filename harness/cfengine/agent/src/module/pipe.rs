//! What a module is spoken with by: pipes of the agent's own, or somebody who keeps
//! the modules for it.

use super::channel::Silence;
use crate::deployed::Behind;
use std::fmt::Debug;
use std::sync::Arc;
use std::time::Instant;

/// A module's input and output.
pub(crate) trait Pipe {
    /// Sends a message.
    fn send(&mut self, bytes: &[u8], deadline: Instant) -> Result<(), Silence>;

    /// The next line with its end; without one at the end of all output,
    /// empty behind it.
    fn line(&mut self, deadline: Instant) -> Result<&[u8], Silence>;

    /// Has it closed its output, and everything was read?
    fn is_over(&self) -> bool;

    /// Drops what came unasked; whether there was any.
    fn discard(&mut self) -> bool;

    /// Closes its input and waits for its end; false where it had to be ended.
    fn finish(self: Box<Self>, deadline: Instant) -> bool;
}

/// Keeps a run's modules in the agent's place: starts them, and speaks with them
/// under deadlines of its own.
pub trait ModuleHost: Debug + Send + Sync {
    /// Starts the module of this path; its number. `None` where it is not started.
    fn start(&self, module: &str) -> Option<usize>;

    /// Sends a message to a module, and takes what it prints until it waits for the
    /// next, or is given up.
    fn exchange(&self, number: usize, message: &[u8]) -> (Vec<u8>, Behind);

    /// Closes a module's input and waits for its end; false where it had to be ended.
    fn finish(&self, number: usize) -> bool;
}

/// A module that somebody keeps.
pub(crate) struct Kept {
    module_host: Arc<dyn ModuleHost>,
    number: usize,
    printed: Vec<u8>,
    /// How much of it was taken.
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
