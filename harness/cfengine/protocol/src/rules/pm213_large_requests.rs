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
//!   have limits; answers that a short value of the same form also gets; a value that does
//!   not arrive when it is short.
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
//! CFEngine: Custom promise types, "Protocol" (no limit is set). cf-agent sends and reads lines
//! of any length.

use crate::compare::OTHER_RESULT;
use crate::output::{answer_differs, answer_variant, in_time, unanswered, unanswered_variant};
use crate::partner::at;
use crate::phase;
use crate::relation;
use crate::session::{Exchange, Session};
use crate::wire::Value;
use crate::words::{has_word, visible};
use stickler_judge::{Check, Group, Ledger, Level, Role, Variant, Variation};
use stickler_transcript::{Change, ChangeKind, Entry, FileType, Item};

/// Requests from this size on are judged, in bytes.
const LARGE: usize = 32 << 10;

pub(super) const CHECKS: super::Checks = &[Check::Group(&[relation::LARGE], check)];

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
            let short = short(group, variant, exchange);
            let place = at(index, exchange);
            match broken(baseline, variant, exchange, short.map(|(_, short)| short)) {
                Some((variant, what, most)) => {
                    let message = format!("a large request (`{role}`) {what}");
                    let mut finding = ledger
                        .finding_at(place, variant.says(message))
                        .expected("a complete read and an answer")
                        .graded(exchange.provenance)
                        .at_most(most);
                    if let Some((index, short)) = short {
                        finding = finding.also(at(index, short));
                    }
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
    exchange.owed
        && matches!(exchange.phase, phase::VALIDATE | phase::EVALUATE)
        && (exchange.sent.len() >= LARGE || is_huge(session, exchange))
}

/// Does the request have a large value?
fn is_huge(session: &Session, exchange: &Exchange) -> bool {
    let item = session.item(exchange);
    item.is_some_and(|item| item.variation == Some(Variation::Huge))
}

/// The same request with only the beginning of the large value, in a session of its own.
fn short<'s>(
    group: &Group<'s, Session>,
    variant: &Session,
    exchange: &Exchange,
) -> Option<(usize, &'s Exchange)> {
    let huge = variant.item(exchange)?;
    let is_of = |other: &Item| {
        other.variation == Some(Variation::Part)
            && other.field == huge.field
            && other.example == huge.example
            && size(&other.label) == size(&huge.label)
    };
    group.variants().find_map(|(_, index, session)| {
        let mut all = session.exchanges.iter();
        let short = all.find(|short| {
            short.phase == exchange.phase && session.item(short).is_some_and(is_of)
        })?;
        Some((index, short))
    })
}

/// The size in the label of a large value, or of its beginning.
fn size(label: &str) -> Option<&str> {
    label.rsplit(':').next()
}

/// What is wrong with the answer, and its highest possible level. An answer that the short request
/// gets, too, does not come from the size.
fn broken(
    baseline: &Session,
    variant: &Session,
    exchange: &Exchange,
    short: Option<&Exchange>,
) -> Option<(Variant, String, Level)> {
    let must = |variant, what| (variant, what, Level::Must);
    if let Some(what) = unanswered(exchange) {
        let is_usual = short.is_some_and(|short| unanswered(short).is_some());
        return (!is_usual).then(|| must(unanswered_variant(exchange), what));
    }
    let huge = is_huge(variant, exchange);
    if let Some(small) = baseline.exchange(&exchange.key).filter(|_| !huge)
        && let Some(what) = answer_differs(small, exchange)
    {
        return Some(must(
            answer_variant(small, exchange),
            format!("gets {what}"),
        ));
    }
    let erred = baseline.answered(exchange.phase).any(|e| e.is("error"))
        || short.is_some_and(|short| short.is("error"));
    // A value of this size may exceed a limit of what the module uses it for.
    let used = huge && exchange.phase == phase::EVALUATE;
    if exchange.is("error") && !erred {
        let most = if used { Level::Should } else { Level::Must };
        return Some((OTHER_RESULT, "is answered with `error`".into(), most));
    }
    let short = short?;
    let cut = echoed_short(exchange, short).or_else(|| stored_short(variant, exchange, short));
    cut.map(|what| must(CUT_OFF, what))
}

/// Is an echo only the beginning of the value that was sent, though a short value is echoed whole?
fn echoed_short(exchange: &Exchange, short: &Exchange) -> Option<String> {
    let (request, response) = (exchange.request.as_ref()?, exchange.response.as_ref()?);
    let cut = |sent: &[u8], echo: &[u8]| {
        (sent.len() >= LARGE
            && !echo.is_empty()
            && echo.len() < sent.len()
            && sent.starts_with(echo))
        .then(|| {
            format!(
                "is cut off: the answer echoes {} of {} bytes",
                echo.len(),
                sent.len()
            )
        })
    };
    let (small, back) = (short.request.as_ref()?, short.response.as_ref()?);
    let promiser = || {
        let is_whole = back.promiser.text() == small.promiser.as_deref();
        let echo = response.promiser.text().filter(|_| is_whole)?;
        cut(request.promiser.as_deref()?, echo)
    };
    promiser().or_else(|| {
        response.attributes().find_map(|(name, echo)| {
            let (_, usual) = back.attributes().find(|(known, _)| *known == name)?;
            let is_whole = small.attribute(name) == Some(usual);
            let sent = request.attribute(name).and_then(Value::as_text)?;
            cut(sent, echo.as_text().filter(|_| is_whole)?)
        })
    })
}

/// Is the value stored in a file verbatim if it is short, and cut off if it is large?
fn stored_short(variant: &Session, exchange: &Exchange, short: &Exchange) -> Option<String> {
    let field = variant.item(exchange)?.field.as_deref()?;
    let value = |exchange: &Exchange| {
        let value = exchange.request.as_ref()?.attribute(field.as_bytes())?;
        Some(value.as_text()?.to_vec())
    };
    let sent = value(exchange).filter(|sent| sent.len() >= LARGE)?;
    let written =
        |change: &&Change| matches!(change.kind, ChangeKind::Created | ChangeKind::Changed);
    let holds = |entry: Option<&Entry>, value: &[u8]| {
        entry
            .and_then(|entry| entry.content.as_ref())
            .is_some_and(|content| has_word(content, value))
    };
    let value = value(short)?;
    // A text that the file contained before may only be a text to look for.
    let stored = short
        .effects
        .iter()
        .flatten()
        .filter(written)
        .any(|change| {
            holds(change.after.as_ref(), &value) && !holds(change.before.as_ref(), &value)
        });
    let changes = exchange.all_effects()?;
    if !stored || !exchange.is("repaired") {
        return None;
    }
    let made = changes
        .iter()
        .filter(written)
        .filter_map(|change| change.after.as_ref());
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
