//! The kinds of a package, asked of its host without a session.

use crate::host::{self, folder};
use mgmt_protocol::{Answer, Described, phase, request};
use serde_json::{Value as Json, json};
use stickler_rpc::{Client, Request};
use stickler_suite::config::Config;
use stickler_suite::{Preparing, RunError};
use stickler_transcript::{Key, Phase};

/// Builds the host of a package, and asks it what it registers.
///
/// # Errors
/// If the host cannot be built, or ends; the message says what to do.
pub fn kinds(config: &Config, preparing: &Preparing<'_>) -> Result<Vec<Described>, RunError> {
    let argv = host::command_line(config, preparing)?;
    let client = Client::start(&argv, &folder(config), &config.subject.env);
    let mut client =
        client.map_err(|error| RunError::Subject(format!("the host does not start: {error}")))?;
    let begun = ask(
        &mut client,
        phase::INITIALIZE,
        &json!({ "protocol": 1, "debug": false, "var": "/nonexistent" }),
    )?;
    let kinds = mgmt_protocol::kinds(&begun);
    let described = kinds.iter().map(|kind| {
        let answer = ask(&mut client, phase::DESCRIBE, &json!({ "kind": kind }))?;
        Ok(match &answer {
            Answer::Result(result) => Described::read(result),
            _ => Described {
                kind: kind.clone(),
                ..Described::default()
            },
        })
    });
    described.collect()
}

fn ask(client: &mut Client, phase: Phase, params: &Json) -> Result<Answer, RunError> {
    let id = client.next_id();
    let line = request::line(id, &phase.name(), params);
    let key = Key::parse(&format!("{}:{id}", phase.name()));
    let answer = client.request(&Request { line, phase, key }, |_, _| None);
    let answer = answer.map_err(|ended| RunError::Subject(ended.to_string()))?;
    Ok(Answer::read(answer))
}
