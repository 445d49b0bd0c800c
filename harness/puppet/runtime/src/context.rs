//! What providers log through their context, as the library writes it.

use crate::log::{Log, Severity};
use crate::release::Release;
use puppet_manifest::capitalized;
use puppet_protocol::HostEvent;
use puppet_types::Value;
use std::time::Duration;

/// What the code of a transport, or of another part of a module, tells through the context of this
/// name in one request.
pub fn told(name: &str, release: Release, events: &[(Duration, HostEvent)]) -> Vec<Log> {
    let mut context = Context::new(name);
    let each = logged(events).into_iter();
    each.flat_map(|(at, event)| context.messages(release, *at, event))
        .collect()
}

/// The events that log something: not the calls at which the context raised.
pub(crate) fn logged(events: &[(Duration, HostEvent)]) -> Vec<&(Duration, HostEvent)> {
    let mut kept: Vec<&(Duration, HostEvent)> = Vec::new();
    for one in events {
        if !one.1.refused {
            kept.push(one);
            continue;
        }
        let is_call = |(_, known): &&(Duration, HostEvent)| {
            known.name == one.1.name && ["log", "open", "action"].contains(&&*known.kind)
        };
        if let Some(call) = kept.iter().rposition(is_call) {
            kept.remove(call);
        }
    }
    kept
}

/// The context of a type's provider.
#[derive(Clone, Debug, Default)]
pub(crate) struct Context {
    /// The name of the type.
    kind: String,
    /// What stands before messages in a block.
    prefix: Option<String>,
    /// When the open blocks began.
    begun: Vec<Duration>,
}

impl Context {
    pub(crate) fn new(kind: &str) -> Self {
        Context {
            kind: kind.to_owned(),
            ..Context::default()
        }
    }

    /// A request begins: times count from its start.
    pub(crate) fn begin(&mut self) {
        self.begun.clear();
    }

    /// The messages that a call of the context writes.
    pub(crate) fn messages(
        &mut self,
        release: Release,
        at: Duration,
        event: &HostEvent,
    ) -> Vec<Log> {
        match release.api.messages_as_specified {
            true => self.as_specified(at, event),
            false => self.as_library(release, at, event),
        }
    }

    fn as_library(&mut self, release: Release, at: Duration, event: &HostEvent) -> Vec<Log> {
        let arguments = &event.arguments;
        match event.kind.as_str() {
            "log" => Severity::of(&event.name)
                .map(|level| self.plain(level, arguments))
                .into_iter()
                .collect(),
            "open" => {
                self.begun.push(at);
                let is_last =
                    event.name == "processing" && release.api.processing_takes_message_last;
                let message = match arguments.get(3).filter(|_| is_last) {
                    Some(message) => message.to_text(),
                    None if is_last => capitalized(&event.name),
                    None => self.wording(event),
                };
                let title = arguments.first();
                self.prefix = Some(format!("{}: {message}", self.titles(title)));
                let text = match event.name.as_str() {
                    "processing" => format!(
                        "Starting processing of {} from {} to {}",
                        text(title),
                        text(arguments.get(1)),
                        text(arguments.get(2))
                    ),
                    _ => "Start".to_owned(),
                };
                vec![self.inside(Severity::Debug, &text)]
            }
            "done" => {
                let took = self.took(at);
                let (level, text) = match event.name.as_str() {
                    "processing" => (
                        Severity::Notice,
                        format!(
                            "Finished processing {} in {took} seconds: {}",
                            text(arguments.first()),
                            text(arguments.get(2))
                        ),
                    ),
                    "failing" => (
                        Severity::Warning,
                        format!("Finished failing in {took} seconds"),
                    ),
                    _ => (Severity::Notice, format!("Finished in {took} seconds")),
                };
                let log = self.inside(level, &text);
                self.prefix = None;
                vec![log]
            }
            "failed" => {
                let took = self.took(at);
                let error = event.error.as_ref();
                if error.is_some_and(|error| error.standard == Some(false)) {
                    // The libraries let it pass without a word.
                    return Vec::new();
                }
                let error = error.map_or("", |error| error.message.as_str());
                let text = match event.name.as_str() {
                    "processing" => format!(
                        "Failed processing {} after {took} seconds: {error}",
                        text(arguments.first())
                    ),
                    _ => format!("Failed after {took} seconds: {error}"),
                };
                let log = self.inside(Severity::Err, &text);
                self.prefix = None;
                vec![log]
            }
            "action" => self.action(event),
            "puppet" | "library" => past(event),
            _ => Vec::new(),
        }
    }

    fn action(&mut self, event: &HostEvent) -> Vec<Log> {
        let arguments = &event.arguments;
        let text_of = |index: usize| text(arguments.get(index));
        let message = match event.name.as_str() {
            "created" | "updated" | "deleted" => {
                format!("{}: {}", self.wording(event), text_of(0))
            }
            "processed" => format!(
                "Processed {} from {} to {}",
                text_of(0),
                text_of(1),
                text_of(2)
            ),
            "attribute_changed" => {
                let why = keyword(arguments, "message");
                let why = why.map_or_else(String::new, |why| format!(": {}", why.to_text()));
                format!(
                    "{}: attribute '{}' changed from {} to {}{why}",
                    text_of(0),
                    text_of(1),
                    quoted(arguments.get(2)),
                    quoted(arguments.get(3)),
                )
            }
            "failed" => {
                self.prefix = Some(self.titles(arguments.first()));
                let message = keyword(arguments, "message");
                let message = message.map_or_else(
                    || "Updating has failed".to_owned(),
                    puppet_types::Value::to_text,
                );
                let log = self.inside(Severity::Err, &message);
                self.prefix = None;
                return vec![log];
            }
            _ => return Vec::new(),
        };
        vec![self.inside(Severity::Notice, &message)]
    }

    /// A method that takes a text, or titles and a text.
    fn plain(&self, level: Severity, arguments: &[Value]) -> Log {
        let message = match arguments {
            [one] => return self.inside(level, &one.to_text()),
            [titles, text] => format!("{}: {}", self.titles(Some(titles)), text.to_text()),
            all => all
                .iter()
                .map(Value::to_text)
                .collect::<Vec<_>>()
                .join(", "),
        };
        log(level, message)
    }

    fn inside(&self, level: Severity, text: &str) -> Log {
        let prefix = self.prefix.as_deref().unwrap_or(&self.kind);
        log(level, format!("{prefix}: {text}"))
    }

    /// The message of a block or an action: the keyword, or the name of the action.
    fn wording(&self, event: &HostEvent) -> String {
        match keyword(&event.arguments, "message") {
            Some(message) => message.to_text(),
            None => capitalized(&event.name),
        }
    }

    fn titles(&self, titles: Option<&Value>) -> String {
        let is_none = match titles {
            None | Some(Value::Undef) => true,
            Some(Value::Array(items)) => items.is_empty(),
            Some(Value::Hash(pairs)) => pairs.is_empty(),
            Some(_) => false,
        };
        if is_none {
            return self.kind.clone();
        }
        let mut words = Vec::new();
        flat(titles.unwrap_or(&Value::Undef), &mut words);
        format!("{}[{}]", self.kind, words.join(", "))
    }

    fn took(&mut self, at: Duration) -> String {
        let took = at.saturating_sub(self.begun.pop().unwrap_or_default());
        let seconds = took.as_secs_f64();
        match seconds < 1.0 {
            true => format!("{seconds:.6}"),
            false => format!("{seconds:.2}"),
        }
    }

    /// As the samples of the specification: `Apt_key[a]: Started updating`.
    fn as_specified(&mut self, at: Duration, event: &HostEvent) -> Vec<Log> {
        let arguments = &event.arguments;
        let title = arguments.first();
        let name = event.name.as_str();
        match event.kind.as_str() {
            "log" => {
                let Some(level) = Severity::of(name) else {
                    return Vec::new();
                };
                let (titles, message) = match arguments.as_slice() {
                    [one] => (None, one.to_text()),
                    [titles, message, ..] => match message {
                        Value::Hash(_) => {
                            let message = keyword(arguments, "message").map(Value::to_text);
                            (Some(titles), message.unwrap_or_default())
                        }
                        message => (Some(titles), message.to_text()),
                    },
                    [] => (None, String::new()),
                };
                vec![match titles {
                    Some(titles) => log(level, format!("{}: {message}", self.reference(titles))),
                    None => self.inside(level, &message),
                }]
            }
            "open" => {
                self.begun.push(at);
                let reference = title.map_or_else(|| self.kind.clone(), |one| self.reference(one));
                self.prefix = Some(reference);
                vec![self.inside(Severity::Notice, &format!("Started {name}"))]
            }
            "done" => {
                self.begun.pop();
                let (level, text) = match name {
                    "failing" => (Severity::Err, "Failed".to_owned()),
                    _ => (
                        Severity::Notice,
                        format!("Successfully {}", past_tense(name)),
                    ),
                };
                let log = self.inside(level, &text);
                self.prefix = None;
                vec![log]
            }
            "failed" => {
                self.begun.pop();
                let error = event.error.as_ref();
                let error = error.map_or("", |error| error.message.as_str());
                let text = format!("{} failed: {error}", capitalized(name));
                let log = self.inside(Severity::Err, &text);
                self.prefix = None;
                vec![log]
            }
            "action" => {
                let reference = title.map_or_else(|| self.kind.clone(), |one| self.reference(one));
                let message = keyword(arguments, "message").map(Value::to_text);
                let (level, text) = match name {
                    "attribute_changed" => {
                        let offset = usize::from(arguments.len() > 3);
                        let at = |index: usize| arguments.get(index + offset);
                        (
                            Severity::Notice,
                            format!(
                                "{} changed {} to {}",
                                text(at(0)),
                                quoted(at(1)),
                                quoted(at(2))
                            ),
                        )
                    }
                    "failed" | "error" => (Severity::Err, "Failed".to_owned()),
                    "unchanged" => (Severity::Debug, "Unchanged".to_owned()),
                    name => (Severity::Notice, capitalized(name)),
                };
                let text = match message {
                    Some(message) => format!("{text}: {message}"),
                    None => text,
                };
                vec![log(level, format!("{reference}: {text}"))]
            }
            "puppet" | "library" => past(event),
            _ => Vec::new(),
        }
    }

    fn reference(&self, titles: &Value) -> String {
        let mut words = Vec::new();
        flat(titles, &mut words);
        let words: Vec<String> = words
            .iter()
            .map(|word| format!("{}[{word}]", capitalized(&self.kind)))
            .collect();
        words.join(", ")
    }
}

fn log(level: Severity, message: String) -> Log {
    Log {
        level,
        source: None,
        message,
    }
}

/// A message that a provider writes past its context.
fn past(event: &HostEvent) -> Vec<Log> {
    let words: Vec<String> = event.arguments.iter().map(Value::to_text).collect();
    let level = Severity::of(&event.name).unwrap_or(Severity::Notice);
    vec![log(level, words.join(" "))]
}

fn past_tense(action: &str) -> String {
    match action.strip_suffix("ing") {
        Some("process") => "processed".to_owned(),
        Some(stem) => format!("{stem}ed"),
        None => action.to_owned(),
    }
}

fn keyword<'a>(arguments: &'a [Value], name: &str) -> Option<&'a Value> {
    arguments.last()?.get(name)
}

fn flat(value: &Value, words: &mut Vec<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| flat(item, words)),
        Value::Undef => {}
        other => words.push(other.to_text()),
    }
}

fn text(value: Option<&Value>) -> String {
    value.map(Value::to_text).unwrap_or_default()
}

/// A value in a message about an attribute.
fn quoted(value: Option<&Value>) -> String {
    match value {
        None => "nil".to_owned(),
        Some(value) if !value.is_truthy() => "nil".to_owned(),
        Some(value @ (Value::Integer(_) | Value::Float(_))) => value.to_text(),
        Some(value) => format!("'{}'", value.to_text()),
    }
}
