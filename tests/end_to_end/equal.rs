//! `stickler equal`, end to end: one intent as a promise, a resource and a vertex.

mod defects;

use crate::calls::is_nightly;
use crate::cli::{Folder, Output, finish, json_lines};
use crate::common::{Call, NOBODY, as_nobody, root, side_by_side};
use crate::puppet::copy;
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// The intents of the fixtures.
const INTENTS: [&str; 4] = ["file", "directory", "link", "line"];
/// The promise module.
const PROMISE: &str = "promise/intents.py";
/// The provider of files.
const PUPPET: &str = "puppet/lib/puppet/provider/text_file/text_file.rb";
/// The provider of lines.
const PUPPET_LINE: &str = "puppet/lib/puppet/provider/text_line/text_line.rb";
/// What all resources in Go share.
const MGMT: &str = "mgmt/intents.go";

/// The intents and their subjects in a folder of their own, changed.
fn intents(edits: &[(&str, &str, &str)]) -> Folder {
    let folder = Folder::empty();
    copy(&root().join("fixtures/equal"), folder.path());
    let fixtures = format!("=> {}/", root().join("fixtures").display());
    folder.replace("mgmt/go.mod", "=> ../../", &fixtures);
    for (file, from, to) in edits {
        folder.replace(file, from, to);
    }
    folder
}

fn equal(folder: &Folder, file: &str, more: &[&str]) -> Output {
    folder.run(&[&["equal", file], more].concat())
}

/// The subjects that differ, of a run with JSON lines.
#[track_caller]
fn differing(done: &Output) -> Vec<String> {
    let lines = json_lines(done);
    let summary = lines.last().expect("a summary");
    let names = summary["differ"].as_array().expect("a list").iter();
    names
        .map(|name| name.as_str().expect("a name").to_owned())
        .collect()
}

#[test]
fn sound_subjects_agree_on_each_intent() {
    let folder = intents(&[]);
    side_by_side(&INTENTS, |intent| {
        equal(&folder, &format!("{intent}.toml"), &[])
            .exits(0)
            .says("agree  3 subjects, 4 stages: creation, second run, drift, noop");
    });
}

#[test]
fn each_stage_has_a_row_for_each_subject() {
    let done = equal(&intents(&[]), "file.toml", &[]);
    let text = done.stdout.replace(char::is_whitespace, " ");
    for row in [
        "creation   CFEngine  changed       {dir}/motd  file 0640 ",
        "second run   CFEngine  in sync       {dir}/motd  file 0640 ",
        "drift   CFEngine  changed       {dir}/motd  file 0640 ",
        "noop   CFEngine  would change  changed nothing   Puppet    would change  changed nothing",
    ] {
        assert!(text.contains(row), "{row:?} is not in {text}");
    }
}

/// The intent without what it declares, and without the subject of this description.
fn without(folder: &Folder, file: &str, config: &str) {
    let text = folder.read(file);
    let lines = text.lines().filter(|line| !line.starts_with("creates"));
    let text: String = lines.map(|line| format!("{line}\n")).collect();
    let parts = text.split("\n[[subject]]");
    let kept = parts.filter(|part| !part.contains(&format!("config = \"{config}\"")));
    folder.write(file, &kept.collect::<Vec<_>>().join("\n[[subject]]"));
}

#[test]
fn of_two_subjects_the_one_that_is_not_as_declared_differs() {
    let wrong = (PUPPET, "mode.to_i(8)", "0o666");
    let folder = intents(&[wrong]);
    let declared = folder.read("file.toml");
    without(&folder, "file.toml", "mgmt");
    equal(&folder, "file.toml", &[])
        .exits(1)
        .says("`{dir}/motd` differs: CFEngine: file 0640")
        .says("; Puppet: file 0666")
        // What sound subjects claim in a second run is known.
        .says("DIFFER  Puppet  second run  claims \"changed\" instead of \"in sync\"");
    let (before, _) = declared.rsplit_once("\n[[subject]]").expect("subjects");
    folder.write("file.toml", before);
    let done = equal(&folder, "file.toml", &["--format", "json"]);
    done.exits(1);
    assert_eq!(differing(&done), ["Puppet"]);
}

#[test]
fn subjects_of_one_dialect_are_compared_too() {
    let folder = intents(&[]);
    copy(&folder.path().join("promise"), &made(&folder, "other"));
    folder.replace(
        "other/intents.py",
        "os.chmod(new, mode)",
        "os.chmod(new, 0o600)",
    );
    let text = folder.read("file.toml");
    let first = text.split("\n[[subject]]").nth(1).expect("a subject");
    let twice = first.replace("\"promise\"", "\"other\"");
    let unnamed = |text: &str| text.replace("name = \"CFEngine\"\n", "");
    let intent = text.split("\n[[subject]]").next().expect("an intent");
    let all = [intent, &unnamed(first), &unnamed(&twice)].join("\n[[subject]]");
    folder.write("file.toml", &all);
    let done = equal(&folder, "file.toml", &["--format", "json"]);
    done.exits(1);
    assert_eq!(differing(&done), ["promise-module 2"]);
}

/// A folder in a folder.
fn made(folder: &Folder, name: &str) -> std::path::PathBuf {
    let path = folder.path().join(name);
    fs::create_dir(&path).expect("made");
    path
}

#[test]
fn a_module_that_cannot_look_is_left_out_of_noop() {
    let folder = intents(&[(PROMISE, " action_policy\\n", "\\n")]);
    equal(&folder, "file.toml", &[])
        .exits(0)
        .says("CFEngine  not compared: the module cannot say what it would change");
}

#[test]
fn an_intent_that_nobody_brings_about_compares_nothing() {
    let folder = intents(&[]);
    // A directory is where each of them wants a file.
    folder.replace(
        "file.toml",
        "drift =",
        "setup = [[\"mkdir\", \"{dir}/motd\"]]\nunused =",
    );
    let text = folder.read("file.toml");
    let kept = text.lines().filter(|line| !line.starts_with("unused"));
    folder.write("file.toml", &kept.collect::<Vec<_>>().join("\n"));
    equal(&folder, "file.toml", &[])
        .exits(4)
        .says("nothing compared")
        .says("there is nothing to undo");
}

#[test]
fn the_lines_and_the_files_keep_to_their_schemas() {
    let schema = |name: &str| {
        let text = fs::read_to_string(root().join("docs/schema").join(name)).expect("a schema");
        let schema: Value = serde_json::from_str(&text).expect("JSON");
        jsonschema::validator_for(&schema).expect("a schema")
    };
    let folder = intents(&[(PUPPET_LINE, "}.join", "}.join.chomp")]);
    let done = equal(&folder, "line.toml", &["--format", "json"]);
    let line = schema("equal.schema.json");
    for one in json_lines(&done) {
        assert!(line.is_valid(&one), "{one}");
    }
    let case = schema("equal-case.schema.json");
    for intent in INTENTS {
        let file = root().join(format!("fixtures/equal/{intent}.toml"));
        let text = fs::read_to_string(file).expect("a file");
        let table: toml::Value = toml::from_str(&text).expect("TOML");
        let json = serde_json::to_value(table).expect("JSON");
        assert!(case.is_valid(&json), "{intent}");
    }
    let wrong = serde_json::json!({ "intent": { "name": "x", "drfit": [] }, "subject": [] });
    assert!(!case.is_valid(&wrong));
}

#[test]
fn kept_sessions_can_be_judged() {
    let folder = intents(&[]);
    equal(&folder, "line.toml", &["--keep"])
        .exits(0)
        .says(".stickler/equal");
    assert_eq!(
        folder.list(".stickler/equal"),
        ["CFEngine.jsonl", "Puppet.jsonl", "mgmt.jsonl"]
    );
    // Commands spoil the result between two evaluations.
    for (name, rules) in [("CFEngine", "PM8"), ("Puppet", "RA5"), ("mgmt", "MR1")] {
        let file = format!(".stickler/equal/{name}.jsonl");
        let done = folder.run(&["judge", &file, "--select", rules]);
        done.exits(0).says("passed");
    }
}

#[test]
fn secrets_are_not_shown() {
    let folder = intents(&[(PROMISE, "os.chmod(new, mode)", "os.chmod(new, 0o666)")]);
    folder.replace("file.toml", "Welcome.", "hunter2-hunter2");
    folder.replace(
        "promise/stickler.toml",
        "[subject]",
        "[subject]\nsensitive = [\"content\"]",
    );
    let done = equal(&folder, "file.toml", &["--verbose"]);
    done.exits(1).says("REDACTED").says_not("hunter2-hunter2");
}

#[test]
fn mistakes_are_answered_with_their_place() {
    let folder = intents(&[]);
    let sound = folder.read("file.toml");
    let (intent, rest) = sound.split_once("\n[[subject]]").expect("subjects");
    let first = rest.split("\n[[subject]]").next().expect("a subject");
    let one = format!("{intent}\n[[subject]]{first}");
    let with = |from: &str, to: &str| sound.replacen(from, to, 1);
    let cases: [(String, &str); 13] = [
        (one, "one subject cannot be compared"),
        (intent.to_owned(), "there is no [[subject]]"),
        (
            sound.replacen("[intent]", "[intention]", 1),
            "did you mean \"intent\"?",
        ),
        (format!("[[subject]]{rest}"), "there is no [intent]"),
        (with("drift =", "drfit ="), "did you mean \"drift\"?"),
        (
            with("promiser =", "title ="),
            "`title` is a key of Puppet modules",
        ),
        (
            with("config = \"promise\"\n", ""),
            "this [[subject]] has no config",
        ),
        (
            with("config = \"promise\"", "config = \"promises\""),
            "no such file",
        ),
        (
            with("name = \"Puppet\"", "name = \"CFEngine\""),
            "two subjects are called \"CFEngine\"",
        ),
        (
            with("promiser = \"{dir}/motd\"\n", ""),
            "this [[subject]] has no promiser",
        ),
        (
            with("\"text_file\"", "\"user\""),
            "no promise type \"user\"",
        ),
        (
            with("kind = \"text_file\"", "kind = \"user\""),
            "there is no kind \"user\"",
        ),
        (
            with("drift = [[", "drift = [[\"false\"], ["),
            "`drift` cannot be run with any subject",
        ),
    ];
    side_by_side(&cases, |(text, says)| {
        let name = format!("wrong-{}.toml", says.len());
        let own = intents(&[]);
        own.write(&name, text);
        equal(&own, &name, &[]).exits(2).says(says);
    });
    equal(&folder, "missing.toml", &[])
        .exits(2)
        .says("no such file");
    folder.write("broken.toml", "[intent\n");
    equal(&folder, "broken.toml", &[])
        .exits(2)
        .says("broken.toml:1:");
    folder.replace("file.toml", "drift =", "setup = [[\"false\"]]\ndrift =");
    equal(&folder, "file.toml", &[])
        .exits(2)
        .says("subject \"CFEngine\"")
        .says("false");
}

#[test]
fn a_subject_that_does_not_start_is_named() {
    let dies = intents(&[(PROMISE, "import json\n", "import jsn\n")]);
    equal(&dies, "file.toml", &[])
        .exits(3)
        .says("subject \"CFEngine\": the module cannot be started")
        .says("No module named 'jsn'");
    let missing = intents(&[("promise/stickler.toml", "/usr/bin/python3", "python9")]);
    equal(&missing, "file.toml", &[])
        .exits(3)
        .says("interpreter \"python9\": not found");
    let unbuilt = intents(&[(MGMT, "package intents", "package intents\n\nfunc")]);
    equal(&unbuilt, "file.toml", &[])
        .exits(3)
        .says("subject \"mgmt\": ");
}

#[test]
fn it_needs_no_privileges() {
    let folder = intents(&[]);
    let everybody = || fs::Permissions::from_mode(0o777);
    fs::set_permissions(folder.path(), everybody()).expect("opened");
    let home = made(&folder, "home");
    fs::set_permissions(&home, everybody()).expect("opened");
    // The repository may be in a folder that others cannot enter.
    copy(
        &root().join("fixtures/resources/era_context"),
        &made(&folder, "era"),
    );
    let fixtures = format!(
        "=> {}/resources/era_context/",
        root().join("fixtures").display()
    );
    folder.replace("mgmt/go.mod", &fixtures, "=> ../era/");
    // For a user without a cache, Go compiles its library.
    let agree = match is_nightly() {
        true => "agree  3 subjects",
        false => {
            without(&folder, "file.toml", "mgmt");
            "agree  2 subjects"
        }
    };
    let mut command = called_by_another(&folder, &home);
    finish(command.args(["equal", "file.toml"]))
        .exits(0)
        .says(agree);
}

/// The binary, called by a user without privileges.
fn called_by_another(folder: &Folder, home: &Path) -> Call {
    let is_root = fs::metadata("/proc/self").is_ok_and(|own| {
        use std::os::unix::fs::MetadataExt;
        own.uid() == 0
    });
    let mut command = match is_root {
        true => {
            std::os::unix::fs::chown(home, Some(NOBODY), Some(NOBODY)).expect("given");
            as_nobody()
        }
        false => crate::common::stickler(),
    };
    command
        .current_dir(folder.path())
        .env("HOME", home)
        .env("NO_COLOR", "1")
        .env_remove("CI")
        .env_remove("XDG_CACHE_HOME")
        .env_remove("GOCACHE")
        .env_remove("GOPATH");
    command
}
