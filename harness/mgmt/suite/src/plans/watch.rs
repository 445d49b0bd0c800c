//! `Watch`: started, with changes from outside, with events that nobody takes, told to end, and started again.

use crate::requests::{about, cleanup, counts, init, message, validated};
use crate::shown::Shown;
use mgmt_protocol::{phase, purpose};
use serde_json::json;
use stickler_suite::plans::subjects;
use stickler_suite::{CaseBuilder, Effort, Instance, Setting};
use stickler_transcript::{Case, Drift, Key, Phase, Purpose};

/// How long an event may take, in milliseconds.
const EVENT: u64 = 3_000;
/// How long the events of a repair are taken, one by one.
const SETTLING: u64 = 150;
/// How many of them are taken.
const EVENTS: usize = 6;
/// How long after its start the first change comes.
const CALM: u64 = 500;
/// A second in which nothing happens.
const QUIET: u64 = 1_000;

pub(super) fn cases(shown: &Shown, setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let items = subjects(setting, effort);
    items.iter().map(|item| one(shown, setting, item)).collect()
}

fn one(shown: &Shown, setting: &Setting<'_>, item: &Instance) -> Case {
    let mut case = setting.case(format!("watch/{}", item.info.label));
    let label = &item.info.label;
    let undone = setting.knowledge.undone.get(label);
    let undone = undone.filter(|drifts| !drifts.is_empty());
    case.setup(item)
        .observing()
        .open()
        .validate(item)
        .evaluate(item);
    let begun = init(&mut case, item, validated(item));
    let mut watch = Watching {
        case: &mut case,
        item,
        begun,
        turn: 0,
        renews: shown.ends_with_init,
    };
    counts(watch.case, 1);
    watch.starts(false);
    watch.acks();
    if let Some(drifts) = undone {
        // What is armed late is armed by then.
        watch.waits(purpose::AWAIT.part("calm").of(label), CALM);
        watch.acks();
        watch.noticed(drifts);
        watch.acks();
        watch.evaluates(2);
        watch.settles();
        let key = purpose::QUIET.of(label);
        watch.waits(key, QUIET);
    }
    watch.ends();
    counts(watch.case, 2);
    watch.starts(false);
    watch.acks();
    watch.ends();
    // Nobody takes what it says now.
    watch.starts(true);
    watch.ends();
    if let Some(drifts) = undone {
        watch.evaluates(3);
        watch.starts(false);
        // Its watches are armed by now.
        watch.noticed(drifts);
        watch.evaluates(4);
        watch.ends();
    }
    cleanup(watch.case, label);
    case.terminate().build()
}

/// A resource that is watched.
struct Watching<'c, 's> {
    case: &'c mut CaseBuilder<'s>,
    item: &'c Instance,
    begun: Key,
    turn: usize,
    /// Does a new start need a new `Init`?
    renews: bool,
}

impl Watching<'_, '_> {
    fn asks(&mut self, phase: Phase, key: Key, params: &serde_json::Value) {
        let send = message(self.case, phase, key, Some(self.begun.clone()), params);
        let mut send = about(send, self.item);
        // The host waits at most so long itself.
        send.deadline_us = send.deadline_us.max(2 * EVENT * 1_000);
        self.case.send(send);
    }

    /// Starts `Watch`, and waits until it says so.
    fn starts(&mut self, delay: bool) {
        self.turn += 1;
        let label = &self.item.info.label;
        if self.renews && self.turn > 1 {
            let params = json!({ "resource": &**label });
            self.asks(
                phase::CLEANUP,
                purpose::CLEANUP.turn(self.turn).of(label),
                &params,
            );
            let key = purpose::INIT.turn(self.turn).of(label);
            self.asks(phase::INIT, key.clone(), &params);
            self.begun = key;
        }
        let params = json!({ "resource": &**label, "delay": delay });
        self.asks(
            phase::WATCH,
            purpose::WATCH.turn(self.turn).of(label),
            &params,
        );
        self.waits(purpose::AWAIT.turn(self.turn).of(label), EVENT);
    }

    fn waits(&mut self, key: Key, ms: u64) {
        let params = json!({ "resource": &*self.item.info.label, "what": "", "ms": ms });
        self.asks(phase::AWAIT, key, &params);
    }

    /// Lets it go on behind an event.
    fn acks(&mut self) {
        let label = &self.item.info.label;
        let key = purpose::ACK.turn(self.case.steps()).of(label);
        let params = json!({ "resource": &**label });
        self.asks(phase::ACK, key, &params);
    }

    /// Changes something from outside, takes the event that `Watch` may still wait at, and waits for the next one.
    fn noticed(&mut self, drifts: &[Drift]) {
        self.case.drifts(drifts).observe("drift");
        self.acks();
        let key = purpose::NOTICED.turn(self.turn).of(&self.item.info.label);
        self.waits(key, EVENT);
    }

    /// Takes the events of a repair.
    fn settles(&mut self) {
        for _ in 0..EVENTS {
            let label = &self.item.info.label;
            let key = purpose::AWAIT
                .part("settles")
                .of(&format!("{label}-{}", self.case.steps()));
            self.waits(key, SETTLING);
            self.acks();
        }
    }

    /// Has it repaired what is wrong.
    fn evaluates(&mut self, turn: usize) {
        let key = Purpose::EVALUATE.turn(turn);
        self.case.evaluate_as(key, Purpose::VALIDATE, self.item);
    }

    fn ends(&mut self) {
        let label = &self.item.info.label;
        let params = json!({ "resource": &**label, "ms": EVENT });
        self.asks(
            phase::CANCEL,
            purpose::CANCEL.turn(self.turn).of(label),
            &params,
        );
    }
}
