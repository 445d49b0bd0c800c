//! What scripted resources noted, as rules for engines see it.

use crate::phase;
use crate::session::{Call, Session};
use std::collections::BTreeSet;
use stickler_json::Json;

/// The fact of a case that holds what is [`Known`].
pub const FACT: &str = "engine";

/// What is known of the resources of a graph, by their names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Known {
    /// Those that are in noop mode in each graph.
    pub noop: BTreeSet<String>,
    /// Those that are in noop mode in no graph.
    pub applies: BTreeSet<String>,
    /// Those that the engine polls, in any graph.
    pub polled: BTreeSet<String>,
    /// Those that are hidden in any graph: they never run.
    pub hidden: BTreeSet<String>,
}

impl Known {
    /// As a fact.
    pub fn to_fact(&self) -> serde_json::Value {
        serde_json::json!({
            "noop": self.noop, "applies": self.applies, "polled": self.polled, "hidden": self.hidden,
        })
    }

    pub(super) fn of(session: &Session) -> Known {
        let fact = session.case().facts.get(FACT);
        let names = |key: &str| -> BTreeSet<String> {
            let names = fact.and_then(|fact| fact.get(key)?.as_array());
            let names = names.into_iter().flatten();
            names
                .filter_map(|name| Some(name.as_str()?.to_owned()))
                .collect()
        };
        Known {
            noop: names("noop"),
            applies: names("applies"),
            polled: names("polled"),
            hidden: names("hidden"),
        }
    }
}

/// What a resource noted: a call of the engine, or an event that `Watch` sent.
pub(super) struct Noted<'s> {
    pub(super) call: &'s Call,
    /// The method, or `event`.
    pub(super) what: &'s str,
    /// The instance: the resource's name, and the number of the instance.
    pub(super) vertex: &'s str,
    /// Its place in the order of all beginnings and ends.
    pub(super) begin: u64,
    /// The same for its end. None if it never ended.
    pub(super) end: Option<u64>,
}

impl<'s> Noted<'s> {
    /// The resource's name.
    pub(super) fn name(&self) -> &'s str {
        self.vertex
            .rsplit_once('@')
            .map_or(self.vertex, |(name, _)| name)
    }

    /// Did it end before another one began?
    pub(super) fn is_before(&self, other: &Noted<'_>) -> bool {
        self.end.is_some_and(|end| end < other.begin)
    }

    /// Did the method fail?
    pub(super) fn fails(&self) -> bool {
        self.call.param("err").is_some()
    }
}

/// All that was noted, in the order of beginnings.
pub(super) fn noted(session: &Session) -> Vec<Noted<'_>> {
    let driven = session.case().is_driven();
    let calls = session.exchanges.iter().filter(|_| driven);
    let calls = calls.filter(|call| call.phase == phase::NOTED);
    calls
        .filter_map(|call| {
            Some(Noted {
                call,
                what: call.param("call")?,
                vertex: call.param("vertex")?,
                begin: number(call, "begin")?,
                end: number(call, "end"),
            })
        })
        .collect()
}

fn number(call: &Call, key: &str) -> Option<u64> {
    match call.params.as_ref()?.get(key)? {
        Json::Number(text) => text.parse().ok(),
        _ => None,
    }
}
