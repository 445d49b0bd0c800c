//! The agent's output: reports and log lines, in cf-agent's format or as JSON Lines.

use crate::value::Text;
use cfengine_policy::text;
use std::io::Write;

/// The severity of a log line; a lower number is more severe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Serious errors of a module.
    Critical = 1,
    /// Errors.
    Error,
    /// Warnings.
    Warning,
    /// Unusual events; the default.
    Notice,
    /// Changes to the system.
    Info,
    /// The agent's actions, for users.
    Verbose,
    /// The agent's actions, for its developers.
    Debug,
}

impl Severity {
    /// The level's name in log lines.
    pub fn name(self) -> &'static str {
        match self {
            Self::Critical => "CRITICAL",
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Notice => "notice",
            Self::Info => "info",
            Self::Verbose => "verbose",
            Self::Debug => "debug",
        }
    }

    /// The level of a word. Like cf-agent, ignores case and accepts abbreviations.
    pub fn named(word: &str) -> Option<Self> {
        const ALL: [(&str, Severity); 7] = [
            ("CRITICAL", Severity::Critical),
            ("errors", Severity::Error),
            ("warnings", Severity::Warning),
            ("notices", Severity::Notice),
            ("information", Severity::Info),
            ("verbose", Severity::Verbose),
            ("debug", Severity::Debug),
        ];
        if word.is_empty() {
            return None;
        }
        let lower = word.to_ascii_lowercase();
        let of = |(name, _): &&(&str, Severity)| name.to_ascii_lowercase().starts_with(&lower);
        ALL.iter().find(of).map(|(_, level)| *level)
    }
}

/// The format of the output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// Lines as cf-agent prints them.
    #[default]
    Text,
    /// JSON Lines.
    Json,
}

/// The output of a run.
pub(crate) struct Log {
    sink: Box<dyn Write + Send>,
    format: Format,
    /// The level that `-I`, `-v` and similar options set.
    pub(crate) global: Severity,
    /// The level for the current promise.
    pub(crate) level: Severity,
    left: u64,
    prefix: Option<Text>,
    /// Lines of level info that are held back.
    held: Option<Vec<String>>,
    /// The agent's own messages of a level and above, while they are collected.
    gathered: Option<(Severity, Vec<String>)>,
    /// The output, while it is kept for later.
    captured: Option<String>,
}

impl Log {
    pub(crate) fn new(
        sink: Box<dyn Write + Send>,
        format: Format,
        level: Severity,
        limit: u64,
    ) -> Self {
        Self {
            sink,
            format,
            global: level,
            level,
            left: limit,
            prefix: None,
            held: None,
            gathered: None,
            captured: None,
        }
    }

    /// Sets the level of the lines to print.
    pub(crate) fn set_level(&mut self, level: Severity) {
        self.global = level;
        self.level = level;
    }

    /// Sets the prefix of lines of level info and below.
    pub(crate) fn set_prefix(&mut self, prefix: Text) {
        self.prefix = Some(prefix).filter(|prefix| !prefix.is_empty());
    }

    /// Whether a line of this level would be printed.
    pub(crate) fn would(&self, level: Severity) -> bool {
        level <= self.level
    }

    /// Whether the output has reached its limit, so that the run must end.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.left == 0
    }

    /// Logs a message of the agent itself; prints it if its level is enabled.
    pub(crate) fn line(&mut self, level: Severity, message: &str) {
        if let Some((lowest, messages)) = &mut self.gathered
            && level <= *lowest
        {
            messages.push(message.to_owned());
        }
        self.relay(level, message);
    }

    /// Starts to collect the agent's own messages of a level and above.
    pub(crate) fn gather(&mut self, lowest: Severity) {
        self.gathered = Some((lowest, Vec::new()));
    }

    /// Stops collecting, and returns the messages.
    pub(crate) fn gathered(&mut self) -> Vec<String> {
        let gathered = self.gathered.take();
        gathered.map(|(_, messages)| messages).unwrap_or_default()
    }

    /// Prints a line that is not the agent's own, if its level is enabled.
    pub(crate) fn relay(&mut self, level: Severity, message: &str) {
        if !self.would(level) {
            return;
        }
        let message = message.strip_suffix('\n').unwrap_or(message);
        if level == Severity::Info
            && let Some(held) = &mut self.held
        {
            self.left = self.left.saturating_sub(message.len() as u64);
            held.push(message.to_owned());
            return;
        }
        match self.format {
            Format::Text => {
                let prefix = match &self.prefix {
                    Some(prefix) if level >= Severity::Info => format!("{prefix} "),
                    _ => String::new(),
                };
                self.write(&format!("{prefix}{:>8}: {message}\n", level.name()));
            }
            Format::Json => self.event(&[
                ("event", "log"),
                ("level", &level.name().to_ascii_lowercase()),
                ("message", message),
            ]),
        }
    }

    /// Starts to hold back lines of level info.
    pub(crate) fn hold(&mut self) {
        self.held = Some(Vec::new());
    }

    /// Stops holding back lines: prints or drops them.
    pub(crate) fn release(&mut self, print: bool) {
        for message in self.held.take().into_iter().flatten().filter(|_| print) {
            self.line(Severity::Info, &message);
        }
    }

    /// Prints a report.
    pub(crate) fn report(&mut self, message: &str) {
        match self.format {
            Format::Text => self.write(&format!("R: {message}\n")),
            Format::Json => self.event(&[("event", "report"), ("message", message)]),
        }
    }

    /// Prints a line of an overview (`--show-evaluated-…`).
    pub(crate) fn plain(&mut self, kind: &str, line: &str) {
        match self.format {
            Format::Text => self.write(&format!("{line}\n")),
            Format::Json => self.event(&[("event", kind), ("line", line)]),
        }
    }

    /// Prints a program's output.
    pub(crate) fn raw(&mut self, output: &str) {
        match self.format {
            Format::Text => self.write(output),
            Format::Json => {
                for line in output.strip_suffix('\n').unwrap_or(output).split('\n') {
                    self.event(&[("event", "output"), ("line", line)]);
                }
            }
        }
    }

    /// Whether the output is JSON Lines.
    pub(crate) fn is_json(&self) -> bool {
        self.format == Format::Json
    }

    /// Prints an event as JSON.
    pub(crate) fn event(&mut self, fields: &[(&str, &str)]) {
        let object: serde_json::Map<_, _> = fields
            .iter()
            .map(|(key, value)| {
                let value = String::from_utf8_lossy(&text::encode(value)).into_owned();
                ((*key).into(), serde_json::Value::String(value))
            })
            .collect();
        self.write(&format!("{}\n", serde_json::Value::Object(object)));
    }

    /// Starts to capture the output for later.
    pub(crate) fn capture(&mut self) {
        self.captured = Some(String::new());
    }

    pub(crate) fn is_captured(&self) -> bool {
        self.captured.is_some()
    }

    /// Stops capturing, and returns the output for [`pass`](Self::pass).
    pub(crate) fn captured(&mut self) -> String {
        self.captured.take().unwrap_or_default()
    }

    /// Prints what was captured.
    pub(crate) fn pass(&mut self, captured: &str) {
        self.write(captured);
    }

    fn write(&mut self, text: &str) {
        if let Some(captured) = &mut self.captured {
            captured.push_str(text);
            return;
        }
        let bytes = text::encode(text);
        self.left = self.left.saturating_sub(bytes.len() as u64);
        // If the reader is gone, nobody is left to report the error to.
        let _ = self.sink.write_all(&bytes);
    }

    pub(crate) fn flush(&mut self) {
        let _ = self.sink.flush();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_known_by_their_beginning() {
        assert_eq!(Severity::named("i"), Some(Severity::Info));
        assert_eq!(Severity::named("INFO"), Some(Severity::Info));
        assert_eq!(Severity::named("inform"), Some(Severity::Info));
        assert_eq!(Severity::named("err"), Some(Severity::Error));
        assert_eq!(Severity::named("crit"), Some(Severity::Critical));
        assert_eq!(Severity::named("level"), None);
        assert_eq!(Severity::named(""), None);
    }
}
