//! Manifests that both refuse, written by hand: messages and places are compared.

use super::compare::{Tally, compare};
use super::peer::Peer;

/// Manifests that both refuse, separated by lines of dashes.
const ERRORS: &str = include_str!("errors.pp");

#[test]
fn manifest_errors_equal_those_of_puppet() {
    let mut peer = Peer::start();
    let mut tally = Tally::default();
    for text in ERRORS.split("\n# ----\n") {
        compare(&mut peer, text, &mut tally);
    }
    tally.check();
    let accepted = tally.accepted_texts.join("\n");
    assert_eq!(
        tally.refused, tally.asked,
        "all are refused, but\n{accepted}"
    );
}
