//! Smaller situations.

use serde_json::{Value, json};

/// Texts longer than this are halved.
const SHORT: usize = 8;

/// Smaller situations: without answers, without parts of them, without options and lines of the policy, with shorter
/// texts. Those that leave out most come first.
pub(super) fn smaller(situation: &Value) -> Vec<Value> {
    let mut all = Vec::new();
    if !situation["args"].is_null() && situation["args"] != json!(["-I"]) {
        let mut one = situation.clone();
        one.as_object_mut().map(|members| members.remove("args"));
        all.push(one);
    }
    let lines: Vec<&str> = situation["policy"]
        .as_str()
        .unwrap_or_default()
        .lines()
        .collect();
    let mut size = lines.len() / 2;
    while size > 0 {
        for start in (0..lines.len()).step_by(size) {
            let end = (start + size).min(lines.len());
            let left = lines[..start].iter().chain(&lines[end..]);
            let text: String = left.flat_map(|line| [line, "\n"]).collect();
            all.push(with(situation, &["policy"], json!(text)));
        }
        // Of many single lines, most belong to something else.
        size = if size == 1 { 0 } else { size / 2 };
    }
    let names = situation["modules"].as_object().into_iter().flatten();
    for (name, module) in names {
        let answers = module["answers"].as_array().cloned().unwrap_or_default();
        for at in 0..answers.len() {
            let mut fewer = answers.clone();
            fewer.remove(at);
            all.push(with(situation, &["modules", name, "answers"], json!(fewer)));
            let parts = answers[at]["send"].as_array().cloned().unwrap_or_default();
            for part in 0..parts.len() {
                let mut few = parts.clone();
                if parts.len() > 1 {
                    few.remove(part);
                    let mut changed = answers.clone();
                    changed[at]["send"] = json!(few);
                    all.push(with(
                        situation,
                        &["modules", name, "answers"],
                        json!(changed),
                    ));
                }
                for shorter in shorter(&parts[part]) {
                    let mut changed = answers.clone();
                    changed[at]["send"][part] = shorter;
                    all.push(with(
                        situation,
                        &["modules", name, "answers"],
                        json!(changed),
                    ));
                }
            }
        }
    }
    // What is cheapest to leave out comes first: answers before lines.
    all.sort_by_key(|one| one.to_string().len());
    all
}

fn with(situation: &Value, path: &[&str], value: Value) -> Value {
    let mut one = situation.clone();
    let mut place = &mut one;
    for name in path {
        place = &mut place[*name];
    }
    *place = value;
    one
}

/// A shorter part of an answer.
fn shorter(part: &Value) -> Vec<Value> {
    if let Some(text) = part.as_str() {
        let mut all = Vec::new();
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        if lines.len() > 2 {
            for at in 0..lines.len() - 1 {
                let left = lines.iter().enumerate().filter(|(other, _)| *other != at);
                all.push(json!(left.map(|(_, line)| *line).collect::<String>()));
            }
        }
        if let Ok(Value::Object(members)) = serde_json::from_str::<Value>(text) {
            for name in members.keys() {
                let mut fewer = members.clone();
                fewer.remove(name);
                all.push(json!(format!("{}\n\n", Value::Object(fewer))));
            }
        }
        return all;
    }
    let (text, count) = (&part["repeat"][0], part["repeat"][1].as_u64());
    match count {
        Some(count) if count as usize > SHORT => vec![json!({"repeat": [text, count / 2]})],
        _ => Vec::new(),
    }
}
