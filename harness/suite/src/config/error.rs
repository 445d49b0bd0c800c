//! Mistakes in a configuration, shown with their line.

use std::fmt;
use std::ops::Range;
use std::path::Path;
use stickler_caret::Caret;

/// A mistake in `stickler.toml`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    /// The file's name as the user knows it.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
    /// The source line.
    pub source: Box<str>,
    /// Length of the wrong part, in characters.
    pub length: usize,
    /// A key that the dialect does not have, after the table in which it is.
    pub(super) unknown: Option<Box<(String, String)>>,
}

impl ConfigError {
    pub(super) fn new(
        file: &Path,
        text: &str,
        span: Range<usize>,
        message: String,
        help: Option<String>,
    ) -> Self {
        let start = span.start.min(text.len());
        let before = text.get(..start).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line_end = text[line_start..]
            .find('\n')
            .map_or(text.len(), |n| line_start + n);
        let end = span.end.clamp(start, line_end.max(start));
        ConfigError {
            file: file.display().to_string(),
            line: before.matches('\n').count() + 1,
            column: text.get(line_start..start).unwrap_or("").chars().count() + 1,
            message,
            help,
            source: text.get(line_start..line_end).unwrap_or("").into(),
            length: text.get(start..end).unwrap_or("").chars().count().max(1),
            unknown: None,
        }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let caret = Caret {
            number: self.line,
            line: &self.source,
            before: self.column - 1,
            length: self.length,
        };
        let place = format!("{}:{}:{}", self.file, self.line, self.column);
        write!(f, "{place}: {}\n{caret}", self.message)?;
        if let Some(help) = &self.help {
            write!(f, " {help}")?;
        }
        Ok(())
    }
}

impl std::error::Error for ConfigError {}
