//! What `puppet resource` makes of words, and how Ruby writes values.

use super::peer::{Peer, question};
use super::types::{Tally, seed};
use crate::grammar;
use puppet_types::{Dice, Refused, Value, generate, parse};

const WORDS: &[&str] = &[
    "5",
    "-5",
    "+5",
    " 5 ",
    "- 5",
    "05",
    "08",
    "0x5",
    "0X1f",
    "0xg",
    "1e3",
    "1E-3",
    "1e+3",
    "1.5",
    "-1.5",
    ".5",
    "5.",
    "0e1",
    "0.0e5",
    "1e999",
    "a\n5",
    "5\n",
    "::5",
    "true",
    "false",
    "True",
    "present",
    "absent",
    "",
    "undef",
    "nil",
    "a",
    "é",
    "99999999999999999999999",
    "0b1",
    "1_000",
    "00",
    "007",
    "\u{a0}5",
];

fn compare(peer: &mut Peer, source: &str, values: &[Value], tally: &mut Tally) {
    let Ok(own) = parse(source) else { return };
    let asked = vec![
        ("type", Value::string(source)),
        ("values", Value::Array(values.to_vec())),
    ];
    let answer = peer.ask(&question("munge", asked));
    let results = answer
        .get("results")
        .and_then(Value::as_array)
        .expect("results");
    for (value, theirs) in values.iter().zip(results) {
        tally.asked += 1;
        let shown = value.inspect();
        let message = theirs.get("message").and_then(Value::as_str);
        let class = theirs.get("class").and_then(Value::as_str);
        match (own.munge(value, "it"), theirs.get("value")) {
            (Err(Refused::Undecided(_)), _) => tally.undecided += 1,
            _ if shown.contains("#<Proc") => {}
            (Ok(own), Some(theirs)) if own == *theirs || own.inspect() == theirs.inspect() => {}
            (Err(Refused::Because(own)), None) if Some(own.as_str()) == message => {}
            // Puppet fails in its own ways; what matters is that it fails.
            (Err(_), None) if class != Some("Puppet::ResourceError") => {}
            (own, _) => tally.differs(format!(
                "{source:?} {shown}\n   here  {:?}\n   there {}",
                own.map(|own| own.inspect()),
                theirs.inspect()
            )),
        }
    }
}

#[test]
fn words_are_munged_as_puppet_resource_munges_them() {
    let mut peer = Peer::start();
    let mut dice = Dice::new(seed(), "munging");
    let mut tally = Tally::default();
    for source in [
        "Integer",
        "Float",
        "Numeric",
        "Boolean",
        "String",
        "Enum[present, absent]",
        "Optional[Integer]",
        "Optional[Boolean]",
        "Variant[Integer, String]",
        "Variant[Integer, Float]",
        "Variant[Boolean, Enum[a]]",
        "Variant[Undef, Integer]",
        "Array[Integer]",
        "Optional[Array[Integer]]",
        "Any",
        "Data",
        "Scalar",
        "Pattern[/5/]",
        "Sensitive[Integer]",
        "Variant[Integer[0, 4], Integer[5, 9]]",
        "Variant[String, String[1]]",
        "Integer[0, 4]",
        "Boolean[true]",
        "Hash[String, Integer]",
        "Float[0.0, 2.0]",
        "Variant",
    ] {
        let mut values: Vec<Value> = WORDS.iter().map(|word| Value::string(*word)).collect();
        values.extend(
            WORDS
                .iter()
                .take(40)
                .map(|word| Value::symbol(*word))
                .filter(|one| {
                    // The library then asks a symbol for a number, and gets nothing.
                    one.as_symbol()
                        .is_some_and(|name| !name.contains(|digit: char| digit.is_ascii_digit()))
                }),
        );
        values.push(Value::Array(vec!["1".into(), "x".into()]));
        values.push(Value::Array(vec!["1".into(), "2".into()]));
        values.push(Value::Undef);
        compare(&mut peer, source, &values, &mut tally);
    }
    for _ in 0..600 {
        let source = grammar::expression(&mut dice, 2);
        let mut values: Vec<Value> = (0..4)
            .map(|_| Value::string(*dice.pick(WORDS).expect("a word")))
            .collect();
        if let Ok(own) = parse(&source) {
            values.extend(generate::valid(&own, &mut dice));
            values.extend(generate::valid(&own, &mut dice).map(|own| Value::String(own.to_text())));
        }
        compare(&mut peer, &source, &values, &mut tally);
    }
    tally.check();
}

#[test]
fn values_are_written_as_ruby_writes_them() {
    let mut peer = Peer::start();
    let mut dice = Dice::new(seed(), "inspect");
    let mut tally = Tally::default();
    let mut values: Vec<Value> = (0..2_000).map(|_| generate::any(&mut dice)).collect();
    let texts = [
        "#{a} #$b #@c #d # #",
        "\u{7f}\u{80}\u{ad}\u{200b}\u{e000}\u{378}\u{10ffff}",
        "\u{7}\u{8}\u{b}\u{c}\u{1b}\0",
        "a?",
        "a!",
        "a=",
        "a?=",
        "[]",
        "[]=",
        "+@",
        "<=>",
        "=",
        "==",
        "=~",
        "!",
        "!=",
        "@a",
        "@@a",
        "$a",
        "$1",
        "9a",
        "A",
        "é",
        "a-b",
        "nil",
        "",
        "a b",
        "foo=",
        "Foo",
        "_",
        "$",
        "@",
        "**",
        "%",
        "&&",
        "a.b",
    ];
    for text in texts {
        values.push(text.into());
        values.push(Value::symbol(text));
    }
    for number in [
        1e15,
        1e16,
        123_456_789_012_345_680.0,
        1e-4,
        1e-5,
        1e22,
        1.5e300,
        5e-324,
        100.0,
        -0.0,
    ] {
        values.push(Value::Float(number));
    }
    values.push(Value::Binary(vec![0xff, b'a', 0xc3]));
    let answer = peer.ask(&question(
        "inspect",
        vec![("values", Value::Array(values.clone()))],
    ));
    let results = answer
        .get("results")
        .and_then(Value::as_array)
        .expect("results");
    for (value, theirs) in values.iter().zip(results) {
        tally.asked += 1;
        let own = value.inspect();
        // A block's text says where it is in memory.
        if theirs.as_str() != Some(&own) && !own.contains("#<Proc") {
            tally.differs(format!(
                "here  {own}\nthere {}",
                theirs.as_str().unwrap_or("?")
            ));
        }
    }
    tally.check();
}
