//! Subjects and examples from a policy. Promise blocks say how a module is started; promises become
//! its examples, expanded as by the agent.

use cfengine_agent::{Ended, Options, Promised, Survey};
use cfengine_protocol::wire::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use stickler_face::Failure;
use stickler_suite::config::Example;

/// What a policy says about one module.
#[derive(Debug)]
pub struct FromPolicy {
    /// Its `interpreter`.
    pub interpreter: Option<String>,
    /// Its `path`.
    pub path: PathBuf,
    /// The promise types that it handles.
    pub promise_types: Vec<String>,
    /// The promises of these types.
    pub examples: Vec<Example>,
    /// Notes for the user: promises that never resolve.
    pub notes: Vec<String>,
}

/// Reads a policy. If it names several modules, `module` (by its file name) or `promise_types`
/// selects one.
///
/// # Errors
/// If the policy cannot be read, or names no module, or several.
pub fn read(
    policy: &Path,
    module: Option<&Path>,
    promise_types: &[String],
) -> Result<FromPolicy, Failure> {
    if !policy.exists() {
        return Err(stickler_face::missing::missing(policy));
    }
    let absolute = std::path::absolute(policy).map_err(anyhow::Error::from)?;
    let survey = cfengine_agent::survey(Options::new(absolute.to_string_lossy()))
        .map_err(|ended| refused(policy, &ended))?;
    let wanted = |promised: &&Promised| {
        let named = module.is_none_or(|module| {
            Path::new(&promised.path).file_name() == module.file_name() || !promise_types.is_empty()
        });
        named && (promise_types.is_empty() || promise_types.contains(&promised.promise_type))
    };
    let chosen: Vec<&Promised> = survey.promised.iter().filter(wanted).collect();
    let modules: BTreeSet<(&str, Option<&str>)> = chosen
        .iter()
        .map(|promised| (&*promised.path, promised.interpreter.as_deref()))
        .collect();
    let [(path, interpreter)] = Vec::from_iter(modules)[..] else {
        return Err(not_one(policy, &survey, &chosen));
    };
    let mut types: Vec<String> = Vec::new();
    for promised in &chosen {
        if !types.contains(&promised.promise_type) {
            types.push(promised.promise_type.clone());
        }
    }
    Ok(FromPolicy {
        interpreter: interpreter.map(str::to_owned),
        path: module.map_or_else(|| path.into(), Path::to_owned),
        examples: examples(&chosen, &types),
        notes: chosen
            .iter()
            .filter(|promised| promised.attributes.is_none())
            .map(|promised| {
                format!(
                    "{}: promise `{}` is left out: it has unresolved variables, so an agent never sends it",
                    place(promised),
                    stickler_report::visible(&promised.promiser)
                )
            })
            .collect(),
        promise_types: types,
    })
}

fn examples(chosen: &[&Promised], types: &[String]) -> Vec<Example> {
    let mut at: BTreeMap<String, usize> = BTreeMap::new();
    chosen
        .iter()
        .filter_map(|promised| {
            let attributes = promised.attributes.as_ref()?;
            let place = place(promised);
            let number = at.entry(place.clone()).or_default();
            *number += 1;
            Some(Example {
                // A list makes several promises of one line.
                name: match number {
                    1 => place,
                    number => format!("{place} ({number})"),
                },
                kind: (types.first() != Some(&promised.promise_type))
                    .then(|| promised.promise_type.clone()),
                identity: vec![("promiser".into(), Value::text(literal(&promised.promiser)))],
                attributes: attributes
                    .iter()
                    // The suite decides about the action policy.
                    .filter(|(name, _)| name != b"action_policy")
                    .map(|(name, value)| {
                        let name = String::from_utf8_lossy(name).into_owned();
                        (name, literal_value(value))
                    })
                    .collect(),
                ..Example::default()
            })
        })
        .collect()
}

/// `example.cf:12`
fn place(promised: &Promised) -> String {
    let file = Path::new(&promised.file).file_name().unwrap_or_default();
    format!("{}:{}", file.to_string_lossy(), promised.line)
}

/// Escapes `{dir}` so that it stays literal.
fn literal(text: &str) -> String {
    text.replace("{dir}", "{{dir}}")
}

fn literal_value(value: &Value) -> Value {
    match value {
        Value::Text(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => Value::text(literal(text)),
            Err(_) => value.clone(),
        },
        Value::List(items) => Value::List(items.iter().map(literal_value).collect()),
        Value::Object(members) => Value::Object(
            members
                .iter()
                .map(|(key, value)| (key.clone(), literal_value(value)))
                .collect(),
        ),
        other => other.clone(),
    }
}

fn refused(policy: &Path, ended: &Ended) -> Failure {
    let why = match ended {
        Ended::Refused(text) | Ended::Policy(text) | Ended::Limit(text) => text.trim_end(),
        Ended::Exit(_) => "the agent does not run this policy",
    };
    Failure::usage(format!("{}: no examples found\n{why}", policy.display()))
}

fn not_one(policy: &Path, survey: &Survey, chosen: &[&Promised]) -> Failure {
    let list = |promised: &[&Promised]| {
        let lines: BTreeSet<String> = promised
            .iter()
            .map(|promised| format!("\n  {} with {}", promised.promise_type, promised.path))
            .collect();
        lines.into_iter().collect::<String>()
    };
    let all: Vec<&Promised> = survey.promised.iter().collect();
    let file = policy.display();
    Failure::usage(match (chosen, &all[..]) {
        ([], []) => format!(
            "{file}: the agent reaches no promise of a custom type, so there is no example\n  \
             add a `promise agent` block, and a promise of its type in a bundle of the bundlesequence{}",
            said(&survey.said)
        ),
        ([], all) => format!(
            "{file}: no promise uses that module; the policy has{}\n  \
             choose with --promise-type NAME",
            list(all)
        ),
        (several, _) => format!(
            "{file}: its promises use several modules; choose one with --promise-type{}",
            list(several)
        ),
    })
}

fn said(said: &str) -> String {
    match said.trim_end() {
        "" => String::new(),
        said => format!("\n  the agent reports:\n{said}"),
    }
}
