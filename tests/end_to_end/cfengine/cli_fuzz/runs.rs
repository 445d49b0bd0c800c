//! The runs of one campaign: a killed one goes on, and its corpus is bounded.

use super::{findings, planted, summary};
use crate::calls::SOON;
use crate::cli::Folder;
use std::process::Stdio;
use std::time::Instant;

/// Starts a campaign, and kills it once it has written a finding.
pub fn kill(folder: &Folder, arguments: &[&str]) {
    let mut command = folder.command(arguments);
    let command = command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().expect("stickler starts");
    let began = Instant::now();
    let is_told = || {
        let path = folder.path().join("part/summary.json");
        std::fs::read_to_string(path).is_ok_and(|text| text.contains("\"exit\": 1"))
    };
    while !is_told() && began.elapsed() < SOON {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    child.kill().expect("it runs");
    child.wait().expect("it is dead");
}

#[test]
fn a_killed_campaign_goes_on_and_tells_no_defect_as_new() {
    let folder = planted("magic_value");
    folder.replace("module.py", "== \"open sesame\"", "is not None");
    let usual = ["fuzz", "--folder", "part", "--coverage", "off"];
    let first = ["--seed", "3", "--shard", "1/2", "--jobs", "1"];
    kill(&folder, &[&usual[..], &first].concat());
    let before: serde_json::Value =
        serde_json::from_str(&folder.read("part/summary.json")).expect("JSON");
    assert_eq!(before["ended"], "running", "{before}");
    let found = folder.list("part/findings");
    // It may have been killed while it wrote.
    let known = folder.read("part/known.jsonl");
    folder.write("part/known.jsonl", &format!("{known}{{\"rule\": \"PM9"));
    let more = ["--cases", "30", "--jobs", "1", "--format", "json"];
    let output = folder.run(&[&usual[..], &more].concat());
    output.exits(1);
    let told = findings(&output);
    let is_known = |one: &serde_json::Value| {
        let signature = one["signature"].as_str().expect("text");
        known.contains(&format!("\"signature\":\"{signature}\""))
    };
    assert!(!told.iter().any(is_known), "{told:#?}");
    let summary = summary(&output);
    let count = |line: &serde_json::Value, key: &str| line[key].as_u64().expect(key);
    assert_eq!(count(&summary, "runs"), 2, "{summary}");
    assert_eq!(count(&summary, "seed"), 3);
    assert_eq!(summary["shard"], "1/2");
    assert!(count(&summary, "known") >= 1 && count(&summary, "must") >= 1);
    let cases = count(&before, "total_cases") + count(&summary, "cases");
    assert_eq!(count(&summary, "total_cases"), cases);
    assert!(summary["total_seconds"].as_f64() > summary["seconds"].as_f64());
    super::as_published(&output);
    let now = folder.list("part/findings");
    assert!(found.iter().all(|name| now.contains(name)), "{now:?}");
    // The report has it, too, and a person reads where it comes from.
    let more = ["--cases", "10", "--report", "page"];
    let output = folder.run(&[&usual[..], &more].concat());
    output
        .exits(1)
        .says("goes on after 2 runs")
        .says("an earlier run of this campaign found it")
        .says("with earlier runs: 3 runs, ");
    assert!(!output.all().contains("FOUND PM901"), "{}", output.all());
    let page = folder.read("page/index.html");
    assert!(page.contains("id=\"PM901\""), "{page}");
    assert!(page.contains("An earlier run of this campaign found it."));
    // What was merged is known as well.
    folder.run(&["fuzz", "merge", "all", "part"]).exits(1);
    assert!(folder.read("all/known.jsonl").contains("PM901"));
    // Once it is mended, it is forgotten.
    folder.replace("module.py", "is not None", "is None");
    let output = folder.run(&[&usual[..], &["--cases", "10"]].concat());
    output.exits(0).says("not occur any more");
    assert!(!folder.read("part/known.jsonl").contains("PM901"));
}

#[test]
fn an_input_under_another_name_and_one_that_alone_shows_something_stay() {
    let folder = planted("letter_by_letter");
    let usual = ["fuzz", "--folder", "part", "--seed", "1", "--jobs", "1"];
    folder
        .run(&[&usual[..], &["--cases", "40"]].concat())
        .exits(0);
    let before = folder.list("part/corpus");
    let copy = folder.read(&format!("part/corpus/{}", before[0]));
    folder.write(
        "part/corpus/mine.json",
        &copy.replacen("\"do\"", "\"do\" ", 1),
    );
    folder
        .run(&[&usual[..], &["--cases", "40"]].concat())
        .exits(0);
    let after = folder.list("part/corpus");
    assert!(before.iter().all(|name| after.contains(name)), "{after:?}");
    assert!(after.contains(&"mine.json".to_owned()));
}

/// A sound module that hangs in each evaluation.
fn hanging() -> Folder {
    let folder = planted("magic_value");
    let from = "    def evaluate(self, request):\n";
    let to = "    def evaluate(self, request):\n        time.sleep(1000)\n";
    folder.replace("module.py", from, to);
    folder.replace("module.py", "from base", "import time\n\nfrom base");
    folder
}

#[test]
fn examples_that_hang_do_not_take_more_than_the_campaigns_time() {
    let folder = hanging();
    let text = folder.read("stickler.toml");
    let text = text.replace("[subject]\n", "[subject]\ndeadlines = { evaluate = 900 }\n");
    folder.write("stickler.toml", &text);
    let began = Instant::now();
    let output = folder.run(&["fuzz", "--for", "3s", "--jobs", "1"]);
    output
        .exits(4)
        .says("the examples alone took 3 s")
        .says("lower `deadlines`");
    assert!(began.elapsed() < SOON);
}

#[test]
fn an_example_that_hangs_is_a_finding() {
    let folder = hanging();
    let text = folder.read("stickler.toml");
    let text = text.replace("[subject]\n", "[subject]\ndeadlines = { evaluate = 1 }\n");
    folder.write("stickler.toml", &text);
    let output = folder.run(&[
        "fuzz",
        "--for",
        "1000s",
        "--jobs",
        "1",
        "--until-finding",
        "--format",
        "json",
    ]);
    let found = findings(output.exits(1));
    assert_eq!(found[0]["rule"], "PM902", "{found:#?}");
    assert_eq!(found[0]["level"], "must");
    // The sessions that learn had the whole deadline, so nothing needs to be tried again.
    assert!(
        summary(&output)["requests"].as_u64() < Some(200),
        "{found:#?}"
    );
}
