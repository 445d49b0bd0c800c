//! Mistakes that only the subject shows, such as an attribute that it does not have: where they are in the file.

use super::{Config, ConfigError};
use crate::vocabulary::Vocabulary;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The longest list of names that a message shows.
const MOST: usize = 24;

/// A table of the file that is there several times.
#[derive(Clone, Copy, Debug)]
pub enum Entry<'e> {
    /// The example of this name, valid or invalid.
    Example(&'e str),
    /// The `[[xfail]]` with this index.
    Xfail(usize),
    /// The `[[waive]]` with this index.
    Waive(usize),
    /// `[subject]`
    Subject,
}

/// A step from a value to one in it.
#[derive(Clone, Debug)]
pub enum Inner {
    /// The value of a key.
    Key(String),
    /// An item of a list.
    Item(usize),
    /// The key itself. Nothing is in it.
    Name(String),
}

impl Config {
    /// A mistake in the description, in words: with its line, if the description is a file that has it.
    pub fn mistake(
        &self,
        words: &Vocabulary,
        entry: Entry<'_>,
        path: &[Inner],
        message: String,
        help: Option<String>,
    ) -> String {
        let file = self.file.as_ref();
        let text = file.and_then(|file| std::fs::read_to_string(file).ok());
        if let (Some(file), Some(text)) = (file, text)
            && let Some(span) = span(&text, words, entry, path)
        {
            return ConfigError::new(file, &text, span, message, help).to_string();
        }
        match help {
            None => message,
            Some(help) => format!("{message}\n  {help}"),
        }
    }
}

fn span(text: &str, words: &Vocabulary, entry: Entry<'_>, path: &[Inner]) -> Option<Range<usize>> {
    let root = DeTable::parse(text).ok()?;
    let root = root.get_ref();
    let listed = |name: &str, at: usize| match root.get(name)?.get_ref() {
        DeValue::Array(items) => items.get(at),
        _ => None,
    };
    let mut value: &Spanned<DeValue<'_>> = match entry {
        Entry::Subject => root.get("subject")?,
        Entry::Xfail(at) => listed("xfail", at)?,
        Entry::Waive(at) => listed("waive", at)?,
        Entry::Example(name) => ["example", "invalid"].into_iter().find_map(|table| {
            (0..)
                .map_while(|at| Some((at, listed(table, at)?)))
                .find_map(|(at, value)| {
                    let DeValue::Table(entries) = value.get_ref() else {
                        return None;
                    };
                    let is_it = match entries.get(words.label_key).map(Spanned::get_ref) {
                        Some(DeValue::String(label)) => **label == *name,
                        _ => name == unnamed(table, at),
                    };
                    is_it.then_some(value)
                })
        })?,
    };
    for step in path {
        value = match (step, value.get_ref()) {
            (Inner::Key(key), DeValue::Table(entries)) => entries.get(&**key)?,
            (Inner::Item(at), DeValue::Array(items)) => items.get(*at)?,
            (Inner::Name(name), DeValue::Table(entries)) => {
                let (key, _) = entries.iter().find(|(key, _)| key.get_ref() == name)?;
                return Some(key.span());
            }
            _ => return Some(value.span()),
        };
    }
    Some(value.span())
}

/// The name of an example without one.
pub(super) fn unnamed(table: &str, at: usize) -> String {
    format!("{table} {}", at + 1)
}

/// `did you mean "…"?`, if one of the known names is like the one that was found.
pub fn did_you_mean<'k>(found: &str, known: impl IntoIterator<Item = &'k str>) -> Option<String> {
    let found = found.to_lowercase();
    // In a short name, few letters are all of it.
    let most = (found.chars().count() / 2).clamp(1, 3);
    let near = known
        .into_iter()
        .map(|name| (strsim::osa_distance(&found, &name.to_lowercase()), name));
    // Of several that are as near, the first is the usual one.
    let (distance, name) = near.min_by_key(|(distance, _)| *distance)?;
    (distance <= most).then(|| format!("did you mean \"{name}\"?"))
}

/// Names as a message lists them.
pub fn listing<'k>(known: impl IntoIterator<Item = &'k str>) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    match known.len() {
        0 => "none".to_owned(),
        n if n > MOST => format!("{}, and {} more", known[..MOST].join(", "), n - MOST),
        _ => known.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::{did_you_mean, listing};

    #[test]
    fn a_slip_is_near_and_another_word_is_not() {
        let known = ["text", "mode", "labels"];
        let said = |found| did_you_mean(found, known);
        assert_eq!(said("txt").as_deref(), Some("did you mean \"text\"?"));
        assert_eq!(said("Label").as_deref(), Some("did you mean \"labels\"?"));
        assert_eq!(said("owner"), None);
        assert_eq!(said(""), None);
        assert_eq!(did_you_mean("a", []), None);
    }

    #[test]
    fn long_lists_of_names_are_cut() {
        let names: Vec<String> = (0..30).map(|n| format!("n{n}")).collect();
        let said = listing(names.iter().map(String::as_str));
        assert!(said.ends_with("n23, and 6 more"), "{said}");
        assert_eq!(listing([]), "none");
    }
}
