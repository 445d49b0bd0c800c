//! # Result classes are identifiers already
//!
//! ## What it requires
//! Names in `result_classes` consist of letters of the ASCII alphabet, digits
//! and underscores. A namespace and a colon may stand before them.
//!
//! ## Why
//! The agent turns every other character into an underscore. Policy that asks
//! for the name as the module's manual gives it never finds it.
//!
//! ## How it is judged
//! On every name in `result_classes`. This is advice.
//!
//! ## Example
//! ```text
//! ← {…, "result_classes": ["nginx-reloaded"]}
//! ```
//! The agent defines `nginx_reloaded`.
//!
//! ## Source
//! CFEngine: Custom promise types, "Result classes"; cf-agent 3.21.0 canonifies
//! the names.

use crate::session::Session;
use crate::words::{cut, visible};
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for (exchange, _) in session.responses().filter(|(exchange, _)| exchange.owed) {
        let names = exchange.classes();
        // Names without text are PM603.
        let mut judged = names
            .iter()
            .filter(|name| !name.trim_ascii().is_empty())
            .peekable();
        if judged.peek().is_none() {
            continue;
        }
        let broken = judged.find(|name| !is_identifier(name)).map(|name| {
            format!(
                "the result class `{}` is no identifier",
                cut(&visible(name), 60)
            )
        });
        ledger.check(exchange.number, exchange.provenance, broken);
    }
}

fn is_identifier(name: &[u8]) -> bool {
    let word = |part: &[u8]| {
        !part.is_empty()
            && part
                .iter()
                .all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
    };
    let mut parts = name.split(|byte| *byte == b':');
    let (first, second, third) = (parts.next(), parts.next(), parts.next());
    first.is_some_and(word) && second.is_none_or(word) && third.is_none()
}
