//! `stickler check` on Puppet modules: sound ones in many styles, and the same with one defect each.

mod programs;
mod states;

use crate::cli::{Folder, Output, json_lines};
use crate::common::{root, side_by_side};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The modules whose description Stickler reads as a whole.
const SOUND: &[&str] = &[
    "api_credential",
    "daily_job",
    "file_index",
    "host_aliases",
    "kernel_setting",
    "nexus",
    "package_key",
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

const fn key(
    rules: &'static [&'static str],
    file: &'static str,
    from: &'static str,
    to: &'static str,
) -> Mutant {
    Mutant {
        rules,
        module: "package_key",
        file,
        from,
        to,
    }
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
        to: "\"#{digits.delete_prefix('0x').upcase}0\" if",
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

const TRANSPORT: &str = "transport/nexus.rb";
const VLANS: &str = "provider/nx9k_vlan/nexus.rb";

const fn nexus(
    rules: &'static [&'static str],
    file: &'static str,
    from: &'static str,
    to: &'static str,
) -> Mutant {
    Mutant {
        rules,
        module: "nexus",
        file,
        from,
        to,
    }
}

/// What may go wrong with a connection.
const CONNECTIONS: &[Mutant] = &[
    nexus(&["RA705"], TRANSPORT, "def facts(_context)", "def facts"),
    nexus(&["RA705"], TRANSPORT, "def verify(_context)", "def check"),
    nexus(
        &["RA706"],
        TRANSPORT,
        "      raise\n    end\n\n    def verify(_context)\n      request('ping')\n",
        "    end\n\n    def verify(_context)\n      request('ping') if @socket\n",
    ),
    nexus(&["RA707"], TRANSPORT, "      request('ping')\n", ""),
    nexus(
        &["RA707"],
        TRANSPORT,
        "'hostname' => about[:hostname] }",
        "'hostname' => about[:hostname] }.to_a",
    ),
    nexus(
        &["RA708"],
        TRANSPORT,
        "      @socket&.close\n",
        "      @last = @socket\n",
    ),
    nexus(
        &["RA708"],
        TRANSPORT,
        "      @socket = connect(",
        "      @child = Process.spawn('sleep', '60')\n      @socket = connect(",
    ),
    nexus(
        &["RA708"],
        TRANSPORT,
        "      @socket&.close\n      @socket = nil\n    rescue IOError, SystemCallError\n",
        "      @socket&.puts('bye')\n      @socket&.close\n",
    ),
    nexus(
        &["RA709"],
        TRANSPORT,
        "        context.notice(\"#{host}:#{port} does not answer, attempt #{attempt} of #{ATTEMPTS}\")\n",
        "        sleep 1\n",
    ),
    nexus(
        &["RA710"],
        TRANSPORT,
        "      @socket&.close\n",
        "      raise 'closed before' if @closed\n\n      @closed = true\n      @socket&.close\n",
    ),
    nexus(
        &["RA710"],
        TRANSPORT,
        "user: connection_info[:user]",
        "user: connection_info.delete(:user)",
    ),
    nexus(
        &["RA711"],
        VLANS,
        "context.transport.vlans.map",
        "{ 7 => { shutdown: false } }.map",
    ),
    nexus(
        &["RA712"],
        "util/network_device/nexus/device.rb",
        "Puppet::ResourceApi::Transport::Wrapper",
        "Puppet::Util::NetworkDevice::Simple::Device",
    ),
    nexus(
        &["RA712"],
        "util/network_device/nexus/device.rb",
        "super('nexus', ",
        "super('switch', ",
    ),
    nexus(
        &["RA712"],
        "transport/schema/nexus.rb",
        "name: 'nexus'",
        "name: 'cisco_nexus'",
    ),
    nexus(&["RA712"], TRANSPORT, "class Nexus", "class Switch"),
    nexus(
        &["RA713"],
        TRANSPORT,
        "password: connection_info[:password].unwrap",
        "password: (@password = connection_info[:password].unwrap)",
    ),
    nexus(
        &["RA713"],
        TRANSPORT,
        "      @socket = connect(",
        "      context.debug(\"password: #{connection_info[:password].unwrap}\")\n      @socket = connect(",
    ),
    nexus(
        &["RA713"],
        TRANSPORT,
        "the switch refuses #{command}: ",
        "the switch refuses #{arguments}: ",
    ),
    nexus(
        &["RA714"],
        TRANSPORT,
        "      @socket = connect(",
        "      raise 'connected before' if defined?(@@connected)\n\n      @@connected = true\n      @socket = connect(",
    ),
    nexus(
        &["RA716"],
        TRANSPORT,
        "'hostname' => about[:hostname] }",
        "'hostname' => about[:hostname] }.clear",
    ),
];

#[test]
fn each_rule_about_connections_catches_its_mutant() {
    side_by_side(CONNECTIONS, caught);
}

/// Legal behaviour that is close to what rules forbid.
const NEAR_MISSES: &[Mutant] = &[
    // Only `verify` tells that there is no connection.
    nexus(
        &["RA706"],
        TRANSPORT,
        "      close(context)\n      raise\n",
        "      close(context)\n      context.warning('no connection yet')\n",
    ),
    // What stays wrapped may be kept.
    nexus(
        &["RA713"],
        TRANSPORT,
        "      @socket = connect(",
        "      @info = connection_info.dup\n      context.debug(\"connects by #{@info}\")\n      @socket = connect(",
    ),
    // A long wait that is told of.
    nexus(&["RA709"], TRANSPORT, "PAUSE = 0.5", "PAUSE = 1.3"),
    // The provider keeps the transport.
    nexus(
        &["RA711"],
        VLANS,
        "context.transport.vlans.map",
        "(@switch ||= context.transport).vlans.map",
    ),
    // The session is ended politely, if it can be.
    nexus(
        &["RA708", "RA710"],
        TRANSPORT,
        "      @socket&.close\n",
        "      @socket&.write(\"\\n\")\n      @socket&.close\n",
    ),
];

#[test]
fn near_misses_are_no_findings() {
    side_by_side(NEAR_MISSES, |miss| {
        let output = changed(miss).run(&["check", "--strict", "--format", "json", "--verbose"]);
        let failed = with_verdict(&output, &["fail", "flaky", "advice"]);
        assert_eq!(failed, BTreeSet::new(), "{:?}: {}", miss.rules, miss.to);
        let passed = with_verdict(&output, &["pass"]);
        for rule in miss.rules {
            assert!(passed.contains(*rule), "{rule}: {passed:?}");
        }
    });
}

#[test]
fn contradictory_connection_info_is_refused() {
    let folder = module("nexus");
    let description = folder.read("stickler.toml");
    let other = "[target.none]\ntransport = \"nexus\"\ninvalid = true\nconnection_info = { host = \"127.0.0.1\", user = \"admin\", password = \"\" }\n";
    folder.write("stickler.toml", &format!("{description}\n{other}"));
    let verdicts = |refusal: &str| {
        let file = format!("lib/puppet/{TRANSPORT}");
        let sound = folder.read(&file);
        let line = format!("      {refusal} if connection_info[:password].unwrap.empty?\n");
        let from = "      @socket = connect(";
        folder.write(&file, &sound.replace(from, &format!("{line}{from}")));
        let output = folder.run(&["check", "--format", "json", "--select", "RA715"]);
        folder.write(&file, &sound);
        with_verdict(&output, &["advice"]).contains("RA715")
    };
    assert!(!verdicts("raise ArgumentError, 'no password'"));
    assert!(verdicts("raise Puppet::Error, 'no password'"));
    assert!(verdicts(
        "connection_info = connection_info.merge(password: Puppet::Pops::Types::PSensitiveType::Sensitive.new('correct horse'))"
    ));
}

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
    for rule in ["RA501", "RA502", "RA520"] {
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
fn what_is_to_come_is_refused() {
    let folder = module("package_key");
    folder.run(&["snap"]).exits(2).says("to come");
}

#[test]
fn targets_are_described() {
    let folder = module("nexus");
    let description = folder.read("stickler.toml");
    let with = |from: &str, to: &str| {
        assert!(description.contains(from), "{from}");
        folder.write("stickler.toml", &description.replace(from, to));
        folder.run(&["check"])
    };
    with("target = \"switch\"\n", "")
        .exits(2)
        .says("\"a new VLAN\" needs a target")
        .says("[target.NAME]");
    with("target = \"switch\"", "target = \"router\"")
        .exits(2)
        .says("there is no [target.router]");
    with("[target.switch]", "[target.switch]\ninvalid = true")
        .exits(2)
        .says("[target.switch] is invalid");
    with("transport = \"nexus\"\n", "")
        .exits(2)
        .says("[target.switch] names no transport");
    with("connection_info =", "connection =")
        .exits(2)
        .says("unknown key \"connection\"");
    // Nothing can be brought about where nobody answers.
    with("port = 8022", "port = 8023")
        .exits(1)
        .says("RA520")
        .says("cannot be brought about: Puppet::Error:");
    // Without examples, the transport's provider is found by its name.
    let start = description.find("[[example]]").expect("an example");
    folder.write("stickler.toml", &description[..start]);
    let output = folder.run(&["check", "--format", "json", "--verbose"]);
    let passed = with_verdict(&output, &["pass"]);
    for rule in ["RA116", "RA202"] {
        assert!(passed.contains(rule), "{passed:?}");
    }
    fs::remove_file(folder.path().join("stickler.toml")).expect("removed");
    folder
        .run(&["check", "--verbose"])
        .exits(0)
        .says("describe one with [target.NAME]");
    // Promise modules have none.
    let foreign = Folder::empty();
    foreign.write("stickler.toml", "[target.x]\ntransport = \"x\"\n");
    foreign
        .run(&["check"])
        .exits(2)
        .says("belongs to the dialect");
}

#[test]
fn secrets_of_connections_are_not_stored() {
    let folder = module("nexus");
    // The schema alone says that it is secret.
    for file in [
        "stickler.toml",
        "lib/puppet/transport/nexus.rb",
        "lib/puppet/transport/schema/nexus.rb",
    ] {
        let text = folder.read(file);
        let text = text.replace("connection_info[:password]", "connection_info[:code]");
        let text = text.replace("password = \"", "code = \"");
        folder.write(file, &text.replace("    password: {", "    code: {"));
    }
    folder.replace(
        "lib/puppet/provider/nx9k_vlan/nexus.rb",
        "    context.transport.put_vlan(name, should.slice(*SETTINGS))",
        "    context.transport.put_vlan(name, should.slice(:shutdown))",
    );
    let output = folder.run(&["check", "--format", "json"]);
    output.exits(1).says_not("correct horse");
    let reproducer = folder.reproducer("RA501");
    let stored = folder.read(&reproducer);
    assert!(!stored.contains("correct horse"), "{stored}");
    assert!(stored.contains("REDACTED"), "{stored}");
    let fuzz = ["fuzz", "--seed", "1", "--coverage", "off", "--jobs", "1"];
    let limits = ["--for", "20s", "--until-finding"];
    let output = folder.run(&[&fuzz[..], &limits].concat());
    output.exits(1).says_not("correct horse");
    let mut stored_findings = 0;
    for finding in folder.list(".stickler/fuzz") {
        let below = format!(".stickler/fuzz/{finding}/findings");
        for file in folder.list(&below) {
            let stored = folder.read(&format!("{below}/{file}"));
            assert!(!stored.contains("correct horse"), "{stored}");
            stored_findings += 1;
        }
    }
    assert!(stored_findings > 0);
    // A replay connects all the same.
    folder.run(&["replay", &reproducer]).exits(1).says("RA501");
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
    module
        .run(&["init", "--force", "--promise-type", "x"])
        .exits(2);
    Folder::empty()
        .run(&["init"])
        .exits(2)
        .says("name a module");
}
