//! The line of a stack trace that matters.

use cfengine_protocol::trace::{message, place};

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

#[test]
fn the_innermost_frame_in_the_module_is_its_place() {
    let python = "Traceback (most recent call last):\n  File \"/srv/m.py\", line 30, in <module>\n    main()\n  \
                  File \"/srv/m.py\", line 12, in main\n    json.loads(x)\n  File \"/usr/lib/python3/json/m2.py\", \
                  line 339, in loads\nValueError: no value\n";
    let ruby = "/usr/lib/ruby/json.rb:3:in `parse': no value (JSON::ParserError)\n\tfrom /srv/m.rb:7:in `one'\n\t\
                from /srv/m.rb:20:in `<main>'\n";
    let perl = "no value at m.pl line 3, <STDIN> line 4.\n";
    let go = "panic: no value\n\ngoroutine 1 [running]:\nmain.one(...)\n\t/srv/m.go:5 +0x1d\nmain.main()\n\t/srv/m.go:9\n";
    for (trace, file, line) in [
        (python, "m.py", Some(12)),
        (ruby, "m.rb", Some(7)),
        (perl, "m.pl", Some(3)),
        (go, "m.go", Some(5)),
        ("m.sh: line 3: x: unbound variable\n", "m.sh", Some(3)),
        ("./m.sh: 3: x: parameter not set\n", "m.sh", Some(3)),
        (python, "other.py", None),
        (python, "y", None),
        (python, "", None),
        ("m.py: no value\n", "m.py", None),
    ] {
        assert_eq!(place(trace.as_bytes(), file), line, "{file}: {trace}");
    }
}
