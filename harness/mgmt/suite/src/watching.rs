//! The conversation about a call of `Watch`.

use crate::requests::{LONG, about, message};
use mgmt_protocol::{phase, purpose};
use serde_json::{Value as Json, json};
use stickler_suite::{CaseBuilder, Instance, Spoil};
use stickler_transcript::{Key, Phase, Purpose};

/// How long the events of a repair are taken, one by one.
const SETTLING: u64 = 150;
/// How many of them are taken.
const EVENTS: usize = 6;

/// A resource that is watched.
pub(crate) struct Watching<'c, 's> {
    pub(crate) case: &'c mut CaseBuilder<'s>,
    pub(crate) item: &'c Instance,
    begun: Key,
    turn: usize,
    /// How often something was changed from outside.
    noticed: usize,
}

impl<'c, 's> Watching<'c, 's> {
    /// A resource for which the request `begun` has called `Init`. The turn is the one before its first.
    pub(crate) fn new(
        case: &'c mut CaseBuilder<'s>,
        item: &'c Instance,
        begun: Key,
        turn: usize,
    ) -> Self {
        Watching {
            case,
            item,
            begun,
            turn,
            noticed: 0,
        }
    }

    /// Asks with these parameters beside the resource.
    pub(crate) fn asks(&mut self, phase: Phase, key: Key, more: &Json) {
        let mut params = json!({ "resource": &*self.item.info.label });
        if let (Json::Object(params), Json::Object(more)) = (&mut params, more) {
            params.extend(more.clone());
        }
        let send = message(self.case, phase, key, Some(self.begun.clone()), &params);
        let mut send = about(send, self.item);
        // The host waits at most so long itself.
        send.deadline_us = send.deadline_us.max(2 * LONG * 1_000);
        self.case.send(send);
    }

    /// Starts `Watch`, and waits until it says so.
    pub(crate) fn starts(&mut self, delay: bool) {
        self.turn += 1;
        let key = self.key(purpose::WATCH);
        self.asks(phase::WATCH, key, &json!({ "delay": delay }));
        self.waits(self.key(purpose::AWAIT), LONG);
    }

    /// Waits for what it tells next.
    pub(crate) fn waits(&mut self, key: Key, ms: u64) {
        self.asks(phase::AWAIT, key, &json!({ "what": "", "ms": ms }));
    }

    /// Lets it go on behind an event.
    pub(crate) fn acks(&mut self) {
        let key = purpose::ACK.turn(self.case.steps());
        self.asks(phase::ACK, key.of(&self.item.info.label), &json!({}));
    }

    /// Tells it to end.
    pub(crate) fn ends(&mut self) {
        let key = self.key(purpose::CANCEL);
        self.asks(phase::CANCEL, key, &json!({ "ms": LONG }));
    }

    /// Changes something from outside, takes the event that `Watch` may still wait at, and waits for the next one.
    pub(crate) fn noticed(&mut self, how: &Spoil) {
        self.case.spoil(how, true).observe("drift");
        self.acks();
        self.noticed += 1;
        let key = purpose::NOTICED.turn(self.noticed);
        self.waits(key.of(&self.item.info.label), LONG);
    }

    /// Takes the events of a repair.
    pub(crate) fn settles(&mut self) {
        self.takes(EVENTS);
    }

    /// Takes so many events, if they come.
    pub(crate) fn takes(&mut self, events: usize) {
        for _ in 0..events {
            let label = format!("{}-{}", self.item.info.label, self.case.steps());
            self.waits(purpose::AWAIT.part("settles").of(&label), SETTLING);
            self.acks();
        }
    }

    /// Has it repaired what is wrong.
    pub(crate) fn evaluates(&mut self, turn: usize) {
        let key = Purpose::EVALUATE.turn(turn);
        self.case.evaluate_as(key, Purpose::VALIDATE, self.item);
    }

    /// Has it look whether what it has done is right. What needs two calls alone has had them then.
    pub(crate) fn finds_right(&mut self) {
        for part in ["second", "third"] {
            let label = format!("{}-{}", self.item.info.label, self.case.steps());
            let key = purpose::SETTLED.part(part).of(&label);
            self.case.evaluate_as(key, Purpose::VALIDATE, self.item);
        }
    }

    /// The key of the present turn.
    fn key(&self, purpose: Purpose) -> Key {
        purpose.turn(self.turn).of(&self.item.info.label)
    }
}
