//! Finds the line in a program's standard error output that says why it ended, and the place in its source.

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

/// The line of a source file, from 1, where what ended the program came from: the innermost frame in this file.
/// Python and shells print the innermost frame last, others first.
pub fn place(errors: &[u8], file: &str) -> Option<u64> {
    let text = String::from_utf8_lossy(errors);
    let mut innermost = None;
    for (at, _) in text.match_indices(file) {
        let is_whole = !text[..at].ends_with(|c: char| c.is_alphanumeric() || "_-.".contains(c));
        let rest = &text[at + file.len()..];
        let frame = |start: &str| number(rest.strip_prefix(start)?);
        if !is_whole || file.is_empty() {
            continue;
        }
        // `File "x.py", line 3`, `at x.pl line 3.`, `x.sh: line 3: `, `x.sh: 3: `.
        let outer_first = ["\", line ", " line ", ": line ", ": "];
        if let Some(line) = outer_first.iter().find_map(|start| frame(start)) {
            innermost = Some(line);
        } else if let Some(line) = frame(":") {
            // `x.rb:3:in`, `x.js:3:5`, `x.go:3 +0x1d`.
            return innermost.or(Some(line));
        }
    }
    innermost
}

/// The number at the beginning of a text.
fn number(text: &str) -> Option<u64> {
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    text[..end].parse().ok().filter(|number| *number > 0)
}
