//! SARIF 2.1.0: all rules with their manual pages, a result for each kind of finding, and
//! suppressed results for declared failures.

use crate::ReportError;
use crate::text::{escape_json, visible};
use crate::words::{level, message};
use serde_json::{Value, json};
use serde_sarif::sarif::{
    ArtifactLocation, Invocation, Location, Message, MultiformatMessageString, PhysicalLocation,
    PropertyBag, ReportingDescriptor, Result as SarifResult, ResultKind, ResultLevel, Run,
    SCHEMA_URL, Sarif, Suppression, Tool, ToolComponent,
};
use std::collections::BTreeMap;
use std::io;
use stickler_judge::{Exit, Found, Level, Outcome, Report, Verdict};

/// The name and version of the fingerprint.
const FINGERPRINT: &str = "stickler/v1";

pub(crate) fn render(report: &Report, sink: &mut dyn io::Write) -> Result<(), ReportError> {
    let driver = ToolComponent::builder()
        .name("stickler")
        .semantic_version(env!("CARGO_PKG_VERSION"))
        .information_uri(env!("CARGO_PKG_REPOSITORY"))
        .rules(
            (report.outcomes.iter())
                .map(|outcome| descriptor(report.rules_page, outcome))
                .collect::<Vec<_>>(),
        )
        .build();
    let results: Vec<SarifResult> = report
        .outcomes
        .iter()
        .enumerate()
        .flat_map(|(index, outcome)| results(index, outcome, report))
        .collect();
    let exit = report.exit();
    let invocation = Invocation::builder()
        .execution_successful(exit != Exit::Harness)
        .exit_code(exit as i64)
        .build();
    let run = Run::builder()
        .tool(Tool::builder().driver(driver).build())
        .invocations(vec![invocation])
        .results(results)
        .properties(bag([
            ("subject", json!(visible(&report.subject))),
            (
                "facts",
                report.facts.iter().map(|fact| visible(fact)).collect(),
            ),
            ("seed", json!(report.seed)),
            ("exchanges", json!(report.exchanges)),
            ("sessions", json!(report.sessions)),
        ]))
        .build();
    let log = Sarif::builder()
        .schema(SCHEMA_URL)
        .version(json!("2.1.0"))
        .runs(vec![run])
        .build();
    let text = serde_json::to_string_pretty(&log)?;
    writeln!(sink, "{}", escape_json(&text))?;
    Ok(())
}

fn bag<const N: usize>(values: [(&str, Value); N]) -> PropertyBag {
    let values: BTreeMap<String, Value> = values
        .into_iter()
        .map(|(key, value)| (key.to_owned(), value))
        .collect();
    PropertyBag::builder().additional_properties(values).build()
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

fn descriptor(page: &str, outcome: &Outcome) -> ReportingDescriptor {
    let title = visible(&outcome.title).into_owned();
    let help = if outcome.page.is_empty() {
        &outcome.title
    } else {
        &outcome.page
    };
    ReportingDescriptor::builder()
        .id(&outcome.code)
        .short_description(MultiformatMessageString::builder().text(title).build())
        .help(
            MultiformatMessageString::builder()
                .text(help)
                .markdown(help)
                .build(),
        )
        .help_uri(page_address(page, &outcome.code))
        .properties(bag([
            ("verdict", json!(outcome.verdict.name())),
            ("cases", json!(outcome.cases)),
        ]))
        .build()
}

fn results(index: usize, outcome: &Outcome, report: &Report) -> Vec<SarifResult> {
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
    outcome: &Outcome,
    report: &Report,
    worst: Level,
    what: &str,
    found: Option<&Found>,
) -> SarifResult {
    let mut text = what.to_owned();
    if let Some(expected) = found.and_then(|found| found.expected.as_ref()) {
        text = format!("{text}; expected {expected}");
    }
    let location = Location::builder().physical_location(
        PhysicalLocation::builder()
            .artifact_location(
                ArtifactLocation::builder()
                    .uri(uri(&report.location))
                    .build(),
            )
            .build(),
    );
    let fingerprint = fingerprint(&outcome.code, what);
    let mut result = SarifResult::builder()
        .rule_id(&outcome.code)
        .rule_index(i64::try_from(index).unwrap_or(-1))
        .kind(ResultKind::Fail)
        .level(match worst {
            Level::Must => ResultLevel::Error,
            Level::Should => ResultLevel::Warning,
            Level::May => ResultLevel::Note,
        })
        .message(Message::builder().text(linkless(&text)).build())
        .partial_fingerprints(BTreeMap::from([(FINGERPRINT.to_owned(), fingerprint)]))
        .build();
    if !report.location.is_empty() {
        result.locations = Some(vec![location.build()]);
    }
    let mut properties = vec![
        ("level", json!(level(worst))),
        ("verdict", json!(outcome.verdict.name())),
    ];
    if let Some(found) = found {
        result.occurrence_count = i64::try_from(found.more.saturating_add(1)).ok();
        if let Some(agent) = &found.agent {
            properties.push(("agent", json!(visible(agent))));
        }
        properties.push(("case", json!(visible(&found.case))));
        properties.push(("context", json!(visible(&found.context))));
        let lines: Vec<String> = found.excerpt.iter().map(crate::words::flat).collect();
        properties.push(("excerpt", lines.iter().map(|line| visible(line)).collect()));
    }
    let first = found.is_none() || outcome.findings.first() == found;
    if let Some(reproducer) = outcome.reproducer.as_deref().filter(|_| first) {
        properties.push(("reproducer", json!(visible(reproducer))));
    }
    let properties = properties
        .into_iter()
        .map(|(key, value)| (key.to_owned(), value));
    result.properties = Some(
        PropertyBag::builder()
            .additional_properties(properties.collect::<BTreeMap<_, _>>())
            .build(),
    );
    result.suppressions = Some(suppressions(outcome));
    result
}

/// An empty list says that nothing is suppressed.
fn suppressions(outcome: &Outcome) -> Vec<Suppression> {
    if !matches!(outcome.verdict, Verdict::Xfail | Verdict::Waived) {
        return Vec::new();
    }
    let why = outcome.message.as_deref().unwrap_or(outcome.verdict.name());
    vec![
        Suppression::builder()
            .kind(json!("external"))
            .status(json!("accepted"))
            .justification(visible(why))
            .build(),
    ]
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
