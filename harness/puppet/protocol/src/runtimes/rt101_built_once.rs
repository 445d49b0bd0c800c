//! # The runtime builds a provider once, before it calls it
//!
//! ## What it requires
//! A runtime builds the provider of a type once in a transaction, before its first call.
//!
//! ## Why
//! A provider keeps what it has learned and its connections in its instance.
//!
//! ## How it is judged
//! - Judged: each call of a provider in a run of one transaction.
//!
//! ## Example
//! ```text
//! → called {"call":"new","type":"t"}
//! → called {"call":"get","type":"t"}
//! → called {"call":"new","type":"t"}
//! ```
//! What the provider learned in `get` is lost.
//!
//! ## How to fix
//! Keep the instance as long as the transaction: `@provider ||= provider_class.new`.
//!
//! ## Source
//! Resource API specification, "Runtime environment".

use super::view;
use crate::session::Session;
use stickler_judge::{Check, Ledger, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(&[], check)];

/// It is built again.
const AGAIN: Variant = Variant::new("again");
/// It is called without an instance.
const NEVER: Variant = Variant::new("never");

fn check(session: &Session, ledger: &mut Ledger) {
    let all = view::noted(session);
    for one in &all {
        let built = all
            .iter()
            .any(|other| other.method == "new" && other.kind == one.kind && other.is_before(one));
        let kind = one.kind;
        let broken = match (one.method == "new", built) {
            (true, true) => Some(AGAIN.says(format!("the provider of `{kind}` is built again"))),
            (false, false) => Some(NEVER.says(format!(
                "`{}` of `{kind}` is called before its provider is built",
                one.method
            ))),
            _ => None,
        };
        ledger.check(one.call.number, one.call.provenance, broken);
    }
}
