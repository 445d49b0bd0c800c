//! What is new about a session's answers, so that a campaign can follow it without knowing the
//! subject's code.

use std::hash::{DefaultHasher, Hash, Hasher};
use stickler_judge::AnySession;
use stickler_reading::{Ended, Exchange};
use stickler_transcript::{ExitCause, Fate};

/// The number of marks that answers can set.
pub const MARKS: usize = 1 << 14;
/// The number of marks that comparisons can set.
pub const PAIRS: usize = 1 << 12;
/// The most texts of one answer that count.
const TEXTS: usize = 400;
/// The most words of one text that count.
const WORDS: usize = 100;
/// Answers that take longer than this, in microseconds, are a class of their own for each
/// fourfold.
pub(crate) const SLOW_US: u64 = 500_000;

/// The marks that are set in a map: their places and classes.
pub(crate) fn set(map: &[u8]) -> impl Iterator<Item = (usize, u8)> {
    // Nearly all are unset. To compare a whole piece is quick, even where each is counted.
    const PIECE: usize = 256;
    let pieces = map.chunks(PIECE).enumerate();
    let some = pieces.filter(|(_, piece)| **piece != [0; PIECE]);
    let places = some.flat_map(|(number, piece)| (number * PIECE..).zip(piece.iter().copied()));
    places.filter(|(_, class)| *class != 0)
}

/// Notes the marks of a map, each at the highest class that it had. Is something new? `first` is
/// called with the place of each mark that was never seen.
pub(crate) fn see(seen: &mut [u8], map: &[u8], mut first: impl FnMut(usize)) -> bool {
    let mut is_new = false;
    for (at, mark) in set(map) {
        if let Some(known) = seen.get_mut(at).filter(|known| mark > **known) {
            is_new = true;
            if std::mem::replace(known, mark) == 0 {
                first(at);
            }
        }
    }
    is_new
}

/// The marks of a session, each below [`MARKS`]: one for the form of each text in an answer, one for
/// the classes of each two answers in a row, one for each kind of effect. `outcomes` are the words
/// that tell classes of answers apart.
pub fn marks(session: &AnySession, outcomes: &[(&str, Fate)]) -> Vec<usize> {
    let mut marks = Vec::new();
    let mut mark = |what: &dyn Fn(&mut DefaultHasher)| {
        let mut hasher = DefaultHasher::new();
        what(&mut hasher);
        marks.push(usize::try_from(hasher.finish() % MARKS as u64).unwrap_or(0));
    };
    let mut before = 0;
    for exchange in session.reading().exchanges() {
        // Each text by itself: all combinations of a few messages would be many forms.
        for form in forms(exchange) {
            mark(&|hasher| ("text", form, exchange.phase.name()).hash(hasher));
        }
        let class = class(exchange, outcomes);
        mark(&|hasher| ("pair", before, class).hash(hasher));
        before = class;
        for change in exchange.effects.iter().flatten() {
            let after = change
                .after
                .as_ref()
                .map(|entry| (entry.kind as u8, entry.mode));
            mark(&|hasher| {
                ("effect", change.kind, after, exchange.phase.name()).hash(hasher);
            });
        }
    }
    marks
}

/// How much of a text is searched for a side of a comparison.
const SEARCHED: usize = 2 << 10;

/// The marks of comparisons, each below [`PAIRS`]: one for each side that the subject itself has, since a comparison
/// that was never made before is a way into the subject, and one for each step that the other side comes nearer.
/// `texts` are those of the message.
pub(crate) fn compared(pairs: &[[Vec<u8>; 2]], texts: &[&[u8]]) -> Vec<usize> {
    use stickler_reading::words::contains;
    // A part of the message differs from input to input.
    let is_own = |side: &[u8]| {
        // To look through long texts for each of hundreds of sides would take longer than to run the input.
        let mut long = texts
            .iter()
            .filter(|text| text.len() > 1)
            .map(|text| &text[..text.len().min(SEARCHED)]);
        !long.any(|text| contains(text, side) || contains(side, text))
    };
    let mut marks = Vec::new();
    let mut mark = |what: (&[u8], Option<u32>)| {
        let mut hasher = DefaultHasher::new();
        what.hash(&mut hasher);
        marks.push(usize::try_from(hasher.finish() % PAIRS as u64).unwrap_or(0));
    };
    for [one, other] in pairs {
        for (side, from) in [(one, other), (other, one)] {
            let is_number = number(side).is_some();
            if !is_number && (side.len() < 2 || !is_own(side)) {
                continue;
            }
            // Numbers are many: how long a text is, how many came before.
            if !is_number {
                mark((side, None));
            }
            if let Some(near) = near(side, from) {
                mark((side, Some(near)));
            }
        }
    }
    marks
}

/// How near a side of a comparison is to the other one, as a class: numbers by their distance, texts by what they begin
/// with. `None` if they are far from each other.
fn near(side: &[u8], from: &[u8]) -> Option<u32> {
    const EXACT: u32 = 8;
    // What is farther away leads nowhere.
    const FAR: u64 = 1 << 20;
    match (number(side), number(from)) {
        (Some(one), Some(other)) => {
            let distance = one.abs_diff(other);
            let exact = u32::try_from(distance).ok().filter(|near| *near <= EXACT);
            let class = exact.unwrap_or_else(|| EXACT + distance.ilog2());
            (distance < FAR).then_some(class)
        }
        (None, None) => {
            let same = side
                .iter()
                .zip(from)
                .take_while(|(one, other)| one == other);
            let same = same.count();
            (same > 0).then(|| u32::try_from(same).unwrap_or(u32::MAX))
        }
        _ => None,
    }
}

/// A number as a machine writes it: one with zeros before it is a text, such as a mode.
fn number(side: &[u8]) -> Option<i64> {
    let is_text = side.len() > 1 && side.starts_with(b"0");
    let text = std::str::from_utf8(side).ok().filter(|_| !is_text)?;
    text.parse().ok()
}

/// The class of an answer: how it ended, and which outcome it names.
fn class(exchange: &Exchange, outcomes: &[(&str, Fate)]) -> u64 {
    let mut hasher = DefaultHasher::new();
    exchange.phase.name().hash(&mut hasher);
    ended(exchange).hash(&mut hasher);
    let slow = exchange.took().unwrap_or(0) / SLOW_US;
    (u64::BITS - slow.leading_zeros())
        .div_ceil(2)
        .hash(&mut hasher);
    for (outcome, _) in outcomes {
        stickler_reading::words::has_word(&exchange.output, outcome.as_bytes()).hash(&mut hasher);
    }
    hasher.finish()
}

fn ended(exchange: &Exchange) -> i64 {
    match exchange.ended {
        Ended::Answered => 0,
        Ended::NoAnswer => 1,
        Ended::ClosedOutput => 2,
        Ended::Killed => 3,
        Ended::Silent(_) => 4,
        Ended::Exited(ExitCause::Code(code)) => 1_000 + i64::from(code),
        Ended::Exited(ExitCause::Signal(signal)) => 2_000 + i64::from(signal),
        Ended::Exited(ExitCause::Lost) => 5,
    }
}

/// The forms of the texts in an answer: of each line, and of each string in quotes.
fn forms(exchange: &Exchange) -> Vec<u64> {
    let all = [&exchange.output[..], &exchange.errors[..]];
    let lines = all
        .into_iter()
        .flat_map(|text| text.split(|byte| *byte == b'\n'));
    // What the message says whole has no words of its own.
    let lines = lines.filter(|line| !stickler_reading::words::contains(&exchange.sent, line));
    let texts = lines.flat_map(|line| line.split(|byte| *byte == b'"'));
    let forms = texts.take(TEXTS).map(|text| form(text, &exchange.sent));
    forms.flatten().collect()
}

/// The words of a text that do not come from the message, hashed. `None` if there are none.
pub(crate) fn form(text: &[u8], sent: &[u8]) -> Option<u64> {
    let mut hasher = DefaultHasher::new();
    let mut has_words = false;
    let mut rest = text;
    for _ in 0..WORDS {
        let from = rest
            .iter()
            .position(|byte| is_letter(byte) || *byte == b'\\');
        let Some(from) = from else {
            break;
        };
        rest = &rest[from..];
        let is_escape = rest[0] == b'\\';
        let length = match is_escape {
            // However a value is escaped: it came from the message.
            true => escape(rest),
            false => rest.iter().take_while(|byte| is_letter(byte)).count(),
        };
        let (word, after) = rest.split_at(length);
        if !is_escape && length > 1 && !is_from(sent, word) {
            word.hash(&mut hasher);
            has_words = true;
        }
        rest = after;
    }
    has_words.then(|| hasher.finish())
}

/// Does a word come from the message? Short words such as `is` are parts of many others.
fn is_from(sent: &[u8], word: &[u8]) -> bool {
    let is_usual = word.len() < 6 && word[1..].iter().all(u8::is_ascii_lowercase);
    if !is_usual {
        return stickler_reading::words::contains(sent, word);
    }
    memchr::memmem::find_iter(sent, word).any(|at| {
        let before = &sent[..at];
        // More letters than one would be the same: long texts have many.
        let nearest = before.iter().rev().take(2);
        let letters = nearest.take_while(|byte| is_letter(byte));
        // An escape such as `\n` is no part of the word.
        let is_start = match letters.count() {
            0 => true,
            1 => before.len() > 1 && before[before.len() - 2] == b'\\',
            _ => false,
        };
        is_start && !sent.get(at + word.len()).is_some_and(is_letter)
    })
}

fn is_letter(byte: &u8) -> bool {
    byte.is_ascii_alphabetic() || *byte == b'_'
}

/// The length of an escape such as `\n`, `\xff` or `\u00e9`.
fn escape(text: &[u8]) -> usize {
    let digits = match text.get(1) {
        Some(b'x') => 2,
        Some(b'u') => 4,
        Some(b'U') => 8,
        Some(_) => return 2,
        None => return 1,
    };
    let digits = text.iter().skip(2).take(digits);
    2 + digits.take_while(|byte| byte.is_ascii_hexdigit()).count()
}

#[cfg(test)]
mod tests {
    use super::{compared, form};

    #[test]
    fn an_input_closer_to_matching_a_comparison_is_new() {
        let marks = |one: &str, other: &str| {
            let pair = [one.as_bytes().to_vec(), other.as_bytes().to_vec()];
            compared(&[pair], &[b"the message"])
        };
        let is_new =
            |later: &[usize], earlier: &[usize]| later.iter().any(|mark| !earlier.contains(mark));
        assert!(is_new(&marks("3", "50"), &marks("2", "1000000")));
        assert!(is_new(&marks("48", "50"), &marks("47", "50")));
        assert!(is_new(&marks("opposite", "open"), &marks("other", "open")));
        // What is far away is not any nearer.
        assert!(!is_new(&marks("9000000", "50"), &marks("8000000000", "50")));
        // How far away it is does not matter.
        assert!(!is_new(&marks("x", "open"), &marks("y", "open")));
        // What is a part of the message is nothing of the subject's.
        assert!(marks("message", "x").is_empty());
    }

    #[test]
    fn a_text_has_one_form_whatever_value_it_quotes() {
        let said = |value: &str| {
            form(
                format!("The mode '{value}' is no mode").as_bytes(),
                value.as_bytes(),
            )
        };
        let plain = said("0644");
        assert!(plain.is_some());
        for value in ["stickler", "a mod", "two words", ""] {
            assert_eq!(said(value), plain, "{value}");
        }
        for escaped in ["\\u00e9", "\\xff\\xfe", "\\n", "\\U0001f600b"] {
            let text = format!("The mode '{escaped}' is no mode");
            assert_eq!(form(text.as_bytes(), b"\xff"), plain, "{escaped}");
        }
        assert_ne!(form(b"The mode is missing", b""), plain);
        assert_eq!(form(b"'0644': \\", b""), None);
    }
}
