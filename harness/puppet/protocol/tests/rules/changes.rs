//! RA5xx: what `set` does.

use crate::common::{
    Dialogue, KEY, METHODS, breaks, created, definition, found, keeps, loaded, open, raised,
    untried, usual, value, verdict,
};
use puppet_protocol::phase;
use stickler_transcript::{Bytes, Drift, Variation};

const ABSENT: &str = r#"{"name":"a","ensure":"absent"}"#;
const TARGET: &str = r#"{"name":"a","ensure":"present","size":1}"#;

fn change(is: &str, should: &str) -> String {
    format!(r#"{{"is":{is},"should":{should}}}"#)
}

/// A resource is made, and `get` shows these rows before and afterwards.
fn made(before: &str, after: &str) -> Dialogue {
    usual()
        .gets("e-get:e1", before)
        .sets("e:e1", r#""a""#, &change(ABSENT, TARGET), &value("null"))
        .gets("e-after:e1", after)
}

fn rows(all: &[&str]) -> String {
    format!("[{}]", all.join(","))
}

#[test]
fn set_reaches_the_target() {
    keeps("RA501", made("[]", &rows(&[TARGET])));
    breaks("RA501", made("[]", "[]"), "does not list it");
    let other = TARGET.replace('1', "2");
    breaks(
        "RA501",
        made("[]", &rows(&[&other])),
        "`size` is 2 instead of 1",
    );
    let whole = TARGET.replace('}', r#","owner":"a"}"#);
    let sets = |row: &str| {
        let owned = format!(r#"{KEY},"owner":{{"type":"String","desc":"o"}}"#);
        let dialogue = open("", &owned, METHODS);
        let dialogue = dialogue.sets("e:e1", r#""a""#, &change(ABSENT, &whole), &value("null"));
        dialogue.gets("e-after:e1", &rows(&[row]))
    };
    keeps("RA501", sets(&whole));
    // A finding names all that differs, so that no defect hides behind another.
    breaks(
        "RA501",
        sets(r#"{"name":"a","ensure":"present","size":2,"owner":"b"}"#),
        "`size` is 2 instead of 1; `owner` is \"b\" instead of \"a\"",
    );
    breaks("RA501", sets(ABSENT), "does not list it");
}

#[test]
fn an_excerpt_shows_the_attribute_that_the_finding_is_about() {
    let owned = format!(r#"{KEY},"owner":{{"type":"String","desc":"o"}}"#);
    let whole = |size: u8, owner: &str| {
        let owner = owner.repeat(60);
        format!(r#"{{"name":"a","ensure":"present","owner":"{owner}","size":{size}}}"#)
    };
    let sets = |size, owner| {
        let change = change(ABSENT, &whole(1, "x"));
        let dialogue = open("", &owned, METHODS).sets("e:e1", r#""a""#, &change, &value("null"));
        dialogue.gets("e-after:e1", &rows(&[&whole(size, owner)]))
    };
    // Other attributes are findings of their own.
    let wrong = found("RA501", vec![sets(2, "x"), sets(3, "x"), sets(1, "y")]);
    let sent = &wrong.excerpt[0].text;
    assert!(
        sent.contains(":should=>{:name=>\"a\", …, :size=>1}"),
        "{sent}"
    );
    assert_eq!((wrong.more, wrong.others.len()), (1, 0));
}

#[test]
fn canonicalizing_in_a_new_instance_does_not_interrupt_an_evaluation() {
    let looked = |after: &str| {
        let resources = format!(r#"{{"provider":1,"resources":[{TARGET}]}}"#);
        let canonical = value(&rows(&[TARGET]));
        open(r#""canonicalize""#, KEY, METHODS)
            .sets("e:e1", r#""a""#, &change(ABSENT, TARGET), &value("null"))
            .opens(METHODS)
            .call(
                phase::CANONICALIZE,
                "look-e-canonical:e1",
                &resources,
                &canonical,
            )
            .gets("e-after:e1", after)
    };
    keeps("RA501", looked(&rows(&[TARGET])));
    breaks("RA501", looked("[]"), "does not list it");
}

#[test]
fn a_nil_from_insync_leaves_the_comparison_to_puppet() {
    let answered = |answers: &[&str]| {
        let method = METHODS.replace(r#""get":"#, r#""insync?":[["rest"]],"get":"#);
        let other = TARGET.replace('1', "2");
        let mut dialogue = open(r#""custom_insync""#, KEY, &method)
            .sets("e:e1", r#""a""#, &change(ABSENT, TARGET), &value("null"))
            .gets("e-after:e1", &rows(&[&other]));
        for (at, answer) in answers.iter().enumerate() {
            let params = format!(
                r#"{{"provider":1,"name":"a","property":{{"$sym":"size"}},"is":{other},"should":{TARGET}}}"#
            );
            let key = format!("e{}-insync-size:e1", at + 2);
            dialogue = dialogue.call(phase::INSYNC, &key, &params, &value(answer));
        }
        dialogue
    };
    breaks("RA501", answered(&["null"]), "`size` is 2 instead of 1");
    for answers in [&["true"][..], &["false"], &["null", "true"], &[]] {
        keeps("RA501", answered(answers));
    }
}

#[test]
fn an_evaluation_after_a_missing_dependency_is_not_judged() {
    let lacking = |event: &str| {
        let error = r#"{"message":"no","missing":"Puppet::Util::Plist"}"#;
        usual()
            .gets("e-get:e1", "[]")
            .meets(&format!(r#"{{"event":"{event}","error":{error}}}"#))
            .sets("e:e1", r#""a""#, &change(ABSENT, TARGET), &value("null"))
            .gets("e-after:e1", "[]")
    };
    breaks("RA501", lacking("other"), "does not list it");
    assert!(verdict("RA501", vec![lacking("lack")]).1.is_empty());
}

#[test]
fn an_example_that_something_is_missing_for_has_no_declared_outcome() {
    let refused = || {
        let item = |case: &mut stickler_transcript::Case| {
            case.items[0].invalid = true;
            case.items[0].expect = vec!["error".into()];
        };
        usual()
            .sets(
                "refused:e1",
                r#""a""#,
                &change(ABSENT, TARGET),
                &raised("Puppet::Error", "no"),
            )
            .case(item)
    };
    let lacking = r#""error":{"code":1,"message":"no","data":{"class":"NameError","missing":"Puppet::Util::Plist"}}"#;
    let evaluated = |answer: &str| {
        usual()
            .sets("e:e1", r#""a""#, &change(ABSENT, TARGET), answer)
            .case(|case| case.items[0].expect = vec!["changed".into()])
    };
    let unbuilt = definition("", KEY);
    let unbuilt =
        loaded("type", &unbuilt).call(phase::OPEN, "open:key", r#"{"type":"key"}"#, lacking);
    for (sessions, is_tried) in [
        (vec![evaluated(&value("null")), refused()], true),
        (vec![evaluated(lacking), refused()], false),
        (vec![unbuilt, refused()], false),
    ] {
        assert_eq!(untried("RA520", sessions).is_none(), is_tried);
    }
}

#[test]
fn a_property_that_never_arrives_is_no_question_of_its_text() {
    let noted = |plain: &str, text: &str| {
        let attributes = format!(r#"{KEY},"note":{{"type":"Optional[String]","desc":"n"}}"#);
        let target = |note: &str| format!(r#"{{"name":"a","ensure":"present","note":"{note}"}}"#);
        open("", &attributes, METHODS)
            .sets(
                "e:e1",
                r#""a""#,
                &change(ABSENT, &target("x")),
                &value("null"),
            )
            .gets("e-after:e1", &rows(&[plain]))
            .sets(
                "e:e1~text",
                r#""a""#,
                &change(plain, &target("it's")),
                &value("null"),
            )
            .gets("e-after:e1~text", &rows(&[text]))
            .case(|case| {
                case.items.push(stickler_transcript::Item {
                    label: "e1~text".into(),
                    example: "e1".into(),
                    variation: Some(Variation::Text),
                    field: Some("note".into()),
                    ..Default::default()
                });
            })
    };
    let without = r#"{"name":"a","ensure":"present"}"#;
    let whole = r#"{"name":"a","ensure":"present","note":"x"}"#;
    let cut = r#"{"name":"a","ensure":"present","note":"it"}"#;
    assert!(verdict("RA803", vec![noted(without, without)]).1.is_empty());
    breaks("RA501", noted(without, without), "shows no `note`");
    breaks("RA803", noted(whole, without), "shows no `note`");
    breaks("RA803", noted(without, cut), "`note` is");
}

#[test]
fn variations_with_difficult_texts_are_left_to_their_own_rules() {
    let all = [
        (Variation::Text, false),
        (Variation::Canary, false),
        (Variation::Near, true),
    ];
    for (variation, judged) in all {
        let dialogue = made("[]", r#"[{"name":"","ensure":7}]"#).case(|case| {
            case.items[0].variation = Some(variation);
        });
        for code in ["RA501", "RA202"] {
            let found = verdict(code, vec![dialogue.clone()]).1;
            assert_eq!(
                found.is_empty(),
                !judged,
                "{code}, {variation:?}: {found:?}"
            );
        }
    }
}

#[test]
fn a_resource_that_reached_its_target_is_not_set_again() {
    let again = |set: bool| {
        let first = made("[]", &rows(&[TARGET])).gets("e2-get:e1", &rows(&[TARGET]));
        match set {
            true => first.sets("e2:e1", r#""a""#, &change(TARGET, TARGET), &value("null")),
            false => first,
        }
    };
    keeps("RA502", again(false));
    breaks("RA502", again(true), "although it has reached the target");
}

#[test]
fn a_new_process_does_not_set_again_what_is_set() {
    let again = |set: bool| {
        let first = made("[]", &rows(&[TARGET])).restarts();
        let second = first.gets("e2-get:e1", &rows(&[TARGET]));
        match set {
            true => second.sets("e2:e1", r#""a""#, &change(TARGET, TARGET), &value("null")),
            false => second,
        }
    };
    keeps("RA502", again(false));
    breaks("RA502", again(true), "a new process calls `set` again");
}

#[test]
fn what_the_harness_puts_in_the_way_is_told_or_overcome() {
    for relation in ["in-the-way", "protect", "disturbed"] {
        let hindered = |answer: &str, after: &str| {
            let dialogue = usual().member(relation, "baseline");
            let change = change(ABSENT, TARGET);
            let dialogue = dialogue.sets("e:e1", r#""a""#, &change, answer);
            dialogue.gets("e-after:e1", after)
        };
        keeps("RA511", hindered(&raised("Errno::EISDIR", "no"), "[]"));
        keeps("RA511", hindered(&value("null"), &rows(&[TARGET])));
        breaks(
            "RA511",
            hindered(&value("null"), "[]"),
            "reports no failure",
        );
        // What it finds there says nothing else about it.
        for (code, answer) in [
            ("RA501", value("null")),
            ("RA801", raised("TypeError", "no")),
        ] {
            let found = verdict(code, vec![hindered(&answer, "[]")]);
            assert_eq!(found, (0, Vec::new()), "{code}");
        }
    }
}

#[test]
fn a_missing_file_is_not_an_empty_one() {
    let target = r#"{"name":"a","ensure":"present","source":"/x"}"#;
    let drifted = |missing: &str, answer: &str| {
        let path = Bytes::from("/x");
        let content = Bytes::from("");
        let write = Drift::Write {
            path: path.clone(),
            content,
        };
        let make = |dialogue: Dialogue, key: &str, digest: &str, answer: &str| {
            let mut file = created("/key");
            file.after.as_mut().expect("a file").digest = Some(digest.into());
            let dialogue = dialogue.effects(Vec::new());
            let dialogue = dialogue.sets(key, r#""a""#, &change(ABSENT, target), answer);
            dialogue.effects(vec![file])
        };
        let usual = usual().member("disturbed", "baseline");
        let usual = make(usual, "e:e1", "whole", &value("null"));
        let empty = make(usual.drifts(write), "e:e1b", "empty", &value("null"));
        make(
            empty.drifts(Drift::Remove { path }),
            "e:e1c",
            missing,
            answer,
        )
    };
    breaks(
        "RA511",
        drifted("empty", &value("null")),
        "takes it for an empty one",
    );
    keeps("RA511", drifted("empty", &raised("Errno::ENOENT", "no")));
    let kept = verdict("RA511", vec![drifted("whole", &value("null"))]);
    assert_eq!(kept.1, [] as [&str; 0]);
}

#[test]
fn a_change_without_should_removes() {
    let removed = |answer: &str, after: &str| {
        usual()
            .sets(
                "gone:e1",
                r#""a""#,
                &format!(r#"{{"is":{TARGET}}}"#),
                answer,
            )
            .gets("gone-after:e1", after)
    };
    keeps("RA503", removed(&value("null"), "[]"));
    keeps("RA503", removed(&value("null"), &rows(&[ABSENT])));
    breaks(
        "RA503",
        removed(&value("null"), &rows(&[TARGET])),
        "still there",
    );
    breaks(
        "RA503",
        removed(&raised("NoMethodError", "nil"), "[]"),
        "it raised NoMethodError",
    );
    // No value is its cause.
    let (passes, found) = verdict(
        "RA801",
        vec![removed(&raised("NoMethodError", "nil"), "[]")],
    );
    assert_eq!((passes, found), (1, Vec::new()));
}

#[test]
fn a_state_may_be_missing() {
    let bare = |answer: &str| {
        usual()
            .sets(
                "bare:e1",
                r#""a""#,
                &format!(r#"{{"should":{TARGET}}}"#),
                answer,
            )
            .gets("bare-after:e1", &rows(&[TARGET]))
    };
    keeps("RA504", bare(&value("null")));
    breaks(
        "RA504",
        bare(&raised("NoMethodError", "nil")),
        "without `:is` it raised",
    );
    // What RA504 says is not the fault of names that are hashes.
    let hashed = |change: &str| {
        let failed = raised("NoMethodError", "nil");
        usual().sets("bare:e1", r#"{"name":"a"}"#, change, &failed)
    };
    let bare = hashed(&format!(r#"{{"should":{TARGET}}}"#));
    assert_eq!(verdict("RA505", vec![bare]).1, [] as [&str; 0]);
    let whole = hashed(&change(ABSENT, TARGET));
    breaks("RA505", whole, "given hashes as names");
    // A `get` that raises has another reason.
    let unread = usual()
        .sets(
            "bare:e1",
            r#""a""#,
            &format!(r#"{{"should":{TARGET}}}"#),
            &value("null"),
        )
        .call(
            phase::GET,
            "bare-after:e1",
            r#"{"provider":1}"#,
            &raised("NoMethodError", "nil"),
        );
    assert_eq!(verdict("RA504", vec![unread]).1, [] as [&str; 0]);
}

#[test]
fn a_hash_as_a_name_is_the_reason_only_if_something_shows_it() {
    let lost = |path: &str, after: &str| {
        usual()
            .gets("e-get:e1", "[]")
            .effects(Vec::new())
            .sets(
                "e:e1",
                r#"{"name":"a"}"#,
                &change(ABSENT, TARGET),
                &value("null"),
            )
            .effects(vec![created(path)])
            .gets("e-after:e1", after)
    };
    let silent = |dialogue| assert_eq!(verdict("RA505", vec![dialogue]).1, [] as [&str; 0]);
    silent(lost("/etc/keys", "[]"));
    for path in ["/etc/keys/{:name=>\"a\"}", "/etc/keys/{name: \"a\"}"] {
        breaks("RA505", lost(path, "[]"), "given hashes as names");
    }
    let another = rows(&[r#"{"name":"a-b","ensure":"present"}"#]);
    breaks(
        "RA505",
        lost("/etc/keys", &another),
        "given hashes as names",
    );
}

#[test]
fn of_two_rows_of_a_name_nobody_knows_which_was_which() {
    let (one, other) = (
        r#"{"name":"b","ensure":"present","size":1}"#,
        r#"{"name":"b","ensure":"present","size":2}"#,
    );
    let both = rows(&[one, other]);
    let turned = rows(&[other, one, TARGET]);
    assert_eq!(
        verdict("RA510", vec![made(&both, &turned)]).1,
        [] as [&str; 0]
    );
}

#[test]
fn a_secret_that_get_shows_can_be_compared() {
    let sets = |row: &str| {
        let own = format!(r#"{KEY},"code":{{"type":"Optional[Sensitive[String]]","desc":"c"}}"#);
        let target = r#"{"name":"a","ensure":"present","code":{"$sens":"correct"}}"#;
        let row = format!(r#"[{{"name":"a","ensure":"present","code":{row}}}]"#);
        open("", &own, METHODS)
            .sets("e:e1", r#""a""#, &change(ABSENT, target), &value("null"))
            .gets("e-after:e1", &row)
    };
    keeps("RA501", sets(r#"{"$sens":"correct"}"#));
    // What is not wrapped may be a sign that there is one.
    keeps("RA501", sets(r#""***""#));
    keeps("RA501", sets("null"));
    breaks("RA501", sets(r#"{"$sens":"wrong"}"#), "is another secret");
}

#[test]
fn no_changes_are_no_fault() {
    let none = |answer: &str| {
        let params = r#"{"provider":1,"changes":[]}"#;
        usual()
            .effects(vec![])
            .call(phase::SET, "none", params, answer)
    };
    keeps("RA506", none(&value("null")).effects(vec![]));
    breaks(
        "RA506",
        none(&raised("NoMethodError", "nil")),
        "called without changes, `set` raised",
    );
    let changed = none(&value("null")).effects(vec![created("/etc/a")]);
    breaks(
        "RA506",
        changed,
        "called without changes, `set` changed /etc/a",
    );
}

#[test]
fn set_returns_nil_and_leaves_its_arguments() {
    let set = |more: &str| {
        let answer = format!(r#""result":{{"value":null,{more}}}"#);
        usual().sets("e:e1", r#""a""#, &change(ABSENT, TARGET), &answer)
    };
    keeps("RA507", set(r#""class":"NilClass""#));
    breaks("RA507", set(r#""class":"Hash""#), "class Hash");
    keeps("RA508", set(r#""definition_changed":false"#));
    breaks(
        "RA508",
        set(r#""definition_changed":true"#),
        "definition of the type was changed",
    );
    keeps("RA518", set(r#""class":"NilClass""#));
    breaks("RA518", set(r#""changes_after":[]"#), "modified");
}

#[test]
fn an_init_only_attribute_keeps_its_value() {
    let attributes = KEY.replace(
        r#""desc":"The size.""#,
        r#""desc":"x","behaviour":{"$sym":"init_only"}"#,
    );
    let updated = |after: &str| {
        open("", &attributes, METHODS)
            .sets("e:e1", r#""a""#, &change(TARGET, TARGET), &value("null"))
            .gets("e-after:e1", after)
    };
    keeps("RA509", updated(&rows(&[TARGET])));
    breaks(
        "RA509",
        updated(&rows(&[&TARGET.replace('1', "2")])),
        "from 1 into 2",
    );
    let other = TARGET.replace('1', "2");
    let wanted = |after: &str| {
        open("", &attributes, METHODS)
            .sets("kept:e1", r#""a""#, &change(TARGET, &other), &value("null"))
            .gets("kept-after:e1", &rows(&[after]))
    };
    keeps("RA509", wanted(TARGET));
    breaks("RA509", wanted(&other), "from 1 into 2");
}

#[test]
fn a_change_that_is_made_once_more_does_no_harm() {
    let again = |answer: &str| {
        made("[]", &rows(&[TARGET])).sets("repeated:e1", r#""a""#, &change(ABSENT, TARGET), answer)
    };
    keeps("RA502", again(&value("null")));
    keeps("RA502", again(&raised("Puppet::Error", "it exists")));
    let crash = again(&raised("NoMethodError", "undefined method"));
    breaks("RA502", crash.clone(), "made once more");
    assert_eq!(verdict("RA801", vec![crash]).1, Vec::<String>::new());
}

#[test]
fn a_value_of_one_resource_does_not_leak_into_another() {
    let bare = r#"{"name":"a","ensure":"present"}"#;
    let other = r#"{"name":"b","ensure":"present","size":7}"#;
    let absent = ABSENT.replace("\"a\"", "\"b\"");
    let anew = |last: &str| {
        usual()
            .sets("e:e1", r#""a""#, &change(ABSENT, bare), &value("null"))
            .gets("e-after:e1", &rows(&[bare]))
            .sets("e:e2", r#""b""#, &change(&absent, other), &value("null"))
            .gets("e-after:e2", &rows(&[bare, other]))
            .sets("e2:e1", r#""a""#, &change(ABSENT, bare), &value("null"))
            .gets("e2-after:e1", &rows(&[last, other]))
    };
    keeps("RA516", anew(bare));
    // What a system fills in by itself is another value.
    keeps("RA516", anew(TARGET));
    breaks(
        "RA516",
        anew(&TARGET.replace('1', "7")),
        "another resource, 7",
    );
}

#[test]
fn others_stay() {
    let other = r#"{"name":"b","ensure":"present","size":5}"#;
    keeps("RA510", made(&rows(&[other]), &rows(&[TARGET, other])));
    breaks("RA510", made(&rows(&[other]), &rows(&[TARGET])), "\"b\"");
    let (with_nil, without) = (
        other.replace('5', "null"),
        other.replace(r#","size":5"#, ""),
    );
    keeps(
        "RA510",
        made(&rows(&[&with_nil]), &rows(&[TARGET, &without])),
    );
    let changed = other.replace('5', "6");
    breaks(
        "RA510",
        made(&rows(&[other]), &rows(&[TARGET, &changed])),
        "\"b\"",
    );
}

#[test]
fn an_error_that_is_logged_is_no_success() {
    let logs = |after: &str| {
        usual()
            .tells("log", "err", r#"["a","not written"]"#)
            .sets("e:e1", r#""a""#, &change(ABSENT, TARGET), &value("null"))
            .gets("e-after:e1", after)
    };
    keeps("RA511", logs(&rows(&[TARGET])));
    breaks("RA511", logs("[]"), "`set` reports no failure");
}

#[test]
fn noop_changes_nothing() {
    let method = |parameter: &str| {
        let set = format!(r#"["req","changes"],{parameter}]"#);
        METHODS.replace(r#"["req","changes"]]"#, &set)
    };
    let noop = |effects| {
        let params = format!(
            r#"{{"provider":1,"noop":true,"changes":[["a",{}]]}}"#,
            change(ABSENT, TARGET)
        );
        open(r#""supports_noop""#, KEY, &method(r#"["key","noop"]"#))
            .effects(vec![])
            .call(phase::SET, "noop:e1", &params, &value("null"))
            .effects(effects)
    };
    keeps("RA512", noop(vec![]));
    breaks(
        "RA512",
        noop(vec![created("/etc/a")]),
        "with `noop: true` it changed",
    );
    let required = open(r#""supports_noop""#, KEY, &method(r#"["keyreq","noop"]"#));
    breaks("RA512", required, "has no default");
    keeps(
        "RA512",
        open(r#""supports_noop""#, KEY, &method(r#"["keyrest","more"]"#)),
    );
    breaks(
        "RA512",
        open(r#""supports_noop""#, KEY, METHODS),
        "does not take the keyword",
    );
}

#[test]
fn simple_providers_have_three_methods_and_a_name() {
    let simple = |delete: &str| {
        let three = r#"[["req","context"],["req","name"],["req","should"]]"#;
        format!(
            r#""ancestors":["Puppet::ResourceApi::SimpleProvider"],"inherited":["set"],"methods":{{"create":{three},"update":{three}{delete}}}"#
        )
    };
    let delete = r#","delete":[["req","context"],["req","name"]]"#;
    keeps("RA513", open("", KEY, &simple(delete)));
    keeps(
        "RA513",
        open(
            "",
            KEY,
            &simple(&delete.replace("]]", r#"],["opt","force"]]"#)),
        ),
    );
    breaks("RA513", open("", KEY, &simple("")), "no method `delete");
    let third = delete.replace("]]", r#"],["req","should"]]"#);
    breaks(
        "RA513",
        open("", KEY, &simple(&third)),
        "does not take (context, name)",
    );
    keeps("RA519", open("", KEY, &simple(delete)));
    let renamed = KEY.replace(r#""name":"#, r#""number":"#);
    breaks(
        "RA519",
        open("", &renamed, &simple(delete)),
        "is called `number`",
    );
}

#[test]
fn providers_are_built_without_arguments() {
    let built = |answer: &str| {
        let loaded = crate::common::loaded("type", &crate::common::definition("", KEY));
        loaded
            .effects(vec![])
            .call(phase::OPEN, "open:key", r#"{"type":"key"}"#, answer)
    };
    let sound = format!(r#""result":{{"provider":1,"class":"Key",{METHODS}}}"#);
    keeps("RA515", built(&sound).effects(vec![]));
    breaks(
        "RA515",
        built(&sound).effects(vec![created("/etc/a")]),
        "building the provider changed",
    );
    let arity = raised(
        "ArgumentError",
        "wrong number of arguments (given 0, expected 1)",
    );
    breaks("RA515", built(&arity), "wrong number of arguments");
    let refused = raised("Errno::ECONNREFUSED", "Connection refused");
    breaks("RA515", built(&refused), "connects to something");
    // A constant that nothing defines, and a file of the module's own, are missing under Puppet too.
    let at =
        |answer: String| answer.replace(r#""at":"key.rb:1""#, r#""at":"/m/lib/puppet/key.rb:1""#);
    let name = at(raised("NameError", "uninitialized constant Key::Tools"));
    breaks("RA515", built(&name), "uninitialized constant Key::Tools");
    let gem = name.replace(r#""standard""#, r#""absent":"tools","standard""#);
    assert_eq!(verdict("RA515", vec![built(&gem)]), (0, Vec::new()));
    let load = |file: &str| {
        at(raised(
            "LoadError",
            &format!("cannot load such file -- {file}"),
        ))
    };
    breaks(
        "RA515",
        built(&load("/m/lib/puppet/tools")),
        "cannot load such file",
    );
    for file in ["tools", "puppet_x/tools", "/srv/tools", "/mm/lib/tools"] {
        assert_eq!(
            verdict("RA515", vec![built(&load(file))]),
            (0, Vec::new()),
            "{file}"
        );
    }
    // A class that is not there is a matter of RA116.
    let absent =
        raised("NameError", "uninitialized constant Key").replace(r#","at":"key.rb:1""#, "");
    breaks("RA116", built(&absent), "uninitialized constant");
}

#[test]
fn examples_end_as_declared() {
    let expects = |expected: &str| {
        let expected = expected.to_owned();
        made("[]", &rows(&[TARGET])).case(|case| case.items[0].expect = vec![expected])
    };
    keeps("RA520", expects("changed"));
    breaks("RA520", expects("ok"), "is `changed` instead of `ok`");
}

#[test]
fn an_update_accepts_a_value_that_a_creation_accepts() {
    let state = |size: u8| format!(r#"{{"name":"a","ensure":"present","size":{size}}}"#);
    let absent = r#"{"name":"a","ensure":"absent"}"#;
    let change = |is: &str, should: &str| format!(r#"{{"is":{is},"should":{should}}}"#);
    let refused = raised("Puppet::Error", "cannot change the size");
    let tried = |updates: &[(u8, bool)], made: u8| {
        let mut dialogue = usual();
        for (size, accepted) in updates {
            let answer = match accepted {
                true => value("null"),
                false => refused.clone(),
            };
            let change = change(&state(1), &state(*size));
            dialogue = dialogue.sets("e:e1", r#""a""#, &change, &answer);
        }
        let change = change(absent, &state(made));
        dialogue
            .sets("e:e1", r#""a""#, &change, &value("null"))
            .member("attributes", "baseline")
    };
    breaks(
        "RA501",
        tried(&[(2, false), (3, false)], 3),
        "no other value of `size` is accepted",
    );
    // A volume may grow, and not shrink.
    keeps("RA501", tried(&[(0, false), (2, true)], 0));
    // A new resource does not get such a value, either.
    keeps("RA501", tried(&[(2, false), (3, false)], 1));
    // One refusal may have reasons of its own.
    keeps("RA501", tried(&[(2, false)], 2));
}

/// Two resources of the type, each with its values in one hash.
fn row(name: &str, more: &str) -> String {
    format!(r#"{{"name":"{name}","ensure":"present"{more}}}"#)
}

/// A resource is removed beside others: which rows are there before, and afterwards.
fn removed(relation: &str, role: &str, name: &str, before: &[&str], after: &[&str]) -> Dialogue {
    let all = |names: &[&str]| {
        let rows: Vec<String> = names.iter().map(|name| row(name, "")).collect();
        format!("[{}]", rows.join(","))
    };
    let gone = format!(r#"{{"name":"{name}","ensure":"absent"}}"#);
    usual()
        .member(relation, role)
        .gets("besides-1:e1", &all(before))
        .sets(
            "e:e1~gone",
            &format!("\"{name}\""),
            &change(&row(name, ""), &gone),
            &value("null"),
        )
        .gets("besides-2:e1", &all(after))
}

#[test]
fn resources_with_similar_names_are_apart() {
    let beside = |name: &str, before: &[&str], after: &[&str]| {
        removed("beside", "whole", name, before, after)
    };
    let all = ["web", "web2", "jro"];
    keeps("RA522", beside("web", &all, &["web2", "jro"]));
    breaks("RA522", beside("web", &all, &["jro"]), "\"web2\" is gone");
    // Whoever loses all others does not confuse names.
    assert_eq!(
        verdict("RA522", vec![beside("web", &all, &[])]),
        (0, vec![])
    );
    breaks("RA510", beside("web", &all, &[]), "\"web2\" is gone");
    // Without a resource with other letters, nobody can tell. RA510 leaves it to sessions that have one.
    let near = removed("near", "whole", "web", &["web", "web2"], &[]);
    assert_eq!(verdict("RA522", vec![near.clone()]), (0, vec![]));
    assert_eq!(verdict("RA510", vec![near]), (0, vec![]));
    let alone = removed("beside", "whole", "web", &["web", "web2"], &[]);
    breaks("RA510", alone, "\"web2\" is gone");
}

#[test]
fn names_that_differ_in_case_are_compared_with_other_letters() {
    let session = |role: &str, name: &str, after: &[&str]| {
        removed("neighbours", role, name, &[name, "web"], after)
    };
    let group = |far: &[&str], name: &str, after: &[&str]| {
        let control = session("beside", "jro", far);
        let usual = removed("neighbours", "baseline", "web", &["web"], &[]);
        vec![usual, control, session("similar", name, after)]
    };
    let (passes, found) = verdict("RA522", group(&["web"], "WEB", &["web"]));
    assert!(passes > 0 && found.is_empty(), "{found:?}");
    let found = verdict("RA522", group(&["web"], "WEB", &[])).1;
    assert_eq!(found.len(), 1);
    assert!(
        found[0].contains("`set` was called for \"WEB\""),
        "{found:?}"
    );
    // What a name with other letters does as well has another reason.
    assert_eq!(verdict("RA522", group(&[], "WEB", &[])), (0, vec![]));
    // No other rule judges such a session.
    let lost = session("similar", "WEB", &[]);
    assert_eq!(verdict("RA510", vec![lost]), (0, vec![]));
}

/// A type with three properties.
fn noted() -> Dialogue {
    let more = |name: &str| format!(r#","{name}":{{"type":"Optional[String]","desc":"x"}}"#);
    open(
        "",
        &format!("{KEY}{}{}", more("note"), more("sum")),
        METHODS,
    )
}

#[test]
fn properties_that_an_update_does_not_name_stay() {
    let set = |dialogue: Dialogue, key: &str, [is, should, then]: [&str; 3]| {
        let [is, should, then] = [is, should, then].map(|more| row("a", more));
        dialogue
            .sets(
                &format!("{key}:e1"),
                r#""a""#,
                &change(&is, &should),
                &value("null"),
            )
            .gets(&format!("{key}-after:e1"), &format!("[{then}]"))
    };
    let whole = r#","size":1,"note":"n""#;
    let made = || set(noted(), "e", [r#","size":0"#, whole, whole]);
    let updated = |then: &str| set(made(), "e2", [whole, r#","size":2"#, then]);
    let both = r#","size":2,"note":"n""#;
    keeps("RA523", updated(both));
    // It is not known yet whether the resource can have both.
    let lost = || updated(r#","size":2"#);
    assert_eq!(verdict("RA523", vec![lost()]), (0, vec![]));
    let control = |then: &str| set(lost(), "e3", [r#","size":2"#, both, then]);
    breaks(
        "RA523",
        control(both),
        "that names `size`, and what has to be given, turns its `note` from \"n\" into nothing",
    );
    // What follows from another property is what it is, whatever a manifest names.
    let derived = control(r#","size":2,"note":"other""#);
    assert_eq!(verdict("RA523", vec![derived]), (0, vec![]));
    // So may be what nobody has set.
    let own = r#","size":1,"note":"n","sum":"1""#;
    let given = set(noted(), "e", [r#","size":0"#, whole, own]);
    let follows = set(
        given,
        "e2",
        [
            own,
            r#","size":2,"note":"n""#,
            r#","size":2,"note":"n","sum":"2""#,
        ],
    );
    assert_eq!(verdict("RA523", vec![follows]), (0, vec![]));
}
