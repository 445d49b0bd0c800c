//! Files that a `set` replaces instead of editing them.

use crate::phase;
use crate::session::Session;
use crate::told::changes;
use puppet_types::Value;
use stickler_judge::{Demands, Group, Ledger, Level, Variant, keeps_mode_and_owner, keeps_some};
use stickler_reading::Exchange;
use stickler_reading::words::{contains, has_word, shown};
use stickler_transcript::{ChangeKind, Drift, Event, FileType};

/// What is special about the file of a session, in words.
pub const UNUSUAL: &str = "where its file has an unusual mode and owner";
/// A link leads to it.
pub const A_LINK: &str = "where a link leads to its file";

/// Shorter words occur by chance.
const WORD: usize = 3;

/// A link is replaced by a file.
const LINK: Variant = Variant::new("replaced-link");

/// Judges the sessions of a group whose files have an unusual mode and owner, or are links.
pub(crate) fn judge_replaced(group: &Group<'_, Session>, ledger: &mut Ledger) {
    for (role, at, session) in group.variants() {
        ledger.enter(at);
        match role.name() {
            UNUSUAL => {
                let is_edited = |exchange: &Exchange, path: &[u8]| {
                    is_shared(session, exchange.number, path) && keeps_some(exchange, path)
                };
                let demands = |exchange: &Exchange| demands(session, exchange);
                let known = ledger.findings.len();
                keeps_mode_and_owner(session, phase::SET, is_edited, demands, ledger);
                // Of a file that it made itself, a provider may say what it is like.
                if makes_files(session) {
                    for finding in &mut ledger.findings[known..] {
                        *finding = finding.clone().at_most(Level::May);
                    }
                }
            }
            A_LINK => keeps_link(session, ledger),
            _ => {}
        }
    }
}

/// Did a `set` make the file that the harness changes later?
fn makes_files(session: &Session) -> bool {
    let mut events = session.transcript.events.iter();
    let changed = events.find_map(|event| match event {
        Event::Drifted { drift, .. } => drift.path(),
        _ => None,
    });
    let sets = session.calls(phase::SET);
    let mut made = sets.flat_map(|(set, _)| set.effects.iter().flatten());
    made.any(|change| change.kind == ChangeKind::Created && Some(&change.path) == changed)
}

/// Is a file no stand-in's, and not named after the resource? Of a file that is the resource's own, mode and owner may
/// be so, too.
fn is_shared(session: &Session, set: usize, path: &[u8]) -> bool {
    let file = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
    let mut calls = session.exchanges.iter();
    let call = calls.find(|call| call.number == set);
    let names = call.map(changes).unwrap_or_default().into_iter();
    let mut texts = names.flat_map(|(name, _)| match name {
        Value::Hash(parts) => parts.iter().map(|(_, part)| part.to_text()).collect(),
        name => vec![name.to_text()],
    });
    let is_named = |text: &String| {
        // Signs may be written in another way.
        let is_letter = |byte: &u8| byte.is_ascii_alphanumeric();
        let all = text.as_bytes();
        let mut words = all.chunk_by(|one, next| is_letter(one) == is_letter(next));
        let first = words.find(|word| word.iter().all(is_letter)).unwrap_or(all);
        contains(file, all) || has_word(all, file) || first.len() >= WORD && contains(file, first)
    };
    !session.is_foreign(path) && !texts.any(|text| is_named(&text))
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
            let is_file = after.is_some_and(|after| after.kind == FileType::File);
            if is_file && is_shared(session, set.number, &change.path) {
                let path = shown(&change.path, &session.transcript.case, 80);
                let target = shown(target, &session.transcript.case, 80);
                let defect = LINK.says(format!(
                    "`{path}` was a link to `{target}`, and is a file of its own after `set`"
                ));
                let finding = ledger.finding(set.number, defect);
                let finding = finding.expected("the link, and the change in the file behind it");
                // Many replace whatever has this name, so that nobody reads half of a file.
                ledger.report(finding.at_most(Level::May).graded(set.provenance));
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
