//! What there is instead of a name that nobody knows.

use stickler_suite::config::{did_you_mean, listing};

/// These names, and the one among them that was probably meant.
pub fn there_are<'n>(wanted: &str, names: impl Iterator<Item = &'n str> + Clone) -> String {
    if names.clone().next().is_none() {
        return "there is none".to_owned();
    }
    let all = listing(names.clone());
    match did_you_mean(wanted, names) {
        Some(meant) => format!("there are: {all}\n  {meant}"),
        None => format!("there are: {all}"),
    }
}
