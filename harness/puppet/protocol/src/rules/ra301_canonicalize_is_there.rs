//! # The feature `canonicalize` and the method agree
//!
//! ## What it requires
//! A provider has the method `canonicalize` if, and only if, its type declares the feature. The
//! method returns as many hashes as it receives, in the same order, each as it would be alone.
//!
//! ## Why
//! Without the feature, the runtime never calls the method. Without the method, each run fails.
//!
//! ## How it is judged
//! - Judged: the methods of each provider, if the host reports them; the result of each call;
//!   a call with several resources, compared with calls for each of them.
//! - Lowered to may: a method without the feature that only returns its resources.
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
use crate::reads::READS;
use crate::session::{Call, Session};
use puppet_types::Value;
use stickler_judge::{Check, Defect, Ledger, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(READS, check)];

/// It returned something else.
const RETURNED: Variant = Variant::new("returned");
/// It returned the resources in another order.
const ORDER: Variant = Variant::new("order");
/// It returned a resource otherwise than alone.
const TOGETHER: Variant = Variant::new("together");

fn check(session: &Session, ledger: &mut Ledger) {
    declared::agree(session, ledger, "canonicalize", "canonicalize");
    for (call, answer) in session.calls(phase::CANONICALIZE) {
        if answer.failure().is_some() {
            continue;
        }
        let given = call.param("resources");
        let given = given.as_ref().and_then(Value::as_array).unwrap_or_default();
        let got = answer.value("value");
        let rows = got.as_ref().and_then(Value::as_array);
        let is_whole = |rows: &[Value]| {
            rows.len() == given.len() && rows.iter().all(|row| row.as_hash().is_some())
        };
        let broken = match rows {
            Some(rows) if is_whole(rows) => differs(session, call, given, rows),
            Some(rows) => Some(RETURNED.says(format!(
                "it returned {} values for {} resources",
                rows.len(),
                given.len()
            ))),
            None => Some(RETURNED.says("it returned no list")),
        };
        ledger.check(call.number, call.provenance, broken);
    }
}

/// What differs from what earlier calls returned for each of the resources by itself.
fn differs(session: &Session, call: &Call, given: &[Value], rows: &[Value]) -> Option<Defect> {
    let alone = |resource: &Value| {
        let resources = Value::Array(vec![resource.clone()]);
        // What was set since may have another canonical form.
        let mut earlier = session.calls(phase::CANONICALIZE).filter(|(other, _)| {
            other.number < call.number
                && !session.is_set_between(other, call)
                && session.is_same_provider(other, call)
                && !session.changed_between(other, call)
        });
        let (_, answer) =
            earlier.find(|(other, _)| other.param("resources").as_ref() == Some(&resources))?;
        let value = answer.value("value")?;
        value.as_array()?.first().cloned()
    };
    let expected = given.iter().filter(|_| given.len() > 1).map(alone);
    let expected = expected.collect::<Option<Vec<Value>>>()?;
    let (at, wrong) = (expected.iter().zip(rows).enumerate()).find(|(_, (one, row))| one != row)?;
    let is_moved = expected.iter().all(|one| rows.contains(one));
    Some(match is_moved {
        true => ORDER.says(format!(
            "it returned resource {} of {} in another place",
            at + 1,
            given.len()
        )),
        false => TOGETHER.says(format!(
            "with others, it turns resource {} of {} into {} instead of {}",
            at + 1,
            given.len(),
            wrong.1.inspect(),
            wrong.0.inspect()
        )),
    })
}
