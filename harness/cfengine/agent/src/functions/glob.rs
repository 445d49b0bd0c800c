//! Finds the paths that match a pattern, as the C library's `glob` does.

use crate::os::{os, said};
use cfengine_policy::text;
use std::fs;
use std::path::Path;

/// The most paths that a pattern may match.
const MOST: usize = 100_000;

/// All paths that match a pattern, relative to a base directory, sorted by their bytes.
pub(super) fn paths(base: &Path, pattern: &str) -> Vec<String> {
    let mut found = expand(base, pattern);
    found.sort_by(|a, b| text::encode(a).cmp(&text::encode(b)));
    found
}

fn expand(base: &Path, pattern: &str) -> Vec<String> {
    let magic = |text: &str| text.contains(['*', '?', '[']);
    let start = pattern.rfind('/').map_or(0, |slash| slash + 1);
    let (folder, name) = pattern.split_at(start);
    let folders = match folder.strip_suffix('/') {
        Some(folder) if magic(folder) => {
            let folders = expand(base, folder).into_iter();
            folders.map(|folder| folder + "/").collect()
        }
        _ => vec![plain(folder)],
    };
    let mut found = Vec::new();
    for folder in folders {
        if name.is_empty() {
            found.extend(Some(folder).filter(|folder| base.join(os(folder)).is_dir()));
        } else if magic(name) {
            let Ok(entries) = fs::read_dir(base.join(os(&folder))) else {
                continue;
            };
            let names = entries.flatten();
            let names = names.map(|entry| said(entry.file_name()));
            let names = names.chain([".".to_owned(), "..".to_owned()]);
            let matching = names.filter(|own| is_match(name, own));
            found.extend(matching.map(|own| folder.clone() + &own));
        } else {
            let path = folder + &plain(name);
            let exists = |path: &String| fs::symlink_metadata(base.join(os(path))).is_ok();
            found.extend(Some(path).filter(exists));
        }
        found.truncate(MOST);
    }
    found
}

/// Removes the backslashes that escape characters.
fn plain(pattern: &str) -> String {
    let mut chars = pattern.chars();
    let mut out = String::new();
    while let Some(c) = chars.next() {
        out.extend(if c == '\\' { chars.next() } else { Some(c) });
    }
    out
}

/// Whether a name matches. Only a literal dot in the pattern matches a leading dot.
fn is_match(pattern: &str, name: &str) -> bool {
    let (pattern, name) = (text::encode(pattern), text::encode(name));
    let hidden = name.first() == Some(&b'.');
    let dotted = matches!(&*pattern, [b'.', ..] | [b'\\', b'.', ..]);
    (!hidden || dotted) && matches(&pattern, &name)
}

/// Matches with backtracking: a star first matches as little as possible, and the last star matches
/// more if the rest fails.
fn matches(pattern: &[u8], name: &[u8]) -> bool {
    let (mut pattern, mut name) = (pattern, name);
    let mut star: Option<(&[u8], &[u8])> = None;
    loop {
        if let [b'*', rest @ ..] = pattern {
            star = Some((rest, name));
            pattern = rest;
            continue;
        }
        let step = match name {
            [] if pattern.is_empty() => return true,
            [] => return false,
            [byte, behind @ ..] => one(pattern, *byte).map(|rest| (rest, behind)),
        };
        match (step, &mut star) {
            (Some((rest, behind)), _) => (pattern, name) = (rest, behind),
            (None, Some((rest, from))) if !from.is_empty() => {
                *from = &from[1..];
                (pattern, name) = (*rest, *from);
            }
            (None, _) => return false,
        }
    }
}

/// The rest of a pattern whose first element matches the byte.
fn one(pattern: &[u8], byte: u8) -> Option<&[u8]> {
    match pattern {
        [b'?', rest @ ..] => Some(rest),
        [b'[', rest @ ..] => match set(rest, byte) {
            Some((holds, rest)) => holds.then_some(rest),
            None => (byte == b'[').then_some(rest),
        },
        [b'\\', own, rest @ ..] | [own, rest @ ..] => (*own == byte).then_some(rest),
        [] => None,
    }
}

/// Whether a byte is in a set such as `[a-z_]`, and the pattern after the set; `None` if the set is
/// not closed.
fn set(pattern: &[u8], byte: u8) -> Option<(bool, &[u8])> {
    let (negated, mut rest) = match pattern {
        [b'!' | b'^', rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    let mut holds = false;
    let mut first = true;
    loop {
        let low = match rest {
            [b']', behind @ ..] if !first => return Some((holds != negated, behind)),
            [b'[', b':', inside @ ..] => {
                let end = inside.windows(2).position(|two| two == b":]")?;
                holds |= in_class(&inside[..end], byte);
                rest = &inside[end + 2..];
                first = false;
                continue;
            }
            [b'\\', low, behind @ ..] | [low, behind @ ..] => {
                rest = behind;
                *low
            }
            [] => return None,
        };
        first = false;
        let high = match rest {
            [b'-', b'\\', high, behind @ ..] => Some((*high, behind)),
            [b'-', high, behind @ ..] if *high != b']' => Some((*high, behind)),
            _ => None,
        };
        match high {
            Some((high, behind)) => {
                holds |= (low..=high).contains(&byte);
                rest = behind;
            }
            None => holds |= low == byte,
        }
    }
}

fn in_class(name: &[u8], byte: u8) -> bool {
    match name {
        b"alnum" => byte.is_ascii_alphanumeric(),
        b"alpha" => byte.is_ascii_alphabetic(),
        b"blank" => matches!(byte, b' ' | b'\t'),
        b"cntrl" => byte.is_ascii_control(),
        b"digit" => byte.is_ascii_digit(),
        b"graph" => byte.is_ascii_graphic(),
        b"lower" => byte.is_ascii_lowercase(),
        b"print" => byte.is_ascii_graphic() || byte == b' ',
        b"punct" => byte.is_ascii_punctuation(),
        b"space" => byte.is_ascii_whitespace() || byte == 11,
        b"upper" => byte.is_ascii_uppercase(),
        b"xdigit" => byte.is_ascii_hexdigit(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::is_match;

    #[test]
    fn patterns_are_those_of_the_c_library() {
        for (pattern, name, right) in [
            ("*", "a", true),
            ("*", ".a", false),
            (".*", "..", true),
            ("a*c*e", "abcde", true),
            ("a*c*e", "abcd", false),
            ("[a-c]?", "bx", true),
            ("[!a-c]", "b", false),
            ("[^a]", "b", true),
            ("[]x]", "]", true),
            ("[[:digit:]_]", "7", true),
            ("\\*", "*", true),
            ("\\*", "a", false),
            ("[a", "[a", true),
        ] {
            assert_eq!(is_match(pattern, name), right, "{pattern} {name}");
        }
    }
}
