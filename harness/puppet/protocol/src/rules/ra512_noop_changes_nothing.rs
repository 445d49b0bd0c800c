//! # With `noop: true`, `set` changes nothing
//!
//! ## What it requires
//! With the feature `supports_noop`, `set` takes the keyword `noop`, false by default. If it is
//! true, `set` only reports what it would change.
//!
//! ## Why
//! Users inspect the planned changes before they apply them.
//!
//! ## How it is judged
//! - Judged: the keywords of `set`, if the host reports them; changes of files and of the rows of
//!   `get` by a call with `noop: true`.
//! - Advice: the keyword without the feature. The library then fails on Ruby 3 (see Source).
//!
//! ## Example
//! `def set(context, changes, noop:)`, or a branch that forgets `unless noop`.
//!
//! ## How to fix
//! Write `def set(context, changes, noop: false)`, and check `noop` before each change.
//!
//! ## Source
//! Resource API specification, "Provider feature: supports_noop". puppet-resource_api 1.8.16 never
//! passes true; other runtimes may. If the type lacks the feature, 1.8.16 and 2.0.1 pass the
//! changes without braces. If `set` has keywords, Ruby 3 then reads the changes as keywords, and
//! raises `ArgumentError`.

use crate::declared::parameter;
use crate::message::Answer;
use crate::phase;
use crate::reads::READS;
use crate::rows::{lasting, reads};
use crate::session::Session;
use crate::told::changes;
use puppet_types::Value;
use stickler_judge::{Check, Ledger, Variant};
use stickler_reading::words::visible;
use stickler_transcript::Provenance;

pub(super) const CHECKS: super::Checks = &[Check::Session(READS, check)];

/// `set` does not take the keyword, or has no default for it.
const KEYWORD: Variant = Variant::new("keyword");
/// `set` takes the keyword, but the type does not say so.
const UNDECLARED: Variant = Variant::new("undeclared");
/// It raised.
const RAISED: Variant = Variant::new("raised");
/// Something changed.
const CHANGES: Variant = Variant::new("changes");

fn check(session: &Session, ledger: &mut Ledger) {
    for (call, answer) in session.calls(phase::OPEN) {
        let (Answer::Result(result), Some(own)) = (answer, session.definition_of(call)) else {
            continue;
        };
        let methods = result.get("methods");
        let Some(set) = methods.and_then(|methods| methods.get("set")) else {
            continue;
        };
        if own.has_feature("supports_noop") {
            let broken = match parameter(set, "noop") {
                Some("key" | "keyrest") => None,
                Some(_) => Some(KEYWORD.says("`noop` of `set` has no default")),
                None => Some(KEYWORD.says("`set` does not take the keyword `noop`")),
            };
            ledger.check(call.number, call.provenance, broken);
        } else if let Some("key" | "keyreq") = parameter(set, "noop") {
            // The library is at fault: an advice.
            let broken = UNDECLARED.says(
                "`set` takes the keyword `noop`, but the type does not declare `supports_noop`: on \
                 Ruby 3, puppet-resource_api 1.8.16 and 2.0.1 pass the changes as keywords then, and \
                 `set` raises ArgumentError",
            );
            ledger.check(call.number, Provenance::Beyond, Some(broken));
        }
    }
    let all: Vec<_> = reads(session).collect();
    for (call, answer) in session.calls(phase::SET) {
        if call.param("noop") != Some(Value::Bool(true)) {
            continue;
        }
        // What has no `ensure` may refuse to be removed.
        let is_removal = changes(call)
            .iter()
            .any(|(_, change)| change.get("should").is_none());
        let raised = answer.failure().filter(|_| !is_removal).map(|failure| {
            RAISED.says(format!(
                "with `noop: true` it raised {}",
                failure.in_words()
            ))
        });
        let effect = call.effects.iter().flatten().next();
        let effect = effect.map(|change| {
            CHANGES.says(format!(
                "with `noop: true` it changed {}",
                visible(&change.path)
            ))
        });
        let next = session
            .successive()
            .find(|(one, _)| one.number == call.number);
        let after = all.iter().find(|read| {
            let is_next = next.is_some_and(|(_, next)| next.number == read.call.number);
            is_next && session.is_same_provider(read.call, call)
        });
        let before = all.iter().rev().find(|read| {
            read.call.number < call.number && read.call.param("provider") == call.param("provider")
        });
        let differs = match (before, after) {
            (Some(before), Some(after)) => lasting(before) != lasting(after),
            _ => false,
        };
        let differs =
            differs.then(|| CHANGES.says("with `noop: true` it changed what `get` returns"));
        ledger.check(call.number, call.provenance, raised.or(effect).or(differs));
    }
}
