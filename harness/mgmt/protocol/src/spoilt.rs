//! What came of the commands of `drift`, each by itself.

use crate::message::Answer;
use crate::phase;
use crate::relation::SPOILT;
use crate::session::{Call, Session};
use crate::visit;
use stickler_reading::words::{cut, visible};
use stickler_transcript::{Bytes, Case, Drift, Event, Fate, Step};

/// A command of `drift` in a session of its own.
#[derive(Clone, Copy, Debug)]
pub struct Drifted<'s> {
    /// The name of the example.
    pub example: &'s str,
    /// Its words, filled in.
    pub words: &'s [Bytes],
    /// Why it failed.
    pub failed: Option<&'s str>,
    /// Was the example right before it, as the resource says itself?
    pub held: bool,
    /// Did nothing change, as far as files and the resource show?
    pub idle: bool,
}

/// What was changed from outside, in words.
pub(crate) fn what(drift: Option<&Drift>) -> String {
    match drift {
        Some(Drift::Command { words, .. }) => {
            let words: Vec<String> = words.iter().map(|word| visible(word)).collect();
            format!("`{}`", cut(&words.join(" "), 80))
        }
        Some(Drift::Remove { .. }) => "what was removed from outside".to_owned(),
        _ => "what was changed from outside".to_owned(),
    }
}

/// The commands of `drift` in a session, if it is about them.
pub fn drifts(session: &Session) -> impl Iterator<Item = Drifted<'_>> {
    let mut groups = session.case().groups.iter();
    let is_spoilt = groups.any(|member| member.relation == SPOILT);
    let events = session.transcript.events.iter().enumerate();
    let drifted = events.filter(move |_| is_spoilt);
    drifted.filter_map(|(at, event)| {
        let Event::Drifted {
            drift,
            failed,
            alone,
            ..
        } = event
        else {
            return None;
        };
        let Drift::Command { words, .. } = &**drift else {
            return None;
        };
        let item = session.case().items.first()?;
        let (before, after) = session.transcript.events.split_at(at);
        let mut earlier = applies(session, before).rev();
        let changes = after.iter().find_map(|event| match event {
            Event::Effects { changes, .. } => Some(changes),
            _ => None,
        });
        let noticed = applies(session, after).next();
        Some(Drifted {
            example: &item.example,
            words,
            failed: failed.as_deref(),
            held: earlier.next().and_then(visit::fate) == Some(Fate::Unchanged),
            idle: *alone
                && !has_services(session.case())
                && changes.is_none_or(Vec::is_empty)
                && noticed.and_then(visit::fate) == Some(Fate::Unchanged),
        })
    })
}

/// Are there servers that may keep a state in their memory?
pub(crate) fn has_services(case: &Case) -> bool {
    let steps = case.plan.iter().flat_map(|plan| &plan.steps);
    steps
        .into_iter()
        .any(|step| matches!(step, Step::Service { .. }))
}

/// The applies that these events ask for.
fn applies<'s>(
    session: &'s Session,
    events: &'s [Event],
) -> impl DoubleEndedIterator<Item = &'s Call> {
    events.iter().filter_map(|event| {
        let Event::Request(input) = event else {
            return None;
        };
        let mut calls = session.calls(phase::CHECKAPPLY);
        calls.find(|call| call.number == input.exchange && call.has("apply"))
    })
}

/// The requests by which resources are made and filled in that the host refused, and why.
pub fn unmade(session: &Session) -> impl Iterator<Item = (&Call, &str)> {
    let making = |call: &&Call| [phase::NEW, phase::SET].contains(&call.phase);
    let calls = session.exchanges.iter().filter(making);
    calls.filter_map(|call| match &call.answer {
        Some(Answer::Refused(_, why)) => Some((call, why.as_str())),
        _ => None,
    })
}
