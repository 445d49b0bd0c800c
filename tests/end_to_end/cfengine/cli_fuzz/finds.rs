//! Defects that a campaign finds, and what it does not take for one.

use super::{as_published, campaign, findings, planted, summary};
use crate::cli::Folder;

#[test]
fn a_planted_defect_is_found_reported_once_minimised_and_replayed() {
    let folder = planted("magic_value");
    let arguments = [
        "fuzz",
        "--for",
        "1000s",
        "--seed",
        "1",
        "--until-finding",
        "--coverage",
        "off",
    ];
    let output = folder.run(&[&arguments[..], &["--format", "json"]].concat());
    output.exits(1);
    let found = findings(&output);
    let crash = found
        .iter()
        .find(|line| line["level"] == "must")
        .expect("it is found");
    assert!(
        crash["message"]
            .as_str()
            .expect("text")
            .contains("the cave is open"),
        "{crash}"
    );
    assert_eq!(crash["shown"], crash["tries"]);
    as_published(&output);
    let path = crash["reproducer"].as_str().expect("a path");
    assert!(
        path.starts_with(".stickler/fuzz/module.py/findings/"),
        "{path}"
    );
    // The smallest session: one promise, whose only odd value is the word.
    let text = folder.read(path);
    let case: serde_json::Value =
        serde_json::from_str(text.lines().next().expect("a line")).expect("JSON");
    assert_eq!(case["items"].as_array().expect("items").len(), 1, "{case}");
    assert_eq!(
        case["items"][0]["description"],
        "with message = `open sesame`"
    );
    let signatures: std::collections::BTreeSet<&str> = found
        .iter()
        .filter_map(|line| line["signature"].as_str())
        .collect();
    assert_eq!(signatures.len(), found.len(), "each defect once");
    folder.run(&["replay", path]).exits(1).says("still failing");
    // Once it is mended, the same file says so, and so does the corpus.
    folder.replace("module.py", "open sesame", "something that no one says");
    folder.run(&["replay", path]).exits(0).says("fixed");
    let again = folder.run(&["fuzz", "--replay-only", "--format", "json"]);
    again.exits(0);
    assert_eq!(summary(&again)["ended"], "replayed");
}

#[test]
fn an_input_can_limit_the_process_fill_the_disk_and_break_a_write() {
    let folder = planted("magic_value");
    // The module tells what it meets by how it ends.
    folder.write(
        "module.py",
        r#"
import errno, os, resource
from base import Module

class Subject(Module):
    def evaluate(self, request):
        if resource.getrlimit(resource.RLIMIT_NOFILE)[0] == 16:
            raise SystemExit("few descriptors")
        if os.statvfs(os.path.dirname(request["promiser"])).f_bavail == 0:
            raise SystemExit("no space")
        try:
            open(request["promiser"] + ".mine", "w").close()
            os.unlink(request["promiser"] + ".mine")
        except OSError as error:
            raise SystemExit("broken" if error.errno == errno.EIO else "refused")
        return super().evaluate(request)

Subject().main()
"#,
    );
    let ask = |more: &str| {
        format!(
            r#"{{"do": "ask", "verb": "evaluate", "example": "a greeting", "kind": "file_content",
            "identity": [["promiser", "/tmp/stickler/dir/greeting"]],
            "attributes": [["message", "hello"], ["mode", "0644"]]{more}}}"#
        )
    };
    let usual = ask("");
    let broken = ask(r#", "at_write": {"fail": 1}"#);
    for (name, input, told) in [
        (
            "limit",
            format!(
                r#"{{"surroundings": [{{"limit": ["descriptors", 16]}}], "steps": [{usual}]}}"#
            ),
            "few descriptors",
        ),
        (
            "full",
            format!(r#"{{"steps": [{usual}, {{"do": "protect", "how": "full"}}, {usual}]}}"#),
            "no space",
        ),
        (
            "read-only",
            format!(r#"{{"steps": [{{"do": "protect", "how": "read_only"}}, {usual}]}}"#),
            "refused",
        ),
        ("write", format!(r#"{{"steps": [{broken}]}}"#), "broken"),
    ] {
        folder.write(&format!("{name}/input.json"), &input);
        let all = ["fuzz", "--replay-only", "-v", "--strict", "--corpus", name];
        let output = folder.run(&all);
        output.says(told);
        // Nobody gives a module so few descriptors: what it does then is advice.
        output.exits(i32::from(name != "limit"));
        let rule = match name {
            "full" | "read-only" => "PM807",
            _ => "PM901",
        };
        output.says(rule);
    }
}

#[test]
fn a_hang_is_confirmed_beside_the_campaign() {
    let folder = planted("hang");
    let all = [
        "fuzz",
        "--seed",
        "4",
        "--jobs",
        "2",
        "--for",
        "1000s",
        "--until-finding",
    ];
    let output = folder.run(&[&all[..], &["--format", "json"]].concat());
    let found = findings(output.exits(1));
    let rules: Vec<_> = found.iter().map(|one| &one["rule"]).collect();
    assert!(rules.iter().any(|rule| *rule == "PM902"), "{rules:?}");
    let requests = summary(&output)["requests"].as_u64();
    assert!(
        requests.is_some_and(|requests| requests > 500),
        "{requests:?}"
    );
}

#[test]
fn a_crash_is_told_once_whatever_led_to_it() {
    let folder = planted("any_field");
    let output = campaign(&folder, "250", "700");
    let mut found = findings(output.exits(1));
    found.retain(|one| one["level"] != "may");
    assert_eq!(found.len(), 1, "{found:#?}");
}

#[test]
fn a_module_that_reads_any_path_is_not_given_the_channel() {
    let folder = planted("channel");
    folder.write("plain_json.py", "from json import dumps, loads\n");
    let output = campaign(&folder, "300", "900");
    let mut found = findings(output.exits(0));
    found.retain(|one| one["level"] != "may");
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn a_promise_that_fails_must_not_spoil_the_next() {
    let folder = planted("magic_value");
    // Once one has failed, all that follow do.
    folder.replace(
        "module.py",
        "    def evaluate",
        "    spoiled = False\n\n    \
        def failed(self, request, problem):\n        self.spoiled = True\n        \
        return super().failed(request, problem)\n\n    \
        def repaired(self, request, todo):\n        \
        if self.spoiled:\n            return self.failed(request, OSError(5, \"spoiled\"))\n        \
        return super().repaired(request, todo)\n\n    def evaluate",
    );
    let output = campaign(&folder, "150", "300");
    let found = findings(&output);
    let is_spoiled = |one: &serde_json::Value| one["rule"] == "PM305";
    assert!(found.iter().any(is_spoiled), "{found:#?}");
}

#[test]
fn half_a_message_is_the_last_one() {
    let folder = planted("magic_value");
    folder.replace(
        "module.py",
        "    def evaluate",
        "    def read_line(self):\n        \
        line = super().read_line()\n        if line and not line.endswith(b\"\\n\"):\n            \
        os.abort()\n        return line\n\n    def evaluate",
    );
    folder.replace("module.py", "from base", "import os\n\nfrom base");
    let output = campaign(&folder, "400", "600");
    let found = findings(&output);
    let at_end = |one: &serde_json::Value| one["rule"] == "PM214";
    assert!(found.iter().any(at_end), "{found:#?}");
}

#[test]
fn a_finding_that_depends_on_the_environment_does_not_fail_the_run() {
    let folder = planted("magic_value");
    folder.replace(
        "module.py",
        "request[\"attributes\"][\"message\"] == \"open sesame\"",
        "\"HOME\" not in os.environ",
    );
    folder.replace("module.py", "from base", "import os\n\nfrom base");
    let output = folder.run(&["fuzz", "--seed", "1", "--cases", "400"]);
    output.exits(0).says("with no HOME");
    let path = folder.list(".stickler/fuzz/module.py/findings");
    let path = path
        .iter()
        .find(|name| name.ends_with(".jsonl"))
        .expect("a finding");
    let path = format!(".stickler/fuzz/module.py/findings/{path}");
    folder.run(&["replay", &path]).says("with no HOME");
}

/// A promise about the interpreter leaves a machine on which the module does not start again.
#[test]
fn a_module_promised_to_overwrite_its_interpreter_is_not_blamed() {
    let folder = Folder::sound();
    let interpreter = std::fs::canonicalize("/usr/bin/python3").expect("an interpreter");
    // No program may write to one that runs; its library is free.
    let name = interpreter.file_name().and_then(|name| name.to_str());
    let library = format!("/usr/lib/{}/encodings/__init__.py", name.expect("a name"));
    assert!(
        std::fs::exists(&library).is_ok_and(|exists| exists),
        "{library}"
    );
    let made = format!(
        r#"{{"steps": [
            {{"do": "ask", "verb": "evaluate", "kind": "message", "identity": [["promiser", "{library}"]],
              "attributes": [["message", "hello"]]}},
            {{"do": "restart"}},
            {{"do": "ask", "verb": "evaluate", "kind": "message", "identity": [["promiser", "{{dir}}/motd"]],
              "attributes": [["message", "hello"]]}}]}}"#
    );
    folder.write("mine/made.json", &made);
    let all = ["fuzz", "--seed", "1", "--replay-only", "--corpus", "mine"];
    folder
        .run(&[&all[..], &["--coverage", "off", "--strict"]].concat())
        .exits(0)
        .says("nothing failed");
}
