//! # The module writes nothing to stderr in normal work
//!
//! ## What it requires
//! While the module validates and evaluates valid promises with success, it writes nothing to
//! stderr.
//!
//! ## Why
//! The agent passes stderr to its own terminal, without a level or a name. Warnings of
//! interpreters and programs end up in mails of cron.
//!
//! ## How it is judged
//! - Judged: sessions with only the author's unchanged examples: headers, and answers `valid`,
//!   `kept`, `repaired` and `success`. This is advice; stderr is free for debugging.
//! - Not judged: unusual sessions, for example in another environment or with changes from
//!   outside.
//!
//! ## Example
//! A module runs `curl` without `-s`, which shows its progress on stderr.
//!
//! ## How to fix
//! Make programs silent, or turn their stderr into log messages:
//! - Shell: `curl -sS`, `git -c advice.detachedHead=false clone -q`,
//!   `output=$(program 2>&1 </dev/null)`
//! - Python: `subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True)`
//! - The interpreter's own warnings: correct what they are about.
//! - Remove debugging output, or send it as `log_debug=`.
//!
//! ## Source
//! CFEngine: Custom promise types, "Creating custom promise types" (standard error is not part
//! of the protocol, and may be used for debugging).

use crate::output::is_variant;
use crate::phase;
use crate::reads::OUTCOMES;
use crate::relation;
use crate::session::{Exchange, Session};
use crate::words::{cut, visible};
use stickler_judge::{Check, Ledger, Provenance};
use stickler_transcript::Event;
use stickler_transcript::Relation;

pub(super) const CHECKS: super::Checks = &[Check::Session(OUTCOMES, check)];

/// Relations whose variants are not normal work.
const UNUSUAL: &[Relation] = &[
    Relation::ENVIRONMENT,
    Relation::KILL,
    Relation::PROTECT,
    Relation::DRIFT,
    Relation::UNDONE,
    Relation::ESCAPE,
    relation::LARGE,
    Relation::TEXT,
    relation::HEADER,
    Relation::COMMANDS,
];

fn check(session: &Session, ledger: &mut Ledger) {
    let case = session.case();
    let usual = !session.refuses_writes()
        && case
            .items
            .iter()
            .all(|promise| promise.original && !promise.invalid)
        && session.exchanges.iter().all(|exchange| exchange.owed)
        && !is_variant(session, UNUSUAL);
    if !usual {
        return;
    }
    for exchange in session
        .exchanges
        .iter()
        .filter(|exchange| succeeded(exchange))
    {
        let early = match exchange.phase {
            phase::HEADER => before_requests(session, exchange.process),
            _ => Vec::new(),
        };
        let errors = [&early[..], &exchange.errors[..]].concat();
        let line = errors
            .split(|byte| *byte == b'\n')
            .find(|line| !line.trim_ascii().is_empty());
        let Some(line) = line else {
            ledger.pass(exchange.number);
            continue;
        };
        let finding = ledger
            .finding(
                exchange.number,
                format!("on standard error: `{}`", cut(&visible(line), 80)),
            )
            .expected("nothing, or a log message")
            .graded(exchange.provenance);
        ledger.report(finding);
        // One is enough for a session.
        return;
    }
}

fn succeeded(exchange: &Exchange) -> bool {
    if exchange.provenance == Provenance::Beyond || exchange.message.is_none() {
        return false;
    }
    match exchange.phase {
        phase::HEADER => true,
        phase::VALIDATE => exchange.is("valid"),
        phase::EVALUATE => exchange.is("kept") || exchange.is("repaired"),
        phase::TERMINATE => exchange.is("success"),
        _ => false,
    }
}

/// What a process wrote to standard error before the first request.
fn before_requests(session: &Session, number: usize) -> Vec<u8> {
    let mut errors = Vec::new();
    for event in &session.transcript.events {
        match event {
            Event::Start { process, .. } if *process == number => errors.clear(),
            Event::Err { process, data, .. } if *process == number => {
                errors.extend_from_slice(data);
            }
            Event::Request(input) if input.process == number => break,
            _ => {}
        }
    }
    errors
}
