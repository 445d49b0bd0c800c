//! # What a provider fails to change is reported as failed
//!
//! ## What it requires
//! If `set` raises an error, a runtime reports each resource of the call as failed that had no
//! state yet. So it does with a resource whose block raises one, such as that of `context.updating`.
//!
//! ## Why
//! What depends on the resource must not run, and nobody sees else that the change was not made.
//!
//! ## How it is judged
//! - Judged: resources in calls of `set` that are known to raise an error, in a block or before
//!   anything else, if the run has a report.
//! - Not judged: `context.failed`, after which measured releases report a change; and whether
//!   other resources are still applied.
//!
//! ## Example
//! ```text
//! → called {"call":"set","changes":[["a",{"is":null,"should":{"name":"a"}}]],"type":"t"}
//! ```
//! `set` raises an error, and the report says that `T[a]` was changed.
//!
//! ## How to fix
//! Rescue errors of `set`, report them, and mark the resources as failed.
//!
//! ## Source
//! Resource API specification, "The resource implementation (\"provider\")" and "Logging contexts".

use super::view::{self, Known, alike};
use crate::session::Session;
use std::collections::BTreeMap;
use stickler_judge::{Check, Ledger, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(&[], check)];

/// `set` raised an error.
const RAISED: Variant = Variant::new("raised");
/// A block raised an error.
const BLOCK: Variant = Variant::new("block");

fn check(session: &Session, ledger: &mut Ledger) {
    let known = Known::of(session);
    let all = view::noted(session);
    let mut turns: BTreeMap<&str, usize> = BTreeMap::new();
    for set in view::sets(&all) {
        let turn = turns.entry(set.kind).or_default();
        let answers = known.types.get(set.kind).map(|kind| &kind.answers[..]);
        let answers = answers.unwrap_or_default();
        let answer = answers.get(*turn).or(answers.last());
        *turn += 1;
        let Some(answer) = answer.and_then(Option::as_ref) else {
            continue;
        };
        for (name, _) in set.plain_changes() {
            let in_block = answer.failed.iter().any(|failed| alike(failed, &name));
            let Some(flags) = known
                .reported(set.kind, &name)
                .filter(|_| answer.raises || in_block)
            else {
                continue;
            };
            let shown = view::text(&name).map_or_else(|| name.to_string(), str::to_owned);
            let is_failed = flags.iter().any(|flag| flag == "failed");
            let broken = (!is_failed).then(|| match answer.raises {
                true => RAISED.says(format!(
                    "`set` raised an error, but `{shown}` is not reported as failed"
                )),
                false => BLOCK.says(format!(
                    "the block of `{shown}` raised an error, but it is not reported as failed"
                )),
            });
            ledger.check(set.call.number, set.call.provenance, broken);
        }
    }
}
