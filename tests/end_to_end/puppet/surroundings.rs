//! Surroundings that change: commands fail, the environment is another one, parts of the machine are missing.

use super::{module, with_verdict};
use crate::cli::json_lines;
use std::collections::BTreeSet;

const QUEUE: &str = "provider/print_queue/print_queue.rb";

const CREATE: &str = "    queuectl('set', name, should[:location])\n  end\n\n  def update";

/// Stand-ins are the author's: they find what they keep whatever the subject's environment is.
#[test]
fn stand_ins_do_not_depend_on_the_environment() {
    let folder = module("print_queue");
    folder.replace("queuectl", "$HOME", "${HOME:?}");
    // Puppet removes the home from the environment of programs, and so do the stand-ins for Puppet.
    for part in ["environment", "runtime"] {
        let check = ["check", "--strict", "--select", "RA502,RA520,RA805"];
        folder.run(&[&check[..], &["-k", part]].concat()).exits(0);
    }
}

/// A provider that misses something of this machine is not at fault, and what it misses is named.
#[test]
fn a_missing_dependency_is_named_and_its_rules_are_skipped() {
    let provider = format!("lib/puppet/{QUEUE}");
    let start = "  def get(_context)\n";
    let built = "  def initialize\n    super\n    ENV['QUEUE_SERVER'].upcase\n  end\n\n  def get(_context)\n";
    for (to, name) in [
        (
            "  def get(_context)\n    require 'nosuchgem'\n",
            "there is no `nosuchgem`",
        ),
        (
            "  require 'nosuchgem'\n  def get(_context)\n",
            "there is no `nosuchgem`",
        ),
        (
            "  def get(_context)\n    Puppet::Type.type(:nosuch).new(name: 'a')\n",
            "there is no type `nosuch`",
        ),
        (
            "  def get(_context)\n    Puppet::Type.type(:service).new(name: 'a')\n",
            "no stand-in for Puppet::Type::Service",
        ),
        (
            "  def get(_context)\n    ENV.fetch('QUEUE_SERVER')\n",
            "the environment variable `QUEUE_SERVER`",
        ),
        (built, "the environment variable `QUEUE_SERVER`"),
    ] {
        let folder = module("print_queue");
        folder.replace(&provider, start, to);
        let rules = "RA116,RA515,RA520,RA801";
        let output = folder.run(&["check", "--strict", "--format", "json", "--select", rules]);
        let failed = with_verdict(&output, &["fail", "flaky", "advice"]);
        assert_eq!(failed, BTreeSet::new(), "{to}");
        let skipped = json_lines(&output)
            .iter()
            .any(|line| line["verdict"] == "skipped" && line.to_string().contains(name));
        assert!(skipped, "{to}: {:?}", json_lines(&output));
    }
}

/// What the stand-ins lack, the installed Puppet has: the whole check runs on it.
#[test]
fn a_check_on_the_installed_puppet_misses_nothing_of_it() {
    let folder = module("print_queue");
    let provider = format!("lib/puppet/{QUEUE}");
    let uses = "  def get(_context)\n    Puppet::Type.type(:service).new(name: 'a')\n";
    folder.replace(&provider, "  def get(_context)\n", uses);
    let check = [
        "check",
        "--sessions",
        "0",
        "--example",
        "a new queue",
        "--select",
        "RA201",
    ];
    folder.run(&check).says("check --real-puppet");
    let real = [&check[..], &["--real-puppet"]].concat();
    folder.run(&real).exits(0).says("1 passed");
}

/// Facts of the module are there for its provider, also for those of the real Puppet.
#[test]
fn providers_have_the_facts_of_their_module() {
    let folder = module("print_queue");
    folder.write(
        "lib/facter/queue_program.rb",
        "Facter.add(:queue_program) do\n  confine kernel: 'Linux'\n  setcode { 'queuectl' }\nend\n",
    );
    let run = "Puppet::Util::Execution.execute(['queuectl',";
    let with_fact = "Puppet::Util::Execution.execute([Facter.value(:queue_program).chomp,";
    folder.replace(&format!("lib/puppet/{QUEUE}"), run, with_fact);
    folder.run(&["check", "--strict", "--quick"]).exits(0);
}

/// What is set by the last of many commands may fail, too.
#[test]
fn each_command_of_an_evaluation_may_fail() {
    let folder = module("print_queue");
    folder.replace(
        &format!("lib/puppet/{QUEUE}"),
        CREATE,
        "    20.times { queuectl('list') }\n    system('queuectl', 'set', name, should[:location])\n  end\n\n  def update",
    );
    let check = ["check", "--select", "RA511", "-k", "commands/e1"];
    let all = ["--sessions", "100"];
    folder
        .run(&[&check[..], &all].concat())
        .exits(1)
        .says("RA511")
        .says("after 22 calls");
}

/// Locales matter to texts beyond ASCII, in whichever example they are, and whatever it expects.
#[test]
fn examples_with_other_letters_come_first_in_other_locales() {
    let folder = module("print_queue");
    folder.replace(
        &format!("lib/puppet/{QUEUE}"),
        "    output.dup.force_encoding(Encoding::UTF_8)\n",
        "    output\n",
    );
    let own = folder.read("stickler.toml");
    let (start, examples) = own.split_once("[[example]]").expect("examples");
    let plain = |number: usize| {
        format!(
            "[[example]]\nname = \"queue {number}\"\ntype = \"print_queue\"\ntitle = \"q{number}\"\n\
             attributes = {{ location = \"here\" }}\n\n"
        )
    };
    let more: String = (0..3).map(plain).collect();
    let examples = examples.replace("expect = [\"changed\", \"ok\"]", "");
    folder.write(
        "stickler.toml",
        &format!("{start}{more}[[example]]{examples}"),
    );
    let check = ["check", "--select", "RA520", "-k", "environment"];
    folder.run(&check).exits(1).says("environment/locale/e5");
}
