//! Each element of the language, written by hand.

use super::compare::{Tally, compare};
use super::peer::Peer;

/// Manifests that both accept, separated by lines of dashes.
const ELEMENTS: &str = include_str!("elements.pp");

#[test]
fn each_element_is_compiled_as_puppet_does() {
    let mut peer = Peer::start();
    let mut tally = Tally::default();
    for text in ELEMENTS.split("\n# ----\n") {
        compare(&mut peer, text, &mut tally);
    }
    tally.check();
    let refused = tally.refusals.join("\n");
    assert_eq!(
        tally.accepted, tally.asked,
        "all are accepted, but\n{refused}"
    );
}
