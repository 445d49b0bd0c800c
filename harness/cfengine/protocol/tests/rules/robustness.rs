//! What the rules about robustness and security say of short dialogues.

use crate::common::{
    DIR, Dialogue, answer, changed, created, dialogue, messages, promise, request, variant, verdict,
};
use stickler_judge::Level;
use stickler_transcript::{
    Change, ChangeKind, Driver, Entry, Event, FileType, Plan, PlannedCommand, Protection, Silence,
    Trap, TrapKind,
};

const ATTRIBUTES: &str = r#"{"text":"hello there"}"#;

fn path() -> String {
    format!("{DIR}/note")
}

fn asked(operation: &str) -> String {
    request(operation, &path(), ATTRIBUTES)
}

/// A session about one changed promise, of which only the validation is sent.
fn validation(kind: &str, field: &str, attributes: &str, turns: &[(&str, &str)]) -> Dialogue {
    let sent = request("validate", &path(), attributes);
    dialogue("json", &[("→ v:x", &sent)])
        .then(turns)
        .about(crate::common::promise("x"))
        .about(stickler_transcript::Item {
            label: "x".into(),
            ..variant("e1", kind, field)
        })
}

// --- PM901, PM902 -----------------------------------------------------------

#[test]
fn an_exit_instead_of_an_answer_fails_and_shows_the_last_words() {
    let sent = asked("validate");
    let died = dialogue(
        "json",
        &[
            ("→ v:e1", &sent),
            ("err", "Traceback\nKeyError: 'mode'\n"),
            ("exit", "1"),
        ],
    );
    let (passes, findings) = verdict("PM901", vec![died]);
    assert_eq!((passes, findings.len()), (0, 1));
    assert_eq!(findings[0].level, Level::Must);
    assert_eq!(
        findings[0].message,
        "`validate_promise` makes the module exit (exit status 1): `KeyError: ’mode’`"
    );
}

#[test]
fn a_module_that_exits_between_requests_fails() {
    let sent = asked("validate");
    let valid = answer("validate", "valid", "");
    let once = dialogue("json", &[("→ v:e1", &sent), ("←", &valid), ("exit", "0")]);
    let found = messages("PM901", vec![once]);
    assert_eq!(
        found,
        ["`validate_promise` is answered, and then the module ends (exit status 0)"]
    );
}

#[test]
fn several_requests_at_once_end_nothing() {
    let sent = asked("validate");
    let both = format!("{sent}\n\n{sent}");
    let valid = answer("validate", "valid", "");
    let died = dialogue("json", &[("→ broken:x", &both), ("exit", "1")]);
    let first = dialogue(
        "json",
        &[("→ broken:x", &both), ("←", &valid), ("exit", "1")],
    );
    for session in [died, first] {
        assert_eq!(
            messages("PM901", vec![session]),
            ["several requests that arrive at once make the module exit (exit status 1)"]
        );
    }
    let lives = dialogue("json", &[("→ broken:x", &both), ("←", &valid)]);
    assert_eq!(messages("PM901", vec![lives]), [] as [&str; 0]);
    // What is no request may end it.
    for other in [&sent[..], &format!("{sent}\n\nx"), "x\n\ny"] {
        let died = dialogue("json", &[("→ broken:x", other), ("exit", "1")]);
        assert_eq!(messages("PM901", vec![died]), [] as [&str; 0], "{other}");
    }
}

#[test]
fn ends_that_the_harness_or_the_agent_asked_for_are_fine() {
    let (first, second) = (asked("validate"), asked("evaluate"));
    let (valid, kept) = (
        answer("validate", "valid", ""),
        answer("evaluate", "kept", ""),
    );
    let turns = [
        ("→ v:e1", &first[..]),
        ("←", &valid),
        ("→ e:e1", &second),
        ("←", &kept),
    ];
    let terminated = dialogue("json", &turns).then(&[
        ("→ terminate", r#"{"operation":"terminate"}"#),
        ("←", r#"{"operation":"terminate","result":"success"}"#),
        ("exit", "0"),
    ]);
    let end_of_input = dialogue("json", &turns);
    let killed = dialogue("json", &turns[..3]).then(&[("kill", "")]);
    for session in [terminated, end_of_input, killed] {
        let (passes, findings) = verdict("PM901", vec![session.clone()]);
        assert!(passes >= 1);
        assert_eq!(findings, []);
        assert_eq!(messages("PM902", vec![session]), [] as [&str; 0]);
    }
}

#[test]
fn narrower_rules_tell_of_their_own_requests() {
    let dies = [("exit", "1")];
    let list = || validation("list", "text", r#"{"text":["a"]}"#, &dies);
    assert_eq!(messages("PM901", vec![list()]), [] as [&str; 0]);
    assert_eq!(
        messages("PM904", vec![list()]),
        ["a list as `text` makes the module exit (exit status 1)"]
    );
    // A list of lists where the example has a list is an ordinary request.
    let nested = || validation("list", "text", r#"{"text":[["a"],{}]}"#, &dies);
    assert_eq!(messages("PM901", vec![nested()]).len(), 1);
    assert_eq!(messages("PM904", vec![nested()]), [] as [&str; 0]);
    let raw = || validation("control", "text", "{\"text\":\"a\u{1}\"}", &dies);
    assert_eq!(messages("PM901", vec![raw()]), [] as [&str; 0]);
    assert_eq!(
        messages("PM906", vec![raw()]),
        [
            "a request with raw control bytes, as cf-agent 3.21.0 sends it, makes the module exit (exit status 1)"
        ]
    );
    // Escaped, they are sound JSON.
    let escaped = || validation("control", "text", r#"{"text":"a\u0001"}"#, &dies);
    assert_eq!(messages("PM901", vec![escaped()]).len(), 1);
    assert_eq!(messages("PM906", vec![escaped()]), [] as [&str; 0]);
    let number = || validation("number", "text", r#"{"text":42}"#, &dies);
    assert_eq!(messages("PM901", vec![number()]), [] as [&str; 0]);
    let (_, found) = verdict("PM912", vec![number()]);
    assert_eq!(
        found[0].message,
        "a number as `text` makes the module exit (exit status 1)"
    );
    assert_eq!(found[0].level, Level::May);
    let refused = asked("evaluate");
    let protected = dialogue("json", &[("→ e:e1", &refused), ("exit", "1")])
        .case(|case| case.protection = Some(Protection::ReadOnly));
    assert_eq!(messages("PM901", vec![protected]), [] as [&str; 0]);
    let absent = |role: &str| {
        let sent = r#"{"operation":"validate_promise","promiser":"/x"}"#;
        dialogue("json", &[("→ v:e1", sent), ("exit", "1")]).member("attributes", role)
    };
    assert_eq!(messages("PM901", vec![absent("absent")]), [] as [&str; 0]);
    assert_eq!(messages("PM901", vec![absent("baseline")]).len(), 1);
    let recorded = absent("absent").case(|case| case.driver = Driver::Recorded);
    assert_eq!(messages("PM901", vec![recorded]).len(), 1);
}

#[test]
fn an_answer_without_its_empty_line_counts_as_no_crash_or_hang() {
    let sent = asked("validate");
    let valid = answer("validate", "valid", "");
    let cut = |last: (&'static str, &'static str)| {
        dialogue("json", &[("→ v:e1", &sent), ("<-", &valid), last])
    };
    assert_eq!(messages("PM901", vec![cut(("exit", "0"))]), [] as [&str; 0]);
    assert_eq!(
        messages("PM902", vec![cut(("silent", ""))]),
        [] as [&str; 0]
    );
}

#[test]
fn a_hang_fails_with_a_graded_level() {
    let sent = asked("validate");
    let silent = dialogue("json", &[("→ v:e1", &sent), ("silent", "")]);
    let (_, found) = verdict("PM902", vec![silent.clone()]);
    assert_eq!(
        found[0].message,
        "`validate_promise` is not answered within 2 s (`deadlines.validate`)"
    );
    assert_eq!(found[0].level, Level::Must);
    assert_eq!(messages("PM901", vec![silent]), [] as [&str; 0]);
    let beyond = dialogue("json", &[("!→ v:e1", &sent), ("silent", "")]);
    assert_eq!(verdict("PM902", vec![beyond]).1[0].level, Level::Should);
    for (byte, level) in [('\u{1}', Level::Should), ('\0', Level::May)] {
        let text = format!("{{\"text\":\"a{byte}\"}}");
        let raw = validation("control", "text", &text, &[("silent", "")]);
        assert_eq!(verdict("PM902", vec![raw]).1[0].level, level);
    }
    let flood = dialogue("json", &[("→ v:e1", &sent), ("<-", "yyyyyyy")])
        .with(|t| Event::Silent {
            t,
            process: 0,
            why: Silence::Flood,
            waited_us: 5,
        })
        .then(&[("kill", "")]);
    assert_eq!(
        messages("PM902", vec![flood]),
        ["`validate_promise` gets endless output instead of an answer"]
    );
}

#[test]
fn an_answer_that_was_not_flushed_is_no_hang() {
    let sent = asked("validate");
    let valid = answer("validate", "valid", "") + "\n\n";
    let late = dialogue("json", &[("→ v:e1", &sent)])
        .with(|t| Event::Silent {
            t,
            process: 0,
            why: Silence::Deadline,
            waited_us: 2_000_000,
        })
        .then(&[("close", ""), ("<-", &valid), ("exit", "0")]);
    assert_eq!(messages("PM902", vec![late.clone()]), [] as [&str; 0]);
    assert_eq!(messages("PM901", vec![late]), [] as [&str; 0]);
}

// --- PM903 ------------------------------------------------------------------

const BAIT: &str = "hello there;stickler-canary 1;";
const SIGN: &str = "/tmp/stickler/canary.1";

fn baited(
    bait: &str,
    kind: TrapKind,
    sign: &str,
    answers: [&str; 2],
    effects: Vec<Change>,
) -> Dialogue {
    let attributes = format!(r#"{{"text":"{bait}"}}"#);
    let first = request("validate", &path(), &attributes);
    let second = request("evaluate", &path(), &attributes);
    let changed = variant("e1", "canary", "text");
    dialogue(
        "json",
        &[
            ("observe", "start"),
            ("→ v:x", &first),
            ("←", answers[0]),
            ("observe", "v"),
        ],
    )
    .then(&[("→ e:x", &second), ("←", answers[1])])
    .effects(effects)
    .about(stickler_transcript::Item {
        label: "x".into(),
        ..changed
    })
    .case(|case| {
        case.traps.push(Trap {
            kind,
            sign: sign.into(),
            bait: bait.into(),
            field: None,
        });
    })
}

#[test]
fn a_command_that_is_run_leaves_its_sign() {
    let answers = [
        &answer("validate", "valid", "")[..],
        &answer("evaluate", "repaired", ""),
    ];
    let run = vec![created(SIGN, ""), created("note", BAIT)];
    let (_, found) = verdict(
        "PM903",
        vec![baited(BAIT, TrapKind::Command, SIGN, answers, run.clone())],
    );
    assert_eq!(found.len(), 1);
    assert_eq!(
        found[0].message,
        "a command in the value of `text` is run when the promise is evaluated"
    );
    assert_eq!(
        (found[0].level, found[0].place.exchange),
        (Level::Must, Some(3))
    );
    let declared = baited(BAIT, TrapKind::Command, SIGN, answers, run).case(|case| {
        case.facts
            .insert("executes".into(), ["text"].into_iter().collect());
    });
    assert_eq!(verdict("PM903", vec![declared]), (0, vec![]));
    let carried = baited(
        BAIT,
        TrapKind::Command,
        SIGN,
        answers,
        vec![created("note", BAIT)],
    );
    assert_eq!(verdict("PM903", vec![carried]), (2, vec![]));
}

#[test]
fn a_command_that_is_run_while_the_promise_is_rejected_counts_too() {
    let attributes = format!(r#"{{"text":"{BAIT}"}}"#);
    let sent = request("validate", &path(), &attributes);
    let invalid = answer("validate", "invalid", "");
    let session = dialogue(
        "json",
        &[("observe", ""), ("→ v:x", &sent), ("←", &invalid)],
    )
    .effects(vec![created(SIGN, "")])
    .case(|case| {
        case.traps.push(Trap {
            kind: TrapKind::Command,
            sign: SIGN.into(),
            bait: BAIT.into(),
            field: None,
        });
    });
    assert_eq!(
        messages("PM903", vec![session]),
        ["a command in a value is run when the promise is validated"]
    );
}

#[test]
fn a_computed_bait_fails_where_it_first_appears() {
    let bait = "hello {{1337*1337}}";
    let number = "1787569";
    let valid = answer("validate", "valid", "");
    let repaired = answer("evaluate", "repaired", "");
    let judge = |answers: [&str; 2], effects| {
        messages(
            "PM903",
            vec![baited(bait, TrapKind::Computed, number, answers, effects)],
        )
    };
    let rendered = judge(
        [&valid, &repaired],
        vec![created("note", "hello 1787569\n")],
    );
    assert_eq!(
        rendered,
        ["an expression in the value of `text` is computed: `1787569` appears"]
    );
    // As a part of another number, or the bait itself: nothing was computed.
    let stamp = format!("log_info=at 17875691234\n{repaired}");
    assert_eq!(
        judge([&valid, &stamp], vec![created("note", bait)]),
        [] as [&str; 0]
    );
    // What stood there before the bait came is no work of the bait's.
    let sent = asked("validate");
    let logged = format!("log_verbose=build 1787569\n{valid}");
    let attributes = format!(r#"{{"text":"{bait}"}}"#);
    let second = request("validate", &path(), &attributes);
    let natural = dialogue(
        "json",
        &[
            ("→ v:e1", &sent),
            ("←", &logged),
            ("→ v:x", &second),
            ("←", &logged),
        ],
    )
    .case(|case| {
        case.traps.push(Trap {
            kind: TrapKind::Computed,
            sign: number.into(),
            bait: bait.into(),
            field: None,
        });
    });
    assert_eq!(verdict("PM903", vec![natural]), (0, vec![]));
}

// --- PM904, PM907 -----------------------------------------------------------

#[test]
fn lists_are_valid_or_invalid() {
    let answered = |result: &str| {
        let text = answer("validate", result, "");
        validation("list", "text", r#"{"text":["a","b"]}"#, &[("←", &text)])
    };
    assert_eq!(
        verdict("PM904", vec![answered("valid"), answered("invalid")]),
        (2, vec![])
    );
    assert_eq!(
        messages("PM904", vec![answered("error")]),
        ["a list as `text` is answered `error`"]
    );
    // A missing result is another matter.
    let none = validation(
        "list",
        "text",
        r#"{"text":[]}"#,
        &[("←", r#"{"operation":"validate_promise"}"#)],
    );
    assert_eq!(verdict("PM904", vec![none]), (0, vec![]));
    let hung = validation("object", "text", r#"{"text":{}}"#, &[("silent", "")]);
    assert_eq!(
        messages("PM904", vec![hung]),
        ["an object as `text` is not answered in time"]
    );
}

#[test]
fn unknown_attributes_are_invalid_unless_all_are_welcome() {
    let answered = |result: &str| {
        let text = answer("validate", result, "");
        validation(
            "unknown",
            "qwer",
            r#"{"text":"hello","qwer":"x"}"#,
            &[("←", &text)],
        )
    };
    assert_eq!(verdict("PM907", vec![answered("invalid")]), (1, vec![]));
    let (_, found) = verdict("PM907", vec![answered("valid")]);
    assert_eq!(
        found[0].message,
        "`valid` with the unknown attribute `qwer`"
    );
    assert_eq!(found[0].level, Level::Should);
    let open = answered("valid").case(|case| {
        case.facts.insert("open_attributes".into(), true.into());
    });
    assert_eq!(verdict("PM907", vec![open]), (0, vec![]));
    let dead = validation("unknown", "qwer", r#"{"qwer":"x"}"#, &[("exit", "1")]);
    assert_eq!(verdict("PM907", vec![dead]), (0, vec![]));
}

// --- PM905, PM910, PM912 ----------------------------------------------------

/// A plain run or a variant of it with another text, evaluated.
fn run(
    kind: Option<&str>,
    text: &str,
    log: &str,
    echo: Option<&str>,
    effects: Vec<Change>,
) -> Dialogue {
    let quoted = serde_json::to_string(text).expect("text");
    let attributes = format!(r#"{{"text":{quoted}}}"#);
    let sent = request("evaluate", &path(), &attributes);
    let echo = echo.map_or_else(String::new, |echo| {
        let echo = serde_json::to_string(echo).expect("text");
        format!(r#","attributes":{{"text":{echo}}}"#)
    });
    let reply = format!("{log}{}", answer("evaluate", "repaired", &echo));
    let about = match kind {
        None => promise("e1"),
        Some(kind) => variant("e1", kind, "text"),
    };
    let role = kind.map_or("baseline", |_| "text-0");
    dialogue(
        "json",
        &[("observe", "start"), ("→ e:e1", &sent), ("←", &reply)],
    )
    .effects(effects)
    .about(about)
    .member("text", role)
}

fn plain() -> Dialogue {
    let log = "log_info=Wrote 'hello there' to the note\n";
    run(
        None,
        "hello there",
        log,
        Some("hello there"),
        vec![created("note", "hello there\n")],
    )
}

/// Another value, which arrived everywhere.
fn followed() -> Dialogue {
    let text = "hello there=";
    let log = "log_info=Wrote 'hello there=' to the note\n";
    let file = vec![changed("note", "hello there\n", "hello there=\n")];
    run(Some("text"), text, log, Some(text), file)
}

#[track_caller]
fn carried(code: &str, kind: &str, session: Dialogue) {
    let (passes, findings) = verdict(code, vec![plain(), session]);
    assert_eq!((passes, findings), (1, vec![]), "{code} {kind}");
}

#[test]
fn a_value_may_be_written_as_the_file_asks() {
    let text = "hello there 'it''s' \"so\" a=b=\\";
    for content in [
        "hello there 'it''s' \"so\" a=b=\\\n",
        "text = \"hello there 'it''s' \\\"so\\\" a=b=\\\\\"\n",
        "text='hello there '\\''it'\\'''\\''s'\\'' \"so\" a=b=\\'\n",
        "<text>hello there &apos;it&#39;&#39;s&apos; &quot;so&quot; a=b=\\</text>",
        "hello%20there%20%27it%27%27s%27%20%22so%22%20a%3Db%3D%5C",
    ] {
        let file = vec![changed("note", "hello there\n", content)];
        carried("PM910", content, run(Some("text"), text, "", None, file));
    }
}

#[test]
fn a_value_that_lost_characters_fails() {
    let file = vec![changed("note", "hello there\n", "hello there a=b\n")];
    let (_, found) = verdict(
        "PM910",
        vec![
            plain(),
            run(Some("text"), "hello there a=b=", "", None, file),
            followed(),
        ],
    );
    assert_eq!(
        found[0].message,
        "the value of `text` is not in the written file, which holds `hello there a=b⏎`"
    );
    assert_eq!(found[0].expected.as_deref(), Some("`hello there a=b=`"));
    assert_eq!((found[0].level, found[0].place.session), (Level::Must, 1));
    let echoed = run(
        Some("text"),
        "hello there $1",
        "",
        Some("hello there "),
        vec![],
    );
    assert_eq!(
        messages("PM910", vec![plain(), echoed, followed()]),
        ["the value of `text` is echoed as `hello there `"]
    );
    let log = "log_info=Wrote 'k' to the note\n";
    let logged = run(Some("text"), "k=hello there=", log, None, vec![]);
    assert_eq!(
        messages("PM910", vec![plain(), logged, followed()]),
        ["the value of `text` is named in a log message as `k`"]
    );
}

#[test]
fn a_path_that_is_refused_is_not_named_from_its_equals_sign_on() {
    let validated = |kind: Option<&str>, promiser: &str, result: &str, message: &str| {
        let log = format!(r#","log":[{{"level":"error","message":"{message}"}}]"#);
        let about = match kind {
            None => promise("e1"),
            Some(kind) => variant("e1", kind, "promiser"),
        };
        dialogue(
            "json",
            &[
                ("→ v:e1", &request("validate", promiser, "{}")),
                ("←", &answer("validate", result, &log)),
            ],
        )
        .about(about)
        .member("text", kind.map_or("baseline", |_| "text-0"))
    };
    let path = format!("{}=stickler-tail", path());
    let judged = |result: &str, message: &str| {
        let plain = validated(None, &self::path(), "valid", "");
        let other = validated(Some("text"), &path, result, message);
        messages("PM910", vec![plain, other])
    };
    for (result, message) in [
        ("invalid", "Path 'stickler-tail' must be absolute"),
        ("invalid", "stickler-tail: not absolute"),
        ("error", "no such folder: stickler-tail"),
    ] {
        assert_eq!(
            judged(result, message),
            [format!(
                "`{{dir}}/note=stickler-tail` is `{result}`, and the log names only \
                 `stickler-tail`: the value is split at its last `=`"
            )]
        );
    }
    // A module may forbid the character, whatever it says about that.
    for message in [
        format!("'{path}' contains '='"),
        "note=stickler-tail is no good name".to_owned(),
        "no `=` in names".to_owned(),
        "a name like 'note%3Dstickler-tail' is not supported".to_owned(),
        String::new(),
    ] {
        assert_eq!(judged("invalid", &message), [""; 0], "{message}");
    }
}

#[test]
fn a_run_that_does_not_show_the_value_is_not_judged() {
    // Another message, no effect, no echo.
    let log = "log_info=Updated the note\n";
    let silent = run(Some("text"), "hello there a=b=", log, None, vec![]);
    assert_eq!(
        verdict("PM910", vec![plain(), silent, followed()]),
        (1, vec![])
    );
    // Messages may quote.
    let log = "log_info=Wrote 'hello there it?s' to the note\n";
    let quoted = run(Some("text"), "hello there it's", log, None, vec![]);
    assert_eq!(
        verdict("PM910", vec![plain(), quoted, followed()]),
        (1, vec![])
    );
    // Another file was written than the one that shows the value.
    let other = vec![changed("index", "1", "2")];
    let elsewhere = run(Some("text"), "hello there a=b=", "", None, other);
    assert_eq!(
        verdict("PM910", vec![plain(), elsewhere, followed()]),
        (1, vec![])
    );
    // A file too large to be kept.
    let mut large = changed("note", "hello there\n", "x");
    if let Some(entry) = &mut large.after {
        entry.content = None;
    }
    let unseen = run(Some("text"), "hello there a=b=", "", None, vec![large]);
    assert_eq!(
        verdict("PM910", vec![plain(), unseen, followed()]),
        (1, vec![])
    );
    // A plain run that shows a switch, not the value.
    let of = |kind, text: &str, file| run(kind, text, "", None, vec![created("note", file)]);
    let switch = of(None, "enabled", "enabled\n");
    assert_eq!(
        verdict(
            "PM910",
            vec![switch, of(Some("text"), "enabled a=b=", "disabled\n")]
        ),
        (0, vec![])
    );
}

#[test]
fn a_text_that_follows_no_value_has_another_source() {
    // The file holds the author's value, but takes it from elsewhere.
    let fetched = |kind, text: &str| {
        let file = vec![created("clone/FETCH_HEAD", "9fceb02 file:///srv/a.git\n")];
        run(kind, text, "", None, file)
    };
    let other = |text: &str| fetched(Some("text"), text);
    let group = vec![
        fetched(None, "file:///srv/a.git"),
        other("file:///srv/a.git a=b="),
        other("file:///srv/a.git %s"),
        other("file:///srv/a.git ä"),
    ];
    assert_eq!(verdict("PM910", group.clone()), (0, vec![]));
    assert_eq!(verdict("PM905", group), (0, vec![]));
    // A second file follows the value.
    let both = |kind, text: &str, config: &str| {
        let files = vec![
            created("clone/FETCH_HEAD", "9fceb02 file:///srv/a.git\n"),
            created("clone/config", config),
        ];
        run(kind, text, "", None, files)
    };
    let base = "file:///srv/a.git";
    let (cut, whole) = (format!("{base} a=b="), format!("{base} %s"));
    let group = vec![
        both(None, base, base),
        both(Some("text"), &cut, base),
        both(Some("text"), &whole, &whole),
    ];
    let (passes, found) = verdict("PM910", group);
    assert_eq!((passes, found.len()), (1, 1));
    assert_eq!(
        found[0].message,
        "the value of `text` is not in the written file, which holds `file:///srv/a.git`"
    );
    // The session that shows where the value goes is part of the evidence.
    assert_eq!(
        found[0]
            .also
            .iter()
            .map(|place| place.session)
            .collect::<Vec<_>>(),
        [0, 2]
    );
}

#[test]
fn text_beyond_ascii_is_a_rule_of_its_own() {
    let lost = || {
        let file = vec![changed("note", "hello there\n", "hello there ?\n")];
        run(Some("text"), "hello there ä", "", None, file)
    };
    assert_eq!(
        messages("PM905", vec![plain(), lost(), followed()]).len(),
        1
    );
    assert_eq!(
        verdict("PM910", vec![plain(), lost(), followed()]),
        (1, vec![])
    );
    let json = vec![changed(
        "note",
        "hello there\n",
        "{\"t\": \"hello there \\u00e4 \\ud83d\\ude00\"}",
    )];
    carried(
        "PM905",
        "json",
        run(Some("text"), "hello there ä 😀", "", None, json),
    );
}

/// A text as it arrives from agents that send a character for each byte.
fn as_bytes(text: &str) -> String {
    text.bytes().map(char::from).collect()
}

/// A run with another text, which a newer agent sends byte by byte, and what the module writes.
fn by_bytes(text: &str, written: &str) -> Dialogue {
    let arrived = as_bytes(text);
    let file = vec![changed("note", "hello there\n", &format!("{written}\n"))];
    run(Some("text"), &arrived, "", Some(&arrived), file).sent_by("3.24.4")
}

#[test]
fn a_character_for_each_byte_is_written_as_told() {
    let text = "hello there ä 日";
    let group = |written: &str| vec![plain(), by_bytes(text, written), followed()];
    // It writes what it got.
    let (_, found) = verdict("PM905", group(&as_bytes(text)));
    assert_eq!((found.len(), found[0].level), (1, Level::May));
    let message = &found[0].message;
    assert!(
        message.ends_with("as cf-agent 3.24.4 and later would send it: a character for each byte"),
        "{message}"
    );
    // It decodes it, and echoes what it got or what it decoded.
    assert_eq!(verdict("PM905", group(text)), (1, vec![]));
    let file = vec![changed("note", "hello there\n", &format!("{text}\n"))];
    let echoed = run(Some("text"), &as_bytes(text), "", Some(text), file).sent_by("3.24.4");
    assert_eq!(
        verdict("PM905", vec![plain(), echoed, followed()]),
        (1, vec![])
    );
    // It writes something else.
    let (_, found) = verdict("PM905", group("hello there ? ?"));
    assert_eq!((found.len(), found[0].level), (1, Level::Must));
    // The agents for which it is meant are named.
    let meant = |session: Dialogue| {
        session.case(|case| {
            case.facts
                .insert("agents".into(), vec!["3.24.4", "3.27.1"].into());
        })
    };
    let written = as_bytes(text);
    let group = vec![plain(), meant(by_bytes(text, &written)), followed()];
    let message = messages("PM905", group).remove(0);
    assert!(
        message.contains("as cf-agent 3.24.4 and later would"),
        "{message}"
    );
}

#[test]
fn a_module_for_newer_agents_alone_gets_advice() {
    let text = "hello there ä 日";
    let raw = |written: &str| {
        let file = vec![changed("note", "hello there\n", &format!("{written}\n"))];
        run(Some("text"), text, "", None, file)
    };
    // It decodes what newer agents send, and spoils what others send.
    let group = vec![
        plain(),
        raw("hello there ? ?"),
        by_bytes(text, text),
        followed(),
    ];
    let (_, found) = verdict("PM905", group);
    assert_eq!((found.len(), found[0].level), (1, Level::May));
    assert!(
        found[0]
            .message
            .starts_with("as cf-agent 3.21.0 sends it, the value of `text`")
    );
    // It spoils both.
    let group = vec![
        plain(),
        raw("hello there ? ?"),
        by_bytes(text, "hello there ? ?"),
        followed(),
    ];
    let (_, found) = verdict("PM905", group);
    assert!(found.iter().all(|finding| finding.level == Level::Must));
    assert_eq!(found.len(), 2);
}

#[test]
fn blanks_at_the_edges_are_advice() {
    let file = vec![changed("note", "hello there\n", "hello there\n")];
    let trimmed = run(
        Some("odd"),
        "  hello there  ",
        "",
        Some("hello there"),
        file,
    );
    let (_, found) = verdict("PM912", vec![plain(), trimmed.clone(), followed()]);
    assert_eq!((found.len(), found[0].level), (1, Level::May));
    assert_eq!(verdict("PM910", vec![plain(), trimmed]), (0, vec![]));
}

#[test]
fn paths_and_links_show_a_promiser() {
    let made = |label: Option<&str>, promiser: &str, path: &str, target: &str| {
        let sent = request("evaluate", promiser, "{}");
        let reply = answer("evaluate", "repaired", "");
        let link = Change {
            path: path.into(),
            kind: ChangeKind::Created,
            before: None,
            after: Some(Entry {
                kind: FileType::Link,
                content: Some(target.into()),
                ..crate::common::file("")
            }),
        };
        let about = label.map_or_else(|| promise("e1"), |kind| variant("e1", kind, "promiser"));
        dialogue("json", &[("observe", ""), ("→ e:e1", &sent), ("←", &reply)])
            .effects(vec![link])
            .about(about)
            .member("text", label.map_or("baseline", |_| "text-0"))
    };
    let at = |name: &str| format!("{DIR}/{name}");
    let plain = || made(None, &at("note"), &at("note"), "/etc/motd");
    let text = at("note a=b= // -- %x/");
    let tidy = at("note a=b= / -- ");
    let whole = || made(Some("text"), &text, &at("note a=b= / -- %x"), "/etc/motd");
    assert_eq!(verdict("PM910", vec![plain(), whole()]), (1, vec![]));
    let cut = made(Some("text"), &text, &tidy, "/etc/motd");
    assert_eq!(
        messages("PM910", vec![plain(), cut, whole()]),
        ["the promiser is not in the created path `{dir}/note a=b= / -- `"]
    );
    // A promise type may have a meaning of its own for a colon.
    let key = made(Some("text"), &at("note C:x"), &at("note C"), "/etc/motd");
    assert_eq!(verdict("PM910", vec![plain(), key]), (0, vec![]));
}

#[test]
fn an_echoed_list_keeps_its_order() {
    let with = |echo: &str| {
        let sent = request("evaluate", &path(), r#"{"names":["b","a","c"]}"#);
        let reply = answer(
            "evaluate",
            "kept",
            &format!(r#","attributes":{{"names":{echo}}}"#),
        );
        dialogue("json", &[("→ e:e1", &sent), ("←", &reply)])
    };
    assert_eq!(
        verdict("PM910", vec![with(r#"["b","a","c"]"#)]),
        (1, vec![])
    );
    assert_eq!(
        messages("PM910", vec![with(r#"["a","b","c"]"#)]),
        ["the list `names` is echoed in another order"]
    );
    assert_eq!(
        verdict("PM910", vec![with(r#"["a"]"#), with(r#""b,a,c""#)]),
        (0, vec![])
    );
}

// --- PM908, PM909, PM911 ----------------------------------------------------

fn sampled(readings: &[(usize, u64, usize)]) -> Dialogue {
    let mut session = dialogue("json", &[]);
    for &(requests, rss_kib, descriptors) in readings {
        session = session.with(|t| Event::Sample {
            t,
            process: 0,
            requests,
            rss_kib,
            descriptors,
        });
    }
    session
}

#[test]
fn continuing_growth_fails() {
    let steady = sampled(&[
        (3, 9_000, 4),
        (103, 12_000, 5),
        (203, 12_100, 5),
        (303, 12_200, 5),
    ]);
    assert_eq!(verdict("PM908", vec![steady]), (1, vec![]));
    let leak = [(103, 12_000, 4), (203, 13_000, 4), (303, 14_000, 4)];
    let run_by = |command: &str| {
        let argv = command.split(' ').map(Into::into).collect();
        sampled(&leak).case(|case| {
            case.plan = Some(Plan {
                commands: vec![PlannedCommand {
                    argv,
                    ..PlannedCommand::default()
                }],
                ..Plan::default()
            });
        })
    };
    let grown = ["memory grows: 12000 KiB after 103 requests, 14000 KiB after 303"];
    assert_eq!(
        messages("PM908", vec![run_by("/usr/bin/python3 module")]),
        grown
    );
    assert_eq!(messages("PM908", vec![run_by("/srv/module.sh")]), grown);
    // Others may collect later.
    assert_eq!(
        verdict("PM908", vec![run_by("/usr/bin/java -jar m.jar")]),
        (1, vec![])
    );
    let large = sampled(&[(103, 12_000, 4), (203, 32_000, 4), (303, 52_000, 4)]);
    assert_eq!(messages("PM908", vec![large]).len(), 1);
    let descriptors = sampled(&[(103, 12_000, 10), (203, 12_000, 15), (303, 12_000, 20)]);
    assert_eq!(
        messages("PM908", vec![descriptors]),
        ["open descriptors grow: 10 after 103 requests, 20 after 303"]
    );
    // A heap that fills, then stays.
    let heap = sampled(&[(103, 12_000, 4), (203, 56_000, 4), (303, 56_100, 4)]);
    assert_eq!(verdict("PM908", vec![heap]), (1, vec![]));
    let short = sampled(&[(103, 12_000, 4), (203, 90_000, 400)]);
    assert_eq!(verdict("PM908", vec![short]), (0, vec![]));
}

fn surrounded(role: &str, result: &str, content: &str, more: bool) -> Dialogue {
    let (first, second) = (asked("validate"), asked("evaluate"));
    let (valid, reply) = (
        answer("validate", "valid", ""),
        answer("evaluate", result, ""),
    );
    let session = dialogue(
        "json",
        &[
            ("observe", ""),
            ("→ v:e1", &first),
            ("←", &valid),
            ("observe", ""),
        ],
    )
    .then(&[("→ e:e1", &second), ("←", &reply)])
    .effects(vec![created("note", content)])
    .member("environment", role);
    if !more {
        return session;
    }
    // A promise that is repaired each time goes on writing.
    session
        .then(&[("→ e2:e1", &second), ("←", &reply)])
        .effects(vec![changed("note", content, "more")])
}

#[test]
fn the_environment_changes_no_results_and_no_file_contents() {
    let plain = || surrounded("baseline", "repaired", "a", true);
    let same = surrounded("LANG=C", "repaired", "a", false);
    assert_eq!(verdict("PM909", vec![plain(), same]), (2, vec![]));
    let fails = surrounded("HOME unset", "error", "a", false);
    let (_, found) = verdict("PM909", vec![plain(), fails]);
    assert_eq!(
        found[0].message,
        "with HOME unset: `error` instead of `repaired`"
    );
    assert_eq!(found[0].level, Level::Should);
    let ascii = "LC_ALL=C PYTHONUTF8=0 PYTHONCOERCECLOCALE=0";
    let other = || surrounded(ascii, "repaired", "b", false);
    let (_, found) = verdict("PM909", vec![plain(), other()]);
    assert_eq!(
        found[0].message,
        "with LC_ALL=C PYTHONUTF8=0 PYTHONCOERCECLOCALE=0: different content at `{dir}/note`"
    );
    assert_eq!(found[0].variant.name(), "locale");
    let timed = |role: &str, time: &str| surrounded(role, "repaired", &format!("at {time}"), false);
    let runs = vec![
        timed("baseline", "1732160001"),
        timed("LANG=C", "1732160002"),
    ];
    assert_eq!(verdict("PM909", runs), (2, vec![]));
    // Where a second plain run differs too, nothing is said.
    let again = surrounded("again", "repaired", "c", true);
    assert_eq!(verdict("PM909", vec![plain(), again, other()]), (2, vec![]));
}

#[test]
fn a_crash_in_another_environment_fails_only_there() {
    let sent = asked("validate");
    let dead =
        || dialogue("json", &[("→ v:e1", &sent), ("exit", "1")]).member("environment", "LANG=C");
    let plain = || surrounded("baseline", "repaired", "a", false);
    assert_eq!(
        messages("PM909", vec![plain(), dead()]),
        ["with LANG=C: no answer, the process ended (exit status 1)"]
    );
    assert_eq!(messages("PM901", vec![plain(), dead()]), [] as [&str; 0]);
}

#[test]
fn reserved_names_are_judged_for_valid_examples() {
    let with = |attributes: &str, result: &str| {
        let sent = request("validate", &path(), attributes);
        let reply = answer("validate", result, "");
        dialogue(
            "json",
            &[
                ("→ v:e1", &sent),
                ("←", &reply),
                ("→ v2:e1", &sent),
                ("←", &reply),
            ],
        )
    };
    assert_eq!(
        verdict("PM911", vec![with(ATTRIBUTES, "valid")]),
        (1, vec![])
    );
    assert_eq!(
        messages(
            "PM911",
            vec![with(r#"{"text":"a","comment":"b"}"#, "valid")]
        ),
        ["the agent keeps the attribute `comment` to itself"]
    );
    assert_eq!(
        verdict("PM911", vec![with(r#"{"scope":"b"}"#, "invalid")]),
        (0, vec![])
    );
    assert_eq!(
        verdict("PM911", vec![with(r#"{"action_policy":"warn"}"#, "valid")]),
        (1, vec![])
    );
}
