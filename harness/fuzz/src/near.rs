//! Texts near one that the author wrote: the same in other letters, with other numbers, in another folder, with a sign
//! that means something to shells, patterns or formats.

use crate::mutate::last_part;
use crate::turns::by_turns;

/// How many numbers of a text are changed.
const NUMBERS: usize = 6;
/// Signs that mean something to shells, patterns, formats or configuration files.
const SIGNS: &[&str] = &[
    "[a]", "|", "\\", "*", "&", "'", "\"", "$x", "%s", " ", "#", ";", "=", ":", ",", "\t",
    // Ends of lines, to some functions.
    "\n", "\u{2028}", "\u{b}", "\u{85}", "\u{1c}", "\r",
];
/// Permissions that umasks, filters and special bits make unusual.
const MODES: &[&str] = &[
    "666", "777", "0777", "000", "4755", "2770", "1777", "7777", "222",
];

/// Signs that a pattern, a splitter or a shell may overlook at the end of a text.
const ENDS: &[&str] = &["\n", "/", ".", ";", "\\", "$", "%", ",", "\r", "\0"];
/// Words of which a field takes one or the other.
const OPPOSITES: &[[&str; 2]] = &[
    ["true", "false"],
    ["yes", "no"],
    ["on", "off"],
    ["present", "absent"],
    ["enabled", "disabled"],
    ["running", "stopped"],
    ["1", "0"],
];
/// Digits that are digits to some functions and none to others.
const OTHER_DIGITS: &[&str] = &["²", "٣", "３", "①"];

/// A way to change a text: its family, and its place there.
pub(crate) type Way = (usize, usize);

/// The texts near this one, each once, with the way in which each was changed.
pub(crate) fn near(text: &[u8]) -> Vec<(Way, Vec<u8>)> {
    let mut others: Vec<Vec<Vec<u8>>> = vec![
        in_other_letters(text),
        with_blanks(text),
        in_other_folders(text),
        with_signs(text).collect(),
        with_ends(text),
        opposites(text),
        modes(text),
    ];
    for (from, to) in numbers(text).into_iter().take(NUMBERS) {
        let other = near_number(&text[from..to]).into_iter();
        let other = other.map(|other| [&text[..from], &other, &text[to..]].concat());
        others.push(other.collect());
    }
    let ways = others.into_iter().enumerate().map(|(family, texts)| {
        let texts = texts.into_iter().enumerate();
        texts.map(move |(at, one)| ((family, at), one))
    });
    // A family of many keeps no other waiting.
    let mut known: Vec<(Way, Vec<u8>)> = Vec::new();
    for (way, one) in by_turns(ways.collect()) {
        let is_new = one != text && known.iter().all(|(_, known)| *known != one);
        if is_new {
            known.push((way, one));
        }
    }
    known
}

/// In capitals, in small letters, with the other first letter, with a letter beyond ASCII. A path keeps its folder.
fn in_other_letters(text: &[u8]) -> Vec<Vec<u8>> {
    let at = last_part(text);
    let (folder, name) = text.split_at(at);
    let mut first = name.to_vec();
    if let Some(letter) = first.first_mut() {
        *letter ^= if letter.is_ascii_alphabetic() {
            0x20
        } else {
            0
        };
    }
    let middle = name.len() / 2;
    let is_whole = name.get(middle).is_none_or(u8::is_ascii);
    let rest = name.get(middle + 1..).unwrap_or_default();
    let accented = [&name[..middle], "é".as_bytes(), rest].concat();
    let mut names = vec![name.to_ascii_uppercase(), name.to_ascii_lowercase(), first];
    if is_whole {
        names.push(accented);
    }
    let names = names.into_iter();
    names.map(|name| [folder, &name].concat()).collect()
}

/// A path in a folder that is not there, and written in other ways.
fn in_other_folders(text: &[u8]) -> Vec<Vec<u8>> {
    let at = last_part(text);
    if !text.starts_with(b"/") || at < 2 {
        return Vec::new();
    }
    let (folder, name) = text.split_at(at);
    let others: [&[u8]; 4] = [b"new/", b"new/newer/", b"./", b"/"];
    others.map(|other| [folder, other, name].concat()).into()
}

/// With a sign at its end.
fn with_ends(text: &[u8]) -> Vec<Vec<u8>> {
    let ends = ENDS.iter();
    ends.map(|end| [text, end.as_bytes()].concat()).collect()
}

/// With a sign in the middle of its last part.
fn with_signs(text: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    let from = last_part(text);
    let mut at = from + (text.len() - from) / 2;
    // Not inside a letter of several bytes.
    while text.get(at).is_some_and(|byte| byte & 0xc0 == 0x80) {
        at += 1;
    }
    let (before, after) = text.split_at(at);
    let signs = SIGNS.iter();
    signs.map(move |sign| [before, sign.as_bytes(), after].concat())
}

/// Other permissions, in the place of permissions.
fn modes(text: &[u8]) -> Vec<Vec<u8>> {
    let is_mode =
        (3..=4).contains(&text.len()) && text.iter().all(|byte| (b'0'..=b'7').contains(byte));
    let modes = MODES.iter().filter(|_| is_mode);
    modes.map(|mode| mode.as_bytes().to_vec()).collect()
}

/// What stands for the opposite.
fn opposites(text: &[u8]) -> Vec<Vec<u8>> {
    let both = OPPOSITES
        .iter()
        .flat_map(|[one, other]| [(one, other), (other, one)]);
    let known = both.filter(|(one, _)| one.as_bytes() == text);
    known.map(|(_, other)| other.as_bytes().to_vec()).collect()
}

/// With blanks around it.
fn with_blanks(text: &[u8]) -> Vec<Vec<u8>> {
    vec![
        [b" ", text].concat(),
        [text, b" "].concat(),
        [b"\t", text].concat(),
    ]
}

/// Where numbers are.
fn numbers(text: &[u8]) -> Vec<(usize, usize)> {
    let mut all = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let length = text[at..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        if length > 0 {
            all.push((at, at + length));
        }
        at += length + 1;
    }
    all
}

/// The next numbers, the same one written otherwise, and ones that are too long; octal digits end at 7.
fn near_number(digits: &[u8]) -> Vec<Vec<u8>> {
    let number: Option<u64> = std::str::from_utf8(digits)
        .ok()
        .and_then(|it| it.parse().ok());
    let mut all = vec![
        [b"0", digits].concat(),
        b"08".to_vec(),
        b"010".to_vec(),
        [b"+", digits].concat(),
        [b"-", digits].concat(),
        [digits, b"00000000000"].concat(),
        [b"1", digits].concat(),
        b"77777".to_vec(),
        b"777777777777777777777777".to_vec(),
    ];
    let begin = &digits[..digits.len() - 1];
    let others = OTHER_DIGITS.iter();
    all.extend(others.map(|other| [begin, other.as_bytes()].concat()));
    if let Some(number) = number {
        let others = [number.checked_add(1), number.checked_sub(1)];
        let others = others.into_iter().flatten();
        all.extend(others.map(|number| number.to_string().into_bytes()));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::near;
    use proptest::prelude::*;

    #[test]
    fn addresses_numbers_and_paths_have_neighbours() {
        let all = |text: &str, others: &[&str]| {
            let near = near(text.as_bytes());
            for other in others {
                assert!(
                    near.iter().any(|(_, near)| near == other.as_bytes()),
                    "{other}: {near:?}"
                );
            }
        };
        all("fd00::1f", &["FD00::1F", "Fd00::1f", "fd00::08f"]);
        all("10", &["010", "08", "11", "9", "-10"]);
        all(
            "/srv/app/app.conf",
            &[
                "/srv/app/new/app.conf",
                "/srv/app/APP.CONF",
                "/srv/app//app.conf",
            ],
        );
        all("hello", &["HELLO", "Hello", "heélo", "he|llo", " hello"]);
        all("/opt/tool", &["/opt/to[a]ol", "/opt/to\\ol"]);
    }

    proptest! {
        #[test]
        fn neighbours_are_others_and_differ(text in prop::collection::vec(any::<u8>(), 0..40)) {
            let all = near(&text);
            for (at, (way, one)) in all.iter().enumerate() {
                let others = &all[..at];
                prop_assert!(*one != text && others.iter().all(|(other, known)| other != way && known != one));
            }
        }
    }
}
