//! Texts that regular expressions and patterns of files match, and texts that they nearly match.

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use regex_syntax::hir::{Class, Hir, HirKind};

/// The longest pattern.
const LONGEST: usize = 200;
/// The longest text that a pattern may lead to.
const LARGEST: u64 = 1 << 16;
/// How often what may be repeated without end is repeated at most.
const REPEATED: u64 = 32;

/// How many texts one pattern leads to.
const SAMPLES: usize = 12;
/// The longest of them that differs from the first, in bytes.
const SAMPLE: usize = 256;

/// A text that a regular expression matches, whatever its dialect, as far as these agree. The same each time.
pub(crate) fn matched_by(pattern: &[u8]) -> Option<Vec<u8>> {
    let strategy = proptest::string::string_regex_parsed(&parsed(pattern)?).ok()?;
    let tree = strategy.new_tree(&mut TestRunner::deterministic()).ok()?;
    let text = tree.current();
    (!text.is_empty()).then(|| text.into_bytes())
}

/// Texts for a regular expression. The first one matches; others take another branch, repeat something less or more
/// often, or differ in their last letter. Some of these nearly match. Empty if no text matches.
pub(crate) fn samples(pattern: &[u8]) -> Vec<Vec<u8>> {
    let (Some(first), Some(parsed)) = (matched_by(pattern), parsed(pattern)) else {
        return Vec::new();
    };
    let mut texts = vec![first];
    let others = variants(&parsed);
    let off = others
        .first()
        .filter(|text| text.last().is_some_and(u8::is_ascii))
        .map(|text| {
            let last = if text.ends_with(b"~") { b'-' } else { b'~' };
            [&text[..text.len() - 1], &[last]].concat()
        });
    for text in others.into_iter().chain(off) {
        if !text.is_empty() && !texts.contains(&text) {
            texts.push(text);
        }
    }
    texts.truncate(SAMPLES);
    texts
}

/// A text that a part of a pattern matches, and texts in which one thing is otherwise. None is longer than
/// [`SAMPLE`], except that the first one has to match.
fn variants(part: &Hir) -> Vec<Vec<u8>> {
    let mut texts = match part.kind() {
        HirKind::Empty | HirKind::Look(_) => vec![Vec::new()],
        HirKind::Literal(text) => vec![text.0.to_vec()],
        HirKind::Class(Class::Unicode(class)) => {
            let ends = class.ranges().iter().flat_map(|it| [it.start(), it.end()]);
            let ends = ends.filter(|letter| !letter.is_control()).take(4);
            let texts: Vec<Vec<u8>> = ends.map(|it| it.to_string().into_bytes()).collect();
            if texts.is_empty() {
                vec![b"a".to_vec()]
            } else {
                texts
            }
        }
        HirKind::Class(Class::Bytes(class)) => {
            let ends = class.ranges().iter().flat_map(|it| [it.start(), it.end()]);
            ends.take(4).map(|byte| vec![byte]).collect()
        }
        HirKind::Repetition(repeated) => {
            let inner = variants(&repeated.sub);
            let least = repeated.min as usize;
            let most = repeated.max.map(|most| most as usize);
            let usual = least.max(1).min(most.unwrap_or(usize::MAX));
            let near = [Some(least), least.checked_sub(1), Some(least + 1), most];
            let counts = near.into_iter().chain([most.map(|most| most + 1)]);
            let counts = std::iter::once(usual).chain(counts.flatten());
            let first = inner.first().cloned().unwrap_or_default();
            let is_short = |count: &usize| *count == usual || count * first.len() <= SAMPLE;
            let counts: Vec<usize> = counts.filter(is_short).collect();
            let others = inner[1..].iter().map(|text| text.repeat(usual.min(SAMPLE)));
            let texts = counts.into_iter().map(|count| first.repeat(count));
            texts.chain(others).collect()
        }
        HirKind::Capture(group) => variants(&group.sub),
        HirKind::Concat(parts) => {
            let each: Vec<Vec<Vec<u8>>> = parts.iter().map(variants).collect();
            let with = |at: usize, other: &[u8]| {
                let parts = each.iter().enumerate();
                let parts =
                    parts.map(|(here, texts)| if here == at { other } else { &texts[0][..] });
                parts.collect::<Vec<_>>().concat()
            };
            let first = with(usize::MAX, b"");
            let mut texts = vec![first];
            for (at, own) in each.iter().enumerate() {
                texts.extend(own[1..].iter().map(|other| with(at, other)));
            }
            texts
        }
        HirKind::Alternation(parts) => {
            let each = parts.iter().map(|part| variants(part).into_iter().take(4));
            each.flatten().collect()
        }
    };
    if texts.is_empty() {
        texts.push(Vec::new());
    }
    let first = texts.remove(0);
    texts.retain(|text| text.len() <= SAMPLE);
    texts.insert(0, first);
    texts.truncate(2 * SAMPLES);
    texts
}

/// Names that a pattern of files matches, such as `*.c[ab]?`, and ones that it nearly matches. Empty without a star, a
/// question mark or brackets.
pub(crate) fn globbed(pattern: &[u8]) -> Vec<Vec<u8>> {
    if pattern.len() > LONGEST || !pattern.iter().any(|byte| b"*?[".contains(byte)) {
        return Vec::new();
    }
    let mut names = Vec::new();
    for star in [&b"a"[..], b"", b"a.b"] {
        let mut name = Vec::new();
        let mut rest = pattern;
        while let Some((byte, behind)) = rest.split_first() {
            rest = behind;
            match byte {
                b'*' => name.extend_from_slice(star),
                b'?' => name.push(b'a'),
                b'\\' => {
                    name.extend(rest.first());
                    rest = rest.get(1..).unwrap_or_default();
                }
                b'[' if rest.iter().skip(1).any(|byte| *byte == b']') => {
                    let end = rest.iter().skip(1).position(|byte| *byte == b']');
                    let end = end.unwrap_or_default();
                    let inside = &rest[..=end];
                    let is_not = inside.len() > 1 && b"!^".contains(&inside[0]);
                    let first = inside.iter().find(|byte| **byte != b'\\');
                    name.push(if is_not {
                        b'~'
                    } else {
                        *first.unwrap_or(&b'\\')
                    });
                    rest = &rest[end + 2..];
                }
                byte => name.push(*byte),
            }
        }
        if !name.is_empty() && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// A regular expression of any dialect without its anchors, if its texts are not too long.
fn parsed(pattern: &[u8]) -> Option<Hir> {
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
    Some(parsed)
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

/// The regular expressions between slashes in a line of Ruby, Perl or awk, those in `%r{…}`, `m{…}` and `qr{…}`, and
/// those between backquotes in Go.
pub(crate) fn between_slashes(line: &[u8]) -> Vec<&[u8]> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = line[from..].iter().position(|byte| *byte == b'/') {
        let start = from + at + 1;
        let before = line[..start - 1].trim_ascii_end();
        let begins = [
            "=~", "!~", "~", "===", "(", "[", "when", "in", ",", "if", "unless", "and", "or",
            "not", "&&", "||", "return", "{", "m", "qr",
        ];
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
    for (open, close) in [
        (&b"%r{"[..], b'}'),
        (b"m{", b'}'),
        (b"qr{", b'}'),
        (b"ompile(`", b'`'),
    ] {
        for start in memchr::memmem::find_iter(line, open) {
            let inside = &line[start + open.len()..];
            let end = match close {
                b'}' => inside.iter().rposition(|byte| *byte == close),
                _ => inside.iter().position(|byte| *byte == close),
            };
            found.extend(end.filter(|end| *end > 0).map(|end| &inside[..end]));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{SAMPLE, SAMPLES, between_slashes, formatted_by, globbed, matched_by, samples};
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
    fn a_pattern_leads_to_texts_that_it_matches_and_nearly_matches() {
        let of = |pattern: &str| -> Vec<String> {
            let texts = samples(pattern.as_bytes()).into_iter();
            texts
                .map(|text| String::from_utf8(text).expect("text"))
                .collect()
        };
        let found = of("^(start|go)[0-9]{2,3}x$");
        for wanted in [
            "start00x",
            "start0x",
            "start000x",
            "start0000x",
            "go00x",
            "start00~",
        ] {
            assert!(
                found.iter().any(|text| text == wanted),
                "{wanted}: {found:?}"
            );
        }
        assert!(of("[^\\x{0}-\\x{10FFFF}]").is_empty());
        let name = |pattern: &str| globbed(pattern.as_bytes());
        assert_eq!(name("*.c[ab]?"), [&b"a.caa"[..], b".caa", b"a.b.caa"]);
        assert_eq!(name("[!x]"), [b"~"]);
        assert!(name("plain").is_empty());
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
        assert_eq!(
            between_slashes(b"x =~ %r{^/etc/[a-z]{2}}"),
            [b"^/etc/[a-z]{2}"]
        );
        assert_eq!(
            between_slashes(b"regexp.MustCompile(`^v[0-9]+$`)"),
            [b"^v[0-9]+$"]
        );
    }

    proptest! {
        #[test]
        fn any_format_is_read(format in proptest::collection::vec(any::<u8>(), 0..60)) {
            formatted_by(&format);
        }

        #[test]
        fn any_pattern_is_read(pattern in "[a-c\\[\\]^\\\\xsSdDwWbBpPLu{}0-9,()|*+?.$-]{0,40}") {
            let texts = samples(pattern.as_bytes());
            prop_assert!(texts.len() <= SAMPLES);
            prop_assert!(texts.iter().skip(2).all(|text| text.len() <= SAMPLE));
        }

        #[test]
        fn any_pattern_of_files_is_read(pattern in "[a-c\\[\\]^!\\\\*?-]{0,20}") {
            prop_assert!(globbed(pattern.as_bytes()).len() <= 3);
        }

        #[test]
        fn any_line_is_read(line in "[=~ (/\\\\a\\[]{0,40}") {
            for pattern in between_slashes(line.as_bytes()) {
                let _ = matched_by(pattern);
            }
        }
    }
}
