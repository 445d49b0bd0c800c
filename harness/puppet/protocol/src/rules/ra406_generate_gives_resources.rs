//! # `generate` gives resources, and ends
//!
//! ## What it requires
//! This rule is for types with the feature `custom_generate`. The provider has `generate(context, name, is,
//! should)`. It accepts nil for `is`. It returns nil, or resources as instances of their types. It does not give
//! resources of its own type without end.
//!
//! ## Why
//! puppet-resource_api 1.9 and 2.0 call it once for each resource, before anything is applied. With 2.0, `is` is
//! nil. Puppet refuses the whole catalog for another answer, and asks resources of the same type in their turn.
//!
//! ## How it is judged
//! - Judged: calls for each example, before and after it is set, as each library makes them; errors such as
//!   NoMethodError; what each answer holds; whether 100 calls for one resource come to an end.
//! - Judged: whether the feature and the method occur together.
//! - Not judged: other errors, after which a run goes on; releases that the author does not name.
//!
//! ## Example
//! `is[:rules].map { … }`, which fails for nil; `[{ name: 'a' }]`, which holds no resource.
//!
//! ## How to fix
//! Write `return [] if is.nil?`, and return `Puppet::Type.type(:rule).new(name: 'a')`.
//!
//! ## Source
//! Behaviour of puppet-resource_api 1.9.2 and 2.0.1 with OpenVox 8.28.1; the specification has no such feature.

use super::ra801_plain_errors::OF_THE_CODE;
use crate::declared;
use crate::message::Answer;
use crate::phase;
use crate::purpose;
use crate::relation;
use crate::session::{Call, Session};
use puppet_types::Value;
use stickler_judge::{Check, Defect, Ledger, Variant};

pub(super) const CHECKS: super::Checks = &[
    Check::Session(crate::reads::DEFINITIONS, |session, ledger| {
        declared::agree(session, ledger, "custom_generate", "generate");
    }),
    Check::Session(&[relation::GENERATED], check),
];

/// So many calls for one resource do not end.
const ENDLESS: usize = 100;

/// It raised.
const RAISED: Variant = Variant::new("raised");
/// The answer is refused.
const REFUSED: Variant = Variant::new("refused");
/// It gives its own type again and again.
const WITHOUT_END: Variant = Variant::new("without-end");

fn check(session: &Session, ledger: &mut Ledger) {
    let all: Vec<_> = session.calls(phase::GENERATE).collect();
    for (call, answer) in &all {
        ledger.check(call.number, call.provenance, broken(call, answer));
    }
    for (at, (call, _)) in all.iter().enumerate() {
        // The part says when it is asked, and then how often.
        let is_of = |other: &Call| {
            let part = |call: &Call| call.key.part_of(purpose::GENERATED).map(str::to_owned);
            let when = part(call).and_then(|part| Some(part.split_once('-')?.0.to_owned()));
            when.is_some_and(|when| part(other).is_some_and(|part| part.starts_with(&when)))
        };
        if all[..at].iter().any(|(other, _)| is_of(other)) {
            continue;
        }
        if all.iter().filter(|(other, _)| is_of(other)).count() >= ENDLESS {
            let broken = WITHOUT_END.says(format!(
                "it gives a resource of its own type each time it is asked for one: after {ENDLESS} calls, there is \
                 still another; Puppet 8 never ends"
            ));
            ledger.check(call.number, call.provenance, Some(broken));
        }
    }
}

fn broken(call: &Call, answer: &Answer) -> Option<Defect> {
    if let Some(failure) = answer.failure() {
        let class = failure.class.as_deref().unwrap_or_default();
        let is_crash = OF_THE_CODE.contains(&class) || failure.is_arity();
        if !is_crash || failure.lack().is_some() {
            return None;
        }
        let given = match call.param("is").is_none_or(|is| is.is_nil()) {
            true => "given nil for `is`, as by puppet-resource_api 2.0",
            false => "given the row for `is`, as by puppet-resource_api 1.9",
        };
        return Some(RAISED.says(format!(
            "{given}, it raises {}{}",
            failure.in_words(),
            failure.place()
        )));
    }
    let value = answer.value("value")?;
    let told = answer.value("resources");
    let told = told.as_ref().and_then(Value::as_array).unwrap_or_default();
    let items = match value {
        Value::Undef | Value::Bool(false) => return None,
        Value::Array(items) => items,
        other => vec![other],
    };
    let is_none = |at: usize| told.get(at).is_none_or(Value::is_nil);
    let (_, item) = items.iter().enumerate().find(|(at, _)| is_none(*at))?;
    Some(REFUSED.says(format!(
        "it gives {}, which is no resource: Puppet 8 refuses the whole catalog",
        item.inspect()
    )))
}
