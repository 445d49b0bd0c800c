//! What cf-agent prints, with names for its messages.

use super::situation::Want;
use anyhow::Context;
use regex::Regex;

/// How cf-agent's messages are named.
#[derive(Debug)]
pub struct Messages {
    names: Vec<(Regex, Option<String>)>,
    level: Regex,
}

/// What the modules of situations say begins so.
pub(crate) const OF_MODULES: &str = "m: ";

/// What names of messages have that end the agent. It prints them without a level.
const FATAL: &str = "fatal";

impl Messages {
    /// Reads the text of `messages.jsonl`: a pattern and a name a line, without a name if the message does not count.
    ///
    /// # Errors
    ///
    /// If a line has another form.
    pub fn read_names(text: &str) -> anyhow::Result<Self> {
        let read = |line: &str| -> anyhow::Result<_> {
            let (pattern, name): (String, Option<String>) = serde_json::from_str(line)?;
            // Recorded names write a group as `\1`.
            let name = name.map(|name| name.replace("\\1", "${1}").replace("\\2", "${2}"));
            Ok((Regex::new(&pattern)?, name))
        };
        let names = text.lines().map(read).collect::<Result<_, _>>();
        Ok(Self {
            names: names.context("the names of messages")?,
            level: Regex::new(r"^ *(CRITICAL|error|warning|notice|info|verbose|debug): (.*)$")?,
        })
    }

    /// The name of a message: known but without a name of interest, or known by this name.
    fn name(&self, message: &str) -> Option<Option<String>> {
        let (found, name) = self
            .names
            .iter()
            .find_map(|(pattern, name)| Some((pattern.captures(message)?, name)))?;
        Some(name.as_ref().map(|name| {
            let mut expanded = String::new();
            found.expand(name, &mut expanded);
            // Recordings show other signs so.
            match expanded.contains(is_strange) {
                true => expanded.replace(is_strange, "<bytes>"),
                false => expanded,
            }
        }))
    }

    /// The errors of an agent in words that no measured release has.
    pub(crate) fn other_errors(&self, printed: &str) -> Vec<String> {
        let lines = printed.lines().filter_map(|line| self.level.captures(line));
        let errors = lines.filter(|found| matches!(&found[1], "error" | "CRITICAL"));
        let texts = errors.map(|found| found[2].to_owned());
        texts
            .filter(|text| !text.starts_with(OF_MODULES) && self.name(text).is_none())
            .collect()
    }

    /// What an agent printed.
    pub fn read(&self, printed: &str) -> Want {
        let mut want = Want::default();
        let mut table = false;
        for line in printed.lines() {
            if line.starts_with("Class name") {
                table = true;
            } else if let Some(report) = line.strip_prefix("R: ") {
                want.reports.push(report.to_owned());
            } else if let Some(found) = self.level.captures(line) {
                let (level, message) = (found[1].to_owned(), found[2].to_owned());
                match self.name(&message) {
                    Some(Some(name)) => want.says.push((level, name)),
                    Some(None) => {}
                    None => want.logs.push((level, message)),
                }
            } else if table && !line.starts_with(' ') {
                want.classes
                    .extend(line.split_whitespace().next().map(str::to_owned));
            } else if let Some(Some(name)) = self.name(line)
                && name.starts_with(FATAL)
            {
                want.says.push((String::new(), name));
            }
        }
        want.classes.sort();
        want
    }
}

/// Is this no printable ASCII character?
fn is_strange(c: char) -> bool {
    !(' '..='~').contains(&c)
}
