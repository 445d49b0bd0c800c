//! What rules say where the world refuses what a resource needs or is another one, after a restart, and after many calls.

use crate::common::{Dialogue, applied, begun, breaks, compared, error, keeps, says_nothing};
use mgmt_protocol::relation::CUT_SHORT;
use stickler_transcript::{Relation, Role, Variation};

/// An apply that changes these files.
fn applies(ok: bool, text: Option<&str>, paths: &[&str]) -> Dialogue {
    made()
        .changed(&[])
        .check("a", true, ok, text)
        .changed(paths)
}

fn made() -> Dialogue {
    begun().makes("a", "note", "x")
}

/// What a rule says of a session beside the usual one, in which an apply makes a file.
fn beside_usual(code: &str, relation: Relation, role: Role, other: Dialogue) -> Vec<String> {
    let usual = (Role::Baseline, applies(false, None, &["/d/f"]));
    compared(code, relation, &[usual, (role, other)])
}

#[test]
fn a_target_that_refuses_writes_is_told() {
    let refused = |other| beside_usual("MR103", Relation::PROTECT, Role::variant("full"), other);
    let words = "the target refuses writes, it returns no error, and /d/f is not as it has to be";
    assert_eq!(refused(applies(false, None, &[])), [words]);
    assert_eq!(refused(applies(true, None, &[])), [words]);
    assert_eq!(refused(applies(false, None, &["/d/g"])), [words]);
    assert_eq!(refused(applies(false, Some("no"), &[])), [""; 0]);
    // What was written all the same is no failure.
    assert_eq!(refused(applies(false, None, &["/d/f"])), [""; 0]);
    // A file that is there already may be all that is asked for.
    let old = applies(true, None, &[]);
    let old = beside_usual("MR103", Relation::PROTECT, Role::FullOld, old);
    assert_eq!(old, [""; 0]);
}

#[test]
fn a_file_that_may_not_be_read_is_told_or_replaced() {
    let unread = |other| beside_usual("MR103", Relation::PROTECT, Role::Unreadable, other);
    let words = "it may not read its file, it returns no error, and /d/f is not as it has to be";
    assert_eq!(unread(applies(true, None, &[])), [words]);
    assert_eq!(unread(applies(false, None, &["/d/g"])), [""; 0]);
    assert_eq!(unread(applies(false, Some("no"), &[])), [""; 0]);
}

#[test]
fn a_command_that_fails_is_told() {
    let fails = |usual_again, ok, text, later| {
        let after = r#"{"resource":"a","apply":true,"refresh":false}"#;
        let usual = applies(false, None, &[]);
        let usual = usual.keyed("checkapply", "e2:e1", after, &applied(usual_again, None));
        let call = applies(ok, text, &[]);
        let after = call.keyed("checkapply", "after:e1", after, &applied(later, None));
        let role = Role::variant("1 after 0 calls");
        let sessions = [(Role::Baseline, usual), (role, after)];
        compared("MR103", Relation::COMMANDS, &sessions)
    };
    let words = "a command fails, it returns no error, and the state is wrong afterwards";
    assert_eq!(fails(true, false, None, false), [words]);
    assert!(fails(true, false, Some("no"), false).is_empty());
    assert!(fails(true, false, None, true).is_empty());
    // A command that says "no" may say that all is right.
    assert!(fails(true, true, None, false).is_empty());
    // A state that is never right is wrong without a failure, too.
    assert!(fails(false, false, None, false).is_empty());
}

#[test]
fn a_command_that_is_missing_says_nothing() {
    let asked = |exits: &str, ok, text, later| {
        let params = r#"{"resource":"a","apply":true,"refresh":false}"#;
        let usual = applies(false, None, &[]);
        let usual = usual.keyed("checkapply", "e2:e1", params, &applied(true, None));
        let call = applies(ok, text, &[]);
        let after = call.keyed("checkapply", "after:e1", params, &applied(later, None));
        let role = Role::variant(&format!("{exits} after 0 calls"));
        let sessions = [(Role::Baseline, usual), (role, after)];
        compared("MR103", Relation::COMMANDS, &sessions)
    };
    let found = asked("127", true, None, false);
    assert_eq!(found.len(), 1);
    assert!(found[0].contains("taken for an answer"), "{found:?}");
    // Some commands answer "no" with 1.
    assert_eq!(asked("1", true, None, false), [""; 0]);
    // It was right all the same, or it says that the command failed.
    assert_eq!(asked("127", true, None, true), [""; 0]);
    assert_eq!(asked("127", false, Some("not found"), false), [""; 0]);
}

#[test]
fn a_question_that_fails_is_no_answer() {
    let asked = |ok, text, counter: &str| {
        let params = r#"{"resource":"a","apply":true,"refresh":false}"#;
        let usual = applies(false, None, &[]);
        let usual = usual.keyed("checkapply", "e2:e1", params, &applied(true, None));
        let call = applies(false, None, &[]);
        let call = call
            .keyed("checkapply", "asked0:e1", params, &applied(ok, text))
            .counts_commands(counter);
        let sessions = [(Role::Baseline, usual), (Role::variant("asked"), call)];
        compared("MR103", Relation::COMMANDS, &sessions)
    };
    let found = asked(false, None, "1 show !");
    assert_eq!(found.len(), 1);
    assert!(found[0].contains("exits with 70"), "{found:?}");
    assert!(asked(false, Some("no"), "1 show !").is_empty());
    assert!(asked(true, None, "1 show !").is_empty());
    // Nothing has failed.
    assert!(asked(false, None, "1 show").is_empty());
}

#[test]
fn the_next_run_does_what_the_first_one_does() {
    let second = r#"{"resource":"a","apply":true,"refresh":false}"#;
    let restarted = |usual: Dialogue, results: &[(bool, Option<&str>)]| {
        let again = begun().process(1).makes("a", "note", "x");
        let again = results.iter().fold(again, |again, (ok, text)| {
            again.check("a", true, *ok, *text).changed(&["/d/f"])
        });
        let sessions = [(Role::Baseline, usual), (Role::variant("restarted"), again)];
        compared("MR112", Relation::RESTART, &sessions)
    };
    let usual = |ok, text| {
        let first = applies(false, None, &["/d/f"]);
        first.keyed("checkapply", "e2:e1", second, &applied(ok, text))
    };
    let sound = || usual(true, None);
    assert_eq!(restarted(sound(), &[(false, None)]), [""; 0]);
    let words = "after an end, the next run fails: no";
    assert_eq!(restarted(sound(), &[(false, Some("no"))]), [words]);
    let words = "after an end, the next run never finds the state right";
    assert_eq!(restarted(sound(), &[(false, None), (false, None)]), [words]);
    // What an undisturbed run does, too, follows from no end.
    let restless = usual(false, None);
    assert_eq!(
        restarted(restless, &[(false, None), (false, None)]),
        [""; 0]
    );
    let failing = || usual(false, Some("line 3: no"));
    assert_eq!(
        restarted(failing(), &[(false, Some("line 4: no"))]),
        [""; 0]
    );
    let words = "after an end, the next run fails: cut";
    assert_eq!(restarted(failing(), &[(false, Some("cut"))]), [words]);
    let usual = sound().simple("init", "a", &error(None));
    let refused = begun().process(1).makes("a", "note", "x");
    let refused = refused.simple("init", "a", &error(Some("it is empty")));
    let role = Role::variant(CUT_SHORT);
    let found = compared(
        "MR112",
        Relation::RESTART,
        &[(Role::Baseline, usual), (role, refused)],
    );
    let words = "after an end that leaves its files in `VarDir` empty, the next run cannot begin: it is empty";
    assert_eq!(found, [words]);
}

#[test]
fn the_environment_makes_no_difference() {
    let elsewhere = |ok| {
        let role = Role::variant("umask 077");
        beside_usual("MR117", Relation::ENVIRONMENT, role, applies(ok, None, &[]))
    };
    assert_eq!(elsewhere(false), [""; 0]);
    let words = "`checkapply` does something else with umask 077: ok=true error=nil ms=1";
    assert_eq!(elsewhere(true), [words]);
}

#[test]
fn many_calls_keep_nothing_open() {
    let calls = (0..400).fold(made(), |one, _| one.check("a", true, true, None));
    let counted = |open: [usize; 3]| {
        let counted = calls.clone().counted(100, open[0]);
        counted.counted(250, open[1]).counted(400, open[2])
    };
    keeps("MR118", &counted([8, 8, 8]));
    keeps("MR118", &counted([8, 9, 9]));
    // Once opened, it stays.
    keeps("MR118", &counted([8, 40, 40]));
    assert_eq!(
        breaks("MR118", &counted([8, 108, 308])),
        "8 descriptors are open after 100 calls, and 308 after 400"
    );
    says_nothing("MR118", &calls.clone().counted(100, 8).counted(150, 60));
}

#[test]
fn an_object_in_another_world_finds_other_things() {
    let both = |variation| {
        let first = made().check("a", true, false, None);
        let second = first.makes("b", "note", "x").check("b", true, true, None);
        second.case(|case| case.items[0].variation = variation)
    };
    keeps("MR106", &both(None));
    keeps("MR106", &both(Some(Variation::Drifted)));
    let other = both(None).about_another(Variation::Drifted);
    says_nothing("MR106", &other);
}
