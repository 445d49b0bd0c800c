//! # An echoed `promiser` is the request's
//!
//! ## What it requires
//! If the module repeats `promiser` in an answer, it repeats the request's promiser byte for
//! byte.
//!
//! ## Why
//! People and tools read conversations to learn what happened to which promise. A trimmed,
//! completed or remembered promiser misleads them.
//!
//! ## How it is judged
//! - Judged: answers to validations and evaluations that repeat the promiser. If cf-agent sends
//!   `ä` as two escapes (PM905), `ä` passes, too.
//! - Not judged: answers without a promiser, which are fine; unusual text (PM905, PM906, PM910,
//!   PM912); promisers with NUL or invalid UTF-8; answers that refuse broken JSON.
//! - Not judged: blanks that are missing at the edges, unless a log message or a changed path
//!   shows the whole promiser.
//!
//! ## Example
//! The request is about `/srv/www/`, and the module answers `"promiser": "/srv/www"` because
//! it tidies up the path.
//!
//! ## How to fix
//! Keep the original text for the answer, and change a copy:
//! `path = os.path.normpath(promiser)`. Or leave `promiser` out of the answer.
//! - Shell: `IFS= read -r line` keeps blanks and backslashes.
//! - CFEngine's Python library echoes what `prepare_promiser_and_attributes` returns: change
//!   the promiser in `evaluate_promise` instead.
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol request sequence" (promiser and attributes are
//! typically added). cf-agent does not read the echo.

use crate::ending::out_of_step;
use crate::meant;
use crate::narrower;
use crate::output::is_variant;
use crate::phase;
use crate::reads::ANSWERS;
use crate::relation;
use crate::session::{Exchange, Session};
use crate::wire::Value;
use crate::words::{contains, shown};
use stickler_judge::{Check, Ledger, Variant};
use stickler_transcript::Variation;

pub(super) const CHECKS: super::Checks = &[Check::Session(ANSWERS, check)];

/// Another text.
const OTHER_TEXT: Variant = Variant::new("other-text");
/// A value that is not text.
const NOT_TEXT: Variant = Variant::new("not-text");

/// Kinds of promises that test whether text arrives unchanged.
const TEXT_KINDS: [Variation; 6] = [
    Variation::Text,
    Variation::Control,
    Variation::Surrogate,
    Variation::Huge,
    Variation::Canary,
    Variation::Escape,
];

fn check(session: &Session, ledger: &mut Ledger) {
    // PM311 judges what unknown keys do to an echo.
    if is_variant(session, &[relation::KEYS]) {
        return;
    }
    for (exchange, response) in session.responses() {
        if !matches!(exchange.phase, phase::VALIDATE | phase::EVALUATE) {
            continue;
        }
        let Some(asked) = promiser(session, exchange) else {
            continue;
        };
        let Some(echo) = response.promiser.values.last() else {
            continue;
        };
        let trimmed = edges_only(asked, echo) && !knows(exchange, asked);
        let unread = narrower::is_unread(session, exchange);
        if trimmed || unread || out_of_step(session, exchange) {
            continue;
        }
        let wrong = match echo {
            Value::Text(echo) if echo == asked => None,
            Value::Text(echo)
                if session.gets_bytes(exchange) && meant::text(asked).as_ref() == Some(echo) =>
            {
                None
            }
            Value::Text(echo) => Some(OTHER_TEXT.says(format!(
                "`promiser` comes back as `{}` instead of `{}`",
                shown(echo, session.case(), 60),
                shown(asked, session.case(), 60)
            ))),
            other => {
                let message = format!("`promiser` comes back as {}", other.type_name());
                Some(NOT_TEXT.says(message))
            }
        };
        let Some(defect) = wrong else {
            ledger.pass(exchange.number);
            continue;
        };
        let mut finding = ledger
            .finding(exchange.number, defect)
            .expected("the promiser of the request, or none")
            .graded(exchange.provenance);
        if let Some(echo) = echo.as_text() {
            finding = finding.quote(echo);
        }
        ledger.report(finding);
    }
}

/// The promiser of the request, if this rule judges its echo.
fn promiser<'e>(session: &Session, exchange: &'e Exchange) -> Option<&'e [u8]> {
    let asked = exchange.request.as_ref()?.promiser.as_deref()?;
    let probe = session.item(exchange).is_some_and(|promise| {
        promise.field.as_deref() == Some("promiser")
            && promise
                .variation
                .is_some_and(|kind| TEXT_KINDS.contains(&kind))
    });
    let plain = std::str::from_utf8(asked).is_ok() && !contains(asked, b"\0");
    (plain && !probe).then_some(asked)
}

/// Do only blanks at the edges differ? PM912 judges blanks that are lost on the way
/// in.
fn edges_only(asked: &[u8], echo: &Value) -> bool {
    echo.as_text()
        .is_some_and(|echo| echo != asked && echo.trim_ascii() == asked.trim_ascii())
}

/// Do logs or changed paths show that the module has the whole promiser?
fn knows(exchange: &Exchange, asked: &[u8]) -> bool {
    exchange.logs().any(|(_, message)| contains(message, asked))
        || exchange
            .effects
            .iter()
            .flatten()
            .any(|change| contains(&change.path, asked))
}
