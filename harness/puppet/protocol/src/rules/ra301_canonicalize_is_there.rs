//! # The feature `canonicalize` and the method agree
//!
//! ## What it requires
//! A provider has the method `canonicalize` if, and only if, its type declares the feature. The
//! method returns as many hashes as it receives, in the same order.
//!
//! ## Why
//! Without the feature, the runtime never calls the method. Without the method, each run fails.
//!
//! ## How it is judged
//! - Judged: the methods of each provider, if the host reports them; the result of each call.
//!
//! ## Example
//! `canonicalize` is defined, and `features` does not name it.
//!
//! ## How to fix
//! Add `features: ['canonicalize']` to the type, or remove the method. Return the list of
//! resources.
//!
//! ## Source
//! Resource API specification, "Provider feature: canonicalize".

use crate::declared;
use crate::phase;
use crate::reads::DEFINITIONS;
use crate::session::Session;
use puppet_types::Value;
use stickler_judge::{Check, Ledger, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(DEFINITIONS, check)];

/// It returned something else.
const RETURNED: Variant = Variant::new("returned");

fn check(session: &Session, ledger: &mut Ledger) {
    declared::agree(session, ledger, "canonicalize", "canonicalize");
    for (call, answer) in session.calls(phase::CANONICALIZE) {
        if answer.failure().is_some() {
            continue;
        }
        let given = call.param("resources");
        let given = given
            .as_ref()
            .and_then(Value::as_array)
            .map_or(0, <[_]>::len);
        let got = answer.value("value");
        let rows = got.as_ref().and_then(Value::as_array);
        let broken = match rows {
            Some(rows) if rows.len() == given && rows.iter().all(|row| row.as_hash().is_some()) => {
                None
            }
            Some(rows) => Some(format!(
                "it returned {} values for {given} resources",
                rows.len()
            )),
            None => Some("it returned no list".to_owned()),
        };
        let broken = broken.map(|broken| RETURNED.says(broken));
        ledger.check(call.number, call.provenance, broken);
    }
}
