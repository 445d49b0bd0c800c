//! What a run tells whoever keeps the record of its modules.

use crate::context::Agent;
use crate::log::Level;
use crate::outcome::Outcome;
use crate::promise::Expanded;
use crate::value::Text;
use cfengine_policy::text;
use std::fmt::Debug;

/// Keeps the record of a run's modules.
pub trait Witness: Debug + Send + Sync {
    /// A module is about to be started with this command line, in this directory
    /// if one is given: the words to stand before it.
    fn starts(&self, module: &str, command: &[&str], directory: Option<&str>) -> Vec<String>;

    /// A promise of a module has an outcome. What the module said is known to
    /// have passed before.
    fn concludes(&self, module: &str, conclusion: Conclusion);
}

/// What became of a promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Became {
    /// It held already.
    Kept,
    /// It was made to hold.
    Repaired,
    /// It does not hold.
    NotKept,
}

/// What the agent made of a promise in one pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conclusion {
    /// The promise's type.
    pub promise_type: Vec<u8>,
    /// Its promiser, as far as it was resolved.
    pub promiser: Vec<u8>,
    /// Names the promise in the policy: file, line, promiser as it is written,
    /// and which of its turns.
    pub promise: String,
    /// What became of it.
    pub became: Became,
    /// Which pass it was, from 1.
    pub pass: u8,
    /// A variable in it had no value.
    pub unresolved: bool,
    /// It may only warn.
    pub warns: bool,
    /// What the agent itself said at level `error` or above.
    pub errors: Vec<Vec<u8>>,
    /// Classes that it set since the module named them.
    pub result_classes: Vec<Vec<u8>>,
}

/// What is known so far of the promise at hand.
#[derive(Default)]
pub(crate) struct Statement {
    pub(crate) module: Option<Text>,
    pub(crate) unresolved: bool,
    pub(crate) classes: Vec<Text>,
}

impl Agent {
    /// From here on, what is said and done is about one promise.
    pub(crate) fn begin_statement(&mut self) {
        self.statement = Statement::default();
        self.log.gather(Level::Error);
    }

    /// Tells the witness what became of the promise. One that was passed over
    /// has an outcome only where that was an error.
    pub(crate) fn end_statement(&mut self, outcome: Outcome, promise: &Expanded) {
        let errors = self.log.gathered();
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
        let (Some(witness), Some(module)) = (&self.options.witness, module) else {
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

    /// The name of a promise in all passes.
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
