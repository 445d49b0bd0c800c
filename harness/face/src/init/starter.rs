//! The text of a starter `stickler.toml`. A dialect hands over what it found; only this file knows
//! how it is written down.

use crate::failure::Failure;
use std::path::Path;
use stickler_suite::Vocabulary;
use stickler_suite::config;

/// What an author has to fill in.
pub const MARK: &str = "TODO";

/// The longest line of a comment, in characters.
const WIDTH: usize = 98;

/// The content of a starter file.
pub struct Starter {
    /// What it describes: `message.py`.
    pub describes: String,
    /// The keys of `[subject]`.
    pub subject: Vec<Entry>,
    /// The further tables, in order.
    pub blocks: Vec<Block>,
    /// For `[[xfail]]` and `[[waive]]`.
    pub rules: [SuggestedException; 2],
}

/// A rule with a reason, and what limits the entry.
pub struct SuggestedException {
    rule: &'static str,
    reason: &'static str,
    limits: Vec<Entry>,
}

impl SuggestedException {
    /// Without limits.
    pub fn new(rule: &'static str, reason: &'static str) -> Self {
        SuggestedException {
            rule,
            reason,
            limits: Vec::new(),
        }
    }

    /// The same for a part of the items alone.
    #[must_use]
    pub fn limited(mut self, limits: Vec<Entry>) -> Self {
        self.limits = limits;
        self
    }

    fn entries(&self) -> Vec<Entry> {
        let mut entries = vec![Entry::text("rule", self.rule)];
        entries.extend(self.limits.iter().cloned());
        entries.push(Entry::text("reason", self.reason));
        entries
    }
}

/// A table of the file.
#[derive(Default)]
pub struct Block {
    /// What it is for, in paragraphs.
    pub about: Vec<String>,
    /// Its heading: `[[example]]`.
    pub heading: String,
    /// Is it complete? Otherwise it is a comment until the author fills it in.
    pub is_complete: bool,
    /// Its keys.
    pub entries: Vec<Entry>,
    /// A table in it with a line for each key, such as `[example.attributes]`.
    pub inner: Option<(String, Vec<Entry>)>,
}

/// A key with its value.
#[derive(Clone)]
pub struct Entry {
    key: String,
    value: String,
    about: String,
    is_optional: bool,
}

impl Entry {
    /// A key with a value in TOML.
    pub fn new(name: &str, value: impl Into<String>) -> Self {
        Entry {
            key: key(name),
            value: value.into(),
            about: String::new(),
            is_optional: false,
        }
    }

    /// A key with a text.
    pub fn text(name: &str, value: &str) -> Self {
        Entry::new(name, quoted(value))
    }

    /// A line that is prose, about a key for which nothing can be suggested.
    pub fn remark(text: &str) -> Self {
        Entry {
            key: String::new(),
            value: String::new(),
            about: one_line(text),
            is_optional: false,
        }
    }

    /// The same, with a comment behind it.
    #[must_use]
    pub fn about(mut self, about: &str) -> Self {
        self.about = one_line(about);
        self
    }

    /// The same as a suggestion.
    #[must_use]
    pub fn optional(mut self) -> Self {
        self.is_optional = true;
        self
    }

    fn line(&self) -> String {
        if self.key.is_empty() {
            return format!("## {}", self.about);
        }
        let sign = if self.is_optional { "# " } else { "" };
        let line = format!("{sign}{} = {}", self.key, self.value);
        match self.about.is_empty() {
            true => line,
            false => format!("{line}  # {}", self.about),
        }
    }
}

impl Starter {
    /// The file's text.
    ///
    /// # Errors
    ///
    /// If it is no configuration, as it is or with its suggestions: a mistake of Stickler's own.
    pub fn text(&self, file: &Path, words: &Vocabulary) -> Result<String, Failure> {
        let mut text = self.written(words);
        let filled = filled_in(&text);
        for block in everywhere(&self.rules) {
            block.write(&mut text);
        }
        for text in [&text, &filled] {
            config::from_text(file, text, words).map_err(|error| {
                Failure::harness(format!("the starter file is not readable: {error}"))
            })?;
        }
        Ok(text)
    }

    /// The text without the suggestions of every dialect, which name files that are not there.
    fn written(&self, words: &Vocabulary) -> String {
        let schema = config::schema_address(words).map(|address| format!("#:schema {address}\n"));
        let mut out = schema.unwrap_or_default();
        out.push_str(&format!(
            "## Describes {} for Stickler. `stickler check` reads this file. Paths are relative to it.\n\
             ## Lines that start with one `#` are suggestions: fill in what is marked {MARK}, and remove the `#`.\n",
            one_line(&self.describes)
        ));
        out.push_str("\n[subject]\n");
        let dialect = Entry::text("dialect", words.dialect);
        for entry in std::iter::once(&dialect).chain(&self.subject) {
            out.push_str(&format!("{}\n", entry.line()));
        }
        for block in &self.blocks {
            block.write(&mut out);
        }
        out
    }
}

impl Block {
    fn write(&self, out: &mut String) {
        out.push('\n');
        for line in self.about.iter().flat_map(|text| wrapped(text)) {
            out.push_str(&format!("## {line}\n"));
        }
        let mut lines = vec![self.heading.clone()];
        lines.extend(self.entries.iter().map(Entry::line));
        if let Some((heading, entries)) = &self.inner {
            lines.push(heading.clone());
            lines.extend(entries.iter().map(Entry::line));
        }
        let sign = if self.is_complete { "" } else { "# " };
        for line in lines {
            out.push_str(&format!("{sign}{line}\n"));
        }
    }
}

/// The suggestions of every dialect.
fn everywhere([known_failure, waived]: &[SuggestedException; 2]) -> [Block; 4] {
    let block = |about: &str, heading: &str, entries: Vec<Entry>| Block {
        about: vec![about.to_owned()],
        heading: heading.to_owned(),
        entries,
        ..Block::default()
    };
    [
        block(
            "Replacements of commands, first in PATH.",
            "[fake]",
            // It is there, so the suggestion works as it is.
            vec![Entry::text("systemctl", "/bin/true").about("a program, such as fakes/systemctl")],
        ),
        block(
            "A server on the session's loopback network.",
            "[[service]]",
            vec![
                Entry::new("command", r#"["python3", "-m", "http.server", "8080"]"#),
                Entry::text("ready", "http://127.0.0.1:8080/"),
            ],
        ),
        block(
            "Known failures; `stickler check --baseline` adds them. If one no longer occurs, the run fails.",
            "[[xfail]]",
            known_failure.entries(),
        ),
        block(
            "Rules that do not apply, and why.",
            "[[waive]]",
            waived.entries(),
        ),
    ]
}

/// The text with its suggestions, but without those within suggestions.
fn filled_in(text: &str) -> String {
    let lines = text.lines();
    let lines: Vec<&str> = lines
        .map(|line| line.strip_prefix("# ").unwrap_or(line))
        .collect();
    lines.join("\n")
}

/// A string of TOML: those of JSON are that, too, except for DEL.
pub fn quoted(text: &str) -> String {
    serde_json::Value::from(text)
        .to_string()
        .replace('\u{7f}', "\\u007f")
}

/// A list of texts.
pub fn list(texts: &[String]) -> String {
    let texts: Vec<String> = texts.iter().map(|text| quoted(text)).collect();
    format!("[{}]", texts.join(", "))
}

/// A table in one line. The values are TOML.
pub fn table<'a>(pairs: impl IntoIterator<Item = (&'a str, String)>) -> String {
    let pairs: Vec<String> = pairs
        .into_iter()
        .map(|(name, value)| format!("{} = {value}", key(name)))
        .collect();
    match pairs.is_empty() {
        true => "{}".to_owned(),
        false => format!("{{ {} }}", pairs.join(", ")),
    }
}

fn key(name: &str) -> String {
    let is_bare = |one: char| one.is_ascii_alphanumeric() || one == '_' || one == '-';
    match !name.is_empty() && name.chars().all(is_bare) {
        true => name.to_owned(),
        false => quoted(name),
    }
}

/// Text from a subject as one line of a comment.
fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    stickler_report::visible(&words.join(" ")).into_owned()
}

fn wrapped(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in one_line(text).split(' ').filter(|word| !word.is_empty()) {
        match lines.last_mut() {
            Some(line) if line.chars().count() + word.chars().count() < WIDTH - 3 => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
