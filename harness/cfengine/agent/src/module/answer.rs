//! A module's answers, parsed as a release of cf-agent does.

use super::channel::Silence;
use super::heard::Heard;
use super::lines::Lines;
use super::until_nul;
use crate::data::{self, Data, Picked};
use crate::log::{Log, Severity};
use crate::value::Text;
use cfengine_protocol::release::Release;
use cfengine_protocol::wire::Protocol;
use std::fmt;

/// What cf-agent does with an answer that it can't handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It crashes.
    Crash,
    /// It exits at once.
    Abort,
    /// It parses deeper than the reference agent does, but crashes at some depth.
    TooDeep,
    /// It prints a pointer as a text.
    Leak,
}

impl fmt::Display for Fate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Crash => "crash here",
            Self::Abort => "end its run here, with exit code 255",
            Self::TooDeep => "crash here or further down",
            Self::Leak => "print what is in its memory here",
        })
    }
}

/// An answer.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    /// The result, as a text.
    pub(crate) result: Option<Text>,
    /// The operation that the answer names.
    pub(crate) operation: Option<Text>,
    /// Classes to set.
    pub(crate) classes: Vec<Text>,
    /// The number of log lines of each level. As in cf-agent, it wraps to 0 after 65,535.
    pub(crate) logged: [u16; 8],
    /// Whether the answer could not be parsed at all, which was reported.
    pub(crate) unreadable: bool,
    /// What cf-agent would do before it has parsed the whole answer.
    pub(crate) fate: Option<Fate>,
}

impl Answer {
    pub(crate) fn count(&self, level: Severity) -> u16 {
        self.logged[level as usize]
    }
}

/// The relevant members of a JSON answer.
const MEMBERS: [&str; 4] = ["log", "result_classes", "operation", "result"];

/// Their values, if the answer is an object.
pub(super) type Members = Picked<{ MEMBERS.len() }>;

/// Parses one answer.
pub(crate) struct Reader<'a> {
    path: &'a Text,
    protocol: Protocol,
    release: &'static Release,
    /// The promise's own `log_level`.
    own_level: Option<Text>,
    answer: Answer,
    object: Option<Members>,
    heard: Option<&'a mut Heard>,
    /// Whether a broken answer is read to its end.
    whole: bool,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(
        path: &'a Text,
        protocol: Protocol,
        release: &'static Release,
        own_level: Option<Text>,
    ) -> Self {
        Self {
            path,
            protocol,
            release,
            own_level,
            answer: Answer::default(),
            object: None,
            heard: None,
            whole: false,
        }
    }

    /// Reads a broken answer to its end, so that its rest is not mistaken for the next answer.
    pub(crate) fn whole(mut self, whole: bool) -> Self {
        self.whole = whole;
        self
    }

    /// Skips parsing lines that the module has sent before.
    pub(crate) fn knowing(mut self, heard: &'a mut Heard) -> Self {
        self.heard = Some(heard);
        self
    }

    /// Reads up to the empty line, or to the end of the output.
    pub(crate) fn read(
        &mut self,
        lines: &mut impl Lines,
        log: &mut Log,
    ) -> Result<Answer, Silence> {
        loop {
            let line = lines.line()?;
            let heard = self.heard.as_ref().and_then(|heard| heard.get(line));
            if let Some(members) = heard
                && !log.would(Severity::Debug)
            {
                self.object = Some(members.clone());
                continue;
            }
            // cf-agent takes the last byte for the line end, whatever it is.
            let Some((_, content)) = line.split_last() else {
                break;
            };
            let content = until_nul(content);
            if line.len() > 1 && log.would(Severity::Debug) {
                log.line(
                    Severity::Debug,
                    &format!("Received line from module: '{content}'"),
                );
            }
            if content.is_empty() {
                break;
            }
            let taken = self.take_line(&content, log);
            if let (Some(heard), Some(members)) = (&mut self.heard, &self.object)
                && taken
                && content.starts_with('{')
            {
                heard.keep(line, members);
            }
            if !taken && !self.whole {
                return Ok(std::mem::take(&mut self.answer));
            }
        }
        if self.protocol == Protocol::Json && !self.answer.unreadable {
            self.read_object(log);
        }
        Ok(std::mem::take(&mut self.answer))
    }

    /// Parses one line. False if the rest of the answer is ignored.
    fn take_line(&mut self, line: &str, log: &mut Log) -> bool {
        if let Some(rest) = line.strip_prefix("log_") {
            match rest.split_once('=') {
                Some((level, message)) => self.log(level, message, log),
                None => log.line(
                    Severity::Error,
                    &format!("Promise module sent invalid log line: '{line}'"),
                ),
            }
            return true;
        }
        if self.protocol == Protocol::Json {
            return self.take_json(line, log);
        }
        match line.split_once('=') {
            Some(("result", value)) => self.answer.result = Some(value.into()),
            Some(("operation", value)) => self.answer.operation = Some(value.into()),
            Some(("result_classes", value)) => {
                self.answer.classes = value.split(',').map(Text::from).collect();
            }
            Some(_) => {}
            None => log.line(
                Severity::Error,
                &format!("Promise module sent invalid line: '{line}'"),
            ),
        }
        true
    }

    fn take_json(&mut self, line: &str, log: &mut Log) -> bool {
        match data::pick(line, self.release, MEMBERS) {
            Ok(object) => {
                self.object = Some(object);
                true
            }
            Err(broken) if broken.why == data::TOO_DEEP => {
                self.note("JSON that is nested too deep", Fate::TooDeep, log);
                self.answer.unreadable = true;
                false
            }
            Err(_) => {
                let path = self.path;
                log.line(
                    Severity::Error,
                    &format!("Promise module '{path}' sent invalid JSON"),
                );
                self.answer.unreadable = true;
                false
            }
        }
    }

    fn log(&mut self, level: &str, message: &str, log: &mut Log) {
        let Some(level) = Severity::named(level) else {
            let what = format!("a log line of the unknown level '{level}'");
            self.note(&what, Fate::Abort, log);
            return;
        };
        let count = &mut self.answer.logged[level as usize];
        *count = count.wrapping_add(1);
        let own = self.own_level.as_ref();
        let own = own.map(|own| own_level(own, log).unwrap_or(Severity::Error));
        if own.is_none_or(|own| level <= own) {
            log.relay(level, message);
        }
    }

    fn read_object(&mut self, log: &mut Log) {
        let path = self.path;
        let [logged, classes, operation, result] = match self.object.take() {
            Some(Picked::Members(members)) => members,
            Some(Picked::Other(Data::Array(items))) if items.is_empty() => return,
            Some(Picked::Other(Data::Array(_))) if self.release.survives_arrays => return,
            Some(Picked::Other(Data::Array(_) | Data::Null | Data::Bool(_))) => {
                self.note("no object", Fate::Crash, log);
                return;
            }
            Some(Picked::Other(_)) => return,
            None => {
                log.line(
                    Severity::Error,
                    &format!(
                        "The '{path}' promise module sent an invalid/incomplete response with JSON based protocol"
                    ),
                );
                self.answer.unreadable = true;
                return;
            }
        };
        match &logged {
            None => {}
            Some(entries @ (Data::Array(_) | Data::Object(_))) => {
                for entry in entries.children() {
                    self.log_entry(entry, log);
                }
            }
            Some(_) => self.note("a 'log' that is no list", Fate::Crash, log),
        }
        match &classes {
            None => {}
            Some(classes @ (Data::Array(_) | Data::Object(_))) => {
                for class in classes.children() {
                    match class.primitive() {
                        Some(name) => self.answer.classes.push(name),
                        None => self.note("a class that is no text", Fate::Leak, log),
                    }
                }
            }
            Some(_) => self.note("a 'result_classes' that is no list", Fate::Crash, log),
        }
        self.answer.operation = operation.as_ref().and_then(Data::primitive);
        match result.as_ref().map(Data::primitive) {
            None => {}
            Some(Some(text)) => self.answer.result = Some(text),
            Some(None) => self.note("a 'result' that is no text", Fate::Leak, log),
        }
    }

    fn log_entry(&mut self, entry: &Data, log: &mut Log) {
        let text = |key: &str| entry.child(key).and_then(Data::primitive);
        match (entry, text("level"), text("message")) {
            (Data::Object(_), Some(level), Some(message)) => self.log(&level, &message, log),
            (Data::Object(members), Some(level), None) => {
                if members.contains_key("message") {
                    self.note("a message that is no text", Fate::Leak, log);
                }
                self.log(&level, "(null)", log);
            }
            (Data::Null, ..) => self.note("a log entry that is null", Fate::Crash, log),
            _ => self.note("a log entry without a level", Fate::Abort, log),
        }
    }

    fn note(&mut self, what: &str, fate: Fate, log: &mut Log) {
        let path = self.path;
        let version = self.release.version;
        let message =
            format!("Promise module '{path}' sent {what}: cf-agent {version} would {fate}");
        match fate {
            // cf-agent's own last words have no level.
            Fate::Abort => log.raw(&format!(
                "Programming Error: Unexpected log level -1. {message}\n"
            )),
            _ => log.line(Severity::Critical, &message),
        }
        // The first fault decides, unless cf-agent survives it.
        if self.answer.fate.is_none_or(|before| before == Fate::Leak) {
            self.answer.fate = Some(fate);
        }
    }
}

/// The level that `log_level` of an `action` body names. An unknown word is reported, and means
/// level error.
pub(crate) fn own_level(word: &str, log: &mut Log) -> Option<Severity> {
    match word {
        "inform" | "info" => Some(Severity::Info),
        "verbose" => Some(Severity::Verbose),
        "error" | "log" => Some(Severity::Error),
        other => {
            log.line(
                Severity::Warning,
                &format!("Unrecognized 'log_level' attribute value: {other}"),
            );
            None
        }
    }
}
