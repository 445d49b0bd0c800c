//! # Standard output carries only protocol messages
//!
//! ## What it requires
//! The module writes only protocol messages to stdout: no output of child processes, no
//! prints, no prompts, no line feeds inside log messages.
//!
//! ## Why
//! Other text lands in the middle of an answer. The agent reports an invalid line, loses the
//! answer, or takes a printed empty line as its end.
//!
//! ## How it is judged
//! - Judged: JSON: lines after the header other than log lines, JSON objects and keys with
//!   values; text on the object's line before the object.
//! - Judged: line protocol: lines with blanks and without `=`.
//! - Not judged: keys with values outside the JSON object (PM208); other odd lines in the line
//!   protocol (PM209); lines of broken JSON (PM205).
//!
//! ## Example
//! A module runs `git`, which prints `Cloning into '/opt/x'...` between the module's
//! messages.
//!
//! ## How to fix
//! Give each child process its own input and output, and write debugging output to stderr.
//! - Python: `subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True)`
//! - Shell: `git … </dev/null >/dev/null`, or `output=$(git … </dev/null)`
//! - Node: `stdio: ["ignore", "pipe", "pipe"]`. Ruby: `Open3.capture2e`. Go: `cmd.Output()`.
//! - Debugging: `print(…, file=sys.stderr)`, `echo … >&2`, `console.error(…)`
//! - Log messages: send one for each line of a text (PM509).
//!
//! ## Source
//! CFEngine: Custom promise types, "Creating custom promise types".

use crate::offer::names_protocol;
use crate::output::{after_broken, parts};
use crate::phase;
use crate::reads::ANSWERS;
use crate::session::{Ended, Exchange, Session};
use crate::wire::header::Protocol;
use crate::wire::response::{LineKind, Position, Response};
use crate::words::{cut, visible};
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(ANSWERS, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for exchange in &session.exchanges {
        if !exchange.owed || !names_protocol(session, exchange) || after_broken(session, exchange) {
            continue;
        }
        let protocol = session.protocol(exchange).unwrap_or(Protocol::Line);
        let Some(text) = text(exchange, protocol) else {
            if exchange.message.is_some() {
                ledger.pass(exchange.number);
            }
            continue;
        };
        let finding = ledger
            .finding(
                exchange.number,
                format!(
                    "text that is not protocol on standard output: `{}`",
                    cut(&visible(&text), 80)
                ),
            )
            .expected("only protocol messages")
            .quote(&text)
            .graded(exchange.provenance);
        ledger.report(finding);
    }
}

/// The first free text in the output of an exchange.
fn text(exchange: &Exchange, protocol: Protocol) -> Option<Vec<u8>> {
    let mut output = &exchange.output[..];
    if exchange.phase == phase::HEADER {
        output = output.get(exchange.header()?.len..)?;
    } else if exchange.message.is_none() && !matches!(exchange.ended, Ended::Exited(_)) {
        // The last line may be incomplete.
        let end = output.iter().rposition(|byte| *byte == b'\n')?;
        output = &output[..=end];
    }
    for part in parts(output, protocol) {
        let response = Response::analyse(part.bytes, protocol);
        if let Some(text) = free_text(&response) {
            return Some(text);
        }
        // The lines after a broken object may belong to it.
        if matches!(response.json, Some(Err(_))) {
            return None;
        }
    }
    None
}

fn free_text(response: &Response) -> Option<Vec<u8>> {
    if response.protocol == Protocol::Line {
        let blank = |byte: &u8| matches!(byte, b' ' | b'\t');
        let line = response.lines.iter().find(|line| {
            line.kind == LineKind::Text && response.bytes(&line.range).iter().any(blank)
        })?;
        return Some(response.bytes(&line.range).to_vec());
    }
    let broken = matches!(response.json, Some(Err(_)));
    let on_line = response
        .lines
        .iter()
        .filter(|line| !broken || line.place == Position::Before)
        .find(|line| line.is_free_text())
        .map(|line| line.range.clone());
    let glued = || {
        let glued = response.object.as_ref()?.glued_before.clone()?;
        (!response.bytes(&glued).starts_with(b"log_")).then_some(glued)
    };
    on_line
        .or_else(glued)
        .map(|range| response.bytes(&range).to_vec())
}
