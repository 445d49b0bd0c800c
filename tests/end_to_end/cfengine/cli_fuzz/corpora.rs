//! What a campaign writes, and how such folders are merged.

use super::{ends, planted, runs};

#[test]
fn corpora_are_merged_and_made_smaller() {
    let folder = planted("letter_by_letter");
    for corpus in ["a", "b"] {
        let seed = if corpus == "a" { "1" } else { "2" };
        ends(&folder.run(&["fuzz", "--cases", "60", "--seed", seed, "--corpus", corpus]));
    }
    folder
        .run(&["fuzz", "merge", "all", "a", "b"])
        .exits(0)
        .says("new input");
    let all = folder.list("all").len();
    assert!(all >= folder.list("a").len().max(folder.list("b").len()));
    folder
        .run(&["fuzz", "merge", "all", "a"])
        .exits(0)
        .says("0 new inputs");
    // An input that only waits longer than another one shows nothing of its own.
    let some = format!("all/{}", folder.list("all")[0]);
    let waits = r#"{"steps": [{"do": "pause", "ms": 1}, "#;
    let longer = folder.read(&some).replacen("{\n  \"steps\": [", waits, 1);
    folder.write("all/longer.json", &longer);
    folder.run(&["fuzz", "min", "all"]).exits(0).says("kept");
    assert!(!folder.exists("all/longer.json"), "{longer}");
    let fewer = folder.list("all").len();
    assert!(fewer > 0 && fewer <= all, "{fewer} of {all}");
    let again = folder.run(&["fuzz", "min", "all"]);
    again
        .exits(0)
        .says(&format!(": {fewer} input"))
        .says("kept, 0 inputs removed");
    folder
        .run(&["fuzz", "merge", "all", "nowhere"])
        .exits(2)
        .says("nowhere: no such folder");
    folder
        .run(&["fuzz", "min", "nowhere"])
        .exits(2)
        .says("no such file");
    // What is no input is told of and left alone.
    folder.write("all/broken.json", "{");
    folder
        .run(&["fuzz", "--replay-only", "--corpus", "all"])
        .exits(0)
        .says("broken.json: no input of `stickler fuzz`");
    assert!(folder.exists("all/broken.json"));
}

#[test]
fn campaigns_are_merged_by_their_folders() {
    let folder = planted("magic_value");
    folder.replace("module.py", "== \"open sesame\"", "is not None");
    let part = |name: &str, more: &[&str]| {
        let usual = ["fuzz", "--folder", name, "--cases", "25", "--jobs", "1"];
        folder.run(&[&usual[..], &["--coverage", "off"], more].concat())
    };
    let told = |name: &str| -> serde_json::Value {
        serde_json::from_str(&folder.read(&format!("{name}/summary.json"))).expect("JSON")
    };
    part("a", &["--shard", "1/2", "--format", "json"]).exits(1);
    part("b", &["--shard", "2/2"]).exits(1);
    let summary = told("a");
    assert_eq!(
        (&summary["exit"], &summary["ended"]),
        (&1.into(), &"limit".into())
    );
    assert!(summary["must"].as_u64() > Some(0), "{summary}");
    let output = folder.run(&["fuzz", "merge", "all", "a", "b"]);
    output
        .exits(1)
        .says("a: ")
        .says(" sessions, ")
        .says("new finding");
    // What both have found is there once: the shorter of two files.
    let found = folder.list("all/findings");
    let of = |part: &str| folder.list(&format!("{part}/findings"));
    let each: std::collections::BTreeSet<String> = of("a").into_iter().chain(of("b")).collect();
    assert_eq!(found, each.into_iter().collect::<Vec<_>>());
    let (of_a, of_b) = (of("a"), of("b"));
    let both: Vec<&String> = found
        .iter()
        .filter(|name| of_a.contains(name) && of_b.contains(name))
        .collect();
    assert!(!both.is_empty(), "{of_a:?} {of_b:?}");
    for name in both {
        let size = |part: &str| folder.read(&format!("{part}/findings/{name}")).len();
        assert_eq!(size("all"), size("a").min(size("b")), "{name}");
    }
    let replayed = format!("all/findings/{}", found[0]);
    folder
        .run(&["replay", &replayed])
        .exits(1)
        .says("still failing");
    let again = folder.run(&["fuzz", "merge", "all", "a", "b"]);
    again.exits(1).says("all: 0 new inputs, 0 new findings");
    // What was merged can be merged again, and so can a corpus alone.
    folder
        .run(&["fuzz", "merge", "whole", "all"])
        .exits(1)
        .says("all: ");
    folder
        .run(&["fuzz", "merge", "whole", "a/corpus"])
        .exits(0)
        .says("0 new inputs");
    // A campaign goes on from the folder, and a replay leaves its summary alone.
    part("all", &["--replay-only"])
        .exits(2)
        .says("cannot be used with");
    folder
        .run(&["fuzz", "--folder", "all", "--replay-only"])
        .exits(1);
    assert_eq!(told("all")["event"], "merged");
    part("all", &[]).exits(1).says("of the corpus");
    assert_eq!(told("all")["event"], "summary");
    // What did not run to its end is told; what tested nothing is never green.
    folder.write(
        "killed/summary.json",
        &told("a").to_string().replace("limit", "running"),
    );
    let output = folder.run(&["fuzz", "merge", "more", "killed"]);
    output.exits(1).says("did not end properly");
    folder.write("c/corpus/.keep", "");
    let output = folder.run(&["fuzz", "merge", "more", "c"]);
    output.exits(4).says("c has no summary.json");
    folder.write(
        "d/summary.json",
        r#"{"cases": 0, "ended": "running", "exit": 0}"#,
    );
    folder
        .run(&["fuzz", "merge", "more", "d"])
        .exits(4)
        .says("d: 0 sessions");
    folder.write("d/summary.json", "{");
    let output = folder.run(&["fuzz", "merge", "more", "d"]);
    output
        .exits(2)
        .says("d/summary.json: no summary of a campaign");
    folder
        .run(&["fuzz", "merge", "more", "a", "nowhere"])
        .exits(2)
        .says("nowhere: no such folder");
    // What is no recording of sessions is told of and left out.
    folder.write("b/findings/broken.jsonl", "{\n");
    let output = folder.run(&["fuzz", "merge", "all", "b"]);
    output.exits(1).says("left out: b/findings/broken.jsonl");
    assert!(!folder.exists("all/findings/broken.jsonl"));
}

#[test]
fn a_killed_campaign_has_written_its_findings() {
    let folder = planted("magic_value");
    folder.replace("module.py", "== \"open sesame\"", "is not None");
    runs::kill(&folder, &["fuzz", "--folder", "part", "--coverage", "off"]);
    let output = folder.run(&["fuzz", "merge", "all", "part"]);
    output
        .exits(1)
        .says("did not end properly")
        .says("all/findings/");
}

#[test]
fn no_file_of_a_campaign_holds_a_secret() {
    let folder = planted("magic_value");
    folder.replace("module.py", "== \"open sesame\"", "!= \"hunter22-secret\"");
    folder.replace("module.py", "the cave is open", "it is another word");
    folder.replace("stickler.toml", "\"hello\"", "\"hunter22-secret\"");
    folder.replace(
        "stickler.toml",
        "path =",
        "sensitive = [\"message\"]\npath =",
    );
    let usual = [
        "fuzz",
        "--seed",
        "1",
        "--folder",
        "own",
        "--coverage",
        "off",
    ];
    let output = folder.run(&[&usual[..], &["--cases", "150"]].concat());
    // The author's own value goes to the module as it is.
    output.exits(1).says("it is another word");
    let again = folder.run(&[&usual[..], &["--replay-only", "--format", "json"]].concat());
    assert!(again.code < 2, "{}", again.all());
    assert!(!folder.list("own/corpus").is_empty());
    for name in ["own", "own/corpus", "own/findings"] {
        for file in std::fs::read_dir(folder.path().join(name)).expect("a folder") {
            let path = file.expect("a file").path();
            let text = std::fs::read(&path).unwrap_or_default();
            let text = String::from_utf8_lossy(&text);
            assert!(
                !text.contains("hunter22-secret"),
                "{}: {text}",
                path.display()
            );
        }
    }
    let masked = folder.list("own/corpus").into_iter();
    let mut masked = masked.map(|name| folder.read(&format!("own/corpus/{name}")));
    assert!(masked.any(|text| text.contains("REDACTED(0)")));
}
