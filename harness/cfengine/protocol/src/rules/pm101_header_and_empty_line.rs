//! # The module answers the agent's header with one header line and one empty line
//!
//! ## What it requires
//! After the agent's header, the module sends one header line and exactly one empty line.
//!
//! ## Why
//! The empty line tells the agent where the header ends. Without it the agent waits forever;
//! with another line in its place, the agent drops the module and all its promises fail.
//!
//! ## How it is judged
//! - Judged: after the usual agent's header, a process that ends or closes stdout without a
//!   header, a missing line end or empty line, and extra lines.
//! - Not judged: a silent process that keeps running (PM106); lines before the header (PM107).
//!
//! ## Example
//! ```text
//! ← git_promise_module 0.0.1 v1 json_based
//! ← ready
//! ```
//! Fix: print an empty line right after the header line, and then wait for a request.
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol header". If another line follows the header,
//! cf-agent 3.21.0 reports "failed to send empty line after header".

use crate::reads::STARTS_AND_ENDS;
use crate::offer::{looks_like_header, usual_headers};
use crate::output::exit_words;
use crate::session::{Ended, Exchange, Session};
use crate::wire::header::{Ending, Header};
use crate::words::{cut, visible};
use stickler_judge::{Check, Ledger};
use stickler_transcript::Silence;

pub(super) const CHECKS: super::Checks = &[Check::Session(STARTS_AND_ENDS, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for exchange in usual_headers(session).filter(|exchange| exchange.ended != Ended::Killed) {
        let broken = match exchange.header() {
            Some(header) => broken_header(exchange, &header),
            None => match no_header(exchange) {
                Some(message) => Some(message),
                None => continue,
            },
        };
        match broken {
            None => ledger.pass(exchange.number),
            Some(message) => {
                let finding = ledger
                    .finding(exchange.number, message)
                    .expected("one header line and one empty line")
                    .graded(exchange.provenance);
                ledger.report(finding);
            }
        }
    }
}

fn no_header(exchange: &Exchange) -> Option<String> {
    match exchange.ended {
        Ended::Exited(cause) => Some(format!(
            "the process ended ({}) without answering the header",
            exit_words(cause)
        )),
        Ended::ClosedOutput => Some("standard output was closed without a header".into()),
        Ended::Silent(Silence::Flood) => Some("endless output instead of a header".into()),
        Ended::Answered => Some("empty lines instead of a header".into()),
        // PM106 reports a header that does not come in time.
        Ended::Silent(_) | Ended::Killed | Ended::NoAnswer => None,
    }
}

fn broken_header(exchange: &Exchange, header: &Header<'_>) -> Option<String> {
    let line = || cut(&visible(header.line), 80);
    if let Ended::Exited(cause) = exchange.ended
        && !looks_like_header(header)
    {
        return Some(format!(
            "the process ended ({}) without a header; it printed `{}`",
            exit_words(cause),
            line()
        ));
    }
    if let Some(extra) = header.extra_lines.first() {
        let extra = exchange.output.get(extra.clone()).unwrap_or_default();
        return Some(format!(
            "another line instead of the empty line after the header: `{}`",
            cut(&visible(extra), 80)
        ));
    }
    match header.ending {
        Ending::None => Some(format!("the header line has no end: `{}`", line())),
        Ending::LineFeed => Some(format!("no empty line after the header line `{}`", line())),
        Ending::EmptyLine | Ending::CarriageReturn => {
            let rest = exchange.output.get(header.len..).unwrap_or_default();
            rest.starts_with(b"\n")
                .then(|| "more than one empty line after the header line".into())
        }
    }
}
