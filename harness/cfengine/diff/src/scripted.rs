//! A module whose answers are given in the promise's attributes: `result`, `validate` (`-` for
//! none), `log` (`LEVEL=MESSAGE`), `rclasses`, `crash` (the operation at which it exits). Its file
//! name selects the protocol.

use serde_json::{Map, Value, json};
use std::io::{self, BufRead, Write};
use std::path::Path;

/// Answers requests until it is asked to exit, or crashes; returns the exit code.
///
/// # Errors
///
/// If stdin or stdout fails.
pub fn run(file: &Path) -> io::Result<u8> {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let lines = name.contains("line");
    let plain = name.contains("plain");
    let mut input = io::stdin().lock();
    let mut output = io::stdout().lock();
    message(&mut input)?;
    let protocol = if lines { "line_based" } else { "json_based" };
    let policy = if plain { "" } else { " action_policy" };
    write!(output, "scripted 1 v1 {protocol}{policy}\n\n")?;
    output.flush()?;
    loop {
        let message = message(&mut input)?;
        if message.is_empty() {
            return Ok(0);
        }
        let request = if lines {
            from_lines(&message)
        } else {
            from_json(&message)
        };
        let operation = request.get("operation").cloned().unwrap_or_default();
        let attribute = |name: &str| {
            let attributes = request.get("attributes")?;
            Some(attributes.get(name)?.as_str()?.to_owned())
        };
        if attribute("crash").is_some_and(|crash| operation == *crash) {
            return Ok(3);
        }
        let answer = Answer::new(operation.as_str().unwrap_or_default(), attribute);
        if lines {
            answer.in_lines(&mut output)?;
        } else {
            answer.in_json(plain, &mut output)?;
        }
        output.flush()?;
        if operation == "terminate" {
            return Ok(0);
        }
    }
}

struct Answer {
    operation: String,
    result: Option<String>,
    log: Option<(String, String)>,
    classes: Option<String>,
}

impl Answer {
    fn new(operation: &str, attribute: impl Fn(&str) -> Option<String>) -> Self {
        let log = attribute("log");
        let log = log.as_deref().and_then(|log| log.split_once('='));
        let log = log.map(|(level, message)| (level.to_owned(), message.to_owned()));
        let (result, log, classes) = match operation {
            "validate_promise" => {
                let told = attribute("validate");
                let log = log.filter(|_| told.is_some());
                (told.unwrap_or_else(|| "valid".into()), log, None)
            }
            "evaluate_promise" => {
                let result = attribute("result").unwrap_or_else(|| "kept".into());
                (result, log, attribute("rclasses"))
            }
            _ => ("success".into(), None, None),
        };
        Self {
            operation: operation.to_owned(),
            result: Some(result).filter(|result| result != "-"),
            log,
            classes,
        }
    }

    fn in_lines(&self, output: &mut impl Write) -> io::Result<()> {
        writeln!(output, "operation={}", self.operation)?;
        if let Some((level, message)) = &self.log {
            writeln!(output, "log_{level}={message}")?;
        }
        if let Some(classes) = &self.classes {
            writeln!(output, "result_classes={classes}")?;
        }
        if let Some(result) = &self.result {
            writeln!(output, "result={result}")?;
        }
        writeln!(output)
    }

    fn in_json(&self, log_lines: bool, output: &mut impl Write) -> io::Result<()> {
        let mut answer = Map::new();
        answer.insert("operation".into(), json!(self.operation));
        match &self.log {
            Some((level, message)) if log_lines => writeln!(output, "log_{level}={message}")?,
            Some((level, message)) => {
                let log = json!([{ "level": level, "message": message }]);
                answer.insert("log".into(), log);
            }
            None => {}
        }
        if let Some(classes) = &self.classes {
            let classes: Vec<&str> = classes.split(',').collect();
            answer.insert("result_classes".into(), json!(classes));
        }
        if let Some(result) = &self.result {
            answer.insert("result".into(), json!(result));
        }
        write!(output, "{}\n\n", Value::Object(answer))
    }
}

/// The lines of a message; empty at the end of the input.
fn message(input: &mut impl BufRead) -> io::Result<Vec<String>> {
    let mut lines = Vec::new();
    loop {
        let mut line = Vec::new();
        if input.read_until(b'\n', &mut line)? == 0 {
            return Ok(Vec::new());
        }
        let line = String::from_utf8_lossy(&line);
        match line.trim_end_matches('\n') {
            "" => return Ok(lines),
            line => lines.push(line.to_owned()),
        }
    }
}

fn from_json(message: &[String]) -> Map<String, Value> {
    let line = message.first().map_or("", String::as_str);
    serde_json::from_str(line).unwrap_or_default()
}

fn from_lines(message: &[String]) -> Map<String, Value> {
    let (mut request, mut attributes) = (Map::new(), Map::new());
    for (key, value) in message.iter().filter_map(|line| line.split_once('=')) {
        match key.strip_prefix("attribute_") {
            Some(name) => attributes.insert(name.to_owned(), json!(value)),
            None => request.insert(key.to_owned(), json!(value)),
        };
    }
    request.insert("attributes".into(), Value::Object(attributes));
    request
}
