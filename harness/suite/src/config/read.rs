//! Reads `stickler.toml`.

mod holds;
mod names;
mod values;

use super::date::is_date;
use super::keys::{self, Key};
use super::{Config, ConfigError, Device, Example, Known, Service};
use crate::vocabulary::Vocabulary;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use stickler_transcript::{Phase, Value};
use toml::Spanned;
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

/// Reads a configuration file, with the key names of a dialect.
///
/// # Errors
/// If the file cannot be read, or if something in it makes no sense; the message shows the place
/// and says what to write.
pub fn from_file(file: &Path, words: &Vocabulary) -> Result<Config, ConfigError> {
    let whole = |message: String| ConfigError::new(file, "", 0..0, message, None);
    let bytes = std::fs::read(file).map_err(|error| whole(format!("cannot be read: {error}")))?;
    let text = String::from_utf8(bytes).map_err(|_| whole("is not UTF-8".to_owned()))?;
    from_text(file, &text, words)
}

/// Reads a configuration from its text; `file` gives the name and the folder.
///
/// # Errors
/// As [`from_file`].
pub fn from_text(file: &Path, text: &str, words: &Vocabulary) -> Result<Config, ConfigError> {
    let reader = Reader { file, text, words };
    let root = DeTable::parse(text).map_err(|error| {
        reader.error(
            error.span().unwrap_or(0..0),
            error.message().to_owned(),
            None,
        )
    })?;
    let mut config = Config {
        dir: match file.parent() {
            Some(dir) if !dir.as_os_str().is_empty() => dir.to_owned(),
            _ => PathBuf::from("."),
        },
        file: Some(file.to_owned()),
        ..Config::default()
    };
    let keys = keys::root(words);
    for (key, value) in root.get_ref() {
        let name: &str = key.get_ref();
        match name {
            "target" if !words.devices => {
                return Err(reader.error(
                    key.span(),
                    "[target] belongs to the dialect \"resource-api\"".to_owned(),
                    Some(format!("this file describes a {}", words.dialect)),
                ));
            }
            _ if !keys.iter().any(|key| key.name == name) => {
                return Err(reader.unknown(key.span(), name, &keys));
            }
            "subject" => reader.subject(value, &mut config)?,
            "fake" => {
                for (name, path) in reader.table(value, "fake")? {
                    let file = PathBuf::from(reader.string(path, "a path")?);
                    reader.existing(&config.dir, &file, path.span())?;
                    config.fakes.push((name, file));
                }
            }
            "service" => {
                for table in reader.tables(value, "service")? {
                    config.services.push(reader.service(table)?);
                }
            }
            "target" => {
                for (name, table) in reader.table(value, "target")? {
                    config.targets.push(reader.target(name, table)?);
                }
            }
            "example" => {
                for table in reader.tables(value, "example")? {
                    let number = config.examples.len() + 1;
                    config
                        .examples
                        .push(reader.example(table, "example", number)?);
                }
            }
            "invalid" => {
                for table in reader.tables(value, "invalid")? {
                    let number = config.invalid.len() + 1;
                    config
                        .invalid
                        .push(reader.example(table, "invalid", number)?);
                }
            }
            "xfail" | "waive" => {
                for table in reader.tables(value, name)? {
                    let known = reader.known(table, name)?;
                    if name == "xfail" {
                        config.xfail.push(known);
                    } else {
                        config.waive.push(known);
                    }
                }
            }
            "effects" => {
                let keys = keys::effects();
                for (key, value, span) in reader.keyed(value, "effects", &keys)? {
                    match &key[..] {
                        "ignore" => config.ignore = reader.globs(value)?,
                        _ => return Err(reader.unknown(span, &key, &keys)),
                    }
                }
            }
            "sandbox" => reader.sandbox(value, &mut config)?,
            _ => return Err(reader.unknown(key.span(), name, &keys)),
        }
    }
    reader.names_once(&config)?;
    reader.types_served(&config)?;
    reader.targets_there(&config)?;
    Ok(config)
}

type Field<'v> = &'v Spanned<DeValue<'v>>;

struct Reader<'t> {
    file: &'t Path,
    text: &'t str,
    words: &'t Vocabulary,
}

impl<'t> Reader<'t> {
    fn error(&self, span: Range<usize>, message: String, help: Option<String>) -> ConfigError {
        ConfigError::new(self.file, self.text, span, message, help)
    }

    fn unknown(&self, span: Range<usize>, found: &str, known: &[Key]) -> ConfigError {
        let known: Vec<&str> = known.iter().map(|key| &key.name[..]).collect();
        let near = known
            .iter()
            .copied()
            .map(|name| (strsim::levenshtein(found, name), name))
            .min()
            .filter(|(distance, _)| *distance <= 3)
            .map(|(_, name)| format!("did you mean \"{name}\"?"));
        let help = near.unwrap_or_else(|| format!("known here: {}", known.join(", ")));
        self.error(span, format!("unknown key \"{found}\""), Some(help))
    }

    fn entries<'v>(
        &self,
        value: &'v Spanned<DeValue<'v>>,
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

    /// The entries of a table that has no other keys than these.
    fn keyed<'v>(
        &self,
        value: &'v Spanned<DeValue<'v>>,
        name: &str,
        keys: &[Key],
    ) -> Result<Vec<(String, Field<'v>, Range<usize>)>, ConfigError> {
        let entries = self.entries(value, name)?;
        for (key, _, span) in &entries {
            if !keys.iter().any(|known| known.name == *key) {
                return Err(self.unknown(span.clone(), key, keys));
            }
        }
        Ok(entries)
    }

    fn table<'v>(
        &self,
        value: &'v Spanned<DeValue<'v>>,
        name: &str,
    ) -> Result<Vec<(String, Field<'v>)>, ConfigError> {
        Ok(self
            .entries(value, name)?
            .into_iter()
            .map(|(key, value, _)| (key, value))
            .collect())
    }

    fn tables<'v>(
        &self,
        value: &'v Spanned<DeValue<'v>>,
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

    fn subject(
        &self,
        value: &Spanned<DeValue<'_>>,
        config: &mut Config,
    ) -> Result<(), ConfigError> {
        let dir = config.dir.clone();
        let subject = &mut config.subject;
        let keys = keys::subject(self.words);
        for (key, value, span) in self.keyed(value, "subject", &keys)? {
            match &key[..] {
                "dialect" => {
                    let dialect = self.string(value, "a dialect")?;
                    if dialect != self.words.dialect {
                        return Err(self.error(
                            value.span(),
                            format!("this file describes a subject of the dialect \"{dialect}\""),
                            Some(format!("it is read as \"{}\"", self.words.dialect)),
                        ));
                    }
                    subject.dialect = Some(dialect);
                }
                key if key == self.words.kind_key => {
                    let wanted = format!("the {}'s name", self.words.kind);
                    subject.kinds = vec![self.string(value, &wanted)?];
                }
                key if key == self.words.kinds_key => {
                    let wanted = format!("a list of {}s' names", self.words.kind);
                    subject.kinds = self.strings(value, &wanted)?;
                }
                "interpreter" => {
                    subject.interpreter = Some(self.string(value, "a path or a command's name")?);
                }
                "interpreters" if self.words.interpreters => {
                    subject.interpreters = self.strings(value, "a list of paths or commands")?;
                }
                "path" => {
                    let path = PathBuf::from(
                        self.string(value, &format!("the {}'s path", self.words.subject))?,
                    );
                    self.existing(&dir, &path, value.span())?;
                    subject.path = Some(path);
                }
                "command" => subject.command = self.command(value)?,
                "env" => {
                    for (name, value) in self.table(value, "subject.env")? {
                        subject.env.push((name, self.string(value, "text")?));
                    }
                }
                "executes" => {
                    subject.executes = self.strings(value, "a list of attribute names")?;
                }
                "sensitive" => {
                    subject.sensitive = self.strings(value, "a list of attribute names")?;
                }
                "open_attributes" => subject.open_attributes = self.boolean(value)?,
                "deadlines" => subject.deadlines = self.deadlines(value)?,
                _ => return Err(self.unknown(span, &key, &keys)),
            }
        }
        Ok(())
    }

    fn deadlines(&self, value: Field<'_>) -> Result<BTreeMap<Phase, f64>, ConfigError> {
        let phases = self.words.phases.iter().map(|(phase, _)| *phase);
        let keys = keys::deadlines(self.words);
        self.keyed(value, "subject.deadlines", &keys)?
            .into_iter()
            .map(|(key, value, span)| {
                let phase = phases.clone().find(|phase| phase.name() == key);
                let phase = phase.ok_or_else(|| self.unknown(span, &key, &keys))?;
                Ok((phase, self.seconds(value)?))
            })
            .collect()
    }

    fn sandbox(&self, value: Field<'_>, config: &mut Config) -> Result<(), ConfigError> {
        let keys = keys::sandbox();
        for (key, value, span) in self.keyed(value, "sandbox", &keys)? {
            match &key[..] {
                "tier" => {
                    let tier = self.string(value, "a tier")?;
                    if !["overlay", "copy", "none"].contains(&&tier[..]) {
                        return Err(self.error(
                            value.span(),
                            format!("there is no sandbox tier \"{tier}\""),
                            Some("write \"overlay\", \"copy\" or \"none\"".into()),
                        ));
                    }
                    config.sandbox.tier = Some(tier);
                }
                "network" => config.sandbox.network = self.boolean(value)?,
                "expose" => {
                    config.sandbox.expose = self
                        .strings(value, "a list of absolute paths")?
                        .into_iter()
                        .map(PathBuf::from)
                        .collect();
                    if config.sandbox.expose.iter().any(|path| path.is_relative()) {
                        return Err(self.wrong(value, "absolute paths"));
                    }
                }
                _ => return Err(self.unknown(span, &key, &keys)),
            }
        }
        Ok(())
    }

    fn service(&self, table: Field<'_>) -> Result<Service, ConfigError> {
        let mut service = Service::default();
        let keys = keys::service();
        for (key, value, span) in self.keyed(table, "service", &keys)? {
            match &key[..] {
                "command" => service.command = self.command(value)?,
                "ready" => service.ready = Some(self.string(value, "an address")?),
                _ => return Err(self.unknown(span, &key, &keys)),
            }
        }
        Ok(service)
    }

    fn target(&self, name: String, table: Field<'_>) -> Result<Device, ConfigError> {
        let mut target = Device {
            name,
            ..Device::default()
        };
        let keys = keys::target();
        let whole = format!("target.{}", target.name);
        for (key, value, span) in self.keyed(table, &whole, &keys)? {
            match &key[..] {
                "transport" => target.transport = self.string(value, "a transport's name")?,
                "connection_info" => {
                    for (name, value) in self.table(value, "connection_info")? {
                        let sent = self.attribute(&name, value)?;
                        target.connection_info.push((name, sent));
                    }
                }
                "invalid" => target.invalid = self.boolean(value)?,
                _ => return Err(self.unknown(span, &key, &keys)),
            }
        }
        if target.transport.is_empty() {
            return Err(self.error(
                table.span(),
                format!("[{whole}] names no transport"),
                Some("add transport = \"…\"".into()),
            ));
        }
        Ok(target)
    }

    fn example(&self, table: Field<'_>, kind: &str, number: usize) -> Result<Example, ConfigError> {
        let mut example = Example {
            name: format!("{kind} {number}"),
            ..Example::default()
        };
        let words = self.words;
        let keys = keys::example(words);
        for (key, value, span) in self.keyed(table, kind, &keys)? {
            match &key[..] {
                name if name == words.identity_key => {
                    let text = self.string(value, &format!("the {name}"))?;
                    let identity = (name.to_owned(), Value::text(text));
                    example.identity.push(identity);
                }
                "name" => example.name = self.string(value, "a name")?,
                name if name == words.kind_key => {
                    let wanted = format!("the {}'s name", words.kind);
                    example.kind = Some(self.string(value, &wanted)?);
                }
                name if name == words.attributes_key => {
                    for (name, value, _) in self.entries(value, name)? {
                        let sent = self.attribute(&name, value)?;
                        example.attributes.push((name, sent));
                    }
                }
                "raw_attributes" if words.json.is_some() => {
                    let text = self.string(value, "a JSON object, as text")?;
                    let parse = words
                        .json
                        .unwrap_or(|_| Err("there is none here".to_owned()));
                    let json = parse(text.as_bytes()).map_err(|error| {
                        self.error(value.span(), format!("this is not JSON: {error}"), None)
                    })?;
                    let Value::Object(members) = json else {
                        return Err(self.error(
                            value.span(),
                            "this JSON is not an object".into(),
                            Some("write '{\"name\": value, …}'".into()),
                        ));
                    };
                    for (name, value) in members {
                        example
                            .attributes
                            .push((String::from_utf8_lossy(&name).into_owned(), value));
                    }
                }
                "target" if words.devices => {
                    example.target = Some(self.string(value, "the name of a [target]")?);
                }
                "setup" => {
                    let wanted = "a list of commands, such as [[\"mkdir\", \"{dir}/sub\"]]";
                    example.setup = self.commands(value, wanted)?;
                }
                name if keys::OUTCOME.contains(&name) && kind != "example" => {
                    return Err(self.error(
                        span,
                        format!(
                            "an [[invalid]] {} is never evaluated, so it has no outcome",
                            words.item
                        ),
                        Some(format!("take `{name}` out")),
                    ));
                }
                "expect" => example.expect = self.expect(value)?,
                "creates" => example.creates = self.creates(value)?,
                "absent" => example.absent = self.absent(value)?,
                "verify" => {
                    let wanted = "a list of commands, such as [[\"grep\", \"x\", \"{dir}/file\"]]";
                    example.verify = self.commands(value, wanted)?;
                }
                _ => return Err(self.unknown(span, &key, &keys)),
            }
        }
        if example.identity.is_empty() {
            let key = words.identity_key;
            return Err(self.error(
                table.span(),
                format!("this [[{kind}]] has no {key}"),
                Some(format!("add {key} = \"…\"")),
            ));
        }
        Ok(example)
    }

    fn known(&self, table: Field<'_>, kind: &str) -> Result<Known, ConfigError> {
        let mut known = Known::default();
        let keys = keys::known();
        for (key, value, span) in self.keyed(table, kind, &keys)? {
            match &key[..] {
                "rule" => {
                    known.rule = self.string(value, "a rule's code")?;
                    if !(self.words.has_rule)(&known.rule) {
                        return Err(self.error(
                            value.span(),
                            format!("there is no rule \"{}\"", known.rule),
                            Some("`stickler rules` lists them".into()),
                        ));
                    }
                }
                "reason" => known.reason = self.string(value, "the reason")?,
                "until" => {
                    let date = match value.get_ref() {
                        DeValue::Datetime(date) => date.to_string(),
                        _ => self.string(value, "a date such as \"2027-06-01\"")?,
                    };
                    if !is_date(&date) {
                        return Err(self.wrong(value, "a date such as \"2027-06-01\""));
                    }
                    known.until = Some(date);
                }
                "example" => known.example = Some(self.string(value, "an example's name")?),
                "field" => known.field = Some(self.string(value, "an attribute's name")?),
                _ => return Err(self.unknown(span, &key, &keys)),
            }
        }
        if known.rule.is_empty() {
            return Err(self.error(
                table.span(),
                format!("this [[{kind}]] names no rule"),
                Some("add rule = \"…\"; `stickler rules` lists them".into()),
            ));
        }
        if known.reason.is_empty() {
            return Err(self.error(
                table.span(),
                format!("this [[{kind}]] gives no reason"),
                Some("add reason = \"…\"".into()),
            ));
        }
        Ok(known)
    }
}
