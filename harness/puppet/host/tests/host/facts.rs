//! Facts that modules add in `lib/facter`.

use crate::common::{Host, Module};
use serde_json::{Value, json};

/// Facts of many kinds, each with a name that says what is about it.
const FACTS: &str = r#"
Facter.add(:plain) { setcode { 'a' } }
Facter.add('command') { setcode 'echo " x  y "' }
Facter.add(:no_command) { setcode 'nosuchprogram x' }
Facter.add(:heavy) { has_weight 5; setcode { 'five' } }
Facter.add(:heavy) { has_weight 10; setcode { 'ten' } }
Facter.add(:heavy) { has_weight 20; setcode { nil } }
Facter.add(:confined) { setcode { 'general' } }
Facter.add(:confined) { confine kernel: :linux; setcode { 'linux' } }
Facter.add(:confined) { confine kernel: 'windows'; confine kernel: 'Linux'; setcode { 'never' } }
Facter.add(:in_list) { confine kernel: %w[Linux FreeBSD]; setcode { 1 } }
Facter.add(:by_block) { confine { File.exist?('/etc') }; setcode { true } }
Facter.add(:by_value) { confine(:kernel) { |kernel| kernel == 'linux' }; setcode { 'yes' } }
Facter.add(:by_raise) { confine { raise 'x' }; setcode { 'yes' } }
Facter.add(:raises) { has_weight 9; setcode { raise 'x' } }
Facter.add(:raises) { setcode { 'second' } }
Facter.add(:no_data) { setcode { Object.new } }
Facter.add(:no_data) { setcode { 'second' } }
Facter.add(:slow, timeout: 0.1) { setcode { sleep 9; 'late' } }
Facter.add(:on_other) { setcode { Facter.value(:plain) + 'b' } }
Facter.add(:on_confined) { confine plain: 'A'; setcode { Facter.fact(:plain).value } }
Facter.add(:itself) { setcode { Facter.value(:itself) } }
Facter.add(:chunks, type: :aggregate) do
  chunk(:one) { { a: 1, 'l' => [1] } }
  chunk(:two, require: :one) { |one| { b: one[:a] + 1, 'l' => [2] } }
end
Facter.add(:summed, type: :aggregate) do
  chunk(:one) { 1 }
  chunk(:two) { 2 }
  aggregate { |chunks| chunks.values.sum }
end
Facter.add(:bad_merge, type: :aggregate) { chunk(:one) { 1 }; chunk(:two) { { a: 1 } } }
Facter.add(:hash) { setcode { { sym: :bol, 'x' => [1, nil, 2.5] } } }
Facter.add(:UpperCase) { setcode { 'u' } }
Facter.add(:options, weight: 3, value: 'v')
Facter.add(:empty) { setcode { '' } }
Facter.add(:nothing) {}
Facter.add(:time) { setcode { Time.at(0).utc } }
Facter.add(:kernel) { setcode { 'mine' } }
Facter.add(:'dotted.fact') { setcode { 'd' } }
Facter.add(:found) { setcode { Facter::Core::Execution.which('sh') ? 1 : 0 } }
Facter.add(:old_style) { setcode { [Facter::Util::Resolution.exec('echo 1'), Facter::Util::Resolution.which('nope')] } }
Facter.add(:no_program) { setcode { Facter::Core::Execution.execute('nosuch') rescue $!.class.name } }
Facter.add(:programs) do
  setcode do
    run = Facter::Core::Execution
    [run.execute('false'), run.execute('nosuch', on_fail: 'f'), run.execute('echo a | tr a b; echo $LANG'), run.exec('nosuch')]
  end
end
Facter.add(:false_fact) { setcode { false } }
Facter.add(:named, name: 'n') { setcode { 'first' } }
"#;

const NAMES: &str = "plain command no_command heavy confined in_list by_block by_value by_raise raises no_data \
    slow on_other on_confined itself chunks summed bad_merge hash uppercase UpperCase options empty nothing time \
    kernel dotted.fact dotted found old_style no_program programs false_fact named by_name before_bad after_bad \
    absent os.name os.nope chunks.a hash.x";

fn module() -> Module {
    let body = format!(
        "def get(_context)\n  %w[{NAMES}].map {{ |name| [name, Facter.value(name), Facter.fact(name).nil?] }}\nend"
    );
    Module::new()
        .kind("thing", "")
        .provider("thing", &body)
        .fact("many", FACTS)
        .fact("by_name", "Facter.add(:by_name) { setcode { 'n' } }")
        .fact(
            "bad",
            "Facter.add(:before_bad) { setcode { 1 } }\nFacter.add(:bad, nope: 3) { setcode { 2 } }\n\
             Facter.add(:after_bad) { setcode { 3 } }",
        )
        .fact("broken", "raise 'broken'")
        .fact("syntax", "def (")
        .fact("gem", "require 'nosuchgem'")
}

fn facts(host: &mut Host) -> Value {
    let provider = host.open("thing");
    host.call("get", &json!({"provider": provider}))["value"].clone()
}

fn value(facts: &Value, name: &str) -> Value {
    let all = facts.as_array().expect("facts");
    let fact = all.iter().find(|fact| fact[0] == name);
    fact.expect("the fact")[1].clone()
}

#[test]
fn facts_of_the_module_have_values() {
    let facts = facts(&mut module().host());
    for (name, wanted) in [
        ("plain", json!("a")),
        ("command", json!("x  y")),
        ("no_command", json!(null)),
        ("heavy", json!("ten")),
        ("confined", json!("linux")),
        ("by_value", json!("yes")),
        ("by_raise", json!(null)),
        ("raises", json!(null)),
        ("slow", json!(null)),
        ("on_other", json!("ab")),
        ("chunks.a", json!(1)),
        ("summed", json!(3)),
        ("kernel", json!("Linux")),
        ("by_name", json!("n")),
        ("absent", json!(null)),
    ] {
        assert_eq!(value(&facts, name), wanted, "{name}");
    }
}

/// Skipped where there is no Puppet.
#[test]
fn facts_are_those_of_the_real_facter() {
    let module = module();
    let mut real = Host::start(&module.lib());
    let params = json!({"protocol": 1, "path": [module.lib()], "real": true});
    if real.ask("initialize", &params).get("error").is_some() {
        return;
    }
    assert_eq!(facts(&mut module.host()), facts(&mut real));
}

#[test]
fn parts_of_puppet_that_a_fact_needs_are_named() {
    let read = "def get(_context, names)\n  Facter.value(names.first)\nend";
    let module = Module::new()
        .kind("thing", "")
        .provider("thing", read)
        .fact(
            "manager",
            "Facter.add(:manager) { setcode { Puppet::Type.type(:service).newservice } }",
        )
        .fact("other", "require 'puppet/util/plist'");
    let mut host = module.host();
    let provider = host.open("thing");
    for (name, missing) in [
        ("manager", "Puppet::Type::Service"),
        ("plist", "puppet/util/plist"),
    ] {
        let error = host.fail("get", &json!({"provider": provider, "names": [name]}));
        assert_eq!(error["data"]["missing"], missing, "{name}");
    }
    let known = host.call("get", &json!({"provider": provider, "names": ["kernel"]}));
    assert_eq!(known["value"], "Linux");
}

#[test]
fn facts_that_only_facter_has_are_named() {
    let body = "def get(_context, names)\n  eval(names.first)\nend";
    let module = Module::new().kind("thing", "").provider("thing", body);
    let mut host = module.host();
    host.open("thing");
    let mut missing = |ruby: &str| {
        let params = json!({"provider": 1, "names": [ruby]});
        host.fail("get", &params)["data"]["missing"].clone()
    };
    // `eval` has no file of its own.
    let in_file = |fact: &str| format!("eval(\"Facter.value({fact})['x']\", binding, __FILE__)");
    assert_eq!(missing(&in_file("'dmi'")), "Facter.value('dmi')");
    assert_eq!(
        missing(&in_file("'memory.system'")),
        "Facter.value('memory.system')"
    );
    assert_eq!(missing(&in_file(":nosuch")), json!(null));
    let user = "raise Facter.value('identity')['user'].to_s.empty?.to_s + Facter.value('processors.count').class.name";
    let params = json!({"provider": 1, "names": [user]});
    assert_eq!(host.fail("get", &params)["message"], "falseInteger");
}
