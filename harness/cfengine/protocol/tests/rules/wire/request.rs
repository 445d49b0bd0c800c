//! Requests, exactly as agents send them.

use cfengine_protocol::wire::request::*;
use cfengine_protocol::wire::{Protocol, Style, Value};
use proptest::prelude::*;

fn git(operation: Operation) -> Request {
    Request {
        log_level: Some(b"info".to_vec()),
        promise_type: Some(b"git".to_vec()),
        promiser: Some(b"/opt/cfengine/masterfiles".to_vec()),
        filename: Some(b"./x.cf".to_vec()),
        line_number: Some(11),
        attributes: Some(vec![(
            b"repo".to_vec(),
            "https://github.com/cfengine/masterfiles".into(),
        )]),
        ..Request::new(operation)
    }
}

fn encoded(request: &Request, protocol: Protocol, style: Style) -> String {
    String::from_utf8(request.encode(protocol, style)).expect("a request")
}

#[test]
fn the_specifications_requests_are_written_as_it_shows_them() {
    let evaluate = r#"{"operation": "evaluate_promise", "log_level": "info", "promise_type": "git", "promiser": "/opt/cfengine/masterfiles", "attributes": {"repo": "https://github.com/cfengine/masterfiles"}}"#;
    let validate = evaluate.replace("evaluate", "validate");
    let terminate = r#"{"operation": "terminate", "log_level": "info"}"#;
    for (operation, expected) in [
        (Operation::Validate, validate.as_str()),
        (Operation::Evaluate, evaluate),
        (Operation::Terminate, terminate),
    ] {
        assert_eq!(
            encoded(&git(operation), Protocol::Json, Style::Spec),
            format!("{expected}\n\n")
        );
    }
}

#[test]
fn the_specifications_requests_are_read() {
    let sent = br#"{"operation": "validate_promise", "log_level": "info", "promise_type": "git", "promiser": "/opt/cfengine/masterfiles", "attributes": {"repo": "https://github.com/cfengine/masterfiles"}}

"#;
    let expected = Request {
        filename: None,
        line_number: None,
        ..git(Operation::Validate)
    };
    assert_eq!(Request::parse(sent, Protocol::Json), Some(expected));
}

#[test]
fn an_encoded_request_can_switch_from_validation_to_evaluation() {
    for protocol in [Protocol::Json, Protocol::Line] {
        for style in [Style::Agent, Style::Spec] {
            let expected = git(Operation::Evaluate).encode(protocol, style);
            let validate = git(Operation::Validate).encoded(protocol, style);
            let evaluate = validate.evaluating();
            assert_eq!(evaluate.bytes(), expected);
            assert_eq!(evaluate.evaluating().bytes(), expected);
        }
    }
}

#[test]
fn the_agents_json_is_compact_and_sorted() {
    assert_eq!(
        encoded(&git(Operation::Evaluate), Protocol::Json, Style::Agent),
        concat!(
            r#"{"attributes":{"repo":"https://github.com/cfengine/masterfiles"},"filename":"./x.cf","#,
            r#""line_number":11,"log_level":"info","operation":"evaluate_promise","#,
            r#""promise_type":"git","promiser":"/opt/cfengine/masterfiles"}"#,
            "\n\n"
        )
    );
}

#[test]
fn the_agents_lines_have_their_order() {
    assert_eq!(
        encoded(&git(Operation::Validate), Protocol::Line, Style::Agent),
        "operation=validate_promise\nlog_level=info\npromise_type=git\n\
         promiser=/opt/cfengine/masterfiles\nline_number=11\nfilename=./x.cf\n\
         attribute_repo=https://github.com/cfengine/masterfiles\n\n"
    );
    assert_eq!(
        encoded(&git(Operation::Validate), Protocol::Line, Style::Spec),
        "operation=validate_promise\nlog_level=info\npromise_type=git\n\
         promiser=/opt/cfengine/masterfiles\n\
         attribute_repo=https://github.com/cfengine/masterfiles\n\n"
    );
}

#[test]
fn the_agents_terminate_has_nothing_else() {
    let terminate = git(Operation::Terminate);
    assert_eq!(
        encoded(&terminate, Protocol::Json, Style::Agent),
        "{\"operation\":\"terminate\"}\n\n"
    );
    assert_eq!(
        encoded(&terminate, Protocol::Line, Style::Agent),
        "operation=terminate\n\n"
    );
    assert_eq!(
        encoded(&terminate, Protocol::Line, Style::Spec),
        "operation=terminate\nlog_level=info\n\n"
    );
}

#[test]
fn without_attributes_the_agent_leaves_their_key_out() {
    for attributes in [None, Some(Vec::new())] {
        let request = Request {
            attributes,
            ..git(Operation::Validate)
        };
        assert!(!encoded(&request, Protocol::Json, Style::Agent).contains("attributes"));
        assert!(
            encoded(&request, Protocol::Json, Style::Spec).ends_with("\"attributes\": {}}\n\n")
        );
        assert!(!encoded(&request, Protocol::Line, Style::Spec).contains("attribute"));
    }
}

#[test]
fn extra_keys_are_sorted_in_by_the_agent_and_come_last_otherwise() {
    let extra = vec![(b"aaa".to_vec(), Value::List(vec!["x".into()]))];
    let request = Request {
        extra,
        ..Request::new(Operation::Other(b"dance".to_vec()))
    };
    assert_eq!(
        encoded(&request, Protocol::Json, Style::Agent),
        "{\"aaa\":[\"x\"],\"operation\":\"dance\"}\n\n"
    );
    assert!(encoded(&request, Protocol::Json, Style::Spec).ends_with("\"aaa\": [\"x\"]}\n\n"));
    assert_eq!(
        encoded(&request, Protocol::Line, Style::Agent),
        "operation=dance\naaa=[\"x\"]\n\n"
    );
}

#[test]
fn messages_without_an_operation_are_not_requests() {
    for bytes in [
        &b""[..],
        b"\n",
        b"{}",
        b"[]",
        b"{\"operation\":1}",
        b"{\"operation\":",
        b"x=y\n\n",
    ] {
        assert_eq!(Request::parse(bytes, Protocol::Json), None);
        assert_eq!(Request::parse(bytes, Protocol::Line), None);
    }
}

#[test]
fn odd_requests_are_read_in_part() {
    let sent = b"{\"operation\":\"terminate\",\"line_number\":\"x\",\"promiser\":[1],\"promiser\":\"\x1b\xff\"}";
    let request = Request::parse(sent, Protocol::Json).expect("a request");
    assert_eq!(request.promiser.as_deref(), Some(&b"\x1b\xff"[..]));
    assert_eq!(request.extra.len(), 2);
    let lines =
        b"operation=validate_promise\nnonsense\nattribute_Foo9=a=b\nattributes=1\nfilename=\n\n";
    let request = Request::parse(lines, Protocol::Line).expect("a request");
    assert_eq!(request.attribute(b"Foo9"), Some(&"a=b".into()));
    assert_eq!(request.filename.as_deref(), Some(&b""[..]));
    assert_eq!(request.extra, [(b"attributes".to_vec(), "1".into())]);
}

#[test]
fn the_action_policy_is_the_last_text_of_its_attribute() {
    let with = |values: &[&str]| Request {
        attributes: Some(
            values
                .iter()
                .map(|&value| (b"action_policy".to_vec(), value.into()))
                .collect(),
        ),
        ..Request::new(Operation::Evaluate)
    };
    assert_eq!(with(&[]).action_policy(), None);
    assert!(with(&["warn"]).only_warns() && with(&["fix", "nop"]).only_warns());
    assert!(!with(&["warn", "fix"]).only_warns());
}

/// Requests whose texts are any bytes that `byte` gives.
fn request(byte: impl Strategy<Value = u8> + Clone + 'static) -> impl Strategy<Value = Request> {
    let text = move || prop::collection::vec(byte.clone(), 0..8);
    let operation = prop_oneof![
        Just(Operation::Validate),
        Just(Operation::Evaluate),
        Just(Operation::Other(b"dance".to_vec()))
    ];
    let attribute = (
        "[A-Za-z_0-9]{1,8}".prop_map(String::into_bytes),
        text().prop_map(Value::Text),
    );
    let attributes = prop::collection::btree_map(attribute.0, attribute.1, 1..4);
    (
        operation,
        prop::option::of(text()),
        prop::option::of(text()),
        prop::option::of(text()),
        prop::option::of(text()),
        any::<Option<u64>>(),
        prop::option::of(attributes.prop_map(|map| map.into_iter().collect())),
    )
        .prop_map(
            |(operation, log_level, promise_type, promiser, filename, line_number, attributes)| {
                let extra = vec![(b"x".to_vec(), Value::text("y"))];
                Request {
                    operation,
                    log_level,
                    promise_type,
                    promiser,
                    filename,
                    line_number,
                    attributes,
                    extra,
                }
            },
        )
}

proptest! {
    #[test]
    fn agent_json_survives_a_round_trip_with_any_bytes(request in request(any::<u8>())) {
        let bytes = request.encode(Protocol::Json, Style::Agent);
        prop_assert_eq!(Request::parse(&bytes, Protocol::Json), Some(request));
    }

    #[test]
    fn the_specifications_json_comes_back_but_for_the_agents_own_keys(request in request(0u8..128)) {
        for style in [Style::Spec, Style::Ascii] {
            let bytes = request.encode(Protocol::Json, style);
            let expected = Request {
                filename: None,
                line_number: None,
                attributes: Some(request.attributes.clone().unwrap_or_default()),
                ..request.clone()
            };
            prop_assert_eq!(Request::parse(&bytes, Protocol::Json), Some(expected));
            prop_assert!(serde_json::from_slice::<serde_json::Value>(&bytes).is_ok());
        }
    }

    #[test]
    fn lines_come_back_where_no_value_holds_one(request in request(11u8..=255)) {
        let bytes = request.encode(Protocol::Line, Style::Agent);
        prop_assert_eq!(Request::parse(&bytes, Protocol::Line), Some(request));
        prop_assert_eq!(cfengine_protocol::wire::message_end(&bytes).map(|end| end.len), Some(bytes.len()));
    }

    #[test]
    fn no_bytes_make_the_reader_panic(bytes: Vec<u8>) {
        let _ = Request::parse(&bytes, Protocol::Json);
        let _ = Request::parse(&bytes, Protocol::Line);
    }
}
