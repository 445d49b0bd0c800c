//! The files keep their form.

use cfengine_conform::{HOSTILE, Line, SITUATIONS};
use stickler_conform::lines;

#[test]
fn situations_are_written_as_they_were_read() {
    for (name, text) in [("situations.jsonl", SITUATIONS), ("hostile.jsonl", HOSTILE)] {
        let lines: Vec<Line> = lines(name, text).expect("the situations");
        assert_eq!(lines.len(), text.lines().count());
        for (line, text) in lines.iter().zip(text.lines()) {
            assert_eq!(Line::text(line).expect("a line"), text);
        }
    }
}
