//! # Header lines end in LF only and contain no byte order mark, NUL or tab
//!
//! ## What it requires
//! The header line and the empty line end with a line feed, and contain no carriage return,
//! byte order mark, NUL or tab.
//!
//! ## Why
//! The agent compares bytes: with a carriage return, `json_based` is an unknown flag and an
//! empty line is not empty. For the agent, a NUL ends the line and a tab separates nothing.
//!
//! ## How it is judged
//! - Judged: every header line and the empty line after it.
//!
//! ## Example
//! A script with Windows line endings prints its header line and the empty line with `\r\n`.
//!
//! ## How to fix
//! End lines with `\n` only, and separate fields with a space.
//! - A script with Windows line endings: `sed -i 's/\r$//' module.sh`
//! - Java: `System.out.print(line + "\n")`
//! - Byte order mark: choose UTF-8 without it, such as `UTF8Encoding(false)` in .NET, or
//!   Python's `"utf-8"` instead of `"utf-8-sig"`.
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol header". cf-agent then uses the line protocol, or
//! drops the module because the empty line is missing.

use crate::reads::STARTS_AND_ENDS;
use crate::session::Session;
use crate::wire::header::{DefectKind, Header};
use stickler_judge::{Check, Defect, Ledger, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(STARTS_AND_ENDS, check)];

/// Lines end with a carriage return, or one is in them.
const CARRIAGE_RETURN: Variant = Variant::new("carriage-return");
/// A byte order mark.
const BYTE_ORDER_MARK: Variant = Variant::new("byte-order-mark");
/// A NUL.
const NUL: Variant = Variant::new("nul");
/// A tab.
const TAB: Variant = Variant::new("tab");

fn check(session: &Session, ledger: &mut Ledger) {
    for exchange in session.headers() {
        let Some(header) = exchange.header() else {
            continue;
        };
        let Some(defect) = broken(&header) else {
            ledger.pass(exchange.number);
            continue;
        };
        let finding = ledger
            .finding(exchange.number, defect)
            .expected("plain text that ends with a line feed")
            .quote(header.line)
            .graded(exchange.provenance);
        ledger.report(finding);
    }
}

fn broken(header: &Header<'_>) -> Option<Defect> {
    header.defects.iter().find_map(|defect| match defect.kind {
        DefectKind::CarriageReturn => Some(CARRIAGE_RETURN.says("a carriage return in the header")),
        DefectKind::ByteOrderMark => {
            Some(BYTE_ORDER_MARK.says("a byte order mark before the header"))
        }
        DefectKind::Nul => Some(NUL.says("a NUL in the header line")),
        DefectKind::Tab => Some(TAB.says("a tab in the header line")),
        // PM102 judges fields.
        DefectKind::EmptyField => None,
    })
}
