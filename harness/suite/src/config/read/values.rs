//! Values of keys: what they are and what they must be.

use super::{Field, Reader};
use crate::config::ConfigError;
use crate::config::keys::DAY;
use std::ops::Range;
use std::path::Path;
use stickler_transcript::Value;
use toml::de::DeValue;

impl Reader<'_> {
    pub(super) fn wrong(&self, value: Field<'_>, wanted: &str) -> ConfigError {
        let found = type_name(value.get_ref());
        self.error(
            value.span(),
            format!("this is {found}"),
            Some(format!("write {wanted}")),
        )
    }

    pub(super) fn string(&self, value: Field<'_>, wanted: &str) -> Result<String, ConfigError> {
        match value.get_ref() {
            DeValue::String(text) => Ok(text.to_string()),
            _ => Err(self.wrong(value, &format!("{wanted}, in quotes"))),
        }
    }

    pub(super) fn boolean(&self, value: Field<'_>) -> Result<bool, ConfigError> {
        match value.get_ref() {
            DeValue::Boolean(boolean) => Ok(*boolean),
            _ => Err(self.wrong(value, "true or false")),
        }
    }

    pub(super) fn seconds(&self, value: Field<'_>) -> Result<f64, ConfigError> {
        let number = match value.get_ref() {
            DeValue::Integer(number) => number.to_string().parse::<f64>().ok(),
            DeValue::Float(number) => number.to_string().parse::<f64>().ok(),
            _ => None,
        };
        number
            .filter(|number| number.is_finite() && *number > 0.0 && *number <= DAY)
            .ok_or_else(|| self.wrong(value, "a number of seconds above 0"))
    }

    pub(super) fn strings(
        &self,
        value: Field<'_>,
        wanted: &str,
    ) -> Result<Vec<String>, ConfigError> {
        match value.get_ref() {
            DeValue::Array(items) => items.iter().map(|item| self.string(item, "text")).collect(),
            _ => Err(self.wrong(value, wanted)),
        }
    }

    pub(super) fn command(&self, value: Field<'_>) -> Result<Vec<String>, ConfigError> {
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

    pub(super) fn globs(&self, value: Field<'_>) -> Result<Vec<String>, ConfigError> {
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

    pub(super) fn existing(
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

    pub(super) fn expect(&self, value: Field<'_>) -> Result<Vec<String>, ConfigError> {
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

    /// Converts a value into the dialect's form.
    pub(super) fn attribute(&self, name: &str, value: Field<'_>) -> Result<Value, ConfigError> {
        Ok(match value.get_ref() {
            DeValue::String(text) => Value::text(text.as_bytes()),
            DeValue::Boolean(boolean) if self.words.typed => Value::Bool(*boolean),
            DeValue::Integer(number) if self.words.typed && number.radix() == 10 => {
                Value::Number(number.to_string())
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
