//! # No result class is empty, and none stands twice
//!
//! ## What it requires
//! Every name in `result_classes` has text, and no name is there more than once.
//!
//! ## Why
//! An empty name comes from a list that was put together wrongly: the class that
//! was meant is missing.
//!
//! ## How it is judged
//! On every answer with result classes in proper form (PM602). In the line
//! protocol a value of no text at all is an empty list, and fine.
//!
//! ## Example
//! ```text
//! ← result_classes=cloned,
//! ```
//!
//! ## Source
//! CFEngine: Custom promise types, "Result classes". cf-agent 3.21.0 passes over
//! empty names in the line protocol.

use crate::session::Session;
use crate::words::{cut, visible};
use std::collections::BTreeSet;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for (exchange, response) in session.responses().filter(|(exchange, _)| exchange.owed) {
        let Some(classes) = &response.result_classes else {
            continue;
        };
        if classes.malformed.is_some() || classes.names.is_empty() {
            continue;
        }
        ledger.check(exchange.number, exchange.provenance, broken(&classes.names));
    }
}

fn broken(names: &[Vec<u8>]) -> Option<String> {
    if names.iter().any(|name| name.trim_ascii().is_empty()) {
        return Some("a result class without a name".into());
    }
    let mut seen = BTreeSet::new();
    let twice = names.iter().find(|name| !seen.insert(*name))?;
    Some(format!(
        "the result class `{}` stands twice",
        cut(&visible(twice), 60)
    ))
}
