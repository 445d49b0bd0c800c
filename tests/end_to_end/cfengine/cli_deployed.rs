//! Findings about answers say what the deployed agent would do with them.

use crate::cli::{Folder, json_lines};

/// The remark about the deployed agent in the first finding of a rule, for a changed module.
#[track_caller]
fn told(rule: &str, old: &str, new: &str) -> Option<String> {
    let folder = Folder::sound();
    folder.replace("message.py", old, new);
    let check = ["check", "--format", "json", "--strict", "--quick"];
    let checked = folder.run(&[&check[..], &["--select", rule]].concat());
    let lines = json_lines(checked.exits(1));
    let findings = lines[0]["findings"].as_array().expect("findings");
    let all = || findings.iter().filter_map(|found| found["agent"].as_str());
    // Remarks about promises say most.
    let told = all().find(|told| told.contains(" the promise as "));
    let told = told.or_else(|| all().next());
    // The error in the remark is what the reference agent prints.
    if let Some((_, complaint)) = told.and_then(|told| told.split_once("print an error: ")) {
        folder.write("p.cf", POLICY);
        let agent = || folder.run(&["agent", "-Kf", "./p.cf"]);
        let complaint = complaint.split(" (").next().unwrap_or_default();
        let start = complaint.split('\'').next().unwrap_or_default();
        // Whether output after an answer is read with it or later depends on the moment.
        let is_told = (0..5).any(|_| agent().stdout.contains(start));
        assert!(is_told, "{complaint}\n{}", agent().all());
    }
    told.map(str::to_owned)
}

const POLICY: &str = r#"
promise agent message {
  interpreter => "/usr/bin/python3";
  path => "$(this.promise_dirname)/message.py";
}
bundle agent main
{
  message:
    "$(this.promise_dirname)/motd" message => "hello";
}
"#;

#[test]
fn a_broken_answer_is_not_read_to_its_end() {
    let told = told("PM205", "json.dumps(data)", "str(data)");
    assert_eq!(
        told.as_deref(),
        Some(
            "cf-agent would report the promise as invalid, so not kept, read the rest of the output as the next answer, and print an error: Promise module 'message.py' sent invalid JSON"
        )
    );
}

#[test]
fn an_unknown_level_ends_the_agent() {
    let told = told("PM501", "\"level\": \"info\"", "\"level\": \"loud\"");
    assert_eq!(
        told.as_deref(),
        Some("cf-agent would end its run here, with exit code 255")
    );
}

#[test]
fn an_operation_is_not_looked_at() {
    let told = told(
        "PM301",
        "{\"operation\": operation, \"promiser\"",
        "{\"operation\": \"x\", \"promiser\"",
    );
    assert_eq!(
        told.as_deref(),
        Some("cf-agent would accept the promise as valid, without an error of its own")
    );
}

#[test]
fn a_second_answer_is_taken_for_the_next() {
    let told = told(
        "PM202",
        "write(json.dumps(data) + \"\\n\\n\")",
        // In one piece: what comes later may be read later.
        "write((json.dumps(data) + \"\\n\\n\") * 2)",
    );
    let told = told.expect("an answer");
    assert!(
        told.contains("read the rest of the output as the next answer"),
        "{told}"
    );
}

#[test]
fn a_module_that_ends_is_not_started_again() {
    let told = told(
        "PM901",
        "    path, text = promise",
        "    sys.exit(3)\n    path, text = promise",
    );
    let told = told.expect("an answer");
    assert!(
        told.contains("not start the module again for its later promises, and print an error: The 'message.py' promise module sent an invalid/incomplete response"),
        "{told}"
    );
}

#[test]
fn classes_that_are_no_list_crash_the_agent() {
    let told = told(
        "PM602",
        "data[\"attributes\"] = request[\"attributes\"]",
        "data[\"attributes\"] = request[\"attributes\"]\n            data[\"result_classes\"] = \"done\"",
    );
    assert_eq!(
        told.as_deref(),
        Some("cf-agent would crash here, and evaluate no further promise")
    );
}

#[test]
fn a_repair_without_a_word_is_complained_of() {
    let told = told(
        "PM503",
        "    log.append({\"level\": \"info\", \"message\": \"Wrote the message\"})\n",
        "",
    );
    let told = told.expect("an answer");
    assert!(
        told.starts_with("cf-agent would report the promise as repaired, and print an error: Bug in promise module - Failed to log about changes made by a repaired message promise with promiser '{dir}/motd'"),
        "{told}"
    );
}

#[test]
fn of_two_protocols_the_last_is_spoken() {
    let told = told(
        "PM104",
        "message 1.0 v1 json_based",
        "message 1.0 v1 json_based line_based",
    );
    let told = told.expect("an answer");
    assert!(
        told.starts_with("cf-agent would use the line-based protocol with the module, and print an error: Ambiguous protocol specification from the custom promise module 'message.py'"),
        "{told}"
    );
}

#[test]
fn an_effect_is_no_answer() {
    let told = told(
        "PM801",
        "    attributes = promise.get(\"attributes\", {})",
        "    open(promise[\"promiser\"], \"w\").close()\n    attributes = promise.get(\"attributes\", {})",
    );
    assert_eq!(told, None);
}

#[test]
fn people_read_it_below_the_evidence() {
    let folder = Folder::sound();
    folder.replace("message.py", "\"level\": \"info\"", "\"level\": \"loud\"");
    let checked = folder.run(&["check", "--select", "PM501"]);
    checked.says("agent    cf-agent would end its run here");
    let stored = folder.reproducer("PM501");
    folder
        .run(&["judge", "--select", "PM501", &stored])
        .says("agent    cf-agent would end its run here");
    folder
        .run(&["replay", &stored])
        .says("agent    cf-agent would end its run here");
}

/// The first finding of a rule about a changed module that is meant for some agents.
fn found(rule: &str, agents: &str, old: &str, new: &str) -> Option<serde_json::Value> {
    let folder = Folder::sound();
    folder.replace("message.py", old, new);
    folder.replace(
        "stickler.toml",
        "[subject]\n",
        &format!("[subject]\n{agents}\n"),
    );
    let checked = folder.run(&["check", "--format", "json", "--select", rule]);
    let lines = json_lines(&checked);
    Some(lines[0]["findings"].as_array()?.first()?.clone())
}

#[test]
fn versions_that_take_an_answer_otherwise_are_named() {
    let comma = "json.dumps(data).replace(', \"result\"', ' \"result\"')";
    let told = |agents: &str| {
        let found = found("PM205", agents, "json.dumps(data)", comma).expect("a finding");
        found["agent"].as_str().expect("a remark").to_owned()
    };
    let all = told("");
    assert!(
        all.starts_with("cf-agent 3.21.0, 3.24.4 and 3.27.1 would "),
        "{all}"
    );
    assert!(all.contains("; 3.28.0 would "), "{all}");
    let newest = told("agents = [\"3.28\"]");
    assert!(
        newest.starts_with("cf-agent would ") && all.ends_with(&newest[8..]),
        "{newest}"
    );
    let older = told("agents = [\"3.27\", \"3.21.0\"]");
    assert!(
        older.starts_with("cf-agent would accept the promise as valid"),
        "{older}"
    );
}

#[test]
fn text_beyond_ascii_is_sent_as_each_version_does() {
    let found = |agents: &str, old: &str, new: &str| found("PM905", agents, old, new);
    let same = "json.dumps(data)";
    let advice = found("", same, same).expect("advice");
    assert_eq!(advice["level"], "may");
    let message = advice["message"].as_str().expect("a message");
    assert!(
        message.contains("as cf-agent 3.24.4 and later would send it"),
        "{message}"
    );
    assert!(found("agents = [\"3.21.0\"]", same, same).is_none());
    let newest = found("agents = [\"3.28.0\"]", same, same).expect("advice");
    assert!(
        newest["message"]
            .as_str()
            .expect("a message")
            .contains("as cf-agent 3.28.0 would send it")
    );
    // A module that decodes what was sent byte by byte copes with all of them.
    assert!(found("", "def complaint(promise):", DECODES).is_none());
}

/// Reads text that was sent byte by byte, and all other text as it is.
const DECODES: &str = r#"def meant(value):
    if isinstance(value, dict):
        return {meant(name): meant(item) for name, item in value.items()}
    if not isinstance(value, str):
        return value
    try:
        return value.encode("latin-1").decode()
    except UnicodeError:
        return value


loads = json.loads
json.loads = lambda text: meant(loads(text))


def complaint(promise):"#;

/// The rules that fail with the messages of a version.
fn failing(folder: &Folder, version: &str) -> Vec<String> {
    let agents = format!("[subject]\nagents = [\"{version}\"]\n");
    folder.replace("stickler.toml", "[subject]\n", &agents);
    let checked = folder.run(&["check", "--format", "json", "--quick"]);
    folder.replace("stickler.toml", &agents, "[subject]\n");
    let lines = json_lines(&checked);
    let failing = lines.iter().filter(|line| line["verdict"] == "fail");
    failing.map(|line| line["rule"].to_string()).collect()
}

#[test]
fn defects_are_found_with_the_messages_of_each_version() {
    let silent = Folder::sound();
    let header = "sys.stdout.write(\"message 1.0 v1 json_based\\n\\n\")";
    silent.replace("message.py", header, "sys.exit(0)");
    assert!(failing(&silent, "3.28.0").contains(&"\"PM101\"".to_owned()));
    assert_eq!(failing(&silent, "3.28.0"), failing(&silent, "3.21.0"));
    let declared = Folder::sound();
    declared.replace("stickler.toml", "\"repaired\", ", "\"not_kept\", ");
    assert!(failing(&declared, "3.24").contains(&"\"PM406\"".to_owned()));
}

#[test]
fn a_request_that_is_no_json_is_no_header() {
    let folder = Folder::sound();
    // Old agents send the names of containers as they are.
    folder.replace(
        "message.py",
        "name != \"message\"",
        "name not in (\"message\", \"extra\")",
    );
    folder.replace(
        "message.py",
        "not isinstance(value, str)",
        "not isinstance(value, (str, dict))",
    );
    folder.replace("message.py", "    answer({\"operation\": \"\", ", "    answer({\"operation\": \"\", \"log\": [{\"level\": \"critical\", \"message\": \"No JSON\"}], ");
    folder.replace(
        "stickler.toml",
        "{ message = \"hello\" }",
        "{ message = \"hello\", extra = { 'a\\{b' = \"80\" } }",
    );
    let checked = folder.run(&[
        "check",
        "--quick",
        "--select",
        "PM103,PM104",
        "--format",
        "json",
    ]);
    let lines = json_lines(checked.exits(0));
    let passed = lines.iter().filter(|line| line["verdict"] == "pass");
    assert!(passed.count() > 0, "{}", checked.all());
}
