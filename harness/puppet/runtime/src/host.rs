//! What the runtime asks of the program that calls providers.

use puppet_protocol::{Answer, HostEvent};
use puppet_types::Value;
use std::time::Duration;

/// Answers requests of the provider protocol.
pub trait Host {
    /// Sends a request and waits for its answer.
    ///
    /// # Errors
    /// If the host has ended or breaks the protocol.
    fn request(&mut self, method: &str, params: Value) -> Result<Exchange, HostError>;
}

/// The answer to a request, and what came before it.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// The notifications, with the time since the request.
    pub events: Vec<(Duration, HostEvent)>,
    /// The answer.
    pub answer: Answer,
}

/// The host does not answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct HostError(pub String);
