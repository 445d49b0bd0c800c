//! The words of a dialect.

use crate::config::Keys;
use stickler_transcript::{Fate, Phase, Relation};

/// How a message's deadline is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// A multiple of the subject's start time.
    Quick,
    /// As long as the subject's work takes.
    Work,
}

/// The words of a dialect, in `stickler.toml` and for people.
#[derive(Debug)]
pub struct Vocabulary {
    /// The dialect's name, as `[subject] dialect` has it.
    pub dialect: &'static str,
    /// The file of its JSON Schema in `docs/schema`.
    pub schema: &'static str,
    /// What the dialect calls a subject, in one or two words.
    pub subject: &'static str,
    /// What it calls its subjects, to tell them from those of other dialects.
    pub subjects: &'static str,
    /// What to say about a subject that did not answer its opening message as it should.
    pub not_understood: &'static str,
    /// Why messages were not sent although the subject answers.
    pub unsent: &'static str,
    /// What to say of a rule that none of the sessions held for it exercises.
    pub never: &'static str,
    /// What the dialect calls an item.
    pub item: &'static str,
    /// What it calls the kind of an item.
    pub kind: &'static str,
    /// The key of `[[example]]` that names an item's kind.
    pub kind_key: &'static str,
    /// The key of `[subject]` that names all kinds.
    pub kinds_key: &'static str,
    /// The key of `[[example]]` that identifies an item.
    pub identity_key: &'static str,
    /// The key of `[[example]]` that names the example: `name`, or `label` where `name` identifies an
    /// item.
    pub label_key: &'static str,
    /// The key of `[[example]]` that holds an item's attributes.
    pub attributes_key: &'static str,
    /// The outcomes that `expect` may name.
    pub outcomes: &'static [(&'static str, Fate)],
    /// The phases, in the order of a session; each may have a deadline.
    pub phases: &'static [(Phase, Pace)],
    /// The phase that greets a fresh process, if there is one.
    pub opening: Option<Phase>,
    /// The phase that validates an item.
    pub validation: Phase,
    /// The phase that ends a process.
    pub closing: Phase,
    /// Does the dialect's own host use a separate channel instead of standard input and output?
    pub channel: bool,
    /// Notifications that agents wait for, by their names: a recorded session that runs again waits for them, too.
    pub awaited: &'static [&'static str],
    /// Globs of paths whose changes never count, because the program that runs the subject makes
    /// them.
    pub ignore: &'static [&'static str],
    /// Member names of answers: an attribute with such a name must not replace the member.
    pub answer_names: &'static [&'static str],
    /// Are numbers and booleans separate types? Otherwise they are sent as text.
    pub typed: bool,
    /// The keys of `stickler.toml` that not every dialect has.
    pub keys: Keys,
    /// The relations that only this dialect has, and other words for common ones, with what their sessions are.
    pub relations: &'static [&'static [(Relation, &'static str)]],
    /// Does a rule have this code?
    pub has_rule: fn(&str) -> bool,
}

impl Vocabulary {
    /// The words of `outcomes`.
    pub(crate) fn outcome_words(&self) -> Vec<&'static str> {
        self.outcomes.iter().map(|(word, _)| *word).collect()
    }

    /// What the sessions of a relation are, in a sentence.
    pub fn about(&self, relation: Relation) -> &'static str {
        let mut own = self.relations.iter().copied().flatten();
        let own = own.find(|(one, _)| *one == relation);
        own.map(|(_, about)| *about)
            .or_else(|| relation.about())
            .unwrap_or("Sessions about which this Stickler knows nothing.")
    }

    /// The word for an outcome, if there is one.
    pub fn outcome(&self, fate: Fate) -> Option<&'static str> {
        let mut words = self.outcomes.iter();
        words
            .find(|(_, known)| *known == fate)
            .map(|(word, _)| *word)
    }
}
