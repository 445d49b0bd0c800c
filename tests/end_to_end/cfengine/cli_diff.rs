//! `stickler diff`, end to end, with the real cf-agent and without one.

use crate::calls::SOON;
use crate::cli::{Folder, json_lines};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::Instant;

const POLICY: &str = "\
promise agent rec { interpreter => \"/usr/bin/python3\"; path => \"$(this.promise_dirname)/rec.py\"; }
bundle agent main
{
  classes:
      \"mine\" expression => \"any\", scope => \"namespace\";

  rec:
      \"a\" text => \"x\";

  reports:
    mine::
      \"done\";
}
";

/// A folder as cf-agent requires it: no other user may write to a policy.
fn folder(policy: &str) -> Folder {
    let folder = Folder::empty();
    folder.write("p.cf", policy);
    folder.write("rec.py", include_str!("../../../fixtures/policies/rec.py"));
    for (name, mode) in [("p.cf", 0o600), ("rec.py", 0o755)] {
        let permissions = fs::Permissions::from_mode(mode);
        fs::set_permissions(folder.path().join(name), permissions).expect("permissions");
    }
    folder
}

#[test]
fn agents_that_agree_say_so() {
    let folder = folder(POLICY);
    let done = folder.run(&["diff", "p.cf"]);
    done.exits(0).says("agree  ./p.cf in 6 modes");
}

#[test]
fn requests_to_modules_are_stored_byte_for_byte() {
    let folder = folder(POLICY);
    folder
        .run(&["diff", "./p.cf", "--mode", "plain", "--store", "s.json"])
        .exits(0);
    let stored = folder.read("s.json");
    let stored: serde_json::Value = serde_json::from_str(&stored).expect("JSON");
    let seen = &stored["runs"]["plain"];
    let sent = seen["requests"][0]["bytes"].as_str().expect("text");
    let request = |operation: &str| {
        format!(
            "{{\"attributes\":{{\"text\":\"x\"}},\"filename\":\"./p.cf\",\"line_number\":8,\"log_level\":\"notice\",\"operation\":\"{operation}\",\"promise_type\":\"rec\",\"promiser\":\"a\"}}\n\n"
        )
    };
    let expected = [
        "cf-agent 3.21.0 v1\n\n",
        &request("validate_promise"),
        &request("evaluate_promise"),
        "{\"operation\":\"terminate\"}\n\n",
    ];
    assert_eq!(sent, expected.concat());
    assert_eq!(seen["classes"], serde_json::json!(["mine"]));
    // The recorder leaves nothing on this machine.
    assert!(!folder.exists(".rec.py.recorded"));
}

#[test]
fn diff_compares_with_a_recording_without_cf_agent() {
    let folder = folder(POLICY);
    let store = [
        "diff",
        "./p.cf",
        "--mode",
        "plain,verbose",
        "--store",
        "s.json",
    ];
    folder.run(&store).exits(0);
    let recorded = |more: &[&str]| {
        let mut arguments = vec!["diff", "./p.cf", "--recorded", "s.json"];
        arguments.extend(more);
        folder.run(&arguments)
    };
    recorded(&["--mode", "plain"]).exits(0).says("agree");
    recorded(&[]).exits(0).says("agree  ./p.cf in 2 modes");
    recorded(&["--mode", "inform"])
        .exits(2)
        .says("mode inform is not stored");
    recorded(&["--mode", "plain", "-D", "x"]).exits(2);

    folder.replace("s.json", "\\\"x\\\"", "\\\"y\\\"");
    folder.replace("s.json", "R: done", "R: other");
    let done = recorded(&["--mode", "plain"]);
    done.exits(1)
        .says("requests")
        .says("at ./p.cf:8: rec promise \"a\"")
        .says("- {\"attributes\":{\"text\":\"y\"}")
        .says("output (reports) in mode plain\n  at ./p.cf:12: reports promise \"done\"")
        .says("- R: other")
        .says("+ R: done")
        .says("differ  ./p.cf in 1 of 1 mode");
    let lines = json_lines(&recorded(&["--mode", "plain", "--format", "json"]));
    let aspects: Vec<_> = lines
        .iter()
        .filter(|line| line["event"] == "difference")
        .map(|line| line["aspect"].as_str().unwrap_or_default().to_owned())
        .collect();
    assert_eq!(aspects, ["requests", "output"]);
    assert_eq!(
        lines.last().map(|line| line["differ"].clone()),
        Some(1.into())
    );
}

#[test]
fn effects_stay_in_the_sandbox_and_are_compared() {
    let folder =
        folder("bundle agent main { commands: \"/bin/touch $(this.promise_dirname)/made\"; }");
    let done = folder.run(&["diff", "./p.cf", "--mode", "plain", "--store", "s.json"]);
    done.exits(0);
    assert!(!folder.exists("made"));
    let stored = folder.read("s.json");
    assert!(
        stored.contains("created {cwd}/made (file, 0600"),
        "{stored}"
    );
}

#[test]
fn a_hang_of_cf_agent_is_named() {
    let folder = folder(
        "bundle agent main { commands: \"/bin/sleep 1000\" contain => c; }\nbody contain c { useshell => \"noshell\"; }",
    );
    let start = Instant::now();
    let done = folder.run(&["diff", "./p.cf", "--mode", "plain", "--deadline", "2"]);
    done.exits(1)
        .says("still running after 2 s; with /bin/sleep 1000");
    assert!(start.elapsed() < SOON);
}

#[test]
fn a_policy_that_both_reject_is_agreed_on() {
    let folder = folder("bundle agent main { vars: \"x\" }");
    folder.run(&["diff", "./p.cf", "--mode", "plain"]).exits(0);
}

#[test]
fn a_prefix_of_the_policys_own_makes_no_difference() {
    let folder = folder(
        "body common control { bundlesequence => { \"main\" }; output_prefix => \"my:\"; }\n\
         bundle agent main { reports: \"x\"; }",
    );
    folder
        .run(&["diff", "./p.cf", "--mode", "verbose"])
        .exits(0);
}

#[test]
fn unusable_policies_and_options_of_diff_are_refused() {
    let folder = folder(
        "bundle agent main { storage: \"/x\" volume => v; }\nbody volume v { check_foreign => \"false\"; }",
    );
    let done = folder.run(&["diff", "./p.cf"]);
    done.exits(2).says("storage").says("nothing was compared");
    done.says_not("--skip-unsupported");
    folder.run(&["diff", "./gone.cf"]).exits(2);
    let done = folder.run(&["diff", "."]);
    done.exits(2).says("not a file");
    folder.run(&["diff", "./p.cf", "--mode", "loud"]).exits(2);
    let done = folder.run(&["diff", "./p.cf", "--cf-agent", "/nonexistent/cf-agent"]);
    done.exits(3);
}

#[test]
fn without_a_sandbox_requests_are_not_compared() {
    let folder = folder(POLICY);
    let done = folder.run(&["diff", "./p.cf", "--sandbox", "none", "--mode", "plain"]);
    done.exits(0).says("both agents change this machine");
}

#[test]
fn of_a_long_file_the_place_is_shown() {
    let folder = folder(
        "bundle agent main { commands: \"/bin/sh -c 'seq 900 > $(this.promise_dirname)/made'\"; }",
    );
    let store = ["diff", "./p.cf", "--mode", "plain", "--store", "s.json"];
    folder.run(&store).exits(0);
    folder.replace("s.json", "\\\\n500\\\\n", "\\\\n5oo\\\\n");
    let done = folder.run(&["diff", "./p.cf", "--mode", "plain", "--recorded", "s.json"]);
    done.exits(1)
        .says("created {cwd}/made (file, 0600")
        .says("  from line 500:\n")
        .says("  -   5oo\n  +   500\n      501\n")
        .says_not("900");
}
