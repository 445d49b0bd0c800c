//! Why a session went wrong, as far as the subject says: one crash may break several rules, and show for each attribute.

use std::hash::{DefaultHasher, Hash, Hasher};
use stickler_judge::AnySession;
use stickler_reading::Ended;
use stickler_reading::words::contains;
use stickler_transcript::ExitCause;

/// How many words of the errors count, from their end.
const WORDS: usize = 60;

/// The place of a crash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cause {
    /// Did the process end?
    pub died: bool,
    place: u64,
}

#[cfg(test)]
impl Cause {
    pub(crate) fn at(died: bool, place: u64) -> Cause {
        Cause { died, place }
    }
}

/// The cause of what an exchange shows. `None` if the subject lives on and wrote no errors.
pub(crate) fn cause(session: &AnySession, number: Option<usize>) -> Option<Cause> {
    let mut exchanges = session.reading().exchanges();
    let exchange = exchanges.find(|exchange| Some(exchange.number) == number)?;
    let died = matches!(exchange.ended, Ended::Exited(cause) if cause != ExitCause::Lost);
    if !died && exchange.errors.is_empty() {
        return None;
    }
    let mut hasher = DefaultHasher::new();
    exchange.phase.name().hash(&mut hasher);
    if let Ended::Exited(cause) = exchange.ended {
        format!("{cause:?}").hash(&mut hasher);
    }
    place(&exchange.errors, &exchange.sent, &mut hasher);
    Some(Cause {
        died,
        place: hasher.finish(),
    })
}

/// Hashes the last words of a text that do not come from the message, and the numbers of lines.
fn place(errors: &[u8], sent: &[u8], hasher: &mut DefaultHasher) {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let mut words: Vec<(&[u8], &[u8])> = Vec::new();
    let mut before: &[u8] = b"";
    for word in errors
        .split(|byte| !is_word(byte))
        .filter(|word| !word.is_empty())
    {
        words.push((before, word));
        before = word;
    }
    let from = words.len().saturating_sub(WORDS);
    for (before, word) in &words[from..] {
        let is_number = word.iter().all(u8::is_ascii_digit);
        let counts = match is_number {
            true => before.eq_ignore_ascii_case(b"line") || before.len() <= 3,
            false => word.len() > 2 && !contains(sent, word),
        };
        if counts {
            word.hash(hasher);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::place;
    use std::hash::{DefaultHasher, Hasher};

    fn of(errors: &str, sent: &str) -> u64 {
        let mut hasher = DefaultHasher::new();
        place(errors.as_bytes(), sent.as_bytes(), &mut hasher);
        hasher.finish()
    }

    #[test]
    fn a_crash_has_one_place_whatever_value_led_to_it() {
        let said = |value: &str, line: u32| {
            let text =
                format!("File \"m.py\", line {line}, in evaluate\nValueError: bad mode '{value}'");
            of(&text, &format!("mode={value}"))
        };
        assert_eq!(said("0644", 12), said("rwx and more", 12));
        assert_ne!(said("0644", 12), said("0644", 13));
        assert_ne!(of("KeyError", ""), of("ValueError", ""));
    }
}
