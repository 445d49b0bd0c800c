//! The files keep their form.

use std::path::Path;
use stickler_recorder::cf_agent;

#[test]
fn lines_of_situations_are_written_as_they_were_read() {
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/recorded/releases");
    let path = fixture.join("situations.jsonl");
    let lines = cf_agent::lines(&path).expect("the situations");
    let text = std::fs::read_to_string(&path).expect("the situations");
    assert_eq!(lines.len(), text.lines().count());
    for (line, text) in lines.iter().zip(text.lines()) {
        assert_eq!(line.text().expect("a line"), text);
    }
}
