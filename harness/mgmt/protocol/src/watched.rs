//! Calls of `Watch`, from their start to their end.

use crate::message::text;
use crate::phase;
use crate::purpose;
use crate::session::{Call, Session};
use crate::visit;
use stickler_json::Json;
use stickler_rpc::Notification;
use stickler_transcript::{Drift, Event, Fate};

/// What comes so soon after the start comes right after it, in microseconds.
const EARLY: u64 = 300_000;

/// A call of `Watch`.
pub(crate) struct Watched<'s> {
    /// The request that started it.
    pub(crate) start: &'s Call,
    /// The requests about it up to the next start or the cleanup, in order.
    pub(crate) calls: Vec<&'s Call>,
    /// What it told meanwhile, each with the number of the exchange.
    pub(crate) told: Vec<(usize, &'s Notification)>,
    /// All calls of `CheckApply` of the resource, those before the start included.
    applied: Vec<&'s Call>,
}

impl<'s> Watched<'s> {
    /// The request that told it to end.
    pub(crate) fn cancel(&self) -> Option<&'s Call> {
        self.calls
            .iter()
            .copied()
            .find(|call| call.phase == phase::CANCEL)
    }

    /// How long it ran until it was told to end, in microseconds; none if it was not.
    pub(crate) fn lasts(&self) -> u64 {
        let started = self.start.answered_at.unwrap_or(u64::MAX);
        self.cancel()
            .map_or(0, |cancel| cancel.sent_at.saturating_sub(started))
    }

    /// The waits for what follows changes from outside, if something was wrong after them, and nothing before.
    pub(crate) fn noticed(&self) -> impl Iterator<Item = &'s Call> {
        let calls = self.calls.iter().copied().enumerate();
        let noticed = calls.filter(|(_, call)| call.key.turn_of(purpose::NOTICED).is_some());
        noticed.filter_map(|(at, call)| {
            let mut later = self.calls[at..].iter().copied();
            let is_wrong = later.find_map(visit::fate) == Some(Fate::Changed);
            (is_wrong && !self.is_wrong_before(call)).then_some(call)
        })
    }

    /// Did the resource find its state wrong before a change from outside, though it had been applied since the
    /// change before it? Then what it finds after the change says nothing.
    fn is_wrong_before(&self, noticed: &Call) -> bool {
        let before = self
            .applied
            .iter()
            .take_while(|call| call.number < noticed.number);
        let last = self.calls.iter().filter(|call| {
            call.number < noticed.number && call.key.turn_of(purpose::NOTICED).is_some()
        });
        let last = last.last().map_or(0, |call| call.number);
        let fates: Vec<Fate> = before
            .filter(|call| call.number > last)
            .filter_map(|call| visit::fate(call))
            .collect();
        matches!(fates.as_slice(), [_, .., Fate::Changed | Fate::Failed])
    }

    /// Did that change come right after the start?
    pub(crate) fn is_early(&self, noticed: &Call) -> bool {
        let mut waits = self.calls.iter().filter(|call| call.phase == phase::AWAIT);
        let started = waits.next().and_then(|call| call.answered_at);
        started.is_some_and(|started| noticed.sent_at.saturating_sub(started) < EARLY)
    }

    /// Did it end before it was told to? With the exchange, the error and the panic.
    pub(crate) fn ended_early(&self) -> Option<(usize, Option<String>, Option<String>)> {
        // A call of `CheckApply` beside which it is told to end.
        let stops = |call: &&&Call| {
            call.params
                .as_ref()
                .is_some_and(|params| params.get("stop_ms").is_some())
        };
        let told = self
            .cancel()
            .into_iter()
            .chain(self.calls.iter().find(stops).copied());
        let cancel = told.map(|call| call.number).min().unwrap_or(usize::MAX);
        let ended = self.told.iter().find(|(_, told)| told.method == "ended")?;
        let (number, told) = ended;
        (*number < cancel).then(|| (*number, told.text("error"), told.text("panic")))
    }

    /// Did it end between the change before this wait and the end of the wait?
    pub(crate) fn ends_after(&self, noticed: &Call, session: &Session) -> bool {
        let Some((ended, ..)) = self.ended_early() else {
            return false;
        };
        // What is told before the next call is told with the last one.
        let mut last = 0;
        let mut change = 0;
        for event in &session.transcript.events {
            match event {
                Event::Request(input) if input.exchange >= noticed.number => break,
                Event::Request(input) => last = input.exchange,
                Event::Drifted { .. } => change = last,
                _ => {}
            }
        }
        (change..=noticed.number).contains(&ended)
    }

    /// How it panicked, whenever that was.
    pub(crate) fn panic(&self) -> Option<(usize, String)> {
        let mut ended = self.told.iter().filter(|(_, told)| told.method == "ended");
        ended.find_map(|(number, told)| Some((*number, told.text("panic")?)))
    }
}

/// All calls of `Watch` in a session that were started. Where a channel ends `Watch`, one that took the channel in `Init`
/// ends at once when it starts again: mgmt never does that to it.
pub(crate) fn watched(session: &Session) -> Vec<Watched<'_>> {
    let mut all = all_watched(session);
    if session.has_done() {
        let mut known = Vec::new();
        all.retain(|watch| {
            let is_first = !known.contains(&watch.start.resource());
            known.push(watch.start.resource());
            let starts = watch.told.iter().any(|(_, told)| told.method == "started");
            is_first || starts || !matches!(watch.ended_early(), Some((_, None, None)))
        });
    }
    all
}

fn all_watched(session: &Session) -> Vec<Watched<'_>> {
    let starts = session.calls(phase::WATCH).filter(|call| call.returns());
    let of = |start: &'_ Call, call: &Call| {
        call.process == start.process
            && call.resource() == start.resource()
            && call.number > start.number
    };
    starts
        .map(|start| {
            let later = || session.exchanges.iter().filter(|call| of(start, call));
            let end = later()
                .find(|call| [phase::WATCH, phase::CLEANUP].contains(&call.phase))
                .map_or(usize::MAX, |call| call.number);
            let here = |call: &&Call| call.number < end;
            let all = session.exchanges.iter();
            let all = all.filter(|call| {
                call.process == start.process && (start.number..end).contains(&call.number)
            });
            let told = all.flat_map(|call| call.told.iter().map(|told| (call.number, told)));
            let own = |(_, told): &(usize, &Notification)| {
                told.text("resource").as_deref() == Some(start.resource())
            };
            let applied = session.calls(phase::CHECKAPPLY).filter(|call| {
                call.process == start.process && call.resource() == start.resource()
            });
            Watched {
                applied: applied.collect(),
                start,
                calls: later().filter(here).collect(),
                told: told.filter(own).collect(),
            }
        })
        .collect()
}

/// What a wait has come to: `started`, `event`, `ended`, `nothing`.
pub(crate) fn came(call: &Call) -> Option<String> {
    text(call.answer.as_ref()?.member("what")?)
}

/// The change that a call of `Watch` does not see, though an earlier call of the same object has seen the same one.
pub(crate) fn deaf<'s>(
    session: &Session,
    all: &[Watched<'s>],
    again: &Watched<'s>,
) -> Option<&'s Call> {
    let sees = |noticed: &Call, what: &str| came(noticed).as_deref() == Some(what);
    let before = all.iter().filter(|one| {
        one.start.number < again.start.number
            && one.start.process == again.start.process
            && one.start.resource() == again.start.resource()
    });
    let seen: Vec<&Drift> = before
        .flat_map(Watched::noticed)
        .filter(|noticed| sees(noticed, "event"))
        .filter_map(|noticed| session.drift_before(noticed))
        .collect();
    let mut late = again.noticed().filter(|noticed| !again.is_early(noticed));
    late.find(|noticed| {
        sees(noticed, "nothing")
            && again.ended_early().is_none()
            && session.drift_failed(noticed).is_none()
            && session
                .drift_before(noticed)
                .is_some_and(|drift| seen.contains(&drift))
    })
}

/// The error with which a call of `Watch` ends by itself before anything changes outside, though an earlier call of the
/// same object did not end by itself.
pub(crate) fn fails_again(
    session: &Session,
    all: &[Watched<'_>],
    again: &Watched<'_>,
) -> Option<String> {
    let mut before = all.iter().filter(|one| {
        one.start.number < again.start.number
            && one.start.process == again.start.process
            && one.start.resource() == again.start.resource()
    });
    let (ended, error, panic) = again.ended_early()?;
    // The change may have come before the next call.
    let mut later = again.calls.iter().filter(|call| call.number > ended);
    let next = later.next().or(again.calls.last())?;
    let place = |drift: Option<&Drift>| drift.map(std::ptr::from_ref);
    let is_untouched =
        place(session.drift_before(again.start)) == place(session.drift_before(next));
    let lasts = before.any(|one| one.cancel().is_some() && one.ended_early().is_none());
    error.filter(|_| panic.is_none() && is_untouched && lasts)
}

/// Did `Watch` wait to deliver an event when nobody waited for its end any more?
pub(crate) fn is_held(cancel: &Call) -> bool {
    let answer = cancel.answer.as_ref();
    answer.and_then(|answer| answer.member("held")) == Some(&Json::Bool(true))
}

/// Did `Watch` end when it was told to?
pub(crate) fn has_ended(cancel: &Call) -> Option<bool> {
    match cancel.answer.as_ref()?.member("ended")? {
        Json::Bool(ended) => Some(*ended),
        _ => None,
    }
}
