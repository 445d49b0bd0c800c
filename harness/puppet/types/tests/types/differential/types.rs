//! Types: which texts are types, which values are of them, and the words for those that are not.

use super::peer::{Peer, question};
use super::slips;
use crate::grammar;
use puppet_types::regex::{Fault, Pattern};
use puppet_types::{Dice, Match, Type, Value, generate, parse};

/// At most so many differences are shown.
const SHOWN: usize = 12;

#[derive(Default)]
pub struct Tally {
    pub asked: usize,
    pub undecided: usize,

    pub different: Vec<String>,
}

impl Tally {
    pub fn differs(&mut self, what: String) {
        self.different.push(what);
    }

    pub fn check(&self) {
        let shown = &self.different[..self.different.len().min(SHOWN)];
        assert!(
            shown.is_empty(),
            "{} differences in {} answers, such as\n{}",
            self.different.len(),
            self.asked,
            shown.join("\n")
        );
    }
}

fn text<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key)?.as_str()
}

/// Words of Ruby's own errors, and of syntax errors, need not be the same; classes must.
fn compare_error(
    source: &str,
    own: &Result<Type, puppet_types::ParseError>,
    theirs: &Value,
    tally: &mut Tally,
) {
    let (class, message) = (
        text(theirs, "class").unwrap_or(""),
        text(theirs, "message").unwrap_or(""),
    );
    match own {
        // A pattern that this crate cannot try may not compile either.
        Ok(_) if class == "RegexpError" && has_untried_pattern(source) => tally.undecided += 1,
        Ok(own) => tally.differs(format!("{source:?}: {own} here, there {class}: {message}")),
        Err(error) if error.class.name() != class => tally.differs(format!(
            "{source:?}: {}: {} here, there {class}: {message}",
            error.class.name(),
            error.message
        )),
        Err(error) => {
            let floats = source.contains("Integer[") && source.contains('.');
            let exact = !floats && matches!(class, "Puppet::ParseError" | "ArgumentError");
            // What Ruby itself says when it compares things is not imitated.
            if exact && error.message != message && !message.starts_with("comparison of") {
                tally.differs(format!(
                    "{source:?}: {:?} here, there {message:?}",
                    error.message
                ));
            }
        }
    }
}

/// Is there a pattern in the text that this crate cannot try?
fn has_untried_pattern(source: &str) -> bool {
    source.match_indices('/').any(|(start, _)| {
        let tail = &source[start + 1..];
        let mut ends = tail.match_indices('/').map(|(end, _)| end);
        ends.any(|end| {
            matches!(
                Pattern::new(&tail[..end]).fault(),
                Some(Fault::Unsupported(_))
            )
        })
    })
}

fn compare(peer: &mut Peer, source: &str, values: &[Value], tally: &mut Tally) {
    let own = parse(source);
    let asked = question(
        "types",
        vec![
            ("type", Value::string(source)),
            ("values", Value::Array(values.to_vec())),
        ],
    );
    let answer = peer.ask(&asked);
    if let Some(error) = answer.get("error") {
        tally.asked += 1;
        compare_error(source, &own, error, tally);
        return;
    }
    let own = match own {
        Ok(own) => own,
        Err(error) => {
            tally.asked += 1;
            tally.differs(format!(
                "{source:?}: {error} here, there {:?}",
                text(&answer, "text")
            ));
            return;
        }
    };
    let printed = own.to_string();
    // Puppet keeps a float as the limit of an integer.
    let floats = source.contains("Integer[") && source.contains('.');
    if text(&answer, "text") != Some(&printed) && !floats {
        tally.differs(format!(
            "{source:?}: prints {printed}, there {:?}",
            text(&answer, "text")
        ));
    }
    let results = answer
        .get("results")
        .and_then(Value::as_array)
        .expect("results");
    for (value, theirs) in values.iter().zip(results) {
        tally.asked += 1;
        let shown = value.inspect();
        match (own.matches(value), theirs) {
            (Match::Undecided(_), _) => tally.undecided += 1,
            (Match::Yes, Value::Bool(true)) => {}
            (Match::No, Value::String(words)) => {
                let own_words = own.describe_mismatch("it", value);
                if own_words != *words {
                    tally.differs(format!(
                        "{source:?} {shown}\n   here  {own_words}\n   there {words}"
                    ));
                }
            }
            // Puppet fails when it merges a float without a limit with another for its message.
            (Match::No, theirs)
                if text(theirs, "message") == Some("comparison of Float with nil failed") => {}
            // Nor does it merge a bare `Optional` or `NotUndef` with other types.
            (Match::No, theirs)
                if text(theirs, "message")
                    .is_some_and(|words| words.contains("`normalize' for nil")) => {}
            (own, theirs) => tally.differs(format!(
                "{source:?} {shown}: {own:?} here, there {}",
                theirs.inspect()
            )),
        }
    }
}

#[test]
fn generated_types_and_values_are_judged_as_puppet_does() {
    let mut peer = Peer::start();
    let mut dice = Dice::new(seed(), "types");
    let mut tally = Tally::default();
    while tally.asked < 20_000 {
        let source = grammar::expression(&mut dice, 3);
        let mut values = Vec::new();
        if let Ok(own) = parse(&source) {
            for _ in 0..4 {
                values.extend(generate::valid(&own, &mut dice));
                values.extend(generate::invalid(&own, &mut dice));
            }
        }
        values.push(generate::any(&mut dice));
        values.push(generate::any(&mut dice));
        values.truncate(10);
        compare(&mut peer, &source, &values, &mut tally);
    }
    tally.check();
    assert!(
        tally.undecided * 50 < tally.asked,
        "{} undecided",
        tally.undecided
    );
}

#[test]
fn damaged_texts_are_refused_as_puppet_does() {
    let mut peer = Peer::start();
    let mut dice = Dice::new(seed(), "damaged");
    let mut tally = Tally::default();
    for _ in 0..3_000 {
        let source = slips::damaged(&mut dice);
        compare(&mut peer, &source, &[], &mut tally);
    }
    tally.check();
}

/// Another seed for each run on request; the same one otherwise.
pub fn seed() -> u64 {
    let set = std::env::var("STICKLER_TEST_SEED").ok();
    set.and_then(|seed| seed.parse().ok()).unwrap_or(1)
}
