//! Promises with which a campaign on a module without examples begins.

use crate::failure::Failure;
use crate::guess;
use crate::look::look;
use cfengine_protocol::wire::Value;
use cfengine_protocol::words::visible;
use cfengine_suite::PromiseModules;
use stickler_session::sandbox::Host;
use stickler_suite::config::{Config, Example};
use stickler_suite::{Harvest, first_look};
use stickler_transcript::Bytes;

/// Values that some module accepts: a word, a path, and what a switch or a number takes.
const VALUES: &[&str] = &["stickler", "{dir}/stickler", "true", "1"];
/// Promisers: a path and a name.
const PROMISERS: &[&str] = &["{dir}/stickler-probe", "stickler"];

/// Looks at a module.
///
/// # Errors
/// If a session cannot run.
pub fn harvest(
    dialect: &PromiseModules,
    host: &Host,
    config: &Config,
    argv: &[Bytes],
) -> Result<Harvest, Failure> {
    let (session, knowledge) = first_look(dialect, host, config, argv)?;
    let header = session
        .headers()
        .find_map(|exchange| Some(visible(exchange.header()?.name()?)));
    let module = config.subject.path.clone().unwrap_or_default();
    let kind = match config.subject.kinds.first() {
        Some(kind) => kind.clone(),
        None => guess::promise_type(&module, header.as_deref()).0,
    };
    let look = look(dialect, host, config, argv, session, knowledge)?;
    let mut items = Vec::new();
    for promiser in PROMISERS {
        for value in VALUES {
            let mut attributes = vec![with(&look.required, value)];
            if *value == VALUES[0] || look.required.is_empty() {
                attributes.extend(look.others.iter().map(|other| {
                    let mut names = look.required.clone();
                    names.push(other.clone());
                    with(&names, value)
                }));
            }
            items.extend(attributes.into_iter().map(|attributes| Example {
                name: "generated".to_owned(),
                kind: Some(kind.clone()),
                identity: vec![("promiser".to_owned(), Value::text(*promiser))],
                attributes,
                ..Example::default()
            }));
        }
    }
    items.dedup();
    let names = look.required.into_iter().chain(look.others).collect();
    Ok(Harvest { kind, items, names })
}

fn with(names: &[String], value: &str) -> Vec<(String, Value)> {
    let fields = names.iter();
    fields
        .map(|name| (name.clone(), Value::text(value)))
        .collect()
}
