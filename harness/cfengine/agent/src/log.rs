//! What the agent prints: reports and log lines, in its own grammar or as
//! JSON Lines.

use crate::value::Text;
use cfengine_policy::text;
use std::io::Write;

/// How much a log line matters; the lower, the more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
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
    /// What the agent does, for people.
    Verbose,
    /// What the agent does, for its developers.
    Debug,
}

impl Level {
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

    /// The level that a word stands for, upper or lower case, shortened or
    /// not, as the agent takes it.
    pub fn named(word: &str) -> Option<Self> {
        const ALL: [(&str, Level); 7] = [
            ("CRITICAL", Level::Critical),
            ("errors", Level::Error),
            ("warnings", Level::Warning),
            ("notices", Level::Notice),
            ("information", Level::Info),
            ("verbose", Level::Verbose),
            ("debug", Level::Debug),
        ];
        if word.is_empty() {
            return None;
        }
        let lower = word.to_ascii_lowercase();
        let of = |(name, _): &&(&str, Level)| name.to_ascii_lowercase().starts_with(&lower);
        ALL.iter().find(of).map(|(_, level)| *level)
    }
}

/// What the output is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// Lines as cf-agent prints them.
    #[default]
    Text,
    /// JSON Lines.
    Json,
}

/// Where everything that is printed goes.
pub(crate) struct Log {
    sink: Box<dyn Write + Send>,
    format: Format,
    /// What `-I`, `-v` and their like ask for.
    pub(crate) global: Level,
    /// What is in force for the promise at hand.
    pub(crate) level: Level,
    left: u64,
    prefix: Option<Text>,
    /// Lines of level info that are held back.
    held: Option<Vec<String>>,
    /// What the agent itself says of a level and above, while it is gathered.
    gathered: Option<(Level, Vec<String>)>,
    /// What is printed, while it is kept for later.
    captured: Option<String>,
}

impl Log {
    pub(crate) fn new(
        sink: Box<dyn Write + Send>,
        format: Format,
        level: Level,
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

    /// Prints lines of a level and above from now on.
    pub(crate) fn set_level(&mut self, level: Level) {
        self.global = level;
        self.level = level;
    }

    /// What stands before lines of level info and below.
    pub(crate) fn set_prefix(&mut self, prefix: Text) {
        self.prefix = Some(prefix).filter(|prefix| !prefix.is_empty());
    }

    /// Whether a line of a level would be printed.
    pub(crate) fn would(&self, level: Level) -> bool {
        level <= self.level
    }

    /// Whether so much was printed that the run must end.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.left == 0
    }

    /// Says something, if its level is asked for.
    pub(crate) fn line(&mut self, level: Level, message: &str) {
        if let Some((lowest, messages)) = &mut self.gathered
            && level <= *lowest
        {
            messages.push(message.to_owned());
        }
        self.relay(level, message);
    }

    /// Gathers what the agent itself says of a level and above from now on.
    pub(crate) fn gather(&mut self, lowest: Level) {
        self.gathered = Some((lowest, Vec::new()));
    }

    /// Ends that: the messages since.
    pub(crate) fn gathered(&mut self) -> Vec<String> {
        let gathered = self.gathered.take();
        gathered.map(|(_, messages)| messages).unwrap_or_default()
    }

    /// Prints a line for somebody else, if its level is asked for.
    pub(crate) fn relay(&mut self, level: Level, message: &str) {
        if !self.would(level) {
            return;
        }
        let message = message.strip_suffix('\n').unwrap_or(message);
        if level == Level::Info
            && let Some(held) = &mut self.held
        {
            self.left = self.left.saturating_sub(message.len() as u64);
            held.push(message.to_owned());
            return;
        }
        match self.format {
            Format::Text => {
                let prefix = match &self.prefix {
                    Some(prefix) if level >= Level::Info => format!("{prefix} "),
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

    /// Holds lines of level info back from now on.
    pub(crate) fn hold(&mut self) {
        self.held = Some(Vec::new());
    }

    /// Ends holding lines back: they are printed now or never.
    pub(crate) fn release(&mut self, print: bool) {
        for message in self.held.take().into_iter().flatten().filter(|_| print) {
            self.line(Level::Info, &message);
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

    /// Prints what a program printed.
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

    /// Whether events are printed.
    pub(crate) fn is_json(&self) -> bool {
        self.format == Format::Json
    }

    /// An event of JSON Lines.
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

    /// Keeps what is printed for later from now on.
    pub(crate) fn capture(&mut self) {
        self.captured = Some(String::new());
    }

    pub(crate) fn is_captured(&self) -> bool {
        self.captured.is_some()
    }

    /// Ends that: what there is to [pass](Self::pass) on.
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
        // A reader that went away is nothing to tell anybody of.
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
        assert_eq!(Level::named("i"), Some(Level::Info));
        assert_eq!(Level::named("INFO"), Some(Level::Info));
        assert_eq!(Level::named("inform"), Some(Level::Info));
        assert_eq!(Level::named("err"), Some(Level::Error));
        assert_eq!(Level::named("crit"), Some(Level::Critical));
        assert_eq!(Level::named("level"), None);
        assert_eq!(Level::named(""), None);
    }
}
