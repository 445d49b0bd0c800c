//! Texts that regular expressions match.

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

/// The longest pattern.
const LONGEST: usize = 200;

/// A text that a regular expression matches, whatever its dialect, as far as these agree. The same each time.
pub(crate) fn matched_by(pattern: &[u8]) -> Option<Vec<u8>> {
    let mut pattern = std::str::from_utf8(pattern).ok()?;
    if pattern.len() > LONGEST {
        return None;
    }
    // Anchors are no letters.
    for start in ["^", "\\A"] {
        pattern = pattern.strip_prefix(start).unwrap_or(pattern);
    }
    for end in ["$", "\\z", "\\Z"] {
        pattern = pattern.strip_suffix(end).unwrap_or(pattern);
    }
    // Python names its groups otherwise; ASCII digits and letters are the usual ones.
    let pattern = pattern
        .replace("(?P<", "(?<")
        .replace("\\d", "[0-9]")
        .replace("\\w", "[a-z0-9_]")
        .replace("\\s", " ")
        .replace("\\h", "[0-9a-f]");
    let strategy = proptest::string::string_regex(&pattern).ok()?;
    let tree = strategy.new_tree(&mut TestRunner::deterministic()).ok()?;
    let text = tree.current();
    (!text.is_empty()).then(|| text.into_bytes())
}

/// A text that a format of `scanf` reads, or that one of `printf` writes. `None` if it has no place for a value.
pub(crate) fn formatted_by(format: &[u8]) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    let mut rest = format;
    let mut has_values = false;
    while let Some(at) = rest.iter().position(|byte| *byte == b'%') {
        text.extend_from_slice(&rest[..at]);
        rest = &rest[at + 1..];
        let flags = |byte: &u8| byte.is_ascii_digit() || b"-+ #.*lhzjtqL".contains(byte);
        let kind = rest.iter().position(|byte| !flags(byte))?;
        let value: &[u8] = match rest[kind] {
            b'd' | b'i' | b'u' | b'o' | b'x' | b'X' => b"1",
            b'e' | b'f' | b'g' => b"1.5",
            b's' | b'c' | b'a' => b"a",
            b'n' => b"",
            b'%' => b"%",
            _ => return None,
        };
        has_values |= rest[kind] != b'%' && rest[kind] != b'n';
        text.extend_from_slice(value);
        rest = &rest[kind + 1..];
    }
    text.extend_from_slice(rest);
    has_values.then_some(text)
}

/// The regular expressions between slashes in a line of Ruby, Perl or awk.
pub(crate) fn between_slashes(line: &[u8]) -> Vec<&[u8]> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = line[from..].iter().position(|byte| *byte == b'/') {
        let start = from + at + 1;
        let before = line[..start - 1].trim_ascii_end();
        let begins = ["=~", "!~", "(", "when", ",", "if", "unless", "{", "m", "qr"];
        let begins = begins.iter().any(|word| before.ends_with(word.as_bytes()));
        let mut end = start;
        while end < line.len() && line[end] != b'/' {
            end += if line[end] == b'\\' { 2 } else { 1 };
        }
        if begins && end < line.len() && end > start {
            found.push(&line[start..end]);
        }
        from = (end + 1).min(line.len());
        if !begins {
            from = start;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{between_slashes, formatted_by, matched_by};
    use proptest::prelude::*;

    #[test]
    fn patterns_of_any_language_become_texts() {
        for (pattern, start) in [
            ("^v[0-9]+$", "v"),
            ("\\Anode-\\d+\\z", "node-"),
            ("(?P<name>key)=\\w+", "key="),
        ] {
            let text = matched_by(pattern.as_bytes()).expect(pattern);
            assert!(
                text.starts_with(start.as_bytes()) && text.len() > start.len(),
                "{pattern}"
            );
        }
        assert_eq!(matched_by(b"("), None);
        assert_eq!(matched_by(b""), None);
    }

    #[test]
    fn formats_become_texts() {
        let sample = |format: &str| {
            formatted_by(format.as_bytes()).map(|text| String::from_utf8(text).expect("text"))
        };
        assert_eq!(sample("v%d.%02x-rc%n").as_deref(), Some("v1.1-rc"));
        assert_eq!(sample("%-10s = %5.2f%%").as_deref(), Some("a = 1.5%"));
        for none in ["", "hello", "100%", "%[a-z]", "100%%", "%"] {
            assert_eq!(sample(none), None, "{none}");
        }
    }

    #[test]
    fn patterns_stand_between_slashes() {
        let found = between_slashes(b"raise if name =~ /^a\\/b/ && path.start_with?('/etc/x')");
        assert_eq!(found, [b"^a\\/b"]);
        assert!(between_slashes(b"a = b / c / d").is_empty());
    }

    proptest! {
        #[test]
        fn any_format_is_read(format in proptest::collection::vec(any::<u8>(), 0..60)) {
            formatted_by(&format);
        }

        #[test]
        fn any_line_is_read(line in "[=~ (/\\\\a\\[]{0,40}") {
            for pattern in between_slashes(line.as_bytes()) {
                let _ = matched_by(pattern);
            }
        }
    }
}
