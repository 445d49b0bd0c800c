//! Reads a single key as an answer.

use anyhow::Context;
use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, tcgetattr, tcsetattr};
use stickler_face::Failure;

/// What to do with a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// The new text is right.
    Accept,
    /// The new text is wrong.
    Reject,
    /// Decide later.
    Skip,
    /// Decide about all others later.
    Quit,
}

impl Key {
    /// The text to print after the question.
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

/// Asks a question, and waits for a valid key. The end of input means to quit. The terminal is in
/// raw mode before the question appears, so a quick Ctrl-C is not a signal.
///
/// # Errors
/// If the terminal cannot be read, or if the question cannot be printed.
pub fn ask(question: impl FnOnce() -> Result<(), Failure>) -> Result<Key, Failure> {
    let stdin = std::io::stdin();
    let before = tcgetattr(&stdin).context("asking the terminal")?;
    let mut raw = before.clone();
    // Ctrl-C arrives as a key, so that the terminal is always restored.
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
        // Bypasses the standard library's buffer to read one key at a time.
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
