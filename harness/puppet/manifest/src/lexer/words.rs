//! Names, words, references to types, variables, and the ends of regular expressions.

use super::{Lexer, Result};
use crate::tokens::{Kind, Token, keyword};

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// The length of the word signs at the start.
fn word_signs(text: &str) -> usize {
    text.bytes().take_while(|byte| is_word(*byte)).count()
}

/// A name of a variable at the start: words with `::` between them, and perhaps before.
pub(super) fn variable(text: &str) -> Option<&str> {
    let mut end = if text.starts_with("::") { 2 } else { 0 };
    let first = word_signs(&text[end..]);
    if first == 0 {
        return None;
    }
    end += first;
    while text[end..].starts_with("::") {
        let more = word_signs(&text[end + 2..]);
        if more == 0 {
            break;
        }
        end += 2 + more;
    }
    Some(&text[..end])
}

/// The length of a bare word at the start: segments with `::` between them; dashes are allowed
/// within a segment.
fn bare_word(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut end = 0;
    loop {
        let mut at = end;
        if text[at..].starts_with("::") {
            at += 2;
        }
        let starts = |byte: &u8| byte.is_ascii_lowercase() || *byte == b'_';
        if !bytes.get(at).is_some_and(starts) {
            break;
        }
        let signs = bytes[at..].iter();
        let length = signs
            .take_while(|byte| is_word(**byte) || **byte == b'-')
            .count();
        let dashes = bytes[at..at + length].iter().rev();
        end = at + length - dashes.take_while(|byte| **byte == b'-').count();
    }
    (end > 0).then_some(end)
}

/// Is a bare word a name? Then each segment begins with a letter and has no dash.
fn is_name(word: &str) -> bool {
    let word = word.strip_prefix("::").unwrap_or(word);
    word.split("::").all(|segment| {
        segment.starts_with(|one: char| one.is_ascii_lowercase()) && segment.bytes().all(is_word)
    })
}

/// The length of a reference to a type at the start.
fn class_reference(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut end = 0;
    loop {
        let at = if text[end..].starts_with("::") {
            end + 2
        } else {
            end
        };
        if !bytes.get(at).is_some_and(u8::is_ascii_uppercase) {
            break;
        }
        end = at + word_signs(&text[at..]);
    }
    (end > 0).then_some(end)
}

/// The length of a regular expression at the start, up to its closing slash.
pub(super) fn regexp_end(text: &str) -> Option<usize> {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'/' if !escaped => return Some(at),
            b'\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    None
}

impl Lexer<'_, '_> {
    fn push_word(&mut self, length: usize, out: &mut Vec<Token>) {
        let before = self.at;
        let word = &self.text[before..before + length];
        let kind = if !is_name(word) {
            Kind::Word
        } else {
            keyword(word).unwrap_or(Kind::Name)
        };
        out.push(self.token(kind, word, before));
        self.at += length;
    }

    pub(super) fn word(&mut self, out: &mut Vec<Token>) -> Result<()> {
        let Some(length) = bare_word(self.rest()) else {
            return Err(self.error(self.at + 1, "Illegal name or bare word"));
        };
        self.push_word(length, out);
        Ok(())
    }

    pub(super) fn class_reference(&mut self, out: &mut Vec<Token>) -> Result<()> {
        let before = self.at;
        let length = class_reference(self.rest()).unwrap_or(0);
        if length == 0 || self.rest()[length..].starts_with("::") {
            // Puppet adds one to where it got.
            return Err(self.error(before + length + 1, "Illegal class reference"));
        }
        let word = &self.rest()[..length];
        out.push(self.token(Kind::ClassRef, word, before));
        self.at += length;
        Ok(())
    }

    /// What begins with `::`.
    pub(super) fn qualified(&mut self, out: &mut Vec<Token>) -> Result<()> {
        let before = self.at;
        let upper = self.rest()[2..].starts_with(|one: char| one.is_ascii_uppercase());
        if upper {
            let length = class_reference(self.rest()).unwrap_or(0);
            if length == 0 || self.rest()[length..].starts_with("::") {
                let message = "Illegal fully qualified class reference";
                // Puppet adds three to where it got.
                return Err(self.error(before + length + 3, message));
            }
            let word = &self.rest()[..length];
            out.push(self.token(Kind::ClassRef, word, before));
            self.at += length;
            return Ok(());
        }
        let Some(length) = bare_word(self.rest()) else {
            return Err(self.error(before + 2, "Illegal fully qualified name"));
        };
        // A keyword is none with `::` before it.
        self.push_word(length, out);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_end_where_they_must() {
        assert_eq!(bare_word("php-yum, x"), Some(7));
        assert_eq!(bare_word("a-- b"), Some(1));
        assert_eq!(bare_word("a::b::C"), Some(4));
        assert_eq!(bare_word("::a"), Some(3));
        assert_eq!(bare_word("A"), None);
        assert_eq!(class_reference("A::Bc d"), Some(5));
        assert_eq!(class_reference("A::b"), Some(1));
        assert_eq!(variable("::a::b::"), Some("::a::b"));
        assert_eq!(regexp_end(r"a\/b\\/c"), Some(6));
        assert!(is_name("::a::b") && !is_name("a-b") && !is_name("_a"));
    }
}
