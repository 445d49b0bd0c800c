//! The rules for agents on sessions of real agents with the same policies: the reference agent in
//! the behaviour of cf-agent 3.21.0 and in that of the specification, and cf-agent itself. Needs
//! cf-agent (`ci/setup` installs it).

use crate::calls::is_nightly;
use crate::cli::{self, Folder};
use crate::common::{Call, STICKLER};
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

/// The rules that 3.21.0 breaks, by policy and mode. Other combinations break none.
const BROKEN: [(&str, &[&str]); 8] = [
    // It sends `handle`.
    ("custom_common", &["AG105"]),
    ("custom_common -n", &["AG105"]),
    // It sends control bytes unescaped.
    ("custom_control", &["AG108"]),
    ("custom_control -n", &["AG108"]),
    // It sends a list as `comment`. When it gives up, it asks no module to end.
    ("custom_list_body", &["AG105", "AG106"]),
    ("custom_list_body -n", &["AG105", "AG106"]),
    // It sends a text with a newline unchanged.
    ("custom_line", &["AG109"]),
    // It sends `nop` unchanged.
    ("custom_warn", &["AG107"]),
];

/// Further rules that it breaks, and that only an agent which keeps the record itself can show.
const TOLD: [(&str, &[&str]); 2] = [
    // A promise that resolves in the second pass has failed in the first.
    ("custom_resolves", &["AG118"]),
    ("custom_resolves -n", &["AG118"]),
];

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/policies")
}

/// The policies with custom types; in a push, those with which an agent breaks a rule, and every fourth one.
fn policies() -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(fixtures())
        .expect("policies")
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter_map(|name| name.strip_suffix(".cf").map(str::to_owned))
        .filter(|name| name.starts_with("custom_"))
        .collect();
    names.sort();
    if !is_nightly() {
        let mut at = 0..;
        names.retain(|name| {
            let breaks = [&BROKEN[..], &TOLD[..]].concat();
            breaks.iter().any(|(known, _)| known == name) || at.next().is_some_and(|at| at % 4 == 0)
        });
    }
    names
}

/// A folder with a work directory, recorded modules, and the policy.
fn prepared(policy: &str) -> Folder {
    let folder = Folder::empty();
    let work = folder.path().join("work");
    for name in ["inputs", "ppkeys", "modules", "state", "bin"] {
        fs::create_dir_all(work.join(name)).expect("a folder");
    }
    for name in ["", "ppkeys"] {
        let private = fs::Permissions::from_mode(0o700);
        fs::set_permissions(work.join(name), private).expect("permissions");
    }
    symlink("/usr/bin/cf-promises", work.join("bin/cf-promises")).expect("a link");
    for module in ["rec.py", "line.sh"] {
        let file = fixtures().join(module).display().to_string();
        folder
            .run(&["record", "--wrap", &file, "--out", module])
            .exits(0);
    }
    let text = fs::read_to_string(fixtures().join(format!("{policy}.cf"))).expect("a policy");
    let text = text.replace("interpreter => \"/usr/bin/python3\";", "");
    write_policy(&folder, &placed(&text, folder.path()));
    folder
}

/// A policy's text with its modules in this folder.
fn placed(text: &str, modules: &Path) -> Vec<u8> {
    let at = |name: &str| modules.join(name).display().to_string();
    let text = text.replace("@PATH@", &at("rec.py"));
    text.replace("@LINE@", &at("line.sh")).into_bytes()
}

fn write_policy(folder: &Folder, text: &[u8]) {
    let path = folder.path().join("p.cf");
    fs::write(&path, text).expect("a policy");
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).expect("permissions");
}

/// The rules for agents that this agent breaks with a policy.
fn broken(agent: &[&str], policy: &str, mode: &[&str]) -> BTreeSet<String> {
    let folder = prepared(policy);
    drive(&folder, agent, mode);
    judged(&folder, "recordings", "fail")
}

/// Runs an agent with the folder's policy.
fn drive(folder: &Folder, agent: &[&str], mode: &[&str]) {
    let output = Call::of(agent[0])
        .args(&agent[1..])
        .args(["-K", "-f", "./p.cf"])
        .args(mode)
        .current_dir(folder.path())
        .env("CFENGINE_TEST_OVERRIDE_WORKDIR", folder.path().join("work"))
        .output();
    output.expect("the agent; ci/setup installs cf-agent");
}

/// The rules for agents that have this verdict for the recordings in a folder.
fn judged(folder: &Folder, recordings: &str, verdict: &str) -> BTreeSet<String> {
    if !folder.path().join(recordings).exists() {
        return BTreeSet::new();
    }
    let files: Vec<String> = folder
        .list(recordings)
        .iter()
        .map(|name| format!("{recordings}/{name}"))
        .collect();
    if files.is_empty() {
        return BTreeSet::new();
    }
    let mut judge = vec!["judge", "--strict", "--select", "AG", "--format", "json"];
    judge.extend(files.iter().map(String::as_str));
    let judged = folder.run(&judge);
    assert!(matches!(judged.code, 0 | 1 | 4), "{}", judged.all());
    cli::json_lines(&judged)
        .iter()
        .filter(|line| line["verdict"] == verdict)
        .filter_map(|line| line["rule"].as_str().map(str::to_owned))
        .collect()
}

#[test]
fn agents_break_the_rules_that_the_table_names_and_no_other() {
    let stickler = STICKLER;
    let mut wrong = Vec::new();
    for policy in policies() {
        for mode in [&[][..], &["-n"]] {
            let name = [&[policy.as_str()], mode].concat().join(" ");
            let known = named(&BROKEN, &name);
            let agents: [(&[&str], &BTreeSet<String>); 3] = [
                (&["cf-agent"], &known),
                (&[stickler, "agent", "--compat", "3.21.0"], &known),
                (&[stickler, "agent", "--compat", "spec"], &BTreeSet::new()),
            ];
            for (agent, wanted) in agents {
                let found = broken(agent, &policy, mode);
                if found != *wanted {
                    wrong.push(format!("{agent:?} {name}: {found:?}, not {wanted:?}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The rules in a table's entry.
fn named(table: &[(&str, &[&str])], name: &str) -> BTreeSet<String> {
    let found = table.iter().filter(|(known, _)| *known == name);
    found
        .flat_map(|(_, rules)| rules.iter().map(|rule| (*rule).to_owned()))
        .collect()
}

#[test]
fn the_agents_own_record_is_judged_by_its_handling_of_answers() {
    let stickler = STICKLER;
    let (mut wrong, mut exercised) = (Vec::new(), BTreeSet::new());
    for policy in policies() {
        for mode in [&[][..], &["-n"]] {
            let name = [&[policy.as_str()], mode].concat().join(" ");
            for compat in ["3.21.0", "spec"] {
                let folder = prepared(&policy);
                let text = fs::read_to_string(fixtures().join(format!("{policy}.cf")));
                write_policy(&folder, &placed(&text.expect("a policy"), &fixtures()));
                let agent = [stickler, "agent", "--compat", compat, "--record", "own"];
                drive(&folder, &agent, mode);
                let mut wanted = BTreeSet::new();
                if compat == "3.21.0" {
                    wanted.extend(named(&BROKEN, &name));
                    wanted.extend(named(&TOLD, &name));
                } else {
                    exercised.extend(judged(&folder, "own", "pass"));
                }
                let found = judged(&folder, "own", "fail");
                if found != wanted {
                    wrong.push(format!("{compat} {name}: {found:?}, not {wanted:?}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for rule in ["AG108", "AG109", "AG113", "AG114", "AG117", "AG118"] {
        assert!(exercised.contains(rule), "{rule} is not exercised");
    }
}

#[test]
fn texts_that_are_not_utf_8_are_sent_by_3_21_0_alone() {
    let stickler = STICKLER;
    let deployed = BTreeSet::from(["AG108".to_owned()]);
    let agents: [(&[&str], &BTreeSet<String>); 3] = [
        (&["cf-agent"], &deployed),
        (&[stickler, "agent", "--compat", "3.21.0"], &deployed),
        (&[stickler, "agent", "--compat", "spec"], &BTreeSet::new()),
    ];
    for (agent, wanted) in agents {
        let folder = prepared("custom_basic");
        let text = "promise agent rec { path => \"@PATH@\"; }\n\
                    bundle agent main { rec: \"good\"; \"bad ?\"; }\n";
        let mut text = placed(text, folder.path());
        let at = text.iter().position(|byte| *byte == b'?').expect("a place");
        text[at] = 0xff;
        write_policy(&folder, &text);
        drive(&folder, agent, &[]);
        assert_eq!(judged(&folder, "recordings", "fail"), *wanted, "{agent:?}");
        assert!(judged(&folder, "recordings", "pass").contains("AG101"));
    }
}

#[test]
fn the_reference_agent_records_its_modules() {
    let folder = Folder::sound();
    let policy = folder.write(
        "p.cf",
        &format!(
            "promise agent message {{ interpreter => \"/usr/bin/python3\"; path => \"{0}/message.py\"; }}\n\
             bundle agent main {{ message: \"{0}/motd\" message => \"hello\", comment => \"why\"; }}\n",
            folder.path().display()
        ),
    );
    let policy = policy.display().to_string();
    let run = |more: &[&str]| {
        let mut all = vec!["agent", "-KI", "-f", &policy];
        all.extend(more);
        folder.run(&all)
    };
    // The module rejects the attribute `comment`. By the specification, the agent does not send it.
    run(&["--record", "deployed"]).exits(0).says("unknown");
    run(&["--record", "spec", "--compat", "spec"])
        .exits(0)
        .says("Wrote the message");
    folder
        .run(&["judge", "deployed/message-1.jsonl"])
        .exits(1)
        .says("FAIL  AG105")
        .says("`comment`");
    folder
        .run(&["judge", "--strict", "spec/message-1.jsonl"])
        .exits(0);
}

/// A module with the line based protocol. `header` is its header, `evaluate` the command that
/// answers an evaluation.
fn shell_module(header: &str, evaluate: &str) -> String {
    format!(
        "#!/bin/sh\nread -r a; read -r a\nprintf '{header}\\n\\n'\n\
         while IFS= read -r line; do case $line in\n\
         operation=*) operation=${{line#operation=}};;\n\
         promiser=*) promiser=${{line#promiser=}};;\n\
         '') case $operation in\n\
         validate_promise) printf 'operation=validate_promise\\nresult=valid\\n\\n';;\n\
         evaluate_promise) {evaluate};;\n\
         terminate) printf 'operation=terminate\\nresult=success\\n\\n'; exit 0;;\n\
         esac;; esac; done\n"
    )
}

#[test]
fn by_the_specification_broken_modules_harm_their_own_promises_alone() {
    let kept = "printf 'operation=evaluate_promise\\nresult=kept\\n\\n'";
    let kept_answer = "operation=evaluate_promise\\nresult=kept\\n\\n";
    // In one write: the agent cannot distinguish later output from the next answer.
    let twice = format!("printf '{kept_answer}operation=evaluate_promise\\nresult=not_kept\\n\\n'");
    let dies = format!("test $promiser = a && exit 1; {kept}");
    let gone = format!("test $promiser = a && {{ rm -- \"$0\"; exit 1; }}; {kept}");
    let other = "printf 'operation=validate_promise\\nresult=kept\\n\\n'";
    let good = "shell 1 v1 line_based";
    // The header, the evaluation, how many of two promises are kept (in 3.21.0 and by the
    // specification), and the agent's message.
    let cases: [(&str, &str, usize, usize, &str); 6] = [
        (good, &gone, 0, 0, "not an executable file"),
        (good, kept, 2, 2, "was kept"),
        (good, &twice, 1, 2, "more than it was asked for"),
        (good, &dies, 0, 1, "did not answer"),
        (good, other, 2, 0, "did not answer 'evaluate_promise'"),
        (
            "shell 1 v2 line_based",
            kept,
            2,
            0,
            "another protocol version",
        ),
    ];
    let mut exercised = BTreeSet::new();
    for (header, evaluate, deployed, specified, says) in cases {
        let folder = Folder::empty();
        let module = folder.write("shell.sh", &shell_module(header, evaluate));
        fs::set_permissions(&module, fs::Permissions::from_mode(0o755)).expect("a mode");
        let policy = folder.write(
            "p.cf",
            &format!(
                "promise agent shell {{ path => \"{}\"; }}\nbundle agent main {{ shell: \"a\"; \"b\"; }}\n",
                module.display()
            ),
        );
        let policy = policy.display().to_string();
        for (compat, wanted) in [("3.21.0", deployed), ("spec", specified)] {
            let run = [
                "agent", "-Kv", "--compat", compat, "--record", compat, "-f", &policy,
            ];
            let output = folder.run(&run);
            let found = output.stdout.matches("was kept by promise module").count();
            assert_eq!(found, wanted, "{compat}, {evaluate}\n{}", output.all());
            if compat == "spec" {
                output.says(says);
            }
        }
        // The agent may or may not see the second answer before it sends the next request.
        if evaluate != twice {
            let broken: &[&str] = if header == good { &[] } else { &["AG111"] };
            let broken: BTreeSet<String> = broken.iter().map(|rule| (*rule).to_owned()).collect();
            assert_eq!(judged(&folder, "3.21.0", "fail"), broken, "{evaluate}");
        }
        assert_eq!(judged(&folder, "spec", "fail"), BTreeSet::new());
        exercised.extend(judged(&folder, "spec", "pass"));
    }
    for rule in ["AG111", "AG114", "AG116"] {
        assert!(exercised.contains(rule), "{rule} is not exercised");
    }
}
