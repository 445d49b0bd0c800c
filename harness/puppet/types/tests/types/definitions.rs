//! Faults of definitions: each is found, with its place and its rule. No Puppet is needed here.

use puppet_types::definition::{Library, Subject, as_library, as_library_transport};
use puppet_types::titles::{Reach, Title, TitlePattern, reach};
use puppet_types::{Behaviour, Definition, Value, regex::Pattern};

const SOUND: &str = r#"{"name":"software","desc":"x","features":["canonicalize","supports_noop"],
"attributes":{"ensure":{"type":"Enum[present, absent]","desc":"x","default":"present"},
"package":{"type":"String","desc":"x","behaviour":{"$sym":"namevar"}},
"manager":{"type":"String","desc":"x","behavior":{"$sym":"namevar"}},
"secret":{"type":"Optional[Sensitive[String]]","desc":"x"},
"size":{"type":"Integer","desc":"x","behaviour":{"$sym":"read_only"}}},
"title_patterns":[{"pattern":{"$re":"^(?<package>.*[^-])-(?<manager>.*)$","options":""},"desc":"x"},
{"pattern":{"$re":"^(?<package>.*)$","options":""},"desc":"x"}],
"autorequire":{"file":["$package",["/etc"],null]}}"#;

const SCHEMA: &str = r#"{"name":"nexus","desc":"x","connection_info":{
"host":{"type":"String","desc":"x"},"password":{"type":"String","desc":"x","sensitive":true}},
"connection_info_order":[{"$sym":"host"}]}"#;

fn value(json: &str) -> Value {
    Value::parse(json.as_bytes()).unwrap_or_else(|error| panic!("{error}: {json}"))
}

/// The rules that a definition breaks, each once, after one replacement.
#[track_caller]
fn broken(from: &str, to: &str) -> Vec<&'static str> {
    let (json, subject) = if SOUND.contains(from) {
        (SOUND, Subject::Type)
    } else {
        (SCHEMA, Subject::Transport)
    };
    assert!(json.contains(from), "{from}");
    let value = value(&json.replacen(from, to, 1));
    let own = match subject {
        Subject::Type => Definition::of_type(&value),
        Subject::Transport => Definition::of_transport(&value),
    };
    let mut rules: Vec<&str> = own.problems.iter().map(|one| one.rule(subject)).collect();
    rules.sort_unstable();
    rules.dedup();
    rules
}

#[test]
fn sound_definitions_have_no_problem() {
    let sound = value(SOUND);
    let own = Definition::of_type(&sound);
    assert_eq!(own.problems, []);
    assert_eq!(own.namevars(), ["package", "manager"]);
    assert!(own.is_ensurable() && own.has_feature("canonicalize"));
    let size = own.attribute("size").expect("an attribute");
    assert_eq!(size.behaviour, Behaviour::ReadOnly);
    assert_eq!(as_library(&sound, Library::V1_8_16), Default::default());
    let schema = value(SCHEMA);
    assert_eq!(Definition::of_transport(&schema).problems, []);
    assert_eq!(
        as_library_transport(&schema, Library::V2_0_1),
        Default::default()
    );
}

#[test]
fn each_fault_breaks_its_rule_alone() {
    for (rule, from, to) in [
        ("RA101", r#""name":"software","#, ""),
        ("RA101", r#""software""#, r#""a-b""#),
        ("RA101", r#""software""#, "null"),
        (
            "RA102",
            r#"{"type":"Integer","desc":"x","behaviour":{"$sym":"read_only"}}"#,
            r#""Integer""#,
        ),
        ("RA102", r#""type":"Integer","#, ""),
        (
            "RA103",
            r#""name":"software","desc":"x""#,
            r#""name":"software""#,
        ),
        (
            "RA103",
            r#""name":"software","#,
            r#""name":"software","docs":"y","#,
        ),
        (
            "RA103",
            r#""type":"Integer","desc":"x""#,
            r#""type":"Integer""#,
        ),
        ("RA104", r#""features":["#, r#""feature":[],"features":["#),
        (
            "RA104",
            r#""type":"Integer","#,
            r#""type":"Integer","defaut":1,"#,
        ),
        ("RA105", r#""Integer""#, r#""integer""#),
        ("RA105", r#""Integer""#, r#""Integer[5, 1]""#),
        ("RA105", r#""Integer""#, r#""Strang""#),
        ("RA105", r#""Integer""#, "null"),
        ("RA106", r#"{"$sym":"read_only"}"#, r#"{"$sym":"readonly"}"#),
        ("RA106", r#"{"$sym":"read_only"}"#, r#""read_only""#),
        (
            "RA106",
            r#""behaviour":{"$sym":"read_only"}"#,
            r#""behaviour":{"$sym":"read_only"},"behavior":{"$sym":"read_only"}"#,
        ),
        ("RA107", r#""size":"#, r#""loglevel":"#),
        ("RA107", r#""size":"#, r#""rsapi_custom_insync_trigger":"#),
        (
            "RA108",
            "Enum[present, absent]",
            "Enum[present, absent, latest]",
        ),
        (
            "RA108",
            r#""default":"present""#,
            r#""behaviour":{"$sym":"init_only"}"#,
        ),
        ("RA109", r#""default":"present""#, r#""default":"latest""#),
        (
            "RA109",
            r#""type":"Integer","#,
            r#""type":"Integer","default":1,"#,
        ),
        (
            "RA110",
            r#"["canonicalize","supports_noop"]"#,
            r#""canonicalize""#,
        ),
        (
            "RA110",
            r#""supports_noop"]"#,
            r#"{"$sym":"supports_noop"}]"#,
        ),
        ("RA110", r#""supports_noop"]"#, r#""support_noop"]"#),
        (
            "RA112",
            r#"{"$re":"^(?<package>.*)$","options":""}"#,
            r#"{"$re":"^(?<packge>.*)$","options":""}"#,
        ),
        (
            "RA112",
            r#"{"$re":"^(?<package>.*)$","options":""}"#,
            r#""^(?<package>.*)$""#,
        ),
        (
            "RA112",
            r#"{"pattern":{"$re":"^(?<package>.*)$","options":""},"desc":"x"}"#,
            r#"{"desc":"x"}"#,
        ),
        (
            "RA112",
            r#""options":""},"desc":"x"}]"#,
            r#""options":""}}]"#,
        ),
        ("RA112", "(?<manager>.*)", ".*"),
        (
            "RA113",
            "^(?<package>.*[^-])-(?<manager>.*)$",
            "^(?<package>.*)(?<manager>.?)$",
        ),
        ("RA114", "$package", "$pakage"),
        ("RA114", r#"["$package",["/etc"],null]"#, "5"),
        (
            "RA114",
            r#"{"file":["$package",["/etc"],null]}"#,
            r#""file""#,
        ),
        ("RA115", "Optional[Sensitive[String]]", "Optional[String]"),
        ("RA701", r#""connection_info":{"#, r#""connection_inf":{"#),
        ("RA701", r#""name":"nexus","desc":"x""#, r#""name":"nexus""#),
        (
            "RA701",
            r#""host":{"type":"String","#,
            r#""host":{"type":"string","#,
        ),
        (
            "RA702",
            r#""host":{"type""#,
            r#""host":{"type":"String","desc":"x"},"run-on":{"type""#,
        ),
        (
            "RA702",
            r#""host":{"type""#,
            r#""host":{"type":"String","desc":"x"},"remote-x":{"type""#,
        ),
        ("RA704", r#","sensitive":true"#, ""),
        ("RA704", r#""sensitive":true"#, r#""sensitive":"yes""#),
    ] {
        let found = broken(from, to);
        // A misspelled key is a rule of its own beside what is missing.
        let alone = found == [rule] || to.contains("connection_inf\"") && found.contains(&rule);
        assert!(alone, "{from} -> {to}: {found:?}, not {rule}");
    }
    assert_eq!(broken(r#""host":{"#, r#""hostname":{"#), ["RA701", "RA703"]);
    let strings = r#"{"name":"n","desc":"x","connection_info":{"$h":[["host",{"type":"String","desc":"x"}]]}}"#;
    let own = Definition::of_transport(&value(strings));
    assert_eq!(own.problems.len(), 1);
    assert_eq!(own.problems[0].rule(Subject::Transport), "RA717");
    let single = SOUND.replace(r#""behaviour":{"$sym":"namevar"}"#, r#""behaviour":null"#);
    let none = single.replace(r#""behavior":{"$sym":"namevar"}"#, r#""behavior":null"#);
    let own = Definition::of_type(&value(&none));
    assert!(
        own.problems
            .iter()
            .any(|one| one.rule(Subject::Type) == "RA111")
    );
}

#[test]
fn any_value_can_be_read() {
    for json in [
        "null",
        "5",
        "[]",
        "{}",
        r#""x""#,
        r#"{"attributes":5}"#,
        r#"{"$h":[[1,2]]}"#,
        r#"{"$cycle":true}"#,
    ] {
        let value = value(json);
        assert!(!Definition::of_type(&value).problems.is_empty());
        assert!(!Definition::of_transport(&value).problems.is_empty());
        assert!(as_library(&value, Library::V1_8_16).raised.is_some());
        assert!(
            as_library_transport(&value, Library::V1_8_16)
                .raised
                .is_some()
        );
    }
}

#[test]
fn versions_of_the_library_differ() {
    let without = value(r#"{"name":"x","desc":"x"}"#);
    let message = |version| {
        as_library(&without, version)
            .raised
            .expect("an error")
            .message
    };
    assert_eq!(message(Library::V1_8_16), "key{attr_key} not found");
    assert_eq!(message(Library::V2_0_1), "key<attr_key> not found");
    let generate = value(&SOUND.replace("supports_noop", "custom_generate"));
    assert_eq!(
        as_library(&generate, Library::V1_8_16).warnings,
        [r#"Unknown feature detected: ["custom_generate"]"#]
    );
    assert_eq!(as_library(&generate, Library::V2_0_1).warnings, [""; 0]);
}

#[test]
fn titles_are_read_by_the_first_pattern_that_matches() {
    let own = Definition::of_type(&value(SOUND));
    let read = |title: &str| match own.read_title(title).expect("decided") {
        Title::Matched { pattern, namevars } => {
            let text = |one: puppet_types::regex::Capture| (one.name, one.text.unwrap_or_default());
            Some((
                pattern.expect("a pattern"),
                namevars.into_iter().map(text).collect::<Vec<_>>(),
            ))
        }
        Title::Unmatched => None,
    };
    let pair = |name: &str, text: &str| (name.to_owned(), text.to_owned());
    assert_eq!(
        read("php-yum"),
        Some((0, vec![pair("package", "php"), pair("manager", "yum")]))
    );
    assert_eq!(read("php"), Some((1, vec![pair("package", "php")])));
}

#[test]
fn a_shadowed_pattern_is_distinguished_from_a_rare_one() {
    let patterns = |sources: &[&str]| -> Vec<TitlePattern> {
        let pattern = |source: &&str| TitlePattern {
            pattern: Some(Pattern::new(*source)),
            desc: None,
        };
        sources.iter().map(pattern).collect()
    };
    let shadowed = patterns(&[r"^(?<a>.*)$", r"^(?<a>\w+)-(?<b>\w+)$"]);
    assert!(matches!(reach(&shadowed, 1), Reach::Shadowed { by: 0, .. }));
    let rare = patterns(&[r"^(?<a>[a-z]+)$", r"^(?<a>\w+)$"]);
    assert!(matches!(reach(&rare, 1), Reach::Reachable(_)));
    let all = patterns(&[
        r"\A(?<a>[^/]+)/(?<b>\d+)\z",
        r"\A(?<a>/.+)\z",
        r"(?m)\A(?<a>.*)\z",
    ]);
    assert!((0..3).all(|index| matches!(reach(&all, index), Reach::Reachable(_))));
}
