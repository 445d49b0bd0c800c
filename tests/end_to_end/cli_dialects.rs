//! Keys of `stickler.toml` and options that only another dialect has, end to end.

use crate::cli::Folder;

/// The smallest Puppet module.
const TYPE: &str = "require 'puppet/resource_api'\n\
    Puppet::ResourceApi.register_type(name: 'box', desc: 'A box.', attributes: {\n  \
    name: { type: 'String', desc: 'Its name.', behaviour: :namevar } })\n";

fn puppet_module(description: &str) -> Folder {
    let folder = Folder::empty();
    folder.write("lib/puppet/type/box.rb", TYPE);
    folder.write("stickler.toml", description);
    folder
}

#[test]
fn a_key_of_another_dialect_is_an_error_that_names_it() {
    for (key, table) in [
        ("open_attributes = true", "[subject]"),
        ("promise_type = \"box\"", "[subject]"),
        ("raw_attributes = '{}'", "[[example]]"),
        ("promiser = \"a\"", "[[example]]"),
        ("promise_type = \"box\"", "[[xfail]]"),
    ] {
        let text = format!("[subject]\ndialect = \"resource-api\"\npath = \".\"\n{table}\n{key}\n");
        let text = text.replace("path = \".\"\n[subject]\n", "path = \".\"\n");
        let (name, _) = key.split_once(' ').expect("a key");
        puppet_module(&text)
            .run(&["check"])
            .exits(2)
            .says(&format!("`{name}` is a key of promise modules"))
            .says("it has no effect on Puppet modules");
    }
    for (key, table) in [
        ("interpreters = [\"python3\"]", "[subject]"),
        ("types = [\"a\"]", "[subject]"),
        ("title = \"a\"", "[[example]]"),
        ("target = \"a\"", "[[example]]"),
        ("type = \"a\"", "[[waive]]"),
    ] {
        let folder = Folder::sound();
        let text = folder.read("stickler.toml");
        let text = match table {
            "[subject]" => text.replace("[subject]\n", &format!("[subject]\n{key}\n")),
            table => format!("{text}\n{table}\n{key}\n"),
        };
        folder.write("stickler.toml", &text);
        let (name, _) = key.split_once(' ').expect("a key");
        folder
            .run(&["check"])
            .exits(2)
            .says(&format!("`{name}` is a key of Puppet modules"));
    }
}

#[test]
fn a_key_that_no_dialect_has_is_unknown() {
    let folder = Folder::sound();
    folder.replace("stickler.toml", "[subject]\n", "[subject]\ncolour = 1\n");
    folder
        .run(&["check"])
        .exits(2)
        .says("unknown key \"colour\"");
}

#[test]
fn init_and_verbose_checks_say_why_a_dialect_was_chosen() {
    let folder = puppet_module("");
    folder
        .run(&["init", "--force"])
        .exits(0)
        .says("dialect       resource-api (because of the folder: it holds lib/puppet/type)");
    let quick = ["check", "--quick", "--select", "RA101", "--verbose"];
    folder
        .run(&quick)
        .says("dialect resource-api (stickler.toml names it)");
    folder.write("stickler.toml", "");
    folder
        .run(&quick)
        .says("dialect resource-api (because of the folder: it holds lib/puppet/type)");
    folder.run(&quick[..4]).says_not("because of the folder");
    let sound = Folder::sound();
    sound
        .run(&["check", "message.py", "--quick", "--select", "PM101", "-v"])
        .says("dialect promise-module (the module is a file, and nothing names another dialect)");
}

#[test]
fn an_interpreter_beside_a_whole_command_line_is_an_error() {
    let folder = Folder::sound();
    let done = folder.run(&["check", "--interpreter", "python3", "--", "./message.py"]);
    done.exits(2).says("take --interpreter out");
    let text = folder.read("stickler.toml");
    let text = text.replace("[subject]\n", "[subject]\ncommand = [\"./message.py\"]\n");
    folder.write("stickler.toml", &text);
    folder
        .run(&["check"])
        .exits(2)
        .says("`interpreter` has no effect beside `command`")
        .says("take `interpreter` out");
}

#[test]
fn an_option_of_another_dialect_is_an_error_that_names_it() {
    let folder = puppet_module("[subject]\ndialect = \"resource-api\"\npath = \".\"\n");
    let foreign: [&[&str]; 4] = [
        &["--promise-type", "box"],
        &["--promiser", "x"],
        &["--attribute", "a=b"],
        &["--as", "agent"],
    ];
    for options in foreign {
        for command in ["check", "fuzz", "snap"] {
            if command == "snap" && options[0] == "--as" {
                continue;
            }
            folder
                .run(&[&[command], options].concat())
                .exits(2)
                .says(&format!("{} is for promise modules", options[0]))
                .says("it has no effect on Puppet modules");
        }
    }
    folder
        .run(&["init", "--force", "--promise-type", "box"])
        .exits(2)
        .says("--promise-type is for promise modules");
    let modules = Folder::sound();
    for command in ["check", "fuzz", "snap"] {
        modules
            .run(&[command, "--type", "message"])
            .exits(2)
            .says("--type is for Puppet modules");
    }
}

#[test]
fn a_folder_that_two_dialects_claim_is_no_ones() {
    let folder = puppet_module("");
    let package = "package thing\n\nfunc init() {\n\tengine.RegisterResource(\"thing\", nil)\n}\n";
    folder.write("thing.go", package);
    folder
        .run(&["check"])
        .exits(2)
        .says("the dialects resource-api (it holds lib/puppet/type) and mgmt (")
        .says("choose one: write [subject] with dialect");
}

#[test]
fn a_folder_that_no_dialect_claims_is_told_what_they_look_for() {
    Folder::empty()
        .run(&["check", "."])
        .exits(2)
        .says("the folder has no stickler.toml, and no dialect claims the folder")
        .says("Puppet modules have lib/puppet/type");
}

#[test]
fn options_for_another_dialects_peer_are_refused() {
    let folder = Folder::empty();
    folder.write("p.cf", "bundle agent main { reports: \"x\"; }");
    folder.write("site.pp", "");
    for options in [
        &["--noop"][..],
        &["--module", "."],
        &["--modulepath", "/x"],
        &["--puppet-strict", "off"],
    ] {
        folder
            .run(&[&["diff", "./p.cf"], options].concat())
            .exits(2)
            .says(&format!("{} is for Puppet manifests", options[0]))
            .says("it has no effect on CFEngine policies");
    }
    for options in [
        &["--mode", "plain"][..],
        &["-b", "main"],
        &["--cf-agent", "cf-agent"],
    ] {
        folder
            .run(&[&["diff", "./site.pp"], options].concat())
            .exits(2)
            .says("is for CFEngine policies");
    }
}
