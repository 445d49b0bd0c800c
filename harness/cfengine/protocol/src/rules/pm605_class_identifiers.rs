//! # Result classes are valid class identifiers
//!
//! ## What it requires
//! Names in `result_classes` consist of ASCII letters, digits and underscores, with an
//! optional namespace and colon in front.
//!
//! ## Why
//! The agent replaces every other character with an underscore. A policy that tests the name
//! as the module's manual gives it never finds the class.
//!
//! ## How it is judged
//! - Judged: every name in `result_classes` that has text. PM603 judges empty names.
//!
//! ## Example
//! ```text
//! ← {…, "result_classes": ["nginx-reloaded"]}
//! ```
//! The agent defines `nginx_reloaded`.
//!
//! ## How to fix
//! Choose names of letters, digits and underscores, and document them like this. If a name
//! comes from data, replace the other characters, then remove equal names (PM603):
//! - Python: `re.sub("[^A-Za-z0-9_]", "_", name)`. Perl: `$name =~ s/[^A-Za-z0-9_]/_/g`.
//! - Shell: `printf '%s' "$name" | LC_ALL=C tr -c 'A-Za-z0-9_' _`
//!
//! ## Source
//! CFEngine: Custom promise types, "Result classes"; cf-agent canonifies the names.

use crate::reads::OUTCOMES;
use crate::session::Session;
use crate::words::{cut, visible};
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(OUTCOMES, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for (exchange, _) in session.responses().filter(|(exchange, _)| exchange.owed) {
        let names = exchange.classes();
        // PM603 judges names without text.
        let mut judged = names
            .iter()
            .filter(|name| !name.trim_ascii().is_empty())
            .peekable();
        if judged.peek().is_none() {
            continue;
        }
        let broken = judged.find(|name| !is_identifier(name)).map(|name| {
            format!(
                "result class `{}` is not a class identifier",
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
