//! Files that a `set` replaces instead of editing them.

use crate::phase;
use crate::session::Session;
use crate::told::changes;
use puppet_types::Value;
use stickler_judge::{Demands, Group, Ledger, Variant, keeps_mode_and_owner, keeps_some};
use stickler_reading::Exchange;
use stickler_reading::words::shown;
use stickler_transcript::{Drift, Event, FileType};

/// What is special about the file of a session, in words.
pub const UNUSUAL: &str = "where its file has an unusual mode and owner";
/// A link leads to it.
pub const A_LINK: &str = "where a link leads to its file";

/// A link is replaced by a file.
const LINK: Variant = Variant::new("replaced-link");

/// Judges the sessions of a group whose files have an unusual mode and owner, or are links.
pub(crate) fn judge_replaced(group: &Group<'_, Session>, ledger: &mut Ledger) {
    for (role, at, session) in group.variants() {
        ledger.enter(at);
        match role.name() {
            UNUSUAL => {
                // Of a file that is the resource's own, mode and owner may be so, too.
                let is_edited = |exchange: &Exchange, path: &[u8]| {
                    !session.is_foreign(path) && keeps_some(exchange, path)
                };
                let demands = |exchange: &Exchange| demands(session, exchange);
                keeps_mode_and_owner(session, phase::SET, is_edited, demands, ledger);
            }
            A_LINK => keeps_link(session, ledger),
            _ => {}
        }
    }
}

fn keeps_link(session: &Session, ledger: &mut Ledger) {
    let drifts = session.transcript.events.iter();
    let links = drifts.filter_map(|event| match event {
        Event::Drifted {
            drift,
            failed: None,
            ..
        } => match &**drift {
            Drift::Link { path, target } => Some((path, target)),
            _ => None,
        },
        _ => None,
    });
    let links: Vec<_> = links.collect();
    for (set, _) in session.calls(phase::SET).filter(|(set, _)| !set.fails()) {
        for change in set.effects.iter().flatten() {
            let Some((_, target)) = links.iter().find(|(path, _)| **path == change.path) else {
                let is_target = links.iter().any(|(_, target)| **target == change.path);
                if is_target {
                    ledger.pass(set.number);
                }
                continue;
            };
            let after = change.after.as_ref();
            if after.is_some_and(|after| after.kind == FileType::File) {
                let path = shown(&change.path, &session.transcript.case, 80);
                let target = shown(target, &session.transcript.case, 80);
                let defect = LINK.says(format!(
                    "`{path}` was a link to `{target}`, and is a file of its own after `set`"
                ));
                let finding = ledger.finding(set.number, defect);
                let finding = finding.expected("the link, and the change in the file behind it");
                ledger.report(finding.graded(set.provenance));
            }
        }
    }
}

/// What the changes of a `set` are about.
fn demands<'s>(session: &'s Session, exchange: &Exchange) -> Demands<'s> {
    let mut demands = Demands::default();
    let mut calls = session.exchanges.iter();
    let Some(call) = calls.find(|call| call.number == exchange.number) else {
        return demands;
    };
    for (_, change) in changes(call) {
        let should = change.get("should").and_then(Value::as_hash);
        for (key, value) in should.unwrap_or_default() {
            let own = session.definition(call);
            let own = own.and_then(|own| own.attribute(key.as_symbol()?));
            if let Some(own) = own.filter(|_| !value.is_nil()) {
                demands.fields.push((own.name.as_bytes(), None));
            }
        }
    }
    demands
}
