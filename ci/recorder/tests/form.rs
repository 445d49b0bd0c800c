//! The files keep their form.

use std::path::{Path, PathBuf};
use stickler_recorder::{cf_agent, puppet};

fn fixture(name: &str) -> PathBuf {
    let recorded = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/recorded");
    recorded.join(name).join("situations.jsonl")
}

fn holds(path: &Path, written: &[String]) {
    let text = std::fs::read_to_string(path).expect("the situations");
    assert_eq!(written.len(), text.lines().count());
    for (written, line) in written.iter().zip(text.lines()) {
        assert_eq!(written, line);
    }
}

#[test]
fn situations_of_cf_agent_are_written_as_they_were_read() {
    let path = fixture("releases");
    let lines = cf_agent::lines(&path).expect("the situations");
    let written: Result<Vec<String>, _> = lines.iter().map(cf_agent::Line::text).collect();
    holds(&path, &written.expect("lines"));
}

#[test]
fn situations_of_puppet_are_written_as_they_were_read() {
    let path = fixture("puppet");
    let lines = puppet::lines(&path).expect("the situations");
    let written: Result<Vec<String>, _> = lines.iter().map(puppet::Line::text).collect();
    holds(&path, &written.expect("lines"));
}
