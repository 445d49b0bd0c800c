//! A look at a promise module: which attributes do its validation and its source name?

use crate::harvest;
use cfengine_protocol::Session;
use cfengine_protocol::wire::Value;
use cfengine_protocol::words::visible;
use stickler_face::Failure;
use stickler_judge::AnySession;
use stickler_suite::{Bench, Learned, probe};

/// How many probes are validated at most; each may reveal one more attribute.
const PROBES: usize = 6;

/// What a module reveals about itself.
pub struct Look {
    /// The session that sent the header.
    pub session: AnySession,
    /// What is known from it.
    pub known: Learned,
    /// Attributes that validation asks for.
    pub required: Vec<String>,
    /// Other names, from the source.
    pub others: Vec<String>,
    /// The result of the last validation.
    pub answer: Option<String>,
}

/// Sends the header, then probes: each error message may name another required attribute.
///
/// # Errors
/// If a session cannot run.
pub fn look(bench: &Bench<'_>, session: AnySession, mut known: Learned) -> Result<Look, Failure> {
    let mut required: Vec<String> = Vec::new();
    let mut answer = None;
    if known.common.understood {
        for _ in 0..PROBES {
            let attributes: Vec<(String, Value)> = required
                .iter()
                .map(|name| (name.clone(), Value::text("stickler")))
                .collect();
            let probe = probe(bench, &known, &attributes)?;
            let probe: &Session = probe.typed();
            let result = probe
                .validations()
                .find_map(|exchange| exchange.result().map(visible));
            answer = result.or(answer);
            let valid = probe.validations().any(|exchange| exchange.is("valid"));
            let new: Vec<String> = harvest::asked_for(probe)
                .into_iter()
                .filter(|name| !required.contains(name))
                .collect();
            if valid || new.is_empty() {
                break;
            }
            required.extend(new);
        }
    }
    // Marks the module as usable, because it answered a validation.
    known.common.usable |= answer.is_some();
    let others = harvest::attribute_names(bench.config, &[])
        .into_iter()
        .filter(|name| !required.contains(name))
        .collect();
    Ok(Look {
        session,
        known,
        required,
        others,
        answer,
    })
}
