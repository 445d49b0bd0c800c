//! What the rules about kinds, `Validate`, `Init` and `Cleanup` say of short dialogues.

use crate::common::{begun, breaks, described, error, keeps, says_nothing, verdict};
use stickler_judge::Level;
use stickler_transcript::{Account, Declared, Entry, FileType, Membership, Relation, Role};

const FIELDS: &str = r#"{"fields":{"Text":"x"}}"#;
const OTHER: &str = r#"{"fields":{"Text":"y"}}"#;

#[test]
fn kinds_are_named_and_tagged() {
    keeps("MR207", &begun());
    let upper = described("Note", r#""type":"NoteRes","base":true,"fields":[]"#);
    assert_eq!(breaks("MR207", &upper), "the kind `Note` is not lower-case");
    keeps(
        "MR207",
        &described("net:note_1", r#""type":"NoteRes","base":true,"fields":[]"#),
    );
    keeps("MR212", &begun());
    breaks(
        "MR212",
        &described("note", r#""type":"Note","base":true,"fields":[]"#),
    );
    let bare = described("note", r#""type":"NoteRes","base":false,"fields":[]"#);
    let (_, found) = verdict("MR212", &bare);
    assert_eq!(found[0].level, Level::May);
    keeps("MR210", &begun());
    let fields = |fields: &str| {
        described(
            "note",
            &format!(r#""type":"NoteRes","base":true,"fields":[{fields}]"#),
        )
    };
    let field = |name: &str, lang: &str, yaml: &str| {
        format!(
            r#"{{"name":"{name}","type":"string","kind":"string","lang":{lang},"yaml":{yaml}}}"#
        )
    };
    let twice = format!(
        "{},{}",
        field("A", "\"a\"", "null"),
        field("B", "\"a\"", "null")
    );
    assert_eq!(
        breaks("MR210", &fields(&twice)),
        "`A` and `B` both have the tag `lang:\"a\"`: nothing sets `B`"
    );
    let level = |fields: &str| {
        let (_, found) = verdict("MR210", &described("note", fields));
        found[0].level
    };
    let of = |fields: &str| format!(r#""type":"NoteRes","base":true,"fields":[{fields}]"#);
    assert_eq!(level(&of(&twice)), Level::Must);
    assert_eq!(level(&of(&field("A", "\"A\"", "null"))), Level::Should);
    // Where the language finds both, YAML alone does not.
    let in_yaml = format!(
        "{},{}",
        field("A", "\"a\"", "\"x\""),
        field("B", "\"b\"", "\"x\"")
    );
    assert_eq!(level(&of(&in_yaml)), Level::Should);
    let inside = format!(
        r#"{{"name":"P","lang":"p","type":"[]n.P","kind":"slice","elem":{{"type":"n.P","kind":"struct","fields":[{twice}]}}}}"#
    );
    assert_eq!(
        breaks("MR210", &fields(&inside)),
        "`A` and `B` of `n.P` both have the tag `lang:\"a\"`: nothing sets `B`"
    );
    breaks("MR210", &fields(&field("A", "\"A\"", "null")));
    breaks("MR210", &fields(&field("A", "null", "null")));
    // The guide's era knows tags of YAML alone.
    keeps("MR210", &fields(&field("A", "null", "\"a\"")));
}

#[test]
fn validate_only_looks_and_says_the_same() {
    let made = || begun().makes("a", "note", "x").simple("get", "a", FIELDS);
    let passes = error(None);
    keeps(
        "MR201",
        &made()
            .simple("validate", "a", &passes)
            .simple("get", "a", FIELDS),
    );
    let changed = made()
        .simple("validate", "a", &passes)
        .simple("get", "a", OTHER);
    assert_eq!(
        breaks("MR201", &changed),
        "`Validate` changes the field `Text`"
    );
    let twice = |second: Option<&str>| {
        begun()
            .makes("a", "note", "x")
            .simple("validate", "a", &passes)
            .simple("validate", "a", &error(second))
    };
    keeps("MR202", &twice(None));
    breaks("MR202", &twice(Some("no")));
    // Other values may be other news.
    let set = begun()
        .simple("validate", "a", &passes)
        .makes("a", "note", "y")
        .simple("validate", "a", &error(Some("no")));
    says_nothing("MR202", &set);
}

#[test]
fn defaults_are_fresh() {
    let both = |shared: &str, second: &str| {
        let new = |one: crate::common::Dialogue, label: &str, fields: &str| {
            let params = format!(r#"{{"resource":"{label}","kind":"note","name":"n"}}"#);
            one.call("new", &params, "{}").simple("get", label, fields)
        };
        let made = new(new(begun(), "a", FIELDS), "b", second);
        made.call(
            "shared",
            r#"{"resource":"a","other":"b"}"#,
            &format!(r#"{{"fields":[{shared}]}}"#),
        )
    };
    keeps("MR204", &both("", FIELDS));
    breaks("MR204", &both("\"Labels\"", FIELDS));
    breaks("MR204", &both("", OTHER));
    let same = |what: &str| {
        described(
            "note",
            &format!(r#""type":"NoteRes","base":true,"fields":[],"same_default":"{what}""#),
        )
    };
    assert_eq!(
        breaks("MR204", &same("receiver")),
        "`Default` gives back the resource on which it is called"
    );
    breaks("MR204", &same("again"));
}

#[test]
fn init_and_cleanup_are_safe() {
    let init = |paths: &[&str]| {
        begun()
            .makes("a", "note", "x")
            .changed(&[])
            .simple("init", "a", &error(None))
            .changed(paths)
    };
    keeps("MR205", &init(&[]));
    breaks("MR205", &init(&["/f"]));
    breaks(
        "MR205",
        &begun()
            .makes("a", "note", "x")
            .panics("init", r#"{"resource":"a"}"#),
    );
    let counts = |one: crate::common::Dialogue, goroutines: u32| {
        one.call(
            "counts",
            "{}",
            &format!(r#"{{"goroutines":{goroutines},"descriptors":3,"children":0}}"#),
        )
    };
    let ended = |after: u32, text: Option<&str>| {
        let begun = counts(begun().makes("a", "note", "x"), 1).simple("init", "a", &error(None));
        counts(begun.simple("cleanup", "a", &error(text)), after)
    };
    keeps("MR206", &ended(1, None));
    assert_eq!(
        breaks("MR206", &ended(2, None)),
        "after `Cleanup` there is one goroutine more than before `Init`"
    );
    breaks("MR206", &ended(1, Some("no")));
}

#[test]
fn declared_outcomes_count_in_usual_sessions() {
    let example = |outcome: &str, usual: bool| {
        let wanted = outcome.to_owned();
        let declared = begun()
            .makes("a", "note", "x")
            .check("a", true, false, None);
        declared.case(|case| {
            case.items[0].expect = vec![wanted];
            if usual {
                case.groups.push(Membership {
                    group: "usual/e1".into(),
                    relation: Relation::USUAL,
                    role: Role::Baseline,
                });
            }
        })
    };
    keeps("MR113", &example("changed", true));
    let message = breaks("MR113", &example("ok", true));
    assert!(
        message.ends_with("comes to `changed`, and `expect` says `ok`"),
        "{message}"
    );
    // Elsewhere, another resource may have been there before.
    says_nothing("MR113", &example("ok", false));
}

#[test]
fn declared_files_and_commands_count_after_an_apply() {
    let usual = |dialogue: crate::common::Dialogue| {
        dialogue.case(|case| {
            case.groups.push(Membership {
                group: "usual/e1".into(),
                relation: Relation::USUAL,
                role: Role::Baseline,
            });
        })
    };
    let applied = |text| {
        usual(
            begun()
                .makes("a", "note", "x")
                .check("a", true, false, text),
        )
    };
    let file = || Declared::Creates {
        path: "/d/f".into(),
        kind: Some(FileType::File),
        mode: Some(0o600),
        owner: Some(Account::Number(7)),
        group: None,
        content: None,
    };
    let found = |mode, uid| Entry {
        kind: FileType::File,
        mode,
        uid,
        gid: 0,
        size: 0,
        digest: None,
        content: None,
    };
    keeps(
        "MR113",
        &applied(None).looks(file(), Some(found(0o600, 7)), None),
    );
    for (found, words) in [
        (None, "nothing is there"),
        (Some(found(0o644, 7)), "its mode is 0644 instead of 0600"),
        (Some(found(0o600, 0)), "its owner is 0 instead of 7"),
    ] {
        let message = breaks("MR113", &applied(None).looks(file(), found, None));
        assert!(message.ends_with(words), "{message}");
    }
    let absent = || Declared::Absent {
        path: "/d/f".into(),
    };
    keeps("MR113", &applied(None).looks(absent(), None, None));
    breaks(
        "MR113",
        &applied(None).looks(absent(), Some(found(0o600, 7)), None),
    );
    let succeeds = || Declared::Succeeds {
        command: 1,
        words: vec!["test".into()],
        deadline_us: 1,
    };
    keeps("MR113", &applied(None).looks(succeeds(), None, None));
    breaks(
        "MR113",
        &applied(None).looks(succeeds(), None, Some("exit status 1")),
    );
    // After an apply that fails, nothing is declared.
    says_nothing("MR113", &applied(Some("no")).looks(file(), None, None));
    // What cannot be made is never applied.
    let set = r#"{"resource":"a","fields":{"owner":"x"}}"#;
    let unmade = begun().refused("set", set, "NoteRes has no field owner");
    let message = breaks("MR113", &usual(unmade));
    assert!(
        message.ends_with("nothing tests it: NoteRes has no field owner"),
        "{message}"
    );
}

#[test]
fn a_drift_that_changes_nothing_is_no_drift() {
    let drifted = |alone: bool, paths: &[&str]| {
        begun()
            .makes("a", "note", "x")
            .check("a", true, true, None)
            .drifts(alone)
            .changed(paths)
            .check("a", true, true, None)
            .case(|case| {
                case.groups.push(Membership {
                    group: "spoilt/e1".into(),
                    relation: mgmt_protocol::relation::SPOILT,
                    role: Role::Baseline,
                });
            })
    };
    says_nothing("MR111", &drifted(true, &[]));
    breaks("MR111", &drifted(true, &["/d/f"]));
    // A process may have ended.
    breaks("MR111", &drifted(false, &[]));
}
