//! What the rules about graphs and races say of short dialogues.

use crate::common::{Dialogue, begun, breaks, judged_group, keeps, says_nothing, shown};
use mgmt_protocol::relation;
use stickler_transcript::Role;

/// A graph with one call of `CheckApply`.
fn ran(dialogue: Dialogue, name: &str, went: &str, apply: bool, ok: bool) -> Dialogue {
    dialogue
        .marked(&format!("graph {name}"))
        .makes(name, "note", "x")
        .check(name, apply, ok, None)
        .marked(&format!("went {went}"))
}

#[test]
fn a_graph_converges_and_a_second_run_does_nothing() {
    let run = |went: &str, again: bool| {
        let plain = ran(begun(), "plain", went, true, false);
        ran(plain, "again", "converged", true, again)
    };
    keeps("MR601", &run("converged", true));
    assert_eq!(
        breaks("MR601", &run("restless", true)),
        "a graph of it never comes to rest"
    );
    let again = run("converged", false);
    assert_eq!(
        shown("MR601", &again),
        [r#"checkapply again apply=true refresh=false"#]
    );
    let noop = |paths: &[&str]| {
        let graph = ran(begun().changed(&[]), "noop", "converged", false, false);
        graph.changed(paths)
    };
    keeps("MR601", &noop(&[]));
    assert_eq!(
        breaks("MR601", &noop(&["/f"])),
        "with noop, a graph of it changes /f"
    );
    // No engine drove it.
    says_nothing(
        "MR601",
        &begun()
            .makes("a", "note", "x")
            .check("a", true, false, None),
    );
}

#[test]
fn meta_parameters_lead_to_the_same_state() {
    let run = |right: bool, control: bool| {
        let meta = begun()
            .marked("graph meta")
            .makes("m", "note", "x")
            .call("meta", r#"{"resource":"m","meta":{"retry":5}}"#, "{}")
            .check("m", true, false, Some("it is in the way"))
            .marked("went converged");
        let look = ran(meta, "look", "converged", false, right);
        let plain = ran(look, "plain", "converged", true, false);
        ran(plain, "look again", "converged", false, control)
    };
    let usual = |changes: usize, again: bool| {
        let plain = begun().marked("graph plain").makes("p", "note", "x");
        let plain = (0..changes).fold(plain, |plain, _| plain.check("p", true, false, None));
        ran(
            plain.marked("went converged"),
            "again",
            "converged",
            true,
            again,
        )
    };
    let judged = |usual: Dialogue, meta: Dialogue| {
        let sessions = [(Role::Baseline, usual), (Role::variant("retry"), meta)];
        judged_group("MR602", relation::GRAPHS, &sessions)
    };
    let found = |usual, meta| judged(usual, meta).1;
    assert_eq!(judged(usual(1, true), run(true, true)), (1, vec![]));
    let words = "with `retry`, the state does not become right: it is in the way";
    assert_eq!(found(usual(1, true), run(false, true)), [words]);
    // Without it, the state does not become right either: never, in two runs, or after two calls.
    assert_eq!(judged(usual(1, true), run(false, false)), (0, vec![]));
    assert_eq!(judged(usual(1, false), run(false, true)), (0, vec![]));
    assert_eq!(judged(usual(2, true), run(false, true)), (0, vec![]));
    let lost = |answer| {
        let made = begun().makes("m", "note", "x");
        made.call("meta", r#"{"resource":"m","meta":{"poll":1}}"#, answer)
    };
    says_nothing("MR602", &lost(r#"{"lost":null}"#));
    let words = "the engine sets `poll`, and `MetaParams` returns another value";
    assert_eq!(breaks("MR602", &lost(r#"{"lost":"poll"}"#)), words);
}

#[test]
fn an_equal_graph_keeps_it_and_another_one_replaces_it() {
    let swap = |equal: &str, other: &str| {
        let begins = |dialogue: Dialogue, name: &str, what: &str| {
            let graph = dialogue
                .marked(&format!("graph {name}"))
                .makes(name, "note", name);
            let graph = match what {
                "begins" => graph.simple("init", name, r#"{"error":null}"#),
                _ => graph,
            };
            graph
                .check("first", true, true, None)
                .marked("went converged")
        };
        let first = begins(begun(), "first", "begins");
        begins(begins(first, "equal", equal), "other", other)
    };
    keeps("MR603", &swap("stays", "begins"));
    assert_eq!(shown("MR603", &swap("begins", "begins")), ["init equal"]);
    let kept = swap("stays", "stays");
    breaks("MR603", &kept);
}

/// An object with another text takes the place of the first one; then an equal one works alone.
fn takes_its_place(fails: bool, alone: bool) -> Dialogue {
    let error = |fails: bool| fails.then_some("it is taken");
    let applies = |dialogue: Dialogue, label: &str, fails: bool| {
        dialogue
            .simple("init", label, r#"{"error":null}"#)
            .check(label, true, false, error(fails))
            .check(label, true, !fails, error(fails))
    };
    let both = applies(begun().makes("a", "note", "x"), "a", false)
        .makes("b", "note", "y")
        .cmp("a", "b", Some("the text differs"))
        .simple("cleanup", "a", r#"{"error":null}"#);
    let swapped = applies(both, "b", fails).process(1);
    applies(swapped.makes("b", "note", "y"), "b", alone)
}

#[test]
fn a_resource_that_replaces_another_works_as_it_does_alone() {
    keeps("MR603", &takes_its_place(false, false));
    assert_eq!(
        breaks("MR603", &takes_its_place(true, false)),
        "an object with other values takes its place, and `CheckApply` fails: it is taken; in a new process, it works"
    );
    // It never works with this value.
    says_nothing("MR603", &takes_its_place(true, true));
}

#[test]
fn a_race_is_told_with_both_places() {
    let report = "==================\nWARNING: DATA RACE\nWrite at 0x1 by goroutine 7:\n  note.Watch()\n      /m/note.go:9 +0x1\n\nPrevious read at 0x1 by main goroutine:\n  note.CheckApply()\n      /m/note.go:5 +0x1\n==================\n";
    let built = || begun().call("initialize", "{}", r#"{"race":true}"#);
    let call = || built().makes("a", "note", "x").check("a", true, true, None);
    keeps("MR604", &call());
    // Without the detector, silence says nothing.
    let without = begun().makes("a", "note", "x").check("a", true, true, None);
    says_nothing("MR604", &without);
    assert_eq!(
        breaks("MR604", &call().prints(report)),
        "a data race between note.go:9 and note.go:5"
    );
}
