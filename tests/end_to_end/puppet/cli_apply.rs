//! `stickler apply`, `stickler resource`, and `stickler diff` on manifests.

use crate::cli::{Folder, Output, finish, json_lines};
use crate::common::root;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

fn provider(name: &str) -> String {
    let folder = root().join("fixtures/providers").join(name);
    folder.to_string_lossy().into_owned()
}

/// The release that tests of messages name: without it, they would be those of the installed Puppet.
const OLD: &str = "7.23+1.8.16";

/// Runs a command on a module whose provider keeps its settings in a file of this folder.
fn settings(folder: &Folder, arguments: &[&str]) -> Output {
    let module = provider("kernel_setting");
    let mut arguments = arguments.to_vec();
    arguments.extend(["--module", &module, "--runtime", OLD]);
    let mut command = folder.command(&arguments);
    finish(command.env("KERNEL_SETTINGS", folder.path().join("settings")))
}

/// A program in another language is found beside its `stickler.toml`, and the caller says where it keeps its state.
#[test]
fn apply_fails_if_the_external_program_reports_a_failure() {
    let folder = Folder::empty();
    folder.write("site.pp", "note { 'x': text => 'milk', priority => 2 }\n");
    folder.write("taken", "");
    let module = provider("notes_py");
    let apply = |notes: &str| {
        let mut command = folder.command(&["apply", "site.pp", "--module", &module]);
        finish(command.env("NOTES_DIR", folder.path().join(notes)))
    };
    apply("notes").exits(0).says("Creating: Finished in");
    assert_eq!(folder.list("notes"), ["x.json"]);
    apply("taken").exits(1).says("Could not evaluate");
}

#[test]
fn a_manifest_is_applied_once() {
    let folder = Folder::empty();
    folder.write("settings", "# mine\nvm.swappiness = 60\n");
    folder.write(
        "site.pp",
        "$much = 10\nkernel_setting { 'vm.swappiness': value => \"${much}\" }\n\
         kernel_setting { 'net.core': value => 'a b', require => Kernel_setting['vm.swappiness'] }\n",
    );
    let would = settings(&folder, &["apply", "site.pp", "--noop"]);
    would
        .exits(0)
        .says("Kernel_setting[vm.swappiness]/value: current_value '60', should be '10' (noop)");
    assert_eq!(folder.read("settings"), "# mine\nvm.swappiness = 60\n");
    let done = settings(&folder, &["apply", "site.pp"]);
    done.exits(0)
        .says("/Stage[main]/Main/Kernel_setting[vm.swappiness]/value: value changed '60' to '10'")
        .says("kernel_setting[net.core]: Creating: Finished in");
    assert_eq!(
        folder.read("settings"),
        "# mine\nvm.swappiness = 10\nnet.core = a b\n"
    );
    let again = settings(&folder, &["apply", "site.pp", "--format", "json"]);
    let lines = json_lines(&again);
    let last = lines.last().expect("a summary");
    assert_eq!((&last["total"], &last["changed"]), (&2.into(), &0.into()));
}

#[test]
fn failed_resources_and_their_dependents_are_reported() {
    let folder = Folder::empty();
    folder.write("settings/in the way", "");
    let code = "kernel_setting { 'a': value => '1' } -> kernel_setting { 'b': value => '2' }";
    let failed = settings(&folder, &["apply", "-e", code]);
    failed
        .exits(1)
        .says("Error: /Stage[main]/Main/Kernel_setting[a]: Could not evaluate: Is a directory")
        .says("Notice: /Stage[main]/Main/Kernel_setting[b]: Dependency Kernel_setting[a] has failures: true")
        .says("Warning: /Stage[main]/Main/Kernel_setting[b]: Skipping because of failed dependencies");
}

#[test]
fn unsupported_parts_are_named_with_their_place() {
    let folder = Folder::empty();
    let apply = |code: &str| {
        folder.write("site.pp", code);
        settings(&folder, &["apply", "site.pp"])
    };
    apply("kernel_setting { 'a': value => 1 }").exits(1).says(
        "site.pp:1: the catalog cannot be applied: Parameter value failed on Kernel_setting[a]",
    );
    apply("\nkernel_setting { 'a': size => 1 }")
        .exits(1)
        .says("site.pp:2: the catalog cannot be applied: no parameter named 'size'");
    apply("file { '/tmp/x': }")
        .exits(2)
        .says("site.pp:1: the type file is a type of Puppet itself");
    apply("resources { 'file': purge => true }")
        .exits(2)
        .says("the type file is a type of Puppet itself");
    apply("kernel_setting { 'a': value => '1', require => Kernel_setting['b'] }")
        .exits(1)
        .says("site.pp:1:37: Could not find resource 'Kernel_setting[b]' in parameter 'require'");
    apply("kernel_setting { 'a': value => '1' }\ninclude ntp")
        .exits(2)
        .says("site.pp:2:1:")
        .says("the supported part of the language has no function 'include': compile");
    for (code, part) in [
        ("Kernel_setting <| |>", "collectors"),
        ("@kernel_setting { 'a': }", "virtual resources"),
        ("class a { }", "classes"),
    ] {
        apply(code)
            .exits(2)
            .says(&format!("has no {part}: compile"));
    }
    apply("kernel_setting { 'a'").exits(2).says("site.pp:1:");
    settings(&folder, &["apply", "nowhere.pp"])
        .exits(2)
        .says("nowhere.pp: No such file");
    folder
        .run(&["apply", "-e", ""])
        .exits(2)
        .says("no Puppet module");
}

#[test]
fn resources_are_listed_shown_and_changed() {
    let folder = Folder::empty();
    folder.write("settings", "b = 2\na = 1\n");
    let all = settings(&folder, &["resource", "kernel_setting"]);
    assert_eq!(
        all.exits(0).stdout,
        "kernel_setting { 'a': \n  value => '1',\n}\nkernel_setting { 'b': \n  value => '2',\n}\n"
    );
    settings(&folder, &["resource", "kernel_setting", "c"])
        .exits(0)
        .says("kernel_setting { 'c': \n}");
    settings(&folder, &["resource", "kernel_setting", "c", "value=3"])
        .exits(0)
        .says("Notice: /Kernel_setting[c]/value: value changed  to '3'")
        .says("  value => '3',");
    assert_eq!(folder.read("settings"), "b = 2\na = 1\nc = 3\n");
    let json = settings(
        &folder,
        &["resource", "kernel_setting", "a", "--format", "json"],
    );
    let lines = json_lines(&json);
    assert_eq!(lines[0]["attributes"]["value"], "1");
    settings(&folder, &["resource", "kernel_setting", "a", "value"])
        .exits(2)
        .says("write ATTRIBUTE=VALUE");
    settings(&folder, &["resource", "nothing"])
        .exits(2)
        .says("the type nothing");
}

#[test]
fn a_run_is_recorded_and_judged() {
    let folder = Folder::empty();
    folder.write("settings", "a = 1\n");
    let code = "kernel_setting { 'a': value => '2' } kernel_setting { 'b': value => '3' }";
    let record = ["apply", "-e", code, "--record", "run.jsonl"];
    settings(&folder, &record).exits(0);
    let judged = folder.run(&["judge", "run.jsonl", "--format", "json"]);
    let lines = json_lines(&judged);
    let verdict = |rule: &str| {
        let of = |line: &&serde_json::Value| line["rule"] == rule;
        lines.iter().find(of).expect("the rule")["verdict"].clone()
    };
    assert_eq!(verdict("RA201"), "pass", "{}", judged.all());
    assert_eq!(verdict("RA501"), "pass", "{}", judged.all());
    judged.exits(0);
    settings(&folder, &record).exits(2).says("name a new file");
    let list = ["resource", "kernel_setting", "--record", "list.jsonl"];
    settings(&folder, &list).exits(0);
    folder.run(&["judge", "list.jsonl"]).exits(0);
    // Each says which host was started.
    for file in ["run.jsonl", "list.jsonl"] {
        folder.run(&["replay", file]).says_not("cannot run again");
    }
    folder.run(&["replay", "list.jsonl"]).exits(0);
}

/// A module whose provider keeps nothing, and says what it is told to do.
pub(super) fn talker(features: &str, body: &str) -> Folder {
    let folder = Folder::empty();
    folder.write(
        "lib/puppet/type/talker.rb",
        &format!(
            "require 'puppet/resource_api'\nPuppet::ResourceApi.register_type(\n  \
             name: 'talker', desc: 'x', features: [{features}],\n  attributes: {{\n    \
             name: {{ type: 'String', desc: 'x', behaviour: :namevar }},\n    \
             ensure: {{ type: 'Enum[present, absent]', desc: 'x', default: 'present' }},\n  }},\n)\n"
        ),
    );
    folder.write(
        "lib/puppet/provider/talker/talker.rb",
        &format!("class Puppet::Provider::Talker::Talker\n{body}\nend\n"),
    );
    folder
}

#[test]
fn instances_outside_the_catalog_are_purged() {
    let folder = talker(
        "",
        "  def get(_context)\n    %w[a b].map { |name| { name: name, ensure: 'present' } }\n  end\n\n  \
         def set(context, changes)\n    changes.each { |name, change| context.deleting(name) { \
         raise 'kept' if change[:should][:ensure] != 'absent' } }\n  end\n",
    );
    let purge = "resources { 'talker': purge => true } talker { 'a': } -> notify { 'done': }";
    let gone = "Talker[b]/ensure: undefined 'ensure' from 'present'";
    let would = "Talker[b]/ensure: current_value 'present', should be 'absent' (noop)";
    folder
        .run(&["apply", "-e", purge])
        .exits(0)
        .says(gone)
        .says("Notice: done\nNotice: /Stage[main]/Main/Notify[done]/message: defined 'message' as 'done'")
        .says_not("Talker[a]/ensure");
    folder
        .run(&["apply", "-e", purge, "--noop", "--runtime", OLD])
        .exits(0)
        .says(would)
        .says("current_value 'absent', should be 'done' (noop)");
    let dry = purge.replace("true", "true, noop => true");
    let dry = ["apply", "-e", &dry, "--runtime", OLD];
    folder.run(&dry).exits(0).says(would);
    folder
        .run(&["diff", &folder.write("site.pp", purge).to_string_lossy()])
        .exits(0);
    // In a catalog as well.
    folder.write(
        "catalog.json",
        "{\"version\": 1, \"resources\": [{\"type\": \"Stage\", \"title\": \"main\"}, \
         {\"type\": \"Resources\", \"title\": \"talker\", \"parameters\": {\"purge\": true}}]}",
    );
    folder.run(&["apply", "catalog.json"]).exits(0).says(gone);
    // What cannot be listed is not purged.
    let broken = talker("", "  def get(_context)\n    raise 'no list'\n  end\n");
    broken
        .run(&["apply", "-e", "resources { 'talker': purge => true }"])
        .exits(0)
        .says(
            "Resources[talker]: Failed to generate additional resources using 'generate': no list",
        );
}

#[test]
fn remote_types_are_distinguished_from_others() {
    let get = "  def get(context)\n    context.device\n    []\n  end\n";
    let remote = talker("'remote_resource'", get);
    remote
        .run(&["resource", "talker"])
        .exits(1)
        .says("Could not run: no device configured")
        .says("resources of the type talker live on devices: name one with --target");
    talker("", get)
        .run(&["resource", "talker"])
        .exits(1)
        .says_not("--target");
}

#[test]
fn a_resource_is_shown_after_a_check_has_failed() {
    let folder = talker(
        "'canonicalize'",
        "  def get(_context)\n    [{ name: 'a', ensure: 'present', zork: 1 }]\n  end\n\n  \
         def canonicalize(_context, all)\n    all.map { |one| one.reject { |key, _| key == :zork } }\n  end\n",
    );
    let strict = [
        "resource",
        "talker",
        "a",
        "ensure=absent",
        "--puppet-strict",
        "error",
    ];
    folder
        .run(&strict)
        .exits(1)
        .says("Error: /Talker[a]: Could not evaluate: Provider returned data")
        .says("talker { 'a': \n  ensure => 'present',\n}");
}

#[test]
fn values_that_vary_between_runs_are_not_differences() {
    let body = |value: &str| {
        format!(
            "  def get(_context)\n    []\n  end\n\n  def set(context, changes)\n    \
             changes.each_key do |name|\n      context.creating(name) {{ {value} }}\n    end\n  end\n"
        )
    };
    let diff = |value: &str| {
        let folder = talker("", &body(value));
        folder.write("site.pp", "talker { 'a': }");
        folder.run(&["diff", "site.pp"])
    };
    diff("context.notice(rand(1 << 60)); File.write('/etc/salted', rand(1 << 60))")
        .exits(0)
        .says("not counted: these values vary between runs");
    // Ruby's hints on mistakes depend on how it was started.
    diff("[].lenght")
        .exits(0)
        .says("agree")
        .says_not("not counted");
    diff("context.notice(defined?(Stickler).inspect)").exits(1);
}

#[test]
fn a_run_that_is_ended_leaves_nothing_behind() {
    let folder = Folder::empty();
    let module = PathBuf::from(provider("kernel_setting"));
    for (from, text) in [
        ("lib/puppet/type/kernel_setting.rb", ""),
        (
            "lib/puppet/provider/kernel_setting/kernel_setting.rb",
            "class Puppet::Provider::KernelSetting::KernelSetting\n  def get(_context)\n    \
             system('sleep', '987654')\n  end\nend\n",
        ),
    ] {
        let own = match text {
            "" => std::fs::read_to_string(module.join(from)).expect("read"),
            text => text.to_owned(),
        };
        folder.write(from, &own);
    }
    let mut child = folder
        .command(&["resource", "kernel_setting"])
        .spawn()
        .expect("started");
    let sleeps = || {
        let found = Command::new("pgrep").args(["-f", "sleep 987654"]).output();
        found.expect("pgrep").status.success()
    };
    let wait_for = |wanted: bool| {
        for _ in 0..500 {
            if sleeps() == wanted {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        panic!("the provider's program: expected {wanted}");
    };
    wait_for(true);
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("sent");
    child.wait().expect("ended");
    wait_for(false);
}

/// A device for the module `nexus`.
struct Device {
    child: Child,
    port: String,
}

impl Device {
    fn start() -> Device {
        let mut child = Command::new("python3")
            .arg(PathBuf::from(provider("nexus")).join("device.py"))
            .arg("0")
            .stdout(Stdio::piped())
            .spawn()
            .expect("python3");
        let mut port = String::new();
        let output = child.stdout.take().expect("a pipe");
        BufReader::new(output)
            .read_line(&mut port)
            .expect("its port");
        Device {
            child,
            port: port.trim().to_owned(),
        }
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn remote_resources_are_applied_to_a_device() {
    let device = Device::start();
    let folder = Folder::empty();
    let file = folder.write("cred.conf", "");
    folder.write(
        "device.conf",
        &format!("[switch]\ntype nexus\nurl file://{}\n", file.display()),
    );
    let module = provider("nexus");
    let run = |password: &str, arguments: &[&str]| {
        let port = &device.port;
        folder.write(
            "cred.conf",
            &format!("host: 127.0.0.1\nport: {port}\nuser: admin\npassword: \"{password}\"\n"),
        );
        let mut arguments = arguments.to_vec();
        arguments.extend(["--module", &module]);
        folder.run(&arguments)
    };
    let code = "nx9k_vlan { '42': description => 'printers' }";
    let to = ["--target", "switch", "--deviceconfig", "device.conf"];
    let with = |first: &[&'static str]| [first, &to].concat();
    run("correct horse", &with(&["apply", "-e", code]))
        .exits(0)
        .says("Nx9k_vlan[42]/ensure: defined 'ensure' as 'present'");
    run("correct horse", &with(&["resource", "nx9k_vlan", "42"]))
        .exits(0)
        .says("description => 'printers',")
        .says("# ports => 0, # Read Only");
    run("wrong", &with(&["resource", "nx9k_vlan", "42"]))
        .exits(1)
        .says("Can't load nexus for switch: the switch refuses login");
    run("", &["apply", "-e", code])
        .exits(0)
        .says("not applied: Nx9k_vlan[42]");
    run("", &["apply", "-e", code, "--target", "nowhere"])
        .exits(2)
        .says("no [target.nowhere]: there are: switch");
}

#[test]
fn puppet_does_the_same() {
    let folder = Folder::empty();
    let module = provider("package_key");
    folder.write(
        "site.pp",
        "package_key { 'a': source => '/etc/hostname', owner => 'x' }\n\
         package_key { 'b': ensure => absent }\npackage_key { 'c': source => '/nowhere' }\n",
    );
    let diff = |more: &[&str]| {
        let mut arguments = vec!["diff", "site.pp", "--module", &module, "--runtime", OLD];
        arguments.extend(more);
        folder.run(&arguments)
    };
    diff(&["--store", "seen.json"])
        .exits(0)
        .says("agree  site.pp");
    assert!(
        folder
            .read("seen.json")
            .contains("created /etc/package-keys.d/a.key")
    );
    diff(&["--noop"]).exits(0);
    folder.replace("site.pp", "owner => 'x'", "owner => 'y'");
    diff(&["--recorded", "seen.json"])
        .exits(1)
        .says("effects (created /etc/package-keys.d/a.key) in mode apply")
        .says("-   Owner: x\n  +   Owner: y")
        .says("differ  site.pp in 1 of 1 mode");
    diff(&["--recorded", "seen.json", "--noop"])
        .exits(2)
        .says("made with the options \"--puppet-strict warning\"");
    diff(&["-b", "main"])
        .exits(2)
        .says("is for CFEngine policies");
}

#[test]
fn aliases_of_types_are_those_of_all_modules() {
    let folder = talker(
        "",
        "  def get(_context)\n    [{ name: 'a', ensure: 'present' }]\n  end\n\n  def set(*); end\n",
    );
    folder.replace(
        "lib/puppet/type/talker.rb",
        "name: { type: 'String'",
        "port: { type: 'Optional[Hosts::Port]', desc: 'x', behaviour: :parameter },\n    \
         name: { type: 'Talk::Name'",
    );
    folder.write("metadata.json", "{\"name\": \"me-talk\"}");
    folder.write(
        "types/name.pp",
        "type Talk::Name = Pattern[/\\A[a-z]\\z/]\n",
    );
    folder.write(
        "modules/hosts/types/port.pp",
        "type Hosts::Port = Integer[1, 65535]",
    );
    let run = |command: &str, code: &str, more: &[&str]| {
        folder.write("site.pp", code);
        folder.run(&[&[command, "site.pp"], more].concat())
    };
    let (sound, wrong) = ("talker { 'a': port => 80 }", "talker { 'a': port => 0 }");
    let says = "talker.port expects a Hosts::Port = Integer[1, 65535] value, got Integer[0, 0]";
    let all = ["--modulepath", "modules"];
    run("apply", sound, &all).exits(0).says_not("Error");
    run("apply", wrong, &all).exits(1).says(says);
    let name = "talker.name expects a match for Talk::Name = Pattern[/\\A[a-z]\\z/], got 'A'";
    run("apply", "talker { 'A': }", &all).exits(1).says(name);
    folder
        .run(&["resource", "talker"])
        .exits(0)
        .says("talker { 'a':");
    run("diff", sound, &all).exits(0).says_not("neither");
    run("diff", wrong, &all).exits(0).says("agree").says(says);
    // As for Puppet, an alias that no module defines stands for nothing.
    let unresolved = "references an unresolved type 'Hosts::Port'";
    run("apply", sound, &[]).exits(1).says(unresolved);
    run("diff", sound, &[])
        .exits(0)
        .says("neither side accepts it")
        .says(unresolved);
    folder.write(
        "types/name.pp",
        "type Talk::Name = Variant[String, Array[Talk::Name]]",
    );
    run("apply", sound, &all)
        .exits(2)
        .says("not supported: the type talker:")
        .says("names `Talk::Name`, an alias that contains itself");
}
