//! Definitions: what the library raises and warns of, and what titles give.

use super::peer::{Peer, question};
use super::slips;
use super::types::{Tally, seed};
use crate::grammar;
use puppet_types::definition::{Library, as_library, as_library_transport};
use puppet_types::titles::Title;
use puppet_types::{Definition, Dice, Value};

fn strings(texts: &[String]) -> Vec<Value> {
    texts
        .iter()
        .map(|text| Value::string(text.as_str()))
        .collect()
}

fn regexp(source: &str) -> Value {
    Value::Regexp {
        source: source.to_owned(),
        options: String::new(),
    }
}

/// A sound definition.
fn sound(name: &str) -> Value {
    let attribute = |members: Vec<(&'static str, Value)>| Value::hash(members);
    Value::hash([
        ("name", Value::string(name)),
        ("desc", "a type".into()),
        ("features", Value::Array(vec!["canonicalize".into()])),
        (
            "attributes",
            Value::hash([
                (
                    "ensure",
                    attribute(vec![
                        ("type", "Enum[present, absent]".into()),
                        ("desc", "x".into()),
                        ("default", "present".into()),
                    ]),
                ),
                (
                    "package",
                    attribute(vec![
                        ("type", "String".into()),
                        ("desc", "x".into()),
                        ("behaviour", Value::symbol("namevar")),
                    ]),
                ),
                (
                    "manager",
                    attribute(vec![
                        ("type", "String".into()),
                        ("desc", "x".into()),
                        ("behaviour", Value::symbol("namevar")),
                    ]),
                ),
                (
                    "size",
                    attribute(vec![
                        ("type", "Optional[Integer]".into()),
                        ("desc", "x".into()),
                    ]),
                ),
            ]),
        ),
        (
            "title_patterns",
            Value::Array(vec![
                Value::hash([
                    ("pattern", regexp(r"^(?<package>.*[^-])-(?<manager>.*)$")),
                    ("desc", "x".into()),
                ]),
                Value::hash([
                    ("pattern", regexp(r"^(?<package>.*)$")),
                    ("desc", "x".into()),
                ]),
            ]),
        ),
        ("autorequire", Value::hash([("file", "$package".into())])),
    ])
}

/// Values that authors write by mistake.
fn mistake(dice: &mut Dice) -> Value {
    let all = [
        Value::Undef,
        Value::Bool(true),
        Value::Bool(false),
        Value::integer(5),
        Value::Float(1.5),
        "x".into(),
        "".into(),
        "a-b".into(),
        "1ab".into(),
        "foo::bar".into(),
        "Upper_case".into(),
        "namevar".into(),
        Value::symbol("namevar"),
        Value::symbol("read_only"),
        Value::symbol("init_only"),
        Value::symbol("parameter"),
        Value::symbol("foo"),
        Value::Array(vec![]),
        Value::Array(vec![
            "x".into(),
            Value::symbol("canonicalize"),
            "custom_generate".into(),
        ]),
        Value::Array(vec![
            Value::Array(vec!["a".into(), "b".into()]),
            Value::integer(1),
        ]),
        Value::Hash(vec![]),
        Value::hash([("type", "String".into())]),
        Value::hash([("x", "$nosuch".into())]),
        Value::Hash(vec![("x".into(), Value::integer(1))]),
        regexp("^(?<package>.)"),
        Value::Proc("-:1".into()),
        Value::Array(vec![Value::Proc("-:1".into())]),
        Value::Sensitive(Box::new("x".into())),
        "Optional[Enum[absent, present]]".into(),
        "Variant[Undef, Enum[present, absent]]".into(),
        "Optional[Variant[Undef, Enum[present, absent]]]".into(),
        "Variant[Enum[present, absent], Undef]".into(),
        "Enum[present, absent, latest]".into(),
        "String[".into(),
        "string".into(),
        "Integer[5, 1]".into(),
        "Pattern[/(/]".into(),
        "Strang".into(),
    ];
    dice.pick(&all).cloned().unwrap_or(Value::Undef)
}

const KEYS: &[&str] = &[
    "name",
    "desc",
    "docs",
    "attributes",
    "features",
    "title_patterns",
    "autorequire",
    "autobefore",
    "autosubscribe",
    "autonotify",
    "type",
    "default",
    "behaviour",
    "behavior",
    "ensure",
    "package",
    "size",
    "title",
    "provider",
    "tag",
    "noop",
    "rsapi_custom_insync_trigger",
    "new",
    "pattern",
    "connection_info",
    "connection_info_order",
    "sensitive",
    "host",
];

/// Changes one thing somewhere.
fn change(value: &mut Value, dice: &mut Dice, depth: usize) {
    match value {
        Value::Hash(pairs) if depth < 4 => match dice.below(8) {
            0 if !pairs.is_empty() => {
                let at = dice.below(pairs.len());
                pairs.remove(at);
            }
            1 => {
                let key = Value::symbol(*dice.pick(KEYS).expect("a key"));
                let new = mistake(dice);
                pairs.retain(|(known, _)| *known != key);
                pairs.push((key, new));
            }
            2 if !pairs.is_empty() => {
                let at = dice.below(pairs.len());
                pairs[at].1 = mistake(dice);
            }
            3 if depth > 0 && !pairs.is_empty() => {
                let at = dice.below(pairs.len());
                if pairs[at].0.as_symbol() == Some("type") {
                    pairs[at].1 = Value::String(if dice.one_in(3) {
                        slips::damaged(dice)
                    } else {
                        grammar::expression(dice, 2)
                    });
                }
            }
            _ if !pairs.is_empty() => {
                let at = dice.below(pairs.len());
                change(&mut pairs[at].1, dice, depth + 1);
            }
            _ => {}
        },
        Value::Array(items) if !items.is_empty() && dice.one_in(2) => {
            let at = dice.below(items.len());
            change(&mut items[at], dice, depth + 1);
        }
        other => *other = mistake(dice),
    }
}

fn compare(peer: &mut Peer, kind: &str, definition: &Value, titles: &[String], tally: &mut Tally) {
    tally.asked += 1;
    let mut asked = vec![
        ("kind", Value::string(kind)),
        ("definition", definition.clone()),
    ];
    if !titles.is_empty() {
        asked.push(("titles", Value::Array(strings(titles))));
    }
    let answer = peer.ask(&question("register", asked));
    let own = if kind == "type" {
        as_library(definition, Library::V1_8_16)
    } else {
        as_library_transport(definition, Library::V1_8_16)
    };
    let text = |key: &str| {
        let error = answer.get("error")?;
        error.get(key)?.as_str().map(str::to_owned)
    };
    let theirs = text("class");
    let message = text("message").unwrap_or_default();
    let shown = definition.inspect();
    // The text of a block says where it is in memory.
    let has_block = |text: &str| text.to_lowercase().contains("#<proc");
    match (&own.raised, theirs) {
        (None, None) => {}
        (Some(own), Some(class)) if own.class == class => {
            let exact =
                class.starts_with("Puppet::") || matches!(class.as_str(), "NameError" | "KeyError");
            // Syntax errors have Puppet's words only as far as that is cheap.
            let syntax = message.contains("could not be parsed")
                // If the first part of a path is known already, Ruby only names the second.
                || class == "NameError" && own.message.ends_with(message.trim_start_matches("wrong constant name "));
            if exact && !syntax && own.message != message && !has_block(&message) {
                tally.differs(format!(
                    "{shown}\n   here  {}\n   there {message}",
                    own.message
                ));
            }
        }
        (own, class) => tally.differs(format!(
            "{shown}\n   here  {own:?}\n   there {class:?} {message}"
        )),
    }
    let mut warnings = answer
        .get("warnings")
        .and_then(Value::as_array)
        .unwrap_or_default()
        .to_vec();
    // Some of these names are registered again and again.
    let again = |one: &Value| {
        one.as_str()
            .is_some_and(|text| text.ends_with("already exists; skipping"))
    };
    warnings.retain(|one| !again(one));
    if own.warnings.len() != warnings.len()
        || own
            .warnings
            .iter()
            .zip(&warnings)
            .any(|(own, theirs)| theirs.as_str() != Some(own) && !has_block(own))
    {
        tally.differs(format!(
            "{shown}\n   here  {:?}\n   there {}",
            own.warnings,
            Value::Array(warnings).inspect()
        ));
    }
    // Reading never fails, whatever the author wrote.
    let read = if kind == "type" {
        Definition::of_type(definition)
    } else {
        Definition::of_transport(definition)
    };
    if own.raised.is_some() && read.problems.is_empty() {
        tally.differs(format!("{shown}\n   no problem, but {:?}", own.raised));
    }
    let Some(found) = answer.get("titles").and_then(Value::as_array) else {
        return;
    };
    for (title, theirs) in titles.iter().zip(found) {
        compare_title(&read, title, theirs, tally);
    }
}

fn compare_title(read: &Definition, title: &str, theirs: &Value, tally: &mut Tally) {
    let own = match read.read_title(title) {
        Err(_) => {
            tally.undecided += 1;
            return;
        }
        Ok(Title::Unmatched) => Value::Undef,
        Ok(Title::Matched { pattern, namevars }) => {
            let namevars = namevars.into_iter().map(|one| {
                let text = one.text.map_or(Value::Undef, Value::String);
                Value::Array(vec![Value::String(one.name), text])
            });
            Value::Array(vec![
                Value::integer(pattern.unwrap_or(0)),
                Value::Array(namevars.collect()),
            ])
        }
    };
    if own != *theirs {
        tally.differs(format!(
            "{title:?}: {} here, there {}",
            own.inspect(),
            theirs.inspect()
        ));
    }
}

#[test]
fn definitions_are_refused_and_warned_of_as_the_library_does() {
    let mut peer = Peer::start();
    let mut dice = Dice::new(seed(), "definitions");
    let mut tally = Tally::default();
    compare(&mut peer, "type", &sound("sound"), &[], &mut tally);
    for index in 0..2_500 {
        let mut definition = sound(&format!("t{index}"));
        for _ in 0..=dice.below(2) {
            change(&mut definition, &mut dice, 0);
        }
        compare(&mut peer, "type", &definition, &[], &mut tally);
    }
    tally.check();
}

#[test]
fn schemas_are_refused_and_warned_of_as_the_library_does() {
    let mut peer = Peer::start();
    let mut dice = Dice::new(seed(), "schemas");
    let mut tally = Tally::default();
    for index in 0..1_500 {
        let key = |own: &str| Value::hash([("type", own.into()), ("desc", "x".into())]);
        let mut schema = Value::hash([
            ("name", Value::String(format!("s{index}"))),
            ("desc", "a transport".into()),
            (
                "connection_info",
                Value::hash([("host", key("String")), ("password", key("String"))]),
            ),
        ]);
        for _ in 0..dice.below(3) {
            change(&mut schema, &mut dice, 0);
        }
        // One that is already registered under its name is another error.
        let named = schema
            .get("name")
            .and_then(Value::as_str)
            .is_some_and(|name| name.ends_with(&index.to_string()));
        if named || schema.get("name").is_none() {
            compare(&mut peer, "transport", &schema, &[], &mut tally);
        }
    }
    tally.check();
}

#[test]
fn titles_give_the_namevars_that_puppet_reads() {
    let mut peer = Peer::start();
    let mut dice = Dice::new(seed(), "titles");
    let mut tally = Tally::default();
    let sets: &[&[&str]] = &[
        &[r"^(?<package>.*[^-])-(?<manager>.*)$", r"^(?<package>.*)$"],
        &[
            r"\A(?<package>[^/]+)/(?<manager>\d+)\Z",
            r"(?<manager>x)?(?<package>a)?",
        ],
        &[r"^(?<package>\w+)$", r"(?m)\A(?<package>.*)\z"],
        &[
            r"(?i)^(?<manager>YUM):(?<package>.+)",
            r"(?<package>.)(?<manager>.)",
        ],
        &[r"^(?<package>[^\s]+)\s+on\s+(?<manager>.+)$"],
        &[],
    ];
    for (index, set) in sets.iter().enumerate() {
        let mut definition = sound(&format!("titled{index}"));
        let patterns: Vec<Value> = set
            .iter()
            .map(|source| Value::hash([("pattern", regexp(source)), ("desc", "x".into())]))
            .collect();
        if let Value::Hash(pairs) = &mut definition {
            pairs.retain(|(key, _)| key.as_symbol() != Some("title_patterns"));
            if !set.is_empty() {
                pairs.push((Value::symbol("title_patterns"), Value::Array(patterns)));
            }
        }
        let mut titles: Vec<String> = [
            "",
            "php",
            "php-yum",
            "a-b-c",
            "-",
            "php-",
            "-yum",
            "a/1",
            "a/1\n",
            "yum:x",
            "YUM:x\ny",
            "é-日",
            "a\nb",
            "a on b",
            "xa",
            "x",
            "php-yum\nx-y",
        ]
        .map(str::to_owned)
        .to_vec();
        let read = Definition::of_type(&definition);
        for pattern in read
            .title_patterns
            .iter()
            .flatten()
            .filter_map(|one| one.pattern.as_ref())
        {
            titles.extend(puppet_types::titles::samples(pattern, 200, &mut dice));
        }
        compare(&mut peer, "type", &definition, &titles, &mut tally);
    }
    tally.check();
}
