//! The line of a stack trace that matters.

use cfengine_protocol::trace::message;

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
