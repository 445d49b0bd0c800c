//! Answers, analysed.

use cfengine_protocol::wire::json::JsonErrorKind;
use cfengine_protocol::wire::json::JsonType;
use cfengine_protocol::wire::response::*;
use cfengine_protocol::wire::{Protocol, Value};

const VALID: &str = r#"{"operation": "validate_promise", "promiser": "/opt/cfengine/masterfiles", "attributes": {"repo": "https://github.com/cfengine/masterfiles"}, "result": "valid"}"#;
const KEPT: &str = r#"{"operation":"evaluate_promise","result":"kept"}"#;

fn json(message: impl AsRef<[u8]>) -> Response {
    Response::analyse(message.as_ref(), Protocol::Json)
}

fn line(message: impl AsRef<[u8]>) -> Response {
    Response::analyse(message.as_ref(), Protocol::Line)
}

fn is_clean(response: &Response) -> bool {
    response.extra_objects.is_empty()
        && response.duplicates.is_empty()
        && response.object.iter().all(|object| {
            !object.spans_lines && object.glued_before.is_none() && object.glued_after.is_none()
        })
        && response.lines.iter().all(|line| {
            matches!(line.kind, LineKind::Log | LineKind::Object) && line.place != Position::After
        })
}

#[test]
fn the_specifications_validation_is_clean() {
    let response = json(format!("{VALID}\n\n"));
    assert!(is_clean(&response));
    assert!(response.operation.is("validate_promise") && response.result.is("valid"));
    assert!(response.promiser.is("/opt/cfengine/masterfiles"));
    let repo: Value = "https://github.com/cfengine/masterfiles".into();
    assert!(response.attributes().eq([(&b"repo"[..], &repo)]));
    assert_eq!(response.result_classes, None);
    assert_eq!(response.end.expect("a value").len, VALID.len() + 2);
}

#[test]
fn the_specifications_evaluation_has_log_lines_before_its_object() {
    let response = json(concat!(
        "log_info=Cloning 'https://github.com/cfengine/masterfiles' -> '/opt/cfengine/masterfiles'...\n",
        "log_info=Successfully cloned 'a=b'\n",
        r#"{"operation": "evaluate_promise", "promiser": "/opt/cfengine/masterfiles", "attributes": {"repo": "https://github.com/cfengine/masterfiles"}, "result_classes": ["masterfiles_cloned"], "result": "repaired"}"#,
        "\n\n"
    ));
    assert!(is_clean(&response));
    assert_eq!(response.logs_of("info").count(), 2);
    assert_eq!(response.logs[1].message, b"Successfully cloned 'a=b'");
    let names = vec![b"masterfiles_cloned".to_vec()];
    assert_eq!(
        response.result_classes,
        Some(Classes {
            names,
            malformed: None
        })
    );
    let places: Vec<_> = response.lines.iter().map(|line| line.place).collect();
    assert_eq!(
        places,
        [Position::Before, Position::Before, Position::Within]
    );
}

#[test]
fn a_pretty_printed_object_is_read_and_spans_lines() {
    let pretty = r#"{
  "operation": "evaluate_promise",
  "attributes": {
    "repo": "https://github.com/cfengine/masterfiles"
  },
  "log": [
    {
      "level": "info",
      "message": "Cloning"
    }
  ],
  "result": "repaired"
}"#;
    let response = json(format!("log_info=x\n{pretty}\n\n"));
    let object = response.object.as_ref().expect("a value");
    assert!(object.spans_lines && object.glued_after.is_none());
    assert_eq!(response.bytes(&object.range), pretty.as_bytes());
    assert!(response.result.is("repaired"));
    assert_eq!(response.logs[1].place, LogPlace::Embedded);
    assert_eq!(response.logs[1].level, b"info");
    assert!(
        response.lines[1..]
            .iter()
            .all(|line| line.kind == LineKind::Object)
    );

    let broken = json(pretty.replace("\"repaired\"", "\"repaired\","));
    let object = broken.object.expect("a value");
    assert!(object.spans_lines);
    assert_eq!(object.range.end, pretty.len() + 1);
    assert_eq!(
        broken.json.expect("a value").expect_err("an error").kind,
        JsonErrorKind::TrailingComma
    );
}

#[test]
fn lines_around_the_object_keep_their_kinds_and_places() {
    let response = json(format!(
        "Cloning into x=1...\nresult=kept\n{KEPT}\nlog_info=late\nbye\n\n"
    ));
    let seen: Vec<_> = response
        .lines
        .iter()
        .map(|line| (line.is_free_text(), line.place))
        .collect();
    assert_eq!(
        seen,
        [
            (true, Position::Before),
            (false, Position::Before),
            (false, Position::Within),
            (false, Position::After),
            (true, Position::After)
        ]
    );
    assert!(matches!(&response.lines[1].kind, LineKind::KeyValue { key, .. } if key == b"result"));
    assert_eq!(response.lines[3].kind, LineKind::Log);
    assert_eq!(
        response.result,
        Field {
            values: vec!["kept".into()]
        }
    );
}

#[test]
fn further_objects_are_extra_and_broken_ones_are_text() {
    let response = json(format!("{{}}\n{KEPT}\n{{\"a\": 1}}\n{{ oops\n\n"));
    assert!(response.result.is("kept"));
    assert_eq!(response.extra_objects, [0..2, 52..60]);
    assert_eq!(response.lines[0].kind, LineKind::Object);
    assert_eq!(response.lines[3].kind, LineKind::Text);
}

#[test]
fn text_before_the_object_is_distinguished_from_it() {
    let response = json(format!("Cloning...{KEPT} done\n\n"));
    let object = response.object.clone().expect("a value");
    assert_eq!(
        response.bytes(&object.glued_before.expect("a value")),
        b"Cloning..."
    );
    assert_eq!(
        response.bytes(&object.glued_after.expect("a value")),
        b"done"
    );
    assert!(response.result.is("kept"));

    let response = json(format!("log_info={{x}} done{KEPT}\n\n"));
    assert_eq!(response.logs[0].message, b"{x} done");
    assert!(response.result.is("kept"));

    let response = json(format!("{KEPT}{KEPT}\n\n"));
    assert_eq!(response.extra_objects.len(), 1);
    assert_eq!(response.bytes(&response.extra_objects[0]), KEPT.as_bytes());
}

#[test]
fn a_byte_order_mark_and_broken_json_are_errors_of_the_object() {
    for (message, kind) in [
        (
            &b"\xef\xbb\xbf{\"result\": \"kept\"}\n\n"[..],
            JsonErrorKind::ByteOrderMark,
        ),
        (
            b"{'result': 'kept'}\n\n",
            JsonErrorKind::Expected("a key in double quotes"),
        ),
        (b"{\"result\": \"ke\n\n", JsonErrorKind::UnexpectedEnd),
        (b"{\"result\": \"\xff\"}\n\n", JsonErrorKind::InvalidUtf8),
    ] {
        let response = json(message);
        assert_eq!(
            response.json.expect("a value").expect_err("an error").kind,
            kind
        );
        assert_eq!(response.lines[0].kind, LineKind::Object);
        assert!(response.result.is_absent());
    }
}

#[test]
fn a_response_reports_its_json_type_or_the_lack_of_json() {
    assert_eq!(json("log_info=1\n[1]\n\n").json, Some(Ok(JsonType::Array)));
    assert_eq!(json("null\n\n").json, Some(Ok(JsonType::Null)));
    for nothing in ["log_info=x\n\n", "result=kept\n\n", "", "\n", "hello\n\n"] {
        assert_eq!(json(nothing).json, None);
    }
}

#[test]
fn fields_tell_absent_text_other_types_and_doubles() {
    let response =
        json(r#"{"operation": 1, "result": "kept", "result": "repaired", "promiser": null}"#);
    assert_eq!(
        response.operation.state(),
        FieldState::OtherType(&Value::Number("1".into()))
    );
    assert!(matches!(
        response.result.state(),
        FieldState::Doubled([_, _])
    ));
    assert_eq!(response.result.text(), Some(&b"repaired"[..]));
    assert_eq!(response.promiser.text(), None);
    assert_eq!(response.count("result"), 2);
    assert_eq!(json("{}").operation.state(), FieldState::Absent);
    assert_eq!(json(KEPT).result.state(), FieldState::Text(b"kept"));
    assert_eq!(json(KEPT).end, None);
}

#[test]
fn doubled_keys_are_found_at_any_depth() {
    let response = json(r#"{"a": [{"b": 1, "b": 2, "b": 3}], "c": 1, "c": 2}"#);
    let found: Vec<_> = response
        .duplicates
        .iter()
        .map(|key| (key.path.concat(), key.count))
        .collect();
    assert_eq!(found, [(b"c".to_vec(), 2), (b"ab".to_vec(), 3)]);
}

#[test]
fn malformed_logs_say_why() {
    for (log, defect) in [
        ("\"x\"", LogDefect::NotAList("a string")),
        ("{\"level\": \"info\"}", LogDefect::NotAList("an object")),
        ("[\"x\"]", LogDefect::NotAnObject("a string")),
        ("[{\"message\": \"x\"}]", LogDefect::LevelMissing),
        (
            "[{\"level\": 1, \"message\": \"x\"}]",
            LogDefect::LevelNotText("a number"),
        ),
        ("[{\"level\": \"info\"}]", LogDefect::MessageMissing),
        (
            "[{\"level\": \"info\", \"message\": {}}]",
            LogDefect::MessageNotText("an object"),
        ),
    ] {
        let response = json(format!("{{\"log\": {log}}}\n\n"));
        assert_eq!(response.logs.len(), 1);
        assert_eq!(response.logs[0].malformed, Some(defect));
        assert_eq!(response.logs[0].offset, 1);
    }
    let response = line("log_info\nlog_=x\nlog_level=info\n\n");
    let seen: Vec<_> = response
        .logs
        .iter()
        .map(|log| (&log.level[..], log.malformed))
        .collect();
    let expected = [
        (&b"info"[..], Some(LogDefect::NoEqualsSign)),
        (b"", None),
        (b"level", None),
    ];
    assert_eq!(seen, expected);
    assert!(is_log_level(b"verbose") && !is_log_level(b"Info") && !is_log_level(b"level"));
}

#[test]
fn malformed_classes_say_why() {
    let classes = |value: &str| {
        json(format!("{{\"result_classes\": {value}}}"))
            .result_classes
            .expect("a value")
    };
    assert_eq!(
        classes("\"a\"").malformed,
        Some(ClassesDefect::NotAList("a string"))
    );
    assert_eq!(
        classes("null").malformed,
        Some(ClassesDefect::NotAList("null"))
    );
    let mixed = classes("[\"a\", 1, null]");
    assert_eq!(
        mixed.malformed,
        Some(ClassesDefect::NotText {
            index: 1,
            found: "a number"
        })
    );
    assert_eq!(mixed.names, [b"a"]);
    assert_eq!(
        classes("[]"),
        Classes {
            names: vec![],
            malformed: None
        }
    );

    let classes = |value: &str| {
        line(format!("result_classes={value}\n\n"))
            .result_classes
            .expect("a value")
    };
    assert_eq!(classes("a,b,,a").names, [&b"a"[..], b"b", b"", b"a"]);
    assert_eq!(classes("a,b,,a").malformed, None);
    assert_eq!(
        classes("a, b").malformed,
        Some(ClassesDefect::Blank { index: 1 })
    );
    assert_eq!(
        classes(""),
        Classes {
            names: vec![],
            malformed: None
        }
    );
}

#[test]
fn a_line_response_is_read_with_its_logs() {
    let response = line(
        "operation=evaluate_promise\npromiser=/a\nattribute_Foo9=x=y\nlog_info=did\n\
         result=kept\nresult=repaired\nresult_classes=a,b\n\n",
    );
    assert!(response.operation.is("evaluate_promise") && response.result.is("repaired"));
    assert_eq!(
        response.duplicates,
        [Duplicate {
            path: vec![b"result".to_vec()],
            count: 2
        }]
    );
    assert!(response.attributes().eq([(&b"Foo9"[..], &"x=y".into())]));
    assert_eq!(response.logs.len(), 1);
    assert!(
        response
            .lines
            .iter()
            .all(|line| line.place == Position::Alone)
    );
    assert_eq!(response.json, None);
}

#[test]
fn odd_lines_stay_visible() {
    let response = line(b"result=kept\r\n=x\nFo o9=1\nhello\nnul=\0\xff\n\r\n");
    // If a message ends with `\r\n\r\n`, all its line ends are read as Windows line ends.
    assert_eq!(response.result.text(), Some(&b"kept"[..]));
    let mixed = line(b"result=kept\r\n\n");
    assert_eq!(mixed.result.text(), Some(&b"kept\r"[..]));
    assert_eq!(response.carriage_return, Some(11));
    assert_eq!((response.nul, response.invalid_utf8), (Some(34), Some(35)));
    let free: Vec<_> = response.lines.iter().map(Line::is_free_text).collect();
    assert_eq!(free, [false, false, true, true, false]);
    assert!(
        is_well_formed_key(b"log_info") && !is_well_formed_key(b"") && !is_well_formed_key(b"a9")
    );
}

#[test]
fn an_object_that_breaks_off_does_not_swallow_the_next() {
    let response = json(format!("{{\"operation\":\n{KEPT}\n\n"));
    assert!(response.result.is("kept"));
    assert_eq!(response.lines[0].kind, LineKind::Text);
    assert!(response.object.is_some_and(|object| !object.spans_lines));
}
