//! Typed inputs: what one session does, as data that people can read and edit.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::hash::Hash;
use std::time::Duration;
use stickler_transcript::{AtWrite, Bytes, Drift, Protection, Value};

/// The most steps of an input that a campaign makes.
pub const STEPS: usize = 12;

/// What one session does after the subject's start, in order. A file holds it as JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// What is unusual about the subject's surroundings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub surroundings: Vec<Surrounding>,
    /// The steps.
    pub steps: Vec<InputStep>,
}

/// Something unusual about the surroundings of a subject.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Surrounding {
    /// A variable has this value.
    Set(String, String),
    /// A variable is not set.
    Unset(String),
    /// It starts in this directory.
    Cwd(String),
    /// Its umask.
    Umask(u32),
    /// It may not use more than this.
    Limit(Limit, u32),
    /// What it is greeted with comes in two pieces: so many bytes before its end, after so many microseconds.
    Greeted(u16, u32),
}

/// What a limit is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// Open files.
    Descriptors,
    /// Memory, in KiB.
    Memory,
    /// The size of a file that it writes, in KiB.
    FileSize,
}

impl fmt::Display for Surrounding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Surrounding::Set(name, value) => write!(f, "{name}=`{value}`"),
            Surrounding::Unset(name) => write!(f, "no {name}"),
            Surrounding::Cwd(path) => write!(f, "started in `{path}`"),
            Surrounding::Umask(bits) => write!(f, "umask {bits:03o}"),
            Surrounding::Greeted(before, _) => {
                write!(f, "greeted in two pieces, the second of {before} bytes")
            }
            Surrounding::Limit(limit, most) => match limit {
                Limit::Descriptors => write!(f, "at most {most} open files"),
                Limit::Memory => write!(f, "at most {most} KiB of memory"),
                Limit::FileSize => write!(f, "files of at most {most} KiB"),
            },
        }
    }
}

impl Surrounding {
    /// Is it what agents on real machines give their subjects? A daemon has no HOME and no locale,
    /// starts in `/`, and may have a strict umask.
    pub(crate) fn is_deployed(&self) -> bool {
        match self {
            Surrounding::Set(name, value) => match &name[..] {
                "LC_ALL" | "LANG" => value == "C",
                "TZ" => true,
                "PATH" => value == "/usr/bin:/bin",
                "HOME" => value == "/",
                _ => false,
            },
            Surrounding::Unset(name) => name != "PATH",
            Surrounding::Cwd(path) => path == "/",
            Surrounding::Umask(bits) => [0o022, 0o027, 0o077].contains(bits),
            // The usual limit of daemons.
            Surrounding::Limit(limit, most) => *limit == Limit::Descriptors && *most >= 1024,
            Surrounding::Greeted(..) => true,
        }
    }
}

/// One step.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum InputStep {
    /// A message about an item.
    Ask(Ask),
    /// A message of any bytes.
    Raw {
        /// The bytes.
        bytes: Bytes,
    },
    /// The process is asked to end, and a new one starts.
    Restart,
    /// Nothing happens for a while.
    Pause {
        /// For how long, in milliseconds.
        ms: u16,
    },
    /// From now on, the scratch directory refuses writes.
    Protect {
        /// How.
        how: Protection,
    },
    /// Something that only some subjects can do with an item, by its name.
    Deed {
        /// The name.
        deed: String,
        /// The item.
        #[serde(flatten)]
        item: InputItem,
    },
    /// Something changes from outside.
    Outside {
        /// What.
        #[serde(flatten)]
        drift: Drift,
    },
}

/// What a message asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verb {
    /// Is the item valid?
    Validate,
    /// The item is to be brought about, if it is valid.
    Evaluate,
    /// The same without another validation, if an earlier step has asked about it.
    Later,
    /// The subject is to say what it would change, and to change nothing.
    Look,
}

/// A message about an item.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Ask {
    /// What it asks for.
    pub verb: Verb,
    /// The item.
    #[serde(flatten)]
    pub item: InputItem,
    /// Where the message is cut into pieces. Empty: it is sent in one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pieces: Vec<Piece>,
    /// The process is killed so long after the message that changes something, in microseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kill_after_us: Option<u32>,
    /// Before one of the calls by which it changes files, the process is killed, or the call fails.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_write: Option<AtWrite>,
}

impl Piece {
    /// A cut after so many thousandths of a message.
    pub(crate) fn at(at: u16, pause_us: u32) -> Piece {
        Piece {
            at,
            before: 0,
            pause_us,
        }
    }

    /// A cut so many bytes before a message's end.
    pub(crate) fn before_end(before: u16, pause_us: u32) -> Piece {
        Piece {
            at: 1_000,
            before,
            pause_us,
        }
    }
}

impl Ask {
    /// A message in one piece, after which nothing is killed.
    pub(crate) fn plain(verb: Verb, item: InputItem) -> Ask {
        Ask {
            verb,
            item,
            pieces: Vec::new(),
            kill_after_us: None,
            at_write: None,
        }
    }

    /// Is the process killed?
    pub(crate) fn kills(&self) -> bool {
        self.kill_after_us.is_some() || matches!(self.at_write, Some(AtWrite::Kill(_)))
    }
}

/// A cut in a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Piece {
    /// Where, in thousandths of the message's length.
    pub at: u16,
    /// So many bytes before that place.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub before: u16,
    /// The pause before the rest, in microseconds.
    #[serde(default)]
    pub pause_us: u32,
}

fn is_zero(number: &u16) -> bool {
    *number == 0
}

/// An item with all its fields.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct InputItem {
    /// The name of the example that it was made from; that one's setup prepares it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub example: String,
    /// Its kind.
    pub kind: String,
    /// The fields that identify it.
    pub identity: Vec<(Bytes, Value)>,
    /// Its other fields.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attributes: Vec<(Bytes, Value)>,
}

impl InputItem {
    /// All its fields.
    pub fn fields(&self) -> impl Iterator<Item = &(Bytes, Value)> {
        self.identity.iter().chain(&self.attributes)
    }

    /// The same, to change them.
    pub(crate) fn fields_mut(&mut self) -> impl Iterator<Item = &mut (Bytes, Value)> {
        self.identity.iter_mut().chain(&mut self.attributes)
    }

    /// Gives a field a value; a new one is an attribute.
    pub(crate) fn set(&mut self, name: Bytes, value: Value) {
        let known = self.fields().position(|(known, _)| *known == name);
        match known.and_then(|at| self.fields_mut().nth(at)) {
            Some((_, own)) => *own = value,
            None => self.attributes.push((name, value)),
        }
    }

    /// All its values.
    pub fn values(&self) -> impl Iterator<Item = &Value> {
        self.fields().map(|(_, value)| value)
    }
}

impl Input {
    /// The messages about items.
    pub fn asks(&self) -> impl Iterator<Item = &Ask> {
        self.steps.iter().filter_map(|step| match step {
            InputStep::Ask(ask) => Some(ask),
            _ => None,
        })
    }

    /// How many messages it has, about.
    pub(crate) fn messages(&self) -> usize {
        let count = |step: &InputStep| match step {
            InputStep::Ask(ask) if ask.verb == Verb::Validate => 1,
            InputStep::Ask(_) | InputStep::Deed { .. } => 2,
            _ => 1,
        };
        self.steps.iter().map(count).sum()
    }

    /// The same, to change them.
    pub fn asks_mut(&mut self) -> impl Iterator<Item = &mut Ask> {
        self.steps.iter_mut().filter_map(|step| match step {
            InputStep::Ask(ask) => Some(ask),
            _ => None,
        })
    }

    /// Can it run in a process that has run others before, and leave the process to the next one?
    pub fn is_tame(&self) -> bool {
        self.steps.iter().all(|step| match step {
            InputStep::Ask(ask) => ask.kill_after_us.is_none() && ask.at_write.is_none(),
            InputStep::Pause { .. } | InputStep::Outside { .. } => true,
            InputStep::Raw { .. }
            | InputStep::Restart
            | InputStep::Protect { .. }
            | InputStep::Deed { .. } => false,
        })
    }

    /// How long it waits without anything to do.
    pub fn pauses(&self) -> Duration {
        let steps = self.steps.iter().map(|step| match step {
            InputStep::Ask(ask) => {
                let pieces = ask.pieces.iter().map(|piece| u64::from(piece.pause_us));
                Duration::from_micros(pieces.sum())
            }
            InputStep::Pause { ms } => Duration::from_millis(u64::from(*ms)),
            _ => Duration::ZERO,
        });
        steps.sum()
    }

    /// Its approximate size: what a smaller input has less of.
    pub fn weight(&self) -> usize {
        // Text that is simpler to read counts less.
        let of = |value: &Value| {
            let words = value.words();
            let odd = |word: &&[u8]| {
                word.iter()
                    .filter(|byte| !byte.is_ascii_alphanumeric())
                    .count()
            };
            words
                .iter()
                .map(|word| word.len() + odd(word))
                .sum::<usize>()
        };
        let step = |step: &InputStep| match step {
            InputStep::Ask(ask) => {
                let values: usize = ask.item.values().map(of).sum();
                let verb = if ask.verb == Verb::Validate { 0 } else { 50 };
                let is_disturbed = ask.kill_after_us.is_some() || ask.at_write.is_some();
                let kill = if is_disturbed { 50 } else { 0 };
                100 + values + verb + kill + 20 * (ask.item.attributes.len() + ask.pieces.len())
            }
            InputStep::Raw { bytes } => 100 + bytes.len(),
            _ => 50,
        };
        let steps: usize = self.steps.iter().map(step).sum();
        steps + 60 * self.surroundings.len()
    }

    /// How much memory it takes, about, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        // Each part has a place in a list, and the allocator rounds up.
        const PART: usize = 64;
        let item = |item: &InputItem| {
            let fields = item.fields().map(|(name, value)| {
                let words = value.words();
                let words = words.iter().map(|word| word.len() + PART);
                name.len() + 2 * PART + words.sum::<usize>()
            });
            item.kind.len() + item.example.len() + fields.sum::<usize>()
        };
        let steps = self.steps.iter().map(|step| {
            size_of::<InputStep>()
                + match step {
                    InputStep::Ask(ask) => item(&ask.item) + 8 * ask.pieces.len(),
                    InputStep::Deed { deed, item: about } => deed.len() + item(about),
                    InputStep::Raw { bytes } => bytes.len() + PART,
                    // What changes outside is a path, and rarely a short text.
                    InputStep::Outside { .. } => 4 * PART,
                    InputStep::Restart | InputStep::Pause { .. } | InputStep::Protect { .. } => 0,
                }
        });
        steps.sum::<usize>() + PART * (2 + self.surroundings.len())
    }

    /// A short name that depends on its content alone, the same on each machine.
    pub fn name(&self) -> String {
        let text = serde_json::to_vec(self).unwrap_or_default();
        blake3::hash(&text).to_hex()[..16].to_owned()
    }
}

impl libafl::inputs::Input for Input {}

impl libafl_bolts::HasLen for Input {
    fn len(&self) -> usize {
        self.weight()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the guide, with one step of each kind.
    #[test]
    fn a_file_holds_an_input_as_the_guide_shows_it() {
        let guide = include_str!("../../../docs/fuzzing.md");
        let text = guide.split("```json\n").nth(1).expect("an example");
        let text = text.split("```").next().expect("its end");
        let input: Input = serde_json::from_str(text).expect("an input");
        assert_eq!(input.surroundings.len(), 2);
        assert_eq!(input.asks().count(), 1);
        assert_eq!(input.steps.len(), 4);
        let again = serde_json::to_string(&input).expect("JSON");
        assert_eq!(
            serde_json::from_str::<Input>(&again).expect("an input"),
            input
        );
    }
}
