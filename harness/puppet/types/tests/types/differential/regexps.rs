//! Regular expressions: which ones compile, and what they match.

use super::peer::{Peer, question};
use super::types::{Tally, seed};
use puppet_types::regex::{Fault, Pattern};
use puppet_types::{Dice, Value};

/// Pieces of patterns, which are put together at random.
const PIECES: &[&str] = &[
    "a",
    "b",
    "é",
    "\\d",
    "\\w",
    "\\s",
    "\\S",
    "\\h",
    "\\H",
    ".",
    "^",
    "$",
    "\\A",
    "\\z",
    "\\Z",
    "\\b",
    "\\B",
    "[a-c]",
    "[^a]",
    "[[:alpha:]]",
    "[[:^digit:]]",
    "[\\d\\s]",
    "[a-c&&[^b]]",
    "[]a]",
    "[-a]",
    "[a-]",
    "[[:space:]]",
    "\\p{Alpha}",
    "\\p{^Upper}",
    "\\P{L}",
    "\\p{Greek}",
    "*",
    "+",
    "?",
    "*?",
    "+?",
    "??",
    "*+",
    "++",
    "?+",
    "{2}",
    "{1,2}",
    "{,2}",
    "{2,}",
    "{2}?",
    "{1,2}?",
    "{2}+",
    "{",
    "}",
    "|",
    "(",
    ")",
    "(?:",
    "(?<x>",
    "(?<y>",
    "(?=",
    "(?!",
    "(?<=",
    "(?<!",
    "(?>",
    "(?i)",
    "(?m)",
    "(?x)",
    "(?i-m:",
    "(?#c)",
    "\\1",
    "\\k<x>",
    "\\n",
    "\\t",
    "\\x41",
    "\\u00e9",
    "\\/",
    "/",
    "\\.",
    "\\-",
    " ",
    "#",
    "\n",
    "ss",
    "ß",
    "K",
    "-",
    "]",
    "\\R",
    "\\cA",
    "\\0",
    "(?~",
    "\\e",
    "&&",
    "[a&&b]",
    "[^\\W]",
    "\\K",
];

const TEXTS: &[&str] = &[
    "", "a", "b", "ab", "aab", "aabb", "A", "é", "É", "a\n", "\n", "a\nb", "b\na\nc", "\n\n", "1",
    "a1 b2", " ", "ss", "ß", "-", "]", "{", "a{", "/", "k", "\u{212a}", "ſ", "abcabc", "_", "\r\n",
    "α", "\u{a0}", "\u{2028}", "x#y",
];

fn compare(peer: &mut Peer, source: &str, tally: &mut Tally) {
    let texts: Vec<Value> = TEXTS.iter().map(|text| Value::string(*text)).collect();
    let asked = vec![
        ("source", Value::string(source)),
        ("values", Value::Array(texts)),
    ];
    let answer = peer.ask(&question("regexp", asked));
    tally.asked += 1;
    let own = Pattern::new(source);
    if let Some(error) = answer.get("error") {
        let message = error.get("message").and_then(Value::as_str).unwrap_or("");
        match own.fault() {
            // Some patterns are only refused by Ruby: look-behinds of odd lengths and the like.
            Some(Fault::Unsupported(_)) => tally.undecided += 1,
            Some(Fault::Invalid(_)) => {}
            None => tally.differs(format!("/{source}/: taken here, there {message}")),
        }
        return;
    }
    match own.fault() {
        Some(Fault::Unsupported(_)) => {
            tally.undecided += 1;
            return;
        }
        Some(Fault::Invalid(message)) => {
            tally.differs(format!("/{source}/: {message} here, taken there"));
            return;
        }
        None => {}
    }
    let results = answer
        .get("results")
        .and_then(Value::as_array)
        .expect("results");
    for (text, theirs) in TEXTS.iter().zip(results) {
        let Ok(own) = own.captures(text) else {
            continue;
        };
        let shown = own.map(|captures| {
            let mut named: Vec<Value> = Vec::new();
            for capture in captures {
                let value = capture.text.map_or(Value::Undef, Value::String);
                named.push(Value::Array(vec![Value::String(capture.name), value]));
            }
            Value::Array(named)
        });
        let own = shown.unwrap_or(Value::Undef);
        if own != *theirs {
            tally.differs(format!(
                "/{source}/ {text:?}: {} here, there {}",
                own.inspect(),
                theirs.inspect()
            ));
        }
    }
}

#[test]
fn patterns_match_the_same_texts_as_in_ruby() {
    let mut peer = Peer::start();
    let mut dice = Dice::new(seed(), "regexps");
    let mut tally = Tally::default();
    for _ in 0..3_000 {
        let count = 1 + dice.below(5);
        let mut source = String::new();
        let mut open = 0;
        for _ in 0..count {
            let piece = *dice.pick(PIECES).expect("a piece");
            // Mostly balanced, so that they compile.
            if piece == ")" {
                if open == 0 {
                    continue;
                }
                open -= 1;
            }
            if piece.starts_with('(') && !piece.ends_with(')') {
                open += 1;
            }
            source.push_str(piece);
        }
        source.push_str(&")".repeat(open));
        compare(&mut peer, &source, &mut tally);
    }
    tally.check();
}
