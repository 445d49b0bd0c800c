//! Hand-built reports, and a rendering of them.

#![allow(dead_code, missing_docs, unreachable_pub)]

mod reports;

pub use reports::*;
use stickler_judge::{
    Arrow, ExcerptLine, Found, Level, Pages, Places, Report, Reported, Variant, Verdict,
};
use stickler_report::{Format, Options, render};

pub fn rendered(report: &Report, format: Format, options: &Options) -> String {
    let mut out = Vec::new();
    render(report, format, options, &mut out).expect("a vector takes everything");
    String::from_utf8(out).expect("all formats are UTF-8")
}

pub fn outcome(code: &str, level: Level, verdict: Verdict, title: &str) -> Reported {
    Reported {
        code: code.to_owned(),
        title: title.to_owned(),
        level,
        verdict,
        cases: 12,
        message: None,
        findings: Vec::new(),
        places: Places::default(),
        is_confirmed: false,
        is_unheld: false,
        not_held: 0,
        reproducer: None,
        timelines: Vec::new(),
        explained_by: None,
        explains: Vec::new(),
        wanted: None,
    }
}

/// The manual pages of rules.
pub fn pages() -> Pages {
    Pages::new(|outcome| format!("# {}\n\n## Why\n\nBecause.\n", outcome.title))
}

pub fn line(exchange: Option<usize>, arrow: Arrow, text: &str) -> ExcerptLine {
    ExcerptLine {
        exchange,
        arrow,
        text: text.to_owned(),
        mark: None,
        note: None,
    }
}

pub fn found(
    level: Level,
    context: &str,
    message: &str,
    more: usize,
    excerpt: Vec<ExcerptLine>,
) -> Found {
    Found {
        level,
        variant: Variant::ONLY,
        group: "".into(),
        message: message.to_owned(),
        expected: None,
        exchange: Some(1),
        case: "again-1".to_owned(),
        context: context.to_owned(),
        excerpt,
        agent: None,
        more,
        others: Vec::new(),
    }
}

/// Gives a verdict with findings its message.
pub fn failing(mut outcome: Reported, findings: Vec<Found>) -> Reported {
    outcome.message = findings.first().map(|found| found.message.clone());
    outcome.findings = findings;
    outcome
}

pub fn because(mut outcome: Reported, reason: &str) -> Reported {
    outcome.message = Some(reason.to_owned());
    outcome
}

pub fn report(subject: &str, outcomes: Vec<Reported>) -> Report {
    Report {
        subject: subject.to_owned(),
        location: format!("modules/{subject}"),
        files: vec![format!("modules/{subject}")],
        command: format!("/usr/bin/python3 /srv/modules/{subject}"),
        began: "2026-01-02 03:04:05 UTC".to_owned(),
        rules_page: "docs/rules-promise-modules.md",
        pages: pages(),
        facts: [
            "promise-module (json_based, action_policy)",
            "python3",
            "3 examples",
            "overlay sandbox",
        ]
        .map(str::to_owned)
        .to_vec(),
        outcomes,
        exchanges: 412,
        sessions: 61,
        seconds: 2.1,
        strict: false,
        hints: Vec::new(),
        interrupted: false,
        idle: false,
        without_examples: false,
        seed: 42,
    }
}
