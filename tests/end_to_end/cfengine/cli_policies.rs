//! Sessions of `check` that the reference agent drives from a policy.

use crate::cli::{Folder, json_lines};
use std::collections::BTreeSet;

/// The requests to the module in a stored session, in order: operation, promiser, `action_policy`,
/// result.
fn asked(folder: &Folder, session: &str) -> Vec<String> {
    let stored = folder.read(&format!(".stickler/sessions/{session}.jsonl"));
    let mut asked = Vec::new();
    for line in stored.lines() {
        let event: serde_json::Value = serde_json::from_str(line).expect("JSON");
        if event["event"] == "request" {
            asked.push(event["key"].as_str().expect("a key").to_owned());
        }
    }
    asked
}

/// The outcomes in a stored session: the promise, its outcome, and whether it was unresolved.
fn outcomes(folder: &Folder, session: &str) -> Vec<(String, String, bool)> {
    let stored = folder.read(&format!(".stickler/sessions/{session}.jsonl"));
    let mut outcomes = Vec::new();
    for line in stored.lines() {
        let event: serde_json::Value = serde_json::from_str(line).expect("JSON");
        if event["event"] == "outcome" {
            outcomes.push((
                event["place"].as_str().expect("a name").to_owned(),
                event["outcome"].as_str().expect("an outcome").to_owned(),
                event["unresolved"] == true,
            ));
        }
    }
    outcomes
}

#[test]
fn an_agent_drives_the_module_from_a_policy() {
    let folder = Folder::sound();
    folder
        .run(&["check", "--quick", "--keep"])
        .exits(0)
        .says("in policies 2 repaired, 6 kept");
    // Unchanged, and in a list of directories; from the second pass on, with a variable. Then
    // everything again. An unresolved promise is never sent.
    assert_eq!(
        asked(&folder, "run_e1"),
        [
            "header",
            "v:e1",
            "e:e1",
            "v:e1",
            "e:e1",
            "v:e1b",
            "e:e1b",
            "v:e1",
            "e:e1",
            "terminate",
            "header",
            "v:e1",
            "e:e1",
            "v:e1",
            "e:e1",
            "v:e1b",
            "e:e1b",
            "v:e1",
            "e:e1",
            "terminate"
        ]
    );
    let outcomes = outcomes(&folder, "run_e1");
    let fates = |unresolved: bool| -> BTreeSet<&str> {
        let of = outcomes.iter().filter(|(.., other)| *other == unresolved);
        of.map(|(_, fate, _)| &**fate).collect()
    };
    assert_eq!(fates(false), BTreeSet::from(["changed", "unchanged"]));
    assert_eq!(fates(true), BTreeSet::from(["failed"]));
    // The module has no `action_policy`: a dry run sends nothing.
    assert_eq!(asked(&folder, "dry-run_e1"), ["header", "terminate"]);
}

#[test]
fn the_rules_for_agents_judge_these_sessions() {
    // In cf-agent 3.21.0, a promise that resolves in a later pass has failed before.
    for (speaker, broken) in [("agent", &["AG118"][..]), ("spec", &[])] {
        let folder = Folder::sound();
        folder
            .run(&["check", "--quick", "--keep", "--as", speaker])
            .exits(0);
        let mut failed = Vec::new();
        for session in ["run_e1", "dry-run_e1"] {
            let stored = format!(".stickler/sessions/{session}.jsonl");
            let judged = folder.run(&["judge", "--select", "AG", "--format", "json", &stored]);
            for line in json_lines(&judged) {
                if line["verdict"] == "fail" {
                    failed.push(line["rule"].as_str().expect("a code").to_owned());
                }
            }
        }
        assert_eq!(failed, broken, "{speaker}");
    }
}

#[test]
fn two_types_share_one_process() {
    let folder = Folder::sound();
    folder.replace(
        "stickler.toml",
        "promise_type = \"message\"",
        "promise_types = [\"message\", \"note\"]",
    );
    let config = folder.read("stickler.toml");
    folder.write(
        "stickler.toml",
        &format!(
            "{config}\n[[example]]\nname = \"a note\"\npromise_type = \"note\"\npromiser = \"{{dir}}/note\"\nattributes = {{ message = \"hi\" }}\nexpect = [\"repaired\", \"kept\"]\n"
        ),
    );
    folder.run(&["check", "--keep"]).exits(0);
    assert_eq!(
        asked(&folder, "run_all"),
        ["header", "v:e1", "e:e1", "v:e2", "e:e2", "terminate"]
    );
}

#[test]
fn check_finds_a_failure_that_only_policy_runs_show() {
    let folder = Folder::sound();
    // A promise on another line than in hand-made requests.
    folder.replace(
        "message.py",
        "    log.append({\"level\": \"info\", \"message\": \"Wrote the message\"})\n",
        "    if not promise[\"filename\"].endswith(\"/stickler.cf\"):\n        log.append({\"level\": \"info\", \"message\": \"Wrote the message\"})\n",
    );
    let checked = folder.run(&["check", "--quick", "--format", "json", "--select", "PM503"]);
    let lines = json_lines(checked.exits(1));
    assert_eq!(lines[0]["findings"][0]["case"], "run/e1");
    let stored = lines[0]["reproducer"].as_str().expect("a reproducer");
    folder
        .run(&["replay", stored])
        .exits(1)
        .says("still failing");
}
