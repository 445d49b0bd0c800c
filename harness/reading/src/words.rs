//! Bytes, as people read them.

use stickler_transcript::Case;

/// Bytes as text with everything visible: control characters and invalid UTF-8 as escapes, line
/// ends as `⏎`.
pub fn visible(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\n' => text.push('⏎'),
                '\t' => text.push_str("\\t"),
                '\r' => text.push_str("\\r"),
                c if c.is_control() || is_format(c) => {
                    text.push_str(&format!("\\u{{{:x}}}", c as u32));
                }
                c => text.push(c),
            }
        }
        for byte in chunk.invalid() {
            text.push_str(&format!("\\x{byte:02x}"));
        }
    }
    text
}

/// Characters that change how the following text looks.
fn is_format(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

/// Like [`visible`], with the scratch directories as `{dir}` and `{dir}2`, shortened in the middle
/// to about `limit` characters.
pub fn shown(bytes: &[u8], case: &Case, limit: usize) -> String {
    let mut text = visible(bytes);
    for (index, dir) in case.dirs.iter().enumerate().rev() {
        let name = if index == 0 {
            "{dir}".to_owned()
        } else {
            format!("{{dir{}}}", index + 1)
        };
        text = text.replace(&visible(dir), &name);
    }
    cut(&text, limit)
}

/// What a sentence puts in backticks.
pub fn in_backticks(sentence: &str) -> impl Iterator<Item = &str> {
    sentence.split('`').skip(1).step_by(2)
}

/// What a sentence puts in backticks or quotes.
pub fn named(sentence: &str) -> Vec<&str> {
    let quoted = sentence.split('"').skip(1).step_by(2);
    in_backticks(sentence).chain(quoted).collect()
}

/// The key of an entry such as `port = 80`, with the signs behind it, and its value.
pub fn keyed(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let is_between = |byte: &u8| matches!(byte, b'=' | b':' | b' ' | b'\t');
    let key = text.iter().position(is_between).filter(|end| *end > 0)?;
    let value = text[key..].iter().position(|byte| !is_between(byte))?;
    Some(text.split_at(key + value))
}

/// Does a text contain another?
pub fn contains(haystack: &[u8], needle: &[u8]) -> bool {
    !needle.is_empty() && memchr::memmem::find(haystack, needle).is_some()
}

/// The letters and digits of a text, in small letters: what is left if signs and case mean nothing.
pub fn telling(text: &str) -> String {
    let telling = text.chars().filter(|one| one.is_alphanumeric());
    telling.flat_map(char::to_lowercase).collect()
}

/// Shortens a long text in the middle.
pub fn cut(text: &str, limit: usize) -> String {
    let count = text.chars().count();
    if count <= limit {
        return text.to_owned();
    }
    let half = limit.saturating_sub(3) / 2;
    let head: String = text.chars().take(half).collect();
    let tail: String = text.chars().skip(count - half).collect();
    format!("{head} … {tail}")
}

/// Where a text contains a word without adjacent letters or digits.
pub fn find_word(text: &[u8], word: &[u8]) -> Option<usize> {
    let apart = |byte: Option<&u8>| byte.is_none_or(|byte| !byte.is_ascii_alphanumeric());
    if word.is_empty() {
        return None;
    }
    let finder = memchr::memmem::Finder::new(word);
    let mut from = 0;
    while let Some(found) = text.get(from..).and_then(|rest| finder.find(rest)) {
        let at = from + found;
        let before = at.checked_sub(1).and_then(|before| text.get(before));
        if apart(before) && apart(text.get(at + word.len())) {
            return Some(at);
        }
        from = at + 1;
    }
    None
}

/// Does a text contain a word without adjacent letters or digits?
pub fn has_word(text: &[u8], word: &[u8]) -> bool {
    find_word(text, word).is_some()
}

#[cfg(test)]
mod tests {
    use super::has_word;

    #[test]
    fn a_word_stands_by_itself() {
        assert!(has_word(b"/etc/app.conf", b"app.conf"));
        assert!(has_word(b"/etc/app.conf", b"app"));
        assert!(has_word(b"f", b"f"));
        assert!(!has_word(b"/srv/files", b"f"));
        assert!(!has_word(b"/srv/files", b""));
        assert!(has_word(b"aaa aa", b"aa"));
        assert!(!has_word(b"aaa", b"aa"));
    }
}
