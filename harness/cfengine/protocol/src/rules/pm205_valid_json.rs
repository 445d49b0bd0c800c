//! # JSON: the answer is valid JSON in valid UTF-8
//!
//! ## What it requires
//! In the JSON protocol the object that answers a request is JSON as RFC 8259
//! defines it, and the whole answer, log lines too, is UTF-8.
//!
//! ## Why
//! What one parser lets pass, another refuses. A trailing comma, a raw control
//! character in a string, single quotes or bytes in another encoding break with
//! the next version of an agent, or a log collector behind it.
//!
//! ## How it is judged
//! On every answer with something in it that begins like an object. Halves of
//! surrogate pairs as escapes are grammatical. Where the request itself, as
//! agents send it, is no valid JSON for its raw control characters or bytes
//! that are no UTF-8, an answer that copies them is not held against the module.
//!
//! ## Example
//! ```text
//! ← {"operation": "evaluate_promise", "result": "kept",}
//! ← {'operation': 'evaluate_promise', 'result': 'kept'}
//! ```
//!
//! ## Source
//! CFEngine: Custom promise types, "JSON protocol"; RFC 8259. cf-agent 3.21.0
//! accepts trailing commas, raw control characters, unknown escapes and text
//! after the object, and refuses the rest.

use crate::session::{Exchange, Session};
use crate::wire::json::{self, JsonErrorKind};
use crate::wire::response::{LineKind, Response};
use crate::words::{cut, visible};
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for (exchange, response) in session.responses().filter(|(exchange, _)| exchange.owed) {
        let Some(parsed) = &response.json else {
            continue;
        };
        let broken = match parsed {
            Err(error) if excused(exchange, error.kind) => continue,
            Err(error) => Some((error.kind.to_string(), error.offset)),
            Ok(_) => bytes_outside(response, exchange).or_else(|| glued(response)),
        };
        let Some((what, offset)) = broken else {
            ledger.pass(exchange.number);
            continue;
        };
        let near = around(response, offset);
        let finding = ledger
            .finding(
                exchange.number,
                format!(
                    "the answer is no valid JSON: {what}, at `{}`",
                    cut(&visible(near), 40)
                ),
            )
            .expected("valid JSON (RFC 8259) in UTF-8")
            .quote(near)
            .graded(exchange.provenance);
        ledger.report(finding);
    }
}

/// Copied from a request that is no valid JSON in this way itself; or beyond
/// what this harness reads.
fn excused(exchange: &Exchange, kind: JsonErrorKind) -> bool {
    match kind {
        JsonErrorKind::TooDeep => true,
        JsonErrorKind::InvalidUtf8 | JsonErrorKind::ControlCharacter(_) => unclean(exchange),
        _ => false,
    }
}

fn unclean(exchange: &Exchange) -> bool {
    json::parse(&exchange.sent).is_err()
}

/// Log lines that are no UTF-8.
fn bytes_outside(response: &Response, exchange: &Exchange) -> Option<(String, usize)> {
    response.invalid_utf8?;
    let (at, error) = response
        .lines
        .iter()
        .filter(|line| line.kind == LineKind::Log)
        .find_map(|line| {
            let error = std::str::from_utf8(response.bytes(&line.range)).err()?;
            Some((line.range.start, error))
        })?;
    (!unclean(exchange)).then(|| {
        let what = "a log line with invalid UTF-8".to_owned();
        (what, at + error.valid_up_to())
    })
}

/// A bracket or the like too many behind the object.
fn glued(response: &Response) -> Option<(String, usize)> {
    let after = response.object.as_ref()?.glued_after.clone()?;
    let first = *response.bytes(&after).first()?;
    b"}])>,;:\"'"
        .contains(&first)
        .then(|| (JsonErrorKind::TrailingText.to_string(), after.start))
}

/// A few bytes around an offset, on its line.
fn around(response: &Response, offset: usize) -> &[u8] {
    let text = &response.text;
    let offset = offset.min(text.len());
    let line_end = |at: usize| {
        text[at..]
            .iter()
            .position(|byte| *byte == b'\n')
            .map_or(text.len(), |length| at + length)
    };
    let line_start = text[..offset]
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |at| at + 1);
    let start = line_start.max(offset.saturating_sub(20));
    let end = line_end(offset).min(offset + 20);
    &text[start..end]
}
