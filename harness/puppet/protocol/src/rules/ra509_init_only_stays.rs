//! # `init_only` attributes keep their values
//!
//! ## What it requires
//! An attribute with the behaviour init_only keeps the value that it had at creation. No later
//! `set` changes it.
//!
//! ## Why
//! Users rely on it: such attributes say where or how data is stored.
//!
//! ## How it is judged
//! - Judged: the values of such attributes in `get` before and after a `set` of a resource that
//!   exists, whose target has the same value, or none.
//!
//! ## Example
//! `update` writes all attributes of the target, and clears those that the target lacks.
//!
//! ## How to fix
//! Keep the value of `change[:is]` or of the system in updates.
//!
//! ## Source
//! Resource API specification, "Resource definition". puppet-resource_api 1.8.16 refuses targets
//! with another value, if the type has `ensure`.

use crate::after::after_each;
use crate::reads::READS;
use crate::session::Session;
use puppet_types::{Behaviour, Value};
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(READS, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for one in after_each(session) {
        let is = one.change.get("is").filter(|is| !is.is_nil());
        let should = one.change.get("should").filter(|should| !should.is_nil());
        let (Some(is), Some(should), Some(row)) = (is, should, &one.row) else {
            continue;
        };
        let all = one.definition.attributes.iter();
        for attribute in all.filter(|one| one.behaviour == Behaviour::InitOnly) {
            let name = &attribute.name;
            let Some(before) = is.get(name).filter(|value| !value.is_nil()) else {
                continue;
            };
            let wanted = should.get(name);
            if wanted.is_some_and(|wanted| wanted != before) {
                continue;
            }
            let now = row.get(name).cloned().unwrap_or(Value::Undef);
            let broken = (now != *before).then(|| {
                format!(
                    "`{name}` is init_only, and `set` turned it from {} into {}",
                    before.inspect(),
                    now.inspect()
                )
            });
            ledger.check(one.set.number, one.set.provenance, broken);
        }
    }
}
