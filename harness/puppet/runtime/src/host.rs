//! What the runtime asks of the program that calls providers.

use puppet_protocol::{Answer, HostEvent};
use puppet_types::Value;
use std::time::Duration;
use stickler_rpc::{Caller, Ended};

/// The answer to a request, and what came before it.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// The notifications, with the time since the request.
    pub events: Vec<(Duration, HostEvent)>,
    /// The answer.
    pub answer: Answer,
}

impl Exchange {
    /// Sends a request of the provider protocol and waits for its answer.
    ///
    /// # Errors
    /// If the host has ended or breaks the protocol.
    pub fn of(host: &mut dyn Caller, method: &str, params: &Value) -> Result<Self, Ended> {
        let line = host.request(method, &params.encode())?;
        let told = host.told().into_iter();
        let events = told.filter_map(|(since, told)| Some((since, HostEvent::of(&told)?)));
        Ok(Exchange {
            events: events.collect(),
            answer: Answer::read(&line),
        })
    }
}
