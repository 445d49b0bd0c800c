//! # `init_only` attributes keep their values
//!
//! ## What it requires
//! An attribute with the behaviour init_only keeps the value that it had at creation. No later
//! `set` changes it.
//!
//! ## Why
//! Users rely on it: such attributes say where or how data is stored. Puppet 7 only warns of another
//! value, and calls `set`; without `ensure`, no version does even that.
//!
//! ## How it is judged
//! - Judged: the values of init_only attributes in `get` before and after a `set` of a resource that
//!   exists, whose target has the same value, another or none. If `set` writes another one that it is
//!   handed, this is a warning, since runtimes should refuse that.
//! - Not judged: calls of `set` that fail.
//!
//! ## Example
//! `update` writes all attributes of the target, and clears those that the target lacks.
//!
//! ## How to fix
//! Write only what may change: `should.slice(:ttl, :note)`, or raise an error.
//!
//! ## Source
//! Resource API specification, "Resource definition". puppet-resource_api 1.8.16 refuses targets
//! with another init_only value if the type has `ensure` and `strict` is `error`.

use crate::after::after_each;
use crate::reads::READS;
use crate::session::Session;
use puppet_types::{Behaviour, Value};
use stickler_judge::{Check, Ledger, Level};

pub(super) const CHECKS: super::Checks = &[Check::Session(READS, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for one in after_each(session) {
        let is = one.change.get("is").filter(|is| !is.is_nil());
        let should = one.change.get("should").filter(|should| !should.is_nil());
        let (Some(is), Some(should), Some(row)) = (is, should, &one.row) else {
            continue;
        };
        for attribute in &one.definition.attributes {
            let name = &attribute.name;
            if attribute.behaviour != Behaviour::InitOnly {
                continue;
            }
            let Some(before) = is.get(name).filter(|value| !value.is_nil()) else {
                continue;
            };
            let now = row.get(name).cloned().unwrap_or(Value::Undef);
            if now == *before {
                ledger.pass(one.set.number);
                continue;
            }
            let message = format!(
                "`{name}` is init_only, and `set` turned it from {} into {}",
                before.inspect(),
                now.inspect()
            );
            let mut finding = ledger.finding(one.set.number, message);
            if should.get(name) == Some(&now) {
                finding = finding.at_most(Level::Should);
            }
            ledger.report(finding.graded(one.set.provenance));
        }
    }
}
