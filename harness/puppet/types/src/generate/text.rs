//! Texts that challenge whoever handles them.

use crate::dice::Dice;

const TELLING: [&str; 44] = [
    "",
    " ",
    "a",
    "A",
    "0",
    "5",
    "-1",
    "0x1F",
    "1e3",
    "1.5",
    "true",
    "false",
    "undef",
    "nil",
    "default",
    "present",
    "absent",
    ":present",
    "two words",
    "  edges  ",
    "it's",
    "say \"x\"",
    "back\\slash\\",
    "$HOME ${x} $(id)",
    "#{1+1}",
    "`id`; id | id",
    "%s %d %",
    "-n",
    "--help",
    "/etc/passwd",
    "../../x",
    "a,b;c",
    "a=b",
    "[a]{b}(c)*?",
    "<b>&amp;</b>",
    "line\nbreak",
    "ends\n",
    "\ttab",
    "null\0byte",
    "\u{1b}[31m",
    "äöü ß é",
    "日本語 𝔘😀",
    "e\u{301}\u{200d}\u{feff}",
    "rtl \u{202e}txt\u{2028}",
];

/// Any text.
pub(super) fn any(dice: &mut Dice) -> String {
    match dice.below(12) {
        0 => of_length(255, dice),
        1 => of_length(4_096, dice),
        2 | 3 => word(dice),
        _ => (*dice.pick(&TELLING).unwrap_or(&"a")).to_owned(),
    }
}

/// A word of a few letters.
pub(super) fn word(dice: &mut Dice) -> String {
    let letters = 1 + dice.below(6);
    (0..letters)
        .map(|_| *dice.pick(b"abcdexyz").unwrap_or(&b'a'))
        .map(char::from)
        .collect()
}

/// A text of so many characters: of one byte each, or of several.
pub(super) fn of_length(length: usize, dice: &mut Dice) -> String {
    const ALPHABETS: [&str; 5] = ["a", "abc xyz-_./", "äé", "日本𝔘😀", "\"'\\$\n\t "];
    let alphabet: Vec<char> = dice.pick(&ALPHABETS).unwrap_or(&"a").chars().collect();
    (0..length)
        .filter_map(|_| dice.pick(&alphabet).copied())
        .collect()
}
