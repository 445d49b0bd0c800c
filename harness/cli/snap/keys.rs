//! One key of the keyboard as an answer.

use crate::failure::Failure;
use anyhow::Context;
use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, tcgetattr, tcsetattr};

/// What to do with a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// It is right now.
    Accept,
    /// It is wrong.
    Reject,
    /// Later.
    Skip,
    /// All the rest later.
    Quit,
}

impl Key {
    /// What is printed behind the question.
    pub fn name(self) -> &'static str {
        match self {
            Key::Accept => "accepted\n",
            Key::Reject => "rejected\n",
            Key::Skip => "skipped\n",
            Key::Quit => "quit\n",
        }
    }

    fn of(byte: u8) -> Option<Key> {
        Some(match byte.to_ascii_lowercase() {
            b'a' | b'y' => Key::Accept,
            b'r' | b'n' => Key::Reject,
            b's' | b' ' => Key::Skip,
            // Ctrl-C, Ctrl-D and Escape too.
            b'q' | 3 | 4 | 27 => Key::Quit,
            _ => return None,
        })
    }
}

/// Asks, and waits for a key that answers. The end of input means to quit. The
/// terminal gives keys before the question is seen: a fast answer is no signal.
///
/// # Errors
/// Where the terminal cannot be read, or the question not be put.
pub fn ask(question: impl FnOnce() -> Result<(), Failure>) -> Result<Key, Failure> {
    let stdin = std::io::stdin();
    let before = tcgetattr(&stdin).context("asking the terminal")?;
    let mut raw = before.clone();
    // Ctrl-C comes as a key, so that the terminal is put back in any case.
    raw.local_modes &= !(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG);
    raw.special_codes[SpecialCodeIndex::VMIN] = 1;
    raw.special_codes[SpecialCodeIndex::VTIME] = 0;
    tcsetattr(&stdin, OptionalActions::Now, &raw).context("setting the terminal")?;
    let key = question().and_then(|()| Ok(read(&stdin)?));
    tcsetattr(&stdin, OptionalActions::Now, &before).context("resetting the terminal")?;
    key
}

fn read(stdin: &std::io::Stdin) -> anyhow::Result<Key> {
    loop {
        // Past the buffer of the standard library: one key at a time.
        let mut byte = [0u8; 1];
        match rustix::io::read(stdin, &mut byte) {
            Ok(0) => return Ok(Key::Quit),
            Ok(_) => {
                if let Some(key) = Key::of(byte[0]) {
                    return Ok(key);
                }
            }
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error).context("reading the terminal"),
        }
    }
}
