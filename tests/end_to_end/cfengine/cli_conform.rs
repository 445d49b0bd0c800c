//! `stickler conform` with a cf-agent that breaks the protocol in one way each. Needs cf-agent (`ci/setup` installs it).

use crate::cli::Folder;
use crate::common::STICKLER;
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt;

/// Situations in which everybody agrees.
const SOUND: &str = "header/normal-json or hostile/slow-answer or response/validate-classes";

/// Ways to break the protocol, each with the rule that names it.
const WAYS: [(&str, &str); 16] = [
    ("no-header", "AG101"),
    ("two-at-once", "AG102"),
    ("no-validation", "AG103"),
    ("other-evaluation", "AG103"),
    ("own-attribute", "AG105"),
    ("no-terminate", "AG106"),
    ("terminate-twice", "AG106"),
    ("terminate-early", "AG106"),
    ("kill", "AG106"),
    ("bad-json", "AG108"),
    ("no-log-level", "AG110"),
    ("classes-of-validation", "AG113"),
    ("validate-twice", "AG119"),
    ("no-evaluation", "AG119"),
    ("other-promiser", "AG121"),
    ("kept-fails", "AG122"),
];

/// cf-agent with a program between it and its modules. The way stands in a file beside it.
const WRAPPER: &str = include_str!("../../../fixtures/agents/wrapper.py");

pub fn wrapped(way: &str) -> Folder {
    let folder = Folder::empty();
    folder.write("wrapper.py", WRAPPER);
    folder.write("way", way);
    let file = folder.path().join("wrapper.py");
    fs::set_permissions(file, fs::Permissions::from_mode(0o755)).expect("permissions");
    folder
}

fn lines(folder: &Folder, arguments: &[&str]) -> (i32, Vec<Value>) {
    lines_of(
        folder,
        &[&["conform", "--format", "json"], arguments].concat(),
    )
}

/// The exit code and the lines of JSON of a command.
pub fn lines_of(folder: &Folder, arguments: &[&str]) -> (i32, Vec<Value>) {
    let output = folder.run_anew(arguments);
    let told = output.stdout.lines().map(serde_json::from_str);
    let told = told.collect::<Result<Vec<Value>, _>>().unwrap_or_default();
    (output.code, told)
}

fn failed(lines: &[Value]) -> Vec<&str> {
    let failed = lines.iter().filter(|line| line["verdict"] == "fail");
    failed.filter_map(|line| line["rule"].as_str()).collect()
}

#[test]
fn a_deployed_agent_does_what_its_release_does() {
    let folder = Folder::empty();
    let (code, lines) = lines(&folder, &["-k", SOUND, "--", "cf-agent"]);
    assert_eq!(failed(&lines), Vec::<&str>::new());
    assert_eq!(code, 0);
}

#[test]
fn the_reference_agent_does_what_its_release_does() {
    let agent = ["--", STICKLER, "agent", "--compat"];
    let played = |release: &str| {
        let words = ["conform", "-k", SOUND];
        Folder::empty().run_anew(&[&words[..], &agent, &[release]].concat())
    };
    played("3.21")
        .exits(0)
        .says("behaves as 3.21.0 in all of 5");
    let record = ["conform", "--record", "--into", "x"];
    let recorded = Folder::empty().run_anew(&[&record[..], &agent, &["3.21"]].concat());
    recorded.exits(2).says("Stickler's own");
    played("3.99").exits(3).says("there are 3.21.0, 3.24.4");
}

#[test]
fn each_way_to_break_the_protocol_is_named_by_its_rule() {
    for (way, rule) in WAYS {
        let folder = wrapped(way);
        let (code, lines) = lines(&folder, &["-k", SOUND, "--strict", "--", "./wrapper.py"]);
        assert_eq!(code, 1, "{way}");
        assert!(
            failed(&lines).contains(&rule),
            "{way}: {:?}",
            failed(&lines)
        );
        let named = lines.iter().find(|line| line["rule"] == rule);
        let reproducer = named.and_then(|line| line["reproducer"].as_str());
        assert!(
            reproducer.is_some_and(|file| folder.path().join(file).exists()),
            "{way}"
        );
    }
}

#[test]
fn what_a_broken_rule_changes_is_told_with_it() {
    let folder = wrapped("no-terminate");
    let (_, found) = lines(&folder, &["-k", "header/normal-json", "--", "./wrapper.py"]);
    assert_eq!(failed(&found), ["AG106"]);
    let situation = found
        .iter()
        .find(|line| line["rule"] == "header/normal-json");
    let situation = situation.expect("the situation");
    assert_eq!(situation["follows"], "AG106");
}

#[test]
fn agents_in_another_style_are_not_blamed() {
    for way in ["spaces", "turned"] {
        let folder = wrapped(way);
        let chosen = "header/normal-json or request/container or response/validate-classes";
        let (code, lines) = lines(&folder, &["-k", chosen, "--strict", "--", "./wrapper.py"]);
        assert_eq!((code, failed(&lines)), (0, Vec::new()), "{way}");
    }
}

#[test]
fn a_shell_around_an_agent_hides_no_crash() {
    let folder = Folder::empty();
    folder.write("agent.sh", "#!/bin/sh\ncf-agent \"$@\"\nexit $?\n");
    let file = folder.path().join("agent.sh");
    fs::set_permissions(file, fs::Permissions::from_mode(0o755)).expect("permissions");
    let crash = ["-k", "response/validate-json-true", "--", "./agent.sh"];
    let (_, found) = lines(&folder, &crash);
    assert_eq!(failed(&found), ["AG120"]);
}

#[test]
fn a_reproducer_is_played_again_with_another_agent() {
    let folder = wrapped("no-terminate");
    let (_, found) = lines(&folder, &["-k", "header/normal-json", "--", "./wrapper.py"]);
    let named = found.iter().find(|line| line["rule"] == "AG106");
    let file = named
        .and_then(|line| line["reproducer"].as_str())
        .expect("a reproducer");
    let again = folder
        .command(&["replay", file])
        .output()
        .expect("stickler runs");
    assert_eq!(again.status.code(), Some(1));
    let fixed = folder.command(&["replay", file, "--module", "/usr/bin/cf-agent"]);
    let mut fixed = fixed;
    assert_eq!(
        fixed.output().expect("stickler runs").status.code(),
        Some(0)
    );
}

#[test]
fn a_crash_is_a_finding_until_it_is_known() {
    let folder = Folder::empty();
    let crash = [
        "-k",
        "response/validate-json-true",
        "--baseline",
        "known.jsonl",
        "--",
        "cf-agent",
    ];
    let (code, found) = lines(&folder, &[&crash[..2], &crash[4..]].concat());
    assert_eq!((code, failed(&found)), (1, vec!["AG120"]));
    assert_eq!(lines(&folder, &crash).0, 0);
    assert!(folder.read("known.jsonl").contains("AG120"));
    let (code, known) = lines(&folder, &crash);
    assert_eq!((code, failed(&known)), (0, Vec::new()));
}

#[test]
fn own_situations_are_judged_and_recorded() {
    let folder = Folder::empty();
    folder.write(
        "mine.json",
        r#"{"name": "mine/one", "policy": "body common control { bundlesequence => { \"main\" }; }\n@CLASSES@@TYPE@bundle agent main\n{\nt: \"p\" classes => oc(\"p\");\n}\n",
            "modules": {"m1": {"header": ["probe 1 v1 json_based\n\n"]}}}"#,
    );
    let own = ["--situations", "mine.json", "-k", "mine"];
    let (code, found) = lines(&folder, &[&own[..], &["--", "cf-agent"]].concat());
    assert_eq!((code, failed(&found)), (0, Vec::new()));
    let words = [
        &["conform"],
        &own[..],
        &["--record", "3.21.0", "--", "cf-agent"],
    ]
    .concat();
    assert_eq!(folder.run_anew(&words).code, 0);
    let text = folder.read("recorded/situations.jsonl");
    let line = text
        .lines()
        .find(|line| line.contains("mine/one"))
        .expect("a line");
    assert!(line.contains(r#""classes":["oc_p_kept"]"#), "{line}");
}

/// A situation, with more members.
fn mine(more: &str) -> String {
    format!(
        r#"{{"name": "mine/one", "policy": "body common control {{ bundlesequence => {{ \"main\" }}; }}\n@CLASSES@@TYPE@bundle agent main\n{{\nt: \"p\" classes => oc(\"p\");\n}}\n",
            "modules": {{"m1": {{"header": ["probe 1 v1 json_based\n\n"]}}}}{more}}}"#
    )
}

#[test]
fn a_reproducer_of_an_own_situation_keeps_what_was_expected() {
    let folder = Folder::empty();
    let want = r#", "want": [{"since": "3.21.0", "exit": 0, "classes": ["oc_p_failed"]}]"#;
    folder.write("mine.json", &mine(want));
    let own = ["--situations", "mine.json", "-k", "mine", "--", "cf-agent"];
    let (_, found) = lines(&folder, &own);
    assert_eq!(failed(&found), ["mine/one"]);
    let named = found.iter().find(|line| line["rule"] == "mine/one");
    let file = named.and_then(|line| line["reproducer"].as_str());
    let file = file.expect("a reproducer");
    folder.run_anew(&["replay", file]).exits(1);
}

#[test]
fn what_is_wrong_in_files_is_refused_by_name() {
    let folder = Folder::empty();
    folder.write("typo.json", &mine(r#", "abuot": "x""#));
    folder.write("mine.json", &mine(""));
    folder.write("same.json", &mine(""));
    let refused = |words: &[&str], told: &str| {
        let words = [&["conform", "-k", "mine"], words, &["--", "cf-agent"]].concat();
        folder.run_anew(&words).exits(2).says(told);
    };
    refused(&["--situations", "typo.json"], "abuot");
    let twice = ["--situations", "mine.json", "--situations", "same.json"];
    refused(&twice, "two situations mine/one");
    for (line, told) in [
        (
            r#"{"situation": "headr/normal-json", "reason": "x"}"#,
            "did you mean header/normal-json?",
        ),
        (
            r#"{"situation": "header/normal-json", "rule": "AG999", "reason": "x"}"#,
            "no rule for agents AG999",
        ),
        (
            r#"{"situation": "header/normal-json", "rul": "AG101", "reason": "x"}"#,
            "line 1",
        ),
    ] {
        folder.write("known.jsonl", line);
        let known = ["--situations", "mine.json", "--baseline", "known.jsonl"];
        refused(&known, told);
    }
}

#[test]
fn an_agent_that_is_none_is_refused() {
    let folder = Folder::empty();
    assert_eq!(lines(&folder, &["--", "/bin/true"]).0, 3);
    assert_eq!(lines(&folder, &["--", "./missing"]).0, 3);
    assert_eq!(
        lines(&folder, &["-k", "no such name", "--", "cf-agent"]).0,
        2
    );
}

#[test]
fn what_is_asked_in_vain_is_refused_by_name() {
    let folder = Folder::empty();
    let refused = |words: &[&str], told: &str| {
        folder.run_anew(words).exits(2).says(told);
    };
    let puppet = ["conform", "--dialect", "resource-api", "--"];
    let with = |more: &'static [&'static str]| [&puppet[..], more].concat();
    refused(&with(&["puppet", "--noop"]), "--noop: options of the agent");
    refused(
        &with(&["bundle", "exec", "puppet", "--strict", "error"]),
        "--strict: options",
    );
    let copy = [
        "conform",
        "--dialect",
        "resource-api",
        "--sandbox",
        "copy",
        "--",
        "puppet",
    ];
    refused(&copy, "use --sandbox overlay or none");
    let none = ["conform", "-k", "header/normal-jso", "--", "cf-agent"];
    let near = ["conform", "-k", "headr/normal-json", "--", "cf-agent"];
    refused(&near, "did you mean \"header/normal-json\"?");
    refused(&near, "header/ (");
    folder.run_anew(&none).exits(0);
    let missing = folder.run_anew(&[
        "conform",
        "--dialect",
        "resource-api",
        "--",
        "no-such-puppet",
    ]);
    let text = format!("{}{}", missing.stdout, missing.stderr);
    assert_eq!(
        text.matches("No such file or directory").count(),
        1,
        "{text}"
    );
}

/// `docs/conform.md` has its table from this file.
#[test]
fn a_deployed_agent_breaks_the_rules_that_are_known() {
    let folder = Folder::empty();
    let known = include_str!("../../../fixtures/recorded/releases/broken.jsonl");
    folder.write("known.jsonl", known);
    let chosen = "request/comment-handle or request/data-key or hostile/header-v";
    let known = ["-k", chosen, "--baseline", "known.jsonl", "--", "cf-agent"];
    let (code, found) = lines(&folder, &known);
    assert_eq!((code, failed(&found)), (0, Vec::new()));
    let broken = found.iter().filter(|line| line["verdict"] == "xfail");
    let broken: Vec<&str> = broken.filter_map(|line| line["rule"].as_str()).collect();
    assert_eq!(broken, ["AG105", "AG108", "AG111"]);
}
