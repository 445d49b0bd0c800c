//! # The module reads and answers requests of 64 KiB and 1 MiB
//!
//! ## What it requires
//! The module reads a request of 64 KiB or 1 MiB completely and answers it.
//!
//! ## Why
//! Agents set no limit to an attribute. A fixed-size buffer cuts a value or misses the end of
//! the message; a module that answers too early can block on a full pipe.
//!
//! ## How it is judged
//! - Judged: requests of 32 KiB and more: no answer in time, `error` that no small request
//!   got, and a value that an echo or a written file cuts off.
//! - Judged: if only the request is large, not a value in it, its answer must be that of the
//!   small request.
//! - Not judged: a large value that is `invalid` or `not_kept`, since names and command lines
//!   have limits; requests whose small form gets no answer either.
//! - Lowered to should: `error` in the evaluation of a large value.
//!
//! ## Example
//! A C module reads lines into `char line[4096]`.
//!
//! ## How to fix
//! Let the buffer grow, and read up to the empty line before you answer.
//! - C: `getline(&line, &size, stdin)`
//! - Go: `bufio.Reader.ReadBytes('\n')`; `bufio.Scanner` stops at 64 KiB.
//! - Shell: pass values through a pipe, `printf '%s\n' "$line" | jq …`. An argument or a
//!   variable of the environment holds at most 128 KiB.
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol" (no limit is set). cf-agent 3.21.0 sends and
//! reads lines of any length.

use crate::phase;
use crate::compare::OTHER_RESULT;
use crate::output::{answer_differs, answer_variant, in_time, unanswered, unanswered_variant};
use crate::session::{Exchange, Session};
use crate::wire::Value;
use crate::words::{has_word, visible};
use stickler_judge::{Check, Group, Ledger, Level, Place, Relation, Role, Variant, Variation};
use stickler_transcript::{Change, ChangeKind, Entry, FileType};

/// Requests from this size on are judged, in bytes.
const LARGE: usize = 32 << 10;

pub(super) const CHECKS: super::Checks = &[Check::Group(&[Relation::Large], check)];

/// The value is read only in part.
const CUT_OFF: Variant = Variant::new("cut-off");

fn check(group: &Group<'_, Session>, ledger: &mut Ledger) {
    let Some((_, baseline)) = group.baseline() else {
        return;
    };
    for (role, index, variant) in group.variants().filter(|(role, ..)| **role != Role::Again) {
        for exchange in variant.exchanges.iter().filter(|e| is_large(variant, e)) {
            // If the module answers no small request either, other rules report it.
            if !baseline.answered(exchange.phase).any(in_time) {
                continue;
            }
            let place = Place {
                session: index,
                exchange: Some(exchange.number),
            };
            match broken(baseline, variant, exchange) {
                Some((variant, what, most)) => {
                    let message = format!("a large request (`{role}`) {what}");
                    let finding = ledger
                        .finding_at(place, variant.says(message))
                        .expected("a complete read and an answer")
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
            .item(exchange)
            .is_some_and(|promise| promise.variation == Some(Variation::Huge))
    };
    exchange.owed
        && matches!(exchange.phase, phase::VALIDATE | phase::EVALUATE)
        && (exchange.sent.len() >= LARGE || huge())
}

/// What is wrong with the answer, and its highest possible level.
fn broken(
    baseline: &Session,
    variant: &Session,
    exchange: &Exchange,
) -> Option<(Variant, String, Level)> {
    let must = |variant, what| (variant, what, Level::Must);
    if let Some(what) = unanswered(exchange) {
        return Some(must(unanswered_variant(exchange), what));
    }
    let huge = variant
        .item(exchange)
        .is_some_and(|promise| promise.variation == Some(Variation::Huge));
    if let Some(small) = baseline.exchange(&exchange.key).filter(|_| !huge)
        && let Some(what) = answer_differs(small, exchange)
    {
        return Some(must(
            answer_variant(small, exchange),
            format!("gets {what}"),
        ));
    }
    let erred = baseline.answered(exchange.phase).any(|e| e.is("error"));
    // A value of this size may exceed a limit of what the module uses it for.
    let used = huge && exchange.phase == phase::EVALUATE;
    if exchange.is("error") && !erred {
        let most = if used { Level::Should } else { Level::Must };
        return Some((OTHER_RESULT, "is answered with `error`".into(), most));
    }
    let short = echoed_short(exchange).or_else(|| stored_short(baseline, variant, exchange));
    short.map(|what| must(CUT_OFF, what))
}

/// Is an echo only the beginning of the value that was sent?
fn echoed_short(exchange: &Exchange) -> Option<String> {
    let (request, response) = (exchange.request.as_ref()?, exchange.response.as_ref()?);
    let cut = |sent: &[u8], echo: &[u8]| {
        (sent.len() >= LARGE
            && !echo.is_empty()
            && echo.len() < sent.len()
            && sent.starts_with(echo))
        .then(|| format!("is cut off: the answer echoes {} of {} bytes", echo.len(), sent.len()))
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

/// Did the small run write this value to a file verbatim, and this one cut it off?
fn stored_short(baseline: &Session, variant: &Session, exchange: &Exchange) -> Option<String> {
    let field = variant.item(exchange)?.field.as_deref()?;
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
    // A text that the file contained before may only be a text to look for.
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
            "is cut off: only {longest} of {} bytes in `{}` were written",
            sent.len(),
            visible(field.as_bytes())
        )
    })
}
