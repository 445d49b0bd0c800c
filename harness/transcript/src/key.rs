//! Keys of exchanges: what a request is for, the how manieth of its kind it is, and about which item.
//! Plans make keys and rules look for them by the same purposes; they are text only in a file.

use crate::Name;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

/// What a request is for, such as "evaluate". Purposes are constants: those of shared plans are here, those
/// of a dialect in its protocol crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Purpose(&'static str);

impl Purpose {
    /// A validation.
    pub const VALIDATE: Purpose = Purpose::new("v");
    /// An evaluation.
    pub const EVALUATE: Purpose = Purpose::new("e");
    /// A validation before a dry evaluation.
    pub const DRY_VALIDATE: Purpose = Purpose::new("wv");
    /// A dry evaluation.
    pub const DRY_EVALUATE: Purpose = Purpose::new("we");
    /// A dry evaluation among others, which only looks.
    pub const LOOK: Purpose = Purpose::new("w");
    /// A dry evaluation after drift or an edit. Turns count from 0.
    pub const WARNED: Purpose = Purpose::new("warned");
    /// An evaluation after drift or an edit. Turns count from 0.
    pub const MENDED: Purpose = Purpose::new("mended");
    /// An evaluation of the original after an edit. Turns count from 0.
    pub const BACK: Purpose = Purpose::new("back");
    /// A validation in a session in which calls are counted, or the process is killed.
    pub const DISTURBED_VALIDATE: Purpose = Purpose::new("kv");
    /// An evaluation whose calls are counted.
    pub const COUNTED: Purpose = Purpose::new("kc");
    /// An evaluation that is killed.
    pub const KILLED: Purpose = Purpose::new("ke");
    /// An evaluation once the cause of a failure is gone; with a part, after that of another item.
    pub const AFTER: Purpose = Purpose::new("after");
    /// An evaluation of what is right, in which a command fails that tells what there is. Turns count from 0.
    pub const ASKED: Purpose = Purpose::new("asked");
    /// An evaluation that makes what another one removes.
    pub const MADE: Purpose = Purpose::new("made");
    /// An evaluation that removes what another one makes.
    pub const REMOVED: Purpose = Purpose::new("removed");
    /// An evaluation of what a removal should have left.
    pub const LEFT: Purpose = Purpose::new("left");
    /// An evaluation of what the author declares invalid, which the subject must refuse.
    pub const REFUSED: Purpose = Purpose::new("refused");
    /// An evaluation in a process of its own.
    pub const ANEW: Purpose = Purpose::new("anew");
    /// An evaluation after something was changed from outside. Turns count from 0.
    pub const CHANGED: Purpose = Purpose::new("changed");
    /// An evaluation where links, modes or owners are not as usual. Turns count from 0.
    pub const LINKED: Purpose = Purpose::new("linked");
    /// The same once more.
    pub const LINKED_AGAIN: Purpose = Purpose::new("linked-again");

    /// The purpose with this text: lower-case letters and hyphens.
    ///
    /// # Panics
    /// If the text has other characters, or none. For constants.
    pub const fn new(text: &'static str) -> Purpose {
        let bytes = text.as_bytes();
        assert!(!bytes.is_empty(), "a purpose has a text");
        let mut at = 0;
        while at < bytes.len() {
            assert!(bytes[at].is_ascii_lowercase() || bytes[at] == b'-');
            at += 1;
        }
        Purpose(text)
    }

    /// Its text.
    pub const fn text(self) -> &'static str {
        self.0
    }

    /// The key of this turn, written even if it is the first.
    pub fn turn(self, turn: usize) -> Key {
        Key::without_label(format!("{}{turn}", self.0))
    }

    /// The key of this turn, counted from 1: the first one is not written.
    pub fn nth(self, turn: usize) -> Key {
        match turn {
            0 | 1 => self.into(),
            turn => self.turn(turn),
        }
    }

    /// The key of a part of it.
    pub fn part(self, part: &str) -> Key {
        Key::from(self).part(part)
    }

    /// The key with the label of an item, or the name of something else that it is about.
    pub fn of(self, label: &str) -> Key {
        Key::from(self).of(label)
    }
}

/// The key that names an exchange: in a group, exchanges with the same key are compared. As text:
/// `VERB[TURN][-PART][:LABEL]`, such as `e2:e1`.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(from = "Name", into = "Name")]
pub struct Key {
    text: Name,
    /// The length of what comes before the label, in bytes. A part may be a label itself; as text, only who
    /// knows it can tell where it ends ([`Key::is_part`]).
    act: usize,
}

impl PartialEq for Key {
    fn eq(&self, other: &Key) -> bool {
        self.text == other.text
    }
}

impl Eq for Key {}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Key) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Key {
    fn cmp(&self, other: &Key) -> Ordering {
        self.text.cmp(&other.text)
    }
}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.text.hash(state);
    }
}

impl From<Name> for Key {
    fn from(text: Name) -> Key {
        let act = text.find(':').unwrap_or(text.len());
        Key { text, act }
    }
}

impl From<Key> for Name {
    fn from(key: Key) -> Name {
        key.text
    }
}

impl Key {
    /// A key from outside: a recording has its own. Plans and rules make keys from purposes.
    pub fn parse(text: &str) -> Key {
        Name::from(text).into()
    }

    fn without_label(act: String) -> Key {
        Key {
            act: act.len(),
            text: act.into(),
        }
    }

    /// Its text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// What comes before the label.
    pub fn before(&self) -> &str {
        &self.text[..self.act]
    }

    /// The key without the label.
    pub fn act(&self) -> Key {
        Key::without_label(self.before().to_owned())
    }

    /// The label of the item, or the name of something else that it is about.
    pub fn label(&self) -> Option<&str> {
        self.text[self.act..].strip_prefix(':')
    }

    /// The same about an item with another label.
    pub fn of(&self, label: &str) -> Key {
        Key {
            text: format!("{}:{label}", self.before()).into(),
            act: self.act,
        }
    }

    /// The key of a part of this exchange, with the same label.
    pub fn part(&self, part: &str) -> Key {
        let act = Key::without_label(format!("{}-{part}", self.before()));
        match self.label() {
            Some(label) => act.of(label),
            None => act,
        }
    }

    /// Is it for this, in the first turn and as a whole?
    pub fn is(&self, purpose: Purpose) -> bool {
        self.before() == purpose.0
    }

    /// The turn, if it is for this as a whole. The first turn is 1 if it is not written.
    pub fn turn_of(&self, purpose: Purpose) -> Option<usize> {
        match self.before().strip_prefix(purpose.0)? {
            "" => Some(1),
            turn if turn.bytes().all(|byte| byte.is_ascii_digit()) => turn.parse().ok(),
            _ => None,
        }
    }

    /// The part, if it is for a part of this in the first turn.
    pub fn part_of(&self, purpose: Purpose) -> Option<&str> {
        self.before().strip_prefix(purpose.0)?.strip_prefix('-')
    }

    /// Is it for this part? The part may be a label.
    pub fn is_part(&self, purpose: Purpose, part: &str) -> bool {
        let rest = self.text.strip_prefix(purpose.0);
        let rest = rest.and_then(|rest| rest.strip_prefix('-')?.strip_prefix(part));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
    }

    /// Splits the first part off: what the exchange belongs to, and which part of it this is.
    pub fn parted(&self) -> (Key, Option<&str>) {
        match self.before().split_once('-') {
            None => (self.clone(), None),
            Some((whole, part)) => {
                let whole = Key::without_label(whole.to_owned());
                match self.label() {
                    Some(label) => (whole.of(label), Some(part)),
                    None => (whole, Some(part)),
                }
            }
        }
    }
}

impl From<Purpose> for Key {
    fn from(purpose: Purpose) -> Self {
        Key::without_label(purpose.0.to_owned())
    }
}

impl From<&Key> for Key {
    fn from(key: &Key) -> Self {
        key.clone()
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.text, f)
    }
}
