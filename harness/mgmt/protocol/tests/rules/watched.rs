//! What the rules about `Watch` say of short dialogues.

use crate::common::{Dialogue, begun, breaks, keeps, says_nothing};

const RESOURCE: &str = r#"{"resource":"a"}"#;

/// `Watch` starts, and says so.
fn starts(dialogue: Dialogue) -> Dialogue {
    dialogue
        .call("watch", RESOURCE, "{}")
        .tells("started", r#"{"resource":"a","n":1}"#)
        .call("await", RESOURCE, r#"{"what":"started","error":null}"#)
}

/// It is told to end.
fn told(dialogue: Dialogue, ended: bool, held: bool) -> Dialogue {
    let answer = format!(r#"{{"ended":{ended},"error":null,"ms":3000,"held":{held}}}"#);
    dialogue.call("cancel", RESOURCE, &answer)
}

/// Something is changed from outside, which is awaited and repaired.
fn changes(dialogue: Dialogue, turn: usize, came: &str) -> Dialogue {
    let applied = r#"{"resource":"a","apply":true,"refresh":false}"#;
    let key = format!("noticed{turn}:e1");
    dialogue
        .removes("/x", 1_000_000)
        .keyed("await", &key, RESOURCE, came)
        .call("checkapply", applied, r#"{"ok":false,"error":null,"ms":1}"#)
}

const EVENT: &str = r#"{"what":"event","error":null}"#;
const NOTHING: &str = r#"{"what":"nothing","error":null}"#;

fn made() -> Dialogue {
    begun().makes("a", "note", "x")
}

#[test]
fn watch_ends_when_it_is_told_to() {
    keeps("MR304", &told(starts(made()), true, false));
    assert_eq!(
        breaks("MR304", &told(starts(made()), false, false)),
        "3 seconds after it was told to end, it still runs"
    );
    assert_eq!(
        breaks("MR304", &told(starts(made()), false, true)),
        "three seconds after it was told to end, it still waits to deliver an event"
    );
}

#[test]
fn watch_never_ends_by_itself() {
    let ends = |error: &str| {
        let params = format!(r#"{{"resource":"a","error":{error},"panic":null}}"#);
        told(starts(made()).tells("ended", &params), true, false)
    };
    breaks("MR306", &ends("null"));
    says_nothing("MR306", &ends("\"the folder is gone\""));
    keeps("MR306", &told(starts(made()), true, false));
}

#[test]
fn a_second_watch_sees_the_same_changes_as_the_first() {
    let both = |first: &str, second: &str| {
        let first = told(changes(starts(made()), 1, first), true, false);
        told(changes(starts(first), 2, second), true, false)
    };
    keeps("MR307", &both(EVENT, EVENT));
    assert_eq!(
        breaks("MR307", &both(EVENT, NOTHING)),
        "started again, it does not see a change that it saw before"
    );
    // That is no miss of the kind that this rule is about, and the other way round.
    keeps("MR302", &both(EVENT, NOTHING));
    keeps("MR307", &both(NOTHING, NOTHING));
    breaks("MR302", &both(NOTHING, NOTHING));
}

#[test]
fn a_second_watch_lasts_as_the_first_one_did() {
    let ended = r#"{"resource":"a","error":"it is closed","panic":null}"#;
    let again = || starts(told(starts(made()), true, false));
    keeps("MR307", &told(again(), true, false));
    assert_eq!(
        breaks("MR307", &told(again().tells("ended", ended), true, false)),
        "started again, it ends by itself with an error: it is closed"
    );
    // After a change from outside, the error may be about that.
    let changed = changes(again(), 1, EVENT).tells("ended", ended);
    keeps("MR307", &told(changed, true, false));
    // The first one ended in the same way.
    let first = told(starts(made()).tells("ended", ended), true, false);
    keeps(
        "MR307",
        &told(starts(first).tells("ended", ended), true, false),
    );
}

#[test]
fn a_head_sees_what_its_members_have_made() {
    let joined = made().makes("b", "note", "x").call(
        "group",
        r#"{"resource":"a","member":"b"}"#,
        r#"{"error":null}"#,
    );
    let applied = r#"{"resource":"a","apply":true,"refresh":false}"#;
    let joined = joined.call("checkapply", applied, r#"{"ok":false,"error":null,"ms":1}"#);
    let three = |came: [&str; 3]| {
        let watch = starts(joined.clone());
        let turns = (1..).zip(came);
        let watch = turns.fold(watch, |watch, (turn, came)| changes(watch, turn, came));
        told(watch, true, false)
    };
    keeps("MR505", &three([EVENT, EVENT, EVENT]));
    assert_eq!(
        breaks("MR505", &three([EVENT, NOTHING, EVENT])),
        "a change of what a member of a group has made leads to no event; one of what the head has made does"
    );
    // One that sees nothing, or nothing after that, is no witness.
    says_nothing("MR505", &three([NOTHING, NOTHING, NOTHING]));
    says_nothing("MR505", &three([EVENT, NOTHING, NOTHING]));
    // What a head does not see of its members is not told twice.
    says_nothing("MR302", &three([EVENT, NOTHING, EVENT]));
}

#[test]
fn what_is_never_right_is_no_witness_of_a_change() {
    let looked = |right: bool| {
        let made = made().check("a", true, false, None);
        let settled = made.check("a", true, right, None);
        told(changes(starts(settled), 1, NOTHING), true, false)
    };
    breaks("MR302", &looked(true));
    says_nothing("MR302", &looked(false));
}

/// What the host counts: goroutines that were started there, descriptors and programs.
fn counted(
    dialogue: Dialogue,
    started: &[(&str, bool)],
    descriptors: u32,
    children: u32,
) -> Dialogue {
    let started = started
        .iter()
        .map(|(by, waits)| format!(r#"{{"by":"note.{by}","at":"note.go:7","waits":{waits}}}"#));
    let started: Vec<String> = started.collect();
    let answer = format!(
        r#"{{"goroutines":{},"descriptors":{descriptors},"children":{children},"started":[{}]}}"#,
        started.len(),
        started.join(",")
    );
    dialogue.call("counts", "{}", &answer)
}

#[test]
fn what_watch_leaves_is_told_with_its_origin() {
    let left = |applies: bool, started: &[(&str, bool)], descriptors, children| {
        let begun = counted(starts(counted(made(), &[], 3, 0)), &[], 3, 0);
        let begun = match applies {
            true => begun.check("a", true, true, None),
            false => begun,
        };
        counted(told(begun, true, false), started, descriptors, children)
    };
    keeps("MR305", &left(false, &[], 3, 0));
    assert_eq!(
        breaks("MR305", &left(false, &[("follow", false)], 3, 0)),
        "after `Watch` has returned, there is one goroutine more than before, started by `note.follow` at note.go:7"
    );
    // Where nothing else ran, nothing else can have started it.
    breaks("MR305", &left(false, &[("follow", true)], 3, 0));
    breaks("MR305", &left(false, &[], 3, 1));
    // The work of a resource may be a program that goes on.
    keeps("MR305", &left(true, &[("start", true)], 4, 1));
    breaks("MR305", &left(true, &[("start", false)], 3, 0));
    breaks("MR305", &left(true, &[], 5, 1));
    // What each call of `CheckApply` keeps open, it keeps without `Watch`, too.
    let open = |by_calls: u32| {
        let looked = counted(made(), &[], 3, 0).check("a", true, true, None);
        let begun = starts(counted(looked, &[], 3 + by_calls, 0));
        let ended = told(begun.check("a", true, true, None), true, false);
        counted(ended, &[], 4 + by_calls, 0)
    };
    breaks("MR305", &open(0));
    keeps("MR305", &open(1));
}

#[test]
fn what_a_graph_leaves_is_not_what_its_resource_leaves_alone() {
    let swap = |alone: bool, by: &str| {
        let own: &[(&str, bool)] = if alone { &[(by, false)] } else { &[] };
        // Begun and ended, watched, applied.
        let mut bare = counted(counted(made(), &[], 3, 0), own, 3, 0);
        for _ in 0..4 {
            bare = counted(bare, own, 3, 0);
        }
        let first = counted(bare, own, 3, 0).marked("graph first");
        let first = first.check("a", true, true, None).marked("went converged");
        counted(first, &[own, &[(by, false)]].concat(), 3, 0)
    };
    assert_eq!(
        breaks("MR603", &swap(false, "helper")),
        "when all has ended, there is one goroutine more, started by `note.helper` at note.go:7"
    );
    keeps("MR603", &swap(true, "helper"));
}
