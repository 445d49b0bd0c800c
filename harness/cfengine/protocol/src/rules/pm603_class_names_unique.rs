//! # No result class is empty, and none is listed twice
//!
//! ## What it requires
//! Every name in `result_classes` has text, and no name is listed more than once.
//!
//! ## Why
//! An empty name comes from a list that the module joined incorrectly. The class that the
//! author meant is missing.
//!
//! ## How it is judged
//! - Judged: every answer whose `result_classes` have the proper form (PM602).
//! - Not judged: an empty list. In the line protocol a value without text is an empty list.
//!
//! ## Example
//! ```text
//! ← result_classes=cloned,
//! ```
//!
//! ## How to fix
//! Join the names with commas, without a comma at the end, and remove empty and equal ones
//! before:
//! - Python: `classes = list(dict.fromkeys(name for name in classes if name))`
//! - Shell: `printf '%s\n' "$names" | grep . | sort -u | paste -s -d , -`
//! - Ruby: `classes.reject(&:empty?).uniq`
//!
//! ## Source
//! CFEngine: Custom promise types, "Result classes". cf-agent ignores empty names in the line
//! protocol.

use crate::reads::OUTCOMES;
use crate::session::Session;
use crate::words::{cut, visible};
use std::collections::BTreeSet;
use stickler_judge::{Check, Defect, Ledger, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(OUTCOMES, check)];

/// A name without text.
const NO_NAME: Variant = Variant::new("no-name");
/// A name is listed more than once.
const TWICE: Variant = Variant::new("listed-twice");

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

fn broken(names: &[Vec<u8>]) -> Option<Defect> {
    if names.iter().any(|name| name.trim_ascii().is_empty()) {
        return Some(NO_NAME.says("a result class has no name"));
    }
    let mut seen = BTreeSet::new();
    let twice = names.iter().find(|name| !seen.insert(*name))?;
    Some(TWICE.says(format!(
        "result class `{}` is listed twice",
        cut(&visible(twice), 60)
    )))
}
