//! # Log messages contain no control characters except tab
//!
//! ## What it requires
//! A log message is one line without control characters: no line feed, carriage return,
//! escape, backspace or NUL.
//!
//! ## Why
//! The agent prints messages unchanged. A line feed forges a line of its log, an escape
//! sequence changes what a terminal shows, and log collectors cut off the rest.
//!
//! ## How it is judged
//! - Judged: every log message.
//! - Not judged: carriage returns at all line ends (PM201); a raw line feed or NUL in a log
//!   line (PM203, PM210); raw characters in a JSON object (PM205).
//! - Lowered to may: a character that comes from the promiser or an attribute. Escaped or
//!   quoted (`\x1b`, `\u001b`), it is fine.
//!
//! ## Example
//! `{…, "log": [{"level": "error", "message": "git failed:\nfatal: not found\n"}]}`
//!
//! ## How to fix
//! Send one message for each line with text, and replace control characters:
//! - Python: `for line in filter(str.strip, text.splitlines()): log("error", line)`, and in
//!   `log`: `"".join(c if c == "\t" or c.isprintable() else "?" for c in line)`
//! - Shell: `printf '%s\n' "$text" | tr '\001-\010\013-\037\177' '?' | grep '[^[:space:]]'`
//! - Programs: switch colours off, `NO_COLOR=1` or `--color=never`.
//! - CFEngine's Python library replaces only line feeds.
//! - Values of a promise: quote them with `repr`, `%q` or JSON.
//!
//! ## Source
//! CFEngine: Custom promise types, "Logging" and "Line based protocol". cf-agent passes the
//! characters to the terminal. Since 3.24 it also decodes `\u001b` in JSON.

use crate::logs;
use crate::reads::OUTCOMES;
use crate::session::{Exchange, Session};
use crate::wire::framing::How;
use crate::wire::response::{Log, LogPlace, Response};
use crate::words::{contains, shown};
use stickler_judge::{Check, Defect, Ledger, Level, Variant};
use stickler_transcript::Case;

pub(super) const CHECKS: super::Checks = &[Check::Session(OUTCOMES, check)];

/// A character of the module's own.
const OWN: Variant = Variant::ONLY;
/// A character of the request, as it was sent.
const COPIED: Variant = Variant::new("copied")
    .titled("A log message quotes control characters of the promise, and never copies them");

fn check(session: &Session, ledger: &mut Ledger) {
    let case = session.case();
    for (exchange, response) in session.responses().filter(|(exchange, _)| exchange.owed) {
        if response.logs.iter().all(|log| log.message.is_empty()) {
            continue;
        }
        // PM201 reports carriage returns at all line ends.
        let windows = response
            .end
            .is_some_and(|end| end.how == How::CarriageReturn);
        let found = own(case, exchange, response, windows)
            .or_else(|| copied(session, exchange, response, windows));
        let Some((log, defect, level)) = found else {
            ledger.pass(exchange.number);
            continue;
        };
        let finding = ledger
            .finding(exchange.number, defect)
            .expected("one line of text")
            .quote(&log.message)
            .at_most(level)
            .graded(exchange.provenance);
        ledger.report(finding);
    }
}

type Found<'l> = (&'l Log, Defect, Level);

/// The first control character that the request does not contain.
fn own<'l>(
    case: &Case,
    exchange: &Exchange,
    response: &'l Response,
    windows: bool,
) -> Option<Found<'l>> {
    let texts = logs::quotable(exchange);
    let is_own = |c: char| {
        let mut bytes = [0; 4];
        let wanted = c.encode_utf8(&mut bytes).as_bytes();
        !texts.iter().any(|text| contains(text, wanted))
    };
    response.logs.iter().find_map(|log| {
        let (_, c) = controls(log, windows).find(|(_, c)| is_own(*c))?;
        let defect = OWN.says(format!(
            "a log message with the control character {}: `{}`",
            name(c),
            shown(&log.message, case, 80)
        ));
        Some((log, defect, Level::Should))
    })
}

/// The first control character that comes from the request together with the character beside it.
fn copied<'l>(
    session: &Session,
    exchange: &Exchange,
    response: &'l Response,
    windows: bool,
) -> Option<Found<'l>> {
    let sources = logs::sources(exchange);
    // Bytes of text that arrive as characters are not the module's fault.
    let is_byte = |c: char| ('\u{80}'..='\u{9f}').contains(&c) && session.gets_bytes(exchange);
    response.logs.iter().find_map(|log| {
        let message = message(log, windows);
        let mut judged = controls(log, windows).filter(|(_, c)| !is_byte(*c));
        let (c, source) = judged.find_map(|(at, c)| {
            let end = at + c.len_utf8();
            let before = message.get(at.saturating_sub(1)..end)?;
            let after = message.get(at..message.len().min(end + 1))?;
            let holds =
                |text: &[u8], part: &[u8]| part.len() > c.len_utf8() && contains(text, part);
            let mut sources = sources.iter();
            let source = sources.find(|(_, text)| holds(text, before) || holds(text, after))?;
            Some((c, &source.0))
        })?;
        let defect = COPIED.says(format!(
            "a log message copies the control character {} of {source}: `{}`",
            name(c),
            shown(&log.message, session.case(), 80)
        ));
        Some((log, defect, Level::May))
    })
}

/// The control characters of a message that this rule judges, with their offsets.
fn controls(log: &Log, windows: bool) -> impl Iterator<Item = (usize, char)> {
    let mut at = 0;
    let chunks = message(log, windows).utf8_chunks().flat_map(move |chunk| {
        let start = at;
        at += chunk.valid().len() + chunk.invalid().len();
        let chars = chunk.valid().char_indices();
        chars.map(move |(offset, c)| (start + offset, c))
    });
    chunks
        .filter(|(_, c)| c.is_control() && *c != '\t')
        .filter(|(_, c)| !(log.place == LogPlace::Line && *c == '\0'))
}

/// The message without the carriage return of its line end.
fn message(log: &Log, windows: bool) -> &[u8] {
    match log.place {
        LogPlace::Line if windows => log.message.strip_suffix(b"\r").unwrap_or(&log.message),
        _ => &log.message,
    }
}

/// A control character as people look it up.
fn name(c: char) -> String {
    let common = match c {
        '\u{7}' => " (BEL)",
        '\n' => " (line feed)",
        '\r' => " (carriage return)",
        '\u{1b}' => " (ESC)",
        '\u{7f}' => " (DEL)",
        _ => "",
    };
    format!("`U+{:04X}`{common}", c as u32)
}
