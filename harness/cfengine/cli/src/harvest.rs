//! Finds attribute names in a module's source and in its messages.

use cfengine_protocol::Session;
use cfengine_protocol::wire::Request;
use std::collections::BTreeSet;
use stickler_judge::AnySession;
use stickler_suite::config::Config;
use stickler_transcript::Variation;

/// How many bytes of a source file are read.
const SOURCE: usize = 1 << 20;
/// How many names are shown.
const MOST: usize = 24;

/// Names in places where modules name attributes. These are guesses, which the author may keep or
/// delete.
pub fn attribute_names(config: &Config, sessions: &[AnySession]) -> Vec<String> {
    let source = config
        .subject
        .path
        .as_ref()
        .and_then(|path| std::fs::read(config.dir.join(path)).ok())
        .unwrap_or_default();
    let source = String::from_utf8_lossy(&source[..source.len().min(SOURCE)]).into_owned();
    let mut names = Vec::new();
    for name in from_source(&source)
        .into_iter()
        .chain(from_logs(sessions.iter().map(AnySession::typed)))
    {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    // It is no attribute of promises; every module that advertises it names it.
    names.retain(|name| name != "action_policy");
    names.truncate(MOST);
    names
}

/// Names for which a session's error messages ask.
pub fn asked_for(session: &Session) -> Vec<String> {
    let mut names = from_logs([session].into_iter());
    names.retain(|name| name != "action_policy");
    names
}

/// The text right before an attribute's name in quotes.
const LEADS: &[&str] = &[
    "add_attribute(",
    "attributes[",
    "attributes.get(",
    "attributes.pop(",
    "attribute(",
    "required_attribute ",
    "optional_attribute ",
    "required_attribute(",
    "optional_attribute(",
    "attributes.contains_key(",
];

fn from_source(source: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut take = |name: &str| {
        if is_name(name) && !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    };
    for lead in LEADS {
        for (at, _) in source.match_indices(lead) {
            let rest = source[at + lead.len()..].trim_start();
            if let Some(quote) = rest.chars().next().filter(|c| *c == '"' || *c == '\'')
                && let Some(name) = rest[1..].split(quote).next()
            {
                take(name);
            }
        }
    }
    // Tests such as `"repo" in attributes` and `"repo" not in attributes`.
    for (at, _) in source.match_indices(" in attributes") {
        let before = source[..at].trim_end();
        let before = before.strip_suffix("not").unwrap_or(before).trim_end();
        if let Some(quote) = before.chars().last().filter(|c| *c == '"' || *c == '\'') {
            let inner = &before[..before.len() - 1];
            if let Some(start) = inner.rfind(quote) {
                take(&inner[start + 1..]);
            }
        }
    }
    // Lists in the style of the public shell library: `required_attributes="name uid"`.
    for lead in ["required_attributes=", "optional_attributes="] {
        for (at, _) in source.match_indices(lead) {
            let rest = &source[at + lead.len()..];
            let end = match rest.chars().next() {
                Some('"') => '"',
                Some('\'') => '\'',
                Some('(') => ')',
                _ => continue,
            };
            if let Some(words) = rest[1..].split([end, '\n']).next() {
                words
                    .split_whitespace()
                    .for_each(|word| take(word.trim_matches(['"', '\''])));
            }
        }
    }
    for (at, _) in source.match_indices("attribute_") {
        let rest = &source[at + "attribute_".len()..];
        let name: String = rest
            .chars()
            .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
            .collect();
        // In the line protocol it is a key; elsewhere it may be any word.
        if rest[name.len()..].starts_with(['=', ')', '"', '\'']) {
            take(&name);
        }
    }
    names
}

/// Quoted words in the error messages of validations.
fn from_logs<'s>(sessions: impl Iterator<Item = &'s Session>) -> Vec<String> {
    let mut names = BTreeSet::new();
    for (session, exchange) in sessions.flat_map(|session| {
        session
            .validations()
            .map(move |exchange| (session, exchange))
    }) {
        // Hard text in a variant is also quoted, but it is no name.
        let plain = session
            .item(exchange)
            .is_some_and(|promise| promise.original || promise.variation == Some(Variation::Probe));
        if !plain {
            continue;
        }
        for (level, message) in exchange.logs() {
            if level != b"error" {
                continue;
            }
            let text = String::from_utf8_lossy(message);
            if !text.to_ascii_lowercase().contains("attribute") {
                continue;
            }
            for word in text.split(['\'', '"', '`']).skip(1).step_by(2) {
                let request = exchange.request.as_ref();
                if is_name(word) && !request.is_some_and(|request| holds(request, word)) {
                    names.insert(word.to_owned());
                }
            }
        }
    }
    names.into_iter().collect()
}

/// Does a request contain this text? Then a message that quotes it names no new attribute. The
/// promise type does not count: an attribute may have the same name.
fn holds(request: &Request, word: &str) -> bool {
    let word = word.as_bytes();
    let mut attributes = request.attributes.iter().flatten();
    request.promiser.as_deref() == Some(word)
        || attributes.any(|(name, value)| name == word || value.words().contains(&word))
}

fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= 40
        && text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
