//! # Every request gets exactly one answer, and the module sends nothing unasked
//!
//! ## What it requires
//! The module sends one message for each request, and none without a request.
//!
//! ## Why
//! The agent takes the next message as the answer to its next request. After one extra
//! message, even an empty line, every later answer goes to the wrong promise.
//!
//! ## How it is judged
//! - Judged: all output between a request and the next one: a second answer; extra log lines
//!   or empty lines; an empty line between log lines and their answer.
//! - Not judged: free text (PM203); output after the end of input or after a broken request.
//!   After an extra message, no other rule judges the answers of the process.
//!
//! ## Example
//! A module prints two empty lines after an answer: the second one is an empty answer to the
//! next request.
//!
//! ## How to fix
//! End each answer in one function, which prints exactly one empty line:
//! - Python: `print(text + "\n")` or `sys.stdout.write(text + "\n\n")`; `print` adds a
//!   newline.
//! - Shell: `printf 'operation=%s\nresult=%s\n\n' "$operation" "$result"`, once for each
//!   request.
//!
//! Print log lines before the answer, with no empty line after them. Print nothing at start
//! or exit.
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol" (one response for each request). cf-agent does
//! not notice and continues with shifted answers.

use crate::output::{Kind, Part, after_broken, counted, parts};
use crate::phase;
use crate::reads::ANSWERS_AND_SILENCE;
use crate::session::Session;
use crate::wire::header::Protocol;
use crate::words::{cut, visible};
use stickler_judge::{Check, Defect, Ledger, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(ANSWERS_AND_SILENCE, check)];

/// A second answer.
const SECOND: Variant = Variant::new("second-answer");
/// Log lines or others, without a request.
const UNASKED: Variant = Variant::new("unasked");
/// An empty line between log lines and the answer.
const SPLIT: Variant = Variant::new("split-answer");
/// An empty line before the answer.
const EMPTY_BEFORE: Variant = Variant::new("empty-line-before");
/// More than one empty line after the answer.
const EMPTY_AFTER: Variant = Variant::new("empty-line-after");

fn check(session: &Session, ledger: &mut Ledger) {
    for exchange in &session.exchanges {
        if !exchange.owed || exchange.message.is_none() || after_broken(session, exchange) {
            continue;
        }
        let protocol = session.protocol(exchange).unwrap_or(Protocol::Line);
        let output = counted(session, exchange);
        let broken = if exchange.phase == phase::HEADER {
            let after = exchange.header().map_or(0, |header| header.len);
            // PM101 reports empty lines right after a header.
            let rest = parts(output.get(after..).unwrap_or_default(), protocol);
            rest.iter()
                .find(|part| !matches!(part.kind, Kind::Text | Kind::Empty))
                .map(|part| unasked(part))
        } else {
            surplus(&parts(output, protocol))
        };
        let Some((defect, quote)) = broken else {
            ledger.pass(exchange.number);
            continue;
        };
        let mut finding = ledger
            .finding(exchange.number, defect)
            .expected("one answer for each request")
            .graded(exchange.provenance);
        if !quote.is_empty() {
            finding = finding.quote(quote);
        }
        ledger.report(finding);
    }
}

type Surplus<'e> = Option<(Defect, &'e [u8])>;

/// What the output contains beyond one answer. PM203 reports printed text and the
/// empty lines in it.
fn surplus<'e>(parts: &[Part<'e>]) -> Surplus<'e> {
    let printed = |parts: &[Part<'_>]| parts.iter().any(|part| part.printed);
    let answer = parts.iter().position(|part| part.kind == Kind::Answer);
    let (before, rest) = parts.split_at(answer.unwrap_or_default());
    if !printed(before) && !rest.first().is_some_and(|answer| answer.printed) {
        if before.iter().any(|part| part.kind != Kind::Empty) {
            let message =
                "an empty line separates log lines from their answer: these are two messages";
            return Some((SPLIT.says(message), &[]));
        }
        if !before.is_empty() {
            return Some((EMPTY_BEFORE.says("an empty line before the answer"), &[]));
        }
    }
    let (first, after) = rest.split_first()?;
    if first.kind == Kind::Empty {
        return Some((EMPTY_BEFORE.says("an empty line instead of an answer"), &[]));
    }
    let extra = after.iter().find(|part| match part.kind {
        Kind::Text => false,
        Kind::Empty => !printed(rest),
        Kind::Answer | Kind::Logs | Kind::Pairs => true,
    })?;
    Some(if extra.kind == Kind::Empty {
        (
            EMPTY_AFTER.says("one empty line too many after the answer"),
            &[],
        )
    } else {
        unasked(extra)
    })
}

fn unasked<'e>(part: &Part<'e>) -> (Defect, &'e [u8]) {
    let line = part
        .bytes
        .split(|byte| *byte == b'\n')
        .next()
        .unwrap_or_default();
    let text = cut(&visible(line), 80);
    let what = match part.kind {
        Kind::Answer => SECOND.says(format!("a second answer: `{text}`")),
        _ => UNASKED.says(format!("sent without a request: `{text}`")),
    };
    (what, line)
}
