//! # Log messages have no control characters but tab
//!
//! ## What it requires
//! The text of a log message is one line without control characters: no line
//! feed, carriage return, escape, backspace or NUL. A tab may stand.
//!
//! ## Why
//! The agent prints messages as they are. A line feed forges a line of its log,
//! an escape sequence changes what a terminal shows, and log collectors cut the
//! rest off.
//!
//! ## How it is judged
//! On every log message. Characters that the request holds too are left out,
//! since a message may quote it. In a log line a raw line feed or NUL breaks the
//! framing and is PM203 or PM210; raw control characters inside a JSON object
//! are PM205.
//!
//! ## Example
//! ```text
//! ← {…, "log": [{"level": "error", "message": "git failed:\nfatal: not found\n"}]}
//! ```
//! The output of a program was logged whole; one message a line is better.
//!
//! ## Source
//! CFEngine: Custom promise types, "Logging" and "Line based protocol". cf-agent
//! 3.21.0 passes the characters on to the terminal.

use crate::logs;
use crate::session::{Exchange, Session};
use crate::wire::framing::How;
use crate::wire::response::{Log, LogPlace};
use crate::words::{cut, visible};
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for (exchange, response) in session.responses().filter(|(exchange, _)| exchange.owed) {
        if response.logs.iter().all(|log| log.message.is_empty()) {
            continue;
        }
        // Carriage returns at every line's end are PM201's matter.
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

/// The first control character that is not the request's.
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
