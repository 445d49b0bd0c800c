//! Promises of custom types: the requests to modules, and the effects of their answers.

use crate::answered::{self, About, Place};
use crate::context::{Agent, LAST_PASS, Reach};
use crate::data::Data;
use crate::expand::NOWHERE;
use crate::log::Severity;
use crate::module::{Answer, Fate, Live, Reader, own_level};
use crate::outcome::Outcome;
use crate::promise::Expanded;
use crate::scan;
use crate::stop::{ABORTED, Step, Stop};
use crate::value::{Kind, Text, Value};
use cfengine_policy::text;
use cfengine_protocol::wire::{self, Encoded, Operation, Protocol, Request};
use std::rc::Rc;
use std::time::Instant;

/// What the line based protocol carries in place of a container: an address, where no text is.
const MEMORY: &[u8] = b"\xa0\xeb\xd9\x37\xb1\x55";

/// The attributes of `classes` bodies.
const CLASSES_BODY: [&str; 17] = [
    "classes",
    "classes_name",
    "scope",
    "promise_repaired",
    "repair_failed",
    "repair_denied",
    "repair_timeout",
    "promise_kept",
    "cancel_repaired",
    "cancel_kept",
    "cancel_notkept",
    "kept_returncodes",
    "repaired_returncodes",
    "failed_returncodes",
    "persist_time",
    "timer_policy",
    "meta",
];

impl Agent {
    /// Lets a module keep a promise, and records a statement about it.
    pub(crate) fn keep_custom(&mut self, promise: &Rc<Expanded>) -> Step<Outcome> {
        self.begin_statement();
        let outcome = self.keep_by_module(promise)?;
        self.end_statement(outcome, promise);
        Ok(outcome)
    }

    fn keep_by_module(&mut self, promise: &Rc<Expanded>) -> Step<Outcome> {
        let kind = promise.written.kind.clone();
        let Some((interpreter, path)) = self.module_of(promise)? else {
            return Ok(Outcome::Failed);
        };
        self.statement.module = Some(path.clone());
        if self.surveyed.is_some() {
            return self.note_promised(promise, (interpreter, path));
        }
        let fine = self.read_attributes(promise);
        let salt = [
            &*promise.promiser,
            &path,
            interpreter.as_deref().unwrap_or("(null)"),
        ]
        .join("-");
        // After a module hangs, it is not restarted for a promise that it already got.
        if self.modules.hung(&path) && self.done.contains(&promise.identity(&salt)) {
            return Ok(Outcome::Skipped);
        }
        if let Err(outcome) = self.have_module(interpreter, &path, promise) {
            return Ok(outcome);
        }
        let json = self.speaks_json(&path);
        let sendable = self.is_resolved(promise, json)?;
        self.statement.unresolved = !sendable;
        if !sendable && self.pass == LAST_PASS {
            let message = format!(
                "{kind} promise with promiser '{}' has unresolved/unexpanded variables",
                promise.promiser
            );
            self.say(Severity::Error, message);
        }
        if !sendable && self.by_specification() && self.pass < LAST_PASS {
            // A later pass may resolve it.
            return Ok(Outcome::Skipped);
        }
        if !self.claim(promise, &salt) {
            return Ok(Outcome::Skipped);
        }
        // A promise that can't be sent stays, since the last pass reports it.
        if sendable && fine && promise.is_constant() {
            self.spent.insert(Rc::as_ptr(&promise.written));
        }
        if sendable {
            let request = self.request(Operation::Validate, promise, json);
            if let Some(valid) = self.validate(promise, request, &path)? {
                return self.evaluate(promise, valid, &path);
            }
        }
        self.verbose(|| {
            format!(
                "{kind} promise with promiser '{}' will be skipped because it failed validation",
                promise.promiser
            )
        });
        self.note_outcome(Outcome::Failed, promise);
        Ok(Outcome::Failed)
    }

    /// The interpreter and the path in the promise block.
    fn module_of(&mut self, promise: &Expanded) -> Step<Option<(Option<Text>, Text)>> {
        let kind = &promise.written.kind;
        let Some(block) = self.program.blocks.get(kind).cloned() else {
            self.say(Severity::Error, format!("Undefined promise type '{kind}'"));
            return Ok(None);
        };
        let (mut interpreter, mut path) = (None, None);
        for attribute in &block.attributes {
            let Value::Scalar(text) = &attribute.value else {
                let what = format!("'{}' of promise type '{kind}' is no text", attribute.name);
                return Err(self.aborts(&what));
            };
            match &*attribute.name {
                "interpreter" => interpreter = Some(self.expand_text(text, (None, None))?),
                "path" => path = Some(self.expand_text(text, (None, None))?),
                _ => {}
            }
        }
        let Some(path) = path else {
            let message = format!("Custom promise type '{kind}' missing path");
            self.say(Severity::Error, message);
            self.note_outcome(Outcome::Failed, promise);
            return Ok(None);
        };
        Ok(Some((interpreter, path)))
    }

    /// Starts the module unless it is already running.
    fn have_module(
        &mut self,
        interpreter: Option<Text>,
        path: &Text,
        promise: &Expanded,
    ) -> Result<(), Outcome> {
        let Some(module) = self.modules.get(path) else {
            if self.start_module(interpreter, path) {
                return Ok(());
            }
            self.note_outcome(Outcome::Failed, promise);
            return Err(Outcome::Failed);
        };
        if module.interpreter == interpreter {
            return Ok(());
        }
        let name = |text: &Option<Text>| text.clone().unwrap_or_else(|| "(null)".into());
        let message = format!(
            "Conflicting interpreter specifications for custom promise module '{path}' (started with '{}' and '{}' requested for promise '{}' of type '{}')",
            name(&module.interpreter),
            name(&interpreter),
            promise.promiser,
            promise.written.kind
        );
        self.say(Severity::Error, message);
        self.note_outcome(Outcome::Failed, promise);
        Err(Outcome::Failed)
    }

    fn speaks_json(&mut self, path: &str) -> bool {
        let module = self.modules.get(path);
        module.is_some_and(|module| module.flags.protocol == Protocol::Json)
    }

    /// Whether all values to send are resolved and the protocol can carry them.
    ///
    /// # Errors
    /// A list holds a call that failed: cf-agent treats it as a text, and aborts.
    pub(crate) fn is_resolved(&mut self, promise: &Expanded, json: bool) -> Step<bool> {
        if scan::is_unresolved(&promise.promiser) {
            return Ok(false);
        }
        for (name, value) in &promise.attributes {
            if CLASSES_BODY.contains(&&**name) || matches!(&**name, "log_level" | "unless") {
                continue;
            }
            match value {
                Value::Call(_) => return Ok(false),
                Value::List(_) | Value::Data(_) if !json => return Ok(false),
                Value::Scalar(text) => {
                    if scan::is_unresolved(text) && self.container(text).is_none() {
                        return Ok(false);
                    }
                }
                Value::List(items) => {
                    for item in items.iter() {
                        let Some(text) = item.scalar() else {
                            let what = format!(
                                "A function in the list '{name}' of promise '{}' failed",
                                promise.promiser
                            );
                            return Err(self.aborts(&what));
                        };
                        if scan::is_unresolved(text) {
                            return Ok(false);
                        }
                    }
                }
                // Attributes after a container are not checked.
                Value::Data(data) => return Ok(is_resolved_data(data)),
            }
        }
        Ok(true)
    }

    /// The container that `@(name)` refers to.
    fn container(&mut self, text: &Text) -> Option<Data> {
        let name = scan::naked(text, b'@')?;
        let reference = self.reference(name, NOWHERE);
        let found = self.find(&reference)?;
        match (found.kind(), found.value()) {
            (Kind::Data, Value::Data(data)) => Data::clone(&data).copied().ok(),
            _ => None,
        }
    }

    /// The request for a promise, without the log level; `None` if the protocol can't carry it.
    pub(crate) fn request(
        &mut self,
        operation: Operation,
        promise: &Expanded,
        json: bool,
    ) -> Option<Request> {
        let bytes = |text: &str| text::encode(text).into_owned();
        let mut request = Request::new(operation);
        request.promise_type = Some(bytes(&promise.written.kind));
        request.promiser = Some(bytes(&promise.promiser));
        request.filename = Some(bytes(&promise.bundle.path));
        request.line_number = Some(promise.written.line.into());
        let mut attributes: Vec<(Vec<u8>, wire::Value)> = Vec::new();
        let mut has_policy = false;
        for (name, value) in &promise.attributes {
            if !self.is_sent(name) {
                continue;
            }
            has_policy |= &**name == "action_policy";
            let value = match value {
                _ if &**name == "action_policy" && self.is_dry() => wire::Value::from("warn"),
                Value::Scalar(text)
                    if &**name == "action_policy"
                        && &**text == "nop"
                        && self.by_specification() =>
                {
                    wire::Value::from("warn")
                }
                Value::Scalar(text) => match self.container(text) {
                    Some(_) if !json && self.by_specification() => return None,
                    Some(_) if !json => {
                        self.verbose(|| format!("Attribute '{name}' is a container, which the line based protocol can't carry: cf-agent sends what is in its memory here"));
                        wire::Value::text(MEMORY)
                    }
                    Some(data) => to_wire(&data),
                    None => wire::Value::text(bytes(text)),
                },
                Value::List(_) | Value::Data(_) => to_wire(&value.to_data()),
                Value::Call(_) => continue,
            };
            attributes.push((bytes(name), value));
        }
        if self.is_dry() && !has_policy {
            attributes.push((b"action_policy".to_vec(), wire::Value::from("warn")));
        }
        request.attributes = Some(attributes).filter(|attributes| !attributes.is_empty());
        Some(request)
    }

    /// Whether an attribute is sent to the module.
    fn is_sent(&self, name: &str) -> bool {
        let own = matches!(
            name,
            "if" | "ifvarclass"
                | "unless"
                | "depends_on"
                | "with"
                | "action"
                | "action_name"
                | "log_level"
        );
        !own && !CLASSES_BODY.contains(&name) && !self.keeps_to_itself(name)
    }

    /// Reports the attributes that can't be sent.
    fn say_unsent(&mut self, promise: &Expanded) {
        for (name, value) in &promise.attributes {
            if matches!(value, Value::Call(_)) && self.is_sent(name) {
                self.verbose(|| {
                    format!(
                        "Unsupported type of the '{name}' attribute (f), cannot be sent to custom promise module"
                    )
                });
            }
        }
    }

    /// The log level that the request gives the module.
    fn level_for(&mut self, promise: &Expanded) -> Severity {
        let own = promise.text("log_level").cloned();
        let own = own.map(|own| own_level(&own, &mut self.voice.log).unwrap_or(Severity::Error));
        let level = own.map_or(self.voice.log.global, |own| own.min(self.voice.log.global));
        level.max(Severity::Error)
    }

    /// Encodes a request; `None` if it can't be sent.
    fn encode(
        &mut self,
        promise: &Expanded,
        request: Option<Request>,
        path: &Text,
    ) -> Option<Encoded> {
        let Some(mut request) = request else {
            let message = format!(
                "Promise module '{path}' speaks the line based protocol, which can't carry a container"
            );
            self.say(Severity::Error, message);
            return None;
        };
        request.log_level = Some(self.level_for(promise).name().into());
        self.say_unsent(promise);
        let style = self.style();
        let protocol = self.modules.get(path)?.flags.protocol;
        if let Some(why) = self.refuses_request(&request, protocol) {
            let message = format!("Promise '{}' is not sent: {why}", promise.promiser);
            self.say(Severity::Error, message);
            return None;
        }
        Some(request.encoded(protocol, style))
    }

    /// Sends a request and reads its answer; `None` if there is none.
    fn exchange(
        &mut self,
        operation: &Operation,
        promise: &Expanded,
        request: &Encoded,
        path: &Text,
    ) -> Step<Option<Answer>> {
        if self.voice.log.is_exhausted() {
            return Err(Stop::Limit("too much output".into()));
        }
        let deadline = match operation {
            Operation::Validate => self.voice.options.deadlines.validate,
            _ => self.voice.options.deadlines.evaluate,
        };
        let strict = self.by_specification();
        let release = self.release();
        let Some(module) = self.modules.get(path) else {
            return Ok(None);
        };
        let unasked = strict && module.channel.discard();
        let deadline = Instant::now() + deadline;
        let own = promise.text("log_level").cloned();
        let mut answer = module
            .channel
            .send(request.bytes(), deadline)
            .map(|()| Answer::default());
        if answer.is_ok() {
            let mut reader = Reader::new(path, module.flags.protocol, release, own)
                .whole(strict)
                .knowing(&mut module.heard);
            let mut lines = Live {
                channel: &mut *module.channel,
                deadline,
            };
            answer = reader.read(&mut lines, &mut self.voice.log);
        }
        let over = module.channel.is_over();
        if unasked {
            let message = format!("Promise module '{path}' sent more than it was asked for");
            self.say(Severity::Error, message);
        }
        if strict && over {
            let deadline = Instant::now() + self.voice.options.deadlines.terminate;
            self.modules.forget(path, deadline);
        }
        match answer {
            Ok(answer)
                if strict
                    && answer.operation.as_deref().map(str::as_bytes)
                        != Some(operation.as_bytes()) =>
            {
                let message = format!(
                    "Promise module '{path}' did not answer '{}' for promise '{}'",
                    String::from_utf8_lossy(operation.as_bytes()),
                    promise.promiser
                );
                self.say(Severity::Error, message);
                Ok(None)
            }
            Ok(answer) if !strict && answer.fate == Some(Fate::Abort) => Err(Stop::Exit(ABORTED)),
            Ok(answer) => Ok(Some(answer).filter(|answer| !answer.unreadable)),
            Err(silence) => {
                self.modules.give_up(path);
                let message = format!(
                    "Promise module '{path}' {silence}: promise '{}' ({}:{})",
                    promise.promiser, promise.bundle.path, promise.written.line
                );
                self.say(Severity::Error, message);
                Ok(None)
            }
        }
    }

    /// Validates the promise; returns the request if the module accepts it.
    fn validate(
        &mut self,
        promise: &Expanded,
        request: Option<Request>,
        path: &Text,
    ) -> Step<Option<Encoded>> {
        let knows = self
            .modules
            .get(path)
            .is_some_and(|module| module.flags.action_policy);
        if self.only_looks(promise) && !knows {
            let message = format!(
                "Not making changes to the system, but the custom promise module '{path}' doesn't support action_policy"
            );
            self.say(Severity::Error, message);
            return Ok(None);
        }
        let Some(request) = self.encode(promise, request, path) else {
            return Ok(None);
        };
        let Some(answer) = self.exchange(&Operation::Validate, promise, &request, path)? else {
            return Ok(None);
        };
        if answer.accepts() {
            return Ok(Some(request));
        }
        let about = about(promise, path, self.only_looks(promise));
        self.verbose(|| {
            let About {
                kind,
                promiser,
                place,
                ..
            } = about;
            format!("{kind} promise with promiser '{promiser}' failed validation ({place})")
        });
        if let Some(complaint) = answered::refusal(&answer, &about) {
            self.say(Severity::Critical, complaint);
        }
        Ok(None)
    }

    /// Whether the agent must not change anything for a promise.
    pub(crate) fn only_looks(&self, promise: &Expanded) -> bool {
        self.is_dry() || promise.only_warns()
    }

    fn evaluate(&mut self, promise: &Expanded, request: Encoded, path: &Text) -> Step<Outcome> {
        // cf-agent reports faulty attributes again for each request.
        self.level_for(promise);
        self.say_unsent(promise);
        let request = request.evaluating();
        let Some(answer) = self.exchange(&Operation::Evaluate, promise, &request, path)? else {
            if self.by_specification() {
                self.note_outcome(Outcome::Failed, promise);
            }
            return Ok(Outcome::Failed);
        };
        if !answer.classes.is_empty() {
            let tags = Rc::new(vec!["source=promise-module".into()]);
            for class in &answer.classes {
                self.set_class(class, Reach::Bundle, &tags, None);
            }
        }
        self.statement.classes.clone_from(&answer.classes);
        self.read_attributes(promise);
        let about = about(promise, path, self.only_looks(promise));
        let evaluated = answered::evaluated(&answer, &about, self.would(Severity::Verbose));
        if let Some(complaint) = evaluated.before {
            self.say(Severity::Critical, complaint);
        }
        let (level, message) = evaluated.said;
        self.conclude(level, evaluated.outcome, promise, message);
        for complaint in evaluated.after {
            self.say(Severity::Critical, complaint);
        }
        Ok(evaluated.outcome)
    }
}

/// The promise as messages name it.
fn about<'p>(promise: &'p Expanded, module: &'p str, looks: bool) -> About<'p> {
    About {
        kind: &promise.written.kind,
        promiser: &promise.promiser,
        module,
        place: Place {
            file: &promise.bundle.path,
            line: promise.written.line,
        },
        looks,
    }
}

fn is_resolved_data(data: &Data) -> bool {
    match data {
        Data::Object(members) => members
            .iter()
            .all(|(key, value)| !scan::is_unresolved(key) && is_resolved_data(value)),
        Data::Array(items) => items.iter().all(is_resolved_data),
        Data::String(text) => !scan::is_unresolved(text),
        _ => true,
    }
}

fn to_wire(data: &Data) -> wire::Value {
    let bytes = |text: &str| text::encode(text).into_owned();
    match data {
        Data::Null => wire::Value::Null,
        Data::Bool(value) => wire::Value::Bool(*value),
        Data::Int(text) | Data::Real(text) => wire::Value::Number(text.to_string()),
        Data::String(text) => wire::Value::text(bytes(text)),
        Data::Array(items) => wire::Value::List(items.iter().map(to_wire).collect()),
        Data::Object(members) => wire::Value::Object(
            members
                .iter()
                .map(|(key, value)| (bytes(key), to_wire(value)))
                .collect(),
        ),
    }
}
