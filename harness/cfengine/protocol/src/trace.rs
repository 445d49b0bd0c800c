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
pub(crate) fn message(errors: &[u8]) -> Option<&[u8]> {
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

#[cfg(test)]
mod tests {
    use super::message;

    #[track_caller]
    fn says(errors: &str, line: &str) {
        let told = message(errors.as_bytes()).map(String::from_utf8_lossy);
        assert_eq!(told.as_deref(), Some(line), "{errors}");
    }

    #[test]
    fn python_says_it_last() {
        let trace = "Traceback (most recent call last):\n  File \"m.py\", line 3, in <module>\n    \
                     main()\nKeyError: 'x'\n\nDuring handling of the above exception, another \
                     exception occurred:\n\nTraceback (most recent call last):\n  File \"m.py\", \
                     line 5, in <module>\nNotThere: no such thing\n";
        says(trace, "NotThere: no such thing");
    }

    #[test]
    fn ruby_says_it_before_the_frames() {
        let trace = "m.rb:4:in 'Object#run': undefined method 'x' for nil (NoMethodError)\n\n    \
                     value.x\n         ^^\n\tfrom m.rb:9:in '<main>'\n";
        says(
            trace,
            "m.rb:4:in 'Object#run': undefined method 'x' for nil (NoMethodError)",
        );
        says(
            "m.rb:4:in `run': no value (Missing)\n\tfrom error.rb:9:in `<main>'\n",
            "m.rb:4:in `run': no value (Missing)",
        );
    }

    #[test]
    fn perl_says_where_in_the_same_line() {
        says(
            "Can't locate object at m.pl line 3, <STDIN> line 4.\n",
            "Can't locate object at m.pl line 3, <STDIN> line 4.",
        );
        says(
            "no value at m.pl line 3.\n\tmain::error(\"x\") called at m.pl line 9\n",
            "no value at m.pl line 3.",
        );
    }

    #[test]
    fn node_says_it_between_source_and_frames() {
        let trace = "/srv/m.js:2\n  throw new TypeError('no value');\n  ^\n\nTypeError: no value\n    \
                     at one (/srv/m.js:2:9)\n    at Object.<anonymous> (/srv/m.js:5:1) {\n  code: 'X'\n\
                     }\n\nNode.js v20.20.2\n";
        says(trace, "TypeError: no value");
        says(
            "/srv/m.js:1\nthrow 'no value';\n^\nno value\n(Use `node --trace-uncaught ...` to show \
             where the exception was thrown)\n\nNode.js v20.20.2\n",
            "no value",
        );
    }

    #[test]
    fn go_says_it_first_and_rust_second() {
        let trace = "panic: no value\n\ngoroutine 1 [running]:\nmain.handleError(...)\n\t\
                     /srv/m.go:5\nmain.main()\n\t/srv/m.go:9 +0x1d\nexit status 2\n";
        says(trace, "panic: no value");
        let trace = "\nthread 'main' panicked at src/main.rs:2:5:\nno value\nnote: run with \
                     `RUST_BACKTRACE=1` environment variable to display a backtrace\n";
        says(trace, "no value");
    }

    #[test]
    fn without_a_trace_it_is_the_line_that_names_an_error() {
        says("error: no value\ncleaned up\n", "error: no value");
        says(
            "m.sh: line 3: x: unbound variable\n",
            "m.sh: line 3: x: unbound variable",
        );
        assert_eq!(message(b"\n"), None);
    }
}
