//! What a run reports to the recorder of its modules.

use crate::context::Agent;
use crate::log::Severity;
use crate::outcome::Outcome;
use crate::promise::Expanded;
use crate::value::Text;
use cfengine_policy::text;
use std::fmt::Debug;

/// Records a run's modules.
pub trait Witness: Debug + Send + Sync {
    /// The agent is about to start a module with this command line, in this directory if there is
    /// one. Returns words to prepend to the command line.
    fn starts(&self, module: &str, command: &[&str], directory: Option<&str>) -> Vec<String>;

    /// A promise of a module has an outcome. All messages from the module before it are already
    /// delivered.
    fn concludes(&self, module: &str, conclusion: Conclusion);
}

/// The result of a promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Became {
    /// It was already kept.
    Kept,
    /// The module repaired it.
    Repaired,
    /// It is not kept.
    NotKept,
}

/// The agent's conclusion about a promise in one pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conclusion {
    /// The promise's type.
    pub promise_type: Vec<u8>,
    /// The promiser, as far as it is resolved.
    pub promiser: Vec<u8>,
    /// The promise's identity in the policy: file, line, promiser as written, and number of the
    /// iteration.
    pub promise: String,
    /// The result.
    pub became: Became,
    /// The number of the pass, from 1.
    pub pass: u8,
    /// Whether a variable in the promise has no value.
    pub unresolved: bool,
    /// Whether the promise only allows warnings.
    pub warns: bool,
    /// Messages of level `error` or above from the agent itself.
    pub errors: Vec<Vec<u8>>,
    /// Classes that the agent set because the module named them.
    pub result_classes: Vec<Vec<u8>>,
}

/// The facts about the current promise so far.
#[derive(Default)]
pub(crate) struct Statement {
    pub(crate) module: Option<Text>,
    pub(crate) unresolved: bool,
    pub(crate) classes: Vec<Text>,
}

impl Agent {
    /// Starts to collect the messages and results of one promise.
    pub(crate) fn begin_statement(&mut self) {
        self.statement = Statement::default();
        self.voice.log.gather(Severity::Error);
    }

    /// Reports the result of the promise to the witness. A skipped promise is only reported if
    /// there was an error.
    pub(crate) fn end_statement(&mut self, outcome: Outcome, promise: &Expanded) {
        let errors = self.voice.log.gathered();
        let Statement {
            module,
            unresolved,
            classes,
        } = std::mem::take(&mut self.statement);
        let became = match outcome {
            Outcome::Skipped if errors.is_empty() => return,
            Outcome::Kept => Became::Kept,
            Outcome::Repaired => Became::Repaired,
            Outcome::Skipped
            | Outcome::Warned
            | Outcome::Failed
            | Outcome::Interrupted
            | Outcome::Denied => Became::NotKept,
        };
        let (Some(witness), Some(module)) = (&self.voice.options.witness, module) else {
            return;
        };
        let bytes = |text: &str| text::encode(text).into_owned();
        let conclusion = Conclusion {
            promise_type: bytes(&promise.written.kind),
            promiser: bytes(&promise.promiser),
            promise: self.named(promise),
            became,
            pass: u8::try_from(self.pass).unwrap_or(u8::MAX),
            unresolved,
            warns: self.only_looks(promise),
            errors: errors.iter().map(|error| bytes(error)).collect(),
            result_classes: classes.iter().map(|class| bytes(class)).collect(),
        };
        witness.concludes(&module, conclusion);
    }

    /// The name of a promise, which is the same in all passes.
    fn named(&self, promise: &Expanded) -> String {
        let (path, line) = (&promise.bundle.path, promise.written.line);
        let name = format!("{path}:{line} '{}'", promise.written.promiser);
        let name = match self.turn_number() {
            Some(turn) => format!("{name} ({turn})"),
            None => name,
        };
        String::from_utf8_lossy(&text::encode(&name)).into_owned()
    }
}
