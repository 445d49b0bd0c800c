//! The kinds of a package, asked of its host without a session.

use crate::host::{self, folder};
use mgmt_protocol::{Answer, Described, phase, request};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use stickler_json::{Json as Found, Member};
use stickler_rpc::{Client, Request};
use stickler_suite::config::Config;
use stickler_suite::{Preparing, RunError};
use stickler_transcript::{Key, Phase};

/// A kind as it is registered.
pub struct Inspected {
    /// What the host says of it.
    pub described: Described,
    /// The values of its fields in a new resource, by Go's names. Empty if none can be made.
    pub defaults: BTreeMap<String, Found>,
}

/// Builds the host of a package, and asks it what it registers.
///
/// # Errors
/// If the host cannot be built, or ends; the message says what to do.
pub fn kinds(config: &Config, preparing: &Preparing<'_>) -> Result<Vec<Inspected>, RunError> {
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
    let inspected = kinds.iter().map(|kind| inspect(&mut client, kind));
    inspected.collect()
}

fn inspect(client: &mut Client, kind: &str) -> Result<Inspected, RunError> {
    let described = match ask(client, phase::DESCRIBE, &json!({ "kind": kind }))? {
        Answer::Result(result) => Described::read(&result),
        _ => Described {
            kind: kind.to_owned(),
            ..Described::default()
        },
    };
    let mut defaults = BTreeMap::new();
    let named = json!({ "resource": kind, "kind": kind, "name": "default" });
    if let Answer::Result(_) = ask(client, phase::NEW, &named)?
        && let Answer::Result(found) = ask(client, phase::GET, &json!({ "resource": kind }))?
        && let Some(fields) = found.get("fields").and_then(Found::as_object)
    {
        let named = |member: &Member| Some((member.key.as_str()?.to_owned(), member.value.clone()));
        defaults.extend(fields.iter().filter_map(named));
    }
    Ok(Inspected {
        described,
        defaults,
    })
}

fn ask(client: &mut Client, phase: Phase, params: &Json) -> Result<Answer, RunError> {
    let id = client.next_id();
    let line = request::line(id, &phase.name(), params);
    let key = Key::parse(&format!("{}:{id}", phase.name()));
    let answer = client.request(&Request { line, phase, key }, |_, _| None);
    let answer = answer.map_err(|ended| RunError::Subject(ended.to_string()))?;
    Ok(Answer::read(answer))
}
