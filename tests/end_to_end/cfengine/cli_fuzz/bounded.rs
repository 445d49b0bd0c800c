//! However much a subject's source, its comparisons or its answers hold, a campaign stays small and ends in time.

use super::Folder;
use crate::cfengine::watched::watched;
use crate::common::{Call, STICKLER, side_by_side};
use std::time::Duration;

/// How much memory a campaign may take, KiB (docs/fuzzing.md).
const MEMORY_KIB: u64 = 512 << 10;
/// How long a campaign is to last, in seconds.
const SECONDS: f64 = 15.0;
/// How much longer it may take where other tests run beside it. `ci/bench` has the exact bound.
const BUSY: f64 = 60.0;

/// A module that tells of each request what `look` does with it. What it puts into `more` comes with the answer.
fn module(look: &str) -> String {
    format!(
        r#"import json, os, sys

def receive(unread=bytearray()):
    while b"\n\n" not in unread:
        data = os.read(0, 65536)
        if not data:
            return None
        unread += data
    message, _, rest = bytes(unread).partition(b"\n\n")
    unread[:] = rest
    return message

{look}

if receive() is not None:
    os.write(1, b"big 1.0 v1 json_based\n\n")
    while (message := receive()) is not None:
        request = json.loads(message)
        operation = request["operation"]
        answer = {{"operation": operation, "result": "success"}}
        if operation != "terminate":
            texts = request.get("attributes", {{}}).get("texts")
            is_right = isinstance(texts, list) and all(isinstance(text, str) for text in texts)
            more = look(texts) if is_right else []
            answer["result"] = ("valid" if is_right else "invalid") if operation == "validate_promise" else "kept"
            answer["log"] = [] if is_right else [{{"level": "error", "message": "a list of texts is needed"}}]
            answer["log"] += [{{"level": "verbose", "message": text}} for text in more]
        data = (json.dumps(answer) + "\n\n").encode()
        while data:
            data = data[os.write(1, data):]
        if operation == "terminate":
            break
"#
    )
}

/// A source that is nothing but patterns, words and numbers, as long as what is read of one.
fn source_of_words() -> String {
    let mut source = module("def look(texts):\n    return []\n");
    let mut number = 0;
    while source.len() < 2 << 20 {
        number += 1;
        source.push_str(&format!(
            "# re.match('(a{{9}}|b{{9}}){{{number},}}[x-z]{{200}}') 'word{number}' \"name_{number}\" /(c|d){{{number}}}/ {number}\n"
        ));
    }
    source
}

/// Compares a text with as many words as it has.
const COMPARES: &str = r#"
def look(texts):
    for text in texts[:1]:
        if text[:1] == "word000":
            return ["?"]
"#;

fn compares_with_words() -> String {
    let mut look = COMPARES.to_owned();
    for number in 1..600 {
        look.push_str(&format!(
            "        if text[:1] == \"word{number:03}\":\n            return [\"?\"]\n"
        ));
    }
    module(&(look + "    return []\n"))
}

/// Answers with another 100 KB each time, megabytes in all.
const ANSWERS: &str = r#"
import random

def look(texts):
    words = ["".join(random.choices("abcdefgh ", k=9)) for _ in range(500)]
    return [" ".join(random.choices(words, k=2500)) for _ in range(4)]
"#;

#[test]
fn a_campaign_stays_small_whatever_a_subject_holds() {
    let subjects = [
        ("a source of words", source_of_words()),
        ("many comparisons", compares_with_words()),
        ("long answers", module(ANSWERS)),
    ];
    let wrong = side_by_side(&subjects, |(name, source)| {
        let folder = Folder::empty();
        folder.write("module.py", source);
        let long = "x".repeat(20_000);
        folder.write(
            "stickler.toml",
            &format!(
                "[subject]\npromise_type = 'big'\ninterpreter = '/usr/bin/python3'\npath = 'module.py'\n\
                 [[example]]\nname = 'texts'\npromiser = '{{dir}}/a'\nattributes = {{ texts = ['{long}', 'b', 'c', 'd'] }}\n"
            ),
        );
        let mut command = Call::of(STICKLER);
        let time = format!("{SECONDS}s");
        command.args(["fuzz", "--format", "json", "--jobs", "1", "--for", &time]);
        command.current_dir(folder.path()).env_remove("CI");
        let seen = watched(command, Duration::from_secs(300));
        let summary = seen.out.lines().last().unwrap_or_default();
        let summary: serde_json::Value = serde_json::from_str(summary).unwrap_or_default();
        let mut wrong = Vec::new();
        if seen.peak_kib >= MEMORY_KIB {
            wrong.push(format!("{name}: {} MiB", seen.peak_kib >> 10));
        }
        let took = summary["seconds"].as_f64().unwrap_or(f64::MAX);
        if took > SECONDS + BUSY {
            wrong.push(format!("{name}: {took} s, {}", seen.err));
        }
        if summary["requests"].as_u64().unwrap_or_default() == 0 {
            wrong.push(format!("{name}: nothing was asked: {}", seen.out));
        }
        wrong
    });
    let wrong: Vec<String> = wrong.into_iter().flatten().collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
