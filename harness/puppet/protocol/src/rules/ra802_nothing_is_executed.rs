//! # Nothing in a value is executed
//!
//! ## What it requires
//! Values are data: no shell, `eval`, template or format interprets them.
//!
//! ## Why
//! Providers run as root, and values come from data that others maintain.
//!
//! ## How it is judged
//! - Judged: baits for shells, templates, SQL and languages in each text of the examples, if its
//!   type admits them. A bait that runs creates a file; a bait that is computed shows its result: in
//!   what the call tells or writes, or in the resource afterwards.
//! - Not judged: attributes that `executes` in `stickler.toml` lists.
//!
//! ## Example
//! `` `git clone #{should[:source]}` ``.
//!
//! ## How to fix
//! Pass a list of arguments, without a shell:
//! `Puppet::Util::Execution.execute(['git', 'clone', '--', url])`. Never pass a value to `eval`,
//! `instance_eval`, `send` or `Kernel#open`.
//!
//! ## Source
//! Common practice (CWE-78, CWE-95).

use crate::phase;
use crate::purpose;
use crate::session::{Call, Session};
use crate::shown::{own_changes, shown};
use std::collections::BTreeMap;
use stickler_judge::{Check, Ledger, Relation, Variant};
use stickler_transcript::{Bytes, Entry, Trap, TrapKind};

pub(super) const CHECKS: super::Checks = &[Check::Session(&[Relation::TRAPS], check)];

/// A command in a value is run.
const RUN: Variant = Variant::new("run");
/// An expression in a value is computed.
const COMPUTED: Variant = Variant::new("computed");

fn check(session: &Session, ledger: &mut Ledger) {
    let mut traps: BTreeMap<(&Bytes, TrapKind), Vec<&Trap>> = BTreeMap::new();
    for trap in &session.case().traps {
        traps.entry((&trap.sign, trap.kind)).or_default().push(trap);
    }
    for ((sign, kind), traps) in traps {
        for call in &session.exchanges {
            let carried = traps.iter().filter(|trap| carries(call, trap));
            let fields: Vec<_> = carried.map(|trap| trap.field.as_deref()).collect();
            if fields.is_empty() {
                continue;
            }
            let place = |does| place(session, call, &fields, does);
            let broken = match kind {
                TrapKind::Command => runs(call, sign).then(|| RUN.says(place("runs"))),
                TrapKind::Computed => {
                    let is_computed = computes(call, sign) || leaves(session, call, sign);
                    is_computed.then(|| COMPUTED.says(place("computes")))
                }
                TrapKind::Escape => continue,
            };
            ledger.check(call.number, call.provenance, broken);
        }
    }
}

/// Does the message hold the bait?
fn carries(call: &Call, trap: &Trap) -> bool {
    let Ok(bait) = std::str::from_utf8(&trap.bait) else {
        return false;
    };
    let escaped = puppet_types::Value::string(bait).encode();
    let escaped = escaped.trim_matches('"').as_bytes();
    memchr::memmem::find(&call.sent, escaped).is_some()
}

fn runs(call: &Call, sign: &Bytes) -> bool {
    let mut changes = call.effects.iter().flatten();
    changes.any(|change| change.path == *sign && change.after.is_some())
}

fn computes(call: &Call, sign: &Bytes) -> bool {
    let sign = sign.lossy();
    let answer = call.value().map(|value| value.inspect());
    let told = shown(call).into_iter().map(|shown| shown.text);
    told.chain(answer).any(|text| text.contains(&*sign))
}

/// Is the result of a bait what a call leaves: in a file, or in the resource that `get` shows afterwards?
fn leaves(session: &Session, call: &Call, sign: &Bytes) -> bool {
    let sign = sign.lossy();
    let holds = |content: &Bytes| content.lossy().contains(&*sign);
    let mut changes = own_changes(session, call);
    let is_written = changes.any(|change| {
        let of = |entry: &Option<Entry>| {
            let content = entry.as_ref().and_then(|one| one.content.as_ref());
            content.is_some_and(holds)
        };
        of(&change.after) && !of(&change.before)
    });
    let afterwards = session.exchange(&call.key.part(purpose::AFTERWARDS));
    let read = afterwards
        .filter(|_| call.phase == phase::SET)
        .and_then(Call::value);
    is_written || read.is_some_and(|value| value.inspect().contains(&*sign))
}

/// What the provider does, and where. Computed baits of several fields look alike.
fn place(session: &Session, call: &Call, fields: &[Option<&str>], does: &str) -> String {
    let of_item = session.item(call).and_then(|item| item.field.as_deref());
    let fields = fields.iter().filter_map(|field| field.or(of_item));
    let mut named: Vec<String> = Vec::new();
    for field in fields.map(|field| format!("`{field}`")) {
        if !named.contains(&field) {
            named.push(field);
        }
    }
    let fields = named.join(" or ");
    format!("`{}` {does} a bait in the value of {fields}", call.phase)
}
