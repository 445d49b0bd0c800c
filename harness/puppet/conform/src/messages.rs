//! Names in place of Puppet's messages.

use anyhow::Context;
use regex::{Captures, Regex};

/// How messages are named.
#[derive(Debug)]
pub struct Messages {
    names: Vec<(Regex, Name)>,
    /// What is removed or replaced before, since it differs between machines and runs.
    cleaning: Vec<(Regex, &'static str)>,
    /// An excerpt of code with marks below it, as newer versions of Ruby add it.
    excerpt: Regex,
    blanks: Regex,
    dates: Regex,
    message: Regex,
    data: Regex,
}

/// The name of a message.
#[derive(Debug)]
enum Name {
    /// A name with places for groups: `\1`.
    Of(String),
    /// A name, and the message inside the message, which has a name of its own.
    Around(String, String),
}

/// Levels of messages that are recorded.
const LEVELS: [&str; 6] = ["notice", "warning", "err", "crit", "alert", "emerg"];

impl Messages {
    /// Reads the text of `messages.jsonl`: a pattern and a name a line. A name that begins with `>` is around another
    /// message.
    ///
    /// # Errors
    ///
    /// If a line has another form.
    pub fn read_names(text: &str) -> anyhow::Result<Self> {
        let read = |line: &str| -> anyhow::Result<_> {
            let (pattern, name): (String, String) = serde_json::from_str(line)?;
            let name = match name.strip_prefix('>') {
                None => Name::Of(name),
                Some(around) => {
                    let parts = around.split_once(" >> ").context("no message inside")?;
                    Name::Around(parts.0.to_owned(), parts.1.to_owned())
                }
            };
            Ok((Regex::new(&format!("(?s){pattern}"))?, name))
        };
        let names = text.lines().map(read).collect::<Result<_, _>>();
        let clean = |pattern: &str, with| anyhow::Ok((Regex::new(pattern)?, with));
        Ok(Self {
            names: names.context("the names of messages")?,
            cleaning: vec![
                // Stack traces.
                clean(
                    r"(?s)\n(\S*\.rb|<internal[^>]*>|\(eval[^)]*\)|eval|-e|\S*/bin/\S+|@DIR@\S*):\d+:in .*",
                    "",
                )?,
                clean(r"(?s)\nDid you mean\?.*", "")?,
                clean(r"\d+\.\d+ seconds", "N seconds")?,
                clean(r"(?s)#<([\w:]+?):0x[0-9a-f]*.*>", "#<$1>")?,
                clean(
                    r"\(file: [^()]*?(?:, line: \d+)?(?:, column: \d+)?\)|\(line: \d+(?:, column: \d+)?\)",
                    "(at)",
                )?,
            ],
            excerpt: Regex::new(r"\n\n[^\n]*\n *\^")?,
            blanks: Regex::new("  +")?,
            dates: Regex::new(r#"("(?:timestamp|expiration)": ")[^"]*""#)?,
            message: Regex::new("^(Debug|Info|Notice|Warning|Error|Alert|Critical|Emergency): ")?,
            data: Regex::new(r"^(\w[\w:]* \{ '|---)")?,
        })
    }

    fn clean(&self, text: &str) -> String {
        let mut text = self.without_excerpts(text);
        for (pattern, with) in &self.cleaning {
            text = pattern.replace_all(&text, *with).into_owned();
        }
        text.trim().to_owned()
    }

    /// Without excerpts of code, each up to the next paragraph.
    fn without_excerpts(&self, text: &str) -> String {
        let mut kept = String::new();
        let mut rest = text;
        while let Some(found) = self.excerpt.find(rest) {
            kept.push_str(&rest[..found.start()]);
            let after = &rest[found.end()..];
            let paragraphs = after.match_indices("\n\n").map(|(at, _)| at);
            let mut ends = paragraphs.filter(|at| {
                let next = after[at + 2..].chars().next();
                next.is_some_and(|next| !next.is_whitespace())
            });
            rest = ends.next().map_or("", |end| &after[end..]);
        }
        kept + rest
    }

    /// The name of a message. A text without a name follows `???`.
    pub fn name(&self, text: &str) -> String {
        let text = self.clean(text);
        for (pattern, name) in &self.names {
            let Some(found) = pattern.captures(&text) else {
                continue;
            };
            return match name {
                Name::Of(name) => self.tidy(&expanded(name, &found)),
                Name::Around(name, inner) => format!(
                    "{}: {}",
                    self.tidy(&expanded(name, &found)),
                    self.name(expanded(inner, &found).trim())
                ),
            };
        }
        format!("??? {text}")
    }

    /// With single blanks: a group that matched nothing leaves two.
    fn tidy(&self, name: &str) -> String {
        self.blanks.replace_all(name, " ").trim().to_owned()
    }

    /// A message as it is recorded, if it is.
    pub fn said(
        &self,
        level: String,
        source: Option<String>,
        text: &str,
    ) -> Option<(String, Option<String>, String)> {
        let took = ["Compiled catalog ", "Applied catalog "];
        if !LEVELS.contains(&&*level) || took.iter().any(|start| text.starts_with(start)) {
            return None;
        }
        let source = source.filter(|source| !source.is_empty() && source != "Puppet");
        let source = source.map(|source| match source.strip_prefix("/Stage[main]/") {
            Some(rest) => format!("/{rest}"),
            None => source,
        });
        Some((level, source, self.name(text)))
    }

    /// What a run printed beside messages.
    pub fn printed(&self, text: &str) -> Vec<String> {
        let text = self.dates.replace_all(text, "${1}N\"");
        let mut kept = Vec::new();
        let mut in_message = false;
        for line in text.lines() {
            if self.message.is_match(line) {
                in_message = true;
                continue;
            }
            in_message &= !self.data.is_match(line);
            if !in_message {
                kept.push(line.to_owned());
            }
        }
        while kept.last().is_some_and(|line| line.trim().is_empty()) {
            kept.pop();
        }
        kept
    }
}

/// A template with what was found in place of `\1`, `\2`, …
fn expanded(template: &str, found: &Captures) -> String {
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('\\') {
        text.push_str(before);
        let group = after.chars().next().and_then(|digit| digit.to_digit(10));
        let group = group.and_then(|number| found.get(number as usize));
        text.push_str(group.map_or("", |group| group.as_str()));
        rest = after.get(1..).unwrap_or_default();
    }
    text + rest
}
