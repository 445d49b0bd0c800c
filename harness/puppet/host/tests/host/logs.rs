use crate::common::{Host, Module};
use serde_json::{Value, json};

/// A provider whose `set` evaluates the first name.
fn host(runtime: &str) -> (Module, Host) {
    let body = "def get(_context); []; end\ndef set(context, changes)\n  eval(changes.values.first[:code])\nend";
    let module = Module::new().kind("thing", "").provider("thing", body);
    let mut host = module.host_with(&json!({"runtime": runtime}));
    host.open("thing");
    (module, host)
}

/// What the code reports, and the answer.
fn set(host: &mut Host, code: &str) -> (Vec<Value>, Value) {
    let changes = json!([["a", {"code": code}], ["b", {}]]);
    let answer = host.ask("set", &json!({"provider": 1, "changes": changes}));
    (host.logs.clone(), answer)
}

#[test]
fn messages_are_reported_with_their_arguments() {
    let (_module, mut host) = host("1.8.16");
    for (code, arguments) in [
        ("context.LEVEL('m')", json!(["m"])),
        ("context.LEVEL('a', 'm')", json!(["a", "m"])),
        (
            "context.LEVEL(%w[a b], message: 'm')",
            json!([["a", "b"], {"message": "m"}]),
        ),
        ("context.LEVEL", json!([])),
        ("context.LEVEL(1, 2, :c)", json!([1, 2, {"$sym": "c"}])),
        (
            "context.LEVEL(Puppet::Pops::Types::PSensitiveType::Sensitive.new('x'))",
            json!([{"$sens": "x"}]),
        ),
    ] {
        for level in ["debug", "info", "notice", "warning", "err"] {
            let (logs, answer) = set(&mut host, &code.replace("LEVEL", level));
            assert_eq!(
                logs,
                [json!({"event": "log", "level": level, "arguments": arguments})]
            );
            assert_eq!(answer["result"]["class"], "NilClass", "{code}");
        }
    }
}

#[test]
fn the_return_value_of_messages_can_be_chosen() {
    let body =
        "def get(_context); []; end\ndef insync?(context, *_rest)\n  context.debug('x')\nend";
    let module = Module::new().kind("thing", "").provider("thing", body);
    for (returns, class) in [("nil", "NilClass"), ("object", "Object")] {
        let mut host = module.host_with(&json!({"log_returns": returns}));
        let provider = host.open("thing");
        let params =
            json!({"provider": provider, "name": "a", "property": "v", "is": {}, "should": {}});
        assert_eq!(host.call("insync", &params)["class"], class);
    }
}

#[test]
fn blocks_are_reported_when_they_open_and_when_they_end() {
    for runtime in ["1.8.16", "2.0.1", "spec"] {
        let (_module, mut host) = host(runtime);
        for action in ["creating", "updating", "deleting", "failing"] {
            let (logs, answer) = set(
                &mut host,
                &format!("context.{action}('a', message: 'M') {{ context.info('x') }}"),
            );
            let arguments = json!(["a", {"message": "M"}]);
            assert_eq!(
                logs[0],
                json!({"event": "open", "action": action, "arguments": arguments})
            );
            assert_eq!(logs[1]["event"], "log");
            assert_eq!(
                logs[2],
                json!({"event": "done", "action": action, "arguments": arguments})
            );
            // As specified, `failing` always fails; no release does that.
            let failed = (runtime, action) == ("spec", "failing");
            assert_eq!(
                answer["result"].get("failed").is_some(),
                failed,
                "{runtime} {action}"
            );
        }
        let (logs, _) = set(
            &mut host,
            "context.processing('a', { v: 1 }, { v: 2 }) { 5 }",
        );
        assert_eq!(logs[0]["arguments"], json!(["a", {"v": 1}, {"v": 2}]));
        assert_eq!(logs[1]["event"], "done");
    }
}

#[test]
fn a_failure_in_a_block_is_consumed_and_counts() {
    let (_module, mut host) = host("1.8.16");
    let (logs, answer) = set(
        &mut host,
        "context.updating('a') { raise 'boom' }; context.info('on')",
    );
    assert_eq!(logs[1]["event"], "failed");
    assert_eq!(logs[1]["error"]["message"], "boom");
    assert_eq!(logs[1]["error"]["standard"], true);
    assert_eq!(logs[1]["error"]["where"], "provider");
    assert!(logs[1]["error"]["at"].is_string());
    assert_eq!(logs[2]["arguments"], json!(["on"]));
    assert_eq!(answer["result"]["failed"], true);
    // It does not count again.
    assert!(set(&mut host, "nil").1["result"].get("failed").is_none());
    for raised in ["exit", "throw(:x)", "raise Interrupt"] {
        let (logs, answer) = set(&mut host, &format!("context.updating('a') {{ {raised} }}"));
        assert_eq!(logs[1]["event"], "failed");
        let standard = raised == "throw(:x)";
        assert_eq!(logs[1]["error"]["standard"], standard);
        assert_eq!(answer.get("error").is_none(), standard, "{raised}");
    }
}

#[test]
fn actions_are_reported() {
    let (_module, mut host) = host("1.8.16");
    for (code, arguments) in [
        ("created('a')", json!(["a"])),
        (
            "updated(%w[a b], message: 'm')",
            json!([["a", "b"], {"message": "m"}]),
        ),
        ("deleted('a')", json!(["a"])),
        (
            "processed('a', { v: 1 }, nil)",
            json!(["a", {"v": 1}, null]),
        ),
        (
            "attribute_changed('a', 'v', 1, 2, message: 'm')",
            json!(["a", "v", 1, 2, {"message": "m"}]),
        ),
        ("failed('a', message: 'm')", json!(["a", {"message": "m"}])),
    ] {
        let (logs, answer) = set(&mut host, &format!("context.{code}"));
        let action = code.split('(').next().expect("a name");
        assert_eq!(
            logs,
            [json!({"event": "action", "action": action, "arguments": arguments})]
        );
        assert!(answer["result"].get("failed").is_none());
    }
}

#[test]
fn wrong_calls_are_reported_first_and_fail_as_in_the_release() {
    let (_module, mut host) = host("1.8.16");
    for (code, event, class) in [
        ("creating", "open", "ArgumentError"),
        ("creating(1) { }", "open", "NoMethodError"),
        ("creating('a', 'b') { }", "open", "ArgumentError"),
        ("creating('a', msg: 'b') { }", "open", "ArgumentError"),
        ("processing(%w[a], 1, 2) { }", "open", "RuntimeError"),
        ("processing('a') { }", "open", "ArgumentError"),
        ("created", "action", "ArgumentError"),
        ("processed(['a'], 1, 2)", "action", "RuntimeError"),
        ("processed('a')", "action", "ArgumentError"),
        (
            "attribute_changed('v', nil, 1, message: 'm')",
            "action",
            "ArgumentError",
        ),
        (
            "attribute_changed({ a: 1 }, 'v', nil, 1)",
            "action",
            "RuntimeError",
        ),
        ("failed(5)", "action", "NoMethodError"),
        ("debug(5, 'm')", "log", "NoMethodError"),
        ("unchanged('a')", "unknown", "NoMethodError"),
        ("changed('a')", "unknown", "NoMethodError"),
        ("error('a', 'm')", "unknown", "NoMethodError"),
        ("critical('m')", "unknown", "NoMethodError"),
        ("alert('m')", "unknown", "NoMethodError"),
        ("warn('m')", "unknown", "NoMethodError"),
    ] {
        let (logs, answer) = set(&mut host, &format!("context.{code}"));
        assert_eq!(logs[0]["event"], event, "{code}");
        assert_eq!(answer["error"]["data"]["class"], class, "{code}: {answer}");
        assert_eq!(answer["error"]["data"]["where"], "provider", "{code}");
        assert!(answer["error"]["data"].get("missing").is_none(), "{code}");
    }
    // Without a block, the failure is consumed.
    let (logs, answer) = set(&mut host, "context.creating('a')");
    assert_eq!(
        (&logs[0]["event"], &logs[1]["event"]),
        (&json!("open"), &json!("failed"))
    );
    assert_eq!(answer["result"]["failed"], true);
}

#[test]
fn releases_differ_in_the_message_of_processing() {
    for (runtime, keyword, positional) in [
        ("1.8.16", true, false),
        ("1.9.2", true, true),
        ("2.0.1", true, true),
        ("spec", true, false),
    ] {
        let (_module, mut host) = host(runtime);
        let fine = |host: &mut Host, code| set(host, code).1.get("result").is_some();
        // 1.9 and 2.0 take the keyword for a positional argument.
        assert_eq!(
            fine(&mut host, "context.processing('a', 1, 2, message: 'm') { }"),
            keyword,
            "{runtime}"
        );
        assert_eq!(
            fine(&mut host, "context.processing('a', 1, 2, 'm') { }"),
            positional,
            "{runtime}"
        );
    }
}

#[test]
fn the_specification_has_more_methods() {
    let (_module, mut host) = host("spec");
    for code in [
        "unchanged('a')",
        "changed('a')",
        "attribute_changed('v', nil, 1, message: 'm')",
        "attribute_changed('a', 'v', nil, 1, 'm')",
    ] {
        let (logs, answer) = set(&mut host, &format!("context.{code}"));
        let known = code != "attribute_changed('v', nil, 1, message: 'm')";
        assert_eq!(logs[0]["event"], "action", "{code}");
        assert!(
            known == answer.get("result").is_some() || !known,
            "{code}: {answer}"
        );
    }
    for level in ["critical", "alert", "emerg"] {
        let (logs, _) = set(&mut host, &format!("context.{level}('m')"));
        assert_eq!(
            logs,
            [json!({"event": "log", "level": level, "arguments": ["m"]})]
        );
    }
    assert_eq!(
        set(&mut host, "context.failed('a', message: 'm')").1["result"]["failed"],
        true
    );
    assert_eq!(
        set(&mut host, "context.frobnicate").0[0]["event"],
        "unknown"
    );
}

#[test]
fn the_specification_refuses_titles_outside_the_changes() {
    let (_module, mut host) = host("spec");
    for (code, fine) in [
        ("created('a')", true),
        ("created(%w[a b])", true),
        ("created('c')", false),
        ("creating(%w[a c]) { }", false),
        ("info('a', 'm')", true),
        ("info('c', 'm')", false),
        ("info('c')", true),
    ] {
        let (logs, answer) = set(&mut host, &format!("context.{code}"));
        assert!(!logs.is_empty(), "{code}");
        assert_eq!(answer.get("result").is_some(), fine, "{code}: {answer}");
    }
    let (_module, mut host) = self::host("1.8.16");
    assert!(
        set(&mut host, "context.created('c')")
            .1
            .get("result")
            .is_some()
    );
}

#[test]
fn notifications_arrive_before_the_answer() {
    let (_module, mut host) = host("1.8.16");
    let line = json!({"id": 1, "method": "set", "params": {"provider": 1,
        "changes": [["a", {"code": "context.info('now'); sleep 30"}]]}});
    let begun = std::time::Instant::now();
    let first = host.exchange(format!("{line}\n").as_bytes());
    assert!(first.contains("\"now\""), "{first}");
    assert!(begun.elapsed().as_secs() < 20);
}

#[test]
fn messages_from_threads_and_handlers_are_whole() {
    let (_module, mut host) = host("1.8.16");
    let code = "trap('USR1') { context.info('trap') }; \
                4.times.map { |n| Thread.new { 200.times { context.info('x' * 5000) } } }.each(&:join); \
                Process.kill('USR1', $$); sleep 0.05";
    let (logs, _) = set(&mut host, code);
    assert_eq!(logs.len(), 801);
}
