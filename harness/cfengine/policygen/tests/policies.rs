//! Policies that are made up are ones.

use cfengine_policy::{Sources, parse};
use cfengine_policygen::{Choices, policy};

#[test]
fn the_parser_accepts_nearly_all_generated_policies() {
    let taken = (0..500).filter(|seed| {
        let made = policy(&mut Choices::random(*seed));
        let mut sources = Sources::new();
        let file = sources.add("p.cf", made.text.into_bytes());
        parse(&sources, file, Default::default()).is_ok()
    });
    assert!(taken.count() >= 490);
}

#[test]
fn the_same_choices_make_the_same_policy() {
    for seed in 0..200 {
        let made = policy(&mut Choices::random(seed));
        let again = policy(&mut Choices::again(made.choices.clone()));
        assert_eq!(made, again);
    }
}

#[test]
fn no_choices_make_the_smallest_policy() {
    let made = policy(&mut Choices::again(Vec::new()));
    assert!(made.text.len() < 60, "{}", made.text);
}
