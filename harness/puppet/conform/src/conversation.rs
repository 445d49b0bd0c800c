//! What scripted providers noted, as a transcript.

use crate::agent::Run;
use crate::facts::known;
use crate::situation::Line;
use puppet_protocol::phase;
use puppet_protocol::runtimes::FACT;
use stickler_conform::{Noted, Stored};
use stickler_transcript::{Facts, Transcript};

/// The calls of a run.
pub(crate) fn session(line: &Line, run: &Run, agent: Vec<String>) -> Transcript {
    let situation = &line.situation;
    let known = serde_json::to_value(known(situation, run)).ok();
    let noted = Noted {
        name: situation.name.clone(),
        dialect: "resource-api",
        stored: Stored {
            agent,
            situation: line.bare(),
            release: None,
        },
        facts: known
            .map(|known| (FACT.to_owned(), known))
            .into_iter()
            .collect::<Facts>(),
        phase: phase::NOTED,
        calls: run.seen.calls.clone(),
        complete: run.seen.exit != "hang",
    };
    noted.transcript()
}

#[cfg(test)]
mod tests {
    use super::session;
    use crate::agent::Run;
    use crate::{SITUATIONS, Situations};
    use puppet_protocol::Session;
    use puppet_protocol::runtimes::{RUNTIME_RULES, Type};
    use regex::Regex;
    use stickler_conform::Situations as _;
    use stickler_judge::{AnySession, judge};

    /// A type as its definition's text shows it. The texts of situations are all written alike.
    fn defined(definition: &str) -> Type {
        let find = |pattern: &str, text: &str| -> Vec<Vec<String>> {
            let pattern = Regex::new(pattern).expect("a pattern");
            let all = pattern.captures_iter(text);
            all.map(|found| {
                let groups = found.iter().skip(1).flatten();
                groups.map(|group| group.as_str().to_owned()).collect()
            })
            .collect()
        };
        let (_, listed) = definition.split_once("features:").unwrap_or_default();
        let all = ["canonicalize", "custom_insync", "supports_noop"];
        let named = all
            .into_iter()
            .filter(|name| listed.contains(&format!("'{name}'")));
        let mut kind = Type {
            features: named.map(str::to_owned).collect(),
            title_patterns: definition.contains("title_patterns"),
            ..Type::default()
        };
        for attribute in find(r"(\w+): \{ (type: [^{}]*)\}", definition) {
            let [name, words] = &attribute[..] else {
                continue;
            };
            kind.attributes.push(name.clone());
            if words.contains("type: 'Sensitive") {
                kind.sensitive.push(name.clone());
            }
            match find(r"behaviou?r: :(\w+)", words).first() {
                Some(found) if found[0] == "namevar" => kind.namevars.push(name.clone()),
                Some(found) if found[0] == "read_only" => kind.read_only.push(name.clone()),
                _ => {}
            }
            let default = find(r"default: ('[^']*'|[^,\s]+)", words);
            if let Some(default) = default.first() {
                let text = default[0].replace('\'', "\"");
                let unknown = serde_json::json!({ "$obj": "" });
                let value = serde_json::from_str(&text).unwrap_or(unknown);
                kind.defaults.insert(name.clone(), value);
            }
        }
        kind
    }

    #[test]
    fn what_measured_releases_do_breaks_no_rule() {
        let rules: Vec<_> = RUNTIME_RULES.iter().collect();
        let (mut passes, mut broken) = (vec![0; rules.len()], Vec::new());
        for line in Situations::stored().expect("the situations") {
            let types = line.situation.types.iter();
            let types = types.map(|(name, text)| (name.clone(), defined(text)));
            let mut run = Run {
                types: types.collect(),
                ..Run::default()
            };
            for seen in &line.situation.want {
                run.seen = seen.clone();
                let transcript = session(&line, &run, Vec::new());
                let sessions = [AnySession::new(Session::new(transcript))];
                for (at, ledger) in judge(&rules, &sessions).iter().enumerate() {
                    let found: Vec<&str> =
                        ledger.findings.iter().map(|one| &*one.message).collect();
                    let (name, code) = (&line.situation.name, rules[at].code);
                    if !found.is_empty() {
                        broken.push(format!("{name} {}: {code} {found:?}", seen.since));
                    }
                    passes[at] += ledger.passes.len();
                }
            }
        }
        assert!(broken.is_empty(), "{}", broken.join("\n"));
        assert!(passes.iter().all(|count| *count > 10), "{passes:?}");
    }

    #[test]
    fn situations_keep_to_their_schema() {
        let schema = serde_json::from_str(crate::SCHEMA).expect("JSON");
        let schema = jsonschema::validator_for(&schema).expect("a schema");
        for line in SITUATIONS.lines() {
            let line = serde_json::from_str(line).expect("JSON");
            let errors: Vec<String> = schema
                .iter_errors(&line)
                .map(|error| format!("{}: {error}", error.instance_path()))
                .collect();
            assert!(errors.is_empty(), "{}: {errors:?}", line["name"]);
        }
        let wrong = serde_json::json!({ "name": "x", "about": "x", "scripts": {} });
        assert!(!schema.is_valid(&wrong));
    }
}
