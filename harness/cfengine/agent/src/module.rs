//! The processes of promise modules. Each module starts once, has deadlines, and is ended together
//! with its descendants.

mod answer;
mod channel;
mod header;
mod heard;
mod lines;
mod pin;
mod pipe;

pub(crate) use answer::{Answer, Fate, Reader, own_level};
pub(crate) use channel::{Channel, Silence};
pub(crate) use header::{Flags, NoHeader, flags, line as header_line};
pub(crate) use heard::Heard;
pub(crate) use lines::{Live, Printed};
pub(crate) use pin::Pin;
pub use pipe::ModuleHost;
pub(crate) use pipe::{Kept, Pipe};

use crate::context::Agent;
use crate::log::Severity;
use crate::machine;
use crate::map::Map;
use crate::value::Text;
use cfengine_policy::text;
use cfengine_protocol::wire::{Operation, Request};
use std::borrow::Cow;
use std::time::Instant;

/// After this many hangs, a module is not started again.
const MOST_HANGS: u32 = 3;

/// Modules by path.
#[derive(Default)]
pub(crate) struct Modules {
    running: Map<Text, Module>,
    hangs: Map<Text, u32>,
    /// Set once the first module starts.
    pub(crate) pin: Option<Pin>,
}

/// A module that has answered the header.
pub(crate) struct Module {
    pub(crate) interpreter: Option<Text>,
    pub(crate) path: Text,
    pub(crate) channel: Box<dyn Pipe>,
    /// The features in its header.
    pub(crate) flags: Flags,
    pub(crate) heard: Heard,
}

impl Modules {
    pub(crate) fn get(&mut self, path: &str) -> Option<&mut Module> {
        self.running.get_mut(path)
    }

    /// Gives up a module that did not answer in time.
    pub(crate) fn give_up(&mut self, path: &Text) {
        self.running.shift_remove(path);
        *self.hangs.entry(path.clone()).or_default() += 1;
    }

    /// Removes a module that has ended: the next promise starts it again.
    pub(crate) fn forget(&mut self, path: &Text, deadline: Instant) {
        if let Some(module) = self.running.shift_remove(path) {
            // The module closed its output, but may need a moment to exit.
            module.channel.finish(deadline);
        }
    }

    /// Whether a module was given up before.
    pub(crate) fn hung(&self, path: &str) -> bool {
        self.hangs_of(path) > 0
    }

    fn hangs_of(&self, path: &str) -> u32 {
        self.hangs.get(path).copied().unwrap_or(0)
    }
}

impl Agent {
    /// Starts a module; reports an error and returns false if that fails.
    pub(crate) fn start_module(&mut self, interpreter: Option<Text>, path: &Text) -> bool {
        if self.modules.hangs_of(path) >= MOST_HANGS {
            let message = format!(
                "Promise module '{path}' did not answer in time {MOST_HANGS} times, it is not started again"
            );
            self.say(Severity::Error, message);
            return false;
        }
        let started = match self.voice.options.module_host.clone() {
            Some(module_host) => {
                let kept = Kept::start(&module_host, path);
                kept.map(|kept| Box::new(kept) as Box<dyn Pipe>)
            }
            None => self.start_process(interpreter.as_ref(), path),
        };
        let Some(mut channel) = started else {
            return false;
        };
        let deadline = Instant::now() + self.voice.options.deadlines.header;
        // If the module is already gone, the missing answer shows it.
        let header = self.release().header();
        let _ = channel.send(&header, deadline);
        let mut lines = Live {
            channel: &mut *channel,
            deadline,
        };
        let line = match header_line(
            &mut lines,
            interpreter.as_deref(),
            path,
            &mut self.voice.log,
        ) {
            Ok(line) => line,
            Err(why) => {
                let complaint = match why {
                    NoHeader::Wrong(complaint) => complaint,
                    NoHeader::Silent(silence) => {
                        format!("Promise module '{path}' {silence} where its header is due")
                    }
                };
                self.say(Severity::Error, complaint);
                return false;
            }
        };
        if let Some(why) = self.refuses_header(&line) {
            let message = format!("Promise module '{path}' is ended: its header {why}: '{line}'");
            self.say(Severity::Error, message);
            // The module may exit by itself after its input is closed.
            channel.finish(deadline);
            return false;
        }
        let module = Module {
            interpreter,
            path: path.clone(),
            channel,
            flags: flags(&line, path, &mut self.voice.log),
            heard: Heard::default(),
        };
        self.modules.running.insert(path.clone(), module);
        true
    }

    /// Starts a module's process; reports an error and returns `None` if that fails.
    fn start_process(&mut self, interpreter: Option<&Text>, path: &Text) -> Option<Box<dyn Pipe>> {
        if let Some(complaint) = cannot_start(interpreter, path) {
            self.say(Severity::Error, complaint);
            return None;
        }
        if !self.voice.options.effects {
            return None;
        }
        let command = match interpreter {
            Some(interpreter) => format!("{interpreter} {path}"),
            None => path.to_string(),
        };
        self.verbose(|| {
            format!("Starting custom promise module '{path}' with command '{command}'")
        });
        let directory = self.directory.clone();
        let words: Vec<&str> = command.split_whitespace().collect();
        let between = self
            .voice
            .options
            .witness
            .as_ref()
            .map(|witness| witness.starts(path, &words, directory.as_deref()))
            .unwrap_or_default();
        let words: Vec<&str> = between.iter().map(String::as_str).chain(words).collect();
        let limit = self.voice.options.limits.input;
        self.modules.pin.get_or_insert_with(Pin::here);
        let children = self.voice.options.children.clone();
        match Channel::start(&words, directory.as_deref(), limit, children) {
            Ok(channel) => Some(Box::new(channel)),
            Err(error) => {
                let reason = machine::reason(&error);
                self.say(
                    Severity::Error,
                    format!("Promise module '{path}' could not be started: {reason}"),
                );
                None
            }
        }
    }

    /// Ends all modules: sends `terminate`, or only closes their inputs. Kills those that do not
    /// exit.
    pub(crate) fn end_modules(&mut self, asks: bool) {
        for (_, mut module) in std::mem::take(&mut self.modules.running) {
            if !asks {
                let deadline = Instant::now() + self.voice.options.deadlines.terminate;
                // cf-agent would not wait for the module either.
                let _ = module.channel.finish(deadline);
                continue;
            }
            let mut request = Request::new(Operation::Terminate);
            request.log_level = Some(self.voice.log.global.max(Severity::Error).name().into());
            let bytes = request.encode(module.flags.protocol, self.style());
            let release = self.release();
            let deadline = Instant::now() + self.voice.options.deadlines.terminate;
            if module.channel.send(&bytes, deadline).is_ok() {
                let mut reader = Reader::new(&module.path, module.flags.protocol, release, None);
                let mut lines = Live {
                    channel: &mut *module.channel,
                    deadline,
                };
                let answer = reader.read(&mut lines, &mut self.voice.log);
                if let Err(silence) = answer {
                    let message = format!(
                        "Promise module '{}' {silence} to the request to terminate",
                        module.path
                    );
                    self.say(Severity::Error, message);
                }
            }
            if !module.channel.finish(deadline) {
                let message = format!(
                    "Promise module '{}' did not exit in time: it was ended (cf-agent 3.21.0 would wait for it)",
                    module.path
                );
                self.say(Severity::Error, message);
            }
        }
    }
}

fn cannot_start(interpreter: Option<&Text>, path: &Text) -> Option<String> {
    let executable = |path: &str| rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok();
    match interpreter {
        Some(interpreter) if !executable(interpreter) => Some(format!(
            "Promise module interpreter '{interpreter}' is not an executable file"
        )),
        None if !executable(path) => Some(format!(
            "Promise module path '{path}' is not an executable file"
        )),
        _ if !std::path::Path::new(&**path).exists() => {
            Some(format!("Promise module '{path}' does not exist"))
        }
        _ => None,
    }
}

/// The text before the first NUL; cf-agent does not see the rest.
pub(crate) fn until_nul(bytes: &[u8]) -> Cow<'_, str> {
    let end = memchr::memchr(0, bytes).unwrap_or(bytes.len());
    text::decode(&bytes[..end])
}
