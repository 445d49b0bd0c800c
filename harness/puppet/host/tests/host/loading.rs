use crate::common::{Host, Module};
use serde_json::json;

#[test]
fn definitions_are_captured_whatever_they_are() {
    for (ruby, expected) in [
        ("5", json!(5)),
        ("[1]", json!([1])),
        ("nil", json!(null)),
        ("{}", json!({})),
        ("{ 'name' => 'x' }", json!({"$h": [["name", "x"]]})),
        (
            "{ name: 'a-b', attributes: 5 }",
            json!({"name": "a-b", "attributes": 5, "features": []}),
        ),
        (
            "{ name: nil, attributes: { a: 1, b: { type: nil } }, features: 'x' }",
            json!({"name": null, "attributes": {"a": 1, "b": {"type": null}}, "features": "x"}),
        ),
        (
            "{ name: 'x', attributes: { 'a' => {} } }.freeze",
            json!({"name": "x", "attributes": {"$h": [["a", {}]]}}),
        ),
    ] {
        let module = Module::new().file(
            "type/x.rb",
            &format!("Puppet::ResourceApi.register_type({ruby})"),
        );
        let mut host = module.host();
        let result = host.call("load", &json!({"type": "x"}));
        let mut definition = result["types"][0]["definition"].clone();
        if let Some(object) = definition.as_object_mut() {
            let features = expected
                .get("features")
                .is_some_and(|one| *one == json!([]));
            assert!(
                !features || object.get("features").is_none(),
                "what the library adds is not the author's"
            );
        }
        let mut expected = expected;
        if expected.get("features") == Some(&json!([])) {
            expected
                .as_object_mut()
                .expect("an object")
                .remove("features");
        }
        assert_eq!(definition.take(), expected, "{ruby}");
        assert!(
            result["types"][0]["file"]
                .as_str()
                .expect("a path")
                .ends_with("type/x.rb")
        );
    }
}

#[test]
fn keys_keep_their_order_and_nothing_is_lost() {
    let text = "Puppet::ResourceApi.register_type(name: 'x', zeta: 1, alpha: 2, \
                title_patterns: [{ pattern: %r{^(?<a>.*)$}m, desc: 'x' }], autorequire: { file: '$a' }, \
                attributes: { b: { type: 'String', default: proc { 1 } }, a: { behaviour: :namevar } })";
    let module = Module::new().file("type/x.rb", text);
    let mut host = module.host();
    let definition = host.call("load", &json!({"type": "x"}))["types"][0]["definition"].clone();
    let keys: Vec<&String> = definition.as_object().expect("an object").keys().collect();
    assert_eq!(
        keys,
        [
            "name",
            "zeta",
            "alpha",
            "title_patterns",
            "autorequire",
            "attributes"
        ]
    );
    assert_eq!(
        definition["title_patterns"][0]["pattern"],
        json!({"$re": "^(?<a>.*)$", "options": "m"})
    );
    let place = definition["attributes"]["b"]["default"]["$proc"]
        .as_str()
        .expect("a place")
        .to_owned();
    assert!(place.ends_with("type/x.rb:1"), "{place}");
}

#[test]
fn a_type_file_may_register_any_number_of_types() {
    let several = "%w[a b].each { |n| Puppet::ResourceApi.register_type(name: n, attributes: {}) }\n\
                   Puppet::ResourceApi.register_transport(name: 't', desc: 'x', connection_info: {})";
    let module = Module::new()
        .file("type/several.rb", several)
        .file("type/none.rb", "1")
        .file(
            "type/classic.rb",
            "Puppet::Type.newtype(:classic) do\n  ensurable\n  newparam(:name)\nend",
        )
        .file(
            "type/broken.rb",
            "Puppet::ResourceApi.register_type(name: 'x', attributes: {})\nraise 'broken'",
        );
    let mut host = module.host();
    let result = host.call("load", &json!({"type": "several"}));
    assert_eq!(result["types"].as_array().expect("types").len(), 2);
    assert_eq!(result["transports"][0]["name"], "t");
    // Loaded once; the answer is the same.
    assert_eq!(host.call("load", &json!({"type": "several"})), result);
    let result = host.call("load", &json!({"type": "none"}));
    assert_eq!(
        result,
        json!({"types": [], "transports": [], "warnings": []})
    );
    let result = host.call("load", &json!({"type": "classic"}));
    assert_eq!(
        (&result["types"], &result["classic"]),
        (&json!([]), &json!(true))
    );
    assert_eq!(
        host.fail("load", &json!({"type": "broken"}))["message"],
        "broken"
    );
    let error = host.fail("load", &json!({"type": "absent"}));
    assert!(
        error["message"]
            .as_str()
            .expect("text")
            .contains("no puppet/type/absent.rb")
    );
    let path = module.lib().join("puppet/type/none.rb");
    assert_eq!(
        host.call("load", &json!({"file": path}))["types"],
        json!([])
    );
}

#[test]
fn warnings_of_ruby_are_collected() {
    let text =
        "X = 1\nX = 2\nwarn 'mine'\nPuppet::ResourceApi.register_type(name: 'x', attributes: {})";
    let module = Module::new().file("type/x.rb", text);
    let mut host = module.host();
    let warnings = host.call("load", &json!({"type": "x"}))["warnings"].clone();
    let warnings: Vec<&str> = warnings
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|one| one.as_str())
        .collect();
    assert!(
        warnings[0].contains("already initialized constant X"),
        "{warnings:?}"
    );
    assert!(warnings.contains(&"mine\n"), "{warnings:?}");
}

#[test]
fn messages_of_a_load_are_reported() {
    let module = Module::new().file(
        "type/x.rb",
        "Puppet.warning('careful')\nPuppet.debug { 'lazy' }",
    );
    let mut host = module.host();
    host.call("load", &json!({"type": "x"}));
    let expected = [
        json!({"event": "puppet", "level": "warning", "arguments": ["careful"]}),
        json!({"event": "puppet", "level": "debug", "arguments": ["lazy"]}),
    ];
    assert_eq!(host.logs, expected);
}

#[test]
fn providers_are_found_as_the_library_finds_them() {
    let module = Module::new()
        .kind("http2_thing", "")
        .file(
            "provider/http2_thing/http2_thing.rb",
            "class Puppet::Provider::Http2Thing::Http2Thing; def get(c); []; end; end",
        )
        .file(
            "provider/http2_thing/nexus.rb",
            "class Puppet::Provider::Http2Thing::Nexus; def get(c); []; end; end",
        )
        .kind("lonely", "")
        .kind("misnamed", "")
        .file(
            "provider/misnamed/misnamed.rb",
            "class Puppet::Provider::MisNamed; end",
        )
        .kind("broken", "")
        .file(
            "provider/broken/broken.rb",
            "class Puppet::Provider::Broken::Broken; Nope; end",
        )
        .kind("arity", "")
        .provider("arity", "def initialize(context); end");
    let mut host = module.host();
    let mut class = |params| host.ask("open", &params)["result"]["class"].clone();
    assert_eq!(
        class(json!({"type": "http2_thing"})),
        "Puppet::Provider::Http2Thing::Http2Thing"
    );
    let nexus = "Puppet::Provider::Http2Thing::Nexus";
    assert_eq!(
        class(json!({"type": "http2_thing", "transport": "nexus"})),
        nexus
    );
    assert_eq!(
        class(json!({"type": "http2_thing", "name": "nexus"})),
        nexus
    );
    // Without a provider of its own, a device uses the general one.
    assert_eq!(
        class(json!({"type": "http2_thing", "transport": "ios"})),
        "Puppet::Provider::Http2Thing::Http2Thing"
    );
    for name in ["lonely", "misnamed"] {
        let error = host.fail("open", &json!({"type": name}));
        assert_eq!(error["data"]["class"], "Puppet::DevError");
        assert!(
            error["message"]
                .as_str()
                .expect("text")
                .contains("not found in puppet/provider/"),
            "{error}"
        );
    }
    assert_eq!(
        host.fail("open", &json!({"type": "broken"}))["data"]["class"],
        "NameError"
    );
    let error = host.fail("open", &json!({"type": "arity"}));
    assert_eq!(error["data"]["class"], "ArgumentError");
    assert!(
        error["data"]["at"]
            .as_str()
            .expect("a place")
            .contains("arity.rb")
    );
    assert_eq!(
        host.fail("open", &json!({"type": "unknown"}))["data"]["class"],
        "Puppet::DevError"
    );
}

#[test]
fn further_paths_are_searched_after_the_module() {
    let one = Module::new().kind("thing", "").provider("thing",
        "require 'puppet_x'\nPuppetX.name\nrequire 'puppet_x/shared/tool'\nrequire 'puppet/util/shared'\ndef get(_c); [TOOL, SHARED]; end");
    let two = Module::new()
        .file("../puppet_x/shared/tool.rb", "TOOL = 'tool'")
        .file("util/shared.rb", "SHARED = 'shared'")
        .kind("thing", "other: {}");
    let mut host = one.host_with(&json!({"path": [one.lib(), two.lib()]}));
    let provider = host.open("thing");
    assert_eq!(
        host.call("get", &json!({"provider": provider}))["value"],
        json!(["tool", "shared"])
    );
}

#[test]
fn libraries_that_puppet_loads_are_there() {
    let body = "def get(_c)\n  [Time.parse('2020-01-01 00:00:00 UTC').year, [1, 1].to_set.size, URI('http://h/').host, \
                Pathname.new('/').to_s, { a: 1 }.to_json, { 'a' => 1 }.to_yaml, Gem::Version.new('1.2').to_s, Dir.tmpdir, \
                Forwardable.name, _('text'), Net::HTTP.name, Puppet::Util.which('sh'), Facter.value(:kernel), \
                Puppet[:confdir].end_with?('puppet'), Puppet.features.root?.class.name, Puppet::FileSystem.exist?('/')]\nend";
    let module = Module::new().kind("thing", "").provider("thing", body);
    let mut host = module.host();
    let provider = host.open("thing");
    let value = host.call("get", &json!({"provider": provider}))["value"].clone();
    let value = value.as_array().expect("a list");
    assert_eq!(
        value[..7],
        [
            json!(2020),
            json!(1),
            json!("h"),
            json!("/"),
            json!("{\"a\":1}"),
            json!("---\na: 1\n"),
            json!("1.2")
        ]
    );
    assert_eq!(
        value[8..11],
        [json!("Forwardable"), json!("text"), json!("Net::HTTP")]
    );
    assert_eq!(value[12..14], [json!("Linux"), json!(true)]);
}

#[test]
fn programs_are_run_as_puppet_runs_them() {
    let body = "def get(_c)\n  x = Puppet::Util::Execution\n  [x.execute(['echo', 'a  b']), x.execute('echo o; echo e >&2; exit 3', failonfail: false), \
                x.execute('exit 3', failonfail: false).exitstatus, (x.execute(['false']) rescue $!.class.name), \
                x.execute('echo $LANG $X', custom_environment: { 'X' => 1 }), (x.execute(['/nope']) rescue $!.class.name), \
                x.execute(['cat']), x.execute('pwd', cwd: '/')]\nend";
    let module = Module::new().kind("thing", "").provider("thing", body);
    let mut host = module.host();
    let provider = host.open("thing");
    let value = host.call("get", &json!({"provider": provider}))["value"].clone();
    let failure = "Puppet::ExecutionFailure";
    assert_eq!(
        value,
        json!(["a  b\n", "o\n", 3, failure, "C 1\n", failure, "", "/\n"])
    );
    assert_eq!(host.logs[0]["arguments"][0], "Executing: 'echo a  b'");
}

/// What a provider sees of programs and settings, with the stand-ins and, where it is installed, with Puppet.
#[test]
fn programs_and_settings_are_those_of_the_real_puppet() {
    let body = "def t; yield; rescue StandardError => e; [e.class.name, e.message]; end\n\
                def get(_c)\n  x = Puppet::Util::Execution\n  [\
                t { x.execute(['nope', 'x']) }, t { x.execute('nope x') }, t { x.execute(['nope'], failonfail: false).exitstatus },\
                t { x.execute(['/etc/passwd'], failonfail: true) }, t { x.execute(['cat'], stdinfile: '/nope') },\
                t { x.execute('echo [$HOME$USER$LOGNAME]$LANG').to_s }, t { x.execute('echo [$HOME]$LANG', override_locale: false).to_s },\
                t { x.execute('echo $HOME', custom_environment: { 'HOME' => '/x' }).to_s },\
                t { x.execpipe('echo $HOME') { |io| io.read } }, ENV['HOME'],\
                *%i[confdir codedir vardir statedir deviceconfig devicedir].map { |name| Puppet[name] }]\nend";
    let module = Module::new().kind("thing", "").provider("thing", body);
    let mut host = module.host();
    let provider = host.open("thing");
    let get = json!({"provider": provider});
    let value = host.call("get", &get)["value"].clone();
    let failure = json!([
        "Puppet::ExecutionFailure",
        "Execution of 'nope x' returned 1: "
    ]);
    assert_eq!(value[0], failure);
    assert_eq!(value[1], failure);
    let alone = [json!("[]C\n"), json!("[]C.UTF-8\n"), json!("/x\n")];
    assert_eq!(value.as_array().expect("a list")[5..8], alone);
    assert_eq!(value[8], format!("{}\n", module.lib().display()));
    let mut real = Host::start(&module.lib());
    let params = json!({"protocol": 1, "path": [module.lib()], "real": true});
    if real.ask("initialize", &params).get("error").is_none() {
        real.open("thing");
        assert_eq!(value, real.call("get", &get)["value"]);
    }
}

#[test]
fn an_installed_puppet_is_not_mixed_in() {
    let body = "def get(_c)\n  require 'puppet'\n  require 'puppet/resource_api'\n  require 'facter'\n  require 'hocon'\n  \
                [$LOADED_FEATURES.grep(%r{/(puppet|facter|hocon)/}).reject { |f| f.include?('/puppet/provider/') || f.end_with?('/puppet/type/thing.rb') }]\nend";
    let module = Module::new().kind("thing", "").provider("thing", body);
    let mut host = module.host();
    let provider = host.open("thing");
    let loaded = host.call("get", &json!({"provider": provider}))["value"][0].clone();
    assert_eq!(loaded, json!([]));
}

#[test]
fn any_ruby_starts_the_host_with_gems_or_without() {
    let module = Module::new().kind("thing", "").provider(
        "thing",
        "def get(_c); gem('rexml'); [require('rexml/document')]; end",
    );
    for options in [
        "",
        "--disable-gems",
        "-W2",
        "--enable=frozen-string-literal",
    ] {
        let mut host = Host::start_by(&module.lib(), &format!("exec ruby {options} \"$0\""));
        host.call(
            "initialize",
            &json!({"protocol": 1, "path": [module.lib()]}),
        );
        let provider = host.open("thing");
        assert_eq!(
            host.call("get", &json!({"provider": provider}))["value"],
            json!([true]),
            "{options}"
        );
    }
}

#[test]
fn the_name_of_a_type_may_be_a_symbol() {
    let module = Module::new()
        .file(
            "type/note.rb",
            "Puppet::ResourceApi.register_type(name: :note, desc: 'x', attributes: {})",
        )
        .provider("note", "def get(context); [context.type.name]; end");
    let mut host = module.host();
    assert_eq!(
        host.call("load", &json!({"type": "note"}))["types"][0]["name"],
        "note"
    );
    let opened = host.call("open", &json!({"type": "note"}));
    let rows = host.call("get", &json!({"provider": opened["provider"]}));
    assert_eq!(rows["value"], json!([{"$sym": "note"}]));
}

#[test]
fn load_reports_aliases_that_types_name() {
    let attributes = "port: { type: 'Optional[Keys::Port]', desc: 'x' },\n    \
                      url: { type: 'Other::URL', desc: 'x' },\n    \
                      size: { type: 'Variant[::Keys::Missing, Integer]', desc: 'x' },";
    let module = Module::new().kind("thing", attributes).kind("plain", "");
    let port = "type Keys::Port = Variant[Keys::Number, Integer]";
    let number = "type Keys::Number = Pattern[/\\A[0-9]+\\z/]";
    let root = module.lib().join("..");
    for (name, text) in [
        ("metadata.json", r#"{"name": "me/keys"}"#),
        ("types/port.pp", port),
        ("types/number.pp", number),
        ("types/other.pp", "type Keys::Other = String"),
    ] {
        let path = root.join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, text).expect("written");
    }
    let mut host = module.host();
    let told = host.call("load", &json!({"type": "thing"}));
    assert_eq!(
        told["aliases"],
        json!({"Keys::Port": port, "Keys::Number": number})
    );
    assert_eq!(told["modules"], json!(["keys"]));
    let told = host.call("load", &json!({"type": "plain"}));
    assert_eq!((told.get("aliases"), told.get("modules")), (None, None));
}
