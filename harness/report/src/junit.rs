//! JUnit's XML: one suite, one test case per rule. A test fails if its rule fails the run; all else
//! is in its output.

use crate::line::Line;
use crate::text::visible;
use crate::words::{finite, hints, message, reason};
use crate::{Options, ReportError, block, summary};
use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus, TestSuite};
use std::io;
use std::time::Duration;
use stickler_judge::{Report, Reported, Verdict};

pub(crate) fn render(
    report: &Report,
    options: &Options,
    sink: &mut dyn io::Write,
) -> Result<(), ReportError> {
    let options = options.plain();
    let subject = visible(&report.subject);
    let time = Duration::try_from_secs_f64(finite(report.seconds)).unwrap_or_default();
    let mut suite = TestSuite::new(&*subject);
    suite.set_time(time);
    suite.add_property(("seed", report.seed.to_string().as_str()));
    suite.add_property(("exchanges", report.exchanges.to_string().as_str()));
    suite.add_property(("sessions", report.sessions.to_string().as_str()));
    for fact in &report.facts {
        suite.add_property(("fact", &*visible(fact)));
    }
    for outcome in grouped(&report.outcomes) {
        suite.add_test_case(case(outcome, report, &options));
    }
    let mut said = vec![summary::text(report, false)];
    said.extend(summary::verdict(report).map(str::to_owned));
    said.extend(hints(report).map(str::to_owned));
    let said: Vec<_> = said.iter().map(|text| visible(text)).collect();
    suite.set_system_out(said.join("\n"));
    let mut file = quick_junit::Report::new("stickler");
    file.set_time(time);
    file.add_test_suite(suite);
    file.serialize(sink)?;
    Ok(())
}

/// The outcomes in their order, but what follows from another one directly after it.
fn grouped(outcomes: &[Reported]) -> Vec<&Reported> {
    let place = |code: &String| outcomes.iter().position(|one| one.code == *code);
    let mut all: Vec<(usize, &Reported)> = outcomes.iter().enumerate().collect();
    all.sort_by_key(
        |(at, one)| match one.explained_by.as_ref().and_then(place) {
            Some(cause) => (cause, true),
            None => (*at, false),
        },
    );
    all.into_iter().map(|(_, one)| one).collect()
}

fn case(outcome: &Reported, report: &Report, options: &Options) -> TestCase {
    let name = visible(&outcome.title);
    let name = format!("{}: {name}", visible(&outcome.code));
    let mut out = None;
    let status = match outcome.verdict {
        Verdict::Pass => {
            out = summary::fewer(outcome);
            TestCaseStatus::success()
        }
        _ if outcome.fails(report.strict) => failure(outcome, options),
        Verdict::Fail | Verdict::Flaky | Verdict::Xpass | Verdict::Advice => {
            let (label, _) = block::label(outcome, report.strict);
            let note = if outcome.verdict == Verdict::Advice {
                ""
            } else {
                ", counts only with --strict"
            };
            let head = format!(
                "{label} ({}{note}): {}",
                outcome.level.name(),
                visible(message(outcome))
            );
            out = Some(format!("{head}\n{}", detail(outcome, options)));
            TestCaseStatus::success()
        }
        Verdict::Xfail => skipped("known failure", reason(outcome, "no reason given")),
        Verdict::Waived => skipped("waived", reason(outcome, "no reason given")),
        Verdict::NotExercised => skipped("not exercised", reason(outcome, "no session tests this")),
        Verdict::Skipped => match &outcome.explained_by {
            Some(cause) => skipped(
                &format!("follows from {}", visible(cause)),
                reason(outcome, "no reason given"),
            ),
            None => skipped("skipped", reason(outcome, "no reason given")),
        },
    };
    let mut case = TestCase::new(name, status);
    case.set_classname(&*visible(&report.subject));
    if !report.location.is_empty() {
        let file = visible(&report.location);
        case.extra.insert("file".into(), (&*file).into());
    }
    if let Some(out) = out {
        case.set_system_out(out);
    }
    case
}

fn failure(outcome: &Reported, options: &Options) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    status.set_type(match outcome.verdict {
        Verdict::Flaky => "flaky",
        Verdict::Xpass => "xpass",
        _ => outcome.level.name(),
    });
    status.set_message(&*visible(message(outcome)));
    status.set_description(detail(outcome, options));
    status
}

fn skipped(kind: &str, why: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::skipped();
    status.set_type(kind);
    status.set_message(format!("{kind}: {}", visible(why)));
    status
}

fn detail(outcome: &Reported, options: &Options) -> String {
    let lines = block::details(outcome, options);
    let texts: Vec<String> = lines.iter().map(Line::text).collect();
    let mut text = texts.join("\n");
    text.push('\n');
    text
}
