//! Values near one that the author wrote. Texts: the same in other letters, with other numbers, in another folder, with a
//! sign that means something to shells, patterns or formats. Numbers, truth values, lists and objects of the same type.

use crate::mutate::last_part;
use crate::turns::by_turns;
use stickler_transcript::Value;

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
/// Signs that may be all of a text.
const ALONE: &str = "$%-.~*#!@&=:,'\"\\/`^+|;<>()[]{}?_ ";
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
/// Numbers at which programs change their mind: small ones, round ones, those of clocks, and the ends of types.
const USUAL: &str = "0 1 -1 8 10 600 2 100 60 1000 256 3600 5 9 7 3 4 6 11 12 16 20 24 30 31 32 50 63 64 90 99 \
    101 120 127 128 255 300 365 500 512 777 999 1023 1024 1200 1440 1800 4095 4096 7200 8080 \
    10000 32767 32768 65535 65536 86400 100000 604800 1000000 2147483647 2147483648 4294967296 \
    9007199254740993 9223372036854775807 -2 -2147483649 -9223372036854775808";
/// How deep lists and objects are changed.
const DEEPEST: usize = 3;
/// How many values near that of an element or a member are tried.
const INSIDE: usize = 40;
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
        alone(text),
        usual_numbers(text),
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

/// The values near this one, of its type, each once, with the way in which each was changed.
pub(crate) fn near_value(value: &Value) -> Vec<(Way, Value)> {
    near_within(value, DEEPEST)
}

fn near_within(value: &Value, left: usize) -> Vec<(Way, Value)> {
    let Some(left) = left.checked_sub(1) else {
        return Vec::new();
    };
    let values = match value {
        Value::Text(text) => {
            let near = near(text).into_iter();
            return near.map(|(way, text)| (way, Value::Text(text))).collect();
        }
        Value::Number(number) => near_numbers(number)
            .into_iter()
            .map(Value::Number)
            .collect(),
        Value::Bool(truth) => vec![Value::Bool(!truth)],
        Value::Null => Vec::new(),
        Value::List(items) => near_lists(items, left)
            .into_iter()
            .map(Value::List)
            .collect(),
        Value::Object(members) => near_objects(members, left)
            .into_iter()
            .map(Value::Object)
            .collect(),
    };
    let mut known: Vec<(Way, Value)> = Vec::new();
    for (at, one) in values.into_iter().enumerate() {
        if one != *value && known.iter().all(|(_, known)| *known != one) {
            // Where two fields are of one type, the same is done to both.
            known.push(((0, at), one));
        }
    }
    known
}

/// Other numbers, written as this one is.
fn near_numbers(number: &str) -> Vec<String> {
    if let Ok(whole) = number.parse::<i64>() {
        let near = [
            whole.checked_add(1),
            whole.checked_sub(1),
            whole.checked_neg(),
            whole.checked_mul(2),
            whole.checked_mul(10),
        ];
        let near = near.into_iter().flatten();
        let near = near.map(|number| number.to_string());
        let usual = || USUAL.split(' ').map(str::to_owned);
        return usual().take(2).chain(near).chain(usual().skip(2)).collect();
    }
    let others = [
        "0", "1", "0.5", "-0.5", "1.5", "1e300", "1e-300", "100", "0.1",
    ];
    others.map(str::to_owned).into()
}

/// None, with an element less or once more, the other way round, and with others in the place of its first and last.
fn near_lists(items: &[Value], left: usize) -> Vec<Vec<Value>> {
    let mut all = vec![Vec::new()];
    let Some((first, rest)) = items.split_first() else {
        return vec![vec![Value::text("x")]];
    };
    all.push(rest.to_vec());
    all.push([items, std::slice::from_ref(first)].concat());
    all.push(items.iter().rev().cloned().collect());
    for at in [0, items.len() - 1] {
        for (_, near) in near_within(&items[at], left).into_iter().take(INSIDE) {
            let mut changed = items.to_vec();
            changed[at] = near;
            all.push(changed);
        }
    }
    all
}

/// None, with a member less or more, with other values and with other names.
fn near_objects(members: &[(Vec<u8>, Value)], left: usize) -> Vec<Vec<(Vec<u8>, Value)>> {
    let member = |name: &[u8]| (name.to_vec(), Value::text("x"));
    let mut all = vec![Vec::new()];
    let Some(((name, value), rest)) = members.split_first() else {
        return vec![vec![member(b"x")]];
    };
    all.push(rest.to_vec());
    all.push([members, &[(b"stickler".to_vec(), value.clone())]].concat());
    all.push(members.iter().rev().cloned().collect());
    let changed = |first: (Vec<u8>, Value)| [&[first], rest].concat();
    let values = near_within(value, left).into_iter().take(INSIDE);
    all.extend(values.map(|(_, value)| changed((name.clone(), value))));
    let names = near(name).into_iter().take(INSIDE);
    all.extend(names.map(|(_, name)| changed((name, value.clone()))));
    all
}

/// A sign alone.
fn alone(text: &[u8]) -> Vec<Vec<u8>> {
    let is_path = text.starts_with(b"/");
    let signs = ALONE.bytes().filter(|_| !is_path);
    signs.map(|sign| vec![sign]).collect()
}

/// Numbers at which programs change their mind, in the place of a number.
fn usual_numbers(text: &[u8]) -> Vec<Vec<u8>> {
    let is_number = !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    let numbers = USUAL.split(' ').filter(|_| is_number);
    numbers.map(|number| number.as_bytes().to_vec()).collect()
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
    use super::{near, near_value};
    use proptest::prelude::*;
    use stickler_transcript::Value;

    #[test]
    fn values_of_each_type_have_neighbours_of_that_type() {
        let text = |text: &str| Value::text(text);
        let number = |number: &str| Value::Number(number.into());
        for (value, others) in [
            (
                number("14"),
                vec![
                    number("0"),
                    number("8"),
                    number("600"),
                    number("15"),
                    number("-14"),
                ],
            ),
            (number("0.5"), vec![number("1.5")]),
            (Value::Bool(true), vec![Value::Bool(false)]),
            (
                Value::List(vec![text("a"), text("b")]),
                vec![
                    Value::List(Vec::new()),
                    Value::List(vec![text("b"), text("a")]),
                    Value::List(vec![text("A"), text("b")]),
                ],
            ),
            (
                Value::Object(vec![(b"a".to_vec(), text("b"))]),
                vec![
                    Value::Object(Vec::new()),
                    Value::Object(vec![(b"A".to_vec(), text("b"))]),
                    Value::Object(vec![(b"a".to_vec(), text("B"))]),
                ],
            ),
            (text("7"), vec![text("600"), text("$")]),
        ] {
            let near = near_value(&value);
            for other in others {
                assert!(
                    near.iter().any(|(_, near)| *near == other),
                    "{value:?}: {other:?}"
                );
            }
            let is_same = |one: &Value| one.type_name() == value.type_name();
            assert!(near.iter().all(|(_, near)| is_same(near) && *near != value));
        }
        assert!(near_value(&Value::Null).is_empty());
    }

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
