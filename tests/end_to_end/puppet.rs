//! `stickler check` on Puppet modules: sound ones in many styles, and what the table of mutants does not show.

mod aliases;
mod blame;
mod campaigns;
mod causes;
mod cli_apply;
mod cli_apply_devices;
mod connections;
mod decisions;
mod descriptions;
mod devices;
mod families;
mod idle;
mod invalid;
mod known;
mod programs;
mod puppet_recorded;
mod releases;
mod runtimes;
mod snapshots;
mod states;
mod surroundings;
mod targets;
mod values;

use crate::cli::{Folder, Output, finish, json_lines};
use crate::common::{part, root, side_by_side};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The modules whose description Stickler reads as a whole.
const SOUND: &[&str] = &[
    "api_credential",
    "daily_job",
    "feature_flag",
    "file_index",
    "host_aliases",
    "kernel_setting",
    "nexus",
    "package_key",
    "print_queue",
    "registry_entry",
    "software_pin",
    "trusted_fingerprint",
];

/// A copy of a module.
fn module(name: &str) -> Folder {
    let folder = Folder::empty();
    copy(&root().join("fixtures/providers").join(name), folder.path());
    folder
}

/// Copies the files of a folder into another one.
pub fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).expect("a folder").flatten() {
        let target = to.join(entry.file_name());
        if entry.file_name() == ".stickler" {
            continue;
        }
        if entry.path().is_dir() {
            fs::create_dir_all(&target).expect("made");
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("copied");
        }
    }
}

/// The rules with one of these verdicts.
fn with_verdict(output: &Output, verdicts: &[&str]) -> BTreeSet<String> {
    let lines = json_lines(output);
    let rules = lines.iter().filter(|line| line["event"] == "rule");
    let rules = rules.filter(|line| verdicts.contains(&line["verdict"].as_str().unwrap_or("")));
    rules
        .filter_map(|line| line["rule"].as_str().map(str::to_owned))
        .collect()
}

#[test]
fn nothing_fails_on_sound_modules() {
    side_by_side(SOUND, |name| {
        let output =
            module(name).run(&[&["check", "--strict", "--format", "json"], part()].concat());
        let failed = with_verdict(&output, &["fail", "flaky", "advice"]);
        assert_eq!(failed, BTreeSet::new(), "{name}");
        output.exits(0);
    });
}

const PROVIDER: &str = "provider/package_key/package_key.rb";

#[test]
fn a_module_needs_no_description() {
    let folder = module("package_key");
    fs::remove_file(folder.path().join("stickler.toml")).expect("removed");
    let output = folder.run(&["check"]);
    output
        .exits(0)
        .says("resource-api (1 type)")
        .says("no example")
        .says("[[example]] in stickler.toml")
        .says_not("stickler init");
    // Nothing is set, although this type admits any name.
    let other = module("registry_entry");
    fs::remove_file(other.path().join("stickler.toml")).expect("removed");
    let output = other.run(&["check", "--format", "json", "--verbose"]);
    let silent = with_verdict(&output, &["not-exercised"]);
    for rule in ["RA501", "RA506", "RA604", "RA802", "RA803"] {
        assert!(silent.contains(rule), "{rule}: {silent:?}");
    }
    // Its place can be given, and a type chosen.
    let elsewhere = Folder::empty();
    let path = folder.path().display().to_string();
    elsewhere
        .run(&["check", &path])
        .exits(0)
        .says("resource-api");
    let named = ["check", &path, "--type", "package_key"];
    elsewhere.run(&named).exits(0);
    elsewhere
        .run(&["check", &path, "--type", "package_kee"])
        .exits(2)
        .says("there are: package_key");
    elsewhere
        .run(&["check", "--dialect", "resource-api"])
        .exits(2)
        .says("no Puppet module");
    // Services have no home, and some homes cannot be written.
    for home in [None, Some("/proc/nowhere")] {
        let mut command = elsewhere.command(&["check", &path]);
        command.env_remove("XDG_CACHE_HOME").env_remove("HOME");
        command.envs(home.map(|home| ("HOME", home)));
        let output = command.output().expect("it runs");
        let said = String::from_utf8_lossy(&output.stderr);
        let code = output.status.code();
        match home {
            None => assert_eq!(code, Some(0), "{said}"),
            Some(_) => assert!(
                code == Some(3) && said.contains("XDG_CACHE_HOME"),
                "{code:?} {said}"
            ),
        }
    }
}

#[test]
fn a_finding_is_replayed_and_explained() {
    let folder = module("package_key");
    let file = format!("lib/puppet/{PROVIDER}");
    let text = folder.read(&file);
    folder.write(
        &file,
        &text.replace("size: key.bytesize", "size: key.bytesize.to_s"),
    );
    let output = folder.run(&["check", "--format", "json", "--select", "RA202"]);
    output.exits(1);
    let lines = json_lines(&output);
    let found = lines
        .iter()
        .find(|line| line["rule"] == "RA202")
        .expect("a rule");
    let reproducer = found["reproducer"].as_str().expect("a file");
    let name = folder.path().file_name().expect("a name").to_string_lossy();
    let name = name.trim_start_matches('.');
    assert!(
        reproducer.contains(&format!("/{name}-RA202-")),
        "{reproducer}"
    );
    folder.run(&["replay", reproducer]).exits(1).says("RA202");
    folder.write(&file, &text);
    folder.run(&["replay", reproducer]).exits(0);
    folder.run(&["judge", reproducer]).exits(1).says("RA202");
    folder.run(&["explain", "RA202"]).exits(0).says("Integer");
    folder.run(&["rules"]).exits(0).says("RA804");
}

#[test]
fn a_reproducer_of_another_machine_is_replayed() {
    let folder = module("package_key");
    folder.replace(
        &format!("lib/puppet/{PROVIDER}"),
        "size: key.bytesize",
        "size: key.bytesize.to_s",
    );
    let reproducer = folder.reproducer("RA202");
    // The module has another path there, and the host another place.
    let there = Folder::empty();
    copy(folder.path(), &there.path().join("keys"));
    there.write("found.jsonl", &folder.read(&reproducer));
    let cache = there.path().join("cache");
    let replay = |module: &str| {
        let arguments = ["replay", "found.jsonl", "--module", module];
        finish(there.command(&arguments).env("XDG_CACHE_HOME", &cache))
    };
    drop(folder);
    replay("keys").exits(1).says("RA202").says("/keys");
    there.replace(
        &format!("keys/lib/puppet/{PROVIDER}"),
        "size: key.bytesize.to_s",
        "size: key.bytesize",
    );
    replay("keys").exits(0).says("fixed");
    replay("found.jsonl").exits(2).says("is not a folder");
    // A program is a file.
    let folder = module("notes_py");
    folder.replace("notes.py", "\"bytes\": size}", "\"bytes\": str(size)}");
    let reproducer = folder.reproducer("RA202");
    folder.run(&["replay", &reproducer]).exits(1);
    let there = Folder::empty();
    copy(folder.path(), there.path());
    there.write("found.jsonl", &folder.read(&reproducer));
    drop(folder);
    there
        .run(&["replay", "found.jsonl", "--module", "notes.py"])
        .exits(1)
        .says("RA202");
    there
        .run(&["replay", "found.jsonl", "--module", "."])
        .exits(2)
        .says("is a folder");
}

#[test]
fn a_campaign_finds_a_defect_that_no_example_shows() {
    let campaign = ["fuzz", "--seed", "1", "--coverage", "off", "--jobs", "1"];
    let sound = module("package_key");
    sound
        .run(&[&campaign[..], &["--cases", "300"]].concat())
        .exits(0)
        .says("no finding");
    // The lines of the provider are followed, not those of the host.
    let followed = [
        "fuzz", "--seed", "1", "--jobs", "1", "--cases", "60", "--format", "json",
    ];
    let output = sound.run(&followed);
    let last = json_lines(&output).pop().expect("a summary");
    let lines = last["lines"].as_u64().expect("lines");
    assert!((20..400).contains(&lines), "{last}");
    let folder = module("package_key");
    let file = format!("lib/puppet/{PROVIDER}");
    let text = folder.read(&file);
    let from = "    owner = should[:owner] if should.key?(:owner)\n";
    assert!(text.contains(from));
    let to = "    owner = should[:owner] if should.key?(:owner)\n    nil.upcase if owner.to_s.size > 30\n";
    folder.write(&file, &text.replace(from, to));
    let output = folder.run(&[&campaign[..], &["--for", "1000s", "--until-finding"]].concat());
    output.exits(1).says("RA801").says("NoMethodError");
}

/// Numbers, booleans and lists have neighbours as texts have, and types name values that no example has.
#[test]
fn a_campaign_pairs_values_of_each_type() {
    let folder = module("daily_job");
    let file = "lib/puppet/provider/daily_job/daily_job.rb";
    let from = "      { name: name, ensure: 'present' }.merge(read(name))\n    end\n";
    let to = "      { name: name, ensure: 'present' }.merge(read(name))\n    end.reject { |row| row[:hour] == 23 && row[:enabled] == false }\n";
    folder.replace(file, from, to);
    let campaign = ["fuzz", "--seed", "1", "--coverage", "off", "--jobs", "1"];
    let output = folder.run(&[&campaign[..], &["--for", "1000s", "--until-finding"]].concat());
    output.exits(1).says("RA501");
}

#[test]
fn init_suggests_an_example_of_each_type() {
    let folder = module("nexus");
    folder.run(&["init"]).exits(2).says("already exists");
    let done = folder.run(&["init", "--force"]);
    done.exits(0).says("a suggestion for 1 type");
    let text = folder.read("stickler.toml");
    for line in [
        "# type = \"nx9k_vlan\"",
        "# target = \"nexus\"",
        "# # shutdown = false  # Boolean Whether it is switched off.",
        "# host = \"TODO\"  # TODO: String[1] The switch: a name or an address.",
        "# # port = 8022  # Optional[Integer[1, 65535]]",
    ] {
        assert!(text.contains(line), "{line:?} is not in:\n{text}");
    }
    // Filled in, the suggestion is an example.
    let module = module("api_credential");
    module.run(&["init", "--force"]).exits(0);
    let text = module.read("stickler.toml");
    let (types, _) = text
        .split_once("## Replacements of commands")
        .expect("further suggestions");
    let text = types.replace("\n# ", "\n");
    module.write("stickler.toml", &text.replace("\"x\"", "\"x1\""));
    let checked = module.run(&["check", "--quick", "--format", "json"]);
    checked.exits(0);
    // What does not parse shows its shape, and need not be given.
    let secret = "'Optional[Sensitive[String]]'";
    let odd = "'Optional[Struct[{\n        class => String,\n      }]]'";
    module.replace("lib/puppet/type/api_credential.rb", secret, odd);
    module.run(&["init", "--force"]).exits(0);
    let line = "# # password = {}  # TODO: Optional[Struct[{ class => String, }]] The password.";
    let text = module.read("stickler.toml");
    assert!(text.contains(line), "{text}");
    module
        .run(&["init", "--force", "--promise-type", "x"])
        .exits(2);
    Folder::empty()
        .run(&["init"])
        .exits(2)
        .says("name a module");
}

#[test]
fn words_are_those_of_the_dialect() {
    let folder = module("package_key");
    let page = folder.run(&["explain", "RA503"]);
    page.exits(0)
        .says("Changes without `:should`")
        .says_not("agent");
    // What no type has is not waited for.
    let output = folder.run(&["check", "--time", "1s"]);
    output
        .says("--time DURATION gives more")
        .says_not("RA204")
        .says_not("--quick");
}
