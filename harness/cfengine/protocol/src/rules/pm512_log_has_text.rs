//! # Every log message has text, and `valid` has no error log
//!
//! ## What it requires
//! No log message is empty or blank, and a validation with the result `valid` sends no message
//! of level `error` or `critical`.
//!
//! ## Why
//! An empty message says nothing. An error message about a valid promise contradicts the
//! answer.
//!
//! ## How it is judged
//! - Judged: every log message, and every validation that is answered `valid`.
//! - Judged: places for values that were never filled in (`{}`, `{path}`, `%s`, `'None'`),
//!   in messages of all levels but debug. This is advice.
//! - Not judged: entries without `message` (PM508); log lines without `=` (PM208, PM209);
//!   places that a request, the example or a file contains, too.
//!
//! ## Example
//! ```text
//! ← log_error=Attribute 'mode' looks wrong
//! ← {"operation": "validate_promise", "result": "valid"}
//! ```
//!
//! ## How to fix
//! If the promise can be evaluated, send a warning; otherwise answer `invalid`. Skip empty
//! messages in the function that logs:
//! - Python: `if text.strip(): …`
//! - Shell: `case $text in *[![:space:]]*) printf 'log_%s=%s\n' "$level" "$text" ;; esac`
//!
//! ## Source
//! CFEngine: Custom promise types, "Logging" and "Results". cf-agent accepts both.

use crate::logs;
use crate::phase;
use crate::reads::OUTCOMES;
use crate::session::{Exchange, Session};
use crate::unfilled;
use crate::words::{contains, cut, shown, visible};
use stickler_judge::{Check, Defect, Ledger, Level, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(OUTCOMES, check)];

/// A message without text.
const EMPTY: Variant = Variant::new("empty");
/// An error message about a valid promise.
const CONTRADICTS: Variant = Variant::new("error-in-valid");
/// A place for a value that was never filled in.
const UNFILLED: Variant =
    Variant::new("unfilled").titled("Log messages have values, and not places for them");

fn check(session: &Session, ledger: &mut Ledger) {
    for exchange in logs::all_own(session).filter(|exchange| exchange.owed) {
        let valid = exchange.phase == phase::VALIDATE && exchange.is("valid");
        if !valid && exchange.logs().next().is_none() {
            continue;
        }
        let broken = empty(exchange).or_else(|| {
            let text = logs::find(exchange, &["error", "critical"]).filter(|_| valid)?;
            Some(CONTRADICTS.says(format!(
                "`valid` with a log message of level error: `{}`",
                cut(&visible(text), 80)
            )))
        });
        if broken.is_none()
            && let Some((log, place)) = unfilled(session, exchange)
        {
            let message = format!(
                "a log message has `{place}` in place of a value: `{}`",
                shown(log, session.case(), 80)
            );
            let finding = ledger
                .finding(exchange.number, UNFILLED.says(message))
                .expected("the value, such as the path")
                .quote(log)
                .at_most(Level::May)
                .graded(exchange.provenance);
            ledger.report(finding);
            continue;
        }
        ledger.check(exchange.number, exchange.provenance, broken);
    }
}

fn empty(exchange: &Exchange) -> Option<Defect> {
    let log = exchange
        .response
        .as_ref()?
        .logs
        .iter()
        .find(|log| log.malformed.is_none() && log.message.trim_ascii().is_empty())?;
    Some(EMPTY.says(format!(
        "a log message of level `{}` without text",
        cut(&visible(&log.level), 20)
    )))
}

/// The first message with a place for a value, and that place.
fn unfilled<'e>(session: &Session, exchange: &'e Exchange) -> Option<(&'e [u8], &'e str)> {
    let attributes = exchange.request.iter().flat_map(|one| &one.attributes);
    let names: Vec<&[u8]> = attributes.flatten().map(|(name, _)| &name[..]).collect();
    exchange
        .logs()
        .filter(|(level, _)| logs::meant(level) != Some("debug"))
        .filter_map(|(_, log)| Some((log, unfilled::find(std::str::from_utf8(log).ok()?, &names)?)))
        .find(|(_, place)| !is_known(session, exchange, place))
}

/// May this text come from a request, the example's setup or a file, rather than from the module?
fn is_known(session: &Session, exchange: &Exchange, place: &str) -> bool {
    let sent = |exchange: &Exchange| contains(&exchange.sent, place.as_bytes());
    let mut changes = session
        .observations
        .iter()
        .flat_map(|observation| &observation.changes);
    let mut held = changes.any(|change| {
        let entries = [&change.before, &change.after];
        let mut texts = entries
            .into_iter()
            .flatten()
            .filter_map(|entry| entry.content.as_ref());
        texts.any(|text| contains(text, place.as_bytes()))
    });
    // A promise without attributes is an empty object, and so is much of a case as JSON.
    if place == "{}" {
        let request = exchange.request.as_ref();
        let mut attributes = request.iter().flat_map(|one| &one.attributes).flatten();
        held |= attributes.next().is_none();
    } else {
        let case = serde_json::to_string(session.case()).unwrap_or_default();
        held |= case.contains(place);
    }
    // Null is `None` in some languages.
    let null = |exchange: &Exchange| place == "None" && contains(&exchange.sent, b"null");
    held || session.exchanges.iter().any(|one| sent(one) || null(one))
}
