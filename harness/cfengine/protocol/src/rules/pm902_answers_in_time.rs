//! # The module answers every request in time
//!
//! ## What it requires
//! The module answers each `validate_promise` and `evaluate_promise` before its phase's
//! deadline.
//!
//! ## Why
//! cf-agent waits without a limit. A module that hangs stops the whole run, and every later
//! run that waits for its lock.
//!
//! ## How it is judged
//! - Judged: every validation and evaluation. Large requests have more time. The suite retries
//!   a hang alone with a longer deadline. Endless output, processes or memory use, and a
//!   closed stdout, count as no answer.
//! - Not judged: late or partial answers (PM201); the header (PM106); `terminate` (PM307).
//! - Not judged, since narrower rules report them: lists and objects (PM904), no `attributes`
//!   (PM312), pieces (PM212), unknown keys (PM311), large requests (PM213), several processes
//!   (PM310), environments (PM909), kills (PM806).
//! - Lowered to should: control bytes, invalid UTF-8, what no agent sends; to may: NUL bytes.
//!
//! ## Example
//! A module asks for a password, and waits.
//!
//! ## How to fix
//! Give child programs no input, no prompts and a time limit, and answer `not_kept` after it.
//! - Python: `subprocess.run(command, stdin=subprocess.DEVNULL, timeout=60, …)`
//! - Shell: `timeout 60 git … </dev/null`, `curl --max-time 60`, `flock -w 60`
//! - Prompts: `GIT_TERMINAL_PROMPT=0`, `ssh -o BatchMode=yes`, `apt-get -y`
//! - Files: open only regular ones, `./-` instead of `-`. Slow work: raise `deadlines` in `stickler.toml`.
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol header". cf-agent waits forever.

use crate::narrower;
use crate::output::in_time;
use crate::phase;
use crate::relation;
use crate::session::{Ended, Exchange, Session};
use stickler_judge::{Check, Ledger, Level, Relation, Variant};
use stickler_transcript::Silence;

pub(super) const CHECKS: super::Checks = &[Check::Session(
    &[
        Relation::ALONE,
        relation::ATTRIBUTES,
        Relation::BETWEEN,
        Relation::IDLE,
        relation::BROKEN,
        Relation::FIELDS,
        Relation::WARN,
    ],
    check,
)];

/// There is no answer in time.
const HANGS: Variant = Variant::new("hangs");
/// The module keeps reading instead of answering.
const WAITS: Variant = Variant::new("waits-for-input");
/// The output has no end.
const FLOODS: Variant = Variant::new("endless-output");
/// More and more processes are started.
const SPAWNS: Variant = Variant::new("endless-processes");
/// More and more memory is used.
const GROWS: Variant = Variant::new("endless-memory");
/// Standard output is closed.
const CLOSES: Variant = Variant::new("closes-stdout");

fn check(session: &Session, ledger: &mut Ledger) {
    for exchange in &session.exchanges {
        let operation = match exchange.phase {
            phase::VALIDATE => "validate_promise",
            phase::EVALUATE => "evaluate_promise",
            _ => continue,
        };
        // On values that no agent sends, this rule reports a hang. PM912 reports an exit.
        let scalar = narrower::is_other_scalar(session, exchange);
        if !exchange.owed || narrower::tells(session, exchange) && !scalar {
            continue;
        }
        if in_time(exchange) {
            ledger.pass(exchange.number);
            continue;
        }
        let Some((variant, what)) = hung(session, exchange) else {
            continue;
        };
        let mut finding = ledger
            .finding(
                exchange.number,
                variant.says(format!("`{operation}` {what}")),
            )
            .expected("an answer within the deadline")
            .hang(exchange.provenance);
        if exchange.sent.contains(&0) {
            finding = finding.at_most(Level::May);
        } else if narrower::is_raw(exchange) {
            finding = finding.at_most(Level::Should);
        }
        ledger.report(finding);
    }
}

/// What the module did instead of an answer, if it did not exit.
fn hung(session: &Session, exchange: &Exchange) -> Option<(Variant, String)> {
    if exchange.late {
        return None;
    }
    match exchange.ended {
        // PM201 judges a part of an answer.
        Ended::Silent(why @ (Silence::Deadline | Silence::Input)) => {
            let words = if why == Silence::Input {
                (
                    WAITS,
                    "is not answered: the module waits for more input".to_owned(),
                )
            } else {
                let deadline = session.deadline(exchange);
                (HANGS, format!("is not answered within {deadline}"))
            };
            exchange.output.trim_ascii().is_empty().then_some(words)
        }
        Ended::Silent(Silence::Flood) => {
            Some((FLOODS, "gets endless output instead of an answer".into()))
        }
        Ended::Silent(Silence::Processes) => Some((SPAWNS, "starts processes endlessly".into())),
        Ended::Silent(Silence::Memory) => Some((GROWS, "uses memory without end".into())),
        Ended::ClosedOutput => {
            let process = session.process(exchange);
            (process.killed || process.exit.is_none()).then(|| {
                (
                    CLOSES,
                    "cannot be answered: the module closed stdout".into(),
                )
            })
        }
        Ended::Answered | Ended::Exited(_) | Ended::Killed | Ended::NoAnswer => None,
    }
}
