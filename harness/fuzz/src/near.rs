//! Texts near one that the author wrote: the same in other letters, with other numbers, in another folder, with a sign
//! that means something to shells, patterns or formats.

use crate::mutate::last_part;

/// How many numbers of a text are changed.
const NUMBERS: usize = 6;
/// Signs that mean something to shells, patterns, formats or configuration files.
const SIGNS: &[&str] = &[
    "[a]", "|", "\\", "*", "&", "'", "\"", "$x", "%s", " ", "#", ";", "=", ":", ",", "\t",
];

/// A way to change a text: its family, and its place there.
pub(crate) type Way = (usize, usize);

/// The texts near this one, each once, with the way in which each was changed.
pub(crate) fn near(text: &[u8]) -> Vec<(Way, Vec<u8>)> {
    let mut others: Vec<Vec<Vec<u8>>> = vec![
        in_other_letters(text),
        with_blanks(text),
        in_other_folders(text),
        with_signs(text).collect(),
    ];
    for (from, to) in numbers(text).into_iter().take(NUMBERS) {
        let other = near_number(&text[from..to]).into_iter();
        let other = other.map(|other| [&text[..from], &other, &text[to..]].concat());
        others.push(other.collect());
    }
    let mut known: Vec<(Way, Vec<u8>)> = Vec::new();
    for (family, texts) in others.into_iter().enumerate() {
        for (at, one) in texts.into_iter().enumerate() {
            let is_new = one != text && known.iter().all(|(_, known)| *known != one);
            if is_new {
                known.push(((family, at), one));
            }
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

/// The next numbers, and the same one written otherwise; octal digits end at 7.
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
    ];
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
