//! Smaller situations.

use serde_json::{Value, json};

/// Texts longer than this are halved.
const SHORT: usize = 8;

/// Smaller situations: without answers, without parts of them, without options and lines of the policy, with shorter
/// texts. Those that leave out most come first.
pub(super) fn smaller(situation: &Value) -> Vec<Value> {
    let mut all = Vec::new();
    // Most defects of an agent show however a module answers.
    let modules = || situation["modules"].as_object().into_iter().flatten();
    let answers = |module: &Value| module["answers"].as_array().map_or(0, Vec::len);
    if modules().map(|(_, module)| answers(module)).sum::<usize>() > 1 {
        let mut one = situation.clone();
        for (name, _) in modules() {
            one["modules"][name]["answers"] = json!([]);
        }
        all.push(one);
    }
    let policy = situation["policy"].as_str().unwrap_or_default();
    all.extend(
        fewer(policy)
            .into_iter()
            .map(|text| with(situation, &["policy"], json!(text))),
    );
    if !situation["args"].is_null() && situation["args"] != json!(["-I"]) {
        let mut one = situation.clone();
        one.as_object_mut().map(|members| members.remove("args"));
        all.push(one);
    }
    for (name, _) in modules().filter(|_| modules().count() > 1) {
        let mut one = situation.clone();
        if let Some(modules) = one["modules"].as_object_mut() {
            modules.remove(name);
        }
        all.push(one);
    }
    for (name, module) in modules() {
        let usual = usual_header(module);
        if module["header"] != usual {
            all.push(with(situation, &["modules", name, "header"], usual));
        }
    }
    all.extend(
        plainer(policy)
            .into_iter()
            .map(|text| with(situation, &["policy"], json!(text))),
    );
    for (name, module) in modules() {
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
    all
}

/// The header of a module of which nothing is odd.
fn usual_header(module: &Value) -> Value {
    let words = match module["json"] == false {
        true => "line_based",
        false => "json_based",
    };
    json!([format!("probe 1 v1 {words} action_policy\n\n")])
}

/// Policies in which a promise on one line lacks an attribute.
fn plainer(policy: &str) -> Vec<String> {
    let lines: Vec<&str> = policy.lines().collect();
    let mut all = Vec::new();
    for (start, end) in promises(&lines) {
        let line = lines[start];
        let parts = parts(line);
        for gone in parts.iter().skip(1).filter(|_| start == end) {
            // The last one has the semicolon.
            let left = parts.iter().filter(|part| *part != gone);
            let left: Vec<&str> = left.map(|part| part.trim_end_matches(';')).collect();
            let shorter = format!("{};", left.join(", "));
            let changed = lines.iter().enumerate();
            let changed = changed.map(|(at, line)| if at == start { &shorter[..] } else { line });
            all.push(changed.flat_map(|line| [line, "\n"]).collect());
        }
    }
    all
}

/// A promise on a line, parted at the commas between its attributes.
fn parts(line: &str) -> Vec<&str> {
    let (mut quote, mut escaped, mut depth, mut start) = (None, false, 0_usize, 0);
    let mut all = Vec::new();
    for (at, c) in line.char_indices() {
        match (quote, c) {
            _ if escaped => escaped = false,
            (_, '\\') => escaped = true,
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, '{' | '(') => depth += 1,
            (None, '}' | ')') => depth = depth.saturating_sub(1),
            (None, ',') if depth == 0 => {
                all.push(line[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    all.push(line[start..].trim());
    all
}

/// Policies without some of their promises: half of them, a quarter and so on.
fn fewer(policy: &str) -> Vec<String> {
    let lines: Vec<&str> = policy.lines().collect();
    let promises = promises(&lines);
    let mut all = Vec::new();
    let mut size = promises.len().div_ceil(2);
    while size > 0 {
        for gone in promises.chunks(size) {
            let is_gone = |at: usize| {
                gone.iter()
                    .any(|(start, end)| (*start..=*end).contains(&at))
            };
            let left = lines.iter().enumerate().filter(|(at, _)| !is_gone(*at));
            all.push(left.flat_map(|(_, line)| [*line, "\n"]).collect());
        }
        size = if size == 1 { 0 } else { size.div_ceil(2) };
    }
    all
}

/// The first and last line of each promise: in a bundle, it ends with the line that ends with a semicolon.
fn promises(lines: &[&str]) -> Vec<(usize, usize)> {
    let mut all = Vec::new();
    let (mut inside, mut start) = (false, None);
    for (at, line) in lines.iter().enumerate() {
        match line.trim_end() {
            line if line.starts_with("bundle ") => inside = true,
            "}" => (inside, start) = (false, None),
            line if inside => {
                if start.is_none() && line.contains('"') {
                    start = Some(at);
                }
                if let Some(first) = start
                    && line.ends_with(';')
                {
                    all.push((first, at));
                    start = None;
                }
            }
            _ => {}
        }
    }
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

#[cfg(test)]
mod tests {
    use super::smaller;
    use serde_json::{Value, json};

    #[test]
    fn a_promise_loses_its_attributes_one_by_one() {
        let policy = "bundle agent main\n{\nt: \"p\" a => { \"b, c\", \"\" }, d => 'e, \"f', g => h(\"i\", j);\n}\n";
        let left: Vec<String> = super::plainer(policy);
        let promises: Vec<&str> = left.iter().filter_map(|text| text.lines().nth(2)).collect();
        assert_eq!(
            promises,
            [
                "t: \"p\" a => { \"b, c\", \"\" }, g => h(\"i\", j);",
                "t: \"p\" a => { \"b, c\", \"\" }, d => 'e, \"f';"
            ]
        );
    }

    #[test]
    fn what_is_odd_about_modules_goes_first() {
        let module = |header: &str| json!({"header": [header], "answers": [{"op": "terminate", "send": ["a"]}]});
        let situation =
            json!({"policy": "", "modules": {"m1": module("x\n\n"), "m2": module("y\n\n")}});
        let all = smaller(&situation);
        assert_eq!(all[0]["modules"]["m1"]["answers"], json!([]));
        assert_eq!(all[0]["modules"]["m2"]["answers"], json!([]));
        assert!(all.iter().any(|one| one["modules"]["m2"].is_null()));
        let usual = json!(["probe 1 v1 json_based action_policy\n\n"]);
        assert!(
            all.iter()
                .any(|one| one["modules"]["m1"]["header"] == usual)
        );
    }

    #[test]
    fn a_situation_loses_promises_answers_and_parts_of_them() {
        let situation = json!({
            "policy": "bundle agent main\n{\nt: \"p\";\nt: \"q\"\n  a => \"b\";\n}\n",
            "args": ["-v"],
            "modules": {"m1": {"header": [], "answers": [{"op": "terminate", "send": ["a", {"repeat": ["x", 100]}]}]}},
        });
        let all = smaller(&situation);
        let has = |pointer: &str, value: Option<Value>| {
            all.iter().any(|one| one.pointer(pointer) == value.as_ref())
        };
        assert!(has("/args", None));
        assert!(has(
            "/policy",
            Some(json!("bundle agent main\n{\nt: \"p\";\n}\n"))
        ));
        assert!(has("/modules/m1/answers", Some(json!([]))));
        assert!(has("/modules/m1/answers/0/send", Some(json!(["a"]))));
        assert!(has(
            "/modules/m1/answers/0/send/1/repeat/1",
            Some(json!(50))
        ));
    }
}
