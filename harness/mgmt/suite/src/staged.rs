//! A host in a session: what the reference engine calls resources through.

use serde_json::Value as Json;
use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};
use stickler_rpc::{Caller, Ended, Notification, is_notification, request_line};
use stickler_session::{SessionError, Stage};
use stickler_transcript::{
    Answer as Answers, Event, ExitCause, Key, Phase, Piece, Provenance, Send, Step,
};

/// How much of the host's last words is told.
const LAST_WORDS: usize = 2_000;

/// A host in a session, as its first process.
pub(crate) struct Staged<'s> {
    stage: &'s mut dyn Stage,
    /// How many events were looked at.
    seen: usize,
    /// A line that is not complete.
    line: Vec<u8>,
    answers: Vec<Vec<u8>>,
    told: Vec<(Duration, Notification)>,
    errors: Vec<u8>,
    requests: usize,
    failed: Option<SessionError>,
}

impl<'s> Staged<'s> {
    fn step(&mut self, step: Step) -> Result<bool, Ended> {
        let done = self.stage.step(step).map_err(|error| {
            let lost = Ended(error.to_string());
            self.failed.get_or_insert(error);
            lost
        })?;
        for event in &self.stage.events()[self.seen..] {
            match event {
                Event::Out { data, .. } => {
                    for part in data.split_inclusive(|byte| *byte == b'\n') {
                        self.line.extend_from_slice(part);
                        if !part.ends_with(b"\n") {
                            continue;
                        }
                        let line = std::mem::take(&mut self.line);
                        if is_notification(&line) {
                            let told = Notification::read(&line);
                            self.told.extend(told.map(|told| (Duration::ZERO, told)));
                        } else {
                            self.answers.push(line);
                        }
                    }
                }
                Event::Err { data, .. } => self.errors.extend_from_slice(data),
                _ => {}
            }
        }
        self.seen = self.stage.events().len();
        Ok(done)
    }

    /// Why the host does not answer.
    fn lost(&self) -> Ended {
        let how = self
            .stage
            .events()
            .iter()
            .rev()
            .find_map(|event| match event {
                Event::Exit { cause, .. } => Some(match cause {
                    ExitCause::Code(code) => format!("the host ended (exit status: {code})"),
                    ExitCause::Signal(signal) => format!("the host ended (signal: {signal})"),
                    ExitCause::Lost => "the host ended with its sandbox".to_owned(),
                }),
                Event::Silent { .. } => Some("the host does not answer in time".to_owned()),
                _ => None,
            });
        let how = how.unwrap_or_else(|| "the host does not answer".to_owned());
        let start = self.errors.len().saturating_sub(LAST_WORDS);
        let words = String::from_utf8_lossy(&self.errors[start..]);
        match words.trim() {
            "" => Ended(how),
            words => Ended(format!("{how}: {words}")),
        }
    }
}

impl Caller for Staged<'_> {
    fn request(&mut self, method: &str, params: &str) -> Result<Vec<u8>, Ended> {
        self.requests += 1;
        let phase = Phase::parse(method).unwrap_or(Phase::OTHER);
        self.answers.clear();
        // Some methods wait for something, at most so long.
        let waits_ms = serde_json::from_str::<Json>(params).ok();
        let waits_ms = waits_ms.and_then(|params| params.get("ms")?.as_u64());
        let waits_ms = waits_ms.unwrap_or(0);
        let usual_us = self.stage.deadline_us(phase);
        let send = Send {
            process: 0,
            phase,
            key: Key::parse(&format!("{method}:{}", self.requests)),
            item: None,
            provenance: Provenance::Agent,
            requires: None,
            pieces: vec![Piece {
                pause_us: 0,
                data: request_line(self.requests, method, params).into(),
            }],
            answer: Answers::Now,
            deadline_us: usual_us.max(waits_ms.saturating_mul(2_000)),
            kill_after_us: None,
            at_write: None,
        };
        let answered = self.step(Step::Send(send))?;
        match self.answers.pop() {
            Some(line) if answered => Ok(line),
            _ => Err(self.lost()),
        }
    }

    fn listen(&mut self, until: Instant) -> Result<(), Ended> {
        while self.told.is_empty() {
            let left = until.saturating_duration_since(Instant::now());
            let deadline_us = u64::try_from(left.as_micros()).unwrap_or(u64::MAX);
            if deadline_us == 0 {
                break;
            }
            // What came with an earlier answer ends the wait at once, and was told then.
            self.step(Step::Listen {
                process: 0,
                name: None,
                since: None,
                acknowledge: false,
                deadline_us,
            })?;
            if !self.stage.is_live(0) {
                return Err(self.lost());
            }
        }
        Ok(())
    }

    fn told(&mut self) -> Vec<(Duration, Notification)> {
        std::mem::take(&mut self.told)
    }
}

/// A session that is lent to a run.
#[derive(Clone)]
pub(crate) struct Lent<'s>(Rc<RefCell<Staged<'s>>>);

impl<'s> Lent<'s> {
    pub(crate) fn new(stage: &'s mut dyn Stage) -> Self {
        Lent(Rc::new(RefCell::new(Staged {
            stage,
            seen: 0,
            line: Vec::new(),
            answers: Vec::new(),
            told: Vec::new(),
            errors: Vec::new(),
            requests: 0,
            failed: None,
        })))
    }

    /// Takes a step of the session.
    ///
    /// # Errors
    /// If the session fails.
    pub(crate) fn step(&self, step: Step) -> Result<bool, Ended> {
        self.0.borrow_mut().step(step)
    }

    /// Did the session fail?
    ///
    /// # Errors
    /// If it did.
    pub(crate) fn end(self) -> Result<(), SessionError> {
        match self.0.borrow_mut().failed.take() {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }
}

impl Caller for Lent<'_> {
    fn request(&mut self, method: &str, params: &str) -> Result<Vec<u8>, Ended> {
        self.0.borrow_mut().request(method, params)
    }

    fn listen(&mut self, until: Instant) -> Result<(), Ended> {
        self.0.borrow_mut().listen(until)
    }

    fn told(&mut self) -> Vec<(Duration, Notification)> {
        self.0.borrow_mut().told()
    }
}
