//! # The module writes nothing to stdout before its header
//!
//! ## What it requires
//! The first bytes that the module writes to stdout are its header line.
//!
//! ## Why
//! The agent takes the first line as the header, whatever it contains. A banner, a blank line
//! or the output of a library that is loaded makes the agent drop the module.
//!
//! ## How it is judged
//! - Judged: every session in which a header comes. Of the lines up to the first empty line
//!   after a header, the suite takes the one that looks most like a header.
//! - Not judged: a header that the module sends before the agent's, which is accepted.
//!
//! ## Example
//! ```text
//! ← Loading plugins...
//! ← git_promise_module 0.0.1 v1 json_based
//! ```
//!
//! ## How to fix
//! Remove the output, or write it to stderr while you debug.
//! - Python, for a library that prints:
//!   `with contextlib.redirect_stdout(sys.stderr): import plugin`
//! - Shell: `. ./library.sh >&2`
//! - Node: `console.error`, not `console.log`. Java and C: set the logging library to stderr.
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol header" and "Creating custom promise types" (all
//! output follows the protocol). cf-agent then reports "failed to send empty line after
//! header".

use crate::reads::STARTS_AND_ENDS;
use crate::session::Session;
use crate::words::{cut, visible};
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(STARTS_AND_ENDS, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for exchange in session.headers() {
        let Some(header) = exchange.header() else {
            continue;
        };
        let Some(noise) = header.noise_before.first() else {
            ledger.pass(exchange.number);
            continue;
        };
        let noise = exchange.output.get(noise.clone()).unwrap_or_default();
        let message = if noise.is_empty() {
            "an empty line before the header".to_owned()
        } else {
            format!("a line before the header: `{}`", cut(&visible(noise), 80))
        };
        let finding = ledger
            .finding(exchange.number, message)
            .expected("the header first")
            .quote(noise)
            .graded(exchange.provenance);
        ledger.report(finding);
    }
}
