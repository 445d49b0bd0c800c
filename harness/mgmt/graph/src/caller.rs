//! How a host is reached: in the user's place, or in a session of the suite.

use mgmt_protocol::Answer;
use serde_json::Value as Json;
use std::time::Instant;
use stickler_rpc::Notification;

/// The host cannot be reached any more: why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Lost(pub String);

/// A host that answers requests and tells what happens.
pub trait Caller {
    /// Sends a request and waits for its answer.
    ///
    /// # Errors
    /// If the host has ended.
    fn call(&mut self, method: &str, params: &Json) -> Result<Answer, Lost>;

    /// Waits until something was told, at most until then.
    ///
    /// # Errors
    /// If the host has ended.
    fn listen(&mut self, until: Instant) -> Result<(), Lost>;

    /// What was told since this was last asked, in order.
    fn told(&mut self) -> Vec<Notification>;
}
