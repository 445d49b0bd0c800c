//! # Every row has its namevars, and no two have the same
//!
//! ## What it requires
//! Every row of `get` has a value for every namevar. No two rows have the same values for them.
//!
//! ## Why
//! The runtime finds a resource by its namevars. It never finds a row without them. Of two rows with
//! the same namevars, it uses only the first.
//!
//! ## How it is judged
//! - Judged: the rows of each call.
//! - Not judged: rows after a change that was made once more.
//!
//! ## Example
//! Two rows with `name: 'a'`.
//!
//! ## How to fix
//! Set every namevar in each row, and list each resource once.
//!
//! ## Source
//! Resource API specification, "Resource implementation". puppet-resource_api 1.8.16 notices a
//! missing namevar only in `puppet resource`.

use crate::phase;
use crate::purpose;
use crate::reads::READS;
use crate::rows::{named, reads};
use crate::session::{Call, Session};
use puppet_types::Value;
use stickler_judge::{Check, Ledger, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(READS, check)];

/// A namevar is missing.
const MISSING: Variant = Variant::new("missing");
/// Two rows are the same resource.
const TWICE: Variant = Variant::new("twice");

fn check(session: &Session, ledger: &mut Ledger) {
    // No runtime makes what is there already: what comes of it is listed as it is.
    let mut sets = session.asked(phase::SET);
    let repeated = sets.find(|set| set.key.is(purpose::REPEATED));
    let is_usual = |call: &Call| repeated.is_none_or(|set| call.number < set.number);
    for read in reads(session).filter(|read| is_usual(read.call)) {
        let namevars = read.definition.namevars();
        let mut seen: Vec<Vec<&Value>> = Vec::new();
        let mut broken = None;
        for row in read.rows().iter().filter(|row| row.as_hash().is_some()) {
            let values = namevars
                .iter()
                .map(|name| row.get(name).filter(|value| !value.is_nil()));
            let Some(values) = values.collect::<Option<Vec<_>>>() else {
                let missing = namevars
                    .iter()
                    .find(|name| row.get(name).is_none_or(Value::is_nil));
                let missing = missing.copied().unwrap_or_default();
                broken = Some(MISSING.says(format!("a row has no `{missing}`: {}", row.inspect())));
                break;
            };
            if seen.contains(&values) {
                let of = named(read.definition, row);
                broken = Some(TWICE.says(format!("two rows are {of}")));
                break;
            }
            seen.push(values);
        }
        if broken.is_some() || !read.rows().is_empty() {
            ledger.check(read.call.number, read.call.provenance, broken);
        }
    }
}
