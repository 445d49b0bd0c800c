//! What a module answers, read as cf-agent 3.21.0 reads it.

use super::channel::{Channel, Silence};
use super::until_nul;
use crate::data::{self, Data};
use crate::log::{Level, Log};
use crate::value::Text;
use std::time::Instant;
use stickler_promise::wire::Protocol;

/// Said where the agent itself would not live to see the next promise.
const CRASH: &str = "cf-agent 3.21.0 would crash here";

/// Said where the agent would follow further than we do, but not to the end.
const TOO_DEEP: &str = "cf-agent 3.21.0 would crash here or further down";

/// Said where the agent takes an address for a text.
const LEAK: &str = "cf-agent 3.21.0 would print what is in its memory here";

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
}

impl Answer {
    pub(crate) fn count(&self, level: Level) -> u16 {
        self.logged[level as usize]
    }
}

/// Reads one answer.
pub(crate) struct Reader<'a> {
    path: &'a Text,
    protocol: Protocol,
    /// What the promise says of log lines.
    own_level: Option<Text>,
    answer: Answer,
    object: Option<Data>,
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
            whole: false,
        }
    }

    /// Reads a broken answer to its end, so that the next is not taken for it.
    pub(crate) fn whole(mut self, whole: bool) -> Self {
        self.whole = whole;
        self
    }

    /// Reads up to the empty line, or to the end of all output.
    pub(crate) fn read(
        &mut self,
        channel: &mut Channel,
        log: &mut Log,
        deadline: Instant,
    ) -> Result<Answer, Silence> {
        loop {
            let line = channel.line(deadline)?;
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
            if !self.take_line(&content, log) && !self.whole {
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
        match data::parse(line) {
            Ok((data, _)) => {
                self.object = Some(data);
                true
            }
            Err(data::TOO_DEEP) => {
                self.note("JSON that is nested too deep", TOO_DEEP, log);
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
            let path = self.path;
            log.line(
                Level::Critical,
                &format!(
                    "Promise module '{path}' sent a log line of the unknown level '{level}': {CRASH}"
                ),
            );
            return;
        };
        let count = &mut self.answer.logged[level as usize];
        *count = count.wrapping_add(1);
        let own = self.own_level.as_ref().map(|own| own_level(own, log));
        if own.is_none_or(|own| level <= own) {
            log.relay(level, message);
        }
    }

    fn read_object(&mut self, log: &mut Log) {
        let path = self.path;
        let members = match self.object.take() {
            Some(Data::Object(members)) => members,
            Some(Data::Array(items)) if items.is_empty() => return,
            Some(Data::Array(_) | Data::Null | Data::Bool(_)) => {
                self.note("no object", CRASH, log);
                return;
            }
            Some(_) => return,
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
        match members.get("log") {
            None => {}
            Some(Data::Array(_) | Data::Object(_)) => {
                let entries: Vec<Data> = members["log"].children().cloned().collect();
                entries.iter().for_each(|entry| self.log_entry(entry, log));
            }
            Some(_) => self.note("a 'log' that is no list", CRASH, log),
        }
        match members.get("result_classes") {
            None => {}
            Some(classes @ (Data::Array(_) | Data::Object(_))) => {
                for class in classes.children() {
                    match class.primitive() {
                        Some(name) => self.answer.classes.push(name),
                        None => self.note("a class that is no text", LEAK, log),
                    }
                }
            }
            Some(_) => self.note("a 'result_classes' that is no list", CRASH, log),
        }
        self.answer.operation = members.get("operation").and_then(Data::primitive);
        match members.get("result") {
            None => {}
            Some(result) => match result.primitive() {
                Some(text) => self.answer.result = Some(text),
                None => self.note("a 'result' that is no text", LEAK, log),
            },
        }
    }

    fn log_entry(&mut self, entry: &Data, log: &mut Log) {
        let text = |key: &str| entry.child(key).and_then(Data::primitive);
        match (entry, text("level"), text("message")) {
            (Data::Object(_), Some(level), Some(message)) => self.log(&level, &message, log),
            (Data::Object(members), Some(level), None) => {
                if members.contains_key("message") {
                    self.note("a message that is no text", LEAK, log);
                }
                self.log(&level, "(null)", log);
            }
            _ => self.note("a log entry without a level", CRASH, log),
        }
    }

    fn note(&mut self, what: &str, then: &str, log: &mut Log) {
        let path = self.path;
        log.line(
            Level::Critical,
            &format!("Promise module '{path}' sent {what}: {then}"),
        );
    }
}

/// The level that `log_level` of an `action` body asks for.
pub(crate) fn own_level(word: &str, log: &mut Log) -> Level {
    match word {
        "inform" | "info" => Level::Info,
        "verbose" => Level::Verbose,
        "error" | "log" => Level::Error,
        other => {
            log.line(
                Level::Warning,
                &format!("Unrecognized 'log_level' attribute value: {other}"),
            );
            Level::Error
        }
    }
}
