//! Changes texts, and makes up new ones.

use super::mutation::{Change, Fits, Means, Mutation};
use crate::dice::Dice;
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

/// A place in a text. Paths are changed in their last part, so that they stay in the sandbox's directories.
fn spot(dice: &mut Dice, text: &[u8]) -> usize {
    let name = if dice.one_in(8) { 0 } else { last_part(text) };
    name + dice.below(text.len() + 1 - name)
}

/// The place of a byte.
fn byte(dice: &mut Dice, text: &[u8]) -> Option<usize> {
    let last = text.len().checked_sub(1)?;
    Some(spot(dice, text).min(last))
}

/// The place of one of the bytes of the last part that are like this.
fn one(dice: &mut Dice, text: &[u8], is: fn(&u8) -> bool) -> Option<usize> {
    let places = last_part(text)..text.len();
    let places: Vec<usize> = places.filter(|at| is(&text[*at])).collect();
    dice.pick(&places).copied()
}

fn insert(dice: &mut Dice, text: &mut Vec<u8>, bytes: Vec<u8>) {
    let at = spot(dice, text);
    text.splice(at..at, bytes).for_each(drop);
}

/// Puts other bytes in the place of the last part of a path, or of the whole text.
fn replace(text: &mut Vec<u8>, bytes: Vec<u8>) {
    text.truncate(last_part(text));
    text.extend(bytes);
}

pub(super) const MUTATIONS: &[Mutation] = &[
    Mutation::new(
        "text/compared",
        "puts one side of any comparison in the place of the other",
        57,
        Change::Text(|means, text| {
            let dictionary = &means.space.dictionary;
            dictionary.satisfy(means.dice, text).then_some(())
        }),
    ),
    Mutation::new(
        "text/insert-word",
        "inserts a word of the dictionary",
        7,
        Change::Text(|means, text| {
            let word = means.word();
            insert(means.dice, text, word);
            Some(())
        }),
    ),
    Mutation::new(
        "text/prepend-word",
        "puts a word of the dictionary before a text",
        9,
        Change::Text(|means, text| {
            text.splice(0..0, means.word()).for_each(drop);
            Some(())
        }),
    ),
    Mutation::new(
        "text/append-word",
        "appends a word of the dictionary",
        10,
        Change::Text(|means, text| {
            text.extend(means.word());
            Some(())
        }),
    ),
    Mutation::new(
        "text/replace-word",
        "puts a word of the dictionary in the place of the last part of a path, or of a text",
        12,
        Change::Text(|means, text| {
            replace(text, means.word());
            Some(())
        }),
    ),
    Mutation::new(
        "text/insert-made",
        "inserts a made-up text",
        4,
        Change::Text(|means, text| {
            let made = generated(means.dice);
            insert(means.dice, text, made);
            Some(())
        }),
    ),
    Mutation::new(
        "text/replace-made",
        "puts a made-up text in the place of the last part of a path, or of a text",
        7,
        Change::Text(|means, text| {
            replace(text, generated(means.dice));
            Some(())
        }),
    ),
    Mutation::new(
        "text/insert-letter",
        "inserts a printable letter",
        7,
        Change::Text(|means, text| {
            let letter = printable(means.dice);
            insert(means.dice, text, vec![letter]);
            Some(())
        }),
    ),
    Mutation::new(
        "text/insert-blank",
        "inserts a blank",
        14,
        Change::Text(|means, text| {
            insert(means.dice, text, vec![b' ']);
            Some(())
        }),
    ),
    Mutation::new(
        "text/end",
        "appends a blank or a sign of paths",
        7,
        Change::Text(|means, text| {
            text.push(b" \t/.~"[means.dice.below(5)]);
            Some(())
        }),
    ),
    Mutation::new(
        "text/delete",
        "leaves out one to four bytes",
        7,
        Change::Text(|means, text| {
            let at = byte(means.dice, text)?;
            let to = at + 1 + means.dice.below(4);
            text.drain(at..to.min(text.len()));
            Some(())
        }),
    ),
    Mutation::new(
        "text/truncate",
        "cuts a text off",
        10,
        Change::Text(|means, text| {
            let at = byte(means.dice, text)?;
            text.truncate(at);
            Some(())
        }),
    ),
    Mutation::new(
        "text/double",
        "repeats the last part of a path, or a text, once or often",
        12,
        Change::Text(double),
    ),
    Mutation::new(
        "text/letter",
        "puts a printable letter in the place of a byte",
        24,
        Change::Text(|means, text| {
            let at = byte(means.dice, text)?;
            text[at] = printable(means.dice);
            Some(())
        }),
    ),
    Mutation::new(
        "text/sign",
        "puts a sign that troubles programs in the place of a byte",
        4,
        Change::Text(|means, text| {
            let at = byte(means.dice, text)?;
            text[at] = b" -/.:'\"\\$%#*"[means.dice.below(12)];
            Some(())
        }),
    ),
    Mutation::new(
        "text/case",
        "changes the case of a letter",
        4,
        Change::Text(|means, text| {
            let at = one(means.dice, text, u8::is_ascii_alphabetic)?;
            text[at] ^= 0x20;
            Some(())
        }),
    ),
    Mutation::new(
        "text/next",
        "puts the next byte in the place of one",
        2,
        Change::Text(|means, text| {
            let at = byte(means.dice, text)?;
            text[at] = text[at].wrapping_add(1);
            Some(())
        }),
    ),
    Mutation::new(
        "text/bit",
        "changes a bit",
        2,
        Change::Text(|means, text| {
            let at = byte(means.dice, text)?;
            text[at] ^= 1 << means.dice.below(8);
            Some(())
        }),
    ),
    Mutation::new(
        "text/same-class",
        "puts a letter in the place of a letter, or a digit in that of a digit",
        14,
        Change::Text(|means, text| same_class(means, text)),
    ),
    Mutation::new(
        "text/other-digits",
        "writes a digit in another script",
        10,
        Change::Text(digits),
    ),
    Mutation::new(
        "text/buffer",
        "makes a text as long as a buffer, or a byte shorter or longer",
        7,
        Change::Text(|means, text| {
            let name = last_part(text);
            let part = match &text[name..] {
                [] => b"x".to_vec(),
                part => part.to_vec(),
            };
            lengthen(means.dice, text, &part);
            Some(())
        }),
    ),
    Mutation::new(
        "text/split-buffer",
        "the same with a letter of two bytes across the end",
        8,
        Change::Text(split_buffer),
    ),
    Mutation::new(
        "part/remove",
        "leaves out a part of a text, between signs such as `,`",
        4,
        Change::Text(|means, text| {
            parts(means.dice, text, |_, parts, at| {
                parts.remove(at);
            })
        }),
    ),
    Mutation::new(
        "part/double",
        "doubles a part of a text",
        4,
        Change::Text(|means, text| {
            parts(means.dice, text, |_, parts, at| {
                parts.insert(at, parts[at].clone());
            })
        }),
    ),
    Mutation::new(
        "part/swap",
        "swaps two parts of a text",
        4,
        Change::Text(|means, text| {
            parts(means.dice, text, |dice, parts, at| {
                let other = dice.below(parts.len());
                parts.swap(at, other);
            })
        }),
    ),
    Mutation::new(
        "part/many",
        "repeats a part of a text as often as lists rarely have",
        4,
        Change::Text(|means, text| {
            parts(means.dice, text, |dice, parts, at| {
                let again = parts[at].clone();
                let times = 1 << dice.below(8);
                parts.extend(std::iter::repeat_n(again, times));
            })
        }),
    ),
    Mutation::new(
        "number/near",
        "puts the next number, or twice the number, in its place",
        4,
        Change::Text(|means, text| {
            number(text, |value| match means.dice.below(3) {
                0 => value.saturating_add(1).to_string(),
                1 => value.saturating_sub(1).to_string(),
                _ => value.saturating_mul(2).to_string(),
            })
        }),
    ),
    Mutation::new(
        "number/form",
        "writes a number with a zero before it, a sign or an exponent",
        4,
        Change::Text(|means, text| {
            number(text, |value| match means.dice.below(3) {
                0 => format!("0{value}"),
                1 => format!("-{value}"),
                _ => format!("{value}e{}", means.dice.below(400)),
            })
        }),
    ),
    Mutation::new(
        "number/edge",
        "puts 0, a power of two or the largest number in the place of one",
        4,
        Change::Text(|means, text| {
            number(text, |_| match means.dice.below(4) {
                0 => "0".to_owned(),
                1 => i64::MAX.to_string(),
                2 => (1_i64 << means.dice.below(63)).to_string(),
                _ => ((1_i64 << means.dice.below(63)) - 1).to_string(),
            })
        }),
    ),
    Mutation::new(
        "number/any",
        "puts any number below 65,536 in the place of one",
        2,
        Change::Text(|means, text| number(text, |_| means.dice.below(1 << 16).to_string())),
    ),
];

fn printable(dice: &mut Dice) -> u8 {
    b' ' + u8::try_from(dice.below(95)).unwrap_or(0)
}

fn double(means: &mut Means<'_>, text: &mut Vec<u8>) -> Fits {
    let again = text[last_part(text)..].to_vec();
    if again.is_empty() || text.len() > LONGEST {
        return None;
    }
    let times = match means.dice.one_in(10) {
        true => 1 + means.dice.below(64),
        false => 1,
    };
    for _ in 0..times {
        if text.len() + again.len() <= MOST {
            text.extend_from_slice(&again);
        }
    }
    Some(())
}

/// The form of the value stays.
fn same_class(means: &mut Means<'_>, text: &mut [u8]) -> Fits {
    let at = one(means.dice, text, u8::is_ascii_alphanumeric)?;
    let (first, count) = match text[at] {
        b'0'..=b'9' => (b'0', 10),
        b'a'..=b'z' => (b'a', 26),
        _ => (b'A', 26),
    };
    text[at] = first + u8::try_from(means.dice.below(count)).unwrap_or(0);
    Some(())
}

/// Changes the list of parts of a text, which signs such as `,` or `.` divide. The change gets the place of one.
fn parts(
    dice: &mut Dice,
    text: &mut Vec<u8>,
    change: fn(&mut Dice, &mut Vec<Vec<u8>>, usize),
) -> Fits {
    let signs = b",.:;=/-_ |@&?";
    let name = last_part(text);
    let tail = &text[name..];
    let there = signs.iter().copied();
    let there: Vec<u8> = there.filter(|sign| tail.contains(sign)).collect();
    let sign = dice.pick(&there).copied()?;
    let parts = tail.split(|byte| *byte == sign).map(<[u8]>::to_vec);
    let mut parts: Vec<Vec<u8>> = parts.collect();
    let at = dice.below(parts.len());
    change(dice, &mut parts, at);
    let tail = parts.join(&sign);
    text.truncate(name);
    text.extend(tail);
    text.truncate(MOST);
    Some(())
}

/// Some programs take it for a number.
fn digits(means: &mut Means<'_>, text: &mut Vec<u8>) -> Fits {
    let places = (0..text.len()).filter(|at| text[*at].is_ascii_digit());
    let places: Vec<usize> = places.collect();
    let at = means.dice.pick(&places).copied()?;
    let zeros = ['\u{660}', '\u{966}', '\u{ff10}', '\u{1d7ce}'];
    let zero = zeros[means.dice.below(zeros.len())];
    let digit = u32::from(text[at] - b'0') + u32::from(zero);
    let mut buffer = [0; 4];
    let written = char::from_u32(digit)
        .unwrap_or(zero)
        .encode_utf8(&mut buffer);
    text.splice(at..=at, written.bytes()).for_each(drop);
    Some(())
}

/// Repeats this until the text is as long as buffers are, or a little shorter or longer.
fn lengthen(dice: &mut Dice, text: &mut Vec<u8>, part: &[u8]) {
    let to = (1_usize << (4 + dice.below(13))) + dice.below(3) - 1;
    let missing = to.saturating_sub(text.len());
    text.extend(part.iter().cycle().take(missing));
}

/// A letter of two bytes begins before the border: buffers have an even length.
fn split_buffer(means: &mut Means<'_>, text: &mut Vec<u8>) -> Fits {
    if text.len().is_multiple_of(2) {
        text.push(b'x');
    }
    lengthen(means.dice, text, "é".as_bytes());
    Some(())
}

/// Puts another number in the place of the first one in a text.
fn number(text: &mut Vec<u8>, change: impl FnOnce(i64) -> String) -> Fits {
    let from = text.iter().position(u8::is_ascii_digit)?;
    let digits = text[from..].iter();
    let length = digits.take_while(|byte| byte.is_ascii_digit()).count();
    let digits = std::str::from_utf8(&text[from..from + length]).ok()?;
    let new = change(digits.parse().ok()?);
    text.splice(from..from + length, new.into_bytes())
        .for_each(drop);
    Some(())
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
