//! Changes texts, and makes up new ones.

use crate::dice::Dice;
use crate::dictionary::Dictionary;
use proptest::strategy::{BoxedStrategy, Strategy, ValueTree};
use std::cell::RefCell;

/// The longest text, in bytes; rarely, one is doubled beyond it.
const LONGEST: usize = 4_096;
/// The longest text of all.
const MOST: usize = 1 << 17;

/// The forms of texts that are made up, as regular expressions.
const FORMS: &[&str] = &[
    "[a-z]{1,8}",
    "[a-zA-Z0-9_.-]{1,16}",
    "-?[0-9]{1,12}",
    "[0-7]{3,5}",
    "(/[a-z.]{1,6}){1,4}/?",
    "[a-z]{1,4}=[a-z0-9 ]{0,6}",
    "\\PC{0,24}",
    "[ -~]{0,40}",
    "[ -~\\t\\n]{0,40}",
    "(?s:.){0,16}",
    "[a-z]{1,3}(,[a-z]{1,3}){0,4}",
];

thread_local! {
    static STRATEGIES: RefCell<Vec<BoxedStrategy<String>>> = RefCell::new(
        FORMS
            .iter()
            .filter_map(|form| proptest::string::string_regex(form).ok())
            .map(Strategy::boxed)
            .collect(),
    );
}

/// A text that has nothing to do with others.
pub(super) fn generated(dice: &mut Dice) -> Vec<u8> {
    STRATEGIES.with_borrow(|strategies| {
        let form = dice.pick(strategies);
        match form.map(|form| form.new_tree(&mut dice.runner())) {
            Some(Ok(tree)) => tree.current().into_bytes(),
            _ => Vec::new(),
        }
    })
}

/// Where the last part of a path begins; the start of what is no path.
pub(crate) fn last_part(text: &[u8]) -> usize {
    let slash = text.iter().rposition(|byte| *byte == b'/');
    slash.map_or(0, |at| at + 1)
}

/// Changes a text.
pub(super) fn vary(dice: &mut Dice, text: &mut Vec<u8>, words: &Dictionary) {
    if dice.one_in(4) && words.satisfy(dice, text) {
        return;
    }
    let len = text.len();
    // Paths are changed in their last part, so that they stay in the sandbox's directories.
    let name = last_part(text);
    let spot = |dice: &mut Dice| {
        if dice.one_in(8) {
            dice.below(len + 1)
        } else {
            name.min(len) + dice.below(len + 1 - name.min(len))
        }
    };
    let word = |dice: &mut Dice| words.word(dice);
    match dice.below(24) {
        0 => {
            let at = spot(dice);
            text.splice(at..at, word(dice));
        }
        1 => text.splice(0..0, word(dice)).for_each(drop),
        2 => text.extend(word(dice)),
        3 => {
            // The last part of a path, or the whole text.
            text.truncate(name);
            text.extend(word(dice));
        }
        4 if len > 0 => {
            let at = spot(dice);
            let to = (at + 1 + dice.below(4)).min(len);
            text.drain(at.min(to)..to);
        }
        5 => text.truncate(spot(dice)),
        6 if len > 0 && len <= LONGEST => {
            let again = text.clone();
            let times = if dice.one_in(10) {
                1 + dice.below(64)
            } else {
                1
            };
            for _ in 0..times {
                if text.len() + again.len() <= MOST {
                    text.extend_from_slice(&again[name.min(again.len())..]);
                }
            }
        }
        7 if len > 0 => {
            let at = spot(dice).min(len - 1);
            text[at] = match dice.below(4) {
                0 => text[at].to_ascii_uppercase(),
                1 => text[at].to_ascii_lowercase(),
                2 => text[at].wrapping_add(1),
                _ => b" -/.:'\"\\$%#*"[dice.below(12)],
            };
        }
        8 if len > 0 && dice.one_in(4) => {
            let at = spot(dice).min(len - 1);
            text[at] ^= 1 << dice.below(8);
        }
        9 => number(dice, text),
        10 => text.push(b" \t/.~"[dice.below(5)]),
        11 => {
            let at = spot(dice);
            text.splice(at..at, generated(dice));
        }
        12 => {
            text.truncate(name);
            text.extend(generated(dice));
        }
        13 => {
            let at = spot(dice);
            text.splice(at..at, [printable(dice)]);
        }
        14 | 15 if len > 0 => {
            let at = spot(dice).min(len - 1);
            text[at] = printable(dice);
        }
        16 => lengthen(dice, text, name),
        17 | 18 if len > 0 => same_class(dice, text, name),
        19 | 20 if len > 0 => parts(dice, text, name),
        21 => digits(dice, text),
        _ => {
            let at = spot(dice);
            text.splice(at..at, [b' ']);
        }
    }
}

fn printable(dice: &mut Dice) -> u8 {
    b' ' + u8::try_from(dice.below(95)).unwrap_or(0)
}

/// Puts a letter in the place of a letter, or a digit in that of a digit: the form of the value stays.
fn same_class(dice: &mut Dice, text: &mut [u8], name: usize) {
    let places: Vec<usize> = (name..text.len())
        .filter(|at| text[*at].is_ascii_alphanumeric())
        .collect();
    let Some(at) = dice.pick(&places).copied() else {
        return;
    };
    let letter = |first: u8, count: usize, dice: &mut Dice| {
        first + u8::try_from(dice.below(count)).unwrap_or(0)
    };
    text[at] = match text[at] {
        b'0'..=b'9' => letter(b'0', 10, dice),
        b'a'..=b'z' => letter(b'a', 26, dice),
        _ => letter(b'A', 26, dice),
    };
}

/// Leaves out, doubles or swaps parts of a text, which signs such as `,` or `.` divide.
fn parts(dice: &mut Dice, text: &mut Vec<u8>, name: usize) {
    let signs = b",.:;=/-_ |@&?";
    let tail = &text[name.min(text.len())..];
    let there: Vec<u8> = signs
        .iter()
        .copied()
        .filter(|sign| tail.contains(sign))
        .collect();
    let Some(sign) = dice.pick(&there).copied() else {
        return;
    };
    let mut parts: Vec<Vec<u8>> = tail
        .split(|byte| *byte == sign)
        .map(<[u8]>::to_vec)
        .collect();
    let at = dice.below(parts.len());
    match dice.below(4) {
        0 => {
            parts.remove(at);
        }
        1 => parts.insert(at, parts[at].clone()),
        2 => {
            let other = dice.below(parts.len());
            parts.swap(at, other);
        }
        // As many as lists rarely have.
        _ => {
            let again = parts[at].clone();
            let times = 1 << dice.below(8);
            parts.extend(std::iter::repeat_n(again, times));
        }
    }
    let tail = parts.join(&sign);
    text.truncate(name);
    text.extend(tail);
    text.truncate(MOST);
}

/// Writes a digit in another script: some programs take it for a number.
fn digits(dice: &mut Dice, text: &mut Vec<u8>) {
    let places: Vec<usize> = (0..text.len())
        .filter(|at| text[*at].is_ascii_digit())
        .collect();
    let Some(at) = dice.pick(&places).copied() else {
        return;
    };
    let zeros = ['\u{660}', '\u{966}', '\u{ff10}', '\u{1d7ce}'];
    let zero = zeros[dice.below(zeros.len())];
    let digit = u32::from(text[at] - b'0') + u32::from(zero);
    let mut buffer = [0; 4];
    let written = char::from_u32(digit)
        .unwrap_or(zero)
        .encode_utf8(&mut buffer);
    text.splice(at..=at, written.bytes()).for_each(drop);
}

/// Repeats what follows the first `kept` bytes until the text is as long as buffers are, or a
/// little shorter or longer. Some are made of letters of two bytes, one of which lies across the end of a buffer.
fn lengthen(dice: &mut Dice, text: &mut Vec<u8>, kept: usize) {
    let whole = 1_usize << (4 + dice.below(13));
    let to = whole + dice.below(3) - 1;
    let part = match &text[kept.min(text.len())..] {
        _ if dice.one_in(4) => {
            if !(whole - text.len().min(whole)).is_multiple_of(2) {
                text.push(b'x');
            }
            // The last one begins before the border.
            text.push(b'x');
            "é".as_bytes().to_vec()
        }
        [] => b"x".to_vec(),
        part => part.to_vec(),
    };
    let missing = to.saturating_sub(text.len());
    text.extend(part.iter().cycle().take(missing));
}

/// Changes a number in a text to one near it, or to one at an edge.
fn number(dice: &mut Dice, text: &mut Vec<u8>) {
    let Some(from) = text.iter().position(u8::is_ascii_digit) else {
        return;
    };
    let length = text[from..]
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let digits = std::str::from_utf8(&text[from..from + length]).ok();
    let Some(value) = digits.and_then(|digits| digits.parse::<i64>().ok()) else {
        return;
    };
    let new = match dice.below(11) {
        0 => value.saturating_add(1).to_string(),
        1 => value.saturating_sub(1).to_string(),
        2 => value.saturating_mul(2).to_string(),
        3 => format!("0{value}"),
        4 => format!("-{value}"),
        5 => "0".to_owned(),
        6 => i64::MAX.to_string(),
        7 => (1_i64 << dice.below(63)).to_string(),
        8 => ((1_i64 << dice.below(63)) - 1).to_string(),
        9 => format!("{value}e{}", dice.below(400)),
        _ => dice.below(1 << 16).to_string(),
    };
    text.splice(from..from + length, new.into_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Zeros, which some generators refuse, are texts too, and so are no bytes at all.
    #[test]
    fn any_bytes_are_a_text_of_each_form() {
        for form in 0..FORMS.len() {
            for byte in [0, 1, 0x7f, 0xff] {
                for count in [0, 1, 2, 8, 64] {
                    let mut bytes = vec![form as u8, count];
                    bytes.extend(std::iter::repeat_n(byte, usize::from(count)));
                    let text = generated(&mut Dice::taken(&bytes));
                    assert!(text.len() <= LONGEST);
                    assert_eq!(generated(&mut Dice::taken(&bytes)), text);
                }
            }
        }
        assert_ne!(
            generated(&mut Dice::taken(&[1, 8, 1, 2, 3, 4, 5, 6, 7, 8])),
            generated(&mut Dice::taken(&[1, 8, 1, 2, 3, 4, 5, 6, 7, 9])),
        );
    }
}
