//! # The module executes nothing in a promise
//!
//! ## What it requires
//! The promiser and the names and values of attributes are data: no shell, `eval`, template
//! engine or format string interprets them.
//!
//! ## Why
//! Modules run as root, and promises contain names that others chose. A `;` in such a name
//! must not become a command.
//!
//! ## How it is judged
//! - Judged: baits for shells, templates, SQL and languages such as Python, Perl and PHP. The
//!   suite puts them into each text value, the first text of each list or object, the
//!   promiser, and the name of an attribute. A bait that runs creates a file. A bait that is
//!   computed shows a number that the request does not contain. Rejected promises count too.
//! - Not judged: fields that `executes` lists; sessions in which effects are not read.
//! - Lowered, since agents never send them: names of attributes to should, `$(…)` and `${…}`
//!   in a promise to may.
//!
//! ## Example
//! The module calls `os.system(f"git clone {url} {folder}")`.
//!
//! ## How to fix
//! Pass a list of arguments, without a shell, and `--` before the operands.
//! - Python: `subprocess.run(["git", "clone", "--", url, folder])`. Ruby: `system("git", …)`.
//! - C: `execvp`. Node: `execFile`. Perl: `system { $list[0] } @list`, three-argument `open`.
//! - Shell: quote `"$value"`, `set -f`, `printf '%s\n' "$value"`. No `eval`; no value in
//!   `$((…))`, `[[ … -eq … ]]`, `sed` script or format; no name in `${!name}`. SQL: parameters.
//!
//! ## Source
//! Common practice (CWE-78, CWE-95). CFEngine: Custom promise types, "Protocol request
//! sequence" (promises are resolved when sent). Its example module does run values in a shell.

use crate::phase;
use crate::session::{Exchange, Session};
use crate::words::{contains, visible};
use std::collections::BTreeSet;
use stickler_judge::{Check, Defect, Ledger, Level, Relation, Variant};
use stickler_transcript::{Trap, TrapKind};

pub(super) const CHECKS: super::Checks = &[Check::Session(&[Relation::TRAPS], check)];

/// A command in a value is run.
const RUN: Variant = Variant::new("run");
/// An expression in a value is computed.
const COMPUTED: Variant = Variant::new("computed");
/// A command in the name of an attribute is run.
const NAME_RUN: Variant = Variant::new("name-run");
/// An expression in the name of an attribute is computed.
const NAME_COMPUTED: Variant = Variant::new("name-computed");

fn check(session: &Session, ledger: &mut Ledger) {
    let case = session.case();
    let traps = |kind: TrapKind| {
        let wanted: Vec<&Trap> = case.traps.iter().filter(|trap| trap.kind == kind).collect();
        wanted
    };
    commands(session, &traps(TrapKind::Command), ledger);
    computed(session, &traps(TrapKind::Computed), ledger);
}

/// Requests that contain the bait in a field that is not meant to be run.
fn baited<'s>(session: &'s Session, trap: &'s Trap) -> impl Iterator<Item = &'s Exchange> {
    session
        .exchanges
        .iter()
        .filter(|exchange| matches!(exchange.phase, phase::VALIDATE | phase::EVALUATE))
        .filter(|exchange| !is_meant(session, exchange) && carries(exchange, &trap.bait))
}

fn is_meant(session: &Session, exchange: &Exchange) -> bool {
    session
        .item(exchange)
        .and_then(|promise| promise.field.as_ref())
        .is_some_and(|field| session.facts.executes.contains(field))
}

fn carries(exchange: &Exchange, bait: &[u8]) -> bool {
    exchange.request.as_ref().is_some_and(|request| {
        request.promiser.as_deref() == Some(bait)
            || request
                .attributes
                .iter()
                .flatten()
                .any(|(name, value)| name == bait || value.words().contains(&bait))
    })
}

/// Is the bait the name of an attribute?
fn is_name(exchange: &Exchange, bait: &[u8]) -> bool {
    let request = exchange.request.as_ref();
    request.is_some_and(|request| request.attribute(bait).is_some())
}

/// The changed part of the promise, in words.
fn place_words(session: &Session, exchange: &Exchange, bait: &[u8]) -> String {
    if is_name(exchange, bait) {
        return "the name of an attribute".to_owned();
    }
    let field = session
        .item(exchange)
        .and_then(|promise| promise.field.as_deref());
    match field {
        Some("promiser") => "the promiser".to_owned(),
        Some(field) => format!("the value of `{}`", visible(field.as_bytes())),
        None => "a value".to_owned(),
    }
}

/// Each command that runs leaves a file.
fn commands(session: &Session, traps: &[&Trap], ledger: &mut Ledger) {
    if traps.is_empty() {
        return;
    }
    if session.observations.is_empty() {
        ledger.skip(
            "this session does not read effects, so an executed command leaves no visible trace",
        );
        return;
    }
    for trap in traps {
        let baited: Vec<&Exchange> = baited(session, trap).collect();
        let Some(first) = baited.first() else {
            continue;
        };
        let sprung = session.observations.iter().find(|observation| {
            observation
                .changes
                .iter()
                .any(|change| change.path == trap.sign)
        });
        let Some(sprung) = sprung else {
            for exchange in baited {
                ledger.pass(exchange.number);
            }
            continue;
        };
        // The exchange after which the file appeared, or else the first with the bait: a command
        // may run later.
        let at = baited
            .iter()
            .find(|exchange| sprung.exchanges.contains(&exchange.number))
            .unwrap_or(first);
        let message = format!(
            "a command in {} is run when the promise is {}",
            place_words(session, at, &trap.bait),
            if at.phase == phase::VALIDATE {
                "validated"
            } else {
                "evaluated"
            }
        );
        let variant = if is_name(at, &trap.bait) {
            NAME_RUN
        } else {
            RUN
        };
        report(ledger, at, trap, variant.says(message), None);
    }
}

/// The result of a computed expression appears in the answer or in an effect.
fn computed(session: &Session, traps: &[&Trap], ledger: &mut Ledger) {
    let mut shown: BTreeSet<&[u8]> = BTreeSet::new();
    for exchange in &session.exchanges {
        let trap = traps.iter().find(|trap| {
            !contains(&trap.bait, &trap.sign)
                && baited(session, trap).any(|baited| baited.number == exchange.number)
        });
        // A number that was there before is no evidence.
        let new: Vec<&[u8]> = traps
            .iter()
            .map(|trap| &trap.sign[..])
            .filter(|sign| !shown.contains(sign) && shows(exchange, sign))
            .collect();
        shown.extend(&new);
        let Some(trap) = trap else {
            continue;
        };
        if new.contains(&&trap.sign[..]) {
            let message = format!(
                "an expression in {} is computed: `{}` appears",
                place_words(session, exchange, &trap.bait),
                visible(&trap.sign)
            );
            let is_name = is_name(exchange, &trap.bait);
            let variant = if is_name { NAME_COMPUTED } else { COMPUTED };
            report(
                ledger,
                exchange,
                trap,
                variant.says(message),
                Some(&trap.sign),
            );
        } else if !shown.contains(&&trap.sign[..]) {
            ledger.pass(exchange.number);
        }
    }
}

fn report(
    ledger: &mut Ledger,
    exchange: &Exchange,
    trap: &Trap,
    defect: Defect,
    quote: Option<&[u8]>,
) {
    let finding = ledger.finding(exchange.number, defect);
    let mut finding = match is_name(exchange, &trap.bait) {
        // No agent sends such a name today, but code that runs names is one step from running
        // values.
        true => finding
            .expected("`invalid`, or the name as text")
            .at_most(Level::Should),
        false => finding
            .expected("the text unchanged, or the attribute listed in `executes`")
            .graded(exchange.provenance),
    };
    if let Some(quote) = quote {
        finding = finding.quote(quote);
    }
    ledger.report(finding);
}

/// Does the text appear in the answer, or in what the exchange wrote?
fn shows(exchange: &Exchange, sign: &[u8]) -> bool {
    if stands(&exchange.output, sign) && !stands(&exchange.sent, sign) {
        return true;
    }
    exchange.effects.iter().flatten().any(|change| {
        let content = |entry: &Option<stickler_transcript::Entry>| {
            entry
                .as_ref()
                .and_then(|entry| entry.content.as_ref())
                .is_some_and(|content| stands(content, sign))
        };
        stands(&change.path, sign) || content(&change.after) && !content(&change.before)
    })
}

/// Does `text` contain the sign as a separate number, not as a part of a longer one?
fn stands(text: &[u8], sign: &[u8]) -> bool {
    if sign.is_empty() {
        return false;
    }
    let digit = |at: Option<usize>| {
        at.and_then(|at| text.get(at))
            .is_some_and(u8::is_ascii_digit)
    };
    text.windows(sign.len())
        .enumerate()
        .filter(|(_, window)| *window == sign)
        .any(|(at, _)| !digit(at.checked_sub(1)) && !digit(Some(at + sign.len())))
}
