//! The reader of one `stickler.toml`: values with their places, and mistakes.

mod values;

use super::ConfigError;
use super::place;
use crate::vocabulary::Vocabulary;
use std::ops::Range;
use std::path::Path;
use toml::Spanned;
use toml::de::DeValue;

pub(super) use values::LONGEST;

/// A value in the file, with its place.
pub type Field<'v> = &'v Spanned<DeValue<'v>>;

/// The reader of one file.
pub struct Reader<'t> {
    pub(super) file: &'t Path,
    /// The file's folder, as `{config_dir}` stands for it.
    folder: String,
    pub(super) text: &'t str,
    /// The words of the dialect.
    pub words: &'t Vocabulary,
    /// Does the subject have to be there?
    pub(super) wants_subject: bool,
}

impl<'t> Reader<'t> {
    pub(super) fn new(file: &'t Path, text: &'t str, words: &'t Vocabulary) -> Self {
        let folder = place::folder_of(file);
        Reader {
            file,
            folder,
            text,
            words,
            wants_subject: true,
        }
    }
}

impl Reader<'_> {
    /// A text of the file, with its folder filled in.
    pub(super) fn filled(&self, text: &str) -> String {
        place::fill(text, &self.folder)
    }

    /// A mistake at a place.
    pub fn error(&self, span: Range<usize>, message: String, help: Option<String>) -> ConfigError {
        ConfigError::new(self.file, self.text, span, message, help)
    }

    /// A mistake in the last text that is this one.
    pub fn error_in(&self, text: &str, message: String, help: Option<String>) -> ConfigError {
        let needle = format!("\"{text}\"");
        let at = self.text.rfind(&needle).unwrap_or(0);
        self.error(at..at + needle.len(), message, help)
    }

    /// The mistake that a key is none of these.
    pub fn unlisted(&self, span: Range<usize>, found: &str, known: &[String]) -> ConfigError {
        let near = known
            .iter()
            .map(|name| (strsim::levenshtein(found, name), name))
            .min()
            .filter(|(distance, _)| *distance <= 3)
            .map(|(_, name)| format!("did you mean \"{name}\"?"));
        let help = near.unwrap_or_else(|| format!("known here: {}", known.join(", ")));
        self.error(span, format!("unknown key \"{found}\""), Some(help))
    }

    /// The entries of a table.
    ///
    /// # Errors
    /// If it is none.
    pub fn entries<'v>(
        &self,
        value: Field<'v>,
        name: &str,
    ) -> Result<Vec<(String, Field<'v>, Range<usize>)>, ConfigError> {
        match value.get_ref() {
            DeValue::Table(table) => Ok(table
                .iter()
                .map(|(key, value)| (key.get_ref().to_string(), value, key.span()))
                .collect()),
            _ => Err(self.wrong(value, &format!("a table: [{name}]"))),
        }
    }

    /// Where the value of a key in a table is.
    pub(super) fn span_of(&self, table: Field<'_>, key: &str) -> Range<usize> {
        let value = match table.get_ref() {
            DeValue::Table(entries) => entries.get(key),
            _ => None,
        };
        value.map_or(table.span(), Spanned::span)
    }

    pub(super) fn listed<'v>(
        &self,
        value: Field<'v>,
        name: &str,
    ) -> Result<Vec<Field<'v>>, ConfigError> {
        let wanted = format!("[[{name}]], with two brackets");
        let DeValue::Array(items) = value.get_ref() else {
            return Err(self.wrong(value, &wanted));
        };
        items
            .iter()
            .map(|item| match item.get_ref() {
                DeValue::Table(_) => Ok(item),
                _ => Err(self.wrong(item, &wanted)),
            })
            .collect()
    }
}
