//! `stickler fuzz --agent` for cf-agent: situations that are made up, and the two agents that play them.

mod answers;
mod dice;
mod policies;
mod smaller;

use cfengine_conform::{Agent, Exit, Line, Situations, Want};
use cfengine_protocol::release::Release;
use dice::Dice;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::ffi::OsString;
use stickler_conform::{Line as _, Maker, Played, Situations as _, Table, Tried};
use stickler_face::Failure;
use stickler_face::conform::{Conforming, cannot_run, unusable};
use stickler_transcript::Event;

/// How the reference agent ends if it supports a policy.
const SUPPORTED: [Exit; 3] = [Exit::Code(0), Exit::Code(1), Exit::Code(6)];

/// Situations in which the reference agent does something else, by the beginning of their names.
const KNOWN: [&str; 3] = [
    "request/iteration-foreign",
    "request-line/iteration-foreign",
    "response/json-depth",
];

/// In names of messages: what is in the memory of the agent at that moment.
const MEMORY: [&str; 3] = ["(null)", "(heap bytes)", "<bytes>"];

/// Values nested deeper than this are read by the reference agent alone.
const DEEP: usize = 1000;

/// The rules about how an agent ends.
const ENDS: [&str; 2] = ["AG115", "AG120"];

/// A maker for the agent under test.
pub fn maker(asked: &Conforming<'_>) -> Result<Box<dyn Maker>, Failure> {
    let agent = Agent::new(asked.command, asked.host).map_err(|error| cannot_run(&error))?;
    let agent = agent.until(&asked.stop);
    let release = Release::nearest(&agent.version).version;
    let program = std::env::current_exe().map_err(anyhow::Error::from)?;
    let reference = Agent::reference(&program, release, asked.host).until(&asked.stop);
    let of = |agent| Situations::of(Box::new(agent), Vec::new()).map_err(|error| unusable(&error));
    Ok(Box::new(Made {
        agent: of(agent)?,
        reference: of(reference)?,
        release,
        recorded: recorded().map_err(|error| unusable(&error))?,
    }))
}

/// The recorded situations that others are made of.
fn recorded() -> anyhow::Result<Vec<Value>> {
    let mut all = Situations::stored()?;
    all.retain(|line| {
        let one = &line.situation;
        let known = KNOWN.iter().any(|name| one.name.starts_with(name));
        !(known || one.is_check() || one.waits || one.varies.is_some())
    });
    Ok(all.iter().map(Line::bare).collect())
}

struct Made {
    agent: Situations,
    reference: Situations,
    release: &'static str,
    recorded: Vec<Value>,
}

impl Maker for Made {
    fn agent(&self) -> String {
        self.agent.agent()
    }

    fn release(&self) -> &str {
        self.release
    }

    fn make(&self, name: &str, seed: u64, parent: Option<&Value>) -> Value {
        let mut dice = Dice::new(seed);
        let mut made = match parent {
            Some(parent) => parent.clone(),
            None => match dice.below(10) {
                0..5 => policies::simple(&mut dice),
                5..7 => policies::generated(&mut dice),
                _ => dice.of(&self.recorded).clone(),
            },
        };
        if parent.is_some() && dice.chance(10) {
            policies::change(&mut made, &mut dice);
        }
        let times = 1 + dice.below(3);
        for _ in 0..times {
            answers::change(&mut made, &mut dice);
        }
        named(made, name)
    }

    fn silent(&self, name: &str, seed: u64) -> Value {
        let mut dice = Dice::new(seed);
        named(answers::silent(policies::plain(&mut dice), &mut dice), name)
    }

    fn waits(&self, situation: &Value) -> bool {
        situation["waits"] == true
    }

    fn smaller(&self, situation: &Value) -> Vec<Value> {
        smaller::smaller(situation)
    }

    fn judges_ends(&self, rule: &str) -> bool {
        ENDS.contains(&rule)
    }

    fn play(
        &self,
        situation: &Value,
        compared: bool,
        variables: &[(OsString, OsString)],
    ) -> anyhow::Result<Tried> {
        let mut situation = situation.clone();
        if let Some(members) = situation.as_object_mut() {
            members.remove("want");
            members.remove("only");
        }
        let bare = Line::read(&situation.to_string())?;
        let expected = match compared {
            // The reference agent gives up a silent module in time.
            true => self.reference.play_line(&bare)?.ok().map(|(want, _)| want),
            false => None,
        };
        let expected = expected.filter(|want| is_supported(want) && !is_deep(&situation));
        if let Some(want) = &expected {
            let want = Want {
                since: self.release.to_owned(),
                ..want.clone()
            };
            situation["want"] = json!([want]);
            situation["only"] = json!([self.release]);
        }
        let line = Line::read(&situation.to_string())?;
        let (got, played) = match self.agent.play_with(&line, variables)? {
            Ok(seen) => seen,
            Err(why) => anyhow::bail!(why),
        };
        let crashed = matches!(got.exit, Some(Exit::Other(_)));
        let is_memory = expected.as_ref().is_some_and(is_memory) || is_memory(&got);
        let differences = match &expected {
            // Rules tell of the end.
            Some(expected) if !crashed && !is_memory => self.agent.compared(&line, expected, &got),
            _ => Vec::new(),
        };
        if is_memory && let Some(members) = situation.as_object_mut() {
            // Otherwise `conform` would compare what is excused here.
            members.remove("want");
            members.remove("only");
        }
        Ok(Tried {
            shown: shown(&got),
            parted: match (&expected, differences.first()) {
                (Some(expected), Some(first)) => parted(expected, &got, &first.what),
                _ => String::new(),
            },
            ended: unusual(&got, &played),
            hung: got.exit == Some(Exit::Other("hung".to_owned())),
            situation,
            played,
            differences,
        })
    }
}

/// A situation by this name, without what was noted of the one that it was made of.
fn named(mut made: Value, name: &str) -> Value {
    if let Some(members) = made.as_object_mut() {
        for gone in ["want", "only", "about", "waits", "reflowed"] {
            members.remove(gone);
        }
        members.insert("name".to_owned(), json!(name));
    }
    if answers::is_silent(&made) {
        made["waits"] = json!(true);
    }
    made
}

/// Did the reference agent run it to its end?
fn is_supported(want: &Want) -> bool {
    want.refused
        || want
            .exit
            .as_ref()
            .is_some_and(|exit| SUPPORTED.contains(exit))
}

/// Is a value nested deeper than the reference agent follows the other one?
fn is_deep(situation: &Value) -> bool {
    match situation {
        Value::Array(all) => all.iter().any(is_deep),
        Value::Object(members) => members.iter().any(|(name, value)| match name.as_str() {
            "repeat" => {
                let text = value[0].as_str().unwrap_or_default();
                text.contains(['[', '{']) && value[1].as_u64() > Some(DEEP as u64)
            }
            _ => is_deep(value),
        }),
        _ => false,
    }
}

/// Does something of an agent's memory show?
fn is_memory(want: &Want) -> bool {
    let says = want.says.iter().chain(&want.logs);
    let mut texts = says.map(|(_, text)| text);
    let mut asked = want.asked.values().flatten();
    texts.any(|text| MEMORY.iter().any(|word| text.contains(word)))
        || asked.any(|one| one.contains("<memory>"))
}

fn ended(want: &Want) -> String {
    match &want.exit {
        Some(Exit::Code(code)) => format!("code {code}"),
        Some(Exit::Other(other)) => other.clone(),
        None => "refused".to_owned(),
    }
}

/// How a run went: exit, names of messages, levels of the modules' messages, outcomes, and which requests follow which.
fn shown(want: &Want) -> Vec<String> {
    let end = ended(want);
    let mut all = vec![end.clone()];
    for (level, name) in &want.says {
        let message = format!("{level} {}", kind(name));
        all.push(format!("{end} with {message}"));
        all.push(message);
    }
    all.extend(want.logs.iter().map(|(level, _)| format!("log {level}")));
    let ends = want
        .classes
        .iter()
        .filter_map(|class| class.rsplit('_').next());
    all.extend(ends.map(|end| format!("class {end}")));
    for asked in want.asked.values() {
        let asked: Vec<&str> = asked.iter().map(|text| operation(text)).collect();
        all.extend(asked.windows(2).map(|two| two.join(">")));
        all.push(format!("{end} after {}", asked.last().unwrap_or(&"start")));
    }
    all.sort();
    all.dedup();
    all
}

/// The name of a message without the promiser and values behind it.
fn kind(name: &str) -> &str {
    match name.split_once(' ') {
        Some((first, _)) if !first.ends_with(':') => first,
        _ => name,
    }
}

/// The operation of a request, as a word.
fn operation(request: &str) -> &'static str {
    let known = ["validate_promise", "evaluate_promise", "terminate", "start"];
    let named = |word: &&&str| {
        request == **word
            || request.contains(&format!("\"operation\":\"{word}\""))
            || request.contains(&format!("operation={word}\n"))
    };
    known.iter().find(named).copied().unwrap_or("header")
}

/// How and where an agent ended that was to go on; nothing of another one.
fn unusual(want: &Want, played: &Played) -> String {
    let fatal = want.says.iter().find(|(level, _)| level.is_empty());
    match (&want.exit, fatal) {
        (Some(Exit::Other(end)), _) => format!("{end} after {}", last(played)),
        (_, Some((_, name))) => name.clone(),
        _ => String::new(),
    }
}

/// The operation of the last request of a run, of whichever module.
fn last(played: &Played) -> &'static str {
    let events = played.sessions.iter().flat_map(|one| &one.events);
    let requests = events.filter_map(|event| match event {
        Event::In { t, data, .. } => Some((*t, data)),
        _ => None,
    });
    match requests.max_by_key(|(t, _)| *t) {
        Some((_, data)) => operation(&data.lossy()),
        None => "start",
    }
}

/// Where two runs part, so that a smaller situation with the same difference has the same words.
fn parted(expected: &Want, got: &Want, what: &str) -> String {
    let apart = |expected: &[String], got: &[String]| {
        let more = got.iter().find(|one| !expected.contains(one));
        let less = expected.iter().find(|one| !got.contains(one));
        match (more, less) {
            (Some(more), _) => format!("more {more}"),
            (None, Some(less)) => format!("less {less}"),
            (None, None) => "order".to_owned(),
        }
    };
    let ends = |classes: &[String]| -> Vec<String> {
        let ends = classes.iter().filter_map(|class| class.rsplit('_').next());
        ends.map(str::to_owned).collect()
    };
    let levels = |logs: &[(String, String)]| -> Vec<String> {
        logs.iter().map(|(level, _)| level.clone()).collect()
    };
    let texts = |says: &[(String, String)]| -> Vec<String> {
        let texts = says
            .iter()
            .map(|(level, name)| format!("{level} {}", kind(name)));
        texts.collect()
    };
    let words = match what {
        "exit" => format!("{} for {}", ended(got), ended(expected)),
        "classes" => apart(&ends(&expected.classes), &ends(&got.classes)),
        "messages" => apart(&texts(&expected.says), &texts(&got.says)),
        "messages of modules" => apart(&levels(&expected.logs), &levels(&got.logs)),
        "reports" | "the policy" => String::new(),
        _ => return requests(expected, got),
    };
    format!("{what}: {words}")
}

/// Where two runs sent different requests: the operations, or what of a request differs.
fn requests(expected: &Want, got: &Want) -> String {
    let modules: BTreeSet<&String> = expected.asked.keys().chain(got.asked.keys()).collect();
    for module in modules {
        let of = |want: &Want, at: usize| Some(want.asked.get(module)?.get(at)?.clone());
        let pairs = (0..).map(|at| (of(expected, at), of(got, at)));
        let mut sent = pairs.take_while(|(expected, got)| expected.is_some() || got.is_some());
        let Some((expected, got)) = sent.find(|(expected, got)| expected != got) else {
            continue;
        };
        let name = |text: &Option<String>| text.as_deref().map_or("nothing", operation);
        return match (&expected, &got) {
            (Some(one), Some(other)) if operation(one) == operation(other) => {
                format!("requests: {} in {}", key(one, other), operation(one))
            }
            _ => format!("requests: {} for {}", name(&got), name(&expected)),
        };
    }
    "requests".to_owned()
}

/// The first key of two requests whose values differ, for attributes without their names.
fn key(one: &str, other: &str) -> String {
    let fields = |text: &str| -> Vec<(String, String)> {
        match serde_json::from_str::<Map<String, Value>>(text) {
            Ok(members) => members
                .into_iter()
                .map(|(key, value)| (key, value.to_string()))
                .collect(),
            Err(_) => {
                let pairs = text.lines().filter_map(|line| line.split_once('='));
                let mut pairs: Vec<(String, String)> = pairs
                    .map(|(key, value)| (key.to_owned(), value.to_owned()))
                    .collect();
                pairs.sort();
                pairs
            }
        }
    };
    let (one, other) = (fields(one), fields(other));
    let apart = one
        .iter()
        .find(|field| !other.contains(field))
        .or_else(|| other.iter().find(|field| !one.contains(field)));
    match apart {
        Some((key, _)) if key.starts_with("attribute") => "attributes".to_owned(),
        Some((key, _)) => key.clone(),
        None => "form".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{kind, requests};
    use cfengine_conform::Want;

    fn sent(requests: &[&str]) -> Want {
        let requests: Vec<String> = requests.iter().map(|&text| text.to_owned()).collect();
        Want {
            asked: [("m1".to_owned(), requests)].into(),
            ..Want::default()
        }
    }

    #[test]
    fn what_differs_of_requests_is_named_without_values() {
        let start = "start";
        let json = |text: &str, more: &str| {
            format!(r#"{{"attributes":{{"text":"{text}"}},"operation":"validate_promise"{more}}}"#)
        };
        let part = |one: &str, other: &str| requests(&sent(&[start, one]), &sent(&[start, other]));
        let attribute = part(&json("a", ""), &json("b", ""));
        assert_eq!(attribute, "requests: attributes in validate_promise");
        assert_eq!(part(&json("long", ""), &json("", "")), attribute);
        let line = |text: &str| format!("operation=validate_promise\nattribute_x={text}\n");
        assert_eq!(part(&line("a"), &line("")), attribute);
        let more = json("a", r#","line_number":5"#);
        assert_eq!(
            part(&json("a", ""), &more),
            "requests: line_number in validate_promise"
        );
        let end = r#"{"operation":"terminate"}"#;
        let less = requests(&sent(&[start, end]), &sent(&[start]));
        assert_eq!(less, "requests: nothing for terminate");
        assert_eq!(
            part(end, &json("a", "")),
            "requests: validate_promise for terminate"
        );
    }

    #[test]
    fn messages_are_named_without_promisers() {
        assert_eq!(kind("unacceptable-result p: banana"), "unacceptable-result");
        assert_eq!(kind("fatal: log level"), "fatal: log level");
    }
}
