use crate::common::{Host, Module};
use serde_json::{Value, json};

fn module(initialize: &str) -> Module {
    let schema = "require 'puppet/resource_api'\nPuppet::ResourceApi.register_transport(name: 'my_nexus', desc: 'x', \
                  connection_info: { host: { type: 'String' }, port: { type: 'Integer', default: 22 }, \
                  password: { type: 'String', sensitive: true } })";
    let transport = format!(
        "module Puppet::Transport\n  class MyNexus\n    attr_reader :closed\n    \
         def initialize(context, connection_info)\n      @info = connection_info\n      {initialize}\n    end\n    \
         def verify(context); context.notice('verified'); raise 'gone' if @closed; end\n    \
         def facts(_context); {{ 'operatingsystem' => @info[:password].class.name, 'port' => @info[:port] }}; end\n    \
         def close(_context); @closed = true; nil; end\n    \
         def hello; \"hello #{{@info[:password].unwrap}}\"; end\n  end\nend\n"
    );
    let device = "require 'puppet/resource_api/transport/wrapper'\nrequire 'puppet/transport/schema/my_nexus'\n\
                  module Puppet::Util::NetworkDevice::My_nexus\n  class Device < Puppet::ResourceApi::Transport::Wrapper\n    \
                  def initialize(url_or_config, _options = {}); super('my_nexus', url_or_config); end\n  end\nend";
    Module::new()
        .file("transport/schema/my_nexus.rb", schema)
        .file("transport/my_nexus.rb", &transport)
        .file("util/network_device/my_nexus/device.rb", device)
        .kind("vlan", "")
        .file(
            "provider/vlan/my_nexus.rb",
            "class Puppet::Provider::Vlan::MyNexus\n  def get(context)\n    \
             [context.transport.hello, context.device.class.name, context.device.hello]\n  end\nend",
        )
}

fn info() -> Value {
    json!({"host": "h", "password": "secret"})
}

fn connect(host: &mut Host) -> Value {
    host.call(
        "connect",
        &json!({"transport": "my_nexus", "connection_info": info()}),
    )
}

#[test]
fn schemas_are_loaded_like_types() {
    let module = module("");
    let mut host = module.host();
    assert_eq!(host.call("transports", &json!({}))["names"], json!([]));
    let result = host.call("load", &json!({"transport": "my_nexus"}));
    assert_eq!(result["transports"][0]["name"], "my_nexus");
    let definition = &result["transports"][0]["definition"];
    assert_eq!(
        definition["connection_info"]["password"],
        json!({"type": "String", "sensitive": true})
    );
    assert_eq!(
        host.call("transports", &json!({}))["names"],
        json!(["my_nexus"])
    );
    let error = host.fail(
        "load",
        &json!({"file": module.lib().join("puppet/../puppet/transport/schema/my_nexus.rb")}),
    );
    assert!(
        error["message"]
            .as_str()
            .expect("text")
            .contains("already registered")
    );
}

#[test]
fn classes_are_described_without_a_connection() {
    let module = module("raise 'never'");
    let mut host = module.host();
    let transport = host.call("describe", &json!({"transport": "my_nexus"}));
    assert_eq!(transport["class"], "Puppet::Transport::MyNexus");
    assert_eq!(transport["methods"]["verify"], json!([["req", "context"]]));
    let device = host.call("describe", &json!({"device": "my_nexus"}));
    assert_eq!(
        device["ancestors"][0],
        "Puppet::ResourceApi::Transport::Wrapper"
    );
    let error = host.fail("describe", &json!({"transport": "other"}));
    assert_eq!(error["data"]["class"], "LoadError");
}

#[test]
fn providers_keep_their_device_and_calls_of_it_are_counted() {
    let module = module("");
    let mut host = module.host();
    let connect = |host: &mut Host, password: &str| {
        let info = json!({"host": "h", "password": password});
        let params = json!({"transport": "my_nexus", "connection_info": info});
        host.call("connect", &params);
        host.call("open", &json!({"type": "vlan"}))["provider"].clone()
    };
    let one = connect(&mut host, "one");
    let other = connect(&mut host, "other");
    for (provider, word) in [(one, "hello one"), (other, "hello other")] {
        let result = host.call("get", &json!({"provider": provider}));
        assert_eq!(result["value"][0], word);
        assert_eq!(result["through"], 2);
    }
}

#[test]
fn sockets_and_processes_are_counted() {
    let module =
        module("require 'socket'; @pair = UNIXSocket.pair; @child = Process.spawn('sleep', '60')");
    let mut host = module.host();
    let held = |host: &mut Host| {
        let held = host.call("holds", &json!({}));
        let count = |key: &str| held[key].as_u64().expect("a number");
        (count("sockets"), count("processes"))
    };
    let (sockets, processes) = held(&mut host);
    connect(&mut host);
    assert_eq!(held(&mut host), (sockets + 2, processes + 1));
}

#[test]
fn a_connection_serves_providers_through_the_context() {
    for runtime in ["1.8.16", "1.9.2", "2.0.1", "spec"] {
        let module = module("");
        let mut host = module.host_with(&json!({"runtime": runtime}));
        let result = connect(&mut host);
        assert_eq!(result["class"], "Puppet::Transport::MyNexus");
        assert_eq!(
            result["methods"]["initialize"],
            json!([["req", "context"], ["req", "connection_info"]])
        );
        assert!(result.get("connection_info_after").is_none());
        let transport = json!({"transport": result["transport"]});
        let facts = host.call("facts", &transport)["value"].clone();
        let sensitive = "Puppet::Pops::Types::PSensitiveType::Sensitive";
        assert_eq!(
            facts,
            json!({"$h": [["operatingsystem", sensitive], ["port", 22]]})
        );
        // The provider under the transport's name is used.
        let opened = host.call("open", &json!({"type": "vlan"}));
        assert_eq!(opened["class"], "Puppet::Provider::Vlan::MyNexus");
        let rows = host.call("get", &json!({"provider": opened["provider"]}))["value"].clone();
        assert_eq!(
            rows,
            json!([
                "hello secret",
                "Puppet::ResourceApi::Transport::Wrapper",
                "hello secret"
            ])
        );
        assert_eq!(host.call("verify", &transport)["class"], "NilClass");
        assert_eq!(host.logs[0]["arguments"], json!(["verified"]));
        assert_eq!(host.call("close", &transport)["class"], "NilClass");
        host.call("close", &transport);
        assert_eq!(host.fail("verify", &transport)["message"], "gone");
        assert_ne!(connect(&mut host)["transport"], result["transport"]);
        host.call("disconnect", &transport);
        assert_eq!(host.fail("close", &transport)["code"], -32602);
        assert_eq!(
            host.fail("open", &json!({"type": "vlan"}))["data"]["class"],
            "Puppet::DevError"
        );
        let error = host.fail("get", &json!({"provider": opened["provider"]}));
        assert_eq!(error["message"], "no device configured");
    }
}

#[test]
fn schemas_are_found_by_require_and_by_autoloading_or_not_at_all() {
    let module = module("");
    for (how, fine) in [("require", true), ("autoload", true), ("none", false)] {
        let mut host = module.host();
        let params = json!({"transport": "my_nexus", "connection_info": info(), "load": how});
        assert_eq!(
            host.ask("connect", &params).get("result").is_some(),
            fine,
            "{how}"
        );
    }
    let mut host = module.host();
    host.call("load", &json!({"transport": "my_nexus"}));
    let params = json!({"transport": "my_nexus", "connection_info": info(), "load": "none"});
    host.call("connect", &params);
    assert_eq!(
        host.fail(
            "connect",
            &json!({"transport": "nope", "connection_info": {}})
        )["data"]["class"],
        "LoadError"
    );
}

#[test]
fn a_modified_connection_info_is_reported() {
    let module = module("connection_info.delete(:host)");
    let mut host = module.host();
    let after = connect(&mut host)["connection_info_after"].clone();
    assert_eq!(after, json!({"password": {"$sens": "secret"}, "port": 22}));
}

#[test]
fn failures_to_connect_are_errors() {
    let module = module("raise ArgumentError, 'refused'");
    let mut host = module.host();
    let error = host.fail(
        "connect",
        &json!({"transport": "my_nexus", "connection_info": info()}),
    );
    assert_eq!(
        (&error["message"], &error["data"]["where"]),
        (&json!("refused"), &json!("provider"))
    );
    assert!(
        error["data"]["at"]
            .as_str()
            .expect("a place")
            .contains("transport/my_nexus.rb")
    );
}

#[test]
fn devices_go_through_their_shim() {
    let module = module("");
    let file = module.lib().join("credentials.conf");
    for text in [
        "{\"host\": \"h\", \"password\": \"se\\u0063ret\", \"port\": 5}",
        "# a comment\nhost: h // another\npassword = \"secret\"\nport = 5\n",
        "{ host = h, password : secret\n port : 5 }",
    ] {
        std::fs::write(&file, text).expect("a file");
        let mut host = module.host();
        let url = format!("file://{}", file.display());
        let result = host.call("device", &json!({"name": "my_nexus", "url": url}));
        assert_eq!(
            result["class"],
            "Puppet::Util::NetworkDevice::My_nexus::Device"
        );
        let transport = json!({"transport": result["transport"]});
        let facts = host.call("facts", &transport)["value"].clone();
        assert_eq!(facts["$h"][1], json!(["port", 5]), "{text}");
        host.call("verify", &transport);
        let opened = host.call("open", &json!({"type": "vlan"}));
        let rows = host.call("get", &json!({"provider": opened["provider"]}))["value"].clone();
        assert_eq!(rows[0], "hello secret");
        host.call("close", &transport);
    }
    let mut host = module.host();
    let result = host.call(
        "device",
        &json!({"name": "my_nexus", "connection_info": info()}),
    );
    assert!(result["transport"].is_number());
    for url in ["http://x/", "file:///nope/nope.conf"] {
        assert!(
            host.fail("device", &json!({"name": "my_nexus", "url": url}))["message"].is_string()
        );
    }
    std::fs::write(&file, "host = ${x}").expect("a file");
    let url = format!("file://{}", file.display());
    let error = host.fail("device", &json!({"name": "my_nexus", "url": url}));
    assert_eq!(
        error["message"],
        "line 1 of the configuration cannot be read"
    );
    assert_eq!(
        host.fail("device", &json!({"name": "other", "connection_info": {}}))["data"]["class"],
        "LoadError"
    );
}

#[test]
fn devices_from_before_transports_work_too() {
    let device = "require 'puppet/util/network_device/simple/device'\nmodule Puppet::Util::NetworkDevice::Old\n  \
                  class Device < Puppet::Util::NetworkDevice::Simple::Device\n    \
                  def facts; { 'host' => config['host'] }; end\n  end\nend";
    let module = Module::new()
        .file("util/network_device/old/device.rb", device)
        .kind("vlan", "")
        .file("provider/vlan/old.rb", "class Puppet::Provider::Vlan::Old\n  def get(context); [context.device.facts]; end\nend");
    let mut host = module.host();
    let result = host.call(
        "device",
        &json!({"name": "old", "connection_info": {"host": "h"}}),
    );
    let facts = host.call("facts", &json!({"transport": result["transport"]}))["value"].clone();
    assert_eq!(facts, json!({"$h": [["host", "h"]]}));
    let opened = host.call("open", &json!({"type": "vlan"}));
    assert_eq!(opened["class"], "Puppet::Provider::Vlan::Old");
    // As `puppet device` does it: the keys are texts, and what is wrapped is not.
    let wrapped = json!({"host": {"$sens": "s"}, "port": 5});
    let asked = json!({"name": "old", "connection_info": wrapped});
    let held = host.call("device", &asked)["transport"].clone();
    let facts = host.call("facts", &json!({"transport": held}))["value"].clone();
    assert_eq!(facts, json!({"$h": [["host", "s"]]}));
    // A url alone is the device's own.
    let own = json!({"name": "old", "connection_info": {"url": "file:///nope"}});
    let held = host.call("device", &own)["transport"].clone();
    let error = host.fail("facts", &json!({"transport": held}));
    assert!(
        error["message"].as_str().expect("text").contains("nope"),
        "{error}"
    );
    host.call("get", &json!({"provider": opened["provider"]}));
}

#[test]
fn inspect_shows_secrets_only_if_they_are_unwrapped() {
    let wrapped = module("");
    let mut host = wrapped.host();
    let transport = json!({"transport": connect(&mut host)["transport"]});
    let shown = host.call("inspect", &transport)["value"].to_string();
    assert!(
        shown.contains("Sensitive") && !shown.contains("secret"),
        "{shown}"
    );
    let unwrapped = module("@password = connection_info[:password].unwrap");
    let mut host = unwrapped.host();
    let transport = json!({"transport": connect(&mut host)["transport"]});
    assert!(
        host.call("inspect", &transport)["value"]
            .to_string()
            .contains("secret")
    );
}

/// A provider that connects itself, twice with the same hash.
const CONNECTS: &str = "class Puppet::Provider::Vlan::Vlan\n  def get(_context)\n    \
    info = { host: 'h', password: 'secret' }\n    \
    2.times { Puppet::ResourceApi::Transport.connect('my_nexus', info) }\n    \
    [info.values.map { |one| one.class.name }]\n  end\nend";

#[test]
fn whoever_connects_the_harness_is_asked_first() {
    let module = module("").file("provider/vlan/vlan.rb", CONNECTS);
    let mut host = module.host();
    connect(&mut host);
    assert_eq!(
        host.asked[0]["connection_info"],
        json!({"host": "h", "password": "secret", "port": 22})
    );
    assert_eq!(
        host.logs[0]["arguments"][0],
        "my_nexus: Using default value for attribute: port, value: 22"
    );
    host.call("disconnect", &json!({}));
    let provider = host.open("vlan");
    // The caller's hash is changed: the second time it holds what the first one made of it.
    host.call("get", &json!({"provider": provider}));
    assert_eq!(
        host.asked[2]["connection_info"],
        json!({"host": "h", "password": {"$sens": "secret"}, "port": 22})
    );
    for class in ["DevError", "ResourceError"] {
        host.refused = json!({"class": format!("Puppet::{class}"), "message": "no"});
        let error = host.fail("get", &json!({"provider": provider}));
        assert_eq!(error["message"], "no");
        assert_eq!(error["data"]["class"], format!("Puppet::{class}"));
    }
    let error = host.fail(
        "connect",
        &json!({"transport": "my_nexus", "connection_info": info()}),
    );
    assert_eq!(error["message"], "no");
}

#[test]
fn bolt_attributes_are_removed_from_the_connection_info() {
    let connects = CONNECTS.replace(
        "host: 'h',",
        "host: 'h', 'remote-transport': 'x', user: 'u', 'remote-y': 1, path: '/', zork: 2,",
    );
    let module = module("").file("provider/vlan/vlan.rb", &connects);
    let mut host = module.host();
    let provider = host.open("vlan");
    host.call("get", &json!({"provider": provider}));
    let logs = host.logs.iter().take(5);
    let logs: Vec<_> = logs
        .map(|log| (log["level"].as_str(), log["arguments"][0].as_str()))
        .collect();
    assert_eq!(
        logs,
        [
            (
                "info",
                "my_nexus: Discarding superfluous bolt attribute: user"
            ),
            ("debug", "my_nexus: Discarding bolt metaparameter: path"),
            (
                "debug",
                "my_nexus: Discarding bolt metaparameter: remote-transport"
            ),
            ("debug", "my_nexus: Discarding bolt metaparameter: remote-y"),
            ("warning", "my_nexus: Discarding unknown attribute: zork"),
        ]
        .map(|(level, text)| (Some(level), Some(text)))
    );
    assert_eq!(
        host.asked[0]["connection_info"],
        json!({"host": "h", "password": "secret", "port": 22})
    );
}
