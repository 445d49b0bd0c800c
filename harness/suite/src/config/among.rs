//! Which dialects have a key that one does not have.

use super::key::names_of;
use super::{ConfigError, intent, keys};
use crate::vocabulary::Vocabulary;

impl ConfigError {
    /// The same mistake. If the dialect lacks a key that others have, it names those.
    pub fn among(mut self, words: &Vocabulary, others: &[&Vocabulary]) -> Self {
        let Some((table, key)) = self.unknown.as_deref() else {
            return self;
        };
        let has = |other: &&&Vocabulary| names(table, other).contains(&&key[..]);
        let others: Vec<&str> = others.iter().filter(has).map(|it| it.subjects).collect();
        if !others.is_empty() {
            self.message = format!("`{key}` is a key of {}", others.join(" and "));
            self.help = Some(format!(
                "it has no effect on {}; take it out",
                words.subjects
            ));
        }
        self
    }
}

/// The names of the keys that a dialect has in a table, which is written as in the file.
fn names(table: &str, words: &Vocabulary) -> Vec<&'static str> {
    match table {
        "" => names_of(&keys::file(words)),
        "[subject]" => names_of(&keys::subject(words)),
        "[[example]]" => names_of(&keys::example(words)),
        "[[invalid]]" => names_of(&keys::item(words)),
        intent::SUBJECT => names_of(&intent::party(words)),
        "[[xfail]]" | "[[waive]]" => names_of(&keys::known(words)),
        table if table.starts_with("[target.") => names_of(words.keys.target),
        _ => Vec::new(),
    }
}
