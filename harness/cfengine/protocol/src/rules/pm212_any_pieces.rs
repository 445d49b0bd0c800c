//! # A request may arrive in any pieces and at any pace
//!
//! ## What it requires
//! A request that is written byte by byte, in halves or slowly gets the answer
//! that it gets when it is written at once.
//!
//! ## Why
//! A pipe is a stream: it keeps no message together. Big requests always arrive
//! in pieces, and a busy machine makes pieces of small ones.
//!
//! ## How it is judged
//! The same session is run with whole requests, and again with requests in
//! pieces, some of them cut inside a character, half a request up to 150 ms after the
//! other. Results, result classes and what the answer repeats of the request must be the same, and so must be the files that
//! an evaluation left. What differs between two sessions with whole requests is left
//! out.
//!
//! ## Example
//! A module takes what one `read(fd, buffer, 4096)` returns for a whole request.
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol" (messages end with an empty line,
//! and with nothing else).

use stickler_judge::{Relation, Role};
use crate::phase;
use crate::compare::{differing_paths, pairs, unstable};
use crate::output::answer_differs;
use crate::partner::{Volatile, at, end_words};
use crate::session::{Exchange, Session};
use crate::wire::response::Response;
use stickler_judge::{Check, Group, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Group(&[Relation::Pieces], check)];

fn check(group: &Group<'_, Session>, ledger: &mut Ledger) {
    let Some((base_index, baseline)) = group.baseline() else {
        return;
    };
    let (unstable, volatile) = (unstable(group), Volatile::of(group));
    for (role, index, variant) in group.variants().filter(|(role, ..)| **role != Role::Again) {
        let others = variant
            .exchanges
            .iter()
            .filter(|exchange| matches!(exchange.phase, phase::HEADER | phase::TERMINATE))
            .filter_map(|exchange| Some((baseline.exchange(&exchange.key)?, exchange)));
        let mut compared: Vec<(&Exchange, &Exchange)> = pairs(baseline, variant)
            .chain(others)
            .filter(|(_, exchange)| exchange.owed && !unstable.contains(&exchange.key))
            .collect();
        compared.sort_by_key(|(_, exchange)| exchange.number);
        // What follows the first difference follows from it.
        for (before, exchange) in compared {
            let place = at(index, exchange);
            let differs = answer_differs(before, exchange);
            let what = differs.or_else(|| echo_differs(before, exchange)).or_else(|| {
                let seen = before.effects.is_some() && exchange.effects.is_some();
                let paths = seen.then(|| differing_paths(baseline, variant))?;
                let path = paths.iter().find(|path| !volatile.covers(path))?;
                Some(format!("in the end {}", end_words(path, baseline, variant)))
            });
            let Some(what) = what else {
                if exchange.message.is_some() && before.message.is_some() {
                    ledger.passes.push(place);
                }
                continue;
            };
            let finding = ledger
                .finding_at(place, format!("the request in pieces (`{role}`): {what}"))
                .expected("what the request in one piece gets")
                .graded(exchange.provenance)
                .also(at(base_index, before));
            ledger.report(finding);
            break;
        }
    }
}

/// Does the answer say another promiser, or other attributes?
fn echo_differs(before: &Exchange, exchange: &Exchange) -> Option<String> {
    let (one, other) = (before.response.as_ref()?, exchange.response.as_ref()?);
    if one.promiser.text() != other.promiser.text() {
        return Some("the answer has another promiser".to_owned());
    }
    let request = exchange.request.as_ref()?;
    let echo = |response: &Response, name: &[u8]| {
        let mut echoed = response.attributes();
        echoed.find(|(known, _)| *known == name).map(|(_, value)| value.clone())
    };
    let mut names = request.attributes.iter().flatten().map(|(name, _)| name);
    let changed = names.any(|name| echo(one, name) != echo(other, name));
    changed.then(|| "the answer has other attributes".to_owned())
}
