//! The content of an exchange, as people read it.

use cfengine_protocol::wire::json::{self, Json};
use cfengine_protocol::wire::{Encode as _, Style, Value};
use cfengine_protocol::words::{shown, visible};
use cfengine_protocol::{Exchange, Session, phase};
use stickler_suite::{LINE, Said};
use stickler_transcript::Case;

/// Shows a request as operation, promiser and attributes, and an answer as its members.
pub(crate) fn said(session: &Session, exchange: &Exchange) -> Said {
    Said {
        asked: asked(session.case(), exchange),
        answered: answered(session.case(), exchange),
    }
}

fn asked(case: &Case, exchange: &Exchange) -> Vec<String> {
    let Some(request) = &exchange.request else {
        let bytes = exchange.sent.strip_suffix(b"\n\n");
        return vec![shown(bytes.unwrap_or(&exchange.sent), case, LINE)];
    };
    let operation = visible(request.operation.as_bytes());
    if !matches!(exchange.phase, phase::VALIDATE | phase::EVALUATE) {
        return vec![operation];
    }
    let promiser = request.promiser.as_deref().unwrap_or_default();
    let mut lines = vec![format!("{operation} {}", shown(promiser, case, LINE))];
    for (name, value) in request.attributes.iter().flatten() {
        let value = match value {
            Value::Text(text) => shown(text, case, LINE),
            other => shown(&other.encode(Style::Agent), case, LINE),
        };
        lines.push(format!("  {} = {value}", visible(name)));
    }
    lines
}

fn answered(case: &Case, exchange: &Exchange) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for bytes in exchange.output.split_inclusive(|byte| *byte == b'\n') {
        let text = bytes.strip_suffix(b"\n");
        let whole = text.is_some();
        let text = text.unwrap_or(bytes);
        match json::parse(text) {
            Ok(Json::Object(members)) if whole => {
                for member in &members {
                    let key = visible(member.key.as_bytes());
                    value(&mut lines, &key, &member.value, case);
                }
            }
            _ => lines.push(stickler_suite::line_of(bytes, case)),
        }
    }
    // The empty line that ends a message is no news.
    if exchange.message == Some(exchange.output.len()) && lines.last().is_some_and(String::is_empty)
    {
        lines.pop();
    }
    lines
}

/// A member of an answer; a list of objects takes one line per object.
fn value(lines: &mut Vec<String>, key: &str, value: &Json, case: &Case) {
    let encoded = |value: &Json| shown(&value.encode(json_style()), case, LINE);
    match value {
        Json::Array(items) if items.iter().any(|item| item.as_object().is_some()) => {
            lines.push(format!("{key}:"));
            lines.extend(
                items
                    .iter()
                    .map(|item| format!("  {}", log(item, case).unwrap_or_else(|| encoded(item)))),
            );
        }
        Json::String(text) => lines.push(format!("{key}: {}", shown(text.as_bytes(), case, LINE))),
        other => lines.push(format!("{key}: {}", encoded(other))),
    }
}

/// `info: Wrote the file`, if the object is a log message and nothing else.
fn log(item: &Json, case: &Case) -> Option<String> {
    let [level, message] = item.as_object()? else {
        return None;
    };
    let text = |name: &str, member: &json::Member| match &member.value {
        Json::String(text) if member.key.as_bytes() == name.as_bytes() => {
            Some(shown(text.as_bytes(), case, LINE))
        }
        _ => None,
    };
    Some(format!(
        "{}: {}",
        text("level", level)?,
        text("message", message)?
    ))
}

fn json_style() -> Style {
    Style::Spec
}
