//! What `Default` manages of files although no description says so.

use serde_json::Value as Json;
use std::collections::BTreeMap;
use stickler_transcript::{Case, Facts};

/// The fact that names, for each kind, fields about modes and owners that are set by `Default`.
const MANAGED: &str = "managed";

/// What cases say of kinds and such fields of theirs.
pub fn managed(kinds: BTreeMap<String, Vec<String>>) -> Facts {
    let mut facts = Facts::new();
    if !kinds.is_empty() {
        let kinds = kinds.into_iter().map(|(kind, names)| (kind, names.into()));
        facts.insert(MANAGED.to_owned(), Json::Object(kinds.collect()));
    }
    facts
}

/// The fields of a kind about modes and owners that `Default` sets.
pub(crate) fn by_default<'c>(case: &'c Case, kind: &str) -> impl Iterator<Item = &'c str> {
    let kinds = case.facts.get(MANAGED).and_then(Json::as_object);
    let names = kinds.and_then(|kinds| kinds.get(kind)?.as_array());
    names.into_iter().flatten().filter_map(Json::as_str)
}
