//! `files` promises.

use crate::context::Agent;
use crate::log::Level;
use crate::outcome::Outcome;
use crate::promise::Expanded;
use crate::stop::Step;
use std::rc::Rc;

impl Agent {
    /// Sees to a file.
    pub(crate) fn keep_file(&mut self, promise: &Rc<Expanded>) -> Step<Outcome> {
        if !self.done.insert(promise.identity(&promise.promiser)) {
            return Ok(Outcome::Skipped);
        }
        let message = format!(
            "promise type 'files' is not supported by the reference agent: promise '{}' is not kept",
            promise.promiser
        );
        self.conclude(Level::Error, Outcome::Failed, promise, message);
        Ok(Outcome::Failed)
    }
}
