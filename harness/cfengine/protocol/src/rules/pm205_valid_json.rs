//! # JSON: the answer is valid JSON in valid UTF-8
//!
//! ## What it requires
//! In the JSON protocol, the answer's object is JSON as RFC 8259 defines it, and the whole
//! answer, log lines included, is UTF-8.
//!
//! ## Why
//! One parser rejects what another accepts. A trailing comma, single quotes, a raw control
//! character or another encoding fails with the next agent or with a log collector.
//!
//! ## How it is judged
//! - Judged: every answer that contains something that begins like an object.
//! - Not judged: escapes such as `\u00e9` and halves of surrogate pairs, which the grammar
//!   allows; objects that are nested too deeply for the suite.
//! - Not judged: raw control characters and invalid UTF-8, if the request is no JSON.
//!
//! ## Example
//! A module prints `{"result": "kept",}` or `{'result': 'kept'}`.
//!
//! ## How to fix
//! Let a JSON library write the object, and never put texts together yourself.
//! - Python: `json.dumps(answer, allow_nan=False, ensure_ascii=False)`;
//!   `.encode("utf-8", "replace")` its result for `sys.stdout.buffer`. C: json-c, cJSON.
//! - Shell: `jq -cn --arg r kept '{operation: "evaluate_promise", result: $r}'`
//! - Log lines that may hold other bytes: Python `text.encode("utf-8", "replace")`, Ruby
//!   `text.scrub`, shell `iconv -c -f UTF-8 -t UTF-8`.
//!
//! ## Source
//! CFEngine: Custom promise types, "JSON protocol"; RFC 8259. cf-agent accepts trailing commas,
//! raw control characters, unknown escapes and text after the object, before 3.28 also missing
//! commas, and rejects the rest. No version shows `\u00e9` as `é`: before 3.24 the escape stays
//! as it is, since then it becomes one byte. Write text as UTF-8.

use crate::reads::ANSWERS;
use crate::session::{Exchange, Session};
use crate::wire::json::{self, JsonErrorKind};
use crate::wire::response::{LineKind, Response};
use crate::words::{cut, visible};
use stickler_judge::{Check, Ledger, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(ANSWERS, check)];

/// The object is not UTF-8.
const ENCODING: Variant = Variant::new("other-encoding");
/// A log line is not UTF-8.
const LOG_ENCODING: Variant = Variant::new("log-encoding");
/// A byte order mark.
const BYTE_ORDER_MARK: Variant = Variant::new("byte-order-mark");
/// A control character that is not escaped.
const CONTROL: Variant = Variant::new("control-character");
/// A backslash before something that cannot be escaped.
const ESCAPE: Variant = Variant::new("bad-escape");
/// A number that is not written as JSON.
const NUMBER: Variant = Variant::new("bad-number");
/// The object ends early.
const CUT_OFF: Variant = Variant::new("cut-off");
/// A comma before a closing bracket.
const COMMA: Variant = Variant::new("trailing-comma");
/// Something follows the object.
const TRAILING: Variant = Variant::new("trailing-text");
/// Something else does not fit the grammar, such as a quote that is not escaped.
const GRAMMAR: Variant = Variant::new("bad-grammar");

fn check(session: &Session, ledger: &mut Ledger) {
    for (exchange, response) in session.responses().filter(|(exchange, _)| exchange.owed) {
        let Some(parsed) = &response.json else {
            continue;
        };
        let broken = match parsed {
            Err(error) if excused(exchange, error.kind) => continue,
            Err(error) => Some((of_kind(error.kind), error.kind.to_string(), error.offset)),
            Ok(_) => bytes_outside(response, exchange).or_else(|| glued(response)),
        };
        let Some((variant, what, offset)) = broken else {
            ledger.pass(exchange.number);
            continue;
        };
        let near = around(response, offset);
        let finding = ledger
            .finding(
                exchange.number,
                variant.says(format!(
                    "the answer is not valid JSON: {what}, at `{}`",
                    cut(&visible(near), 40)
                )),
            )
            .expected("valid JSON (RFC 8259) in UTF-8")
            .quote(near)
            .graded(exchange.provenance);
        ledger.report(finding);
    }
}

fn of_kind(kind: JsonErrorKind) -> Variant {
    match kind {
        JsonErrorKind::InvalidUtf8 => ENCODING,
        JsonErrorKind::ByteOrderMark => BYTE_ORDER_MARK,
        JsonErrorKind::ControlCharacter(_) => CONTROL,
        JsonErrorKind::Escape => ESCAPE,
        JsonErrorKind::Number => NUMBER,
        JsonErrorKind::UnexpectedEnd => CUT_OFF,
        JsonErrorKind::TrailingComma => COMMA,
        JsonErrorKind::TrailingText => TRAILING,
        JsonErrorKind::TooDeep | JsonErrorKind::Expected(_) => GRAMMAR,
    }
}

/// Is the defect copied from a request that is not valid JSON either, or is the
/// object nested too deeply for this harness?
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

/// The first log line that is not UTF-8.
fn bytes_outside(response: &Response, exchange: &Exchange) -> Option<(Variant, String, usize)> {
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
        (LOG_ENCODING, what, at + error.valid_up_to())
    })
}

/// An extra bracket or other punctuation right after the object.
fn glued(response: &Response) -> Option<(Variant, String, usize)> {
    let after = response.object.as_ref()?.glued_after.clone()?;
    let first = *response.bytes(&after).first()?;
    b"}])>,;:\"'".contains(&first).then(|| {
        (
            TRAILING,
            JsonErrorKind::TrailingText.to_string(),
            after.start,
        )
    })
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
