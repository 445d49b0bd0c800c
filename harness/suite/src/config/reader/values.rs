//! Values of keys: what they are and what they must be.

use super::{Field, Reader};
use crate::config::ConfigError;
use std::ops::Range;
use std::path::Path;
use stickler_transcript::{Bytes, Value};
use toml::de::DeValue;

/// Longest time that an author may set, in seconds.
pub(crate) const LONGEST: f64 = 86_400.0;

impl Reader<'_> {
    /// The mistake that a value is of another type.
    pub fn wrong(&self, value: Field<'_>, wanted: &str) -> ConfigError {
        let found = type_name(value.get_ref());
        self.error(
            value.span(),
            format!("this is {found}"),
            Some(format!("write {wanted}")),
        )
    }

    /// A text; `{config_dir}` in it stands for the folder of the file.
    ///
    /// # Errors
    /// If it is none.
    pub fn string(&self, value: Field<'_>, wanted: &str) -> Result<String, ConfigError> {
        match value.get_ref() {
            DeValue::String(text) => Ok(self.filled(text)),
            _ => Err(self.wrong(value, &format!("{wanted}, in quotes"))),
        }
    }

    /// One of these texts.
    pub(crate) fn one_of(
        &self,
        value: Field<'_>,
        what: &str,
        texts: &[&str],
    ) -> Result<String, ConfigError> {
        let text = self.string(value, &format!("a {what}"))?;
        if texts.contains(&&text[..]) {
            return Ok(text);
        }
        Err(self.error(
            value.span(),
            format!("there is no {what} \"{text}\""),
            Some(format!("write one of \"{}\"", texts.join("\", \""))),
        ))
    }

    pub(crate) fn boolean(&self, value: Field<'_>) -> Result<bool, ConfigError> {
        match value.get_ref() {
            DeValue::Boolean(boolean) => Ok(*boolean),
            _ => Err(self.wrong(value, "true or false")),
        }
    }

    pub(crate) fn seconds(&self, value: Field<'_>) -> Result<f64, ConfigError> {
        let number = match value.get_ref() {
            DeValue::Integer(number) => number.to_string().parse::<f64>().ok(),
            DeValue::Float(number) => number.to_string().parse::<f64>().ok(),
            _ => None,
        };
        number
            .filter(|number| number.is_finite() && *number > 0.0 && *number <= LONGEST)
            .ok_or_else(|| self.wrong(value, "a number of seconds above 0"))
    }

    /// A list of texts.
    ///
    /// # Errors
    /// If it is none.
    pub fn strings(&self, value: Field<'_>, wanted: &str) -> Result<Vec<String>, ConfigError> {
        match value.get_ref() {
            DeValue::Array(items) => items.iter().map(|item| self.string(item, "text")).collect(),
            _ => Err(self.wrong(value, wanted)),
        }
    }

    pub(crate) fn command(&self, value: Field<'_>) -> Result<Vec<String>, ConfigError> {
        let wanted = "a command as a list of words, such as [\"mkdir\", \"-p\", \"{dir}/sub\"]";
        let words = self.strings(value, wanted)?;
        if words.is_empty() {
            return Err(self.error(
                value.span(),
                "the command is empty".into(),
                Some(format!("write {wanted}")),
            ));
        }
        Ok(words)
    }

    pub(crate) fn commands(&self, value: Field<'_>) -> Result<Vec<Vec<String>>, ConfigError> {
        let DeValue::Array(items) = value.get_ref() else {
            let wanted = "a list of commands, such as [[\"mkdir\", \"{dir}/sub\"]]";
            return Err(self.wrong(value, wanted));
        };
        items.iter().map(|item| self.command(item)).collect()
    }

    pub(crate) fn globs(&self, value: Field<'_>) -> Result<Vec<String>, ConfigError> {
        let globs = self.strings(value, "a list of globs, such as [\"/var/lib/x/**\"]")?;
        if let DeValue::Array(items) = value.get_ref() {
            for (item, text) in items.iter().zip(&globs) {
                if let Err(error) = glob::Pattern::new(text) {
                    return Err(self.error(
                        item.span(),
                        format!("this is not a glob: {}", error.msg),
                        None,
                    ));
                }
            }
        }
        Ok(globs)
    }

    pub(crate) fn existing(
        &self,
        dir: &Path,
        path: &Path,
        span: Range<usize>,
    ) -> Result<(), ConfigError> {
        if dir.join(path).exists() {
            return Ok(());
        }
        Err(self.error(
            span,
            format!("{}: no such file", dir.join(path).display()),
            Some("paths are relative to this file".into()),
        ))
    }

    /// What is in a file.
    pub(crate) fn contents(
        &self,
        dir: &Path,
        path: &Path,
        span: Range<usize>,
    ) -> Result<Bytes, ConfigError> {
        self.existing(dir, path, span.clone())?;
        let path = dir.join(path);
        let read = std::fs::read(&path).map(Bytes::from);
        read.map_err(|error| self.error(span, format!("{}: {error}", path.display()), None))
    }

    pub(crate) fn expect(&self, value: Field<'_>) -> Result<Vec<String>, ConfigError> {
        let outcomes = self.words.outcome_words();
        let wanted = format!("a list of outcomes ({})", outcomes.join(", "));
        let list = self.strings(value, &wanted)?;
        for outcome in &list {
            if !outcomes.contains(&&outcome[..]) {
                return Err(self.error(
                    value.span(),
                    format!("\"{outcome}\" is not an outcome of an evaluation"),
                    Some(format!("write one of {}", outcomes.join(", "))),
                ));
            }
        }
        Ok(list)
    }

    /// The values of a table, in the dialect's form.
    pub(crate) fn values(
        &self,
        value: Field<'_>,
        name: &str,
    ) -> Result<Vec<(String, Value)>, ConfigError> {
        let entries = self.entries(value, name)?.into_iter();
        let sent = entries.map(|(name, value, _)| {
            let sent = self.attribute(&name, value)?;
            Ok((name, sent))
        });
        sent.collect()
    }

    /// Converts a value into the dialect's form.
    fn attribute(&self, name: &str, value: Field<'_>) -> Result<Value, ConfigError> {
        Ok(match value.get_ref() {
            DeValue::String(text) => Value::text(self.filled(text)),
            DeValue::Boolean(boolean) if self.words.typed => Value::Bool(*boolean),
            DeValue::Integer(number) if self.words.typed => {
                // Other spellings, such as `0o644`, are the same number.
                let known = i128::from_str_radix(number.as_str(), number.radix());
                Value::Number(known.map_or_else(|_| number.to_string(), |known| known.to_string()))
            }
            DeValue::Float(number) if self.words.typed => Value::Number(number.to_string()),
            DeValue::Boolean(boolean) => Value::text(boolean.to_string()),
            DeValue::Integer(number) if number.radix() == 10 => Value::text(number.to_string()),
            DeValue::Array(items) => Value::List(
                items
                    .iter()
                    .map(|item| self.attribute(name, item))
                    .collect::<Result<_, _>>()?,
            ),
            DeValue::Table(table) => Value::Object(
                table
                    .iter()
                    .map(|(key, value)| {
                        Ok((
                            key.get_ref().as_bytes().to_vec(),
                            self.attribute(name, value)?,
                        ))
                    })
                    .collect::<Result<_, ConfigError>>()?,
            ),
            other => {
                let written = self.text.get(value.span()).unwrap_or("…");
                return Err(self.error(
                    value.span(),
                    format!("attribute \"{name}\" is {}", type_name(other)),
                    Some(format!(
                        "write it as text: \"{written}\" ({}s carry text, lists and containers)",
                        self.words.item
                    )),
                ));
            }
        })
    }
}

fn type_name(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "text",
        DeValue::Integer(_) => "a number",
        DeValue::Float(_) => "a float",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}
