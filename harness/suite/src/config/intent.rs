//! The file of `stickler equal`: one intent, and the subjects that bring it about. Each subject's item has the
//! keys of `[[example]]` in its own dialect.

use super::key::{Form, Key, Table, table_of};
use super::reader::Reader;
use super::schema::attribute;
use super::{Config, ConfigError, Created, Example, keys};
use crate::vocabulary::Vocabulary;
use serde_json::json;
use std::path::{Path, PathBuf};
use toml::de::{DeTable, DeValue};

/// How the table of a subject is written.
pub(super) const SUBJECT: &str = "[[subject]]";
/// The key of its description.
const CONFIG: &str = "config";
/// The file that describes a subject, if only its folder is named.
const DESCRIPTION: &str = "stickler.toml";

/// `[intent]`: what all subjects bring about.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Intent {
    /// Its name.
    pub name: String,
    /// Commands that prepare the scratch directory.
    pub setup: Vec<Vec<String>>,
    /// Commands that spoil the result. Without any, the effects of each subject are undone.
    pub drift: Vec<Vec<String>>,
    /// What is at paths once it is brought about, with `{dir}` as written.
    pub creates: Vec<Created>,
    /// Paths at which nothing is then.
    pub absent: Vec<String>,
}

/// `[[subject]]`: a subject, and the intent in its words.
#[derive(Clone, Debug, PartialEq)]
pub struct Party {
    /// Its name in reports.
    pub name: String,
    /// The item, without what the intent declares.
    pub item: Example,
}

impl Party {
    /// The description of the subject, with this item as its only example.
    pub fn join(&self, intent: &Intent, described: Config) -> Config {
        let setup = intent.setup.iter().chain(&self.item.setup);
        let example = Example {
            name: self.name.clone(),
            setup: setup.cloned().collect(),
            creates: intent.creates.clone(),
            absent: intent.absent.clone(),
            ..self.item.clone()
        };
        Config {
            examples: vec![example],
            invalid: Vec::new(),
            xfail: Vec::new(),
            waive: Vec::new(),
            ..described
        }
    }
}

/// A file of `stickler equal`.
#[derive(Clone, Debug)]
pub struct EqualFile {
    file: PathBuf,
    text: String,
    /// `[intent]`
    pub intent: Intent,
    /// The description of each subject: a `stickler.toml`.
    pub descriptions: Vec<PathBuf>,
}

impl EqualFile {
    /// Reads the intent, and which subjects there are. No key of these depends on a dialect, so `any` may be
    /// the words of any dialect.
    ///
    /// # Errors
    /// If the file cannot be read, or if something in it makes no sense.
    pub fn read(file: &Path, any: &Vocabulary) -> Result<EqualFile, ConfigError> {
        let whole = |message: String| ConfigError::new(file, "", 0..0, message, None);
        let bytes =
            std::fs::read(file).map_err(|error| whole(format!("cannot be read: {error}")))?;
        let text = String::from_utf8(bytes).map_err(|_| whole("is not UTF-8".to_owned()))?;
        let mut own = EqualFile {
            file: file.to_owned(),
            text: text.clone(),
            intent: Intent::default(),
            descriptions: Vec::new(),
        };
        let reader = Reader::new(file, &text, any);
        let root = parsed(&reader, &text)?;
        let known = ["intent", "subject"];
        if let Some(key) = root
            .keys()
            .find(|key| !known.contains(&key.get_ref().as_ref()))
        {
            let known = known.map(str::to_owned);
            return Err(reader.unlisted(key.span(), key.get_ref(), &known));
        }
        let missing = |what: &str, help: &str| {
            reader.error(0..0, format!("there is no {what}"), Some(help.to_owned()))
        };
        let intent = root.get("intent").ok_or_else(|| {
            missing(
                "[intent]",
                "add one with a name: what all subjects bring about",
            )
        })?;
        reader.read(intent, Table::One("intent"), &INTENT, &mut own.intent)?;
        let subjects = root.get("subject");
        let subjects = subjects.ok_or_else(|| missing(SUBJECT, "add two or more"))?;
        let tables = reader.listed(subjects, "subject")?;
        if let [only] = tables[..] {
            let message = "one subject cannot be compared".to_owned();
            let help = Some(format!("add another {SUBJECT}"));
            return Err(reader.error(only.span(), message, help));
        }
        for table in tables {
            let config = match table.get_ref() {
                DeValue::Table(entries) => entries.get(CONFIG),
                _ => None,
            };
            let Some(config) = config else {
                return Err(reader.error(
                    table.span(),
                    format!("this {SUBJECT} has no {CONFIG}"),
                    Some(format!("add {CONFIG} = \"…/{DESCRIPTION}\"")),
                ));
            };
            let path = PathBuf::from(reader.string(config, "a path")?);
            let dir = file.parent().unwrap_or(Path::new(""));
            reader.existing(dir, &path, config.span())?;
            let mut path = dir.join(path);
            if path.is_dir() {
                path.push(DESCRIPTION);
            }
            if !path.is_file() {
                let message = format!("{}: no such file", path.display());
                return Err(reader.error(config.span(), message, None));
            }
            own.descriptions.push(path);
        }
        Ok(own)
    }

    /// The subject with this index, in the words of its dialect.
    ///
    /// # Errors
    /// If something in its table makes no sense.
    pub fn party(&self, index: usize, words: &Vocabulary) -> Result<Party, ConfigError> {
        let reader = Reader::new(&self.file, &self.text, words);
        let root = parsed(&reader, &self.text)?;
        let mut item = Example::default();
        if let Some(all) = root.get("subject") {
            let tables = reader.listed(all, "subject")?;
            if let Some(table) = tables.get(index) {
                reader.read(table, Table::Listed("subject"), &party(words), &mut item)?;
            }
        }
        let name = match item.name.is_empty() {
            true => words.dialect.to_owned(),
            false => item.name.clone(),
        };
        Ok(Party { name, item })
    }

    /// Gives subjects that have no name of their own different ones.
    ///
    /// # Errors
    /// If the file gives two the same name.
    pub fn name(&self, parties: &mut [Party], any: &Vocabulary) -> Result<(), ConfigError> {
        for index in 1..parties.len() {
            let (known, rest) = parties.split_at_mut(index);
            let party = &mut rest[0];
            let is_taken = |name: &str| known.iter().any(|other| other.name == name);
            if !party.item.name.is_empty() && is_taken(&party.name) {
                let reader = Reader::new(&self.file, &self.text, any);
                return Err(reader.error_in(
                    &party.name,
                    format!("two subjects are called \"{}\"", party.name),
                    Some("give each its own name".into()),
                ));
            }
            let plain = party.name.clone();
            let mut number = 1;
            while known.iter().any(|other| other.name == party.name) {
                number += 1;
                party.name = format!("{plain} {number}");
            }
        }
        Ok(())
    }
}

fn parsed<'t>(reader: &Reader<'_>, text: &'t str) -> Result<DeTable<'t>, ConfigError> {
    let root = DeTable::parse(text).map_err(|error| {
        let span = error.span().unwrap_or(0..0);
        reader.error(span, error.message().to_owned(), None)
    })?;
    Ok(root.into_inner())
}

static INTENT: [Key<Intent>; 5] = [
    Key::required(
        "name",
        "What all subjects bring about, in a few words.",
        Form::Name(|intent, name| intent.name = name),
    ),
    Key::new(
        "setup",
        "Commands that prepare the directory, in the sandbox.",
        Form::Commands(|intent, commands| intent.setup = commands),
    ),
    Key::new(
        "drift",
        "Commands that spoil the result. Without them, Stickler undoes what each subject did.",
        Form::Commands(|intent, commands| intent.drift = commands),
    ),
    Key::new(
        "creates",
        "What is at each of these paths once the intent is brought about.",
        Form::Other {
            schema: keys::created_schema,
            read: |reader, value, intent| {
                intent.creates = reader.creates(value)?;
                Ok(())
            },
        },
    ),
    Key::new(
        "absent",
        "Paths at which nothing is then.",
        Form::Other {
            schema: keys::texts_schema,
            read: |reader, value, intent| {
                intent.absent = reader.absent(value)?;
                Ok(())
            },
        },
    ),
];

/// `[[subject]]`
pub(super) fn party(words: &Vocabulary) -> Vec<Key<Example>> {
    let mut keys = vec![Key::required(
        CONFIG,
        "The `stickler.toml` that describes the {subject}, or its folder; relative to this file.",
        // `EqualFile::read` has taken it.
        Form::Name(|_, _| {}),
    )];
    keys.extend(keys::item(words));
    keys
}

/// The JSON Schema of the file, for editors.
pub fn equal_schema(dialects: &[&Vocabulary]) -> String {
    let subjects: Vec<serde_json::Value> = dialects
        .iter()
        .map(|words| table_of(&party(words), words))
        .collect();
    let typed = dialects.iter().find(|words| words.typed);
    let any = typed.or(dialects.first());
    let (intent, attribute) = any.map_or_else(Default::default, |words| {
        (table_of(&INTENT, words), attribute(words))
    });
    let schema = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$id": "urn:stickler:equal-case.schema.json",
        "title": "A file of `stickler equal`",
        "description": "One intent, and the subjects that bring it about.",
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "intent": intent,
            "subject": { "type": "array", "minItems": 2, "items": { "anyOf": subjects } },
        },
        "required": ["intent", "subject"],
        "definitions": { "attribute": attribute },
    });
    format!("{schema:#}\n")
}
