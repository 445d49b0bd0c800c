//! Numbers.

use super::{Lexer, Result};
use crate::tokens::{Kind, Token};

fn digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

/// Does a word end at the start of this text?
fn ends_word(text: &str) -> bool {
    !text.starts_with(|one: char| one.is_alphanumeric() || one == '_')
}

/// The length of a fraction at the start.
fn fraction(text: &str) -> usize {
    match text.strip_prefix('.').map(digits) {
        None | Some(0) => 0,
        Some(count) => count + 1,
    }
}

/// The length of an exponent at the start.
fn exponent(text: &str) -> usize {
    let Some(rest) = text.strip_prefix(['e', 'E']) else {
        return 0;
    };
    let sign = usize::from(rest.starts_with('-'));
    match digits(&rest[sign..]) {
        0 => 0,
        count => 1 + sign + count,
    }
}

/// The length of a number at the start, if a word ends behind it.
fn number(text: &str) -> Option<usize> {
    if let Some(rest) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        let count = rest.bytes().take_while(u8::is_ascii_hexdigit).count();
        if count > 0 && ends_word(&rest[count..]) {
            return Some(2 + count);
        }
    }
    let whole = digits(text);
    let with = |start: usize| start + exponent(&text[start..]);
    let fraction = whole + fraction(&text[whole..]);
    let candidates = [with(fraction), fraction, with(whole), whole];
    candidates.into_iter().find(|&end| ends_word(&text[end..]))
}

/// What is wrong with a number, judged by its beginning.
fn complaint(value: &str) -> Option<String> {
    let is_decimal = || {
        let whole = digits(value);
        let end = whole + fraction(&value[whole..]);
        end + exponent(&value[end..]) == value.len()
    };
    let second = value.chars().nth(1);
    if value.starts_with("0x") || value.starts_with("0X") {
        let hex = value.len() > 2 && value[2..].bytes().all(|byte| byte.is_ascii_hexdigit());
        (!hex).then(|| format!("Not a valid hex number {value}"))
    } else if value.starts_with('0') && second.is_some_and(|one| one != '.') {
        let octal = value.bytes().all(|byte| matches!(byte, b'0'..=b'7'));
        (!octal).then(|| format!("Not a valid octal number {value}"))
    } else if value[digits(value)..].starts_with(['e', 'E', '.']) {
        (!is_decimal()).then(|| format!("Not a valid decimal number {value}"))
    } else {
        let plain = digits(value) == value.len();
        (!plain).then(|| format!("Illegal number '{value}'"))
    }
}

impl Lexer<'_, '_> {
    pub(super) fn number(&mut self, out: &mut Vec<Token>) -> Result<()> {
        let mut before = self.at;
        let rest = self.rest();
        if let Some(length) = number(rest) {
            let value = &rest[..length];
            if let Some(message) = complaint(value) {
                return Err(self.error(before, message));
            }
            out.push(self.token(Kind::Number, value, before));
            self.at += length;
            return Ok(());
        }
        let signs = rest.char_indices();
        let mut ends = signs.filter(|(_, one)| !one.is_ascii_alphanumeric() && *one != '_');
        let end = before + ends.next().map_or(rest.len(), |(at, _)| at);
        // Behind digits and a point it is the rest of a bad decimal number.
        let text = self.text;
        if let Some(head) = text[..before].strip_suffix('.') {
            let whole = head.bytes().rev().take_while(u8::is_ascii_digit).count();
            before = if whole > 0 {
                head.len() - whole
            } else {
                before
            };
        }
        let value = &text[before..end];
        Err(match complaint(value) {
            Some(message) => self.error(before, message),
            // Nothing is wrong with the digits, but with what follows.
            None => self.error(before + 1, format!("Illegal number '{value}'")),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_end_at_words() {
        assert_eq!(number("0x1F,"), Some(4));
        assert_eq!(number("1.5e-3 "), Some(6));
        assert_eq!(number("1.foo"), Some(1));
        // What is left over is found to be wrong behind the point.
        assert_eq!(number("1.5e"), Some(1));
        assert_eq!(number("12ab"), None);
        assert_eq!(complaint("017"), None);
        assert_eq!(
            complaint("08").as_deref(),
            Some("Not a valid octal number 08")
        );
        assert_eq!(
            complaint("0x").as_deref(),
            Some("Not a valid hex number 0x")
        );
        assert_eq!(
            complaint("1e").as_deref(),
            Some("Not a valid decimal number 1e")
        );
        assert_eq!(complaint("1a").as_deref(), Some("Illegal number '1a'"));
    }
}
