//! The kinds of a package, asked of its host without a session.

use crate::host::{self, folder};
use mgmt_graph::{SPEECH, ask};
use mgmt_protocol::{Answer, Described};
use serde_json::json;
use std::collections::BTreeMap;
use stickler_json::{Json as Found, Member};
use stickler_rpc::{Client, Ended};
use stickler_suite::config::Config;
use stickler_suite::{Preparing, RunError};

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
    let host = Client::start(&argv, &folder(config), &config.subject.env, SPEECH);
    let mut host =
        host.map_err(|error| RunError::Subject(format!("the host does not start: {error}")))?;
    let begin = json!({ "protocol": 1, "debug": false, "var": "/nonexistent" });
    let begun = ask(&mut host, "initialize", &begin).map_err(|why| lost(&why))?;
    let kinds = mgmt_protocol::kinds(&begun);
    let inspected = kinds
        .iter()
        .map(|kind| inspect(&mut host, kind).map_err(|why| lost(&why)));
    inspected.collect()
}

fn inspect(host: &mut Client, kind: &str) -> Result<Inspected, Ended> {
    let described = match ask(host, "describe", &json!({ "kind": kind }))? {
        Answer::Result(result) => Described::read(&result),
        _ => Described {
            kind: kind.to_owned(),
            ..Described::default()
        },
    };
    let mut defaults = BTreeMap::new();
    let named = json!({ "resource": kind, "kind": kind, "name": "default" });
    if let Answer::Result(_) = ask(host, "new", &named)?
        && let Answer::Result(found) = ask(host, "get", &json!({ "resource": kind }))?
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

fn lost(lost: &Ended) -> RunError {
    RunError::Subject(lost.to_string())
}
