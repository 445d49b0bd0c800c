//! RA4xx: what `insync?` answers.

use crate::common::{Dialogue, KEY, METHODS, breaks, created, keeps, open, raised, value, verdict};
use puppet_protocol::phase;

fn asked(answer: &str) -> Dialogue {
    question(opened(), "e-insync:e1", "size", answer)
}

fn opened() -> Dialogue {
    let method = METHODS.replace(r#""get":"#, r#""insync?":[["rest"]],"get":"#);
    open(r#""custom_insync""#, KEY, &method)
}

fn question(dialogue: Dialogue, key: &str, property: &str, answer: &str) -> Dialogue {
    let state = r#"{"name":"a","ensure":"present","size":1}"#;
    let params = format!(
        r#"{{"provider":1,"name":"a","property":{{"$sym":"{property}"}},"is":{state},"should":{state}}}"#
    );
    let params = params.replace(
        r#"{"$sym":"rsapi_custom_insync_trigger"}"#,
        r#""rsapi_custom_insync_trigger""#,
    );
    dialogue.call(phase::INSYNC, key, &params, answer)
}

#[test]
fn answers_are_nil_or_boolean_perhaps_with_a_reason() {
    for answer in [
        "null",
        "true",
        "false",
        r#"[false,"why"]"#,
        r#"[true,"why"]"#,
    ] {
        keeps("RA401", asked(&value(answer)));
    }
    for answer in [r#""out of sync""#, r#"{"$sym":"yes"}"#, r#"[false]"#, "1"] {
        breaks("RA401", asked(&value(answer)), "it returned");
    }
}

#[test]
fn insync_answers_each_question_that_an_example_asks() {
    keeps("RA402", asked(&value("true")));
    breaks("RA402", asked(&raised("RuntimeError", "no")), "it raised");
    breaks(
        "RA402",
        open(r#""custom_insync""#, KEY, METHODS),
        "has no `insync?`",
    );
    // Questions that no example asks may be refused in plain words.
    let other = |class: &str| question(opened(), "asked-1:e1", "size", &raised(class, "no"));
    keeps("RA402", other("Puppet::Error"));
    breaks("RA402", other("NoMethodError"), "it raised");
}

#[test]
fn questions_change_nothing() {
    let looked = |changes| {
        opened()
            .effects(vec![])
            .call(
                phase::INSYNC,
                "e-insync:e1",
                r#"{"provider":1,"name":"a","property":{"$sym":"size"},"is":{},"should":{}}"#,
                &value("true"),
            )
            .effects(changes)
    };
    keeps("RA403", looked(vec![]));
    breaks(
        "RA403",
        looked(vec![created("/etc/asked")]),
        "changed /etc/asked",
    );
    let modified = r#""result":{"value":true,"class":"TrueClass","should_after":{}}"#;
    breaks("RA403", asked(modified), "modified the `should` hash");
    let twice = |answer: &str| {
        question(
            asked(&value("true")),
            "e2-insync:e1",
            "size",
            &value(answer),
        )
    };
    keeps("RA403", twice("true"));
    breaks("RA403", twice("false"), "another answer");
    // Another instance is asked the same.
    let anew = |answer: &str| {
        let second = asked(&value("true")).opens(METHODS);
        question(second, "asked-2:e1", "size", &value(answer))
    };
    keeps("RA403", anew("true"));
    breaks("RA403", anew("false"), "another answer");
}

#[test]
fn a_value_equal_to_its_target_is_in_sync() {
    for answer in ["true", "null"] {
        keeps("RA404", asked(&value(answer)));
    }
    breaks("RA404", asked(&value(r#"[false,"why"]"#)), "answers false");
}

/// Questions about targets other than the state of a type with these attributes, and the answers.
fn differing(more: &str, state: &str, questions: &[(&str, &str, &str)]) -> Dialogue {
    let method = METHODS.replace(r#""get":"#, r#""insync?":[["rest"]],"get":"#);
    let attributes = format!(
        r#"{KEY},"tags":{{"type":"Optional[Array[String]]","desc":"t"}},
        "note":{{"type":"Optional[String]","desc":"n"}}{more}"#
    );
    let mut dialogue = open(r#""custom_insync""#, &attributes, &method);
    for (number, (property, should, answer)) in questions.iter().enumerate() {
        let params = format!(
            r#"{{"provider":1,"name":"a","property":{{"$sym":"{property}"}},"is":{state},"should":{should}}}"#
        );
        let key = format!("asked-{number}:e1");
        dialogue = dialogue.call(phase::INSYNC, &key, &params, &value(answer));
    }
    dialogue
}

#[test]
fn some_other_value_is_noticed() {
    let state = r#"{"name":"a","size":1,"note":"b c","tags":["x","y"]}"#;
    let sizes = |first, second| {
        let all = [
            ("size", r#"{"name":"a","size":2}"#, first),
            ("size", r#"{"name":"a","size":0}"#, second),
        ];
        differing("", state, &all)
    };
    breaks(
        "RA404",
        sizes("true", "true"),
        "every other value of `size`",
    );
    for noticed in ["null", "false", r#"[false,"why"]"#] {
        keeps("RA404", sizes("true", noticed));
    }
    let silent = |dialogue| assert_eq!(verdict("RA404", vec![dialogue]).1, [] as [&str; 0]);
    // One value alone may be near enough, and so may texts that differ in case, and parts of a list.
    silent(differing(
        "",
        state,
        &[
            ("size", r#"{"name":"a","size":2}"#, "true"),
            ("note", r#"{"name":"a","note":"B-C"}"#, "true"),
            ("note", r#"{"name":"a","note":" b  c"}"#, "true"),
            ("tags", r#"{"name":"a","tags":["y"]}"#, "true"),
            ("tags", r#"{"name":"a","tags":[]}"#, "true"),
        ],
    ));
    // Of a target that has more, a state has only a part.
    let more = |answer| {
        let all = [
            ("tags", r#"{"name":"a","tags":["y","x","z"]}"#, answer),
            ("tags", r#"{"name":"a","tags":["q"]}"#, "false"),
        ];
        differing("", state, &all)
    };
    breaks("RA404", more("true"), "is only [\"x\", \"y\"]");
    keeps("RA404", more("false"));
}

#[test]
fn a_parameter_may_say_that_nothing_differs() {
    let force = r#","force":{"type":"Boolean","desc":"f","behaviour":{"$sym":"parameter"}}"#;
    let state = r#"{"name":"a","note":"b"}"#;
    let asked = |forced: &str| {
        let all = [
            ("note", r#"{"name":"a","note":"c","force":false}"#, "true"),
            ("note", r#"{"name":"a","note":"d","force":false}"#, "true"),
            ("note", r#"{"name":"a","note":"c","force":true}"#, forced),
        ];
        differing(force, state, &all)
    };
    keeps("RA404", asked("false"));
    breaks("RA404", asked("true"), "every other value of `note`");
    let without = differing(
        force,
        state,
        &[
            ("note", r#"{"name":"a","note":"c","force":false}"#, "true"),
            ("note", r#"{"name":"a","note":"d","force":false}"#, "true"),
        ],
    );
    assert_eq!(verdict("RA404", vec![without]).1, [] as [&str; 0]);
}

#[test]
fn a_property_that_insync_leaves_to_the_runtime_reaches_its_target() {
    let made = |answer: &str| {
        let asked = question(opened(), "e-insync:e1", "size", &value(answer));
        let change = r#"{"is":{"name":"a","size":1},"should":{"name":"a","size":2}}"#;
        let set = asked.sets("e:e1", r#""a""#, change, &value("null"));
        let after = set.gets(
            "e-after:e1",
            r#"[{"name":"a","size":3,"ensure":"present"}]"#,
        );
        question(after, "e2-insync:e1", "size", &value(answer))
    };
    breaks("RA501", made("null"), "`size` is 3 instead of 2");
    keeps("RA501", made("false"));
}

#[test]
fn types_without_properties_are_answered_too() {
    let asked = |answer: &str| {
        question(
            opened(),
            "e-insync:e1",
            "rsapi_custom_insync_trigger",
            answer,
        )
    };
    keeps("RA405", asked(&value("false")));
    breaks("RA405", asked(&value("null")), "it answered nil");
    let refused = asked(&raised("RuntimeError", "no"));
    // RA402 speaks of that, unless the author expects it, as of a check that fails.
    assert_eq!(verdict("RA405", vec![refused.clone()]), (0, Vec::new()));
    breaks("RA402", refused.clone(), "it raised");
    let expecting =
        |dialogue: Dialogue| dialogue.case(|case| case.items[0].expect = vec!["error".into()]);
    keeps("RA402", expecting(refused));
    breaks(
        "RA402",
        expecting(asked(&raised("NoMethodError", "no"))),
        "it raised",
    );
}

#[test]
fn what_is_in_sync_is_not_changed_for_the_sake_of_something_else() {
    let (is, should) = (
        r#"{"name":"a","ensure":"present","size":1,"tags":["x","y"]}"#,
        r#"{"name":"a","ensure":"present","size":2,"tags":["y"]}"#,
    );
    let method = METHODS.replace(r#""get":"#, r#""insync?":[["rest"]],"get":"#);
    let attributes = format!(r#"{KEY},"tags":{{"type":"Optional[Array[String]]","desc":"t"}}"#);
    let session = |answer: &str, after: &str| {
        let params = format!(
            r#"{{"provider":1,"name":"a","property":{{"$sym":"tags"}},"is":{is},"should":{should}}}"#
        );
        let change = format!(r#"{{"is":{is},"should":{should}}}"#);
        let row = format!(r#"[{{"name":"a","ensure":"present","size":2,"tags":{after}}}]"#);
        open(r#""custom_insync""#, &attributes, &method)
            .call(phase::INSYNC, "e-insync-tags:e1", &params, &value(answer))
            .sets("e:e1", r#""a""#, &change, &value("null"))
            .gets("e-after:e1", &row)
    };
    breaks(
        "RA404",
        session("true", r#"["y"]"#),
        "`set` changes it all the same",
    );
    keeps("RA404", session("true", r#"["x","y"]"#));
    let told = session(r#"[false,"x goes"]"#, r#"["y"]"#);
    assert_eq!(verdict("RA404", vec![told]).1, [] as [&str; 0]);
}
