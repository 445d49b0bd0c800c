//! A key of `stickler.toml`, declared once: reader, JSON Schema and reference page follow from it.

use super::reader::{Field, Reader};
use super::{Config, ConfigError, Device, Example, Subject};
use crate::vocabulary::Vocabulary;
use serde_json::json;
use std::borrow::Cow;
use std::ops::Range;
use stickler_transcript::Value;
use toml::Spanned;
use toml::de::DeValue;

/// A key of a table. `T` is what the table is read into.
pub struct Key<T: 'static> {
    /// Its name.
    pub name: &'static str,
    /// What it is for, in a sentence. `{subject}`, `{item}`, `{kind}`, `{phases}` and
    /// `{outcomes}` stand for the dialect's words.
    pub about: &'static str,
    /// What its value is, and where the value goes.
    pub form: Form<T>,
    /// Must the table have it?
    pub required: bool,
    /// The keys that would have no effect beside it; up to two.
    pub replaces: [Option<&'static str>; 2],
}

/// The values of a key, and where they go.
pub enum Form<T: 'static> {
    /// A text.
    Text(fn(&mut T, String)),
    /// A text that is not empty.
    Name(fn(&mut T, String)),
    /// One of these texts.
    OneOf(&'static [&'static str], fn(&mut T, String)),
    /// A list of texts.
    Texts(fn(&mut T, Vec<String>)),
    /// A table of texts.
    Variables(fn(&mut T, Vec<(String, String)>)),
    /// True or false.
    Truth(fn(&mut T, bool)),
    /// A command as a list of words.
    Command(fn(&mut T, Vec<String>)),
    /// A list of commands.
    Commands(fn(&mut T, Vec<Vec<String>>)),
    /// A table of values, in the form in which the dialect sends them.
    Values(fn(&mut T, Vec<(String, Value)>)),
    /// Anything else.
    Other {
        /// The JSON Schema of the value.
        schema: fn(&Vocabulary) -> serde_json::Value,
        /// Reads the value.
        read: Read<T>,
    },
}

/// Reads a value, or says what is wrong with it.
pub type Read<T> = fn(&Reader<'_>, Field<'_>, &mut T) -> Result<(), ConfigError>;

/// The keys that a dialect has beyond those of all dialects.
#[derive(Clone, Copy)]
pub struct Keys {
    /// Tables of the file.
    pub file: &'static [Key<Config>],
    /// Keys of `[subject]`.
    pub subject: &'static [Key<Subject>],
    /// Keys of `[[example]]` and `[[invalid]]`.
    pub item: &'static [Key<Example>],
    /// Keys of `[[example]]` about evaluations; what is invalid is never evaluated.
    pub outcome: &'static [Key<Example>],
    /// Keys of `[target.NAME]`, of dialects whose items may live on devices.
    pub target: &'static [Key<Device>],
    /// Checks what one key alone cannot show.
    pub fit: fn(&Reader<'_>, &Config) -> Result<(), ConfigError>,
}

impl Keys {
    /// No further keys.
    pub const NONE: Keys = Keys {
        file: &[],
        subject: &[],
        item: &[],
        outcome: &[],
        target: &[],
        fit: |_, _| Ok(()),
    };
}

impl std::fmt::Debug for Keys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Keys").finish_non_exhaustive()
    }
}

impl<T> Copy for Key<T> {}

impl<T> Clone for Key<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Form<T> {}

impl<T> Clone for Form<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Form<T> {
    /// What a value looks like in the file.
    fn sample(&self) -> &'static str {
        match self {
            Form::Texts(_) | Form::Command(_) => "[\"…\"]",
            Form::Commands(_) => "[[\"…\"]]",
            Form::Variables(_) | Form::Values(_) => "{ … }",
            Form::Truth(_) => "true",
            Form::Text(_) | Form::Name(_) | Form::OneOf(..) | Form::Other { .. } => "\"…\"",
        }
    }
}

impl<T> Key<T> {
    /// A key that a table may have.
    pub const fn new(name: &'static str, about: &'static str, form: Form<T>) -> Self {
        Key {
            name,
            about,
            form,
            required: false,
            replaces: [None; 2],
        }
    }

    /// A key that a table must have.
    pub const fn required(name: &'static str, about: &'static str, form: Form<T>) -> Self {
        Key {
            required: true,
            ..Key::new(name, about, form)
        }
    }

    /// The same key, with another sentence about it.
    pub const fn about(self, about: &'static str) -> Self {
        Key { about, ..self }
    }

    /// The same key, beside which another one would have no effect.
    pub const fn replaces(self, other: &'static str) -> Self {
        let replaces = [Some(other), self.replaces[0]];
        Key { replaces, ..self }
    }

    /// What it is for, in a dialect's words.
    pub(super) fn described(&self, words: &Vocabulary) -> String {
        let listed = |texts: Vec<String>| format!("`{}`", texts.join("`, `"));
        let phases = words.phases.iter().map(|(phase, _)| phase.to_string());
        let outcomes = words.outcome_words().into_iter().map(str::to_owned);
        self.about
            .replace("{phases}", &listed(phases.collect()))
            .replace("{outcomes}", &listed(outcomes.collect()))
            .replace("{subject}", words.subject)
            .replace("{item}", words.item)
            .replace("{kind}", words.kind)
    }

    /// The JSON Schema of its value.
    pub(super) fn schema(&self, words: &Vocabulary) -> serde_json::Value {
        let text = || json!({ "type": "string" });
        let list = |items| json!({ "type": "array", "items": items });
        let command = || json!({ "type": "array", "items": text(), "minItems": 1 });
        let table = |values| json!({ "type": "object", "additionalProperties": values });
        match self.form {
            Form::Text(_) => text(),
            Form::Name(_) => json!({ "type": "string", "minLength": 1 }),
            Form::OneOf(texts, _) => json!({ "enum": texts }),
            Form::Texts(_) => list(text()),
            Form::Variables(_) => table(text()),
            Form::Truth(_) => json!({ "type": "boolean" }),
            Form::Command(_) => command(),
            Form::Commands(_) => list(command()),
            Form::Values(_) => table(json!({ "$ref": "#/definitions/attribute" })),
            Form::Other { schema, .. } => schema(words),
        }
    }

    /// Reads its value.
    pub(super) fn read(
        &self,
        reader: &Reader<'_>,
        value: Field<'_>,
        into: &mut T,
    ) -> Result<(), ConfigError> {
        match self.form {
            Form::Text(put) => put(into, reader.string(value, "text")?),
            Form::Name(put) => {
                let text = reader.string(value, "text")?;
                if text.is_empty() {
                    let message = format!("\"{}\" is empty", self.name);
                    return Err(reader.error(value.span(), message, None));
                }
                put(into, text);
            }
            Form::OneOf(texts, put) => put(into, reader.one_of(value, self.name, texts)?),
            Form::Texts(put) => put(into, reader.strings(value, "a list of texts")?),
            Form::Variables(put) => {
                let entries = reader.entries(value, self.name)?;
                let texts = entries.into_iter().map(|(name, value, _)| {
                    let text = reader.string(value, "text")?;
                    Ok((name, text))
                });
                put(into, texts.collect::<Result<_, ConfigError>>()?);
            }
            Form::Truth(put) => put(into, reader.boolean(value)?),
            Form::Command(put) => put(into, reader.command(value)?),
            Form::Commands(put) => put(into, reader.commands(value)?),
            Form::Values(put) => put(into, reader.values(value, self.name)?),
            Form::Other { read, .. } => read(reader, value, into)?,
        }
        Ok(())
    }
}

/// How a table is written in the file.
#[derive(Clone, Copy, Debug)]
pub enum Table<'a> {
    /// `[name]`
    One(&'a str),
    /// `[[name]]`
    Listed(&'a str),
}

impl std::fmt::Display for Table<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Table::One(name) => write!(f, "[{name}]"),
            Table::Listed(name) => write!(f, "[[{name}]]"),
        }
    }
}

impl Reader<'_> {
    /// The mistake that a table has a key that is none of these.
    pub(super) fn unknown<T>(
        &self,
        span: Range<usize>,
        found: &str,
        table: &str,
        known: &[Key<T>],
    ) -> ConfigError {
        let known: Vec<String> = known.iter().map(|key| key.name.to_owned()).collect();
        ConfigError {
            unknown: Some(Box::new((table.to_owned(), found.to_owned()))),
            ..self.unlisted(span, found, &known)
        }
    }

    /// The mistake that a key has no effect beside another one.
    fn replaced(&self, key: &Spanned<Cow<'_, str>>, by: &str) -> ConfigError {
        let name = key.get_ref();
        self.error(
            key.span(),
            format!("`{name}` has no effect beside `{by}`"),
            Some(format!("take `{name}` out; `{by}` replaces it")),
        )
    }

    /// Reads a table that has these keys and no others.
    ///
    /// # Errors
    /// If it has another key, if a value is wrong, if a key is missing, or if a key would have no
    /// effect beside another one.
    pub fn read<T>(
        &self,
        value: Field<'_>,
        table: Table<'_>,
        keys: &[Key<T>],
        into: &mut T,
    ) -> Result<(), ConfigError> {
        let DeValue::Table(entries) = value.get_ref() else {
            return Err(self.wrong(value, &format!("a table: {table}")));
        };
        for (key, value) in entries {
            let name: &str = key.get_ref();
            let known = keys.iter().find(|known| known.name == name);
            let known =
                known.ok_or_else(|| self.unknown(key.span(), name, &table.to_string(), keys))?;
            let mut replaced = entries.keys();
            if let Some(replaced) =
                replaced.find(|key| known.replaces.contains(&Some(key.get_ref())))
            {
                return Err(self.replaced(replaced, name));
            }
            known.read(self, value, into)?;
        }
        let mut required = keys.iter().filter(|key| key.required);
        match required.find(|key| !entries.contains_key(key.name)) {
            None => Ok(()),
            Some(key) => Err(self.error(
                value.span(),
                format!("this {table} has no {}", key.name),
                Some(format!("add {} = {}", key.name, key.form.sample())),
            )),
        }
    }

    /// Reads the tables of a list.
    ///
    /// # Errors
    /// As [`Reader::read`], or if it is no list of tables.
    pub fn tables<T: Default>(
        &self,
        value: Field<'_>,
        name: &str,
        keys: &[Key<T>],
    ) -> Result<Vec<T>, ConfigError> {
        let tables = self.listed(value, name)?.into_iter();
        let read = tables.map(|value| {
            let mut one = T::default();
            self.read(value, Table::Listed(name), keys, &mut one)?;
            Ok(one)
        });
        read.collect()
    }
}

/// The names of keys.
pub(super) fn names_of<T>(keys: &[Key<T>]) -> Vec<&'static str> {
    keys.iter().map(|key| key.name).collect()
}

/// A list.
pub(super) fn list_of(items: &serde_json::Value) -> serde_json::Value {
    json!({ "type": "array", "items": items })
}

/// A list of tables with exactly these keys.
pub fn tables_of<T>(keys: &[Key<T>], words: &Vocabulary) -> serde_json::Value {
    list_of(&table_of(keys, words))
}

/// A table with exactly these keys.
pub fn table_of<T>(keys: &[Key<T>], words: &Vocabulary) -> serde_json::Value {
    let property = |key: &Key<T>| {
        let mut schema = key.schema(words);
        if let Some(schema) = schema.as_object_mut() {
            schema.shift_insert(0, "description".to_owned(), key.described(words).into());
        }
        (key.name.to_owned(), schema)
    };
    let properties: serde_json::Map<String, serde_json::Value> =
        keys.iter().map(property).collect();
    let mut table = json!({
        "type": "object",
        "additionalProperties": false,
        "properties": properties,
    });
    let required: Vec<&str> = names_of(
        &keys
            .iter()
            .copied()
            .filter(|key| key.required)
            .collect::<Vec<_>>(),
    );
    if !required.is_empty() {
        table["required"] = json!(required);
    }
    let replaced = keys.iter().flat_map(|key| {
        let both = |other| json!({ "required": [key.name, other] });
        key.replaces.iter().flatten().map(both)
    });
    let replaced: Vec<serde_json::Value> = replaced.collect();
    if !replaced.is_empty() {
        table["not"] = json!({ "anyOf": replaced });
    }
    table
}
