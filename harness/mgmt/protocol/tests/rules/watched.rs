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
