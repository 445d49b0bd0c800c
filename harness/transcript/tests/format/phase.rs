//! Kinds of messages.

use stickler_transcript::Phase;

#[test]
fn names_survive_a_round_trip() {
    for name in ["validate", "CheckApply", "a name of twenty-four b."] {
        assert_eq!(
            Phase::parse(name).map(|phase| phase.to_string()).as_deref(),
            Some(name)
        );
    }
}

#[test]
fn names_that_do_not_fit_are_refused() {
    for name in ["", "a\0b", "a name of twenty-five by."] {
        assert_eq!(Phase::parse(name), None);
    }
}
