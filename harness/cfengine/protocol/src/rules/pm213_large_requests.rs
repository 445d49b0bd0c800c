//! # Requests of 64 KiB and 1 MiB are answered
//!
//! ## What it requires
//! A request of 64 KiB or of 1 MiB is read whole and answered. Nothing of it is
//! cut off, and module and agent don't wait for each other.
//!
//! ## Why
//! Agents set no limit to an attribute; data containers and file contents grow.
//! A buffer of fixed size cuts a value without a word, or never sees the end of
//! the message; a module that answers before it has read everything can block
//! on a full pipe.
//!
//! ## How it is judged
//! On requests of 32 KiB and more. They must be answered in time, and not with
//! `error` where the small request was not. A large value may be refused as
//! `invalid`, and its evaluation may fail: names and command lines have limits; that it is
//! `error` then, and not `not_kept`, is a should. Where only the request is large, not a value
//! in it, the answer must be the one to the small request. A value that is echoed, or that the
//! small run wrote to a file as it stands, must not come back shorter.
//!
//! ## Example
//! A C module reads lines into `char line[4096]`.
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol" (no limit is set). cf-agent 3.21.0
//! sends and reads lines of any length.

use stickler_judge::{Relation, Role, Variation};
use crate::phase;
use crate::output::{answer_differs, in_time, unanswered};
use crate::session::{Exchange, Session};
use crate::wire::Value;
use crate::words::{has_word, visible};
use stickler_judge::{Check, Group, Ledger, Level, Place};
use stickler_transcript::{Change, ChangeKind, Entry, FileType};

/// Requests from this size on are judged, in bytes.
const LARGE: usize = 32 << 10;

pub(super) const CHECKS: super::Checks = &[Check::Group(&[Relation::Large], check)];

fn check(group: &Group<'_, Session>, ledger: &mut Ledger) {
    let Some((_, baseline)) = group.baseline() else {
        return;
    };
    for (role, index, variant) in group.variants().filter(|(role, ..)| **role != Role::Again) {
        for exchange in variant.exchanges.iter().filter(|e| is_large(variant, e)) {
            // Where the module answers no small request either, others report it.
            if !baseline.answered(exchange.phase).any(in_time) {
                continue;
            }
            let place = Place {
                session: index,
                exchange: Some(exchange.number),
            };
            match broken(baseline, variant, exchange) {
                Some((what, most)) => {
                    let finding = ledger
                        .finding_at(place, format!("a large request (`{role}`) {what}"))
                        .expected("read whole and answered")
                        .graded(exchange.provenance)
                        .at_most(most);
                    ledger.report(finding);
                    break;
                }
                None if in_time(exchange) => ledger.passes.push(place),
                None => {}
            }
        }
    }
}

fn is_large(session: &Session, exchange: &Exchange) -> bool {
    let huge = || {
        session
            .promise(exchange)
            .is_some_and(|promise| promise.variation == Some(Variation::Huge))
    };
    exchange.owed
        && matches!(exchange.phase, phase::VALIDATE | phase::EVALUATE)
        && (exchange.sent.len() >= LARGE || huge())
}

/// What is wrong with the answer, and how grave it is at most.
fn broken(baseline: &Session, variant: &Session, exchange: &Exchange) -> Option<(String, Level)> {
    let must = |what| (what, Level::Must);
    if let Some(what) = unanswered(exchange) {
        return Some(must(what));
    }
    let huge = variant
        .promise(exchange)
        .is_some_and(|promise| promise.variation == Some(Variation::Huge));
    if let Some(small) = baseline.exchange(&exchange.key).filter(|_| !huge)
        && let Some(what) = answer_differs(small, exchange)
    {
        return Some(must(format!("gets {what}")));
    }
    let erred = baseline.answered(exchange.phase).any(|e| e.is("error"));
    // What a value of this size is used for may have a limit of its own.
    let used = huge && exchange.phase == phase::EVALUATE;
    if exchange.is("error") && !erred {
        let most = if used { Level::Should } else { Level::Must };
        return Some(("is answered with `error`".into(), most));
    }
    let short = echoed_short(exchange).or_else(|| stored_short(baseline, variant, exchange));
    short.map(must)
}

/// An echo that is the beginning of what was sent, and less.
fn echoed_short(exchange: &Exchange) -> Option<String> {
    let (request, response) = (exchange.request.as_ref()?, exchange.response.as_ref()?);
    let cut = |sent: &[u8], echo: &[u8]| {
        (sent.len() >= LARGE
            && !echo.is_empty()
            && echo.len() < sent.len()
            && sent.starts_with(echo))
        .then(|| format!("is cut: {} of {} bytes come back", echo.len(), sent.len()))
    };
    let promiser = || cut(request.promiser.as_deref()?, response.promiser.text()?);
    promiser().or_else(|| {
        response
            .attributes()
            .find_map(|(name, echo)| {
                let sent = request.attribute(name).and_then(Value::as_text)?;
                cut(sent, echo.as_text()?)
            })
    })
}

/// A value that the small run wrote to a file verbatim, and this one shorter.
fn stored_short(baseline: &Session, variant: &Session, exchange: &Exchange) -> Option<String> {
    let field = variant.promise(exchange)?.field.as_deref()?;
    let value = |exchange: &Exchange| {
        let value = exchange.request.as_ref()?.attribute(field.as_bytes())?;
        Some(value.as_text()?.to_vec())
    };
    let sent = value(exchange).filter(|sent| sent.len() >= LARGE)?;
    let written = |change: &&Change| {
        matches!(change.kind, ChangeKind::Created | ChangeKind::Changed)
    };
    let holds = |entry: Option<&Entry>, value: &[u8]| {
        entry
            .and_then(|entry| entry.content.as_ref())
            .is_some_and(|content| has_word(content, value))
    };
    // What stood there before may be a place to look for, and no more.
    let stored = baseline.evaluations().any(|small| {
        let (Some(changes), Some(value)) = (&small.effects, value(small)) else {
            return false;
        };
        value.len() >= 4
            && changes.iter().filter(written).any(|change| {
                holds(change.after.as_ref(), &value) && !holds(change.before.as_ref(), &value)
            })
    });
    let changes = exchange.effects.as_ref()?;
    if !stored || !exchange.is("repaired") {
        return None;
    }
    let made = changes.iter().filter(written).filter_map(|change| change.after.as_ref());
    let files = made.filter(|entry| entry.kind == FileType::File);
    let longest = files.map(|file| file.size).max()?;
    (longest < sent.len() as u64).then(|| {
        format!(
            "is cut: of {} bytes in `{}` {longest} were written",
            sent.len(),
            visible(field.as_bytes())
        )
    })
}
