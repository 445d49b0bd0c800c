//! The words of a dialect.

use stickler_transcript::{Phase, Value};

/// How long a subject may take for a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// As long as a start takes, many times over.
    Quick,
    /// As long as its work takes.
    Work,
}

/// Reads a value as exactly as a dialect sends it; or says why it is none.
pub type Parse = fn(&[u8]) -> Result<Value, String>;

/// The words of a dialect, in `stickler.toml` and for people.
#[derive(Debug)]
pub struct Vocabulary {
    /// The dialect's name, as `[subject] dialect` has it.
    pub dialect: &'static str,
    /// What a subject is called, in one word or two.
    pub subject: &'static str,
    /// What is said of a subject that did not answer its opening message as it should.
    pub not_understood: &'static str,
    /// What an item is called.
    pub item: &'static str,
    /// What the kind of an item is called.
    pub kind: &'static str,
    /// The key of `[[example]]` that names an item's kind.
    pub kind_key: &'static str,
    /// The key of `[subject]` that names all kinds.
    pub kinds_key: &'static str,
    /// The key of `[[example]]` that says which thing an item is about.
    pub identity_key: &'static str,
    /// The key of `[[example]]` that holds what is asked of it.
    pub attributes_key: &'static str,
    /// The outcomes that `expect` may name.
    pub outcomes: &'static [&'static str],
    /// The outcome of an item that is as it should be already.
    pub unchanged: &'static str,
    /// The phases, in the order in which a session goes through them; each may have a deadline.
    pub phases: &'static [(Phase, Pace)],
    /// The phase in which a fresh process is greeted, if it is.
    pub opening: Option<Phase>,
    /// The phase in which it is asked whether an item is valid.
    pub validation: Phase,
    /// The phase in which a process ends.
    pub closing: Phase,
    /// The subject is spoken with on a channel of its own, not on standard input and output.
    pub channel: bool,
    /// Globs of paths whose changes never count, since what runs the subject makes them.
    pub ignore: &'static [&'static str],
    /// Names of an answer's own members: an attribute that is called so must not replace one.
    pub answer_names: &'static [&'static str],
    /// Numbers and booleans are values of their own; else they are sent as text.
    pub typed: bool,
    /// Parses the text of `raw_attributes`, where the dialect has such.
    pub json: Option<Parse>,
    /// Is there a rule of this code?
    pub has_rule: fn(&str) -> bool,
}
