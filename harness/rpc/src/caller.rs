//! A host as an oracle calls it: in the user's place, or in a session of the suite.

use crate::Notification;
use std::time::{Duration, Instant};

/// The host does not answer: why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Ended(pub String);

/// Calls methods of a host.
pub trait Caller {
    /// Sends a request and returns the line of its answer. `params` is JSON.
    ///
    /// # Errors
    /// If the host has ended.
    fn request(&mut self, method: &str, params: &str) -> Result<Vec<u8>, Ended>;

    /// Waits until something was told, at most until then.
    ///
    /// # Errors
    /// If the host has ended.
    fn listen(&mut self, until: Instant) -> Result<(), Ended>;

    /// What was told since this was last asked, in order, each with the time since the request before it.
    fn told(&mut self) -> Vec<(Duration, Notification)>;
}
