//! Reads `stickler.toml`.

use super::reader::Reader;
use super::{Config, ConfigError, holds, keys, names};
use crate::vocabulary::Vocabulary;
use std::path::{Path, PathBuf};
use toml::de::{DeTable, DeValue};

/// The dialect that `[subject]` names, if the text parses so far.
pub fn dialect(text: &str) -> Option<String> {
    let root = DeTable::parse(text).ok()?;
    let DeValue::Table(subject) = root.get_ref().get("subject")?.get_ref() else {
        return None;
    };
    match subject.get("dialect")?.get_ref() {
        DeValue::String(name) => Some(name.to_string()),
        _ => None,
    }
}

/// Reads a configuration file, with the keys of a dialect.
///
/// # Errors
/// If the file cannot be read, or if something in it makes no sense; the message shows the place
/// and says what to write.
pub fn from_file(file: &Path, words: &Vocabulary) -> Result<Config, ConfigError> {
    let text = text_of(file)?;
    read(&Reader::new(file, &text, words))
}

/// Reads a configuration file for another subject than its own, which need not be there.
///
/// # Errors
/// As [`from_file`].
pub fn for_another(file: &Path, words: &Vocabulary) -> Result<Config, ConfigError> {
    let text = text_of(file)?;
    let mut reader = Reader::new(file, &text, words);
    reader.wants_subject = false;
    read(&reader)
}

fn text_of(file: &Path) -> Result<String, ConfigError> {
    let whole = |message: String| ConfigError::new(file, "", 0..0, message, None);
    let bytes = std::fs::read(file).map_err(|error| whole(format!("cannot be read: {error}")))?;
    String::from_utf8(bytes).map_err(|_| whole("is not UTF-8".to_owned()))
}

/// Reads a configuration from its text; `file` gives the name and the folder.
///
/// # Errors
/// As [`from_file`].
pub fn from_text(file: &Path, text: &str, words: &Vocabulary) -> Result<Config, ConfigError> {
    read(&Reader::new(file, text, words))
}

fn read(reader: &Reader<'_>) -> Result<Config, ConfigError> {
    let (file, text, words) = (reader.file, reader.text, reader.words);
    let root = DeTable::parse(text).map_err(|error| {
        let span = error.span().unwrap_or(0..0);
        let help = leading_zero(text, span.start, words);
        reader.error(span, error.message().to_owned(), help)
    })?;
    let mut config = Config {
        dir: match file.parent() {
            Some(dir) if !dir.as_os_str().is_empty() => dir.to_owned(),
            _ => PathBuf::from("."),
        },
        file: Some(file.to_owned()),
        ..Config::default()
    };
    let keys = keys::file(words);
    for (key, value) in root.get_ref() {
        let name: &str = key.get_ref();
        let known = keys.iter().find(|known| known.name == name);
        let known = known.ok_or_else(|| reader.unknown(key.span(), name, "", &keys))?;
        known.read(reader, value, &mut config)?;
    }
    names::once(reader, &config)?;
    names::served(reader, &config)?;
    holds::owned(reader, &config)?;
    (words.keys.fit)(reader, &config)?;
    Ok(config)
}

/// What to write instead of a number with a leading zero, if there is one: TOML has none.
fn leading_zero(text: &str, at: usize, words: &Vocabulary) -> Option<String> {
    let digits = text
        .get(at..)?
        .split(|sign: char| !sign.is_ascii_digit())
        .next()?;
    let octal = digits.trim_start_matches('0');
    if octal.len() == digits.len() || octal.is_empty() || octal.contains(['8', '9']) {
        return None;
    }
    Some(match words.typed {
        true => format!(
            "TOML has no leading zeros: write \"{digits}\" if this is text, and 0o{octal} if it is a number"
        ),
        false => format!("TOML has no leading zeros: write it as text, \"{digits}\""),
    })
}
