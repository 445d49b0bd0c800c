//! The parts that a response is taken into.

use crate::wire::Value;
use std::ops::Range;

/// The log levels that a module may use, the most severe first. Source: "Logging".
pub const LOG_LEVELS: [&str; 7] = [
    "critical", "error", "warning", "notice", "info", "verbose", "debug",
];

/// Whether a level is spelled as the specification spells it.
pub fn is_log_level(level: &[u8]) -> bool {
    LOG_LEVELS.iter().any(|known| known.as_bytes() == level)
}

/// Whether a key has lowercase letters and underscores alone, and at least one. Source: "Line
/// based protocol".
pub fn is_well_formed_key(key: &[u8]) -> bool {
    !key.is_empty() && key.iter().all(|byte| matches!(byte, b'a'..=b'z' | b'_'))
}

/// The values of a key.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Field {
    /// In their order; several where the key is doubled.
    pub values: Vec<Value>,
}

/// A [`Field`] in one of the shapes that rules tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldState<'a> {
    /// The key is not there.
    Absent,
    /// One text.
    Text(&'a [u8]),
    /// One value that is no text.
    OtherType(&'a Value),
    /// Several values.
    Doubled(&'a [Value]),
}

impl Field {
    /// Its shape.
    pub fn state(&self) -> FieldState<'_> {
        match &self.values[..] {
            [] => FieldState::Absent,
            [Value::Text(text)] => FieldState::Text(text),
            [other] => FieldState::OtherType(other),
            several => FieldState::Doubled(several),
        }
    }

    /// The last value, where it is a text: what an agent goes by.
    pub fn text(&self) -> Option<&[u8]> {
        self.values.last().and_then(Value::as_text)
    }

    /// Whether its text is this one.
    pub fn is(&self, text: &str) -> bool {
        self.text() == Some(text.as_bytes())
    }

    /// Whether the key is not there.
    pub fn is_absent(&self) -> bool {
        self.values.is_empty()
    }
}

/// `result_classes`. Source: "Result classes".
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Classes {
    /// The names that could be read, blanks at their edges left out; empty ones and doubles stay.
    pub names: Vec<Vec<u8>>,
    /// What is wrong with the list; the first of several.
    pub malformed: Option<ClassesDefect>,
}

/// What can be wrong with a list of classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ClassesDefect {
    /// JSON: no list, but this.
    #[error("{0} instead of a list")]
    NotAList(&'static str),
    /// JSON: an item that is no string.
    #[error("item {index} is {found} instead of a string")]
    NotText {
        /// The item, counted from 0.
        index: usize,
        /// What it is, with its article.
        found: &'static str,
    },
    /// Line protocol: a blank before or after a name.
    #[error("a space beside name {index}")]
    Blank {
        /// The name, counted from 0.
        index: usize,
    },
}

/// A log message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Log {
    /// The level as it was spelled.
    pub level: Vec<u8>,
    /// The text.
    pub message: Vec<u8>,
    /// How it was sent.
    pub place: LogPlace,
    /// Why it is no proper log message; level and message are what could be read.
    pub malformed: Option<LogDefect>,
    /// Where its line, or the JSON member `log`, begins.
    pub offset: usize,
}

/// How a log message was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogPlace {
    /// On a line of its own, `log_<level>=<message>`.
    Line,
    /// In the JSON object's list `log`.
    Embedded,
}

/// What can be wrong with a log message; the first of several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LogDefect {
    /// A line without `=`.
    #[error("a log line without `=`")]
    NoEqualsSign,
    /// JSON: `log` is no list, but this.
    #[error("`log` is {0} instead of a list")]
    NotAList(&'static str),
    /// JSON: an entry is no object, but this.
    #[error("a log entry is {0} instead of an object")]
    NotAnObject(&'static str),
    /// JSON: no `level`.
    #[error("a log entry without `level`")]
    LevelMissing,
    /// JSON: `level` is no string, but this.
    #[error("`level` is {0} instead of a string")]
    LevelNotText(&'static str),
    /// JSON: no `message`.
    #[error("a log entry without `message`")]
    MessageMissing,
    /// JSON: `message` is no string, but this.
    #[error("`message` is {0} instead of a string")]
    MessageNotText(&'static str),
}

/// Where the answering JSON value stands, and what stands beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectPlace {
    /// The value, or the lines taken for it where it is broken.
    pub range: Range<usize>,
    /// Whether it goes over several lines.
    pub spans_lines: bool,
    /// Text before it on its line.
    pub glued_before: Option<Range<usize>>,
    /// Text after it on its line.
    pub glued_after: Option<Range<usize>>,
}

/// A line of the message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Where it stands, without its LF.
    pub range: Range<usize>,
    /// What it is.
    pub kind: LineKind,
    /// Where it stands beside the JSON object.
    pub place: Place,
}

/// What a line is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LineKind {
    /// It begins with `log_`.
    Log,
    /// It has an `=`; the key may be malformed.
    KeyValue {
        /// What stands before the first `=`.
        key: Vec<u8>,
        /// Where what stands after it stands in [`Response::text`](super::Response::text).
        value: Range<usize>,
    },
    /// A JSON object, or a part of one, or another JSON value that stands for the answer.
    Object,
    /// Nothing, or a CR alone.
    Empty,
    /// Anything else.
    Text,
}

impl Line {
    /// Whether the line is no protocol but something printed: text without `=`, or with blanks
    /// or other things before it that no key would have.
    pub fn is_free_text(&self) -> bool {
        let key_byte = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        match &self.kind {
            LineKind::Text => true,
            LineKind::KeyValue { key, .. } => !key.iter().all(key_byte),
            LineKind::Log | LineKind::Object | LineKind::Empty => false,
        }
    }
}

/// Where a line stands beside the JSON object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// There is no object, as always in the line protocol.
    Alone,
    /// Before the object.
    Before,
    /// It is a line of the object.
    Within,
    /// After the object.
    After,
}

/// A key that occurs more than once in one object, or one message of lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Duplicate {
    /// The keys that lead to it, and itself; lists on the way don't show.
    pub path: Vec<Vec<u8>>,
    /// How often it occurs.
    pub count: usize,
}
