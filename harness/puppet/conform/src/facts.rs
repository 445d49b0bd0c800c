//! What rules know of a run beside its calls: what its manifest declares, what its providers answer, and its report.

use crate::agent::Run;
use crate::seen::Seen;
use crate::situation::{Command, Situation};
use puppet_manifest::{Parameter, compile};
use puppet_protocol::runtimes::{Answer, Declared, Known, Noop, Type};
use puppet_types::Value as Own;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The shortest secret that is looked for in what a run prints.
const SECRET: usize = 4;

/// The blocks that record how the change of a resource ended.
const BLOCKS: [&str; 4] = ["creating", "updating", "deleting", "processing"];

/// What is known of a run.
pub(crate) fn known(situation: &Situation, run: &Run) -> Known {
    let declared = declared(situation);
    let secrets = secrets(declared.as_deref().unwrap_or_default());
    let types = run.types.iter();
    let types = types.map(|(name, kind)| {
        let script = situation.script.get(name);
        (name.clone(), scripted(kind.clone(), script))
    });
    Known {
        noop: noop(situation),
        strict: strict(situation),
        types: types.collect(),
        declared,
        reported: reported(&run.seen),
        shown: shown(run, &secrets),
    }
}

/// Does the run change nothing? What resources say themselves is not known.
fn noop(situation: &Situation) -> Noop {
    let asked = situation.options.iter().any(|option| option == "--noop");
    let may_differ = names(situation, "noop")
        || situation
            .options
            .iter()
            .any(|option| option.contains("noop") && option != "--noop");
    match (may_differ, asked) {
        (true, _) => Noop::Unknown,
        (false, true) => Noop::Yes,
        (false, false) => Noop::No,
    }
}

/// Stands a word in what a run reads, beside its options?
fn names(situation: &Situation, word: &str) -> bool {
    situation.manifest.contains(word)
        || situation.args.iter().any(|text| text.contains(word))
        || situation.files.values().any(|text| text.contains(word))
}

fn strict(situation: &Situation) -> Option<String> {
    let may_differ = situation.options.iter().any(|one| one.contains("strict"));
    let named = situation.strict.clone();
    (!may_differ).then(|| named.unwrap_or_else(|| "default".to_owned()))
}

/// What the manifest declares, if Stickler can read it and the run applies it.
fn declared(situation: &Situation) -> Option<Vec<Declared>> {
    let applies = match situation.command {
        Command::Apply => true,
        Command::Device => situation.args.is_empty(),
        Command::Resource => false,
    };
    let catalog = applies.then(|| compile("site.pp", &situation.manifest).ok())??;
    let resources = catalog.resources.into_iter();
    let resources = resources.filter(|one| !one.is_virtual && !one.exported);
    let all = resources.map(|one| Declared {
        kind: one.kind,
        title: one.title,
        values: one
            .parameters
            .iter()
            .map(|(name, value)| (name.clone(), parameter(value)))
            .collect(),
    });
    Some(all.collect())
}

fn parameter(parameter: &Parameter) -> Value {
    match parameter {
        Parameter::Value(value) => plain(value).unwrap_or_default(),
        Parameter::References(_) => Value::Null,
    }
}

/// A value as scripted providers note it; none if it becomes something that only a runtime knows.
fn plain(value: &Own) -> Option<Value> {
    match value {
        Own::Bool(own) => Some((*own).into()),
        Own::Integer(number) => serde_json::from_str(&number.to_string()).ok(),
        Own::Float(number) => serde_json::Number::from_f64(*number).map(Value::from),
        Own::String(text) => Some(text.clone().into()),
        Own::Array(items) => items.iter().map(plain).collect(),
        // Without a key, it is like one with symbols.
        Own::Hash(pairs) if pairs.is_empty() => Some(json!({})),
        Own::Hash(pairs) => {
            let pairs = pairs.iter();
            let pairs = pairs.map(|(key, value)| Some(json!([plain(key)?, plain(value)?])));
            Some(json!({ "$h": pairs.collect::<Option<Vec<_>>>()? }))
        }
        Own::Sensitive(inner) => Some(json!({ "$sens": plain(inner) })),
        _ => None,
    }
}

/// The texts that the manifest declares as Sensitive.
fn secrets(declared: &[Declared]) -> Vec<String> {
    let values = declared.iter().flat_map(|one| one.values.values());
    let secrets = values.filter_map(|value| value.get("$sens")?.as_str());
    secrets
        .filter(|text| text.chars().count() >= SECRET)
        .map(str::to_owned)
        .collect()
}

/// Lines of what a run showed that have a secret.
fn shown(run: &Run, secrets: &[String]) -> Vec<String> {
    let seen = &run.seen;
    let mut lines: Vec<String> = run.printed.lines().map(str::to_owned).collect();
    lines.extend(seen.says.iter().map(|(_, _, text)| text.clone()));
    lines.extend(seen.prints.clone());
    for reported in seen.resources.values() {
        let events = reported["events"].as_array().into_iter().flatten();
        lines.extend(events.map(Value::to_string));
    }
    lines.retain(|line| secrets.iter().any(|secret| line.contains(secret)));
    lines
}

/// What the report says of resources, if the run ended with one.
fn reported(seen: &Seen) -> Option<BTreeMap<String, Vec<String>>> {
    let all = seen.resources.iter().map(|(reference, status)| {
        let flags = status["is"].as_array().into_iter().flatten();
        let flags = flags.filter_map(Value::as_str).map(str::to_owned);
        (reference.clone(), flags.collect())
    });
    (seen.exit != "hang").then(|| all.collect())
}

/// A type with what its provider answers.
fn scripted(mut kind: Type, script: Option<&Value>) -> Type {
    let Some(script) = script.and_then(Value::as_object) else {
        return kind;
    };
    kind.rows = turns(script.get("get"))
        .map(|answer| rows(answer, &kind.namevars))
        .collect();
    kind.rewritten = rewritten(script.get("canonicalize"));
    kind.answers = turns(script.get("set")).map(answer).collect();
    if script.get("set").is_none_or(Value::is_null) {
        kind.answers.clear();
    }
    kind
}

/// The answers to calls, each in its turn.
fn turns(answers: Option<&Value>) -> impl Iterator<Item = &Value> {
    let (many, one) = match answers {
        Some(Value::Array(all)) => (&all[..], None),
        other => (&[][..], other),
    };
    many.iter().chain(one)
}

/// The rows that an answer of `get` returns, if that is known.
fn rows(answer: &Value, namevars: &[String]) -> Option<Vec<Value>> {
    if answer.get("raise").is_some() || has_code(answer.get("do")) {
        return None;
    }
    let mut returned = answer.get("return")?;
    for wrapper in ["$frozen", "$each"] {
        returned = returned.get(wrapper).unwrap_or(returned);
    }
    let rows = returned.as_array()?.iter().map(|row| {
        let row = row.get("$frozen").unwrap_or(row);
        let members = row.as_object().filter(|members| is_plain(members))?;
        let has = |name: &String| members.get(name).is_some_and(|value| !value.is_null());
        let is_known = namevars.iter().all(has) && !row.to_string().contains("\"$ruby\"");
        is_known.then(|| row.clone())
    });
    rows.collect()
}

/// Has an object plain names?
fn is_plain(members: &Map<String, Value>) -> bool {
    members.keys().all(|key| !key.starts_with('$'))
}

/// Is Ruby code of the situation evaluated?
fn has_code(steps: Option<&Value>) -> bool {
    steps.is_some_and(|steps| steps.to_string().contains("\"ruby\""))
}

/// The attributes that an answer of `canonicalize` may change.
fn rewritten(answer: Option<&Value>) -> Option<Vec<String>> {
    let answer = answer?.as_object()?;
    let has_other = answer.get("return").is_some() || answer.get("raise").is_some();
    if has_other || has_code(answer.get("do")) {
        return None;
    }
    let mapped = answer.get("map").and_then(Value::as_object);
    Some(
        mapped
            .into_iter()
            .flatten()
            .map(|one| one.0.clone())
            .collect(),
    )
}

/// What an answer of `set` does, if that is known.
fn answer(answer: &Value) -> Option<Answer> {
    let steps = answer.get("do").and_then(Value::as_array);
    let steps = steps.map(Vec::as_slice).unwrap_or_default();
    // What code does, and what is rescued, is not known.
    if steps.iter().any(|step| step[0] != "ctx") {
        return None;
    }
    let failing = |step: &&Value| BLOCKS.iter().any(|name| step[1] == *name);
    let mut failed = Vec::new();
    for step in steps.iter().filter(failing) {
        if step[4][0] == json!(["raise", "RuntimeError", step[4][0][2]]) {
            failed.push(step[2][0].clone());
        }
    }
    let known = Answer {
        // An error that is none of the usual ones ends the run.
        raises: steps.is_empty() && answer.get("raise").is_some() && answer.get("class").is_none(),
        failed,
    };
    Some(known)
}
