use crate::common::{Host, Module};
use serde_json::json;

#[test]
fn get_passes_names_only_if_they_are_sent() {
    let body = "def get(context, *rest)\n  [{ name: rest }]\nend";
    let module = Module::new().kind("thing", "").provider("thing", body);
    let mut host = module.host();
    let provider = host.open("thing");
    let mut get = |params: serde_json::Value| {
        let mut all = params;
        all["provider"] = provider.clone();
        host.call("get", &all)["value"][0]["name"].clone()
    };
    assert_eq!(get(json!({})), json!([]));
    assert_eq!(get(json!({"names": null})), json!([null]));
    assert_eq!(
        get(json!({"names": ["a", {"b": 1}]})),
        json!([["a", {"b": 1}]])
    );
}

#[test]
fn enumerables_become_arrays_and_the_rest_stays() {
    let body = "def get(_context, names)\n  eval(names.first)\nend";
    let module = Module::new().kind("thing", "").provider("thing", body);
    let mut host = module.host();
    let provider = host.open("thing");
    let mut get = |text: &str| {
        let result = host.call("get", &json!({"provider": provider, "names": [text]}));
        (result["class"].clone(), result["value"].clone())
    };
    assert_eq!(get("[1].each"), (json!("Enumerator"), json!([1])));
    assert_eq!(
        get("(1..3).lazy.map { |n| n * 2 }"),
        (json!("Enumerator::Lazy"), json!([2, 4, 6]))
    );
    assert_eq!(get("Set[1]"), (json!("Set"), json!([1])));
    assert_eq!(get("nil"), (json!("NilClass"), json!(null)));
    assert_eq!(get("{ name: 1 }"), (json!("Hash"), json!({"name": 1})));
    assert_eq!(get("'text'"), (json!("String"), json!("text")));
    let error = host.fail("get", &json!({"provider": provider, "names": ["loop"]}));
    assert_eq!(error["data"]["class"], "Stickler::TooManyRows");
    let error = host.fail(
        "get",
        &json!({"provider": provider, "names": ["[nil] * 100_001"]}),
    );
    assert_eq!(error["data"]["class"], "Stickler::TooManyRows");
}

#[test]
fn set_passes_changes_as_ruby_values() {
    let body = "def get(_context); []; end\n\
                def set(context, changes)\n  context.notice(changes)\n  42\nend";
    let module = Module::new().kind("thing", "").provider("thing", body);
    let mut host = module.host();
    let provider = host.open("thing");
    let changes = json!([
        ["a", {"is": null, "should": {"name": "a", "ensure": "present"}}],
        [{"p": "x", "q": 1}, {"should": {"v": {"$sym": "s"}}}]
    ]);
    let result = host.call("set", &json!({"provider": provider, "changes": changes}));
    assert_eq!(result["value"], 42);
    assert_eq!(result["class"], "Integer");
    assert_eq!(result["definition_changed"], false);
    assert!(result.get("changes_after").is_none() && result.get("failed").is_none());
    assert_eq!(host.logs[0]["arguments"][0], json!({"$h": changes}));
}

#[test]
fn noop_is_passed_only_if_it_is_sent() {
    let body = "def get(_context); []; end\n\
                def set(_context, changes, noop: false)\n  noop\nend";
    let module = Module::new().kind("thing", "").provider("thing", body);
    let mut host = module.host();
    let provider = host.open("thing");
    let mut set = |params: serde_json::Value| {
        let mut all = params;
        all["provider"] = provider.clone();
        all["changes"] = json!([["a", {}]]);
        host.call("set", &all)["value"].clone()
    };
    assert_eq!(set(json!({})), false);
    assert_eq!(set(json!({"noop": true})), true);

    let body = "def get(_context); []; end\ndef set(_context, changes); end";
    let module = Module::new().kind("thing", "").provider("thing", body);
    let mut host = module.host();
    let provider = host.open("thing");
    let params = json!({"provider": provider, "changes": [], "noop": false});
    let error = host.fail("set", &params);
    assert_eq!(error["data"]["class"], "ArgumentError");
    assert!(
        error["data"]["at"]
            .as_str()
            .expect("a place")
            .contains("thing.rb:")
    );
}

#[test]
fn modified_arguments_are_reported() {
    let body = "def get(_context, names); names << 'more'; []; end\n\
                def set(_context, changes); changes.each_value { |one| one[:should][:v] << 'x' }; nil; end\n\
                def canonicalize(_context, resources); resources.each { |r| r[:v] = 1.0 }; end\n\
                def insync?(_context, _name, property, is, should); should.delete(property); nil; end";
    let module = Module::new().kind("thing", "").provider("thing", body);
    let mut host = module.host();
    let provider = host.open("thing");
    let result = host.call("get", &json!({"provider": provider, "names": ["a"]}));
    assert_eq!(result["names_after"], json!(["a", "more"]));
    let changes = json!([["a", {"should": {"v": "text"}}]]);
    let result = host.call("set", &json!({"provider": provider, "changes": changes}));
    assert_eq!(
        result["changes_after"],
        json!([["a", {"should": {"v": "textx"}}]])
    );
    // An integer is no float, though they are equal.
    let result = host.call(
        "canonicalize",
        &json!({"provider": provider, "resources": [{"v": 1}]}),
    );
    assert_eq!(result["value"], json!([{"v": 1.0}]));
    assert!(result["resources_after"][0]["v"].is_f64());
    let params = json!({"provider": provider, "name": "a", "property": "v", "is": {"v": 1}, "should": {"v": 2}});
    let result = host.call("insync", &params);
    assert_eq!(
        (&result["class"], &result["should_after"]),
        (&json!("NilClass"), &json!({}))
    );
    assert!(result.get("is_after").is_none());
    // Other spellings of the same value are no modification.
    let body = "def get(_context, _names); []; end";
    let module = Module::new().kind("thing", "").provider("thing", body);
    let mut host = module.host();
    let provider = host.open("thing");
    let names =
        json!([{"$h": [[{"$sym": "a"}, 1]]}, {"$bin": "YQ==", "encoding": "UTF-8"}, {"$h": []}]);
    let result = host.call("get", &json!({"provider": provider, "names": names}));
    assert!(result.get("names_after").is_none(), "{result}");
}

#[test]
fn a_changed_definition_is_reported_once() {
    let body = "def get(_context); []; end\n\
                def set(context, changes)\n  context.type.attributes[:new] = {} unless changes.empty?\nend";
    let module = Module::new().kind("thing", "").provider("thing", body);
    let mut host = module.host();
    let provider = host.open("thing");
    let mut set = |changes| {
        host.call("set", &json!({"provider": provider, "changes": changes}))["definition_changed"]
            .clone()
    };
    assert_eq!(set(json!([])), false);
    assert_eq!(set(json!([["a", {}]])), true);
    assert_eq!(set(json!([["a", {}]])), false);
}

#[test]
fn instances_are_apart() {
    let body = "def get(_context)\n  [{ name: (@count = (@count || 0) + 1).to_s }]\nend";
    let module = Module::new().kind("thing", "").provider("thing", body);
    let mut host = module.host();
    let one = host.open("thing");
    let two = host.open("thing");
    assert_ne!(one, two);
    let mut get =
        |provider| host.call("get", &json!({"provider": provider}))["value"][0]["name"].clone();
    assert_eq!(get(one.clone()), "1");
    assert_eq!(get(one.clone()), "2");
    assert_eq!(get(two), "1");
    host.call("close", &json!({"provider": one}));
    assert_eq!(host.fail("get", &json!({"provider": one}))["code"], -32602);
}

#[test]
fn open_reports_methods_and_ancestors() {
    let body = "def initialize(a = 1); end\n\
                def get(context, names = nil); end\n\
                def create(context, name, should); end\n\
                def set(context, changes, noop: false); super(context, changes); end\n\
                private\ndef hidden; end";
    let module = Module::new().kind("my_thing", "").simple("my_thing", body);
    let mut host = module.host();
    host.call("load", &json!({"type": "my_thing"}));
    let result = host.call("open", &json!({"type": "my_thing"}));
    assert_eq!(result["class"], "Puppet::Provider::MyThing::MyThing");
    assert_eq!(
        result["ancestors"],
        json!(["Puppet::ResourceApi::SimpleProvider", "Object"])
    );
    assert!(
        result["file"]
            .as_str()
            .expect("a path")
            .ends_with("provider/my_thing/my_thing.rb")
    );
    let methods = &result["methods"];
    assert_eq!(
        methods["get"],
        json!([["req", "context"], ["opt", "names"]])
    );
    assert_eq!(
        methods["set"],
        json!([["req", "context"], ["req", "changes"], ["key", "noop"]])
    );
    assert_eq!(methods["initialize"], json!([["opt", "a"]]));
    assert!(methods.get("hidden").is_none());
    assert_eq!(result["inherited"], json!(["delete", "update"]));
}

#[test]
fn call_reaches_public_methods_only() {
    let body = "def create(context, name, should)\n  [name, should]\nend\nprivate\ndef hidden(_context); end";
    let module = Module::new().kind("thing", "").simple("thing", body);
    let mut host = module.host();
    let provider = host.open("thing");
    let params = json!({"provider": provider, "method": "create", "arguments": ["a", {"v": 1}]});
    assert_eq!(host.call("call", &params)["value"], json!(["a", {"v": 1}]));
    let params = json!({"provider": provider, "method": "hidden", "arguments": []});
    assert_eq!(host.fail("call", &params)["data"]["class"], "NoMethodError");
}

#[test]
fn context_type_is_the_definition() {
    let body = "def get(context)\n  t = context.type\n  [t.name, t.namevars, t.ensurable?, t.feature?('x'), \
                t.feature?('simple_get_filter'), t.attributes[:v], t.insyncable_attributes, t.definition[:desc], \
                t.attributes.equal?(t.definition[:attributes]), context.failed?]\nend";
    let text = "Puppet::ResourceApi.register_type(name: 'thing', docs: 'old', features: ['simple_get_filter'], \
                attributes: { ensure: { type: 'Enum[present, absent]' }, \
                name: { type: 'String', behavior: :namevar }, v: { type: 'String' } })";
    let module = Module::new()
        .file("type/thing.rb", text)
        .provider("thing", body);
    let mut host = module.host();
    let loaded = host.call("load", &json!({"type": "thing"}));
    // The definition is reported as the author wrote it.
    let definition = &loaded["types"][0]["definition"];
    assert_eq!(definition["docs"], "old");
    assert_eq!(
        definition["attributes"]["name"]["behavior"],
        json!({"$sym": "namevar"})
    );
    let provider = host.open("thing");
    let value = host.call("get", &json!({"provider": provider}))["value"].clone();
    let expected = json!(["thing", [{"$sym": "name"}], true, false, true, {"type": "String"},
        [{"$sym": "ensure"}, {"$sym": "v"}], "old", true, false]);
    assert_eq!(value, expected);
}

#[test]
fn bad_requests_get_the_standard_codes() {
    let module = Module::new();
    let mut host = Host::start(module.lib().parent().expect("a folder"));
    let mut code = |line: &[u8]| {
        let answer: serde_json::Value =
            serde_json::from_str(&host.exchange(line)).expect("an answer");
        (
            answer["id"].clone(),
            answer["error"]["code"].as_i64().expect("a code"),
        )
    };
    assert_eq!(code(b"{\n"), (json!(null), -32700));
    assert_eq!(code(b"\n"), (json!(null), -32700));
    assert_eq!(
        code(b"{\"id\": 1, \"method\": \"\xff\"}\n"),
        (json!(null), -32700)
    );
    assert_eq!(code(b"[]\n"), (json!(null), -32600));
    assert_eq!(code(b"{\"id\":7}\n"), (json!(null), -32600));
    assert_eq!(code(b"{\"id\":7,\"method\":\"get\"}\n"), (json!(7), -32600));
    assert_eq!(
        code(b"{\"id\":7,\"method\":\"frob\"}\n"),
        (json!(7), -32601)
    );
    assert_eq!(
        code(b"{\"id\":\"x\",\"method\":\"initialize\",\"params\":[]}\n"),
        (json!("x"), -32602)
    );
    let params = "{\"id\":7,\"method\":\"initialize\",\"params\":{\"protocol\":2,\"path\":[]}}\n";
    assert_eq!(code(params.as_bytes()), (json!(7), -32602));
    let params = "{\"id\":7,\"method\":\"initialize\",\"params\":{\"protocol\":1,\"runtime\":\"9\",\"path\":[]}}\n";
    assert_eq!(code(params.as_bytes()), (json!(7), -32602));
    host.call("initialize", &json!({"protocol": 1, "path": []}));
    assert_eq!(
        host.fail("initialize", &json!({"protocol": 1, "path": []}))["code"],
        -32600
    );
    assert_eq!(host.fail("get", &json!({"provider": 1}))["code"], -32602);
    assert_eq!(host.fail("load", &json!({"type": "../x"}))["code"], -32602);
}

#[test]
fn a_separate_channel_leaves_stdout_alone() {
    let body = "def get(_context)\n  puts 'printed'\n  ends = %w[3 4].map { |n| File.readlink(\"/proc/self/fd/#{n}\") }\n  kept = `ls -l /proc/self/fd`\n  kept = ends.select { |one| kept.include?(one) }\n  $stdout.flush\n  \
                [{ name: ENV.fetch('STICKLER_RPC_FD', 'gone'), kept: kept }]\nend";
    let module = Module::new().kind("thing", "").provider("thing", body);
    let printed = module.lib().join("printed");
    let command = format!(
        "exec 3<&0 4>&1 </dev/null >{}; STICKLER_RPC_FD=3,4 exec ruby --disable-gems \"$0\"",
        printed.display()
    );
    let mut host = Host::start_by(&module.lib(), &command);
    host.call(
        "initialize",
        &json!({"protocol": 1, "path": [module.lib()]}),
    );
    let provider = host.open("thing");
    let rows = host.call("get", &json!({"provider": provider}))["value"].clone();
    assert_eq!(rows[0]["name"], "gone");
    // Children do not hold the channel.
    assert_eq!(rows[0]["kept"], json!([]));
    assert_eq!(
        std::fs::read_to_string(printed).expect("what was printed"),
        "printed\n"
    );
    assert_eq!(host.end(), Some(0));
}

#[test]
fn prints_do_not_reach_a_channel_on_stdout() {
    let body = "def get(_context)\n  puts 'a'; $stdout.write('b'); STDOUT.puts('c'); system('echo d'); \
                $stdin.read\n  []\nend";
    let module = Module::new().kind("thing", "").provider("thing", body);
    let mut host = module.host();
    let provider = host.open("thing");
    assert_eq!(
        host.call("get", &json!({"provider": provider}))["value"],
        json!([])
    );
}

#[test]
fn many_calls_do_not_make_the_host_grow() {
    let body = "def get(context)\n  context.debug('x' * 1000)\n  [{ name: 'a' * 1000 }]\nend";
    let module = Module::new().kind("thing", "").provider("thing", body);
    let mut host = module.host();
    let mut kilobytes = Vec::new();
    for _ in 0..3 {
        for _ in 0..500 {
            let provider = host.open("thing");
            host.call("get", &json!({"provider": provider}));
            host.call("close", &json!({"provider": provider}));
        }
        kilobytes.push(host.resident());
    }
    assert!(kilobytes[2] < kilobytes[0] + 2000, "{kilobytes:?}");
}

#[test]
fn methods_that_only_return_their_argument_are_idle() {
    for (body, idle) in [
        (
            "def canonicalize(_context, resources)\n  # Nothing to do.\n  resources\nend",
            json!(["canonicalize"]),
        ),
        ("def insync?(*); end", json!(["insync?"])),
        (
            "def canonicalize(_context, resources)\n  resources.each { |one| one[:name].strip! }\nend",
            json!([]),
        ),
    ] {
        let module = Module::new().kind("thing", "").provider("thing", body);
        let mut host = module.host();
        host.call("load", &json!({"type": "thing"}));
        assert_eq!(
            host.call("open", &json!({"type": "thing"}))["idle"],
            idle,
            "{body}"
        );
    }
}
