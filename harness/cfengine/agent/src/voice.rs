//! How and where the agent speaks, and what its options and the policy's control bodies say about a run.

use crate::control::Control;
use crate::log::Log;
use crate::options::Options;
use crate::stop::{Step, Stop};
use std::io::Write as _;

/// The options of an agent, its output, and the settings of its control bodies.
pub(crate) struct Voice {
    pub(crate) options: Options,
    pub(crate) log: Log,
    pub(crate) control: Control,
}

impl Voice {
    /// Before a control body was read.
    pub(crate) fn new(options: Options, log: Log) -> Self {
        Self {
            options,
            log,
            control: Control::default(),
        }
    }

    /// Prints text that is no log line to stderr, unless warnings are turned off.
    pub(crate) fn warn(&self, text: &str) {
        if self.options.warns {
            // A warning that nobody can read is no error.
            let _ = std::io::stderr().write_all(text.as_bytes());
        }
    }

    /// Ends the run if its output has reached the limit.
    pub(crate) fn within_limit(&self) -> Step<()> {
        let limit = self.options.limits.output;
        match self.log.is_exhausted() {
            true => Err(Stop::Limit(format!("more than {limit} bytes of output"))),
            false => Ok(()),
        }
    }
}
