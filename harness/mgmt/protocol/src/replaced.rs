//! Objects that take the place of others with other values, as a new graph has it, and equal ones in a new process.

use crate::phase;
use crate::resources::{Resource, walk};
use crate::session::{Call, Session};

/// An object that takes the place of another one.
pub(crate) struct Replaced<'s> {
    /// The calls of its `Init` and `CheckApply` until the next object of its kind and name.
    pub(crate) calls: Vec<&'s Call>,
    /// The same calls of the first object in a later process that asks for the same.
    pub(crate) alone: Vec<&'s Call>,
}

/// All of them, in order: objects that were compared with one of the same kind and name that asks for something else,
/// and that began after that one had ended without an error.
pub(crate) fn replaced(session: &Session) -> Vec<Replaced<'_>> {
    // The labels of the old and the new object, and what the new one asks for.
    let mut swaps: Vec<(&Call, Resource)> = Vec::new();
    let mut made: Vec<(&Call, Resource)> = Vec::new();
    let mut known = Vec::new();
    walk(session, |resources, call| {
        known.push((
            resources.of(call, "resource").cloned(),
            resources.of(call, "other").cloned(),
        ));
    });
    for (call, own) in session.exchanges.iter().zip(known) {
        match (call.phase, own) {
            (phase::CMP, (Some(old), Some(new)))
                if old.kind == new.kind && old.name == new.name && !old.is_alike(&new) =>
            {
                swaps.push((call, new));
            }
            (phase::INIT, (Some(own), _)) => made.push((call, own)),
            _ => {}
        }
    }
    let found = swaps.iter().filter_map(|(cmp, asks)| {
        let ended = session.calls(phase::CLEANUP).find(|call| {
            call.process == cmp.process
                && call.number > cmp.number
                && call.resource() == cmp.resource()
        })?;
        let begins =
            |(init, own): &&(&Call, Resource)| init.number > ended.number && own.is_alike(asks);
        let mut inits = made.iter().filter(begins);
        let label = cmp.param("other");
        let first = inits.find(|(init, _)| {
            init.process == cmp.process && Some(init.resource()) == label && ended.succeeds()
        })?;
        let alone = inits.find(|(init, _)| init.process > cmp.process);
        Some(Replaced {
            calls: life(session, first.0),
            alone: alone.map_or_else(Vec::new, |(init, _)| life(session, init)),
        })
    });
    found.collect()
}

/// `Init` of an object, and its calls of `CheckApply`.
fn life<'s>(session: &'s Session, init: &'s Call) -> Vec<&'s Call> {
    let all = session.exchanges.iter();
    let later = all.filter(|call| call.number > init.number && call.process == init.process);
    let own = later.filter(|call| call.resource() == init.resource());
    let alive = own.take_while(|call| ![phase::INIT, phase::CLEANUP].contains(&call.phase));
    let calls = alive.filter(|call| call.phase == phase::CHECKAPPLY);
    [init].into_iter().chain(calls).collect()
}

/// Why an object fails: its `Init`, or each of its calls of `CheckApply` that may change the state. With the call that
/// shows it.
pub(crate) fn why_it_fails<'s>(calls: &[&'s Call]) -> Option<(&'s Call, String)> {
    let (init, later) = calls.split_first()?;
    if let Some(why) = init.why_it_fails() {
        return Some((init, format!("`Init` fails: {why}")));
    }
    let mut applies = later.iter().filter(|call| call.has("apply"));
    let first = applies.next()?;
    let why = first.why_it_fails()?;
    let all = applies.all(|call| call.why_it_fails().is_some());
    all.then(|| (*first, format!("`CheckApply` fails: {why}")))
}

/// Does an object do its work?
pub(crate) fn works(calls: &[&Call]) -> bool {
    let mut applies = calls.iter().filter(|call| call.has("apply"));
    let init = calls.first().is_some_and(|init| init.succeeds());
    init && applies.next().is_some_and(|first| first.succeeds())
}
