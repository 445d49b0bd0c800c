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
//!
//! ## How to fix
//! Write the header line and the empty line at once, flush, and wait for a request.
//! - Python: `print("name 1.0.0 v1 json_based\n", flush=True)`; `print` adds the second
//!   newline.
//! - Shell: `printf '%s\n\n' 'name 1.0.0 v1 json_based'`
//! - `cfengine_module_library`, CFEngine's for Python:
//!   `PromiseModule("name", "1.0.0").start()`.
//! - If the module exits, start it by hand: `printf 'cf-agent 3.28.0 v1\n\n' | ./module`
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol header". If another line follows the header,
//! cf-agent reports "failed to send empty line after header".

use crate::offer::{looks_like_header, usual_headers};
use crate::output::{CLOSES_OUTPUT, EXITS, exit_words};
use crate::reads::STARTS_AND_ENDS;
use crate::session::{Ended, Exchange, Session};
use crate::wire::header::{Ending, Header};
use crate::words::{cut, visible};
use stickler_judge::{Check, Defect, Ledger, Variant};
use stickler_transcript::Silence;

pub(super) const CHECKS: super::Checks = &[Check::Session(STARTS_AND_ENDS, check)];

/// Endless output, and no header in it.
const ENDLESS: Variant = Variant::new("endless-output");
/// Empty lines alone.
const NO_HEADER: Variant = Variant::new("no-header");
/// The line end or the empty line after the header is missing.
const NOT_ENDED: Variant = Variant::new("not-ended");
/// Another line where the empty line belongs.
const EXTRA_LINE: Variant = Variant::new("extra-line");
/// More than one empty line.
const EXTRA_EMPTY_LINE: Variant = Variant::new("extra-empty-line");

fn check(session: &Session, ledger: &mut Ledger) {
    for exchange in usual_headers(session).filter(|exchange| exchange.ended != Ended::Killed) {
        let broken = match exchange.header() {
            Some(header) => broken_header(exchange, &header),
            None => match no_header(exchange) {
                Some(defect) => Some(defect),
                None => continue,
            },
        };
        match broken {
            None => ledger.pass(exchange.number),
            Some(defect) => {
                let finding = ledger
                    .finding(exchange.number, defect)
                    .expected("one header line and one empty line")
                    .graded(exchange.provenance);
                ledger.report(finding);
            }
        }
    }
}

fn no_header(exchange: &Exchange) -> Option<Defect> {
    match exchange.ended {
        Ended::Exited(cause) => Some(EXITS.says(format!(
            "the process ended ({}) without answering the header",
            exit_words(cause)
        ))),
        Ended::ClosedOutput => {
            Some(CLOSES_OUTPUT.says("standard output was closed without a header"))
        }
        Ended::Silent(Silence::Flood) => Some(ENDLESS.says("endless output instead of a header")),
        Ended::Answered => Some(NO_HEADER.says("empty lines instead of a header")),
        // PM106 reports a header that does not come in time.
        Ended::Silent(_) | Ended::Killed | Ended::NoAnswer => None,
    }
}

fn broken_header(exchange: &Exchange, header: &Header<'_>) -> Option<Defect> {
    let line = || cut(&visible(header.line), 80);
    if let Ended::Exited(cause) = exchange.ended
        && !looks_like_header(header)
    {
        return Some(EXITS.says(format!(
            "the process ended ({}) without a header; it printed `{}`",
            exit_words(cause),
            line()
        )));
    }
    if let Some(extra) = header.extra_lines.first() {
        let extra = exchange.output.get(extra.clone()).unwrap_or_default();
        return Some(EXTRA_LINE.says(format!(
            "another line instead of the empty line after the header: `{}`",
            cut(&visible(extra), 80)
        )));
    }
    match header.ending {
        Ending::None => Some(NOT_ENDED.says(format!("the header line has no end: `{}`", line()))),
        Ending::LineFeed => {
            Some(NOT_ENDED.says(format!("no empty line after the header line `{}`", line())))
        }
        Ending::EmptyLine | Ending::CarriageReturn => {
            let rest = exchange.output.get(header.len..).unwrap_or_default();
            rest.starts_with(b"\n")
                .then(|| EXTRA_EMPTY_LINE.says("more than one empty line after the header line"))
        }
    }
}
