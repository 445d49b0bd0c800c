//! Graphs that the reference engine ran in a session, one after the other.

use crate::phase;
use crate::session::{Call, Session};
use stickler_transcript::{Change, Event};

/// A graph, from when it was given to when the next one was.
#[derive(Default)]
pub(crate) struct Ran<'s> {
    /// What the plan calls it.
    pub(crate) name: &'s str,
    /// How it went: `converged`, `restless`, `refused`, … Empty if the host was lost.
    pub(crate) went: &'s str,
    /// The calls meanwhile.
    pub(crate) calls: Vec<&'s Call>,
    /// What changed meanwhile.
    pub(crate) changes: Vec<&'s Change>,
}

impl<'s> Ran<'s> {
    /// The last call of `CheckApply` that is so.
    pub(crate) fn last_check(&self, is_so: impl Fn(&Call) -> bool) -> Option<&'s Call> {
        let mut calls = self.calls.iter().rev();
        calls
            .find(|call| call.phase == phase::CHECKAPPLY && is_so(call))
            .copied()
    }

    /// What keeps it from rest: the last call that had something to do, or else the last one during which an event
    /// came.
    pub(crate) fn unrest(&self) -> Option<&'s Call> {
        let busy = |call: &Call| call.why_it_fails().is_some() || call.ok() == Some(false);
        let told = |call: &&Call| call.told.iter().any(|told| told.method == "event");
        let noisy = || self.calls.iter().copied().rev().find(told);
        self.last_check(busy).or_else(noisy)
    }
}

/// All graphs of a session. None if no engine drove it.
pub(crate) fn graphs(session: &Session) -> Vec<Ran<'_>> {
    let mut graphs: Vec<Ran<'_>> = Vec::new();
    for event in &session.transcript.events {
        if let Event::Marked { mark, .. } = event
            && let Some(name) = mark.strip_prefix("graph ")
        {
            graphs.push(Ran {
                name,
                ..Ran::default()
            });
        }
        let Some(last) = graphs.last_mut() else {
            continue;
        };
        match event {
            Event::Marked { mark, .. } => {
                if let Some(went) = mark.strip_prefix("went ") {
                    last.went = went;
                }
            }
            Event::Request(input) => {
                let mut calls = session.exchanges.iter();
                last.calls
                    .extend(calls.find(|call| call.number == input.exchange));
            }
            Event::Effects { changes, .. } => last.changes.extend(changes),
            _ => {}
        }
    }
    graphs
}
