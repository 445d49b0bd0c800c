//! The gates in `fixtures/planted`: each is sound without a defect, and each defect is there.

use crate::cli::Folder;
use crate::common::{root, side_by_side};
use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

const LANGUAGES: [&str; 4] = ["c", "python", "bash", "ruby"];

/// What someone says to a gate.
#[derive(Clone, Default)]
struct Talk {
    /// Shell commands before the gate starts.
    before: &'static str,
    messages: Vec<Message>,
    /// What is said at the end, piece by piece, without waiting for an answer.
    last: Vec<Vec<u8>>,
    /// Whether the file is removed before the last message.
    removes: bool,
}

#[derive(Clone)]
struct Message {
    verb: &'static str,
    file: String,
    message: String,
    mode: &'static str,
    warn: bool,
}

fn evaluate(message: impl Into<String>, mode: &'static str) -> Message {
    Message {
        verb: "evaluate_promise",
        file: "greeting".into(),
        message: message.into(),
        mode,
        warn: false,
    }
}

fn validate(message: &str) -> Message {
    Message {
        verb: "validate_promise",
        ..evaluate(message, "0644")
    }
}

fn warn(message: &str, mode: &'static str) -> Message {
    Message {
        warn: true,
        ..evaluate(message, mode)
    }
}

fn messages(messages: impl IntoIterator<Item = Message>) -> Talk {
    Talk {
        messages: messages.into_iter().collect(),
        ..Talk::default()
    }
}

/// One promise.
fn one(message: impl Into<String>, mode: &'static str) -> Talk {
    messages([evaluate(message, mode)])
}

/// Any promise, in an environment.
fn before(before: &'static str) -> Talk {
    Talk {
        before,
        ..one("hällo", "0644")
    }
}

fn last(pieces: &[&[u8]]) -> Talk {
    Talk {
        last: pieces.iter().map(|piece| piece.to_vec()).collect(),
        ..Talk::default()
    }
}

/// Several files, and then the first again.
fn early_again() -> Talk {
    messages([0, 1, 2, 3, 4, 5, 0].map(|number| Message {
        file: format!("file{number}"),
        ..evaluate(format!("message {number}"), "0644")
    }))
}

fn repeated(times: usize, message: &str, mode: &'static str) -> Talk {
    messages(vec![evaluate(message, mode); times])
}

fn warn_between() -> Talk {
    messages([
        evaluate("a", "0644"),
        warn("a", "0644"),
        evaluate("a", "0644"),
    ])
}

/// The talk that shows each defect.
fn talks(language: &str) -> Vec<(&'static str, Talk)> {
    match language {
        "c" => in_c(),
        "python" => in_python(),
        "bash" => in_bash(),
        _ => in_ruby(),
    }
}

fn in_c() -> Vec<(&'static str, Talk)> {
    let modes = ["0600", "0640", "0644", "0755", "0700"];
    let line = format!("attribute_message={}\n\n", "x".repeat(65_536));
    vec![
        ("magic_value", one("open sesame", "0644")),
        ("letter_by_letter", one("q7#Zoo", "0644")),
        // The second byte of this letter is 0x85.
        ("second_byte", one("Å", "0644")),
        ("threshold", one("x".repeat(3_001), "0644")),
        ("length_64", one("x".repeat(64), "0644")),
        ("length_4096", one("x".repeat(4_096), "0644")),
        ("number_31", one("2147483648", "0644")),
        ("number_63", one("9223372036854775808", "0644")),
        ("letter_across", one("x".repeat(63) + "äa", "0644")),
        ("version", one("v1.2-rc3", "0644")),
        ("two_attributes", one("-x", "0600")),
        ("equal_attributes", one("0644", "0644")),
        (
            "five_steps",
            messages(modes.map(|mode| evaluate("a", mode))),
        ),
        ("same_again", repeated(2, "a", "0644")),
        ("early_again", early_again()),
        ("warn_between", warn_between()),
        ("counter", repeated(5, "a", "0600")),
        (
            "validate_after",
            messages([evaluate("a", "0644"), validate("a")]),
        ),
        ("variable", before("unset HOME")),
        ("mask", before("umask 0")),
        ("directory", before("cd /")),
        ("descriptors", before("ulimit -n 16")),
        ("writes_kept", one("x".repeat(101), "0644")),
        ("writes_warned", messages([warn("#", "0644")])),
        ("cut_message", last(&[b"operation=terminate\n", b"\n"])),
        (
            "cut_key",
            last(&[b"operation=none\nattribute_message=", b"a\n\n"]),
        ),
        (
            "two_messages",
            last(&[b"operation=none\n\noperation=terminate\n\n"]),
        ),
        ("carriage_return", one("a\r", "")),
        ("long_line", last(&[line.as_bytes()])),
        ("no_newline", last(&[b"operation=terminate"])),
    ]
}

fn in_python() -> Vec<(&'static str, Talk)> {
    let tagged = r#"{"operation": "evaluate_promise", "promiser": "/nowhere/a", "attributes": {"message": "a", "tags": ["a"]}}"#;
    let lengths = [1, 2, 3, 4, 5].map(|length| evaluate("x".repeat(length), "0644"));
    vec![
        ("word", one("open sesame", "0644")),
        ("letters", one("q7#Z", "0644")),
        ("length_64", one("x".repeat(64), "0644")),
        ("number_63", one("9223372036854775808", "0644")),
        ("odd_digit", one("²", "0644")),
        ("release", one("v1.2-rc003", "0644")),
        ("escapes", one("a/../../b", "0644")),
        ("equal", one("0644", "0644")),
        ("tag_is_message", last(&[tagged.as_bytes(), b"\n\n"])),
        ("same_again", repeated(2, "a", "")),
        ("early_again", early_again()),
        ("warn_between", warn_between()),
        ("rises", messages(lengths)),
        ("home", before("unset HOME")),
        ("temporary", before("export TMPDIR=/nowhere/at/all")),
        ("locale", before("export LC_ALL=C")),
        ("descriptors", before("ulimit -n 16")),
        (
            "cut_letter",
            last(&[b"{\"operation\": \"\xc3", b"\xa4\"}\n\n"]),
        ),
        (
            "two_messages",
            last(&[b"{\"operation\": \"none\"}\n\n{\"operation\": \"terminate\"}\n\n"]),
        ),
        ("warn_writes", messages([warn("a", "644")])),
        ("leaves", one("", "0644")),
        ("again", repeated(2, "a\n", "0644")),
        (
            "old_mode",
            messages([evaluate("a", "0644"), evaluate("a", "4755")]),
        ),
    ]
}

fn in_bash() -> Vec<(&'static str, Talk)> {
    vec![
        ("word", one("open sesame", "0644")),
        ("octal", one("08", "0644")),
        ("number_63", one("9223372036854775808", "0644")),
        ("backslash", one("a\\", "0644")),
        ("pattern", one("g*", "0644")),
        ("option", one("-n", "0644")),
        ("equal", one("0644", "0644")),
        ("length_256", one("x".repeat(256), "0644")),
        ("same_again", repeated(2, "a", "")),
        ("warn_between", warn_between()),
        ("counter", repeated(5, "a", "0600")),
        ("home", before("unset HOME")),
        ("mask", before("umask 0")),
        ("directory", before("cd /")),
        ("carriage_return", one("a\r", "0644")),
        ("long_line", one("x".repeat(4_096), "0644")),
        ("writes_warned", messages([warn("#", "0644")])),
        ("escapes", repeated(2, "a\\tb", "0644")),
        ("leaves", one("a", "0600")),
    ]
}

fn in_ruby() -> Vec<(&'static str, Talk)> {
    vec![
        ("word", one("open sesame", "0644")),
        ("release", one("v1.2-rc003", "0644")),
        ("length_64", one("x".repeat(64), "0644")),
        ("number_31", one("2147483649", "0644")),
        ("letters", one("äöü", "0644")),
        ("clauses", one("u+rw,g-w", "0644")),
        ("two_attributes", one("#!/bin/sh", "0755")),
        ("same_again", repeated(2, "a", "")),
        ("early_again", early_again()),
        ("counter", repeated(5, "a", "0600")),
        (
            "validate_after",
            messages([evaluate("a", "0644"), validate("")]),
        ),
        ("home", before("unset HOME")),
        ("mask", before("umask 077")),
        ("locale", before("export LC_ALL=C")),
        (
            "cut_message",
            last(&[b"{\"operation\": \"terminate\"}\n", b"\n"]),
        ),
        (
            "two_messages",
            last(&[b"{\"operation\": \"none\"}\n\n{\"operation\": \"terminate\"}\n\n"]),
        ),
        (
            "carriage_return",
            last(&[b"{\"operation\": \"terminate\"}\r\n\n"]),
        ),
        ("warn_writes", messages([warn(" a", "0644")])),
        ("leaves", one("a\tb", "0644")),
        (
            "remembers",
            Talk {
                removes: true,
                ..repeated(2, "", "0644")
            },
        ),
    ]
}

/// A folder with a gate; its command without the defect.
fn gate(language: &str) -> (Folder, Vec<String>) {
    let folder = Folder::empty();
    let from = root().join("fixtures");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let copied = |names: &[&str]| {
        for name in names {
            let (_, file) = name.rsplit_once('/').expect("a file in a folder");
            std::fs::copy(from.join(name), folder.path().join(file)).expect("copied");
        }
    };
    let command = match language {
        "c" => {
            let built = Command::new("cc")
                .args(["-O1", "-Wall", "-Wextra", "-Werror", "-o", &path("gate")])
                .arg(from.join("planted/gates.c"))
                .status();
            assert!(built.expect("cc runs").success());
            vec![path("gate")]
        }
        "python" => {
            copied(&[
                "planted/gates.py",
                "mutants/base.py",
                "mutants/plain_json.py",
            ]);
            vec!["/usr/bin/python3".into(), "-B".into(), path("gates.py")]
        }
        "bash" => {
            copied(&["planted/gates.sh", "mutants/base.sh"]);
            vec!["/bin/bash".into(), path("gates.sh")]
        }
        _ => {
            copied(&["planted/gates.rb"]);
            let no_gems = "--disable=gems".to_owned();
            vec!["/usr/bin/ruby".into(), no_gems, path("gates.rb")]
        }
    };
    (folder, command)
}

/// A message as the agent sends it.
fn written(language: &str, message: &Message, place: &str) -> Vec<u8> {
    let Message {
        verb,
        file,
        message: text,
        mode,
        warn,
    } = message;
    let mut attributes = vec![("message", &**text)];
    attributes.extend((!mode.is_empty()).then_some(("mode", *mode)));
    attributes.extend(warn.then_some(("action_policy", "warn")));
    let line = if ["c", "bash"].contains(&language) {
        let mut lines = format!("operation={verb}\nlog_level=info\npromiser={place}/{file}\n");
        for (name, value) in attributes {
            lines += &format!("attribute_{name}={value}\n");
        }
        lines + "\n"
    } else {
        let members: serde_json::Map<String, serde_json::Value> = attributes
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value.into()))
            .collect();
        let promiser = format!("{place}/{file}");
        let request = serde_json::json!({
            "operation": verb, "log_level": "info", "promiser": promiser, "attributes": members,
        });
        format!("{request}\n\n")
    };
    line.into_bytes()
}

/// Reads up to an empty line, or to the end.
fn answer(output: &mut ChildStdout, answers: &mut Vec<u8>) {
    let mut byte = [0];
    while output.read(&mut byte).is_ok_and(|count| count == 1) {
        answers.push(byte[0]);
        if answers.ends_with(b"\n\n") {
            return;
        }
    }
}

/// What came of a talk: whether the gate ended well, what it answered, and the files.
#[derive(PartialEq, Debug)]
struct Outcome {
    success: bool,
    answers: String,
    files: BTreeSet<(String, u32, Vec<u8>)>,
}

fn talk(language: &str, command: &[String], defect: &str, talk: &Talk) -> Outcome {
    let place = Folder::empty();
    let path = place.path().display().to_string();
    let mut child: Child = Command::new("/bin/bash")
        .args(["-c", &format!("{}\nexec \"$@\"", talk.before), "gate"])
        .args(command)
        .arg(defect)
        .current_dir(place.path())
        .env("HOME", "/")
        .env("LC_ALL", "C.UTF-8")
        .env_remove("TMPDIR")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let mut input = child.stdin.take().expect("input");
    let mut output = child.stdout.take().expect("output");
    let mut answers = Vec::new();
    // It may have ended.
    let mut say = |data: &[u8]| drop(input.write_all(data));
    say(b"cf-agent 3.21.0 v1\n\n");
    answer(&mut output, &mut answers);
    for (number, message) in talk.messages.iter().enumerate() {
        if talk.removes && number + 1 == talk.messages.len() {
            std::fs::remove_file(place.path().join("greeting")).expect("it was written");
        }
        say(&written(language, message, &path));
        answer(&mut output, &mut answers);
    }
    for (number, piece) in talk.last.iter().enumerate() {
        if number > 0 {
            // The gate has read the piece before.
            std::thread::sleep(Duration::from_millis(200));
        }
        say(piece);
    }
    drop(input);
    output.read_to_end(&mut answers).expect("answers");
    let success = child.wait().expect("it ends").success();
    let entries = std::fs::read_dir(place.path()).expect("a folder");
    let files = entries.map(|entry| {
        let file = entry.expect("an entry").path();
        let mode = std::os::unix::fs::PermissionsExt::mode(
            &file.metadata().expect("status").permissions(),
        );
        let name = file.file_name().expect("a name").display().to_string();
        (name, mode, std::fs::read(&file).expect("content"))
    });
    Outcome {
        success,
        answers: String::from_utf8_lossy(&answers).replace(&path, "{dir}"),
        files: files.collect(),
    }
}

/// The names of the defects in the source of a gate.
fn named(language: &str) -> BTreeSet<String> {
    let (file, before, after) = match language {
        "c" => ("gates.c", "    {.name = \"", "\""),
        "python" => ("gates.py", "    \"", "\": "),
        "bash" => ("gates.sh", "  ", ")"),
        _ => ("gates.rb", "  \"", "\" => "),
    };
    let text = std::fs::read_to_string(root().join("fixtures/planted").join(file)).expect("a gate");
    let names = text.lines().filter_map(|line| {
        let name = line.strip_prefix(before)?.split_once(after)?.0;
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        (name != "none" && name.chars().all(plain)).then(|| name.to_owned())
    });
    names.filter(|name| !name.is_empty()).collect()
}

#[test]
fn each_gate_has_each_of_its_defects_and_is_otherwise_sound() {
    // Effects end no process.
    let effects = [
        "writes_kept",
        "writes_warned",
        "warn_writes",
        "leaves",
        "again",
        "old_mode",
        "remembers",
    ];
    side_by_side(&LANGUAGES, |language| {
        let (_folder, command) = gate(language);
        let talks = talks(language);
        let shown: BTreeSet<String> = talks.iter().map(|(name, _)| (*name).to_owned()).collect();
        assert_eq!(shown, named(language), "{language}");
        for (defect, said) in &talks {
            let sound = talk(language, &command, "none", said);
            let planted = talk(language, &command, defect, said);
            assert!(sound.success, "{language} {defect}: {sound:?}");
            let is_effect =
                effects.contains(defect) || (*language == "bash" && *defect == "escapes");
            assert_eq!(
                planted.success, is_effect,
                "{language} {defect}: {planted:?}"
            );
            assert_ne!(sound, planted, "{language} {defect}");
        }
    });
}

#[test]
fn a_check_finds_nothing_in_a_gate_without_a_defect() {
    side_by_side(&LANGUAGES, |language| {
        let (folder, command) = gate(language);
        let promise_type = match *language {
            "c" => "gate",
            _ => "file_content",
        };
        let command = [command, vec!["none".to_owned()]].concat();
        folder.write(
            "stickler.toml",
            &format!(
                r#"[subject]
dialect = "promise-module"
promise_type = "{promise_type}"
command = {command:?}

[[example]]
name = "a greeting"
promiser = "{{dir}}/greeting"
attributes = {{ message = "hello", mode = "0644" }}
"#
            ),
        );
        folder.run(&["check", "--quick", "--strict"]).exits(0);
    });
}
