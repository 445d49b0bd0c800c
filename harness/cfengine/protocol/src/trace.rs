//! Finds the line in a program's standard error output that says why it ended.

use crate::words::contains;

/// Prefixes of lines after or between traces that do not describe the error.
const NOTES: &[&[u8]] = &[
    b"Node.js v",
    b"(Use `node ",
    b"note: run with `RUST_BACKTRACE",
    b"exit status ",
    b"During handling of the above exception",
    b"The above exception was the direct cause",
];

/// Prefixes of Go's error line, which comes before the frames of all threads.
const FIRST: &[&[u8]] = &[b"panic: ", b"fatal error: "];

/// The line that says what is wrong: in a trace, the line to which its frames belong; otherwise the
/// last line that mentions an error, or else the last line.
pub fn message(errors: &[u8]) -> Option<&[u8]> {
    let lines: Vec<&[u8]> = errors
        .split(|byte| *byte == b'\n')
        .map(<[u8]>::trim_ascii_end)
        .filter(|line| line.iter().any(u8::is_ascii_alphanumeric))
        .collect();
    let begins = |line: &[u8], known: &[&[u8]]| known.iter().any(|start| line.starts_with(start));
    if let Some(first) = lines.iter().find(|line| begins(line, FIRST)) {
        return Some(first);
    }
    // Rust prints the place first, and the message on the next line.
    let panic = lines.iter().rposition(|line| {
        line.starts_with(b"thread '") && contains(line, b"panicked at") && line.ends_with(b":")
    });
    if let Some(what) = panic.and_then(|at| lines.get(at + 1)) {
        return Some(what);
    }
    let is_frame = |line: &[u8]| line[0].is_ascii_whitespace();
    let traced = lines.iter().any(|line| is_frame(line));
    let said = lines
        .iter()
        .filter(|line| !is_frame(line) && !begins(line, NOTES));
    let last = said.clone().next_back();
    let names = said.clone().rfind(|line| {
        let lower = line.to_ascii_lowercase();
        let words = [&b"error"[..], b"exception", b"panic", b"fatal"];
        words.iter().any(|word| contains(&lower, word))
    });
    let told = if traced { last } else { names.or(last) };
    told.or(lines.last()).copied()
}
