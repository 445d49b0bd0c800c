//! # A request may arrive in any pieces and at any pace
//!
//! ## What it requires
//! The module gives the same answer whether a request arrives byte by byte, in halves, slowly
//! or at once.
//!
//! ## Why
//! A pipe is a stream and does not keep messages together. Large requests always arrive in
//! pieces, and a busy machine splits small ones.
//!
//! ## How it is judged
//! - Judged: the same session with whole requests and with requests in pieces. Some pieces end
//!   inside a character; halves are up to 150 ms apart.
//! - Judged: results, result classes, echoed promisers and attributes, and the files that an
//!   evaluation leaves must be the same.
//! - Judged: no answer comes before the whole request has. Advice if only line ends were missing.
//! - Not judged: what differs between two sessions with whole requests; what follows the first
//!   difference.
//!
//! ## Example
//! A module takes the result of one `read(fd, buffer, 4096)` as a whole request.
//!
//! ## How to fix
//! Collect input until the empty line arrives, then decode and parse it.
//! - Python: `sys.stdin.buffer.readline()`. C: `getline`. Go: `bufio.Reader.ReadBytes('\n')`.
//! - Node: `data = Buffer.concat([data, chunk])`; parse only up to `data.indexOf("\n\n")`.
//! - Do not use `read -t`, or `select` on a buffered stream: the buffer may hold the rest.
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol" (messages end with an empty line, and with
//! nothing else).

use crate::compare::{differing_paths, pairs, unstable};
use crate::output::{answer_differs, answer_variant};
use crate::partner::{OTHER_END_STATE, at, end_words};
use crate::phase;
use crate::relation;
use crate::session::{Exchange, Session};
use crate::volatile::Volatile;
use crate::wire::response::Response;
use stickler_judge::{Check, Group, Ledger, Level, Role, Variant};

pub(super) const CHECKS: super::Checks = &[
    Check::Group(&[relation::PIECES], check),
    Check::Session(&[relation::PIECES], waited),
];

/// The answer comes before the request has.
const EARLY: Variant = Variant::new("early");
/// The answer comes before the request's last line ends have.
const BEFORE_END: Variant = Variant::new("before-end");

/// The answer has the same outcome, but repeats other text.
const OTHER_ECHO: Variant = Variant::new("other-echo");

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
        // The first difference may cause those after it.
        for (before, exchange) in compared {
            let place = at(index, exchange);
            let with = |what: String| format!("with the request in pieces (`{role}`): {what}");
            let differs = answer_differs(before, exchange)
                .map(|what| answer_variant(before, exchange).says(with(what)));
            let echo = || echo_differs(before, exchange).map(|what| OTHER_ECHO.says(with(what)));
            let defect = differs.or_else(echo).or_else(|| {
                let seen = before.all_effects().is_some() && exchange.all_effects().is_some();
                let paths = seen.then(|| differing_paths(baseline, variant))?;
                let path = paths.iter().find(|path| !volatile.covers(path))?;
                let end = end_words(path, baseline, variant);
                Some(OTHER_END_STATE.says(with(format!("in the end {end}"))))
            });
            let Some(defect) = defect else {
                if exchange.message.is_some() && before.message.is_some() {
                    ledger.passes.push(place);
                }
                continue;
            };
            let finding = ledger
                .finding_at(place, defect)
                .expected("the outcome of the request in one piece")
                .graded(exchange.provenance)
                .also(at(base_index, before));
            ledger.report(finding);
            break;
        }
    }
}

/// No request is answered before it is there.
fn waited(session: &Session, ledger: &mut Ledger) {
    for exchange in session.exchanges.iter().filter(|one| one.is_request()) {
        // What came before the request is another rule's.
        let Some(written) = exchange.early.filter(|written| *written > 0) else {
            continue;
        };
        let missing = &exchange.sent[written.min(exchange.sent.len())..];
        let is_end = missing.iter().all(|byte| *byte == b'\n');
        let what = match is_end {
            true => "the empty line that ends it".to_owned(),
            false => format!("its last {} bytes", missing.len()),
        };
        let message = format!("the request was answered before {what} had come");
        let variant = if is_end { BEFORE_END } else { EARLY };
        let mut finding = ledger
            .finding(exchange.number, variant.says(message))
            .expected("an answer to the whole request")
            .graded(exchange.provenance);
        if is_end {
            // An agent that writes messages whole sees no difference.
            finding = finding.at_most(Level::May);
        }
        ledger.report(finding);
    }
}

/// Does the answer echo another promiser, or other attributes?
fn echo_differs(before: &Exchange, exchange: &Exchange) -> Option<String> {
    let (one, other) = (before.response.as_ref()?, exchange.response.as_ref()?);
    if one.promiser.text() != other.promiser.text() {
        return Some("the answer echoes another promiser".to_owned());
    }
    let request = exchange.request.as_ref()?;
    let echo = |response: &Response, name: &[u8]| {
        let mut echoed = response.attributes();
        echoed
            .find(|(known, _)| *known == name)
            .map(|(_, value)| value.clone())
    };
    let mut names = request.attributes.iter().flatten().map(|(name, _)| name);
    let changed = names.any(|name| echo(one, name) != echo(other, name));
    changed.then(|| "the answer echoes other attributes".to_owned())
}
