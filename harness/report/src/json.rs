//! JSON Lines: one object per rule, then one for the run. The schema is published; new versions
//! only add keys.

use crate::ReportError;
use crate::text::escape_json;
use crate::words::finite;
use serde::Serialize;
use std::io;
use stickler_judge::{ExcerptLine, Found, Level, Report, Reported, Totals, Variant, Verdict};

/// The JSON Schema (2020-12) of one line of the format.
pub fn json_schema() -> &'static str {
    include_str!("../../../docs/schema/check.schema.json")
}

#[derive(Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum Event<'r> {
    Rule(RuleEvent<'r>),
    Summary(SummaryEvent<'r>),
}

#[derive(Serialize)]
struct RuleEvent<'r> {
    rule: &'r str,
    level: Level,
    verdict: Verdict,
    cases: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reproducer: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    explained_by: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    follows: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    not_held: Option<usize>,
    title: &'r str,
    findings: Vec<FoundEvent<'r>>,
}

#[derive(Serialize)]
struct FoundEvent<'r> {
    level: Level,
    #[serde(skip_serializing_if = "Variant::is_only")]
    variant: Variant,
    message: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<&'r str>,
    case: &'r str,
    context: &'r str,
    excerpt: &'r [ExcerptLine],
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<&'r str>,
    more: usize,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    others: &'r [String],
}

#[derive(Serialize)]
struct SummaryEvent<'r> {
    #[serde(flatten)]
    totals: Totals,
    judged: usize,
    exchanges: usize,
    sessions: usize,
    seconds: f64,
    seed: u64,
    exit: u8,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    interrupted: bool,
    subject: &'r str,
    hints: &'r [String],
}

impl<'r> From<&'r Found> for FoundEvent<'r> {
    fn from(found: &'r Found) -> Self {
        FoundEvent {
            level: found.level,
            variant: found.variant,
            message: &found.message,
            expected: found.expected.as_deref(),
            case: &found.case,
            context: &found.context,
            excerpt: &found.excerpt,
            agent: found.agent.as_deref(),
            more: found.more,
            others: &found.others,
        }
    }
}

impl<'r> From<&'r Reported> for Event<'r> {
    fn from(outcome: &'r Reported) -> Self {
        Event::Rule(RuleEvent {
            rule: &outcome.code,
            level: outcome.level,
            verdict: outcome.verdict,
            cases: outcome.cases,
            message: outcome.message.as_deref(),
            reproducer: outcome.reproducer.as_deref(),
            explained_by: outcome.explained_by.as_deref(),
            follows: outcome.explained_by.as_deref(),
            not_held: Some(outcome.not_held).filter(|number| *number > 0),
            title: &outcome.title,
            findings: outcome.findings.iter().map(FoundEvent::from).collect(),
        })
    }
}

impl<'r> From<&'r Report> for Event<'r> {
    fn from(report: &'r Report) -> Self {
        Event::Summary(SummaryEvent {
            totals: report.totals(),
            judged: report.judged(),
            exchanges: report.exchanges,
            sessions: report.sessions,
            seconds: finite(report.seconds),
            seed: report.seed,
            exit: report.exit() as u8,
            interrupted: report.interrupted,
            subject: &report.subject,
            hints: &report.hints,
        })
    }
}

pub(crate) fn render(report: &Report, sink: &mut dyn io::Write) -> Result<(), ReportError> {
    let events = report.outcomes.iter().map(Event::from);
    for event in events.chain([Event::from(report)]) {
        let line = serde_json::to_string(&event)?;
        writeln!(sink, "{}", escape_json(&line))?;
    }
    Ok(())
}
