//! Targets and transports: how they are described, and what is stored of them.

use super::{module, with_verdict};
use crate::cli::Folder;
use std::fs;
use std::path::Path;

#[test]
fn targets_are_described() {
    let folder = module("nexus");
    let description = folder.read("stickler.toml");
    let with = |from: &str, to: &str| {
        assert!(description.contains(from), "{from}");
        folder.write("stickler.toml", &description.replace(from, to));
        folder.run(&["check", "--quick", "--select", "RA520"])
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
    with("transport = \"nexus\"", "transport = \"nexxus\"")
        .exits(2)
        .says("no transport \"nexxus\" in")
        .says("did you mean \"nexus\"?");
    with("transport = \"nexus\"\n", "")
        .exits(2)
        .says("[target.switch] has no transport");
    with("connection_info =", "connection =")
        .exits(2)
        .says("unknown key \"connection\"");
    // Nothing can be set on a target that does not answer.
    with("port = 8022", "port = 8023")
        .exits(1)
        .says("RA520")
        .says("cannot be set: Puppet::Error:");
    // Without examples, the transport's provider is found by its name.
    let start = description.find("[[example]]").expect("an example");
    folder.write("stickler.toml", &description[..start]);
    let output = folder.run(&["check", "--format", "json", "--select", "RA116,RA202"]);
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
        .says("`target` is a key of Puppet modules")
        .says("no effect on promise modules");
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
    let output = folder.run(&["check", "--quick", "--format", "json"]);
    output.exits(1).says_not("correct horse");
    let reproducer = folder.reproducer("RA501");
    let stored = folder.read(&reproducer);
    assert!(!stored.contains("correct horse"), "{stored}");
    assert!(stored.contains("REDACTED"), "{stored}");
    let fuzz = ["fuzz", "--seed", "1", "--coverage", "off", "--jobs", "1"];
    let limits = ["--for", "1000s", "--until-finding"];
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
fn a_check_of_one_type_starts_only_what_this_one_needs() {
    let folder = module("nexus");
    let local = module("kernel_setting");
    for part in ["type", "provider/kernel_setting"] {
        let part = Path::new("lib/puppet").join(part);
        let file = part.join("kernel_setting.rb");
        fs::create_dir_all(folder.path().join(&part)).expect("a folder");
        fs::copy(local.path().join(&file), folder.path().join(&file)).expect("copied");
    }
    let own = local.read("stickler.toml");
    let examples = own.find("[[example]]").map_or("", |start| &own[start..]);
    // Whoever starts this waits for a port that nobody opens.
    let of_device = folder
        .read("stickler.toml")
        .replace("device.py", "no_device.py");
    folder.write("stickler.toml", &format!("{of_device}\n{examples}"));
    let check = |kind: &str| {
        folder.run(&[
            "check",
            "--quick",
            "--select",
            "RA501,RA502",
            "--type",
            kind,
            "--format",
            "json",
        ])
    };
    let output = check("kernel_setting");
    let passed = with_verdict(output.exits(0), &["pass"]);
    assert!(passed.contains("RA501"), "{passed:?}");
    let output = check("nx9k_vlan");
    assert_ne!(output.code, 0, "{}", output.stdout);
}

#[test]
fn a_module_may_hold_transports_alone() {
    let folder = module("nexus");
    for part in ["type", "provider"] {
        fs::remove_dir_all(folder.path().join("lib/puppet").join(part)).expect("removed");
    }
    let description = folder.read("stickler.toml");
    let start = description.find("[[example]]").expect("an example");
    folder.write("stickler.toml", &description[..start]);
    let json = ["check", "--strict", "--format", "json"];
    let passed = with_verdict(folder.run(&json).exits(0), &["pass"]);
    for rule in ["RA701", "RA705", "RA706", "RA708", "RA712", "RA714"] {
        assert!(passed.contains(rule), "{rule}: {passed:?}");
    }
    folder
        .run(&["check"])
        .exits(0)
        .says("the module has no type")
        .says("nothing was evaluated, because the module has transports, but no type");
    for (command, words) in [
        (
            &["fuzz", "--for", "1s"][..],
            "there is nothing to fuzz: the module has transports, but no type",
        ),
        (&["snap"], "because the module has transports, but no type"),
        (&["resource", "nx9k_vlan"], "no puppet/type/nx9k_vlan.rb"),
        (
            &["apply", "-e", "nx9k_vlan { '1': }"],
            "no puppet/type/nx9k_vlan.rb",
        ),
        (
            &["check", "--type", "nx9k_vlan"],
            ".: no type \"nx9k_vlan\"; there is none",
        ),
    ] {
        let output = folder.run(command);
        output.says(words).says_not("./.");
        assert_ne!(output.code, 0, "{command:?}");
    }
    // Also without a description.
    fs::remove_file(folder.path().join("stickler.toml")).expect("removed");
    let schema = "lib/puppet/transport/schema/nexus.rb";
    let text = folder.read(schema);
    folder.run(&json).exits(0);
    folder.write(
        schema,
        &text.replace("connection_info: {", "connections: {"),
    );
    let output = folder.run(&json);
    assert!(
        with_verdict(&output, &["fail"]).contains("RA701"),
        "{}",
        output.stdout
    );
    // And with nothing at all.
    fs::remove_dir_all(folder.path().join("lib/puppet/transport")).expect("removed");
    fs::create_dir(folder.path().join("lib/puppet/type")).expect("made");
    folder
        .run(&["check"])
        .exits(2)
        .says("error: .: no type of the Resource API in lib/puppet/type, and no schema");
}
