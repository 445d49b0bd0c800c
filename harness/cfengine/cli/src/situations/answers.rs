//! Answers of modules that are made up: valid ones that are changed.

use super::dice::Dice;
use serde_json::{Value, json};

const OPERATIONS: [&str; 3] = ["validate_promise", "evaluate_promise", "terminate"];

/// What results may be, those that some operation allows first.
const RESULTS: [&str; 16] = [
    "valid",
    "invalid",
    "kept",
    "repaired",
    "not_kept",
    "error",
    "success",
    "failure",
    "",
    "KEPT",
    " kept",
    "kept ",
    "banana",
    "timeout",
    "true",
    "kept,repaired",
];

/// Words that stand where a level is expected.
const LEVELS: [&str; 13] = [
    "critical", "error", "warning", "notice", "info", "verbose", "debug", "", "ERROR", "fatal",
    "7", "none", "info ",
];

/// Texts of messages. Recordings keep those that begin so.
const TEXTS: [&str; 7] = [
    "m: done",
    "m: ",
    "m: it is ü",
    "m: a=b",
    "m: %s%n",
    "m: {\"a\":1}",
    "m: operation=x",
];

/// Values of other types, as JSON.
const TYPES: [&str; 16] = [
    "null",
    "true",
    "5",
    "-1.5e3",
    "1e400",
    "\"\"",
    "\"text\"",
    "[]",
    "{}",
    "[null]",
    "[5]",
    "[\"a\"]",
    "[[\"a\"]]",
    "[{\"a\":1}]",
    "{\"a\":[]}",
    "\"\\u0000\"",
];

/// Values of `result_classes`.
const CLASSES: [&str; 9] = [
    "[\"rc_a\"]",
    "[\"rc_a\",\"rc_b\"]",
    "[\"rc_a\",\"rc_a\"]",
    "[\"rc a-b\"]",
    "[\"\"]",
    "[\"rc_ü\"]",
    "\"rc_a\"",
    "[\"rc_a\",5]",
    "{\"rc_a\":true}",
];

/// Headers that are no usable ones, or odd ones.
const HEADERS: [&str; 12] = [
    "probe 1 v1 json_based line_based\n\n",
    "probe 1 v1\n\n",
    "probe 1 v2 json_based\n\n",
    "probe v1 json_based\n\n",
    "probe\n\n",
    "\n\n",
    "probe  1  v1  json_based\n\n",
    "probe 1 v1 json_based\n",
    "probe 1 v1 JSON_BASED\n\n",
    "probe 1 v1 json_based action_policy whatever\n\n",
    "{\"name\":\"probe\"}\n\n",
    "probe 1 v1 json_based\r\n\r\n",
];

/// The most answers of a module.
const MOST: usize = 5;

/// How long a silent module sleeps, in seconds.
const SILENT: u64 = 600;

/// Gives a module another answer.
pub(super) fn change(made: &mut Value, dice: &mut Dice) {
    let modules = made["modules"].as_object();
    let names: Vec<String> = modules
        .into_iter()
        .flatten()
        .map(|(name, _)| name.clone())
        .collect();
    if names.is_empty() {
        return;
    }
    let module = &mut made["modules"][dice.of(&names)];
    if dice.chance(7) {
        module["header"] = json!([header(dice)]);
        return;
    }
    let json = module["json"] != false;
    let most = if dice.chance(85) { 2 } else { 3 };
    let operation = *dice.of(&OPERATIONS[..most]);
    let mut answer = json!({"op": operation, "send": send(operation, json, dice)});
    if dice.chance(60) {
        answer["n"] = json!(1 + dice.below(2));
    }
    if !module["answers"].is_array() {
        module["answers"] = json!([]);
    }
    if let Some(answers) = module["answers"].as_array_mut() {
        answers.insert(0, answer);
        answers.truncate(MOST);
    }
}

fn header(dice: &mut Dice) -> Value {
    match dice.below(10) {
        0 => json!({"exit": 0}),
        1 => json!({"kill": 9}),
        2 => json!({"repeat": ["x", 100_000]}),
        3 => json!({"hex": "ff00fe0a0a"}),
        _ => json!(dice.of(&HEADERS)),
    }
}

/// The parts of an answer: a message, and what the module does before, within or after it.
fn send(operation: &str, json: bool, dice: &mut Dice) -> Vec<Value> {
    let message = match json {
        true => in_json(operation, dice),
        false => in_lines(operation, dice),
    };
    let message = framed(message, operation, dice);
    let mut parts = vec![json!(message)];
    match dice.below(100) {
        0..70 => {}
        // A partial write, and then an end or a pause.
        70..80 => {
            let cut = dice.below(message.chars().count());
            let start: String = message.chars().take(cut).collect();
            let rest: String = message.chars().skip(cut).collect();
            parts = vec![json!(start)];
            match dice.below(4) {
                0 => parts.extend([json!({"sleep": 0.05}), json!(rest)]),
                1 => parts.push(json!({"kill": 15})),
                2 => parts.push(json!({"close": "stdout"})),
                _ => parts.push(json!({"exit": dice.below(2)})),
            }
            parts.retain(|part| *part != json!(""));
        }
        80..88 => {
            let end = match dice.below(5) {
                0 => json!({"exit": 0}),
                1 => json!({"exit": 1}),
                2 => json!({"kill": 9}),
                3 => json!({"kill": 11}),
                _ => json!({"close": "stdin"}),
            };
            match dice.chance(50) {
                true => parts = vec![end],
                false => parts.push(end),
            }
        }
        88..92 => parts.insert(
            0,
            json!({"hex": *dice.of(&["00", "fffe", "c3", "0d", "1b5b", "efbbbf"])}),
        ),
        92..94 => {
            let (open, close) = *dice.of(&[("[", "]"), ("{\"a\":", "}")]);
            let depth = *dice.of(&[3, 30, 300, 20_000]);
            parts = vec![
                json!({"repeat": [open, depth]}),
                json!("1"),
                json!({"repeat": [close, depth]}),
                json!("\n\n"),
            ];
        }
        94..97 => {
            let long = *dice.of(&[1_000, 4_096, 70_000, 1_000_000]);
            let (before, after) = match json {
                true => (
                    format!("{{\"operation\":\"{operation}\",\"x\":\""),
                    "\",\"result\":\"kept\"}\n\n",
                ),
                false => (format!("operation={operation}\nx="), "\nresult=kept\n\n"),
            };
            parts = vec![json!(before), json!({"repeat": ["y", long]}), json!(after)];
        }
        97 => parts.insert(dice.below(2), json!({"sleep": SILENT})),
        _ => parts.insert(0, json!({"sleep": 0.2})),
    }
    parts
}

/// A result that the operation allows, or another one.
fn result(operation: &str, dice: &mut Dice) -> String {
    let usual: &[&str] = match operation {
        "validate_promise" => &["valid", "valid", "invalid", "error"],
        "evaluate_promise" => &["kept", "repaired", "not_kept", "error"],
        _ => &["success", "failure"],
    };
    let all: &[&str] = if dice.chance(70) { usual } else { &RESULTS };
    (*dice.of(all)).to_owned()
}

fn text(value: impl AsRef<str>) -> String {
    Value::from(value.as_ref()).to_string()
}

/// Keys with values: an answer as valid ones are.
fn valid(operation: &str, dice: &mut Dice) -> Vec<(String, String)> {
    vec![
        ("operation".to_owned(), operation.to_owned()),
        ("result".to_owned(), result(operation, dice)),
    ]
}

fn in_json(operation: &str, dice: &mut Dice) -> String {
    let valid = valid(operation, dice).into_iter();
    let mut pairs: Vec<(String, String)> = valid.map(|(key, value)| (key, text(&value))).collect();
    if dice.chance(35) {
        pairs.push(("result_classes".to_owned(), (*dice.of(&CLASSES)).to_owned()));
    }
    if dice.chance(35) {
        pairs.push(("log".to_owned(), logs(dice)));
    }
    for _ in 0..dice.below(3) {
        let at = dice.below(pairs.len());
        let value = (*dice.of(&TYPES)).to_owned();
        match dice.below(8) {
            0 if pairs.len() > 1 => {
                pairs.remove(at);
            }
            1 => pairs.push((pairs[at].0.clone(), value)),
            2 => pairs.insert(0, pairs[at].clone()),
            3 | 4 => pairs[at].1 = value,
            5 => pairs.push(("promiser".to_owned(), text("other"))),
            6 => pairs[0].1 = text(dice.of(&OPERATIONS)),
            _ => pairs.push(("attributes".to_owned(), value)),
        }
    }
    let members: Vec<String> = pairs
        .iter()
        .map(|(key, value)| format!("{}:{value}", text(key)))
        .collect();
    let mut lines = String::new();
    if dice.chance(20) {
        lines = format!("log_{}={}\n", dice.of(&LEVELS), dice.of(&TEXTS));
    }
    match dice.chance(8) {
        true => format!("{lines}{}\n\n", dice.of(&TYPES)),
        false => format!("{lines}{{{}}}\n\n", members.join(",")),
    }
}

/// A value of `log`.
fn logs(dice: &mut Dice) -> String {
    let entry = |dice: &mut Dice| {
        let (level, message) = (text(dice.of(&LEVELS)), text(dice.of(&TEXTS)));
        match dice.below(10) {
            0 => format!("{{\"level\":{level}}}"),
            1 => format!("{{\"message\":{message}}}"),
            2 => format!("{{\"level\":{},\"message\":{message}}}", dice.of(&TYPES)),
            3 => format!("{{\"level\":{level},\"message\":{}}}", dice.of(&TYPES)),
            4 => (*dice.of(&TYPES)).to_owned(),
            _ => format!("{{\"level\":{level},\"message\":{message}}}"),
        }
    };
    let entries: Vec<String> = (0..dice.below(4)).map(|_| entry(dice)).collect();
    format!("[{}]", entries.join(","))
}

fn in_lines(operation: &str, dice: &mut Dice) -> String {
    let mut pairs = valid(operation, dice);
    if dice.chance(35) {
        let classes = dice.of(&[
            "rc_a",
            "rc_a,rc_b",
            "rc_a,,rc_b",
            " rc_a",
            "rc a-b",
            "",
            "rc_ü",
            ",",
        ]);
        pairs.push(("result_classes".to_owned(), (*classes).to_owned()));
    }
    for _ in 0..dice.below(3) {
        let log = (
            format!("log_{}", dice.of(&LEVELS)),
            (*dice.of(&TEXTS)).to_owned(),
        );
        pairs.insert(dice.below(pairs.len() + 1), log);
    }
    for _ in 0..dice.below(3) {
        let at = dice.below(pairs.len());
        let word = (*dice.of(&RESULTS)).to_owned();
        match dice.below(7) {
            0 if pairs.len() > 1 => {
                pairs.remove(at);
            }
            1 => pairs.push((pairs[at].0.clone(), word)),
            2 => pairs.insert(0, pairs[at].clone()),
            3 => pairs[at].1 = word,
            4 => pairs[0].1 = (*dice.of(&OPERATIONS)).to_owned(),
            5 => pairs.push(("promiser".to_owned(), "other".to_owned())),
            _ => {
                pairs[at].0 =
                    (*dice.of(&["", "Result", "attribute_text", "log", "a b"])).to_owned();
            }
        }
    }
    let equals = if dice.chance(4) { "" } else { "=" };
    let lines = pairs
        .iter()
        .map(|(key, value)| format!("{key}{equals}{value}\n"));
    lines.collect::<String>() + "\n"
}

/// A message with other ends, or more of them.
fn framed(message: String, operation: &str, dice: &mut Dice) -> String {
    match dice.below(30) {
        0 => message.replace('\n', "\r\n"),
        1 => format!("\n{message}"),
        2 => format!("{message}{message}"),
        3 => format!("hello\n{message}"),
        4 => message.trim_end().to_owned() + " x\n\n",
        5 => "\n".to_owned(),
        6 => format!("{message}operation={operation}\nresult=error\n\n"),
        _ => message,
    }
}

/// Has the module say nothing from some place on.
pub(super) fn silent(mut made: Value, dice: &mut Dice) -> Value {
    let part = json!({"sleep": SILENT});
    let module = &mut made["modules"]["m1"];
    let within = dice.chance(50);
    let at = dice.below(OPERATIONS.len() + 1);
    match OPERATIONS.get(at) {
        None => module["header"] = json!([part]),
        Some(operation) => {
            let start = if within {
                vec![json!("{"), part]
            } else {
                vec![part]
            };
            module["answers"] = json!([{"op": operation, "send": start}]);
        }
    }
    made
}

/// Does a module never answer?
pub(super) fn is_silent(value: &Value) -> bool {
    match value {
        Value::Array(all) => all.iter().any(is_silent),
        Value::Object(members) => {
            let sleeps = |seconds: &Value| seconds.as_f64() > Some(10.0);
            let parts = members.get("header").into_iter().chain(members.get("send"));
            members.get("sleep").is_some_and(sleeps)
                || parts.filter_map(Value::as_array).any(|all| is_open(all))
                || members.values().any(is_silent)
        }
        _ => false,
    }
}

/// Does a module wait for a request before it has ended its own message?
fn is_open(parts: &[Value]) -> bool {
    let ends = |part: &Value| {
        ["exit", "kill", "close"]
            .iter()
            .any(|end| !part[*end].is_null())
    };
    let text: String = parts
        .iter()
        .map(|part| match part["hex"].as_str() {
            Some(hex) => hex.replace("0a", "\n"),
            None => part.as_str().unwrap_or("x").to_owned(),
        })
        .collect();
    // For an agent, a carriage return is a part of a line, so the line is not empty.
    let whole = text.starts_with('\n') || text.contains("\n\n");
    !whole && !parts.iter().any(ends)
}
