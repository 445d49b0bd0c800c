//! Manifests from a seed, sound and damaged ones.

use super::compare::{Tally, compare};
use super::generate;
use super::peer::Peer;
use puppet_types::Dice;

/// `STICKLER_TEST_SEED` chooses other manifests, `STICKLER_TEST_CASES` another number.
fn setting(name: &str, otherwise: u64) -> u64 {
    let text = std::env::var(name);
    text.map_or(otherwise, |text| text.parse().expect("a number"))
}

#[test]
fn generated_manifests_are_compiled_as_puppet_does() {
    let mut dice = Dice::new(setting("STICKLER_TEST_SEED", 1), "manifests");
    let mut peer = Peer::start();
    let mut tally = Tally::default();
    for _ in 0..setting("STICKLER_TEST_CASES", 250) {
        let text = generate::manifest(&mut dice);
        compare(&mut peer, &text, &mut tally);
    }
    tally.check();
    assert!(
        tally.accepted * 3 > tally.asked,
        "{} of {} accepted",
        tally.accepted,
        tally.asked
    );
}

#[test]
fn slips_are_refused_where_puppet_refuses_them() {
    let mut dice = Dice::new(setting("STICKLER_TEST_SEED", 1), "slips");
    let mut peer = Peer::start();
    let mut tally = Tally::default();
    for _ in 0..setting("STICKLER_TEST_CASES", 250) {
        let text = generate::damaged(&mut dice);
        compare(&mut peer, &text, &mut tally);
    }
    tally.check();
}
