//! Graphs that the reference engine ran in a session, one after the other.

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
