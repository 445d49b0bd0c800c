//! What the rule about resources with other keys says of short dialogues.

use crate::common::{Dialogue, begun, judged_group};
use mgmt_protocol::relation::TOGETHER;
use stickler_transcript::{Role, Variation};

/// What the example writes.
const OWN: &str = "[main]\nport = 1\n";

/// The example, then the far one, which leaves it, and then one more with these words; each with what the file holds
/// after it, and whether the example is right then.
fn after(far: Option<&str>, more: &[(&str, Variation, Option<&str>, bool)]) -> Dialogue {
    let known = format!("{OWN}far = 1\n");
    let mut dialogue = begun().also("far", Variation::Far, "\"key\" with other letters, `far`");
    dialogue = dialogue
        .applies("e:e1", "e1", true, false)
        .writes(None, OWN, 0o644, 0)
        .applies("e:far", "far", true, far.is_none())
        .writes(Some(OWN), far.unwrap_or(OWN), 0o644, 0)
        .applies("after-far:e1", "e1", true, true);
    for (label, variation, content, ok) in more {
        dialogue = dialogue
            .also(label, *variation, &format!("\"key\" otherwise, `{label}`"))
            .applies(&format!("e:{label}"), label, true, content.is_none())
            .writes(Some(&known), content.unwrap_or(&known), 0o644, 0)
            .applies(&format!("after-{label}:e1"), "e1", true, *ok);
    }
    dialogue
}

/// The same in the other order: only what is seen of those that come first.
fn before(label: &str, variation: Variation, content: &str) -> Dialogue {
    begun()
        .also(label, variation, "")
        .case(|case| case.items[1].description = Some(format!("otherwise, `{label}`")))
        .applies(&format!("e:{label}"), label, true, false)
        .writes(Some("[main]\n"), content, 0o644, 0)
}

fn judged(first: Dialogue, then: Dialogue) -> (usize, Vec<String>) {
    let sessions = [(Role::Baseline, first), (Role::Beside, then)];
    judged_group("MR116", TOGETHER, &sessions)
}

fn alone(then: Dialogue) -> (usize, Vec<String>) {
    judged(begun(), then)
}

const FAR: Option<&str> = Some("[main]\nport = 1\nfar = 1\n");

#[test]
fn one_that_is_nearly_the_same_leaves_the_example_alone() {
    let both = "[main]\nport = 1\nfar = 1\npor = 1\n";
    let (passes, found) = alone(after(FAR, &[("por", Variation::Part, Some(both), true)]));
    assert_eq!((passes, found.len()), (1, 0));
    let taken = "[main]\npor = 1\nfar = 1\n";
    let (_, found) = alone(after(FAR, &[("por", Variation::Part, Some(taken), false)]));
    assert_eq!(
        found,
        [
            "one with \"key\" otherwise, `por` undoes the example; one with \"key\" with other letters, `far` leaves it as it is"
        ]
    );
    // The example does not see it.
    let (_, found) = alone(after(FAR, &[("por", Variation::Part, Some(taken), true)]));
    assert_eq!(found.len(), 1);
    assert!(
        found[0].contains("takes away a line of the example, `port = 1`"),
        "{found:?}"
    );
}

/// Both apply, in both orders, and then at the same time; then both look.
fn at_once(orders: [bool; 2], beside: &str, looks: [bool; 2]) -> Dialogue {
    let mut dialogue = begun().also("far", Variation::Far, "\"key\" with other letters, `far`");
    for (turn, is_right) in (1..).zip(orders) {
        let turn = if turn == 1 {
            String::from("1")
        } else {
            turn.to_string()
        };
        dialogue = dialogue
            .applies(&format!("e{turn}:e1"), "e1", true, false)
            .applies(&format!("e{turn}:far"), "far", true, false)
            .applies(&format!("w{turn}:e1"), "e1", false, is_right)
            .applies(&format!("w{turn}:far"), "far", false, true);
    }
    let both = r#"{"resource":"e1","apply":true,"refresh":false,"beside":"far","once":true}"#;
    let came = format!(r#"{{"ok":false,"error":null,"ms":1,"beside_error":{beside}}}"#);
    dialogue
        .keyed("checkapply", "at-once1:e1", both, &came)
        .applies("w3:e1", "e1", false, looks[0])
        .applies("w3:far", "far", false, looks[1])
}

#[test]
fn two_at_the_same_time_lose_nothing() {
    let judged =
        |dialogue: Dialogue| judged_group("MR116", TOGETHER, &[(Role::Concurrent, dialogue)]);
    let right = [true, true];
    assert_eq!(judged(at_once(right, "null", right)), (1, vec![]));
    for looks in [[false, true], [true, false]] {
        let (_, found) = judged(at_once(right, "null", looks));
        assert_eq!(
            found,
            [
                "it runs at the same time as one with \"key\" with other letters, `far`: both succeed, and what one of them did is gone"
            ]
        );
    }
    // One after the other undoes the first, too: both manage one thing.
    assert_eq!(
        judged(at_once([true, false], "null", [false, true])),
        (0, vec![])
    );
    // The other one says that it failed.
    assert_eq!(
        judged(at_once(right, "\"busy\"", [true, false])),
        (0, vec![])
    );
}

#[test]
fn what_even_a_far_one_undoes_is_one_thing() {
    // The far one replaces the line, and so does the near one.
    let dialogue = begun()
        .also("far", Variation::Far, "far")
        .also("por", Variation::Part, "near")
        .applies("e:e1", "e1", true, false)
        .writes(None, "port\n", 0o644, 0)
        .applies("e:far", "far", true, false)
        .writes(Some("port\n"), "far\n", 0o644, 0)
        .applies("after-far:e1", "e1", true, false)
        .writes(Some("far\n"), "port\n", 0o644, 0)
        .applies("e:por", "por", true, false)
        .writes(Some("port\n"), "por\n", 0o644, 0)
        .applies("after-por:e1", "e1", true, false);
    assert_eq!(alone(dialogue), (0, vec![]));
    // The far one changes nothing at all: the field is no key.
    let taken = Some("[main]\npor = 1\n");
    let unused = after(None, &[("por", Variation::Part, taken, false)]);
    assert_eq!(alone(unused), (0, vec![]));
}

#[test]
fn lines_that_are_aligned_anew_are_the_same() {
    let aligned = "[main]\nport    = 1\nfar = 1\nlongest = 1,\n";
    let (passes, found) = alone(after(
        FAR,
        &[("longest", Variation::Near, Some(aligned), true)],
    ));
    assert_eq!((passes, found.len()), (1, 0));
}

#[test]
fn one_is_taken_for_the_example_only_if_it_makes_something_else_alone() {
    let then = || after(FAR, &[("portx", Variation::Near, None, true)]);
    assert_eq!(alone(then()), (0, vec![]));
    let first = before("portx", Variation::Near, "[main]\nportx = 1\n");
    let (_, found) = judged(first, then());
    assert_eq!(found.len(), 1);
    assert!(found[0].contains("is taken for right where only the example is there"));
    // A longer text holds a part of it.
    let part = after(FAR, &[("por", Variation::Part, None, true)]);
    let first = before("por", Variation::Part, "[main]\npor = 1\n");
    assert_eq!(judged(first, part), (0, vec![]));
}

#[test]
fn keys_in_another_case_may_be_the_same() {
    let own = "[main]\nport = 1\nfar = 1\n";
    let other = own.replace("port = 1", "PORT = 2");
    let undone = ("PORT+value", Variation::Case, Some(&*other), false);
    let found = |more: &[_]| alone(after(FAR, more)).1.len();
    assert_eq!(found(&[undone]), 1);
    // It was taken for the same entry with the same value.
    assert_eq!(found(&[("PORT", Variation::Case, None, true), undone]), 0);
}

#[test]
fn an_entry_of_another_section_stays() {
    let section = |content: &str, made_alone: &str| {
        let then = begun()
            .also(
                "far",
                Variation::Far,
                "\"section\" with other letters, `far`",
            )
            .also(
                "far+value",
                Variation::Far,
                "\"section\" with other letters, `far`, and more",
            )
            .applies("e:e1", "e1", true, false)
            .writes(None, OWN, 0o644, 0)
            .applies("e:far", "far", true, true)
            .applies("after-far:e1", "e1", true, true)
            .applies("e:far+value", "far+value", true, false)
            .writes(Some(OWN), content, 0o644, 0)
            .applies("after-far+value:e1", "e1", true, false);
        judged(before("far", Variation::Far, made_alone), then).1
    };
    let own_section = "[main]\n[far]\nport = 1\n";
    let found = section("[main]\nport = 2\n", own_section);
    assert_eq!(found.len(), 1);
    assert!(
        found[0].contains("changes the entry of the example in its own section"),
        "{found:?}"
    );
    // It writes the whole file, the title included.
    assert!(section("[far]\nport = 2\n", own_section).is_empty());
    // The field is no section.
    assert!(section("[main]\nport = 2\n", "[main]\nport = 1 # far\n").is_empty());
}
