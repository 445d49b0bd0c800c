//! What scripted providers noted, as a transcript.

use crate::agent::Run;
use crate::situation::{Line, Situation};
use puppet_protocol::phase;
use puppet_protocol::runtimes::{FACT, Known, Noop};
use stickler_conform::{Noted, Stored};
use stickler_transcript::{Facts, Transcript};

/// The calls of a run.
pub(crate) fn session(line: &Line, run: &Run, agent: Vec<String>) -> Transcript {
    let situation = &line.situation;
    let known = Known {
        noop: noop(situation),
        types: run.types.clone(),
    };
    let known = serde_json::to_value(known).ok();
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

/// Does the run change nothing? What resources say themselves is not known.
fn noop(situation: &Situation) -> Noop {
    let names_it = |text: &String| text.contains("noop");
    let asked = situation.options.iter().any(|option| option == "--noop");
    let may_differ = names_it(&situation.manifest)
        || situation.args.iter().any(names_it)
        || situation.files.values().any(names_it)
        || situation
            .options
            .iter()
            .any(|option| names_it(option) && option != "--noop");
    match (may_differ, asked) {
        (true, _) => Noop::Unknown,
        (false, true) => Noop::Yes,
        (false, false) => Noop::No,
    }
}

#[cfg(test)]
mod tests {
    use super::session;
    use crate::agent::Run;
    use crate::{SITUATIONS, Situations};
    use puppet_protocol::Session;
    use puppet_protocol::runtimes::{RUNTIME_RULES, Type};
    use stickler_conform::Situations as _;
    use stickler_judge::{AnySession, judge};

    /// The features that rules ask for, as the definition's text names them.
    fn features(definition: &str) -> Type {
        let (_, listed) = definition.split_once("features:").unwrap_or_default();
        let all = ["canonicalize", "custom_insync", "supports_noop"];
        let named = all
            .into_iter()
            .filter(|name| listed.contains(&format!("'{name}'")));
        Type {
            features: named.map(str::to_owned).collect(),
            read_only: Vec::new(),
        }
    }

    #[test]
    fn what_measured_releases_do_breaks_no_rule() {
        let rules: Vec<_> = RUNTIME_RULES.iter().collect();
        let mut passes = vec![0; rules.len()];
        for line in Situations::stored().expect("the situations") {
            let types = line.situation.types.iter();
            let types = types.map(|(name, text)| (name.clone(), features(text)));
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
                    assert!(found.is_empty(), "{name} {}: {code} {found:?}", seen.since);
                    passes[at] += ledger.passes.len();
                }
            }
        }
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
