//! Finds out what a policy promises of custom types, without starting a module.

use crate::context::{Agent, LAST_PASS};
use crate::log::{Log, Severity};
use crate::options::{Mode, Options};
use crate::outcome::Outcome;
use crate::promise::Expanded;
use crate::run::{Ended, evaluated, on_a_deep_stack};
use crate::stop::Step;
use crate::value::Text;
use cfengine_protocol::wire::{Operation, Value};
use std::io::Write;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

/// A promise of a custom type, as the agent would send it to its module.
#[derive(Clone, Debug, PartialEq)]
pub struct Promised {
    /// The promise type.
    pub promise_type: String,
    /// `interpreter` of its promise block.
    pub interpreter: Option<String>,
    /// `path` of its promise block.
    pub path: String,
    /// The promiser, expanded.
    pub promiser: String,
    /// The attributes to send; `None` if the promise would not be sent.
    pub attributes: Option<Vec<(Vec<u8>, Value)>>,
    /// The policy file.
    pub file: String,
    /// The line in it.
    pub line: u32,
}

/// The custom promises of a policy.
#[derive(Clone, Debug, Default)]
pub struct Survey {
    /// The promises, in the order of evaluation, each once. Promises that never resolve have no
    /// attributes.
    pub promised: Vec<Promised>,
    /// The agent's messages of level error and above.
    pub said: String,
}

/// Evaluates a policy in a dry run that treats every custom promise as kept. It calls functions,
/// but starts no module and changes nothing.
///
/// # Errors
/// How the run ended, if it did not complete.
pub fn survey(mut options: Options) -> Result<Survey, Ended> {
    options.mode = Mode::DryRun;
    options.level = Severity::Error;
    options.skip_unsupported = true;
    on_a_deep_stack(move || evaluate(options)).unwrap_or_else(Err)
}

fn evaluate(options: Options) -> Result<Survey, Ended> {
    let said = Said::default();
    let sink = Box::new(said.clone());
    let log = Log::new(sink, options.format, Severity::Error, options.limits.output);
    let begin = |agent: &mut Agent| agent.surveyed = Some(Vec::new());
    let (mut agent, ended) = evaluated(options, log, Severity::Error, begin);
    agent.voice.log.flush();
    let promised = agent.surveyed.unwrap_or_default();
    match ended {
        Ended::Exit(0 | 6) => Ok(Survey {
            promised,
            said: said.text(),
        }),
        Ended::Exit(_) => Err(Ended::Policy(said.text())),
        other => Err(other),
    }
}

/// The printed text.
#[derive(Clone, Default)]
struct Said(Arc<Mutex<Vec<u8>>>);

impl Said {
    fn text(&self) -> String {
        let bytes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

impl Write for Said {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Agent {
    /// Records a promise instead of sending it.
    pub(crate) fn note_promised(
        &mut self,
        promise: &Rc<Expanded>,
        (interpreter, path): (Option<Text>, Text),
    ) -> Step<Outcome> {
        let resolved = self.is_resolved(promise, true)?;
        if !resolved && self.pass < LAST_PASS {
            return Ok(Outcome::Skipped);
        }
        let attributes = resolved
            .then(|| self.request(Operation::Evaluate, promise, true))
            .flatten()
            .map(|request| request.attributes.unwrap_or_default());
        let promised = Promised {
            promise_type: promise.written.kind.to_string(),
            interpreter: interpreter.map(|text| text.to_string()),
            path: path.to_string(),
            promiser: promise.promiser.to_string(),
            attributes,
            file: promise.bundle.path.to_string(),
            line: promise.written.line,
        };
        let Some(known) = self.surveyed.as_mut() else {
            return Ok(Outcome::Skipped);
        };
        if known.contains(&promised) {
            return Ok(Outcome::Skipped);
        }
        known.push(promised);
        let outcome = if resolved {
            Outcome::Kept
        } else {
            Outcome::Failed
        };
        self.note_outcome(outcome, promise);
        Ok(outcome)
    }
}
