use crate::common::{Host, Module};
use serde_json::{Value, json};

/// A provider whose `get` evaluates the first name.
fn module() -> Module {
    Module::new()
        .kind("thing", "")
        .provider("thing", "def get(context, names)\n  eval(names.first)\nend")
}

fn failure(host: &mut Host, ruby: &str) -> Value {
    host.fail("get", &json!({"provider": 1, "names": [ruby]}))
}

#[test]
fn exceptions_are_described() {
    let body = "def get(_context)\n  helper\nend\n\ndef helper\n  raise ArgumentError, 'no such thing'\nend";
    let module = Module::new().kind("thing", "").provider("thing", body);
    let mut host = module.host();
    let provider = host.open("thing");
    let error = host.fail("get", &json!({"provider": provider}));
    assert_eq!(
        (&error["code"], &error["message"]),
        (&json!(1), &json!("no such thing"))
    );
    let data = &error["data"];
    assert_eq!(
        (&data["class"], &data["standard"]),
        (&json!("ArgumentError"), &json!(true))
    );
    assert_eq!(data["where"], "provider");
    let path = module.lib().join("puppet/provider/thing/thing.rb");
    assert_eq!(data["at"], format!("{}:8", path.display()));
    // The host's own frames are left out.
    assert_eq!(
        data["frames"].as_array().expect("frames").len(),
        2,
        "{data}"
    );
}

#[test]
fn an_argument_error_tells_a_wrong_signature_from_a_wrong_inner_call() {
    for (body, own) in [
        ("def get(_context, names); []; end", json!(true)),
        ("def get(_context, names:); []; end", json!(true)),
        ("def get; []; end", json!(true)),
        (
            "def get(_context)\n  helper(1)\nend\ndef helper; []; end",
            json!(false),
        ),
        ("def get(_context) = [].first(1, 2)", json!(false)),
        ("def get(_context) = sleep(1, 2)", json!(false)),
        (
            "def get(_context) = raise(ArgumentError, 'no')",
            json!(null),
        ),
    ] {
        let module = Module::new().kind("thing", "").provider("thing", body);
        let mut host = module.host();
        let provider = host.open("thing");
        let error = host.fail("get", &json!({"provider": provider}));
        assert_eq!(error["data"]["class"], "ArgumentError", "{body}: {error}");
        assert_eq!(error["data"]["signature"], own, "{body}");
    }
}

#[test]
fn nothing_that_a_provider_raises_ends_the_host() {
    let module = module();
    let mut host = module.host();
    host.open("thing");
    for (ruby, class, standard) in [
        ("exit 3", "SystemExit", false),
        ("abort 'no'", "SystemExit", false),
        ("throw :x", "UncaughtThrowError", true),
        ("raise Interrupt", "Interrupt", false),
        ("raise NoMemoryError", "NoMemoryError", false),
        ("def self.f; f; end; f", "SystemStackError", false),
        (
            "Process.kill('TERM', $$); sleep 5",
            "SignalException",
            false,
        ),
        ("raise NotImplementedError", "NotImplementedError", false),
        (
            "Class.new(StandardError) { def message; raise; end }.then { |c| raise c }",
            "anonymous",
            true,
        ),
        (
            "raise Class.new(Exception) { def backtrace; raise; end; def message; 5; end }",
            "anonymous",
            false,
        ),
        ("raise \"\\xff\"", "RuntimeError", true),
        ("Thread.new { raise 'x' }.join", "RuntimeError", true),
        ("eval('(')", "SyntaxError", false),
    ] {
        let error = failure(&mut host, ruby);
        assert_eq!(
            (&error["data"]["class"], &error["data"]["standard"]),
            (&json!(class), &json!(standard)),
            "{ruby}"
        );
    }
    assert_eq!(
        host.call("get", &json!({"provider": 1, "names": ["[]"]}))["value"],
        json!([])
    );
}

#[test]
fn a_forked_child_answers_nothing() {
    let module = module();
    let mut host = module.host();
    host.open("thing");
    for ruby in [
        "fork; (Process.wait rescue 0); []",
        "fork { context.info('child') }; Process.wait; []",
        "fork { raise 'x' }; Process.wait; []",
    ] {
        host.call("get", &json!({"provider": 1, "names": [ruby]}));
        assert!(host.logs.is_empty(), "{:?}", host.logs);
    }
    assert_eq!(host.end(), Some(0));
}

#[test]
fn exceptions_of_threads_are_reported_as_strays() {
    let module = module();
    let mut host = module.host();
    host.open("thing");
    let ruby = "Thread.new(Thread.main) { |main| main.raise('late') }; sleep 0.01 until false rescue []; []";
    host.call("get", &json!({"provider": 1, "names": [ruby]}));
    let ruby = "Thread.new(Thread.main) { |main| sleep 0.05; main.raise('later') }; []";
    host.call("get", &json!({"provider": 1, "names": [ruby]}));
    let stray: Value = serde_json::from_str(&host.read()).expect("a notification");
    assert_eq!(stray["params"]["event"], "stray");
    assert_eq!(stray["params"]["error"]["message"], "later");
    host.call("transports", &json!({}));
}

#[test]
fn the_host_exits_when_its_channel_closes() {
    let module = module();
    let mut host = module.host();
    host.open("thing");
    assert_eq!(host.end(), Some(0));
}

#[test]
fn missing_parts_of_the_stand_ins_are_named() {
    let module = module();
    let mut host = module.host();
    host.open("thing");
    for (ruby, missing) in [
        ("Puppet::Util::Plist", "Puppet::Util::Plist"),
        ("Puppet::Foo.new", "Puppet::Foo"),
        ("Puppet.run_mode", "Puppet.run_mode"),
        ("Facter.clear", "Facter.clear"),
        (
            "Puppet::Util::Execution.ruby_path",
            "Puppet::Util::Execution.ruby_path",
        ),
        ("Puppet.settings.section(1)", "Puppet::Settings#section"),
        ("Puppet::Provider::Package", "Puppet::Provider::Package"),
        ("Puppet::Provider::Confine", "Puppet::Provider::Confine"),
        (
            "Puppet::Pops::Types::TypeFactory.callable",
            "Puppet::Pops::Types::TypeFactory.callable",
        ),
        (
            "Puppet::Pops::Types::TypeParser.new.parse('Runtime[ruby]')",
            "Puppet::Pops::Types::PRuntimeType",
        ),
        (
            "Puppet.runtime[:http].create_session",
            "Puppet::HTTP::Client#create_session",
        ),
        ("Hiera.new", "Hiera"),
        (
            "Puppet::Type.type(:thing).instances",
            "Puppet::Type.instances",
        ),
        ("require 'puppet/util/plist'", "puppet/util/plist"),
        ("require 'puppet/type/package'", "puppet/type/package"),
        ("require 'puppet/ssl'", "puppet/ssl"),
        ("Puppet::Type.type(:service).new", "Puppet::Type::Service"),
        (
            "Puppet::Type.type(:ssh_authorized_key)",
            "Puppet::Type::Ssh_authorized_key",
        ),
        (
            "Class.new(Puppet::Provider).new.resource",
            "Puppet::Provider#resource",
        ),
    ] {
        assert_eq!(
            failure(&mut host, ruby)["data"]["missing"],
            missing,
            "{ruby}"
        );
    }
    // These are the author's own mistakes.
    for ruby in [
        "Foo",
        "self.foo",
        "nil.foo",
        "Puppet::Provider::Thing::Nope",
        "Puppet::ResourceAPI",
        "Puppet::ResourceApi::Nope",
        "context.frobnicate",
        "require 'nosuchgem'",
        "require 'puppet/transport/nope'",
        "require 'puppet_x/nope'",
        "Class.new(Puppet::Provider).new.foo",
    ] {
        assert!(
            failure(&mut host, ruby)["data"].get("missing").is_none(),
            "{ruby}"
        );
    }
}

#[test]
fn a_library_that_is_not_here_is_named_with_its_constant() {
    for (body, absent) in [
        (
            "begin; require 'nosuchgem'; rescue LoadError; end; NoSuchGem.new",
            json!("nosuchgem"),
        ),
        (
            "begin; require 'puppet/nosuch'; rescue LoadError; end; Nosuch",
            json!("puppet/nosuch"),
        ),
        ("NoSuchGem.new", json!(null)),
        (
            "begin; require 'nosuchgem'; rescue LoadError; end; nil.upcase",
            json!(null),
        ),
    ] {
        let module = Module::new()
            .kind("thing", "")
            .provider("thing", &format!("def initialize; {body}; end"));
        let mut host = module.host();
        host.call("load", &json!({"type": "thing"}));
        let error = host.fail("open", &json!({"type": "thing"}));
        assert_eq!(error["data"]["absent"], absent, "{body}: {error}");
    }
    // Puppet loads these itself.
    let module = module();
    let mut host = module.host();
    host.open("thing");
    for name in ["Open3", "TSort", "Syslog"] {
        let message = failure(&mut host, &format!("raise {name}.name"))["message"].clone();
        assert_eq!(message, name);
    }
    // As it does names of `$?` and others.
    let body = "system('exit 3'); raise $CHILD_STATUS.exitstatus.to_s";
    assert_eq!(failure(&mut host, body)["message"], "3");
}

#[test]
fn secrets_do_not_show_in_messages_about_the_context() {
    let module = module();
    let mut host = module.host();
    host.open("thing");
    let error = failure(&mut host, "context.frobnicate");
    let message = error["message"].as_str().expect("text");
    assert!(
        message.contains("frobnicate") && !message.contains('@'),
        "{message}"
    );
}

#[test]
fn inspect_shows_the_instance_variables_of_a_provider() {
    let body = "def initialize; @secret = 'pw'; end\ndef get(_context); []; end";
    let module = Module::new().kind("thing", "").provider("thing", body);
    let mut host = module.host();
    let provider = host.open("thing");
    let shown = host.call("inspect", &json!({"provider": provider}))["value"].clone();
    assert!(
        shown.as_str().expect("text").contains("@secret=\"pw\""),
        "{shown}"
    );
}

#[test]
fn an_error_names_the_dependency_missing_on_this_machine() {
    let module = module()
        .file("type/old.rb", "Puppet::Type.newtype(:old) {}")
        .kind("other", "");
    let mut host = module.host();
    host.open("thing");
    for (ruby, key, name) in [
        (
            "Puppet::Type.type(:nosuch).new(name: 'x')",
            "type",
            "nosuch",
        ),
        ("ENV.fetch('SOME_TOKEN')", "variable", "SOME_TOKEN"),
        (
            "begin; require 'frob-api'; rescue LoadError; end; FrobApi.new",
            "absent",
            "frob-api",
        ),
        (
            "begin; require 'frob/tools'; rescue LoadError; end; Frob::Client",
            "absent",
            "frob/tools",
        ),
    ] {
        let data = &failure(&mut host, ruby)["data"];
        assert_eq!(data[key], name, "{ruby}");
        assert!(data.get("missing").is_none(), "{ruby}");
    }
    // Types of the module are found, and one that is nowhere is nil, as in Puppet.
    let ruby =
        "raise [:old, 'other', :thing, :nosuch].map { |n| Puppet::Type.type(n)&.name }.inspect";
    assert_eq!(
        failure(&mut host, ruby)["message"],
        "[:old, :other, :thing, nil]"
    );
    // These are the author's own mistakes.
    for ruby in [
        "ENV.fetch('LOGNAME')",
        "{}.fetch('SOME_TOKEN')",
        "begin; require 'frob-api'; rescue LoadError; end; OwnHelper",
    ] {
        let data = &failure(&mut host, ruby)["data"];
        assert!(data.get("variable").is_none(), "{ruby}");
        assert!(data.get("absent").is_none(), "{ruby}");
    }
}

#[test]
fn a_variable_that_a_call_needs_is_named() {
    for (body, variable) in [
        ("URI(ENV['SOME_URI'])", json!("SOME_URI")),
        ("ENV['SOME_NAME'].upcase", json!("SOME_NAME")),
        ("Integer(ENV['SOME_NUMBER'])", json!("SOME_NUMBER")),
        (
            "raise 'SOME_URI is not set' unless ENV['SOME_URI']",
            json!("SOME_URI"),
        ),
        // They were read, and something else is wrong.
        (
            "place = ENV['SOME_PLACE'] || '/var'; {}[place].upcase",
            json!(null),
        ),
        (
            "place = ENV['SOME_PLACE'].to_s; Integer(place)",
            json!(null),
        ),
        ("puts 'a' if ENV['SOME_DEBUG']; nil.upcase", json!(null)),
    ] {
        let body = format!("def get(_context)\n  {body}\nend");
        let module = Module::new().kind("thing", "").provider("thing", &body);
        let mut host = module.host();
        let provider = host.open("thing");
        let error = host.fail("get", &json!({"provider": provider}));
        assert_eq!(error["data"]["variable"], variable, "{body}");
    }
}

#[test]
fn a_variable_that_building_needs_is_named() {
    for (body, variable) in [
        ("ENV['SOME_URI'].upcase", json!("SOME_URI")),
        (
            "ENV['SOME_URI'] or raise 'SOME_URI is not set'",
            json!("SOME_URI"),
        ),
        ("URI(ENV['SOME_URI'])", json!("SOME_URI")),
        ("Integer(ENV['SOME_URI'])", json!("SOME_URI")),
        ("File.join('/', ENV['SOME_URI'])", json!("SOME_URI")),
        // It was read, and something else is wrong.
        ("ENV['SOME_URI']; sleep(1, 2)", json!(null)),
        ("ENV['SOME_URI']; 5.upcase", json!(null)),
    ] {
        let body = format!("def initialize; {body}; end");
        let module = Module::new().kind("thing", "").provider("thing", &body);
        let mut host = module.host();
        host.call("load", &json!({"type": "thing"}));
        let error = host.fail("open", &json!({"type": "thing"}));
        assert_eq!(error["data"]["variable"], variable, "{body}");
    }
}

#[test]
fn a_missing_stand_in_is_reported_although_the_provider_rescues_it() {
    let body = "def get(context)
        Puppet::Util::Plist.parse('')
      rescue StandardError
        []
      end";
    let module = Module::new().kind("thing", "").provider("thing", body);
    let mut host = module.host();
    let provider = host.open("thing");
    let answer = host.call("get", &json!({"provider": provider}));
    assert_eq!(answer["value"], json!([]));
    assert_eq!(host.logs[0]["event"], "lack");
    assert_eq!(host.logs[0]["error"]["missing"], "Puppet::Util::Plist");
}

#[test]
fn values_are_compared_with_data_types_as_puppet_does() {
    let module = module();
    let mut host = module.host();
    host.open("thing");
    let types = "t = Puppet::Pops::Types; parse = t::TypeParser.new.method(:parse)";
    for (ruby, said) in [
        (
            "parse.('Optional[Variant[Integer[1, 9], Enum[a]]]').instance?(3)",
            "true",
        ),
        (
            "parse.('Struct[{a => Integer, Optional[b] => String}]').instance?({'b' => 'x'})",
            "false",
        ),
        (
            "t::TypeCalculator.assignable?(parse.('Optional[String]'), t::TypeFactory.string)",
            "true",
        ),
        (
            "t::TypeCalculator.assignable?(parse.('String[1]'), t::TypeFactory.string)",
            "false",
        ),
        (
            "t::TypeCalculator.assignable?(parse.('Enum[a]'), t::TypeFactory.boolean)",
            "false",
        ),
        (
            "parse.('Optional[String]').instance_of?(t::POptionalType)",
            "true",
        ),
        (
            "Puppet::ResourceApi::Transport::Wrapper.deep_symbolize({'a' => [{'b' => 1}]})",
            "{:a=>[{:b=>1}]}",
        ),
        (
            "Puppet::Pops::Time::Timestamp.parse('2020-01-02T03:04:05 +01:00').to_s",
            "2020-01-02T02:04:05.000000000 UTC",
        ),
    ] {
        let ruby = format!("{types}; raise(({ruby}).to_s)");
        assert_eq!(failure(&mut host, &ruby)["message"], said, "{ruby}");
    }
}
