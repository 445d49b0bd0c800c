//! Output that is meant to break or slow down the analysis.

use cfengine_protocol::wire::response::*;
use cfengine_protocol::wire::{How, Protocol};
use proptest::prelude::*;

const KEPT: &str = r#"{"operation":"evaluate_promise","result":"kept"}"#;

fn json(message: impl AsRef<[u8]>) -> Response {
    Response::analyse(message.as_ref(), Protocol::Json)
}

fn line(message: impl AsRef<[u8]>) -> Response {
    Response::analyse(message.as_ref(), Protocol::Line)
}

/// How long this thread has used a CPU, in seconds: a busy machine does not count (proc(5), "schedstat").
fn on_cpu() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("the statistics");
    let first = text.split_whitespace().next().expect("a number");
    first.parse::<f64>().expect("nanoseconds") / 1e9
}

#[test]
fn hostile_output_is_taken_apart_in_time() {
    let pieces = [
        "{\n",
        "{",
        "{\"a\":\n",
        "{\"a\":",
        "x{\"a\":",
        "x{\"a\":{}}",
        "[\n",
        "}\n",
        "log_a={\n",
        "{}\n",
        "x{\"a\":{}}\n",
        "{\"a\":1}{\"b\":2}\n",
        "a=1\n",
        "1\n",
        "\"",
        "{\"a\":\"",
    ];
    for piece in pieces {
        let before = on_cpu();
        let message = piece.repeat(200_000);
        let _ = (json(&message), line(&message));
        let took = on_cpu() - before;
        assert!(took < 5.0, "{piece:?} took {took} s of a CPU");
    }
}

proptest! {
    #[test]
    fn no_bytes_make_the_analysis_panic(message: Vec<u8>) {
        let _ = (json(&message), line(&message));
    }

    #[test]
    fn lines_cover_the_message_whatever_it_is(
        message in r#"(\n|\r|\{|\}|[a-z]=|log_|"result": "kept"|"a": |,|\[|\]| |x){0,24}"#
    ) {
        for response in [json(&message), line(&message)] {
            let parts: Vec<_> = response.lines.iter().map(|line| response.bytes(&line.range)).collect();
            let text = response.text.strip_suffix(b"\n").unwrap_or(&response.text);
            let windows = response.end.is_some_and(|end| end.how == How::CarriageReturn);
            let whole: Vec<_> = text
                .split(|&byte| byte == b'\n')
                .map(|line| line.strip_suffix(b"\r").filter(|_| windows).unwrap_or(line))
                .collect();
            prop_assert_eq!(parts.join(&b"\n"[..]), whole.join(&b"\n"[..]));
        }
    }

    #[test]
    fn an_object_is_found_between_noise(
        before in prop::collection::vec("[a-z ]{1,8}", 0..3),
        after in prop::collection::vec("[a-z ]{1,8}", 0..3),
    ) {
        let lines: Vec<_> = before.iter().map(String::as_str).chain([KEPT]).chain(after.iter().map(String::as_str)).collect();
        let response = json(format!("{}\n\n", lines.join("\n")));
        prop_assert!(response.result.is("kept"));
        prop_assert_eq!(response.lines.iter().filter(|line| line.place == Position::Before).count(), before.len());
        prop_assert_eq!(response.lines.iter().filter(|line| line.place == Position::After).count(), after.len());
    }
}
