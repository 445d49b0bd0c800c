//! The place in a policy where two runs differ: the promise, the file, the line.

use crate::normal;
use serde_json::Value;
use stickler_oracle::InputPlace;

/// A promise of a policy.
fn promise(kind: String, promiser: String, file: String, line: u64) -> InputPlace {
    InputPlace {
        kind,
        noun: "promise",
        name: promiser,
        file,
        line,
    }
}

/// The promise that a request to a module is about.
pub(crate) fn of_request(message: &str) -> Option<InputPlace> {
    let line = message.lines().find(|line| line.starts_with('{'));
    if let Some(Value::Object(request)) = line.and_then(|line| serde_json::from_str(line).ok()) {
        let text = |name: &str| Some(request.get(name)?.as_str()?.to_owned());
        return Some(promise(
            text("promise_type")?,
            text("promiser")?,
            text("filename")?,
            request.get("line_number")?.as_u64()?,
        ));
    }
    let text = |name: &str| {
        let mut lines = message.lines().filter_map(|line| line.split_once('='));
        Some(lines.find(|(key, _)| *key == name)?.1.to_owned())
    };
    Some(promise(
        text("promise_type")?,
        text("promiser")?,
        text("filename")?,
        text("line_number")?.parse().ok()?,
    ))
}

/// The promise that made the reference agent print a line of its output. `events` is the output of
/// a second run with `--format json`.
pub(crate) fn of_output(events: &str, line: usize) -> Option<InputPlace> {
    let mut lines: Vec<String> = Vec::new();
    let mut places: Vec<(usize, InputPlace)> = Vec::new();
    for event in events.lines() {
        let Ok(Value::Object(event)) = serde_json::from_str(event) else {
            continue;
        };
        let text = |name: &str| event.get(name).and_then(Value::as_str).unwrap_or_default();
        match text("event") {
            "log" => {
                let line = format!("{:>8}: {}", text("level"), text("message"));
                lines.extend(line.lines().map(str::to_owned));
            }
            "report" => lines.extend(text("message").split('\n').map(|line| format!("R: {line}"))),
            "promise" => places.push((
                lines.len(),
                promise(
                    text("type").into(),
                    text("promiser").into(),
                    text("file").into(),
                    text("line").parse().unwrap_or(0),
                ),
            )),
            _ => {}
        }
    }
    // An outcome is printed after the other output of its promise.
    let at = normal::position(&lines, line);
    let behind = places.iter().find(|(before, _)| *before > at);
    behind.or(places.last()).map(|(_, place)| place.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_name_their_promises_in_both_protocols() {
        let json = r#"{"filename":"./p.cf","line_number":7,"promise_type":"t","promiser":"x"}"#;
        let line = "operation=validate_promise\npromise_type=t\npromiser=x\nline_number=7\nfilename=./p.cf";
        for message in [json, line] {
            let place = of_request(message).expect("a place");
            assert_eq!(place.to_string(), "./p.cf:7: t promise \"x\"");
        }
        assert_eq!(of_request("cf-agent 3.21.0 v1"), None);
    }

    #[test]
    fn a_line_of_output_belongs_to_the_promise_that_ends_behind_it() {
        let events = "{\"event\":\"report\",\"message\":\"a\"}\n\
            {\"event\":\"promise\",\"type\":\"reports\",\"promiser\":\"a\",\"file\":\"f\",\"line\":\"3\"}\n\
            {\"event\":\"report\",\"message\":\"b\"}\n\
            {\"event\":\"promise\",\"type\":\"reports\",\"promiser\":\"b\",\"file\":\"f\",\"line\":\"4\"}\n";
        let line = |at| of_output(events, at).map(|place| place.line);
        assert_eq!((line(0), line(1), line(9)), (Some(3), Some(4), Some(4)));
    }
}
