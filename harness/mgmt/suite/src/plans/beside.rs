//! Two resources of one kind in one process, and each in a process of its own.

use crate::host::has_race;
use crate::requests::{LONG, begin, calls, cleanup, validate_once};
use crate::watching::Watching;
use mgmt_protocol::{phase, purpose};
use serde_json::json;
use stickler_suite::plans::subjects;
use stickler_suite::{CaseBuilder, Effort, Instance, Setting, scratch_dir};
use stickler_transcript::{Bytes, Case, Key, Purpose, Value};

/// How often `Watch` is told to end beside `CheckApply`.
const STOPS: usize = 8;
/// When it is, in milliseconds after the call has begun.
const STOP: u64 = 30;
/// The folder of one that is alone.
const THIRD: usize = 2;

pub(super) fn cases(setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let count = subjects(setting, effort).len();
    let all = 0..setting.config.examples.len().min(count);
    let races = all.clone().filter(|_| has_race(setting.config));
    let races = races.flat_map(|index| {
        let stopped = stopped(setting, index);
        at_once(setting, index).into_iter().chain([stopped])
    });
    let cases: Vec<Case> = all.filter_map(|index| one(setting, index)).collect();
    cases.into_iter().chain(races).collect()
}

/// Both call `CheckApply` at the same time, for the race detector.
fn at_once(setting: &Setting<'_>, index: usize) -> Option<Case> {
    let pair = pair(setting, index)?;
    let [one, other] = &pair;
    let mut case = setting.case(format!("at-once/{}", one.info.label));
    for item in &pair {
        case.setup(item);
    }
    case.queued_fakes().observing().open();
    for item in &pair {
        begin(&mut case, item);
    }
    for (turn, apply) in [(1, true), (2, false)] {
        let own = if apply { one } else { &one.looked_at() };
        let more = json!({ "beside": &*other.info.label });
        let key = purpose::SETTLED.turn(turn).of(&one.info.label);
        calls(&mut case, key, own, &more);
    }
    for item in &pair {
        cleanup(&mut case, &item.info.label);
    }
    Some(case.terminate().build())
}

/// `Watch` is told to end while `CheckApply` runs or has just ended, for the race detector.
fn stopped(setting: &Setting<'_>, index: usize) -> Case {
    let item = setting.example(index, 0);
    let label = &item.info.label;
    let mut case = setting.case(format!("stopped/{label}"));
    case.setup(&item).observing().open();
    let begun = begin(&mut case, &item);
    let mut watch = Watching::new(&mut case, &item, begun, 0);
    for round in 1..=STOPS {
        watch.starts(false);
        watch.acks();
        let key = purpose::AT_ONCE.turn(round).of(label);
        calls(watch.case, key, &item, &json!({ "stop_ms": STOP }));
        let key = purpose::AWAIT.part(&format!("stop-{round}")).of(label);
        let ended = json!({ "what": "ended", "ms": LONG });
        watch.asks(phase::AWAIT, key, &ended);
    }
    cleanup(&mut case, label);
    case.terminate().build()
}

/// The example in two directories. What both manage in one place is no pair.
fn pair(setting: &Setting<'_>, index: usize) -> Option<[Instance; 2]> {
    let mut pair = [setting.example(index, 0), setting.example(index, 1)];
    if pair[0].identity == pair[1].identity {
        // Where they are may lie in a field.
        if pair[0].attributes == pair[1].attributes {
            return None;
        }
        let name = [pair[1].name(), b"2"].concat();
        pair[1].set_name(name);
    }
    // What the author expects of one holds for the other.
    pair[1].info.expect = pair[0].info.expect.clone();
    Some(pair)
}

fn one(setting: &Setting<'_>, index: usize) -> Option<Case> {
    let mut pair = pair(setting, index)?;
    // It works alone.
    let mut third = setting.example(index, THIRD);
    if third.identity == pair[0].identity {
        let name = [third.name(), b"3"].concat();
        third.set_name(name);
    }
    third.info.expect = pair[0].info.expect.clone();
    // So that a mix-up shows.
    differ(&mut pair);
    let mut case = setting.case(format!("beside/{}", pair[0].info.label));
    for item in &pair {
        case.setup(item);
    }
    if setting.sandboxed {
        let dir = scratch_dir(THIRD);
        case.run(["mkdir", "-p", "--", &dir].map(Bytes::from).into());
        case.setup(&third);
    }
    case.observing().open();
    for item in &pair {
        begin(&mut case, item);
    }
    applies(&mut case, &pair, Purpose::EVALUATE);
    looks(&mut case, &pair, Purpose::LOOK);
    for item in &pair {
        cleanup(&mut case, &item.info.label);
    }
    case.terminate();
    // What they do in processes of their own is nothing that they share in memory.
    for (process, item) in (1..).zip(&pair) {
        case.start(process).greet();
        applies(
            &mut case,
            std::slice::from_ref(item),
            Purpose::EVALUATE.turn(2),
        );
        case.terminate();
    }
    for (process, item) in (3..).zip(&pair) {
        case.start(process).greet();
        looks(&mut case, std::slice::from_ref(item), Purpose::LOOK.turn(2));
        case.terminate();
    }
    if setting.sandboxed {
        // The control: is one call enough where nothing else happens?
        let again = third.twin("again");
        case.start(5).greet();
        for (turn, item) in [(4, &third), (3, &again)] {
            let items = std::slice::from_ref(item);
            applies(&mut case, items, Purpose::EVALUATE.turn(turn));
            cleanup(&mut case, &item.info.label);
        }
        case.terminate();
    }
    Some(case.build())
}

/// Gives the second item another text in one field, where it has one that is no path.
fn differ(pair: &mut [Instance; 2]) {
    let fields = pair[1].text_fields();
    let plain = fields.into_iter().find(|field| {
        let text = pair[1].text(field);
        text.is_some_and(|text| !text.contains(&b'/') && text.len() > 3 && text.is_ascii())
    });
    let Some(field) = plain else {
        return;
    };
    if let Some(text) = pair[1].text(&field) {
        let other = [text, b"x"].concat();
        pair[1].set(&field, Value::Text(other));
    }
}

fn applies(case: &mut CaseBuilder<'_>, items: &[Instance], key: impl Into<Key>) {
    let key = key.into();
    for item in items {
        validate_once(case, item);
        case.evaluate_as(key.clone(), Purpose::VALIDATE, item);
    }
}

fn looks(case: &mut CaseBuilder<'_>, items: &[Instance], key: impl Into<Key>) {
    let key = key.into();
    for item in items {
        validate_once(case, item);
        case.evaluate_as(key.clone(), Purpose::VALIDATE, &item.looked_at());
    }
}
