//! What all cases of a run share.

use crate::capabilities::{Capabilities, Tells, Values};
use crate::config::Config;
use crate::instance::Instance;
use crate::knowledge::Knowledge;
use crate::verbs::Verbs;
use crate::vocabulary::Vocabulary;
use std::collections::BTreeSet;
use stickler_transcript::{Bytes, Relation};

/// How the suite writes messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speech {
    /// Byte for byte as a deployed agent writes them.
    Agent,
    /// As the specification shows them.
    Spec,
}

/// What all cases of a run share.
pub struct Setting<'c> {
    /// The dialect's words.
    pub words: &'static Vocabulary,
    /// How the suite talks to the subject: what the dialect has learned.
    pub verbs: &'c dyn Verbs,
    /// The author's configuration.
    pub config: &'c Config,
    /// What the run has learned about the subject.
    pub knowledge: &'c Knowledge,
    /// The relations whose sessions rules read. Shared plan families plan no others.
    pub read: BTreeSet<Relation>,
    /// The relations that rules compare: in these, an example's plain session is the baseline.
    pub compared: BTreeSet<Relation>,
    /// The subject's command line.
    pub argv: Vec<Bytes>,
    /// How the suite writes messages.
    pub speech: Speech,
    /// Seed of all random choices.
    pub seed: u64,
    /// Do effects stay inside a sandbox?
    pub sandboxed: bool,
    /// Can the scratch directory be a separate file system?
    pub targets: bool,
}

impl Setting<'_> {
    /// The dialect's words.
    pub fn vocabulary(&self) -> &'static Vocabulary {
        self.words
    }

    /// What the subject can do.
    pub fn capabilities(&self) -> Capabilities {
        self.verbs.capabilities()
    }

    /// Can the suite send any value in a field?
    pub fn sends_any_value(&self) -> bool {
        self.capabilities().values == Values::Any
    }

    /// Can the suite send any text in a field that has a text? Otherwise it sends none with line ends.
    pub fn sends_any_text(&self) -> bool {
        self.capabilities().values != Values::Lines
    }

    /// Does the subject tell whether an item is valid, before it has to bring it about?
    pub fn tells_validity(&self) -> bool {
        self.capabilities().tells == Tells::Validity
    }

    /// The subject's name for people: that of its file. The last word of a command line that an author wrote
    /// may be any argument, so what such a subject manages names it.
    pub(crate) fn subject_name(&self) -> String {
        let subject = &self.config.subject;
        let described = self.config.file.is_some() && !subject.command.is_empty();
        match subject.kinds.first() {
            Some(kind) if described => kind.clone(),
            _ => self.verbs.subject_name(&self.argv),
        }
    }

    /// Globs of paths whose changes never count as effects.
    pub(crate) fn ignored(&self) -> Vec<String> {
        let own = self.config.ignore.iter().cloned();
        let usual = self.vocabulary().ignore.iter();
        own.chain(usual.map(|&glob| glob.to_owned())).collect()
    }

    /// The kind of an item that names no kind.
    pub fn usual_kind(&self) -> &str {
        let mut kinds = self.config.subject.kinds.iter();
        kinds.next().map_or("stickler_probe", String::as_str)
    }

    /// An example, filled in for a scratch directory. Labels are `e1`, `e1b`, ….
    pub fn example(&self, index: usize, instance: usize) -> Instance {
        let suffix = ["", "b", "c"].get(instance).copied().unwrap_or("d");
        let mut filled = Instance::of(
            &self.config.examples[index],
            &format!("e{}{suffix}", index + 1),
            self.usual_kind(),
            self.vocabulary(),
            instance,
        );
        if instance > 0 {
            // The author described the first directory. In another one, things outside it may
            // change the outcome.
            filled.info.original = false;
            filled.expect_nothing();
        }
        filled
    }

    /// An item that the author declares invalid.
    pub fn invalid(&self, index: usize) -> Instance {
        let mut instance = Instance::of(
            &self.config.invalid[index],
            &format!("i{}", index + 1),
            self.usual_kind(),
            self.vocabulary(),
            0,
        );
        instance.info.invalid = true;
        instance
    }
}
