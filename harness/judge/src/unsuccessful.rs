//! Examples that never succeed: they prove nothing about the subject.

use crate::{AnySession, Claim};
use std::collections::BTreeMap;
use stickler_transcript::{Fate, Item};

/// The author's examples whose usual evaluations all fail, with the session and the claim of the first
/// one. Those that declare outcomes are left out: a rule judges these.
pub fn unsuccessful(views: &[AnySession]) -> BTreeMap<&str, (&AnySession, Claim)> {
    let mut failed: BTreeMap<&str, (&AnySession, Claim)> = BTreeMap::new();
    let mut succeeded: Vec<&str> = Vec::new();
    for view in views.iter().filter(|view| view.is_usual()) {
        let items = view.case().items.iter();
        let items: Vec<&Item> = items
            .filter(|item| item.original && !item.invalid && item.expect.is_empty())
            .collect();
        for claim in view.claims() {
            let Some(item) = items.iter().find(|item| item.label == claim.item) else {
                continue;
            };
            match claim.fate {
                Fate::Failed | Fate::Refused => {
                    failed.entry(&item.example).or_insert((view, claim));
                }
                Fate::Unchanged | Fate::Changed => succeeded.push(&item.example),
                Fate::Skipped => {}
            }
        }
    }
    failed.retain(|example, _| !succeeded.contains(example));
    failed
}
