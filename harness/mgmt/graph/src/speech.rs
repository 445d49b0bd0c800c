//! How Stickler speaks with a host.

use mgmt_protocol::Answer;
use serde_json::Value as Json;
use stickler_rpc::{Caller, Ended, Speech};
use stickler_transcript::{Key, Phase};

/// How Stickler speaks with a host in the user's place.
pub const SPEECH: Speech = Speech {
    named: |method, _, id| {
        let phase = Phase::parse(method).unwrap_or(Phase::OTHER);
        (phase, Key::parse(&format!("{method}:{id}")))
    },
    reply: |_| None,
};

/// Sends a request and waits for its answer.
///
/// # Errors
/// If the host has ended.
pub fn ask(host: &mut impl Caller, method: &str, params: &Json) -> Result<Answer, Ended> {
    let line = host.request(method, &params.to_string())?;
    Ok(Answer::read(&line))
}
