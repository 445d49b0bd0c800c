//! # Attributes that the agent handles itself are not the module's
//!
//! ## What it requires
//! No attribute is named `if`, `ifvarclass`, `unless`, `classes`, `action`, `depends_on`,
//! `with`, `meta`, `comment`, `handle`, `log_level`, or like a member of a `classes` body.
//! If `comment` or `handle` arrives, it changes nothing.
//!
//! ## Why
//! The agent takes such an attribute for itself: the module never gets it, or the agent
//! rejects the policy. But cf-agent sends `comment` and `handle` all the same. A module that
//! refuses them breaks each promise that is documented.
//!
//! ## How it is judged
//! - Judged: the attributes of the author's own examples that the module calls `valid`. The
//!   members are `scope`, `promise_…`, `repair_…`, `cancel_…`, `…_returncodes`,
//!   `persist_time`, `timer_policy` and `classes_name`.
//! - Judged: each example with a `comment` and a `handle`. Answers and effects are the same.
//! - Not judged: `action_policy`, which agents send; effects, if `open_attributes = true`.
//!
//! ## Example
//! A module answers `invalid`: "Unknown attribute 'comment'".
//!
//! ## How to fix
//! Rename such an attribute, for example `comment` to `body`. Ignore `comment` and `handle`
//! before you look for unknown attributes (PM907):
//! - Python: `unknown = attributes.keys() - KNOWN - {"comment", "handle"}`
//! - Shell: `attribute_comment=* | attribute_handle=*) ;;` before `attribute_*)`.
//!
//! ## Source
//! CFEngine: Custom promise types, "Evaluation details". All measured versions of cf-agent send
//! `comment`, `handle` and most members of an `action` body. Only 3.21.0 sends `expireafter`.

use crate::output::in_time;
use crate::partner::Comparison;
use crate::phase;
use crate::relation;
use crate::session::Session;
use stickler_judge::{Check, Group, Ledger, Relation, Variant, Variation};

pub(super) const CHECKS: super::Checks = &[
    Check::Session(&[Relation::FIELDS], check),
    Check::Group(&[relation::ATTRIBUTES], added),
];

/// An example has an attribute with a reserved name.
const RESERVED_NAME: Variant = Variant::new("reserved-name");
/// What the agent adds changes the answer or the effects.
const NOT_IGNORED: Variant = Variant::new("not-ignored")
    .titled("The `comment` and the `handle` of a promise change nothing");

/// Attributes that agents handle themselves.
const RESERVED: [&str; 26] = [
    "if",
    "ifvarclass",
    "unless",
    "classes",
    "action",
    "depends_on",
    "with",
    "meta",
    "comment",
    "handle",
    "log_level",
    "classes_name",
    "scope",
    "promise_kept",
    "promise_repaired",
    "repair_failed",
    "repair_denied",
    "repair_timeout",
    "cancel_kept",
    "cancel_repaired",
    "cancel_notkept",
    "kept_returncodes",
    "repaired_returncodes",
    "failed_returncodes",
    "persist_time",
    "timer_policy",
];

fn check(session: &Session, ledger: &mut Ledger) {
    let mut seen: Vec<&str> = Vec::new();
    for exchange in &session.exchanges {
        let accepted = exchange.phase == phase::VALIDATE
            && in_time(exchange)
            && exchange.is("valid")
            && session.is_original(exchange);
        let label = exchange.item.as_deref().unwrap_or_default();
        if !accepted || seen.contains(&label) {
            continue;
        }
        seen.push(label);
        let names: Vec<&[u8]> = exchange
            .request
            .iter()
            .filter_map(|request| request.attributes.as_deref())
            .flatten()
            .map(|(name, _)| &name[..])
            .collect();
        if names.is_empty() {
            continue;
        }
        let mut reserved = RESERVED
            .iter()
            .filter(|known| names.contains(&known.as_bytes()))
            .peekable();
        if reserved.peek().is_none() {
            ledger.pass(exchange.number);
        }
        for name in reserved {
            let finding = ledger
                .finding(
                    exchange.number,
                    RESERVED_NAME.says(format!("the agent keeps the attribute `{name}` to itself")),
                )
                .expected("another name")
                .graded(exchange.provenance);
            ledger.report(finding);
        }
    }
}

/// Compares an example to which the agent adds attributes with the plain example.
fn added(group: &Group<'_, Session>, ledger: &mut Ledger) {
    for (role, index, variant) in group.variants() {
        let mut items = variant.case().items.iter();
        if !items.any(|item| item.variation == Some(Variation::Reserved)) {
            continue;
        }
        Comparison {
            // If all attributes are data, so are these.
            effects: !variant.facts.open_attributes,
            defect: Some(NOT_IGNORED),
            ..Comparison::of(&format!("{role}, which cf-agent sends"))
        }
        .judge(group, (index, variant), ledger);
    }
}
