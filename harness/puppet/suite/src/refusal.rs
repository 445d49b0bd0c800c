//! Examples that the runtime does not let pass.

use crate::resource::{mistyped, target};
use puppet_protocol::{Session, phase, purpose};
use puppet_types::Definition;
use stickler_suite::Instance;
use stickler_transcript::{Name, Purpose};

/// Why an example came to nothing before its provider was asked for the state.
#[derive(Clone, Debug)]
pub(crate) enum Refusal {
    /// Puppet refused it, in these words.
    Puppet(String),
    /// `canonicalize` raised an exception of this class.
    Canonicalize(String),
}

/// The refusals in a session, by the labels of the examples.
pub(crate) fn refusals(session: &Session) -> Vec<(Name, Refusal)> {
    let refused = session.refusals();
    let mut all: Vec<(Name, Refusal)> = refused
        .map(|(label, why)| (label, Refusal::Puppet(why)))
        .collect();
    for (call, answer) in session.calls(phase::CANONICALIZE) {
        if let Some(failure) = answer.failure()
            && call.key.part_of(Purpose::EVALUATE) == Some(purpose::CANONICAL)
            && let Some(label) = call.key.label()
        {
            let class = failure.class.clone();
            let class = class.unwrap_or_else(|| "an error".to_owned());
            all.push((label.into(), Refusal::Canonicalize(class)));
        }
    }
    all
}

impl Refusal {
    /// Why the author has to correct the example. `None` if the provider is at fault: it makes a value wrong
    /// that was right.
    pub fn in_words(&self, definition: &Definition, item: &Instance) -> Option<String> {
        let own = target(definition, item);
        let first = mistyped(definition, &own).next();
        match (self, first) {
            (Self::Canonicalize(class), Some(first)) => Some(format!(
                "{}, and `canonicalize` raises {class}",
                first.why()
            )),
            (Self::Puppet(_), Some(first)) => Some(format!(
                "{}, nor is what `canonicalize` makes of it",
                first.why()
            )),
            (Self::Puppet(why), None) if !definition.has_feature("canonicalize") => {
                Some(why.clone())
            }
            _ => None,
        }
    }
}
