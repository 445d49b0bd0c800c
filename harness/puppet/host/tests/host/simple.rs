use crate::common::{Host, Module};
use serde_json::{Value, json};

fn module(features: &str) -> Module {
    let body = "def get(context, names = nil)\n  context.debug([names])\n  [{ name: 'there', ensure: 'present' }]\nend\n\
                def create(context, name, should); context.info(name, should); end\n\
                def update(context, name, should); context.info(name, should); end\n\
                def delete(context, name); context.info(name, 0); end\n\
                def apply; raise 'a method of the author'; end\n\
                def step(*); raise 'another'; end";
    let text = format!(
        "Puppet::ResourceApi.register_type(name: 'thing', desc: 'x', features: [{features}], attributes: {{ \
         ensure: {{ type: 'Enum[present, absent]' }}, name: {{ type: 'String', behaviour: :namevar }} }})"
    );
    Module::new()
        .file("type/thing.rb", &text)
        .simple("thing", body)
}

fn host(module: &Module, runtime: &str) -> Host {
    let mut host = module.host_with(&json!({"runtime": runtime}));
    host.open("thing");
    host
}

/// The action that a change leads to, or the class of the error.
fn step(host: &mut Host, key: &Value, change: &Value) -> String {
    let answer = host.ask("set", &json!({"provider": 1, "changes": [[key, change]]}));
    if let Some(error) = answer.get("error") {
        return error["data"]["class"].as_str().expect("a class").to_owned();
    }
    let opened = host.logs.iter().find(|log| log["event"] == "open");
    opened
        .map_or("nothing", |log| log["action"].as_str().expect("text"))
        .to_owned()
}

#[test]
fn a_simple_provider_calls_the_method_that_ensure_selects() {
    let present = json!({"name": "a", "ensure": "present"});
    let symbol = json!({"name": "a", "ensure": {"$sym": "present"}});
    let absent = json!({"name": "a", "ensure": "absent"});
    let cases = [
        (json!({"is": absent, "should": present}), "creating"),
        (json!({"is": null, "should": present}), "creating"),
        (
            json!({"is": {"title": "a", "ensure": {"$sym": "absent"}}, "should": present}),
            "creating",
        ),
        (json!({"is": present, "should": absent}), "deleting"),
        (json!({"is": present}), "deleting"),
        (json!({"is": present, "should": null}), "deleting"),
        (json!({"is": symbol, "should": present}), "updating"),
        (json!({"is": present, "should": {"name": "a"}}), "updating"),
        (json!({"is": absent, "should": absent}), "nothing"),
        (json!({"is": null}), "nothing"),
    ];
    for runtime in ["1.8.16", "1.9.2", "2.0.1", "spec"] {
        let module = module("");
        let mut host = host(&module, runtime);
        for (change, expected) in &cases {
            assert_eq!(
                step(&mut host, &json!("a"), change),
                *expected,
                "{runtime} {change}"
            );
        }
    }
}

#[test]
fn a_missing_is_is_looked_up() {
    let change = json!({"should": {"name": "there", "ensure": "present"}});
    for runtime in ["1.8.16", "1.9.2", "2.0.1", "spec"] {
        for (features, names) in [("", json!(null)), ("'simple_get_filter'", json!(["there"]))] {
            let module = module(features);
            let mut host = host(&module, runtime);
            assert_eq!(
                step(&mut host, &json!("there"), &change),
                "updating",
                "{runtime}"
            );
            assert_eq!(host.logs[0]["arguments"][0][0], names);
            // What is not there stops both releases.
            let expected = if runtime == "spec" {
                "creating"
            } else {
                "NoMethodError"
            };
            assert_eq!(
                step(&mut host, &json!("gone"), &change),
                expected,
                "{runtime}"
            );
        }
    }
}

#[test]
fn several_namevars_are_handed_over_as_a_hash() {
    let text = "Puppet::ResourceApi.register_type(name: 'thing', desc: 'x', attributes: { \
                ensure: { type: 'Enum[present, absent]' }, a: { type: 'String', behaviour: :namevar }, \
                b: { type: 'String', behaviour: :namevar } })";
    let body = "def get(_context); [{ a: 'x', b: 'y', ensure: 'present' }]; end\n\
                def update(context, name, _should); context.info(name, 1); end\n\
                def delete(context, name); context.info(name, 1); end";
    let module = Module::new()
        .file("type/thing.rb", text)
        .simple("thing", body);
    let key = json!({"a": "x", "b": "y"});
    let present = json!({"title": "x-y", "a": "x", "b": "y", "ensure": "present"});
    for (runtime, looked_up, removed) in [
        ("1.8.16", "NoMethodError", "NoMethodError"),
        ("1.9.2", "NoMethodError", "NoMethodError"),
        ("2.0.1", "updating", "NoMethodError"),
        ("spec", "updating", "deleting"),
    ] {
        let mut host = host(&module, runtime);
        assert_eq!(
            step(&mut host, &key, &json!({"is": present, "should": present})),
            "updating"
        );
        assert_eq!(host.logs[0]["arguments"][0], key);
        assert_eq!(host.logs[1]["arguments"][0], key);
        assert_eq!(
            step(&mut host, &key, &json!({"should": present})),
            looked_up,
            "{runtime}"
        );
        assert_eq!(
            step(&mut host, &key, &json!({"is": present})),
            removed,
            "{runtime}"
        );
    }
}

#[test]
fn failures_of_the_library_are_distinguished_from_the_providers() {
    let module = Module::new()
        .kind("thing", "")
        .simple("thing", "def get(_context); []; end");
    let mut host = host(&module, "1.8.16");
    // A number has no length, which the library asks for.
    let params =
        json!({"provider": 1, "changes": [[5, {"is": null, "should": {"ensure": "present"}}]]});
    assert_eq!(host.fail("set", &params)["data"]["where"], "library");
    let params = json!({"provider": 1, "changes": [["a", {"should": {"ensure": "present"}}]]});
    assert_eq!(host.fail("set", &params)["data"]["where"], "library");
    let params =
        json!({"provider": 1, "changes": [["a", {"is": null, "should": {"ensure": "present"}}]]});
    host.call("set", &params);
    let error = &host.logs[1]["error"];
    assert_eq!(error["where"], "provider");
    assert_eq!(
        error["message"],
        "Puppet::Provider::Thing::Thing has not implemented `create`"
    );

    let module = Module::new()
        .file("type/thing.rb", "Puppet::ResourceApi.register_type(name: 'thing', attributes: { name: { type: 'String', behaviour: :namevar } })")
        .simple("thing", "def get(_context); []; end");
    let mut host = self::host(&module, "1.8.16");
    let error = host.fail("set", &params);
    assert_eq!(
        error["message"],
        "SimpleProvider cannot be used with a Type that is not ensurable"
    );
    assert_eq!(error["data"]["where"], "provider");
}
