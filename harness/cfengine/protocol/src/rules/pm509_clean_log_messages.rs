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
//! - Not judged: characters that the request contains; carriage returns at all line ends
//!   (PM201); a raw line feed or NUL in a log line (PM203, PM210); raw characters in a JSON
//!   object (PM205).
//!
//! ## Example
//! ```text
//! ← {…, "log": [{"level": "error", "message": "git failed:\nfatal: not found\n"}]}
//! ```
//!
//! ## How to fix
//! Send one message for each line with text, and replace control characters:
//! - Python: `for line in filter(str.strip, text.splitlines()): log("error", line)`, and in
//!   `log`: `"".join(c if c == "\t" or c.isprintable() else "?" for c in line)`
//! - Shell: `printf '%s\n' "$text" | tr '\001-\010\013-\037\177' '?' | grep '[^[:space:]]'`
//! - Programs: switch colours off, `NO_COLOR=1` or `--color=never`.
//! - CFEngine's Python library replaces only line feeds.
//!
//! ## Source
//! CFEngine: Custom promise types, "Logging" and "Line based protocol". cf-agent 3.21.0 passes
//! the characters to the terminal.

use crate::reads::OUTCOMES;
use crate::logs;
use crate::session::{Exchange, Session};
use crate::wire::framing::How;
use crate::wire::response::{Log, LogPlace};
use crate::words::{cut, visible};
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(OUTCOMES, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for (exchange, response) in session.responses().filter(|(exchange, _)| exchange.owed) {
        if response.logs.iter().all(|log| log.message.is_empty()) {
            continue;
        }
        // PM201 reports carriage returns at all line ends.
        let windows = response
            .end
            .is_some_and(|end| end.how == How::CarriageReturn);
        let found = response
            .logs
            .iter()
            .find_map(|log| Some((log, control(log, exchange, windows)?)));
        let Some((log, found)) = found else {
            ledger.pass(exchange.number);
            continue;
        };
        let finding = ledger
            .finding(
                exchange.number,
                format!(
                    "a log message with the control character `U+{:04X}`: `{}`",
                    found as u32,
                    cut(&visible(&log.message), 80)
                ),
            )
            .expected("one line of text")
            .graded(exchange.provenance);
        ledger.report(finding);
    }
}

/// The first control character that the request does not contain.
fn control(log: &Log, exchange: &Exchange, windows: bool) -> Option<char> {
    let message = match log.place {
        LogPlace::Line if windows => log.message.strip_suffix(b"\r").unwrap_or(&log.message),
        _ => &log.message,
    };
    message
        .utf8_chunks()
        .flat_map(|chunk| chunk.valid().chars())
        .filter(|c| c.is_control() && *c != '\t')
        .filter(|c| !(log.place == LogPlace::Line && *c == '\0'))
        .find(|c| !is_copied(*c, exchange))
}

fn is_copied(c: char, exchange: &Exchange) -> bool {
    let mut bytes = [0; 4];
    let wanted = c.encode_utf8(&mut bytes).as_bytes();
    logs::quotable(exchange)
        .iter()
        .any(|text| crate::words::contains(text, wanted))
}
