//! Reads `stickler.toml`.

use super::date::is_date;
use super::{Config, ConfigError, Example, Known, Service};
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
    let text = String::from_utf8(bytes).map_err(|_| whole("is no UTF-8 text".to_owned()))?;
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
    for (key, value) in root.get_ref() {
        let name: &str = key.get_ref();
        match name {
            "subject" => reader.subject(value, &mut config)?,
            "fake" => {
                for (name, path) in reader.table(value, "fake")? {
                    let file = PathBuf::from(reader.string(path, "a path")?);
                    reader.existing(&config.dir, &file, path.span())?;
                    config.fakes.push((name, file));
                }
            }
            "service" => {
                for (table, _) in reader.tables(value, "service")? {
                    config.services.push(reader.service(table)?);
                }
            }
            "example" => {
                for (table, span) in reader.tables(value, "example")? {
                    let number = config.examples.len() + 1;
                    config
                        .examples
                        .push(reader.example(table, span, "example", number)?);
                }
            }
            "invalid" => {
                for (table, span) in reader.tables(value, "invalid")? {
                    let number = config.invalid.len() + 1;
                    config
                        .invalid
                        .push(reader.example(table, span, "invalid", number)?);
                }
            }
            "xfail" | "waive" => {
                for (table, span) in reader.tables(value, name)? {
                    let known = reader.known(table, span, name)?;
                    if name == "xfail" {
                        config.xfail.push(known);
                    } else {
                        config.waive.push(known);
                    }
                }
            }
            "effects" => {
                for (key, value, span) in reader.entries(value, "effects")? {
                    match &key[..] {
                        "ignore" => config.ignore = reader.globs(value)?,
                        _ => return Err(reader.unknown(span, &key, &["ignore"])),
                    }
                }
            }
            "sandbox" => reader.sandbox(value, &mut config)?,
            "target" => {
                return Err(reader.error(
                    key.span(),
                    "[target] belongs to the dialect \"resource-api\"".to_owned(),
                    Some(format!("this file describes a {}", words.dialect)),
                ));
            }
            _ => {
                return Err(reader.unknown(
                    key.span(),
                    name,
                    &[
                        "subject", "fake", "service", "example", "invalid", "xfail", "waive",
                        "effects", "sandbox",
                    ],
                ));
            }
        }
    }
    reader.names_once(&config)?;
    reader.types_served(&config)?;
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

    fn unknown(&self, span: Range<usize>, found: &str, known: &[&str]) -> ConfigError {
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

    fn wrong(&self, value: Field<'_>, wanted: &str) -> ConfigError {
        let found = type_name(value.get_ref());
        self.error(
            value.span(),
            format!("this is {found}"),
            Some(format!("write {wanted}")),
        )
    }

    fn string(&self, value: Field<'_>, wanted: &str) -> Result<String, ConfigError> {
        match value.get_ref() {
            DeValue::String(text) => Ok(text.to_string()),
            _ => Err(self.wrong(value, &format!("{wanted}, in quotes"))),
        }
    }

    fn boolean(&self, value: Field<'_>) -> Result<bool, ConfigError> {
        match value.get_ref() {
            DeValue::Boolean(boolean) => Ok(*boolean),
            _ => Err(self.wrong(value, "true or false")),
        }
    }

    fn seconds(&self, value: Field<'_>) -> Result<f64, ConfigError> {
        let number = match value.get_ref() {
            DeValue::Integer(number) => number.to_string().parse::<f64>().ok(),
            DeValue::Float(number) => number.to_string().parse::<f64>().ok(),
            _ => None,
        };
        number
            .filter(|number| number.is_finite() && *number > 0.0 && *number <= 86_400.0)
            .ok_or_else(|| self.wrong(value, "a number of seconds above 0"))
    }

    fn strings(&self, value: Field<'_>, wanted: &str) -> Result<Vec<String>, ConfigError> {
        match value.get_ref() {
            DeValue::Array(items) => items.iter().map(|item| self.string(item, "text")).collect(),
            _ => Err(self.wrong(value, wanted)),
        }
    }

    fn command(&self, value: Field<'_>) -> Result<Vec<String>, ConfigError> {
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

    fn globs(&self, value: Field<'_>) -> Result<Vec<String>, ConfigError> {
        let globs = self.strings(value, "a list of globs, such as [\"/var/lib/x/**\"]")?;
        if let DeValue::Array(items) = value.get_ref() {
            for (item, text) in items.iter().zip(&globs) {
                if let Err(error) = glob::Pattern::new(text) {
                    return Err(self.error(
                        item.span(),
                        format!("this is no glob: {}", error.msg),
                        None,
                    ));
                }
            }
        }
        Ok(globs)
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
    ) -> Result<Vec<(&'v DeTable<'v>, Range<usize>)>, ConfigError> {
        let wanted = format!("[[{name}]], with two brackets");
        let DeValue::Array(items) = value.get_ref() else {
            return Err(self.wrong(value, &wanted));
        };
        items
            .iter()
            .map(|item| match item.get_ref() {
                DeValue::Table(table) => Ok((table, item.span())),
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
        for (key, value, span) in self.entries(value, "subject")? {
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
                _ => {
                    return Err(self.unknown(
                        span,
                        &key,
                        &[
                            "dialect",
                            self.words.kind_key,
                            self.words.kinds_key,
                            "interpreter",
                            "path",
                            "command",
                            "env",
                            "executes",
                            "sensitive",
                            "open_attributes",
                            "deadlines",
                        ],
                    ));
                }
            }
        }
        Ok(())
    }

    fn deadlines(&self, value: Field<'_>) -> Result<BTreeMap<Phase, f64>, ConfigError> {
        let phases = self.words.phases.iter().map(|(phase, _)| *phase);
        let mut deadlines = BTreeMap::new();
        for (key, value, span) in self.entries(value, "subject.deadlines")? {
            let Some(phase) = phases.clone().find(|phase| phase.to_string() == key) else {
                let names: Vec<String> = phases.map(|phase| phase.to_string()).collect();
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                return Err(self.unknown(span, &key, &names));
            };
            deadlines.insert(phase, self.seconds(value)?);
        }
        Ok(deadlines)
    }

    fn sandbox(&self, value: Field<'_>, config: &mut Config) -> Result<(), ConfigError> {
        for (key, value, span) in self.entries(value, "sandbox")? {
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
                _ => return Err(self.unknown(span, &key, &["tier", "network", "expose"])),
            }
        }
        Ok(())
    }

    fn service(&self, table: &DeTable<'_>) -> Result<Service, ConfigError> {
        let mut service = Service::default();
        for (key, value) in table {
            match &**key.get_ref() {
                "command" => service.command = self.command(value)?,
                "ready" => service.ready = Some(self.string(value, "an address")?),
                other => return Err(self.unknown(key.span(), other, &["command", "ready"])),
            }
        }
        Ok(service)
    }

    fn example(
        &self,
        table: &DeTable<'_>,
        span: Range<usize>,
        kind: &str,
        number: usize,
    ) -> Result<Example, ConfigError> {
        let mut example = Example {
            name: format!("{kind} {number}"),
            ..Example::default()
        };
        let words = self.words;
        for (key, value) in table {
            let name: &str = key.get_ref();
            match name {
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
                        self.error(value.span(), format!("this is no JSON: {error}"), None)
                    })?;
                    let Value::Object(members) = json else {
                        return Err(self.error(
                            value.span(),
                            "this JSON is no object".into(),
                            Some("write '{\"name\": value, …}'".into()),
                        ));
                    };
                    for (name, value) in members {
                        example
                            .attributes
                            .push((String::from_utf8_lossy(&name).into_owned(), value));
                    }
                }
                "setup" => {
                    let DeValue::Array(items) = value.get_ref() else {
                        return Err(self.wrong(
                            value,
                            "a list of commands, such as [[\"mkdir\", \"{dir}/sub\"]]",
                        ));
                    };
                    example.setup = items
                        .iter()
                        .map(|item| self.command(item))
                        .collect::<Result<_, _>>()?;
                }
                "expect" if kind == "example" => example.expect = self.expect(value)?,
                "expect" => {
                    return Err(self.error(
                        key.span(),
                        format!(
                            "an [[invalid]] {} is never evaluated, so it has no outcome",
                            words.item
                        ),
                        Some("take `expect` out".into()),
                    ));
                }
                other => {
                    return Err(self.unknown(
                        key.span(),
                        other,
                        &[
                            "name",
                            words.kind_key,
                            words.identity_key,
                            words.attributes_key,
                            "raw_attributes",
                            "setup",
                            "expect",
                        ],
                    ));
                }
            }
        }
        if example.identity.is_empty() {
            let key = words.identity_key;
            return Err(self.error(
                span,
                format!("this [[{kind}]] has no {key}"),
                Some(format!("add {key} = \"…\"")),
            ));
        }
        Ok(example)
    }

    fn expect(&self, value: Field<'_>) -> Result<Vec<String>, ConfigError> {
        let outcomes = self.words.outcomes;
        let wanted = format!("a list of outcomes ({})", outcomes.join(", "));
        let list = self.strings(value, &wanted)?;
        for outcome in &list {
            if !outcomes.contains(&&outcome[..]) {
                return Err(self.error(
                    value.span(),
                    format!("\"{outcome}\" is no outcome of an evaluation"),
                    Some(format!("write one of {}", outcomes.join(", "))),
                ));
            }
        }
        Ok(list)
    }

    /// Converts a value into the dialect's form.
    fn attribute(&self, name: &str, value: Field<'_>) -> Result<Value, ConfigError> {
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

    fn known(
        &self,
        table: &DeTable<'_>,
        span: Range<usize>,
        kind: &str,
    ) -> Result<Known, ConfigError> {
        let mut known = Known::default();
        for (key, value) in table {
            match &**key.get_ref() {
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
                other => {
                    return Err(self.unknown(
                        key.span(),
                        other,
                        &["rule", "reason", "until", "example", "field"],
                    ));
                }
            }
        }
        if known.rule.is_empty() {
            return Err(self.error(
                span,
                format!("this [[{kind}]] names no rule"),
                Some("add rule = \"…\"; `stickler rules` lists them".into()),
            ));
        }
        if known.reason.is_empty() {
            return Err(self.error(
                span,
                format!("this [[{kind}]] gives no reason"),
                Some("add reason = \"…\"".into()),
            ));
        }
        Ok(known)
    }

    fn existing(&self, dir: &Path, path: &Path, span: Range<usize>) -> Result<(), ConfigError> {
        if dir.join(path).exists() {
            return Ok(());
        }
        Err(self.error(
            span,
            format!("{}: no such file", dir.join(path).display()),
            Some("paths are relative to this file".into()),
        ))
    }

    /// Checks that the module handles the kinds of all examples.
    fn types_served(&self, config: &Config) -> Result<(), ConfigError> {
        let served = &config.subject.kinds;
        for example in config.examples.iter().chain(&config.invalid) {
            let Some(name) = &example.kind else {
                continue;
            };
            if !served.is_empty() && !served.contains(name) {
                let at = self.text.rfind(&name[..]).unwrap_or(0);
                return Err(self.error(
                    at..at + name.len(),
                    format!(
                        "[subject] does not serve the {} \"{name}\"",
                        self.words.kind
                    ),
                    Some(format!(
                        "it serves {}; for more than one write {} = [\"…\", \"…\"]",
                        served.join(", "),
                        self.words.kinds_key
                    )),
                ));
            }
        }
        Ok(())
    }

    /// Checks that names are unique, because people and expectations refer to examples by name.
    fn names_once(&self, config: &Config) -> Result<(), ConfigError> {
        let names: Vec<&str> = config
            .examples
            .iter()
            .chain(&config.invalid)
            .map(|example| &example.name[..])
            .collect();
        for (index, name) in names.iter().enumerate() {
            if names[..index].contains(name) {
                let needle = format!("\"{name}\"");
                let at = self.text.rfind(&needle).unwrap_or(0);
                return Err(self.error(
                    at..at + needle.len(),
                    format!("two examples are called \"{name}\""),
                    Some("give each its own name".into()),
                ));
            }
        }
        for known in config.xfail.iter().chain(&config.waive) {
            if let Some(example) = &known.example
                && !names.contains(&&example[..])
            {
                let needle = format!("\"{example}\"");
                let at = self.text.rfind(&needle).unwrap_or(0);
                return Err(self.error(
                    at..at + needle.len(),
                    format!("there is no example \"{example}\""),
                    None,
                ));
            }
        }
        Ok(())
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
