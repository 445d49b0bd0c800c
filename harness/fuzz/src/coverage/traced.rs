//! What a program compared, as a trace of its lines tells it.

use crate::pattern::{globbed, samples};

/// How many pairs of one trace count.
const MOST: usize = 400;
/// The longest side.
const LONGEST: usize = 200;
/// The operators of tests in bash that compare, with spaces around. Bash shows sides without quotes.
const OPERATORS: &[&str] = &[
    " == ", " != ", " = ", " =~ ", " -eq ", " -ne ", " -lt ", " -le ", " -gt ", " -ge ", " < ",
    " > ", " <= ", " >= ",
];

/// The pairs in a trace: tests of bash that were carried out.
pub(super) fn pairs(trace: &[u8]) -> Vec<[Vec<u8>; 2]> {
    let mut pairs: Vec<[Vec<u8>; 2]> = Vec::new();
    for line in trace.split(|byte| *byte == b'\n') {
        for pair in in_test(line) {
            let counts = pair
                .iter()
                .all(|side| !side.is_empty() && side.len() <= LONGEST);
            if counts && pair[0] != pair[1] && !pairs.contains(&pair) {
                pairs.push(pair);
            }
        }
        if pairs.len() >= MOST {
            break;
        }
    }
    pairs
}

/// The pairs of sides of `[[ … ]]`, `[ … ]`, `test …` or `(( … ))` behind the sign of a trace: several for a pattern.
fn in_test(line: &[u8]) -> Vec<[Vec<u8>; 2]> {
    let Some((one, operator, other)) = test(line) else {
        return Vec::new();
    };
    let others = match operator {
        " =~ " => samples(other.trim_ascii()),
        " == " | " != " | " = " => {
            let mut others = vec![plain(other)];
            others.extend(globbed(other.trim_ascii()));
            others
        }
        _ => vec![plain(other)],
    };
    let one = plain(one);
    let pairs = others.into_iter().map(|other| [one.clone(), other]);
    pairs.collect()
}

/// The sides of a test, and what is between them.
fn test(line: &[u8]) -> Option<(&[u8], &'static str, &[u8])> {
    let plus = line.iter().take_while(|byte| **byte == b'+').count();
    let rest = line[plus..].strip_prefix(b"@").filter(|_| plus > 0)?;
    let end = rest.iter().position(|byte| *byte == b'@')?;
    let mut command = &rest[end + 1..];
    // Where lines are wanted, the name of the file stands before.
    if let Some(at) = command.iter().position(|byte| *byte == 0x1f) {
        command = &command[at + 1..];
    }
    let inner = [
        ("[[ ", " ]]"),
        ("'[' ", " ']'"),
        ("[ ", " ]"),
        ("test ", ""),
        ("((", "))"),
    ];
    let test = inner.iter().find_map(|(open, close)| {
        command
            .strip_prefix(open.as_bytes())?
            .strip_suffix(close.as_bytes())
    })?;
    let (at, operator) = OPERATORS
        .iter()
        .filter_map(|operator| Some((memchr::memmem::find(test, operator.as_bytes())?, operator)))
        .min()?;
    Some((&test[..at], operator, &test[at + operator.len()..]))
}

/// A side as the value that it is: without the backslashes and quotes of the trace, and without stars at its ends.
fn plain(side: &[u8]) -> Vec<u8> {
    let mut side = side.trim_ascii();
    if side.len() > 1 && side.starts_with(b"'") && side.ends_with(b"'") {
        side = &side[1..side.len() - 1];
    }
    let mut plain = Vec::new();
    let mut bytes = side.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => plain.extend(bytes.next()),
            b'*' => {}
            byte => plain.push(*byte),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::pairs;
    use proptest::prelude::*;

    fn texts(trace: &str) -> Vec<[String; 2]> {
        let text = |side: Vec<u8>| String::from_utf8(side).expect("text");
        pairs(trace.as_bytes())
            .into_iter()
            .map(|pair| pair.map(text))
            .collect()
    }

    #[test]
    fn tests_of_bash_are_read() {
        let trace = "+@12@[[ hello == \\w\\o\\r\\l\\d ]]\n++@13@m.sh\u{1f}'[' 5 -gt 20 ']'\n+@1@echo a == b\n\
                     +@14@(( 7 > 9 ))\n+@15@[[ x == x ]]\n+@16@test 'a b' = c\n+@17@[[ yes == y* ]]\n";
        let wanted = [
            ["hello", "world"],
            ["5", "20"],
            ["7", "9"],
            ["a b", "c"],
            ["yes", "y"],
            ["yes", "ya"],
            ["yes", "ya.b"],
        ];
        assert_eq!(texts(trace), wanted.map(|pair| pair.map(str::to_owned)));
    }

    #[test]
    fn a_pattern_becomes_a_text_that_it_matches() {
        let found = texts("+@1@[[ x =~ ^v[0-9]+$ ]]\n");
        assert!(
            found[0][1].starts_with('v') && found[0][1].len() > 1,
            "{found:?}"
        );
    }

    proptest! {
        #[test]
        fn any_trace_is_read(trace in "(?s)([+@\\[\\]= -gx0-9\\\\'*\\n]|.){0,80}") {
            for pair in pairs(trace.as_bytes()) {
                prop_assert!(pair[0] != pair[1]);
            }
        }
    }
}
