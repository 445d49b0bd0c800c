//! The session as the host of a runtime.

use super::message::with_message;
use crate::deferred::Evaluation;
use puppet_protocol::{Answer, phase, purpose};
use puppet_types::Value;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use stickler_rpc::{Caller, Ended, Notification, request_line};
use stickler_session::{SessionError, Stage};
use stickler_transcript::{Answer as Wait, Key, Phase, Send, Step};

/// What an answer is if a call of `set` is held back.
const HELD: &[u8] = br#"{"result":{"value":null}}"#;

/// What becomes of the requests of a runtime.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// They are sent.
    Send,
    /// So are they, but for `set`.
    Hold,
}

/// Sends the requests of a runtime in a session. Loading and building came before.
pub(super) struct InSession<'s> {
    planned: &'s Send,
    evaluation: &'s Evaluation,
    stage: &'s mut dyn Stage,
    mode: Mode,
    /// How often each thing was asked.
    asked: BTreeMap<String, usize>,
    /// The parameters of the calls that are held back.
    pub held: Vec<Value>,
    /// Has a call raised?
    pub has_failed: bool,
    /// Was the planned message sent?
    pub is_sent: bool,
    /// Can the process not answer any more?
    has_ended: bool,
    error: Option<SessionError>,
}

impl<'s> InSession<'s> {
    pub fn new(planned: &'s Send, evaluation: &'s Evaluation, stage: &'s mut dyn Stage) -> Self {
        InSession {
            planned,
            evaluation,
            stage,
            mode: Mode::Send,
            asked: BTreeMap::new(),
            held: Vec::new(),
            has_failed: false,
            is_sent: false,
            has_ended: false,
            error: None,
        }
    }

    /// Holds calls of `set` back.
    pub fn holding(mut self) -> Self {
        self.mode = Mode::Hold;
        self
    }

    /// Can the process not answer any more, or did the harness fail?
    pub fn has_ended(&self) -> bool {
        self.has_ended || self.error.is_some()
    }

    /// Ends a message whose process cannot answer any more.
    ///
    /// # Errors
    /// If the harness failed.
    pub fn end(self) -> Result<bool, SessionError> {
        self.error.map_or(Ok(!self.has_ended), Err)
    }

    /// The key of a request. What is asked again has another one.
    fn key(&mut self, what: &str) -> Key {
        let count = self.asked.entry(what.to_owned()).or_default();
        *count += 1;
        let Evaluation { key, item, .. } = self.evaluation;
        let key = key.of(item).part(what);
        match *count {
            1 => key,
            count => key.part(&count.to_string()),
        }
    }

    /// The answer to an earlier request.
    fn known(&self, key: &Key) -> Result<Vec<u8>, Ended> {
        let answer = self.stage.answer(key);
        answer
            .map(<[u8]>::to_vec)
            .ok_or_else(|| Ended(format!("there is no answer to {key}")))
    }

    /// Sends a request before the planned one.
    fn ask(&mut self, phase: Phase, key: &Key, params: &str) -> Result<(), Ended> {
        let line = request_line(self.stage.number(), &phase.name(), params);
        let send = Send {
            phase,
            key: key.clone(),
            item: Some(self.evaluation.item.clone()),
            requires: None,
            answer: Wait::Now,
            deadline_us: self.stage.deadline_us(phase),
            kill_after_us: None,
            at_write: None,
            ..with_message(self.planned, line)
        };
        self.step(Step::Send(send))?;
        if self.evaluation.observed {
            let point = key.to_string();
            self.step(Step::Observe { point })?;
        }
        Ok(())
    }

    fn step(&mut self, step: Step) -> Result<(), Ended> {
        match self.stage.step(step) {
            Ok(true) => Ok(()),
            Ok(false) => {
                self.has_ended = true;
                Err(Ended("the host does not answer".to_owned()))
            }
            Err(error) => Err(self.fail(error)),
        }
    }

    fn fail(&mut self, error: SessionError) -> Ended {
        let words = error.to_string();
        self.error = Some(error);
        Ended(words)
    }

    fn set(&mut self, params: &str) -> Result<Vec<u8>, Ended> {
        if self.mode == Mode::Hold {
            self.held.extend(Value::parse(params.as_bytes()));
            return Ok(HELD.to_vec());
        }
        let line = request_line(self.stage.number(), "set", params);
        self.is_sent = true;
        let send = with_message(self.planned, line);
        let is_due = send.answer == Wait::Now;
        self.step(Step::Send(send))?;
        if !is_due {
            return Err(Ended("the answer is not due yet".to_owned()));
        }
        self.known(&self.planned.key)
    }
}

impl Caller for InSession<'_> {
    fn request(&mut self, method: &str, params: &str) -> Result<Vec<u8>, Ended> {
        let (phase, what) = match method {
            "load" => return self.known(&purpose::LOAD.of(&self.evaluation.kind)),
            "open" => return self.known(&self.evaluation.open),
            "set" => return self.set(params),
            "canonicalize" => (phase::CANONICALIZE, purpose::CANONICAL.to_owned()),
            "get" => match &self.evaluation.rows {
                Some(rows) => return self.known(rows),
                None => (phase::GET, purpose::READ.to_owned()),
            },
            "generate" => (phase::GENERATE, purpose::GENERATE.to_owned()),
            "insync" => {
                let params = Value::parse(params.as_bytes()).unwrap_or(Value::Undef);
                let property = params.get("property").map(Value::to_text);
                (
                    phase::INSYNC,
                    format!("{}-{}", purpose::INSYNC, property.unwrap_or_default()),
                )
            }
            other => return Err(Ended(format!("there is no method {other}"))),
        };
        let key = self.key(&what);
        self.ask(phase, &key, params)?;
        let answer = self.known(&key)?;
        self.has_failed |= Answer::read(&answer).failure().is_some();
        Ok(answer)
    }

    fn listen(&mut self, _: Instant) -> Result<(), Ended> {
        Ok(())
    }

    /// What providers tell is for rules alone.
    fn told(&mut self) -> Vec<(Duration, Notification)> {
        Vec::new()
    }
}
