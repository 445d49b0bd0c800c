//! # The module accepts the header of any 3.x agent
//!
//! ## What it requires
//! The module answers `3.7.0`, `3.24.3`, pre-releases such as `3.21.0a.1b2` and all other
//! versions alike, if they offer the same protocol.
//!
//! ## Why
//! Hosts with different agents share a module, and it outlives the agent that it was written
//! for. Only the protocol version matters.
//!
//! ## How it is judged
//! - Judged: sessions that begin with other 3.x versions. The module must send a header, and
//!   its validations must have the same outcome as in the session with the usual version.
//! - Not judged: the form of the header (PM101 to PM108); modules that do not answer the usual
//!   version either.
//!
//! ## Example
//! A module splits the second field at the dots, converts each part to a number, and fails on
//! `0a`.
//!
//! ## How to fix
//! Ignore the name and version in the agent's header; do not compare or convert them. If the
//! module reads the header at all, it needs only the last field, the protocol version.
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol header".

use crate::compare::pairs;
use crate::offer::{Offer, is_usual, looks_like_header};
use crate::output::{answer_differs, in_time, is_variant, unanswered, unanswered_variant};
use crate::relation;
use crate::session::{Exchange, Session};
use crate::words::{cut, visible};
use stickler_judge::{Check, Defect, Group, Ledger, RunPlace, Variant};

pub(super) const CHECKS: super::Checks = &[
    Check::Session(&[relation::HEADER], check),
    Check::Group(&[relation::HEADER], compare),
];

/// Something else than a header comes back.
const NO_HEADER: Variant = Variant::new("no-header");
/// The header is answered, but a later request is answered in another way.
const LATER: Variant = Variant::new("differs-later");

fn check(session: &Session, ledger: &mut Ledger) {
    for exchange in session.headers() {
        if !ours(session, exchange) || is_variant(session, &[relation::HEADER]) {
            continue;
        }
        let broken = refused(exchange);
        ledger.check(exchange.number, exchange.provenance, broken);
    }
}

fn compare(group: &Group<'_, Session>, ledger: &mut Ledger) {
    let Some((_, baseline)) = group.baseline() else {
        return;
    };
    if !baseline
        .headers()
        .any(|header| in_time(header) && refused(header).is_none())
    {
        return;
    }
    for (_, index, variant) in group.variants() {
        for exchange in variant.headers().filter(|exchange| ours(variant, exchange)) {
            let place = |exchange: &Exchange| RunPlace::at(index, exchange.number);
            let differs = || {
                pairs(baseline, variant).find_map(|(one, other)| {
                    let what = answer_differs(one, other)?;
                    Some((
                        other,
                        LATER.says(format!("after the header `{}`: {what}", offered(exchange))),
                    ))
                })
            };
            match refused(exchange)
                .map(|defect| (exchange, defect))
                .or_else(differs)
            {
                None => ledger.passes.push(place(exchange)),
                Some((at, defect)) => {
                    let finding = ledger
                        .finding_at(place(at), defect)
                        .graded(exchange.provenance);
                    ledger.report(finding);
                }
            }
        }
    }
}

/// Is this the header of another version of the agent?
fn ours(session: &Session, exchange: &Exchange) -> bool {
    exchange.owed
        && !is_usual(session, exchange)
        && Offer::of(exchange).is_some_and(|offer| offer.is_agent())
}

/// The header that was sent, in words.
pub(super) fn offered(exchange: &Exchange) -> String {
    let line = exchange.sent.split(|byte| *byte == b'\n').next();
    cut(&visible(line.unwrap_or_default()), 60)
}

/// How the module refused this header. Other rules judge the form of the answer.
pub(super) fn refused(exchange: &Exchange) -> Option<Defect> {
    match exchange.header() {
        Some(header) if looks_like_header(&header) || header.word_count() >= 4 => None,
        Some(header) => Some(NO_HEADER.says(format!(
            "the header `{}` is answered with `{}`",
            offered(exchange),
            cut(&visible(header.line), 60)
        ))),
        None => unanswered(exchange).map(|what| {
            unanswered_variant(exchange).says(format!("the header `{}` {what}", offered(exchange)))
        }),
    }
}
