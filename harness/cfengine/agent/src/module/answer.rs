//! What a module answers, read as cf-agent 3.21.0 reads it.

use super::channel::Silence;
use super::heard::Heard;
use super::lines::Lines;
use super::until_nul;
use crate::data::{self, Data, Picked};
use crate::log::{Level, Log};
use crate::value::Text;
use cfengine_protocol::wire::Protocol;
use std::fmt;

/// What cf-agent 3.21.0 does on an answer that it was not made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It does not live to see the next promise.
    Crash,
    /// It ends its run at once.
    Abort,
    /// It follows further than the reference agent does, but not to the end.
    TooDeep,
    /// It takes an address for a text.
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
    /// The operation that it says it answers.
    pub(crate) operation: Option<Text>,
    /// Classes to set.
    pub(crate) classes: Vec<Text>,
    /// How many log lines came of each level; 65,536 count as none, as in the
    /// agent.
    pub(crate) logged: [u16; 8],
    /// There was none that could be read at all, which was said.
    pub(crate) unreadable: bool,
    /// What cf-agent 3.21.0 would do before it comes to the end of it.
    pub(crate) fate: Option<Fate>,
}

impl Answer {
    pub(crate) fn count(&self, level: Level) -> u16 {
        self.logged[level as usize]
    }
}

/// The members of an answer in JSON that count.
const MEMBERS: [&str; 4] = ["log", "result_classes", "operation", "result"];

/// Their values, where an object was sent.
pub(super) type Members = Picked<{ MEMBERS.len() }>;

/// Reads one answer.
pub(crate) struct Reader<'a> {
    path: &'a Text,
    protocol: Protocol,
    /// What the promise says of log lines.
    own_level: Option<Text>,
    answer: Answer,
    object: Option<Members>,
    heard: Option<&'a mut Heard>,
    /// Read an answer to its end, also where it is broken.
    whole: bool,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(path: &'a Text, protocol: Protocol, own_level: Option<Text>) -> Self {
        Self {
            path,
            protocol,
            own_level,
            answer: Answer::default(),
            object: None,
            heard: None,
            whole: false,
        }
    }

    /// Reads a broken answer to its end, so that the next is not taken for it.
    pub(crate) fn whole(mut self, whole: bool) -> Self {
        self.whole = whole;
        self
    }

    /// Reads lines that were heard before no second time.
    pub(crate) fn knowing(mut self, heard: &'a mut Heard) -> Self {
        self.heard = Some(heard);
        self
    }

    /// Reads up to the empty line, or to the end of all output.
    pub(crate) fn read(
        &mut self,
        lines: &mut impl Lines,
        log: &mut Log,
    ) -> Result<Answer, Silence> {
        loop {
            let line = lines.line()?;
            let heard = self.heard.as_ref().and_then(|heard| heard.get(line));
            if let Some(members) = heard
                && !log.would(Level::Debug)
            {
                self.object = Some(members.clone());
                continue;
            }
            // The last byte is taken for the line's end, whatever it is.
            let Some((_, content)) = line.split_last() else {
                break;
            };
            let content = until_nul(content);
            if line.len() > 1 && log.would(Level::Debug) {
                log.line(
                    Level::Debug,
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

    /// False where nothing more of the answer is looked at.
    fn take_line(&mut self, line: &str, log: &mut Log) -> bool {
        if let Some(rest) = line.strip_prefix("log_") {
            match rest.split_once('=') {
                Some((level, message)) => self.log(level, message, log),
                None => log.line(
                    Level::Error,
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
                Level::Error,
                &format!("Promise module sent invalid line: '{line}'"),
            ),
        }
        true
    }

    fn take_json(&mut self, line: &str, log: &mut Log) -> bool {
        match data::pick(line, MEMBERS) {
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
                    Level::Error,
                    &format!("Promise module '{path}' sent invalid JSON"),
                );
                self.answer.unreadable = true;
                false
            }
        }
    }

    fn log(&mut self, level: &str, message: &str, log: &mut Log) {
        let Some(level) = Level::named(level) else {
            let what = format!("a log line of the unknown level '{level}'");
            self.note(&what, Fate::Abort, log);
            return;
        };
        let count = &mut self.answer.logged[level as usize];
        *count = count.wrapping_add(1);
        let own = self.own_level.as_ref();
        let own = own.map(|own| own_level(own, log).unwrap_or(Level::Error));
        if own.is_none_or(|own| level <= own) {
            log.relay(level, message);
        }
    }

    fn read_object(&mut self, log: &mut Log) {
        let path = self.path;
        let [logged, classes, operation, result] = match self.object.take() {
            Some(Picked::Members(members)) => members,
            Some(Picked::Other(Data::Array(items))) if items.is_empty() => return,
            Some(Picked::Other(Data::Array(_) | Data::Null | Data::Bool(_))) => {
                self.note("no object", Fate::Crash, log);
                return;
            }
            Some(Picked::Other(_)) => return,
            None => {
                log.line(
                    Level::Error,
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
        log.line(
            Level::Critical,
            &format!("Promise module '{path}' sent {what}: cf-agent 3.21.0 would {fate}"),
        );
        // What comes first is what happens, unless it goes on from there.
        if self.answer.fate.is_none_or(|before| before == Fate::Leak) {
            self.answer.fate = Some(fate);
        }
    }
}

/// The level that `log_level` of an `action` body asks for.
/// Of a word that is none, it is said; errors alone are asked for then.
pub(crate) fn own_level(word: &str, log: &mut Log) -> Option<Level> {
    match word {
        "inform" | "info" => Some(Level::Info),
        "verbose" => Some(Level::Verbose),
        "error" | "log" => Some(Level::Error),
        other => {
            log.line(
                Level::Warning,
                &format!("Unrecognized 'log_level' attribute value: {other}"),
            );
            None
        }
    }
}
