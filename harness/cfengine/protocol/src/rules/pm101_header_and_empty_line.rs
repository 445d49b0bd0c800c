//! # The agent's header is answered with one header line and then one empty line
//!
//! ## What it requires
//! To the agent's header a module answers one line of its own, and exactly one
//! empty line after it.
//!
//! ## Why
//! The empty line tells the agent where the header ends. Without it the agent
//! waits without end; with another line in its place it gives the module up,
//! and every promise of its type fails.
//!
//! ## How it is judged
//! On the usual agent's header, in every session. Judged are a process that
//! ends without a header, a header line that no line end or no empty line
//! follows, further lines between both, and further empty lines. A header that
//! does not come at all, from a process that lives on, is PM106; what stands
//! before the header is PM107.
//!
//! ## Example
//! ```text
//! → cf-agent 3.21.0 v1
//! ← git_promise_module 0.0.1 v1 json_based
//! ← ready
//! ```
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol header". cf-agent 3.21.0 reports
//! "failed to send empty line after header" where another line follows, and
//! waits forever where nothing does.

use crate::offer::{looks_like_header, usual_headers};
use crate::output::exit_words;
use crate::session::{Ended, Exchange, Session};
use crate::wire::header::{Ending, Header};
use crate::words::{cut, visible};
use stickler_judge::{Check, Ledger};
use stickler_transcript::Silence;

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

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
        Ended::Silent(Silence::Flood) => Some("output without end instead of a header".into()),
        Ended::Answered => Some("empty lines instead of a header".into()),
        // Nothing in time is PM106.
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
