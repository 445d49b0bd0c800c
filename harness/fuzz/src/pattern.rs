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
    use super::{between_slashes, matched_by};
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
    fn patterns_stand_between_slashes() {
        let found = between_slashes(b"raise if name =~ /^a\\/b/ && path.start_with?('/etc/x')");
        assert_eq!(found, [b"^a\\/b"]);
        assert!(between_slashes(b"a = b / c / d").is_empty());
    }

    proptest! {
        #[test]
        fn any_line_is_read(line in "[=~ (/\\\\a\\[]{0,40}") {
            for pattern in between_slashes(line.as_bytes()) {
                let _ = matched_by(pattern);
            }
        }
    }
}
