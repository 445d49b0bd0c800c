//! Texts that regular expressions match.

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use regex_syntax::hir::{Class, Hir, HirKind};

/// The longest pattern.
const LONGEST: usize = 200;
/// The longest text that a pattern may lead to.
const LARGEST: u64 = 1 << 16;
/// How often what may be repeated without end is repeated at most.
const REPEATED: u64 = 32;

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
    let parsed = regex_syntax::parse(&pattern).ok()?;
    if largest(&parsed)? > LARGEST {
        return None;
    }
    let strategy = proptest::string::string_regex_parsed(&parsed).ok()?;
    let tree = strategy.new_tree(&mut TestRunner::deterministic()).ok()?;
    let text = tree.current();
    (!text.is_empty()).then(|| text.into_bytes())
}

/// How long a text of this pattern may be, in letters. `None` if a class in it has no letter, as `[^\s\S]`.
fn largest(pattern: &Hir) -> Option<u64> {
    match pattern.kind() {
        HirKind::Empty | HirKind::Look(_) => Some(0),
        HirKind::Literal(text) => u64::try_from(text.0.len()).ok(),
        HirKind::Class(class) => {
            let is_empty = match class {
                Class::Unicode(class) => class.ranges().is_empty(),
                Class::Bytes(class) => class.ranges().is_empty(),
            };
            (!is_empty).then_some(1)
        }
        HirKind::Repetition(repeated) => {
            let most = repeated.max.map_or_else(
                || u64::from(repeated.min).saturating_add(REPEATED),
                u64::from,
            );
            Some(largest(&repeated.sub)?.saturating_mul(most))
        }
        HirKind::Capture(group) => largest(&group.sub),
        HirKind::Concat(parts) => parts
            .iter()
            .try_fold(0u64, |sum, part| Some(sum.saturating_add(largest(part)?))),
        HirKind::Alternation(parts) => parts
            .iter()
            .try_fold(0, |most, part| Some(largest(part)?.max(most))),
    }
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
        // What matches nothing, and what would fill the memory.
        for none in [
            "[^\\x{0}-\\x{10FFFF}]",
            "a|[^\\x{0}-\\x{10FFFF}]",
            "(((a{1000}){1000}){1000}){1000}",
            "((((((a*)*)*)*)*)*)*",
        ] {
            assert_eq!(matched_by(none.as_bytes()), None, "{none}");
        }
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
        fn any_pattern_is_read(pattern in "[a-c\\[\\]^\\\\xsSdDwWbBpPLu{}0-9,()|*+?.$-]{0,40}") {
            let _ = matched_by(pattern.as_bytes());
        }

        #[test]
        fn any_line_is_read(line in "[=~ (/\\\\a\\[]{0,40}") {
            for pattern in between_slashes(line.as_bytes()) {
                let _ = matched_by(pattern);
            }
        }
    }
}
