//! Log messages, as rules about results read them.

use crate::ending::out_of_step;
use crate::phase;
use crate::session::{Exchange, Session};
use crate::wire::Value;
use crate::wire::request::Operation;
use crate::wire::response::{LOG_LEVELS, LogDefect, LogPlace};
use crate::words::visible;
use stickler_transcript::Phase;

/// The level that a spelling means to the agent, which accepts any case and any abbreviation. PM501
/// judges the spelling.
pub(crate) fn meant(level: &[u8]) -> Option<&'static str> {
    let level = level.to_ascii_lowercase();
    if level.is_empty() {
        return None;
    }
    // Agents also take words that begin with a level's name for that level.
    LOG_LEVELS.into_iter().find(|known| {
        known.as_bytes().starts_with(&level) || level.starts_with(b"inform") && *known == "info"
    })
}

/// Does the answer have a log message that means one of these levels?
pub(crate) fn has(exchange: &Exchange, levels: &[&str]) -> bool {
    find(exchange, levels).is_some()
}

/// The text of the first log message that means one of these levels.
pub(crate) fn find<'e>(exchange: &'e Exchange, levels: &[&str]) -> Option<&'e [u8]> {
    exchange
        .logs()
        .find(|(level, _)| meant(level).is_some_and(|level| levels.contains(&level)))
        .map(|(_, message)| message)
}

/// Can the levels of all log messages be read? If not, PM508 judges the missing level.
pub(crate) fn legible(exchange: &Exchange) -> bool {
    let broken = |defect: &LogDefect| {
        matches!(
            defect,
            LogDefect::NotAList(_)
                | LogDefect::NotAnObject(_)
                | LogDefect::LevelMissing
                | LogDefect::LevelNotText(_)
        )
    };
    exchange.response.as_ref().is_some_and(|response| {
        !response
            .logs
            .iter()
            .filter(|log| log.place == LogPlace::Embedded)
            .any(|log| log.malformed.as_ref().is_some_and(broken))
    })
}

/// Answers to requests of a phase whose content rules judge. After an extra message, answers that
/// may belong to an earlier request are left out.
pub(crate) fn own(session: &Session, phase: Phase) -> impl Iterator<Item = &Exchange> {
    session
        .answered(phase)
        .filter(|exchange| is_own(session, exchange))
}

/// Like [`own`], for all three operations.
pub(crate) fn all_own(session: &Session) -> impl Iterator<Item = &Exchange> {
    session
        .responses()
        .map(|(exchange, _)| exchange)
        .filter(|exchange| exchange.phase != Phase::OTHER && is_own(session, exchange))
}

fn is_own(session: &Session, exchange: &Exchange) -> bool {
    let operation = match exchange.phase {
        phase::VALIDATE => Operation::Validate,
        phase::EVALUATE => Operation::Evaluate,
        phase::TERMINATE => Operation::Terminate,
        _ => return true,
    };
    let answered = exchange
        .response
        .as_ref()
        .and_then(|response| response.operation.text())
        .map(Operation::from_bytes);
    // Only the name of another operation proves that the answer belongs to another request.
    match answered {
        Some(Operation::Validate | Operation::Evaluate | Operation::Terminate) => {
            answered == Some(operation)
        }
        // It may be a part of an answer to another request.
        _ => !out_of_step(session, exchange),
    }
}

/// The texts of a request that a message may quote.
pub(crate) fn quotable(exchange: &Exchange) -> Vec<&[u8]> {
    let mut texts = Vec::new();
    if let Some(request) = &exchange.request {
        texts.extend(request.promiser.as_deref());
        texts.extend(request.filename.as_deref());
        texts.extend(request.promise_type.as_deref());
        texts.extend(request.log_level.as_deref());
        for (name, value) in request.attributes.iter().flatten() {
            texts.push(name);
            collect(value, &mut texts);
        }
        for (name, value) in &request.extra {
            texts.push(name);
            collect(value, &mut texts);
        }
    }
    texts
}

/// The texts of a promise, with words that say where each comes from.
pub(crate) fn sources(exchange: &Exchange) -> Vec<(String, &[u8])> {
    let mut sources = Vec::new();
    let Some(request) = &exchange.request else {
        return sources;
    };
    sources.extend(
        request
            .promiser
            .as_deref()
            .map(|text| ("the promiser".to_owned(), text)),
    );
    for (name, value) in request.attributes.iter().flatten() {
        let words = || format!("attribute `{}`", visible(name));
        sources.push((words(), name));
        let mut texts = Vec::new();
        collect(value, &mut texts);
        sources.extend(texts.into_iter().map(|text| (words(), text)));
    }
    sources
}

fn collect<'v>(value: &'v Value, texts: &mut Vec<&'v [u8]>) {
    match value {
        Value::Text(text) => texts.push(text),
        Value::List(items) => items.iter().for_each(|item| collect(item, texts)),
        Value::Object(members) => {
            for (name, value) in members {
                texts.push(name);
                collect(value, texts);
            }
        }
        Value::Number(_) | Value::Bool(_) | Value::Null => {}
    }
}

/// Does the request ask for warnings instead of changes?
pub(crate) fn only_warns(exchange: &Exchange) -> bool {
    exchange
        .request
        .as_deref()
        .is_some_and(crate::wire::request::Request::only_warns)
}
