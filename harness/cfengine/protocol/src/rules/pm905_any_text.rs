//! # The module carries any UTF-8 text unchanged
//!
//! ## What it requires
//! All characters in the promiser and in values arrive as sent: beyond the basic plane,
//! combining, U+2028, U+0085, ligatures, and escaped surrogate pairs.
//!
//! ## Why
//! A module that decodes by the locale, or splits at Unicode separators, writes the wrong text.
//!
//! ## How it is judged
//! - Judged: the examples' text values and promisers with such characters added. Where the
//!   plain run and one with another value echo or write it (file, path, link target), the
//!   changed one must appear, as it is or escaped.
//! - Judged: in the line protocol, log messages about a promise in UTF-8 are UTF-8, too.
//! - Lowered to may: in JSON, cf-agent 3.24 and later send an escape for each byte, and `ä`
//!   arrives as `Ã¤`. A module that writes that gets advice, as does one that takes only this
//!   form rightly. `[subject] agents` names the versions that count.
//! - Not judged: rejected or failed promises; values in log messages. PM910 judges ASCII text.
//!
//! ## Example
//! A Python module under a C locale writes `?` instead of `ä`.
//!
//! ## How to fix
//! Decode and encode as UTF-8, whatever the locale is, and split input only at `\n`. In JSON,
//! decode each text again where that succeeds, and keep it otherwise.
//! - Python: `text.encode("latin-1").decode("utf-8")`, `except UnicodeError`; `sys.stdin.buffer`,
//!   `open(path, "w", encoding="utf-8")`; no `splitlines` for input.
//! - Ruby: `text.encode("ISO-8859-1").force_encoding("UTF-8")`; `Encoding.default_external`.
//! - Perl: `utf8::decode($text)`; `encode("UTF-8", $value)` for files. Shell: `LC_ALL=C`.
//!
//! ## Source
//! CFEngine: Custom promise types, "JSON protocol"; RFC 8259; the bytes that cf-agent sends.

use crate::carried;
use crate::session::Session;
use crate::wire::Protocol;
use crate::wire::response::LogPlace;
use crate::words::{cut, visible};
use stickler_judge::{Check, Group, Ledger, Relation, Variant};
use stickler_transcript::Variation;

pub(super) const CHECKS: super::Checks = &[
    Check::Group(&[Relation::TEXT], check),
    Check::Session(&[Relation::TEXT], log_lines),
];

/// A log line is not UTF-8.
const LOG_ENCODING: Variant = Variant::new("log-encoding");

fn check(group: &Group<'_, Session>, ledger: &mut Ledger) {
    carried::judge(group, ledger, |value| {
        value.kind == Some(Variation::Text) && value.is_beyond_ascii()
    });
}

/// Do log lines have another encoding than their promise?
fn log_lines(session: &Session, ledger: &mut Ledger) {
    for (exchange, response) in session.responses() {
        // PM205 judges the JSON protocol.
        if response.protocol == Protocol::Json {
            continue;
        }
        if exchange.sent.is_ascii() || std::str::from_utf8(&exchange.sent).is_err() {
            continue;
        }
        let foreign = response
            .logs
            .iter()
            .filter(|log| log.place == LogPlace::Line)
            .find(|log| {
                std::str::from_utf8(&log.message).is_err_and(|error| error.error_len().is_some())
            });
        let Some(log) = foreign else {
            continue;
        };
        let message = format!(
            "a log line is not valid UTF-8: `{}`",
            cut(&visible(&log.message), 80)
        );
        let finding = ledger
            .finding(exchange.number, LOG_ENCODING.says(message))
            .expected("text in UTF-8, like the promise")
            .quote(&log.message)
            .graded(exchange.provenance);
        ledger.report(finding);
    }
}
