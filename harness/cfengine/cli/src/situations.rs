//! `stickler fuzz --agent` for cf-agent: situations that are made up, and the two agents that play them.

mod answers;
mod dice;
mod policies;
mod smaller;

use cfengine_conform::{Agent, Exit, Line, Situations, Want};
use cfengine_protocol::release::Release;
use dice::Dice;
use serde_json::{Value, json};
use stickler_conform::{Line as _, Maker, Situations as _, Table, Tried};
use stickler_face::Failure;
use stickler_face::conform::{Conforming, cannot_run, unusable};

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

/// A maker for the agent under test.
pub fn maker(asked: &Conforming<'_>) -> Result<Box<dyn Maker>, Failure> {
    let agent = Agent::new(asked.command, asked.host).map_err(|error| cannot_run(&error))?;
    let release = Release::nearest(&agent.version).version;
    let program = std::env::current_exe().map_err(anyhow::Error::from)?;
    let reference = Agent::reference(&program, release, asked.host);
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

    fn waits(&self, situation: &Value) -> bool {
        situation["waits"] == true
    }

    fn smaller(&self, situation: &Value) -> Vec<Value> {
        smaller::smaller(situation)
    }

    fn play(&self, situation: &Value, compared: bool) -> anyhow::Result<Tried> {
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
        let (got, played) = match self.agent.play_line(&line)? {
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
            token: match (&expected, differences.first()) {
                (Some(expected), Some(first)) => parted(expected, &got, &first.what),
                _ => token(&got),
            },
            hung: got.exit == Some(Exit::Other("hung".to_owned())),
            situation,
            played,
            differences,
        })
    }
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

/// How a run went: exit, names of messages, and which requests follow which.
fn shown(want: &Want) -> String {
    let mut names: Vec<String> = want
        .says
        .iter()
        .map(|(level, name)| format!("{level} {name}"))
        .collect();
    names.sort();
    names.dedup();
    let mut pairs = Vec::new();
    for asked in want.asked.values() {
        let asked: Vec<&str> = asked.iter().map(|text| operation(text)).collect();
        pairs.extend(asked.windows(2).map(|two| two.join(">")));
    }
    pairs.sort();
    pairs.dedup();
    format!(
        "{} | {} | {}",
        ended(want),
        names.join(", "),
        pairs.join(" ")
    )
}

/// The operation of a request, as a word.
fn operation(request: &str) -> &str {
    let known = ["validate_promise", "evaluate_promise", "terminate", "start"];
    let named = |word: &&&str| {
        request == **word
            || request.contains(&format!("\"operation\":\"{word}\""))
            || request.contains(&format!("operation={word}\n"))
    };
    known.iter().find(named).copied().unwrap_or("other")
}

/// How and where an agent ended that was to go on; nothing of another one.
fn token(want: &Want) -> String {
    let fatal = want.says.iter().find(|(level, _)| level.is_empty());
    match (&want.exit, fatal) {
        (Some(Exit::Other(end)), _) => {
            let all = want.asked.values().flatten();
            let last = all.last().map_or("start", |text| operation(text));
            format!("{end} after {last}")
        }
        (_, Some((_, name))) => name.clone(),
        _ => String::new(),
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
        let texts = says.iter().map(|(level, name)| format!("{level} {name}"));
        texts.collect()
    };
    let words = match what {
        "exit" => format!("{} for {}", ended(got), ended(expected)),
        "classes" => apart(&ends(&expected.classes), &ends(&got.classes)),
        "messages" => apart(&texts(&expected.says), &texts(&got.says)),
        "messages of modules" => apart(&levels(&expected.logs), &levels(&got.logs)),
        "reports" | "the policy" => String::new(),
        _ => {
            let asked = |want: &Want| -> Vec<String> {
                let all = want.asked.values().flatten();
                all.map(|text| operation(text).to_owned()).collect()
            };
            return format!("requests: {}", apart(&asked(expected), &asked(got)));
        }
    };
    format!("{what}: {words}")
}
