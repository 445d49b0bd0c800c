//! # Every request has exactly one answer, and nothing is sent unasked
//!
//! ## What it requires
//! For each request a module sends one message, and none without a request.
//!
//! ## Why
//! The agent takes the next message for the answer to its next request. One
//! message too many, even an empty line, and every later answer is taken for
//! that of another promise.
//!
//! ## How it is judged
//! On everything that is printed between a request and the next one. Counted
//! are answers, log lines and empty lines beyond the one answer, also log lines
//! that an empty line parts from their answer. Free text is PM203. What comes
//! after the end of input, where nobody reads any more, and what comes after a
//! broken request is not counted. Once a process has sent a message too many, no
//! other rule judges its answers: they may belong to other requests.
//!
//! ## Example
//! ```text
//! ← {"operation": "validate_promise", "result": "valid"}
//! ←
//! ←
//! ```
//! The second empty line is an empty answer to the request that follows.
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol" (one response for each request).
//! cf-agent 3.21.0 does not notice and goes on with shifted answers.

use crate::phase;
use crate::output::{Kind, Part, after_broken, counted, parts};
use crate::session::Session;
use crate::wire::header::Protocol;
use crate::words::{cut, visible};
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for exchange in &session.exchanges {
        if !exchange.owed || exchange.message.is_none() || after_broken(session, exchange) {
            continue;
        }
        let protocol = session.protocol(exchange).unwrap_or(Protocol::Line);
        let output = counted(session, exchange);
        let broken = if exchange.phase == phase::HEADER {
            let after = exchange.header().map_or(0, |header| header.len);
            // Empty lines right after a header are PM101.
            let rest = parts(output.get(after..).unwrap_or_default(), protocol);
            rest.iter()
                .find(|part| !matches!(part.kind, Kind::Text | Kind::Empty))
                .map(|part| unasked(part))
        } else {
            surplus(&parts(output, protocol))
        };
        let Some((message, quote)) = broken else {
            ledger.pass(exchange.number);
            continue;
        };
        let mut finding = ledger
            .finding(exchange.number, message)
            .expected("one answer for each request")
            .graded(exchange.provenance);
        if !quote.is_empty() {
            finding = finding.quote(quote);
        }
        ledger.report(finding);
    }
}

type Surplus<'e> = Option<(String, &'e [u8])>;

/// What there is beyond one answer. Printed text is PM203, with the empty lines
/// in it.
fn surplus<'e>(parts: &[Part<'e>]) -> Surplus<'e> {
    let printed = |parts: &[Part<'_>]| parts.iter().any(|part| part.printed);
    let answer = parts.iter().position(|part| part.kind == Kind::Answer);
    let (before, rest) = parts.split_at(answer.unwrap_or_default());
    if !printed(before) && !rest.first().is_some_and(|answer| answer.printed) {
        if before.iter().any(|part| part.kind != Kind::Empty) {
            let message = "an empty line parts log lines from their answer: two messages";
            return Some((message.into(), &[]));
        }
        if !before.is_empty() {
            return Some(("an empty line before the answer".into(), &[]));
        }
    }
    let (first, after) = rest.split_first()?;
    if first.kind == Kind::Empty {
        return Some(("an empty line instead of an answer".into(), &[]));
    }
    let extra = after.iter().find(|part| match part.kind {
        Kind::Text => false,
        Kind::Empty => !printed(rest),
        Kind::Answer | Kind::Logs | Kind::Pairs => true,
    })?;
    Some(if extra.kind == Kind::Empty {
        ("one empty line too many after the answer".into(), &[])
    } else {
        unasked(extra)
    })
}

fn unasked<'e>(part: &Part<'e>) -> (String, &'e [u8]) {
    let line = part
        .bytes
        .split(|byte| *byte == b'\n')
        .next()
        .unwrap_or_default();
    let text = cut(&visible(line), 80);
    let what = match part.kind {
        Kind::Answer => format!("a second answer: `{text}`"),
        _ => format!("sent without being asked: `{text}`"),
    };
    (what, line)
}
