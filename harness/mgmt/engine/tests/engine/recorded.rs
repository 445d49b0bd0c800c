//! Replays what the real engine was seen to do.
#![expect(clippy::print_stdout, reason = "the test says how much agrees")]

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;
use mgmt_engine::replay::{by_family, replay};

/// Why cases do not agree, and which; none is known.
const KNOWN: [(&str, &[&str]); 0] = [];

fn recording() -> Result<String, std::io::Error> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../fixtures/recorded/mgmt/cases.jsonl.gz");
    let mut text = String::new();
    GzDecoder::new(File::open(path)?).read_to_string(&mut text)?;
    Ok(text)
}

#[test]
fn the_engine_reproduces_the_recorded_runs_of_mgmt() {
    let text = recording().expect("the recording is there");
    let cases = replay(&text).expect("the recording can be read");
    for (family, (agree, all)) in by_family(&cases) {
        println!("{family}: agree {agree}/{all}");
    }
    println!(
        "agree {}/{}",
        cases.iter().filter(|case| case.agrees()).count(),
        cases.len()
    );

    let known: BTreeMap<&str, &str> = KNOWN
        .iter()
        .flat_map(|(why, names)| names.iter().map(move |name| (*name, *why)))
        .collect();
    let mut wrong = Vec::new();
    for case in &cases {
        match (case.agrees(), known.contains_key(case.name.as_str())) {
            (false, false) => {
                wrong.push(case.name.clone());
                wrong.extend(case.differences.iter().map(|one| format!("  {one}")));
            }
            (true, true) => wrong.push(format!("{}: agrees now", case.name)),
            _ => {}
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}
