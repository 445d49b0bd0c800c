//! A badge, as the endpoint schema of shields.io describes it.

use crate::ReportError;
use crate::text::escape_json;
use crate::words::thousands;
use serde::Serialize;
use std::io;
use stickler_judge::{Exit, Report};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Badge {
    schema_version: u32,
    label: &'static str,
    message: String,
    color: &'static str,
}

pub(crate) fn render(report: &Report, sink: &mut dyn io::Write) -> Result<(), ReportError> {
    let (message, color) = says(report);
    let badge = Badge {
        schema_version: 1,
        label: "stickler",
        message,
        color,
    };
    writeln!(sink, "{}", escape_json(&serde_json::to_string(&badge)?))?;
    Ok(())
}

/// What the badge says, and its colour.
fn says(report: &Report) -> (String, &'static str) {
    let totals = report.totals();
    let broken = report.outcomes.iter();
    let broken = broken.filter(|outcome| outcome.fails(report.strict));
    match report.exit() {
        Exit::Findings => (format!("{} failed", thousands(broken.count())), "red"),
        Exit::Success if totals.fail + totals.flaky > 0 => {
            let passed = thousands(totals.pass);
            let less = thousands(totals.fail + totals.flaky);
            (format!("{passed} passed, {less} should"), "yellow")
        }
        Exit::Success => (format!("{} passed", thousands(totals.pass)), "brightgreen"),
        Exit::NothingExercised => ("nothing exercised".to_owned(), "lightgrey"),
        _ => ("interrupted".to_owned(), "lightgrey"),
    }
}
