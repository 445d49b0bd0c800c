//! Circles: files each of which uses, through others, each other.

use std::collections::{BTreeMap, BTreeSet};

type Uses = BTreeMap<String, BTreeSet<String>>;

/// The circles of more than one file.
pub fn circles(uses: &Uses) -> Vec<BTreeSet<String>> {
    let reached: Uses = uses
        .keys()
        .map(|file| (file.clone(), reached(uses, file)))
        .collect();
    let mut found = BTreeSet::new();
    for (file, others) in &reached {
        let circle = others.iter().filter(|other| reached[*other].contains(file));
        let circle: BTreeSet<String> = circle.cloned().collect();
        if circle.len() > 1 {
            found.insert(circle);
        }
    }
    found.into_iter().collect()
}

/// The files that a file uses, itself or through others.
fn reached(uses: &Uses, file: &str) -> BTreeSet<String> {
    let mut reached = BTreeSet::new();
    let mut left = vec![file];
    while let Some(file) = left.pop() {
        for other in &uses[file] {
            if reached.insert(other.clone()) {
                left.push(other);
            }
        }
    }
    reached
}
