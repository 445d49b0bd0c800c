//! # A provider prints nothing
//!
//! ## What it requires
//! A provider prints nothing on standard output.
//!
//! ## Why
//! Puppet runs in the background, where nobody sees the text. `puppet resource` mixes it with its
//! own output.
//!
//! ## How it is judged
//! - Judged: standard output of the host while it answers.
//!
//! ## Example
//! A `puts` left over from debugging.
//!
//! ## How to fix
//! Use `context.debug`.
//!
//! ## Source
//! Resource API specification, "Logging and reporting".

use crate::reads::READS;
use crate::session::Session;
use stickler_judge::{Check, Ledger};
use stickler_reading::words::{cut, visible};

pub(super) const CHECKS: super::Checks = &[Check::Session(READS, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for call in session
        .exchanges
        .iter()
        .filter(|call| call.answer.is_some())
    {
        let broken = (!call.printed.is_empty()).then(|| {
            format!(
                "it printed `{}`",
                cut(&visible(call.printed.trim_ascii()), 60)
            )
        });
        ledger.check(call.number, call.provenance, broken);
    }
}
