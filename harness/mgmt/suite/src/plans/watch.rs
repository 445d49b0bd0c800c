//! `Watch`: started, with changes from outside, with events that nobody takes, told to end, and started again.

use crate::keys::DRIFT;
use crate::requests::{about, cleanup, counts, init, message, validated};
use mgmt_protocol::{phase, purpose};
use serde_json::json;
use stickler_suite::plans::{disturbable, subjects};
use stickler_suite::{CaseBuilder, Effort, Instance, Setting, fill, scratch_dir};
use stickler_transcript::{Bytes, Case, Drift, Key, Phase, Purpose};

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

pub(super) fn cases(setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let items = subjects(setting, effort);
    items.iter().map(|item| one(setting, item)).collect()
}

/// `Watch` while files that the example has made change in ways of their own.
pub(super) fn followed(setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let items = disturbable(setting, effort);
    let followed = items
        .iter()
        .filter_map(|item| follow(setting, item, effort));
    followed.collect()
}

fn one(setting: &Setting<'_>, item: &Instance) -> Case {
    let mut case = setting.case(format!("watch/{}", item.info.label));
    let label = &item.info.label;
    let spoiled = spoiled(setting, item);
    let mut watch = Watching::of(&mut case, item);
    counts(watch.case, 1);
    watch.starts(false);
    watch.acks();
    if !spoiled.is_empty() {
        // What is armed late is armed by then.
        watch.waits(purpose::AWAIT.part("calm").of(label), CALM);
        watch.acks();
    }
    for (number, how) in spoiled.iter().enumerate() {
        watch.noticed(how);
        watch.acks();
        watch.evaluates(2 + number);
        watch.settles();
        let key = purpose::QUIET.turn(number + 1).of(label);
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
    if let Some(how) = spoiled.first() {
        watch.evaluates(91);
        watch.starts(false);
        // Its watches are armed by now.
        watch.noticed(how);
        watch.evaluates(92);
        watch.ends();
    }
    cleanup(watch.case, label);
    case.terminate().build()
}

/// How the state is spoiled: by each of the author's commands, else by undoing what the example did.
fn spoiled(setting: &Setting<'_>, item: &Instance) -> Vec<Spoiled> {
    let declared = declared(setting, item);
    if !declared.is_empty() {
        return declared.into_iter().map(Spoiled::By).collect();
    }
    let undone = setting.knowledge.undone.get(&item.info.label);
    let undone = undone.filter(|drifts| !drifts.is_empty());
    undone.into_iter().cloned().map(Spoiled::Files).collect()
}

fn follow(setting: &Setting<'_>, item: &Instance, effort: Effort) -> Option<Case> {
    let label = &item.info.label;
    let made = setting.knowledge.made_by(label);
    let file = made.first()?;
    let mut ways = ways(file);
    if let Some(content) = setting.knowledge.content(label, file) {
        let other = content.iter().map(|byte| match byte {
            b'a'..=b'y' | b'0'..=b'8' => byte + 1,
            byte => *byte,
        });
        let other: Vec<u8> = other.collect();
        if other != content[..] {
            let path = Bytes::from(*file);
            let content = other.into();
            ways.insert(1, Spoiled::Files(vec![Drift::Write { path, content }]));
        }
    }
    if effort == Effort::Quick {
        ways.truncate(1);
    }
    let mut case = setting.case(format!("follow/{label}"));
    let mut watch = Watching::of(&mut case, item);
    watch.starts(false);
    watch.acks();
    watch.waits(purpose::AWAIT.part("calm").of(label), CALM);
    watch.acks();
    for (number, how) in ways.iter().enumerate() {
        watch.noticed(how);
        watch.acks();
        watch.evaluates(2 + number);
        watch.settles();
    }
    watch.ends();
    cleanup(watch.case, label);
    Some(case.terminate().build())
}

/// The ways in which editors, tools and people change a file.
fn ways(file: &[u8]) -> Vec<Spoiled> {
    let path = || Bytes::from(file);
    let text = || Bytes::from("stickler was here\n");
    let write = Drift::Write {
        path: path(),
        content: text(),
    };
    let shell = |script: &str| {
        let words = [b"/bin/sh".as_slice(), b"-c", script.as_bytes(), b"sh", file];
        Spoiled::By(words.map(Bytes::from).into())
    };
    vec![
        Spoiled::Files(vec![write]),
        shell("echo stickler >\"$1.stickler\" && mv -f \"$1.stickler\" \"$1\""),
        shell("rm \"$1\""),
        shell("for n in 1 2 3 4 5 6 7 8 9; do echo $n >\"$1\"; done"),
    ]
}

/// How the state is spoiled.
enum Spoiled {
    /// The harness changes files.
    Files(Vec<Drift>),
    /// A command does it.
    By(Vec<Bytes>),
}

/// The commands of the author that spoil the state of an item.
pub(super) fn declared(setting: &Setting<'_>, item: &Instance) -> Vec<Vec<Bytes>> {
    let mut examples = setting.config.examples.iter().enumerate();
    let is_own = |index: usize| item.info.label == setting.example(index, 0).info.label;
    let Some((_, example)) = examples.find(|(index, _)| is_own(*index)) else {
        return Vec::new();
    };
    let dir = scratch_dir(0);
    let commands = example.own.commands(DRIFT).iter();
    let filled = commands.map(|words| words.iter().map(|word| fill(word, &dir).into()).collect());
    filled.collect()
}

/// A resource that is watched.
struct Watching<'c, 's> {
    case: &'c mut CaseBuilder<'s>,
    item: &'c Instance,
    begun: Key,
    turn: usize,
    /// How often something was changed from outside.
    noticed: usize,
}

impl<'c, 's> Watching<'c, 's> {
    /// A resource that has been applied, and begun.
    fn of(case: &'c mut CaseBuilder<'s>, item: &'c Instance) -> Self {
        case.setup(item)
            .observing()
            .open()
            .validate(item)
            .evaluate(item);
        let begun = init(case, item, validated(item));
        Watching {
            case,
            item,
            begun,
            turn: 0,
            noticed: 0,
        }
    }
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
    fn noticed(&mut self, how: &Spoiled) {
        match how {
            Spoiled::Files(drifts) => self.case.drifts(drifts),
            Spoiled::By(words) => self.case.drift_by(words.clone(), true),
        };
        self.case.observe("drift");
        self.acks();
        self.noticed += 1;
        let key = purpose::NOTICED
            .turn(self.noticed)
            .of(&self.item.info.label);
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
