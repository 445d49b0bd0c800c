//! # Any UTF-8 text is carried unchanged
//!
//! ## What it requires
//! Characters of all kinds in the promiser and in values arrive as they were
//! sent: beyond the basic plane, combining, U+2028 and U+0085, ligatures and
//! no-break blanks, as bytes or as escaped surrogate pairs.
//!
//! ## Why
//! Names of people, files and places are not ASCII. A module that decodes its
//! input by the locale, or cuts lines where Unicode has separators, writes
//! something else than the policy says.
//!
//! ## How it is judged
//! Each text value and the promiser of the author's examples is sent again with
//! such characters around it. Judged is what can be seen: the value was echoed
//! in the plain run, or stands in a file, a path or a link target that the plain
//! run made; then the changed value has to stand there too, as it is or escaped
//! as the file's format asks. Promises that are turned away or cannot be kept
//! are not judged, nor are texts that a message quotes, but for one thing: in the
//! line protocol, log messages about a promise in UTF-8 are UTF-8 too, a character
//! that is cut off at their end excepted. Text in ASCII alone is PM910.
//!
//! ## Example
//! A Python module under a C locale writes `?` in place of `ä`.
//!
//! ## Source
//! CFEngine: Custom promise types, "JSON protocol" and "Line based protocol";
//! RFC 8259, sections 7 and 8.

use stickler_transcript::Variation;
use stickler_judge::{Relation};
use crate::carried;
use crate::session::Session;
use crate::wire::Protocol;
use crate::wire::response::LogPlace;
use crate::words::{cut, visible};
use stickler_judge::{Check, Group, Ledger};

pub(super) const CHECKS: super::Checks = &[
    Check::Group(&[Relation::Text], check),
    Check::Session(log_lines),
];

fn check(group: &Group<'_, Session>, ledger: &mut Ledger) {
    carried::judge(group, ledger, |value| {
        value.kind == Some(Variation::Text) && value.is_beyond_ascii()
    });
}

/// Are log lines in another encoding than the promise that they are about?
fn log_lines(session: &Session, ledger: &mut Ledger) {
    for (exchange, response) in session.responses() {
        // In the JSON protocol that is PM205's matter.
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
            "a log line that is no UTF-8: `{}`",
            cut(&visible(&log.message), 80)
        );
        let finding = ledger
            .finding(exchange.number, message)
            .expected("text in UTF-8, as the promise is")
            .quote(&log.message)
            .graded(exchange.provenance);
        ledger.report(finding);
    }
}
