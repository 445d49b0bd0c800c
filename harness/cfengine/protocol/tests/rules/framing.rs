//! The rules for framing, PM201 to PM215.

use crate::common::{Dialogue, answer, created, dialogue, request, variant, verdict};
use cfengine_protocol::rules::RULES;
use proptest::prelude::*;
use stickler_transcript::{Event, Item, Level, Silence};

fn validate() -> String {
    request("validate", "/x", r#"{"mode":"0644"}"#)
}

fn valid() -> String {
    answer("validate", "valid", "")
}

const LINE_REQUEST: &str =
    "operation=validate_promise\nlog_level=info\npromiser=/x\nattribute_Mode9=1\n";

/// A validation that these bytes answer.
fn json(output: impl AsRef<str>) -> Dialogue {
    dialogue("json", &[("→ v:e1", &validate()), ("<-", output.as_ref())])
}

fn line(output: &str) -> Dialogue {
    dialogue("line", &[("→ v:e1", LINE_REQUEST), ("<-", output)])
}

fn silence(t: u64) -> Event {
    Event::Silent {
        t,
        process: 0,
        why: Silence::Deadline,
        waited_us: 2_000_000,
    }
}

/// The codes of the framing rules that these sessions break.
fn broken(dialogues: &[Dialogue]) -> Vec<&'static str> {
    RULES
        .iter()
        .map(|rule| rule.code)
        .filter(|code| code.starts_with("PM2"))
        .filter(|code| !verdict(code, dialogues.to_vec()).1.is_empty())
        .collect()
}

fn broken_by(dialogue: Dialogue) -> Vec<&'static str> {
    broken(&[dialogue])
}

#[test]
fn sound_answers_in_several_styles_break_nothing() {
    let object = valid();
    for sound in [
        format!("{object}\n\n"),
        format!("log_info=a=b\nlog_debug=\u{e4} {{}}\n{object}\n\n"),
        format!("  {object}  \n\n"),
        answer(
            "validate",
            "valid",
            r#","log":[{"level":"debug","message":"a\nb"}]"#,
        ) + "\n\n",
        answer(
            "validate",
            "valid",
            r#","promiser":"\ud800","x":{"a":[1,2,{"a":null}]}"#,
        ) + "\n\n",
    ] {
        assert_eq!(broken_by(json(&sound)), [""; 0], "{sound}");
    }
    for sound in [
        "operation=validate_promise\nresult=valid\n\n",
        "operation=validate_promise\nresult=valid\nresult_classes=\n\n",
        "log_info=a b c\nlog_debug=\noperation=validate_promise\nattribute_Mode9=1\nresult=valid\n\n",
    ] {
        assert_eq!(broken_by(line(sound)), [""; 0], "{sound}");
    }
}

#[test]
fn each_defect_of_a_json_answer_breaks_its_rule_alone() {
    let object = valid();
    let cases = [
        (format!("{object}\n\n\n"), "PM202"),
        (format!("\n{object}\n\n"), "PM202"),
        (format!("{object}\n\n{object}\n\n"), "PM202"),
        (format!("log_info=x\n\n{object}\n\n"), "PM202"),
        (format!("{object}\n\nlog_info=x\n"), "PM202"),
        (format!("Cloning into 'x'...\n{object}\n\n"), "PM203"),
        (format!("a\n\nb\n\n{object}\n\n"), "PM203"),
        (format!("\nCloning\n{object}\n\n"), "PM203"),
        (format!("{object}\nbye\n\n"), "PM203"),
        (format!("{object}\n\nbye\n"), "PM203"),
        (format!("done{object}\n\n"), "PM203"),
        (format!("log_info=two\nlines\n{object}\n\n"), "PM203"),
        ("kept it\n\n".to_owned(), "PM203"),
        (object.replace(',', ",\n  ") + "\n\n", "PM204"),
        (object.replace('}', ",}") + "\n\n", "PM205"),
        (object.replace('"', "'") + "\n\n", "PM205"),
        (
            object.replace("valid\"", "valid\",\"x\":\"a\nb\"") + "\n\n",
            "PM205",
        ),
        (
            object.replace("valid\"", "valid\",\"x\":\"\t\"") + "\n\n",
            "PM205",
        ),
        (
            object.replace("valid\"", "valid\",\"x\":NaN") + "\n\n",
            "PM205",
        ),
        (format!("\u{feff}{object}\n\n"), "PM205"),
        (format!("{object}}}\n\n"), "PM205"),
        ("\"valid\"\n\n".to_owned(), "PM206"),
        ("[]\n\n".to_owned(), "PM206"),
        (format!("[{object}]\n\n"), "PM206"),
        (
            "operation=validate_promise\nresult=valid\n\n".to_owned(),
            "PM206",
        ),
        (object.replace("\"valid\"", "true") + "\n\n", "PM206"),
        (
            object.replace("\"validate_promise\"", "1") + "\n\n",
            "PM206",
        ),
        (
            "{\"operation\":\"validate_promise\"}\n\n".to_owned(),
            "PM206",
        ),
        (
            object.replace('}', ",\"result\":\"valid\"}") + "\n\n",
            "PM207",
        ),
        (format!("{object}\nlog_info=late\n\n"), "PM208"),
        (format!("result=valid\n{object}\n\n"), "PM208"),
        (format!("{object}\n{object}\n\n"), "PM208"),
        (format!("log_info=x{object}\n\n"), "PM208"),
        (format!("log_info\n{object}\n\n"), "PM208"),
        (format!("log_info=a\0b\n{object}\n\n"), "PM210"),
        (
            format!("log_info={}\n{object}\n\n", "x".repeat(300 << 10)),
            "PM215",
        ),
    ];
    for (output, code) in cases {
        assert_eq!(
            broken_by(json(&output)),
            [code],
            "{}",
            &output[..output.len().min(120)]
        );
    }
}

#[test]
fn each_defect_of_a_line_answer_breaks_its_rule_alone() {
    let cases: [(&str, &[&str]); 9] = [
        ("operation=validate_promise\nresult=valid\n\n\n", &["PM202"]),
        (
            "Cloning into x\noperation=validate_promise\nresult=valid\n\n",
            &["PM203", "PM209"],
        ),
        (
            "done\noperation=validate_promise\nresult=valid\n\n",
            &["PM209"],
        ),
        (
            "operation=validate_promise\nresult=valid\nFo o9=1\n\n",
            &["PM209"],
        ),
        (
            "operation=validate_promise\nresult=valid\n=1\n\n",
            &["PM209"],
        ),
        (
            "operation=validate_promise\nresult=valid\nlog_info\n\n",
            &["PM209"],
        ),
        (
            "operation=validate_promise\nlog_info=a\0b\nresult=valid\n\n",
            &["PM210"],
        ),
        (
            "operation=validate_promise\nresult=valid\nresult=kept\n\n",
            &["PM211"],
        ),
        ("operation=validate_promise\nresult=valid\n\r\n", &["PM201"]),
    ];
    for (output, codes) in cases {
        assert_eq!(broken_by(line(output)), codes, "{output:?}");
    }
}

#[test]
fn an_answer_without_its_empty_line_is_pm201() {
    let part = valid() + "\n";
    assert_eq!(broken_by(json(&part).then(&[("silent", "")])), ["PM201"]);
    assert_eq!(broken_by(json(&part).then(&[("exit", "0")])), ["PM201"]);
    assert_eq!(
        broken_by(json("").then(&[("silent", "")])),
        [""; 0],
        "that is PM902"
    );
    assert_eq!(
        broken_by(json("").then(&[("exit", "1")])),
        [""; 0],
        "that is PM901"
    );
    assert_eq!(
        broken_by(json("log_info=x\n").then(&[("kill", "")])),
        [""; 0]
    );
}

#[test]
fn an_answer_that_waits_for_the_end_of_input_is_pm201() {
    let answered = format!("{}\n\n", valid());
    let late = dialogue("json", &[("→ v:e1", &validate())])
        .with(silence)
        .then(&[("close", ""), ("<-", &answered), ("kill", "")]);
    assert_eq!(broken_by(late), ["PM201"]);
    let planned = dialogue(
        "json",
        &[
            ("→ v:e1", &validate()),
            ("close", ""),
            ("<-", &answered),
            ("exit", "0"),
        ],
    );
    assert_eq!(broken_by(planned), [""; 0]);
}

#[test]
fn broken_requests_may_be_answered_more_than_once() {
    let object = format!("{}\n\n", answer("validate", "error", ""));
    let output = object.repeat(2);
    let session = dialogue(
        "json",
        &[
            ("?→ broken:x", "{\n{"),
            ("<-", &output),
            ("→ v:e1", &validate()),
            ("<-", &output),
        ],
    );
    assert_eq!(broken_by(session), [""; 0]);
}

#[test]
fn echoes_may_contain_raw_bytes_of_the_request() {
    let odd = request("validate", "/a\u{1b}b", "{}");
    let echo = answer("validate", "valid", ",\"promiser\":\"/a\u{1b}b\"") + "\n\n";
    let session = dialogue("json", &[("→ v:e1", &odd), ("<-", &echo)]);
    assert_eq!(broken_by(session), [""; 0]);
    assert_eq!(broken_by(json(&echo)), ["PM205"]);
}

#[test]
fn a_header_without_a_protocol_does_not_break_the_line_rules() {
    let header = "module 1 v1 action_policy\n\n";
    let session = dialogue(
        "line",
        &[
            ("→ header", "cf-agent 3.21.0 v1"),
            ("<-", header),
            ("→ v:e1", LINE_REQUEST),
            ("←", &valid()),
        ],
    );
    assert_eq!(broken_by(session), [""; 0]);
}

#[test]
fn no_answer_comes_before_its_request() {
    let answered = answer("validate", "valid", "") + "\n\n";
    let whole = validate();
    let levels = |turns: &[(&str, &str)]| -> Vec<Level> {
        let found = verdict("PM212", vec![dialogue("json", turns)]).1;
        found.iter().map(|finding| finding.level).collect()
    };
    let request = ("→ v:e1", &whole[..]);
    let answer = ("<-", &answered[..]);
    assert_eq!(levels(&[request, answer, ("more", "rest")]), [Level::Must]);
    // An agent writes the last line end with the others.
    assert_eq!(levels(&[request, answer, ("more", "\n")]), [Level::May]);
    assert_eq!(levels(&[request, ("more", "rest"), answer]), []);
}

#[test]
fn requests_in_pieces_must_be_answered_alike() {
    let session = |result: &str, role: &str| {
        json(answer("validate", result, "") + "\n\n").member("pieces", role)
    };
    let sound = [session("valid", "baseline"), session("valid", "bytewise")];
    assert!(broken(&sound).is_empty());
    assert_eq!(
        verdict("PM212", sound.to_vec()).0,
        2,
        "header and validation"
    );
    assert_eq!(
        broken(&[session("valid", "baseline"), session("error", "halves")]),
        ["PM212"]
    );
    let hangs = dialogue("json", &[("→ v:e1", &validate()), ("silent", "")]);
    assert_eq!(
        broken(&[session("valid", "baseline"), hangs.member("pieces", "slow")]),
        ["PM212"]
    );
    let unstable = [
        session("valid", "baseline"),
        session("invalid", "again"),
        session("invalid", "bytewise"),
    ];
    assert!(broken(&unstable).is_empty());
    let dead = dialogue("json", &[("→ v:e1", &validate()), ("exit", "1")]);
    let both = [
        dead.clone().member("pieces", "baseline"),
        dead.member("pieces", "slow"),
    ];
    assert!(broken(&both).is_empty(), "that is PM901");
}

/// A changed copy of the first example.
fn of_e1(kind: &str, field: &str) -> Item {
    Item {
        example: "e1".into(),
        ..variant(&format!("e1~{kind}:{field}"), kind, field)
    }
}

#[test]
fn large_requests_are_answered_whole() {
    let text = "x".repeat(64 << 10);
    let large = request("validate", "/x", &format!(r#"{{"mode":"{text}"}}"#));
    let session = |output: &str| {
        dialogue("json", &[("→ v:e1~huge:mode", &large), ("<-", output)])
            .about(of_e1("huge", "mode"))
            .member("large", "64k")
    };
    let group = |output: &str| {
        [
            json(valid() + "\n\n").member("large", "baseline"),
            session(output),
        ]
    };
    let answered = |result: &str, more: &str| answer("validate", result, more) + "\n\n";
    assert!(broken(&group(&answered("valid", ""))).is_empty());
    assert!(broken(&group(&answered("invalid", ""))).is_empty());
    assert_eq!(broken(&group(&answered("error", ""))), ["PM213"]);
    let echo = |length| format!(r#","attributes":{{"mode":"{}"}}"#, &text[..length]);
    let short = |output: &str| {
        let sent = request("validate", "/x", r#"{"mode":"xxxx"}"#);
        dialogue("json", &[("→ v:e1~part:mode", &sent), ("<-", output)])
            .about(of_e1("part", "mode"))
            .member("large", "short-64k")
    };
    let beside_short = |output: &str, short_output: &str| {
        let [baseline, large] = group(&answered("valid", output));
        [baseline, large, short(&answered("valid", short_output))]
    };
    assert!(broken(&beside_short(&echo(text.len()), &echo(4))).is_empty());
    assert_eq!(broken(&beside_short(&echo(4096), &echo(4))), ["PM213"]);
    // The short value is not echoed as sent either.
    assert!(broken(&beside_short(&echo(2), &echo(2))).is_empty());
    // What a short value of this form also gets does not come from the size.
    let [baseline, large] = group(&answered("error", ""));
    assert!(broken(&[baseline, large, short(&answered("error", ""))]).is_empty());
    let [baseline, variant] = group("");
    assert_eq!(
        broken(&[baseline, variant.then(&[("silent", "")])]),
        ["PM213"]
    );
}

#[test]
fn large_values_are_written_whole() {
    let text = "x".repeat(64 << 10);
    let evaluation = |label: &str, value: &str| {
        dialogue(
            "json",
            &[
                ("observe", "start"),
                (
                    &format!("→ e:{label}"),
                    &request("evaluate", "/x", &format!(r#"{{"text":"{value}"}}"#)),
                ),
                ("←", &answer("evaluate", "repaired", "")),
            ],
        )
    };
    let small = || {
        evaluation("e1", "hello")
            .effects(vec![created("x", "hello\n")])
            .member("large", "baseline")
    };
    let large = |written: &str| {
        evaluation("e1~huge:text", &text)
            .effects(vec![created("x", written)])
            .about(of_e1("huge", "text"))
            .member("large", "64k")
    };
    let short = |written: &str| {
        evaluation("e1~part:text", "hellox")
            .effects(vec![created("x", written)])
            .about(of_e1("part", "text"))
            .member("large", "short-64k")
    };
    assert!(broken(&[small(), large(&text), short("hellox\n")]).is_empty());
    assert_eq!(
        broken(&[small(), large(&text[..4095]), short("hellox\n")]),
        ["PM213"]
    );
    // The file holds the example's value, but takes it from elsewhere.
    assert!(broken(&[small(), large("hello\n"), short("hello\n")]).is_empty());
}

#[test]
fn the_end_of_input_ends_a_module() {
    let session = || json(valid() + "\n\n");
    assert_eq!(verdict("PM214", vec![session()]), (1, Vec::new()));
    let (passes, findings) = verdict("PM214", vec![session().then(&[("outlives", "")])]);
    assert_eq!((passes, findings[0].level), (0, Level::Should));
    let flood = session()
        .then(&[("close", "")])
        .with(|t| Event::Silent {
            t,
            process: 0,
            why: Silence::Flood,
            waited_us: 1,
        })
        .then(&[("<-", &(valid() + "\n\n")), ("kill", "")]);
    assert_eq!(broken_by(flood), ["PM214"]);
    let terminated = session().then(&[
        ("→ terminate", r#"{"operation":"terminate"}"#),
        ("←", &answer("terminate", "success", "")),
        ("outlives", ""),
    ]);
    assert_eq!(broken_by(terminated), [""; 0], "that is PM307");
    let silent = json("").then(&[("silent", "")]);
    assert_eq!(verdict("PM214", vec![silent]), (0, Vec::new()));
    let killed = session().then(&[("close", ""), ("kill", "")]);
    assert_eq!(verdict("PM214", vec![killed]), (0, Vec::new()));
    let ends = |how: &str| {
        verdict(
            "PM214",
            vec![session().then(&[("close", ""), ("exit", how)])],
        )
    };
    let (passes, findings) = ends("signal 6");
    assert_eq!((passes, findings[0].level), (0, Level::Should));
    // A program may say so that half a request is an error, and one that writes may find no reader.
    for fine in ["0", "1", "signal 13", "signal 15"] {
        assert_eq!(ends(fine), (1, Vec::new()), "{fine}");
    }
}

#[test]
fn words_at_the_end_of_input_are_no_answer_too_many() {
    let goodbye = format!("{}\n\n", answer("terminate", "success", ""));
    let session = json(valid() + "\n\n").then(&[("close", ""), ("<-", &goodbye), ("exit", "0")]);
    assert_eq!(broken_by(session), [""; 0]);
    let twice = json(valid() + "\n\n").then(&[
        ("→ terminate", r#"{"operation":"terminate"}"#),
        ("<-", &goodbye),
        ("close", ""),
        ("<-", &goodbye),
        ("exit", "0"),
    ]);
    assert_eq!(broken_by(twice), ["PM202"]);
}

#[test]
fn answers_of_a_process_that_sent_one_too_many_are_judged_by_no_other_rule() {
    let repaired = format!("{}\n\n", answer("evaluate", "repaired", ""));
    let kept = format!("{}\n\n", answer("evaluate", "kept", ""));
    let asked = request("evaluate", "/x", r#"{"mode":"0644"}"#);
    let early = "log_info=Wrote it\n".to_owned() + &repaired;
    // The second report of the repair comes when the next request was sent.
    let turns = [
        ("→ v:e1", &validate()[..]),
        ("<-", &(valid() + "\n\n")),
        ("→ e:e1", &asked),
        ("<-", &early),
        ("→ e2:e1", &asked),
        ("<-", &repaired),
        ("→ terminate", r#"{"operation":"terminate"}"#),
        ("<-", &(kept + &answer("terminate", "success", "") + "\n\n")),
        ("exit", "0"),
    ];
    let session = dialogue("json", &turns);
    let failing: Vec<&str> = RULES
        .iter()
        .map(|rule| rule.code)
        .filter(|code| !verdict(code, vec![session.clone()]).1.is_empty())
        .collect();
    assert_eq!(failing, ["PM202"]);
}

/// Pieces of what modules print, whole and broken.
const SHREDS: [&str; 22] = [
    "\n",
    "\n\n",
    "\r\n",
    "\0",
    "{",
    "}",
    "\u{feff}",
    "log_",
    "log_info=",
    "log_level=info",
    "=",
    "operation=evaluate_promise",
    "result=repaired",
    "result_classes=a, b,,",
    "module 1 v1 json_based",
    " line_based\t",
    "\"log\":[{\"level\":\"info\",\"message\":\"\\u0000\"},1]",
    "{\"operation\":\"evaluate_promise\",\"result\":\"kept\",\"log\":[{\"message\":1}]}",
    "x.sh: line 12: \u{e4}",
    "File \"\u{e4}\", line 1",
    "goroutine 1\u{e4}",
    "at \u{e4}(:1)",
];

proptest! {
    #[test]
    fn no_output_makes_a_rule_panic(
        shreds in prop::collection::vec(prop::sample::select(&SHREDS[..]), 0..12),
        cut in 0usize..200,
        line in any::<bool>(),
        end in 0usize..4,
    ) {
        let output: String = shreds.concat().chars().take(cut).collect();
        let request = request("evaluate", "/x", "{}");
        let turns: &[(&str, &str)] = &[("silent", ""), ("exit", "1"), ("kill", ""), ("observe", "")][end..=end];
        let protocol = if line { "line" } else { "json" };
        let header = dialogue(protocol, &[("→ header", "cf-agent 3.21.0 v1"), ("<-", &output)]);
        let answer = dialogue(protocol, &[("→ e:e1", &request), ("<-", &output)]);
        let group = |role: &str| answer.clone().then(turns).member("pieces", role).member("large", role);
        for code in RULES.iter().map(|rule| rule.code).filter(|code| !code.starts_with("PM9")) {
            verdict(code, vec![header.clone().then(turns), group("baseline"), group("slow")]);
        }
    }
}
