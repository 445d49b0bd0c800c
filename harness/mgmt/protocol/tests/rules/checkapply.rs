//! What the rules about `CheckApply` say of short dialogues.

use crate::common::{begun, breaks, judged_group, keeps, says_nothing};
use mgmt_protocol::relation::VARIED;
use stickler_transcript::{Role, Variation};

#[test]
fn a_second_call_has_nothing_to_do() {
    let first = || {
        begun()
            .makes("a", "note", "x")
            .check("a", true, false, None)
    };
    keeps("MR107", &first().check("a", true, true, None));
    let message = breaks("MR107", &first().check("a", true, false, None));
    assert_eq!(message, "the second call returns `(false, nil)` again");
    breaks("MR107", &first().check("a", true, false, Some("no")));
    let writes = first()
        .changed(&["/f"])
        .check("a", true, true, None)
        .changed(&["/f"]);
    assert_eq!(breaks("MR107", &writes), "the second call changes /f");
    // The author says that it has something to do each time.
    let declared = first().check("a", true, false, None).case(|case| {
        case.items[0].expect = vec!["changed".into(), "changed".into()];
    });
    says_nothing("MR107", &declared);
    // Another resource is not it.
    says_nothing(
        "MR107",
        &first()
            .makes("b", "note", "y")
            .check("b", true, false, None),
    );
}

#[test]
fn a_new_object_finds_the_state_right() {
    let applied = || {
        begun()
            .makes("a", "note", "x")
            .check("a", true, false, None)
            .makes("b", "note", "x")
    };
    keeps("MR106", &applied().check("b", true, true, None));
    breaks("MR106", &applied().check("b", true, false, None));
    keeps("MR101", &applied().check("a", false, true, None));
    // Who is wrong if a check says that the state is not right? The next apply tells.
    for (label, text) in [("a", None), ("b", None), ("b", Some("no"))] {
        let looked = applied().check(label, false, false, text);
        says_nothing("MR106", &looked);
        says_nothing("MR101", &looked);
        breaks("MR101", &looked.clone().check("a", true, true, None));
        says_nothing("MR101", &looked.clone().check("a", true, false, None));
        says_nothing("MR101", &looked.check("b", true, false, None));
    }
    let again = applied().check("a", true, true, None);
    breaks("MR101", &again.clone().check("a", false, false, None));
    // An object may remember what a new one does not see.
    says_nothing("MR101", &again.check("b", false, false, None));
    // After a failure, nothing is known.
    let failed = begun()
        .makes("a", "note", "x")
        .check("a", true, false, Some("no"));
    says_nothing("MR101", &failed.check("a", false, false, None));
}

#[test]
fn a_check_and_an_apply_agree() {
    let pair = |dry: (bool, Option<&str>), apply: (bool, Option<&str>)| {
        begun()
            .makes("a", "note", "x")
            .check("a", false, dry.0, dry.1)
            .changed(&[])
            .check("a", true, apply.0, apply.1)
            .changed(&[])
    };
    // Before the first apply, a check has to tell that something is wrong.
    says_nothing("MR108", &pair((true, None), (false, None)));
    breaks("MR102", &pair((true, None), (false, None)));
    let later = |ok| {
        let both = pair((false, None), (false, None));
        both.check("a", false, true, None)
            .check("a", true, ok, None)
    };
    keeps("MR108", &later(true));
    breaks("MR108", &later(false));
    keeps("MR102", &pair((false, None), (false, None)));
    breaks("MR102", &pair((false, Some("no")), (false, None)));
    says_nothing("MR102", &pair((false, Some("no")), (false, Some("no"))));
    keeps("MR105", &pair((false, None), (false, None)));
    breaks("MR105", &pair((false, None), (true, None)));
    // What changes something says so.
    let denied = |dry| {
        begun()
            .makes("a", "note", "x")
            .check("a", false, dry, None)
            .changed(&[])
            .check("a", true, true, None)
            .changed(&["/d/f"])
    };
    let words = "with `apply` false the state is wrong; with `apply` true it changes /d/f, and says that nothing was to do";
    assert_eq!(breaks("MR108", &denied(false)), words);
    says_nothing("MR108", &denied(true));
    keeps("MR105", &denied(false));
    says_nothing("MR108", &pair((false, None), (true, None)));
}

#[test]
fn errors_come_with_false_and_checks_change_nothing() {
    let one = |apply, ok, text| begun().makes("a", "note", "x").check("a", apply, ok, text);
    keeps("MR103", &one(true, false, Some("no")));
    breaks("MR103", &one(true, true, Some("no")));
    let dry = |paths: &[&str]| {
        begun()
            .makes("a", "note", "x")
            .changed(&[])
            .check("a", false, false, None)
            .changed(paths)
    };
    keeps("MR104", &dry(&[]));
    assert_eq!(
        breaks("MR104", &dry(&["/f"])),
        "with `apply` false it changed /f"
    );
    let panics = begun()
        .makes("a", "note", "x")
        .panics("checkapply", r#"{"resource":"a","apply":true}"#);
    assert_eq!(breaks("MR110", &panics), "panic: boom");
    keeps("MR110", &one(true, false, Some("no")));
}

#[test]
fn each_field_that_makes_a_difference_is_compared() {
    let varied = |variants: &[(Variation, &str, bool)]| {
        let mut dialogue = begun();
        for turn in ["anew:e1", "anew2:e1"] {
            dialogue = dialogue
                .applies(turn, "e1", true, false)
                .writes(None, "a", 0o644, 0);
        }
        for (number, (variation, content, ok)) in variants.iter().enumerate() {
            let label = format!("v{number}");
            dialogue = dialogue
                .also(&label, *variation, "another value")
                .case(|case| case.items.last_mut().expect("one").field = Some("text".to_owned()))
                .applies(&format!("anew:{label}"), &label, true, false)
                .writes(None, content, 0o644, 0)
                .applies(&format!("e:{label}"), &label, true, *ok);
        }
        judged_group("MR102", VARIED, &[(Role::Baseline, dialogue)])
    };
    for variation in [Variation::Far, Variation::Doubled] {
        let (_, found) = varied(&[(variation, "b", true)]);
        assert_eq!(found.len(), 1);
        assert!(found[0].contains("another value of \"text\""), "{found:?}");
        assert_eq!(varied(&[(variation, "b", false)]), (1, Vec::new()));
        // What makes the same is the same.
        assert_eq!(varied(&[(variation, "a", true)]), (0, Vec::new()));
    }
    let number = |above, below| {
        let numbers = [
            (Variation::Number, "b", above),
            (Variation::Number, "c", below),
        ];
        varied(&numbers)
    };
    assert_eq!(number(true, true).1.len(), 1);
    assert_eq!(number(true, false), (1, Vec::new()));
}
