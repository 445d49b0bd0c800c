//! The content of a call for people, without ids of the protocol and lines of code.

use puppet_protocol::{Answer, Call, Failure, HostEvent, Session, phase};
use puppet_types::Value;
use stickler_reading::words::shown;
use stickler_suite::{LINE, Said};

/// How many rows of a state are shown.
const ROWS: usize = 20;

/// Parameters that the first line already shows, and ids.
const KNOWN: &[&str] = &["provider", "transport", "type", "name", "property"];

/// Shows a request as method, type and parameters, and an answer as what the provider logged and
/// returned.
pub(crate) fn said(session: &Session, call: &Call) -> Said {
    let case = session.case();
    let is_start = [phase::INITIALIZE, phase::LOAD, phase::OPEN].contains(&call.phase);
    if is_start && call.events.is_empty() && matches!(call.answer, Some(Answer::Result(_))) {
        // A provider that can be built needs no line.
        return Said::default();
    }
    let lines = |texts: Vec<String>| {
        let texts = texts.iter();
        texts
            .map(|text| shown(text.as_bytes(), case, LINE))
            .collect()
    };
    Said {
        asked: lines(asked(session, call)),
        answered: match &call.answer {
            Some(Answer::Broken(_)) | None => Said::of(call, case).answered,
            Some(answer) => lines(answered(call, answer)),
        },
    }
}

fn asked(session: &Session, call: &Call) -> Vec<String> {
    let method = call.phase.name();
    let kind = match session.definition(call) {
        Some(definition) => definition.name.clone(),
        None => ["type", "transport"].into_iter().find_map(|key| {
            let name = call.param(key)?;
            name.as_str().map(str::to_owned)
        }),
    };
    let property = call.param("property");
    let property = property.as_ref().and_then(Value::as_str);
    let words = [Some(&*method), kind.as_deref(), property];
    let mut words: Vec<&str> = words.into_iter().flatten().collect();
    if call.param("noop") == Some(Value::Bool(true)) {
        words.push("(noop)");
    }
    let mut lines = vec![words.join(" ")];
    if call.phase == phase::INITIALIZE {
        return lines;
    }
    let changes = call.param("changes");
    let changes = changes.as_ref().and_then(Value::as_array);
    for change in changes.unwrap_or_default() {
        match change.as_array() {
            Some([name, change]) => {
                lines.push(format!("  {}", name.inspect()));
                lines.extend(fields(change, 4));
            }
            _ => lines.push(format!("  {}", change.inspect())),
        }
    }
    let params = call.params.as_ref();
    let params = params.and_then(|params| Value::from_json(params.clone(), 0).ok());
    let params = params.as_ref().and_then(Value::as_hash).unwrap_or_default();
    for (key, value) in params {
        let key = key.to_text();
        match (&*key, value) {
            ("changes" | "noop" | "find" | "load", _) => {}
            (key, _) if KNOWN.contains(&key) => {}
            ("resources", Value::Array(resources)) => {
                lines.extend(resources.iter().flat_map(|one| fields(one, 2)));
            }
            (key, value) => lines.extend(named(&format!("{key}:"), value, 2)),
        }
    }
    lines
}

fn answered(call: &Call, answer: &Answer) -> Vec<String> {
    let mut lines: Vec<String> = call.events.iter().flat_map(event).collect();
    match answer {
        Answer::Failed(failure) => lines.push(format!("raised {}", raised(failure))),
        Answer::Refused(_, why) => lines.push(format!("the host refused this: {why}")),
        Answer::Broken(_) => {}
        Answer::Result(result) => {
            let result = Value::from_json(result.clone(), 0).unwrap_or(Value::Undef);
            lines.extend(returned(call, &result));
            for (key, after) in result.as_hash().unwrap_or_default() {
                // `canonicalize` may change its argument and return it.
                let is_result = result.get("value") == Some(after);
                if let Some(argument) = key.to_text().strip_suffix("_after")
                    && !is_result
                {
                    lines.push(format!("changed its argument `{argument}`:"));
                    lines.extend(rows(after, 2));
                }
            }
            if result.get("definition_changed") == Some(&Value::Bool(true)) {
                lines.push("changed the definition of its type".to_owned());
            }
        }
    }
    lines
}

fn returned(call: &Call, result: &Value) -> Vec<String> {
    let value = result.get("value");
    match (call.phase, value) {
        // The runtime ignores what `set` returns.
        (phase::SET | phase::CLOSE | phase::CONNECT | phase::DEVICE, _) | (_, None) => {
            vec!["returned".to_owned()]
        }
        (phase::GET | phase::CANONICALIZE, Some(Value::Array(all))) if all.is_empty() => {
            vec!["no resource".to_owned()]
        }
        (phase::GET | phase::CANONICALIZE, Some(value)) => rows(value, 0),
        (_, Some(value)) => match value.as_hash() {
            Some(_) => fields(value, 0),
            None => vec![value.inspect()],
        },
    }
}

/// A list of resources, one per line.
fn rows(value: &Value, indent: usize) -> Vec<String> {
    let Some(all) = value.as_array() else {
        return vec![format!("{:indent$}{}", "", value.inspect())];
    };
    let row = |row: &Value| {
        let members = row.as_hash().map(|members| {
            let members = members.iter();
            let members = members.map(|(key, value)| format!("{} {}", name(key), value.inspect()));
            members.collect::<Vec<_>>().join(", ")
        });
        let text = members.unwrap_or_else(|| row.inspect());
        format!("{:indent$}{text}", "")
    };
    let mut lines: Vec<String> = all.iter().take(ROWS).map(row).collect();
    if all.len() > ROWS {
        lines.push(format!("{:indent$}and {} more", "", all.len() - ROWS));
    }
    lines
}

/// The members of a hash, one per line. Members of nested hashes follow, indented.
fn fields(value: &Value, indent: usize) -> Vec<String> {
    match value.as_hash() {
        Some(members) if !members.is_empty() => members
            .iter()
            .flat_map(|(key, value)| named(&name(key), value, indent))
            .collect(),
        _ => vec![format!("{:indent$}{}", "", value.inspect())],
    }
}

fn named(name: &str, value: &Value, indent: usize) -> Vec<String> {
    match value.as_hash() {
        Some(members) if !members.is_empty() => {
            let mut lines = vec![format!("{:indent$}{name}", "")];
            lines.extend(fields(value, indent + 2));
            lines
        }
        _ => vec![format!("{:indent$}{name} {}", "", value.inspect())],
    }
}

/// A key, as Ruby's short form writes it.
fn name(key: &Value) -> String {
    match key.as_symbol() {
        Some(symbol) => format!("{symbol}:"),
        None => format!("{} =>", key.inspect()),
    }
}

fn event(event: &HostEvent) -> Vec<String> {
    let arguments = |from: usize| {
        let rest = event.arguments.get(from..).unwrap_or_default();
        let rest = rest.iter().map(Value::inspect);
        rest.collect::<Vec<_>>().join(", ")
    };
    let call = format!("{}({})", event.name, arguments(0));
    let error = || event.error.as_ref().map(raised).unwrap_or_default();
    let text = match (event.kind.as_str(), &*event.arguments) {
        ("log" | "library", [text]) => format!("{}: {}", event.name, text.to_text()),
        ("log", [titles, text]) => {
            format!("{}: {}: {}", event.name, titles.to_text(), text.to_text())
        }
        ("open", _) => format!("{call} begins"),
        ("done", _) => format!("{call} ends"),
        ("failed", _) => format!("{call} fails: {}", error()),
        ("refused", _) => format!("{} raises: {}", event.name, error()),
        ("puppet", [text]) => format!("Puppet.{}: {}", event.name, text.to_text()),
        ("log" | "action", _) => call,
        (kind, _) => format!("{kind}: {call}"),
    };
    text.lines().map(str::to_owned).collect()
}

fn raised(failure: &Failure) -> String {
    match &failure.class {
        Some(class) => format!("{class}: {}", failure.message),
        None => failure.message.clone(),
    }
}
