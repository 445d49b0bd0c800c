//! SARIF 2.1.0: all rules with their manual pages, a result for each kind of finding, and
//! suppressed results for declared failures.

use crate::ReportError;
use crate::source::source;
use crate::text::{escape_json, visible};
use crate::words::message;
use serde_json::{Map, Value, json};
use std::io;
use stickler_judge::{Exit, Found, Level, Report, Reported, Verdict};

/// The name and version of the fingerprint.
const FINGERPRINT: &str = "stickler/v1";

/// The schema of the format.
const SCHEMA: &str = "https://schemastore.azurewebsites.net/schemas/json/sarif-2.1.0.json";

// The keys of all objects are sorted.

pub(crate) fn render(report: &Report, sink: &mut dyn io::Write) -> Result<(), ReportError> {
    let outcomes = report.outcomes.iter();
    let rules = outcomes
        .clone()
        .map(|one| descriptor(report.rules_page, one, &report.pages.of(one)));
    let all = outcomes.enumerate();
    let results = all.flat_map(|(index, outcome)| results(index, outcome, report));
    let exit = report.exit();
    let log = json!({
        "$schema": SCHEMA,
        "runs": [{
            "invocations": [{
                "executionSuccessful": exit != Exit::Harness,
                "exitCode": exit as i64,
            }],
            "properties": {
                "exchanges": report.exchanges,
                "facts": report.facts.iter().map(|fact| visible(fact)).collect::<Value>(),
                "seed": report.seed,
                "sessions": report.sessions,
                "subject": visible(&report.subject),
            },
            "results": results.collect::<Value>(),
            "tool": {
                "driver": {
                    "informationUri": env!("CARGO_PKG_REPOSITORY"),
                    "name": "stickler",
                    "rules": rules.collect::<Value>(),
                    "semanticVersion": env!("CARGO_PKG_VERSION"),
                },
            },
        }],
        "version": "2.1.0",
    });
    let text = serde_json::to_string_pretty(&log)?;
    writeln!(sink, "{}", escape_json(&text))?;
    Ok(())
}

/// The rule on a page of the repository, as of this version.
fn page_address(page: &str, code: &str) -> String {
    let files = concat!(
        env!("CARGO_PKG_REPOSITORY"),
        "/blob/v",
        env!("CARGO_PKG_VERSION")
    );
    format!("{files}/{page}#{}", code.to_ascii_lowercase())
}

fn descriptor(page: &str, outcome: &Reported, help: &str) -> Value {
    json!({
        "help": { "markdown": help, "text": help },
        "helpUri": page_address(page, &outcome.code),
        "id": outcome.code,
        "properties": { "cases": outcome.cases, "verdict": outcome.verdict.name() },
        "shortDescription": { "text": visible(&outcome.title) },
    })
}

fn results(index: usize, outcome: &Reported, report: &Report) -> Vec<Value> {
    match outcome.verdict {
        Verdict::Pass | Verdict::NotExercised | Verdict::Skipped => Vec::new(),
        // A declared failure may have no findings.
        _ if outcome.findings.is_empty() => {
            let level = if outcome.verdict == Verdict::Xpass {
                Level::Must
            } else {
                outcome.level
            };
            let text = match outcome.verdict {
                Verdict::Xfail | Verdict::Waived => &outcome.title,
                _ => message(outcome),
            };
            vec![result(index, outcome, report, level, text, None)]
        }
        _ => outcome
            .findings
            .iter()
            .map(|found| {
                result(
                    index,
                    outcome,
                    report,
                    found.level,
                    &found.message,
                    Some(found),
                )
            })
            .collect(),
    }
}

fn result(
    index: usize,
    outcome: &Reported,
    report: &Report,
    worst: Level,
    what: &str,
    found: Option<&Found>,
) -> Value {
    let mut text = what.to_owned();
    if let Some(expected) = found.and_then(|found| found.expected.as_ref()) {
        text = format!("{text}; expected {expected}");
    }
    let mut result = Map::new();
    let mut add = |key: &str, value: Value| result.insert(key.to_owned(), value);
    add("kind", json!("fail"));
    let level = match worst {
        Level::Must => "error",
        Level::Should => "warning",
        Level::May => "note",
    };
    add("level", json!(level));
    let place = match found.and_then(|found| source(report, found)) {
        Some(source) => Some(json!({
            "artifactLocation": { "uri": uri(source.file) },
            "region": { "startLine": source.line },
        })),
        None if report.location.is_empty() => None,
        None => Some(json!({ "artifactLocation": { "uri": uri(&report.location) } })),
    };
    if let Some(place) = place {
        add("locations", json!([{ "physicalLocation": place }]));
    }
    add("message", json!({ "text": linkless(&text) }));
    if let Some(found) = found {
        add("occurrenceCount", json!(found.more.saturating_add(1)));
    }
    let fingerprint = fingerprint(&outcome.code, what);
    add("partialFingerprints", json!({ FINGERPRINT: fingerprint }));
    add("properties", properties(outcome, worst, found));
    add("ruleId", json!(outcome.code));
    add("ruleIndex", json!(index));
    add("suppressions", suppressions(outcome));
    Value::Object(result)
}

fn properties(outcome: &Reported, worst: Level, found: Option<&Found>) -> Value {
    let mut properties = Map::new();
    let mut add = |key: &str, value: Value| properties.insert(key.to_owned(), value);
    if let Some(found) = found {
        if let Some(agent) = &found.agent {
            add("agent", json!(visible(agent)));
        }
        add("case", json!(visible(&found.case)));
        add("context", json!(visible(&found.context)));
        let lines: Vec<String> = found.excerpt.iter().map(crate::words::flat).collect();
        add("excerpt", lines.iter().map(|line| visible(line)).collect());
    }
    let first = found.is_none() || outcome.findings.first() == found;
    if first && !outcome.explains.is_empty() {
        let follows = crate::words::consequences(outcome).into_iter();
        let follows = follows.map(|(codes, message)| format!("{codes}: {message}"));
        add(
            "follows",
            follows.map(|text| json!(visible(&text))).collect(),
        );
    }
    add("level", json!(worst.name()));
    if let Some(reproducer) = outcome.reproducer.as_deref().filter(|_| first) {
        add("reproducer", json!(visible(reproducer)));
    }
    add("verdict", json!(outcome.verdict.name()));
    Value::Object(properties)
}

/// An empty list says that nothing is suppressed.
fn suppressions(outcome: &Reported) -> Value {
    if !matches!(outcome.verdict, Verdict::Xfail | Verdict::Waived) {
        return json!([]);
    }
    let why = outcome.message.as_deref().unwrap_or(outcome.verdict.name());
    json!([{ "justification": visible(why), "kind": "external", "status": "accepted" }])
}

/// Viewers turn `[text](target)` in messages into links, and a subject must not be able to write
/// one.
fn linkless(text: &str) -> String {
    visible(text).replace("](", "] (")
}

/// The path as a URI reference.
fn uri(path: &str) -> String {
    let mut uri = String::new();
    let first = path.split('/').next().unwrap_or_default();
    if path.starts_with('/') {
        uri.push_str("file://");
    } else if first.contains(':') {
        uri.push_str("./");
    }
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z'
            | b'a'..=b'z'
            | b'0'..=b'9'
            | b'/'
            | b'-'
            | b'.'
            | b'_'
            | b'~'
            | b':'
            | b'@'
            | b'+'
            | b',' => {
                uri.push(char::from(byte));
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

/// A hash of the rule and the message, without quoted parts and numbers: FNV-1a, 64 bits. It never
/// changes.
fn fingerprint(code: &str, message: &str) -> String {
    let words: String = message.split(['`', '"', '\'']).step_by(2).collect();
    let words = words.replace(|c: char| c.is_ascii_digit(), "");
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in code.bytes().chain([b'\n']).chain(words.bytes()) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    }
    format!("{hash:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_uris() {
        assert_eq!(uri("modules/git hub.py"), "modules/git%20hub.py");
        assert_eq!(uri("/srv/ä"), "file:///srv/%C3%A4");
        assert_eq!(uri("a:b/c"), "./a:b/c");
    }

    #[test]
    fn a_fingerprint_heeds_words_alone() {
        let one = fingerprint("PM1", "promise \"a\" took 3 s");
        assert_eq!(one, fingerprint("PM1", "promise \"b\" took 41 s"));
        assert_ne!(one, fingerprint("PM2", "promise \"a\" took 3 s"));
        // Stored by code scanning: it must not change between versions.
        assert_eq!(fingerprint("", ""), "af63c74c8601c8dd");
    }
}
