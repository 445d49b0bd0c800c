//! Kinds of messages, and relations: names of the same form.

use stickler_transcript::{Phase, Relation};

#[test]
fn names_survive_a_round_trip() {
    for name in ["validate", "CheckApply", "a name of twenty-four b."] {
        assert_eq!(
            Phase::parse(name).map(|one| one.to_string()).as_deref(),
            Some(name)
        );
        let relation = Relation::parse(name).expect("a relation");
        let written = serde_json::to_string(&relation).expect("JSON");
        assert_eq!(
            serde_json::from_str::<Relation>(&written).expect("a relation"),
            relation
        );
    }
}

#[test]
fn names_that_do_not_fit_are_refused() {
    for name in ["", "a\0b", "a name of twenty-five by."] {
        assert_eq!(Phase::parse(name), None);
        let read = serde_json::from_value::<Relation>(name.into());
        let error = read.expect_err(name).to_string();
        assert!(error.contains("is no relation: 1 to 24 bytes"), "{error}");
    }
}
