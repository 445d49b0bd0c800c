//! `stickler check` on Puppet modules: sound ones in many styles, and the same with one defect each.

mod aliases;
mod blame;
mod campaigns;
mod connections;
mod descriptions;
mod invalid;
mod programs;
mod runtimes;
mod snapshots;
mod states;
mod surroundings;
mod values;

use crate::cli::{Folder, Output, finish, json_lines};
use crate::common::{root, side_by_side};
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

fn copy(from: &Path, to: &Path) {
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
        let output = module(name).run(&["check", "--strict", "--format", "json"]);
        let failed = with_verdict(&output, &["fail", "flaky", "advice"]);
        assert_eq!(failed, BTreeSet::new(), "{name}");
        output.exits(0);
    });
}

/// A sound module with one part replaced, and the rules that this breaks.
struct Mutant {
    rules: &'static [&'static str],
    module: &'static str,
    /// The file below `lib/puppet`.
    file: &'static str,
    from: &'static str,
    to: &'static str,
}

const TYPE: &str = "type/package_key.rb";
const PROVIDER: &str = "provider/package_key/package_key.rb";

const fn of(
    module: &'static str,
    file: &'static str,
    rules: &'static [&'static str],
    from: &'static str,
    to: &'static str,
) -> Mutant {
    Mutant {
        rules,
        module,
        file,
        from,
        to,
    }
}

const fn key(
    rules: &'static [&'static str],
    file: &'static str,
    from: &'static str,
    to: &'static str,
) -> Mutant {
    of("package_key", file, rules, from, to)
}

const MUTANTS: &[Mutant] = &[
    key(
        &["RA101"],
        TYPE,
        "name: 'package_key'",
        "name: 'package-key'",
    ),
    key(&["RA102"], TYPE, "      type: 'Integer[0]',\n", ""),
    key(
        &["RA103"],
        TYPE,
        "      desc: 'How many bytes the key has.',\n",
        "",
    ),
    key(&["RA104"], TYPE, "  autorequire: {", "  autorequires: {"),
    key(&["RA105"], TYPE, "'Integer[0]'", "'Integer[0'"),
    key(
        &["RA106"],
        TYPE,
        "behaviour: :read_only",
        "behaviour: :readonly",
    ),
    key(
        &["RA107"],
        TYPE,
        "    size: {",
        "    tag: {\n      type: 'Optional[String]',\n      desc: 'x',\n    },\n    size: {",
    ),
    key(
        &["RA108"],
        TYPE,
        "'Enum[present, absent]'",
        "'Enum[present, absent, maybe]'",
    ),
    key(&["RA109"], TYPE, "default: 'present'", "default: 'there'"),
    key(
        &["RA110"],
        TYPE,
        "  autorequire: {",
        "  features: ['remote'],\n  autorequire: {",
    ),
    key(&["RA111"], TYPE, "      behaviour: :namevar,\n", ""),
    key(&["RA114"], TYPE, "'$source'", "'$sorce'"),
    key(
        &["RA115"],
        TYPE,
        "    size: {",
        "    password: {\n      type: 'Optional[String]',\n      desc: 'x',\n    },\n    size: {",
    ),
    key(
        &["RA116"],
        PROVIDER,
        "class Puppet::Provider::PackageKey::PackageKey",
        "class Puppet::Provider::PackageKey::Key",
    ),
    key(
        &["RA201"],
        PROVIDER,
        "{ name: name, ensure: 'present', owner: owner, size: key.bytesize }",
        "{ name: name, ensure: 'present', owner: owner, 'size' => key.bytesize }",
    ),
    key(
        &["RA202"],
        PROVIDER,
        "size: key.bytesize",
        "size: key.bytesize.to_s",
    ),
    key(
        &["RA202"],
        PROVIDER,
        "size: key.bytesize",
        "bytes: key.bytesize",
    ),
    key(
        &["RA203"],
        PROVIDER,
        ".compact.map { |name| row(name) }",
        ".compact.map { |name| row(name) } * 2",
    ),
    key(
        &["RA205"],
        PROVIDER,
        "    return [] unless File.directory?(folder)\n",
        "    FileUtils.mkdir_p(folder)\n",
    ),
    key(
        &["RA301"],
        PROVIDER,
        "  def set(",
        "  def canonicalize(_context, resources)\n    resources\n  end\n\n  def set(",
    ),
    key(
        &["RA402"],
        PROVIDER,
        "  def set(",
        "  def insync?(*)\n    nil\n  end\n\n  def set(",
    ),
    key(
        &["RA501"],
        PROVIDER,
        "    owner = should[:owner] if should.key?(:owner)\n",
        "    owner = should[:owner].to_s.upcase if should.key?(:owner)\n",
    ),
    key(
        &["RA503"],
        PROVIDER,
        "should.nil? || should[:ensure].to_s == 'absent'",
        "should[:ensure].to_s == 'absent'",
    ),
    key(
        &["RA504"],
        PROVIDER,
        "      should = change[:should]\n",
        "      should = change[:should]\n      change[:is][:ensure] unless change.fetch(:is, {}).nil?\n",
    ),
    key(
        &["RA506"],
        PROVIDER,
        "    changes.each do |name, change|",
        "    changes.first.fetch(1)\n    changes.each do |name, change|",
    ),
    key(
        &["RA507"],
        PROVIDER,
        "    end\n    nil\n  end",
        "    end\n  end",
    ),
    key(
        &["RA508"],
        PROVIDER,
        "    changes.each do |name, change|",
        "    context.type.attributes[:size][:desc] = 'other'\n    changes.each do |name, change|",
    ),
    key(
        &["RA518"],
        PROVIDER,
        "      should = change[:should]\n",
        "      should = change[:should]\n      should&.delete(:source) if should && should[:ensure].to_s == 'absent'\n      change[:seen] = true\n",
    ),
    key(
        &["RA601"],
        PROVIDER,
        "context.creating(name) {",
        "context.creating(\"#{name}.key\") {",
    ),
    key(
        &["RA603"],
        PROVIDER,
        "    changes.each do |name, change|",
        "    begin\n      context.error('x')\n    rescue NoMethodError\n      nil\n    end\n    changes.each do |name, change|",
    ),
    key(
        &["RA605"],
        PROVIDER,
        "    changes.each do |name, change|",
        "    context.err('x')\n    changes.each do |name, change|",
    ),
    key(
        &["RA609"],
        PROVIDER,
        "    changes.each do |name, change|",
        "    puts 'here'\n    changes.each do |name, change|",
    ),
    key(
        &["RA801"],
        PROVIDER,
        "    changes.each do |name, change|",
        "    nil.upcase if changes.key?('archive')\n    changes.each do |name, change|",
    ),
    Mutant {
        rules: &["RA207"],
        module: "registry_entry",
        file: "provider/registry_entry/registry_entry.rb",
        from: "names = all if names.nil? || names.empty?",
        to: "names = names.nil? ? all : names.drop(1)",
    },
    Mutant {
        rules: &["RA302"],
        module: "trusted_fingerprint",
        file: "provider/trusted_fingerprint/trusted_fingerprint.rb",
        from: "digits.delete_prefix('0x').upcase if",
        to: "digits.delete_prefix('0x').upcase.chars.rotate.join if",
    },
    Mutant {
        rules: &["RA303"],
        module: "trusted_fingerprint",
        file: "provider/trusted_fingerprint/trusted_fingerprint.rb",
        from: "comment.empty? ? nil : comment",
        to: "\"  #{comment}\"",
    },
    Mutant {
        rules: &["RA305"],
        module: "trusted_fingerprint",
        file: "provider/trusted_fingerprint/trusted_fingerprint.rb",
        from: "tidy(resource[:comment]) if",
        to: "tidy(resource[:comment]).size if",
    },
    Mutant {
        rules: &["RA112"],
        module: "software_pin",
        file: "type/software_pin.rb",
        from: "(?<package>[a-z0-9][a-z0-9+._-]*)\\z}",
        to: "(?<pack>[a-z0-9][a-z0-9+._-]*)\\z}",
    },
    Mutant {
        rules: &["RA113"],
        module: "software_pin",
        file: "type/software_pin.rb",
        from: "  title_patterns: [\n",
        to: "  title_patterns: [\n    {\n      pattern: %r{\\A(?<package>.*)\\z}m,\n      desc: 'Any.',\n    },\n",
    },
    Mutant {
        rules: &["RA204"],
        module: "software_pin",
        file: "provider/software_pin/software_pin.rb",
        from: "\"#{package}-#{manager}\"",
        to: "\"#{manager}-#{package}\"",
    },
    Mutant {
        rules: &["RA401"],
        module: "host_aliases",
        file: "provider/host_aliases/host_aliases.rb",
        from: "return true unless should[:force]",
        to: "return :yes unless should[:force]",
    },
    Mutant {
        rules: &["RA402"],
        module: "host_aliases",
        file: "provider/host_aliases/host_aliases.rb",
        from: "    current = is[:aliases] || []\n",
        to: "    raise 'no' if is[:aliases]\n    current = []\n",
    },
];

#[test]
fn each_rule_catches_its_mutant() {
    side_by_side(MUTANTS, caught);
}

/// The module of a mutant.
fn changed(mutant: &Mutant) -> Folder {
    let folder = module(mutant.module);
    let file = format!("lib/puppet/{}", mutant.file);
    let text = folder.read(&file);
    assert!(
        text.contains(mutant.from),
        "{:?}: {}",
        mutant.rules,
        mutant.from
    );
    folder.write(&file, &text.replacen(mutant.from, mutant.to, 1));
    folder
}

fn caught(mutant: &Mutant) {
    let select = mutant.rules.join(",");
    let output = changed(mutant).run(&["check", "--format", "json", "--select", &select]);
    let failed = with_verdict(&output, &["fail", "flaky", "advice"]);
    for rule in mutant.rules {
        assert!(
            failed.contains(*rule),
            "{rule}: {failed:?}\n{}\n{}",
            mutant.to,
            output.stdout
        );
    }
}

/// No rule that it comes close to fails, and each is exercised.
fn not_caught(miss: &Mutant) {
    let select = miss.rules.join(",");
    let check = ["check", "--strict", "--format", "json", "--verbose"];
    let output = changed(miss).run(&[&check[..], &["--select", &select]].concat());
    let failed = with_verdict(&output, &["fail", "flaky", "advice"]);
    assert_eq!(failed, BTreeSet::new(), "{:?}: {}", miss.rules, miss.to);
    let passed = with_verdict(&output, &["pass"]);
    for rule in miss.rules {
        assert!(passed.contains(*rule), "{rule}: {passed:?}\n{}", miss.to);
    }
}

#[test]
fn a_set_that_is_not_idempotent_is_found() {
    let folder = module("daily_job");
    let file = "lib/puppet/provider/daily_job/daily_job.rb";
    let text = folder.read(file);
    let from = "{ name: name, ensure: 'present' }.merge(read(name))";
    assert!(text.contains(from));
    folder.write(
        file,
        &text.replace(
            from,
            "{ name: name, ensure: 'present' }.merge(read(name)).merge(hour: 25 - 20)",
        ),
    );
    let output = folder.run(&["check", "--format", "json"]);
    let failed = with_verdict(&output, &["fail"]);
    for rule in ["RA501", "RA502"] {
        assert!(failed.contains(rule), "{failed:?}");
    }
}

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
    for foreign in [["--promiser", "x"], ["--attribute", "a=b"]] {
        elsewhere
            .run(&[&["check", &path][..], &foreign].concat())
            .exits(2)
            .says("for promise modules");
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
    replay("found.jsonl").exits(2).says("no folder");
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
fn a_campaign_finds_what_examples_do_not_show() {
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
    let output = folder.run(&[&campaign[..], &["--for", "60s", "--until-finding"]].concat());
    output.exits(1).says("RA801").says("NoMethodError");
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
    let text = module.read("stickler.toml").replace("\n# ", "\n");
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
