//! Promises with which a campaign on a module without examples begins.

use crate::look::look;
use crate::promise_type;
use cfengine_protocol::Session;
use cfengine_protocol::wire::Value;
use cfengine_protocol::words::visible;
use stickler_face::Failure;
use stickler_suite::config::Example;
use stickler_suite::{Bench, Harvest, first_look};

/// Values that some module accepts: a word, a path, and what a switch or a number takes.
const VALUES: &[&str] = &["stickler", "{dir}/stickler", "true", "1"];
/// Promisers: a path and a name.
const PROMISERS: &[&str] = &["{dir}/stickler-probe", "stickler"];

/// Looks at a module.
///
/// # Errors
/// If a session cannot run.
pub fn harvest(bench: &Bench<'_>) -> Result<Harvest, Failure> {
    let config = bench.config;
    let (session, knowledge) = first_look(bench)?;
    let header = session
        .typed::<Session>()
        .headers()
        .find_map(|exchange| Some(visible(exchange.header()?.name()?)));
    let module = config.subject.path.clone().unwrap_or_default();
    let kind = match config.subject.kinds.first() {
        Some(kind) => kind.clone(),
        None => promise_type::guess(&module, header.as_deref()).0,
    };
    let look = look(bench, session, knowledge)?;
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
