use crate::common::{Host, Module};
use serde_json::{Value, json};

/// A provider that returns what it is given, or a Ruby expression.
fn echo(host: &mut Host) -> Value {
    host.open("echo")
}

fn module() -> Module {
    Module::new().kind("echo", "").provider(
        "echo",
        "def get(_context, names = nil)\n  names.first.is_a?(Hash) && names.first[:ruby] ? [eval(names.first[:ruby])] : names\nend",
    )
}

/// The encoding of a Ruby expression.
fn ruby(expression: &str) -> Value {
    let module = module();
    let mut host = module.host();
    let provider = echo(&mut host);
    let params = json!({"provider": provider, "names": [{"ruby": expression}]});
    host.call("get", &params)["value"][0].clone()
}

#[test]
fn values_survive_a_round_trip() {
    let values = json!([
        null, true, false, 0, -5, 1.0, 1.5e20, -2.5, "", "text", "äöü\n\u{0}\"\\ \u{2028} 😀",
        [], [[], {}], {}, {"a": 1, "b-c d": {"ä": null}},
        {"$sym": "present"}, {"$sym": "with space"}, {"$f": "NaN"}, {"$f": "-Infinity"},
        {"$re": "^a(b|c)$", "options": ""}, {"$re": "x\n", "options": "imx"},
        {"$sens": {"a": [1, {"$sym": "b"}]}}, {"$bin": "/wA="},
        {"$bin": "4g==", "encoding": "ISO-8859-1"}, {"$bin": "/w==", "encoding": "UTF-8"},
        {"$h": [["a", 1], [2, {"$sym": "b"}], [{"c": 1}, []]]}, {"$$sym": 1, "$$": 2}
    ]);
    let module = module();
    let mut host = module.host();
    let provider = echo(&mut host);
    let result = host.call("get", &json!({"provider": provider, "names": values}));
    assert_eq!(result["value"], values);
    assert_eq!(result["class"], "Array");
    assert!(result.get("names_after").is_none());
}

#[test]
fn integers_of_any_size_are_carried() {
    let module = module();
    let mut host = module.host();
    echo(&mut host);
    let large = "123456789012345678901234567890123456789";
    let line = format!(
        "{{\"id\":9,\"method\":\"get\",\"params\":{{\"provider\":1,\"names\":[{large},-{large}]}}}}\n"
    );
    let answer = host.exchange(line.as_bytes());
    assert!(answer.contains(&format!("[{large},-{large}]")), "{answer}");
}

#[test]
fn floats_are_written_with_a_point_or_an_exponent() {
    let module = module();
    let mut host = module.host();
    echo(&mut host);
    let line =
        b"{\"id\":9,\"method\":\"get\",\"params\":{\"provider\":1,\"names\":[2.0,1e2,-0.0]}}\n";
    let answer = host.exchange(line);
    assert!(answer.contains("[2.0,100.0,-0.0]"), "{answer}");
}

#[test]
fn objects_are_shown_by_inspect_and_class() {
    assert_eq!(
        ruby("Time.at(0).utc"),
        json!({"$obj": "1970-01-01 00:00:00 UTC", "class": "Time"})
    );
    assert_eq!(
        ruby("Rational(1, 2)"),
        json!({"$obj": "(1/2)", "class": "Rational"})
    );
    assert_eq!(
        ruby("BasicObject.new"),
        json!({"$obj": "#<BasicObject>", "class": "BasicObject"})
    );
    assert_eq!(
        ruby("Object.new"),
        json!({"$obj": "#<Object:0x…>", "class": "Object"})
    );
    let long = ruby("Struct.new(:a).new('x' * 5000)");
    assert!(long["$obj"].as_str().expect("text").chars().count() <= 500);
    let text = ruby("proc { 1 }");
    assert!(
        text["$proc"].as_str().expect("text").ends_with(":1"),
        "{text}"
    );
}

#[test]
fn instances_of_subclasses_encode_as_their_base_class() {
    assert_eq!(ruby("Class.new(String).new('a')"), json!("a"));
    assert_eq!(ruby("Class.new(Hash)[a: 1]"), json!({"a": 1}));
    assert_eq!(ruby("Class.new(Array).new([1])"), json!([1]));
}

#[test]
fn structures_that_contain_themselves_are_cut() {
    assert_eq!(ruby("a = []; a << a; a"), json!([{"$cycle": true}]));
    assert_eq!(
        ruby("h = {}; h[:h] = [h]; h"),
        json!({"h": [{"$cycle": true}]})
    );
    // The same value twice is no cycle.
    assert_eq!(ruby("x = [1]; [x, x]"), json!([[1], [1]]));
    // Such a line is deeper than serde_json reads by default.
    let module = module();
    let mut host = module.host();
    echo(&mut host);
    let deep = "a = []; b = a; 300.times { c = []; b << c; b = c }; a";
    let line =
        json!({"id": 1, "method": "get", "params": {"provider": 1, "names": [{"ruby": deep}]}});
    let answer = host.exchange(format!("{line}\n").as_bytes());
    assert_eq!(answer.matches('[').count(), 200, "{answer}");
    assert!(answer.contains("{\"$obj\":\"deeper than 200 levels\",\"class\":\"Array\"}"));
}

#[test]
fn hostile_objects_break_nothing() {
    let evil = "Class.new { def inspect; puts 'x'; raise; end; def class; raise; end; \
                def ==(_); raise; end; def to_s; exit; end; def hash; raise; end; def respond_to?(*); throw :x; end }.new";
    assert_eq!(
        ruby(evil),
        json!({"$obj": "#<anonymous>", "class": "anonymous"})
    );
    assert_eq!(ruby(&format!("[{evil}]"))[0]["class"], "anonymous");
    let endless = "Class.new { def inspect; inspect; end }.new";
    assert_eq!(ruby(endless)["class"], "anonymous");
}

#[test]
fn the_host_refuses_values_that_it_cannot_decode() {
    let module = module();
    let mut host = module.host();
    let provider = echo(&mut host);
    for value in [
        json!({"$proc": "a:1"}),
        json!({"$obj": "x", "class": "X"}),
        json!({"$unknown": 1}),
        json!({"$f": "1"}),
        json!({"$re": "("}),
        json!({"$bin": "%"}),
        json!({"$bin": "", "encoding": "nope"}),
        json!({"$h": [[1]]}),
        json!({"$sym": 1}),
    ] {
        let error = host.fail("get", &json!({"provider": provider, "names": [value]}));
        assert_eq!(error["code"], -32602, "{value}");
    }
    let deep = format!("{}{}", "[".repeat(201), "]".repeat(201));
    let line =
        format!("{{\"id\":1,\"method\":\"get\",\"params\":{{\"provider\":1,\"names\":{deep}}}}}\n");
    assert!(host.exchange(line.as_bytes()).contains("-32602"));
}
