//! The messages of an agent, in the agent's format.

use crate::targeted;
use cfengine_protocol::wire::request::{Operation, Request};
use cfengine_protocol::wire::{Protocol, Style, Value};
use cfengine_protocol::{Facts, phase, purpose};
use stickler_suite::{CaseBuilder, Instance, Setting, Speech};
use stickler_transcript::{Key, Phase, Provenance, Send};

/// The log level of agents without an option for it.
const LOG_LEVEL: &str = "info";

/// The protocol that agents use with a module.
pub(crate) trait Spoken {
    /// The protocol that the module's header asks for; otherwise the agents' default.
    fn protocol(&self) -> Protocol;

    /// Is it the JSON protocol?
    fn json(&self) -> bool {
        self.protocol() == Protocol::Json
    }
}

impl Spoken for Setting<'_> {
    fn protocol(&self) -> Protocol {
        Facts::of(&self.verbs.facts(self))
            .protocol
            .unwrap_or(Protocol::Line)
    }
}

/// The attribute that asks for warnings instead of changes.
const DRY: (&str, &str) = ("action_policy", "warn");

/// The messages of a case.
pub(crate) trait Requests {
    /// Sends the agent's header.
    fn header(&mut self) -> &mut Self;
    /// The request for a promise.
    fn request(&self, operation: Operation, instance: &Instance) -> Request;
    /// A validation of a promise, encoded.
    fn validation(&self, key: Key, instance: &Instance) -> Send;
    /// An evaluation, which is sent only if the validation `requires` was accepted.
    fn evaluation(&self, key: Key, requires: Key, instance: &Instance) -> Send;
    /// A request about a promise.
    fn about(&self, phase: Phase, key: Key, instance: &Instance, request: &Request) -> Send;
    /// Asks the process to end, as an agent does.
    fn ask_to_end(&mut self) -> &mut Self;
    /// The same with the given request; waits until the process ends.
    fn terminate_with(&mut self, request: &Request) -> &mut Self;
}

fn terminate(case: &CaseBuilder<'_>, request: &Request) -> Send {
    let style = match request.log_level {
        Some(_) => Style::Spec,
        None => Style::Agent,
    };
    let data = request.encode(case.setting().protocol(), style);
    case.message(phase::TERMINATE, purpose::TERMINATE, data)
}

impl Requests for CaseBuilder<'_> {
    fn header(&mut self) -> &mut Self {
        let release = targeted::played(self.setting(), self.partner);
        let send = self.message(phase::HEADER, purpose::HEADER, release.header());
        self.send(send)
    }

    fn request(&self, operation: Operation, instance: &Instance) -> Request {
        let mut request = Request::new(operation);
        request.log_level = Some(LOG_LEVEL.into());
        request.promise_type = Some(instance.kind.clone().into_bytes());
        request.promiser = Some(instance.name().to_vec());
        let mut attributes = instance.attributes.clone();
        if instance.dry {
            let (name, value) = DRY;
            attributes.retain(|(known, _)| known != name.as_bytes());
            attributes.push((name.into(), Value::text(value)));
        }
        if !attributes.is_empty() || self.speech == Speech::Spec {
            request.attributes = Some(attributes);
        }
        if self.speech == Speech::Agent {
            request.filename = Some(b"/var/cfengine/inputs/promises.cf".to_vec());
            request.line_number = Some(12);
        }
        request
    }

    fn validation(&self, key: Key, instance: &Instance) -> Send {
        let request = self.request(Operation::Validate, instance);
        self.about(phase::VALIDATE, key, instance, &request)
    }

    fn evaluation(&self, key: Key, requires: Key, instance: &Instance) -> Send {
        let request = self.request(Operation::Evaluate, instance);
        Send {
            requires: Some(requires),
            ..self.about(phase::EVALUATE, key, instance, &request)
        }
    }

    fn about(&self, phase: Phase, key: Key, instance: &Instance, request: &Request) -> Send {
        let style = match self.speech {
            _ if instance.ascii => Style::Ascii,
            Speech::Agent => targeted::style(targeted::played(self.setting(), self.partner)),
            Speech::Spec => Style::Spec,
        };
        let data = request.encode(self.setting().protocol(), style);
        let provenance = match self.speech {
            Speech::Agent => instance.provenance,
            Speech::Spec => instance.provenance.max(Provenance::Spec),
        };
        Send {
            item: Some(instance.info.label.clone()),
            provenance,
            ..self.message(phase, key.of(&instance.info.label), data)
        }
    }

    fn ask_to_end(&mut self) -> &mut Self {
        let request = Request {
            log_level: (self.speech == Speech::Spec).then(|| LOG_LEVEL.into()),
            ..Request::new(Operation::Terminate)
        };
        let send = terminate(self, &request);
        self.send(send)
    }

    fn terminate_with(&mut self, request: &Request) -> &mut Self {
        let send = terminate(self, request);
        self.send(send).close_and_wait()
    }
}
