//! A situation: a policy, what its modules answer, and what each release did.

use cfengine_protocol::release::Release;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use stickler_conform::rows::{Row, row_of};

/// The outcome classes that most policies define: `@CLASSES@`.
const CLASSES: &str = "body classes oc(x)
{
  promise_kept => { \"oc_$(x)_kept\" };
  promise_repaired => { \"oc_$(x)_repaired\" };
  repair_failed => { \"oc_$(x)_failed\" };
  scope => \"namespace\";
}
";
/// The promise type that most policies define: `@TYPE@`.
const TYPE: &str =
    "promise agent t { path => \"@DIR@/m1.py\"; interpreter => \"/usr/bin/python3\"; }\n";

/// A line of `situations.jsonl`.
#[derive(Clone, Debug)]
pub struct Line {
    /// What it says.
    pub situation: Situation,
    /// The members as they were read. Only what was recorded ever changes.
    members: Map<String, Value>,
}

/// A situation.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Situation {
    /// Its name, after its family: `header/normal-json`.
    pub name: String,
    /// What it is about, in a sentence.
    pub about: Option<String>,
    /// Does the agent only wait in it?
    #[serde(default)]
    pub waits: bool,
    policy: String,
    /// What its modules answer, by the name of their file.
    pub modules: BTreeMap<String, Script>,
    /// The agent's options; `-I` if there are none.
    pub args: Option<Vec<String>>,
    /// Which classes are shown at the end.
    #[serde(default = "outcomes")]
    pub classes: String,
    /// Are its lines others than those of the recording?
    #[serde(default)]
    pub reflowed: bool,
    /// Why the agent's messages differ from run to run, if they do.
    pub varies: Option<String>,
    /// The releases that were recorded; all measured ones if there are none.
    #[serde(default)]
    pub only: Vec<String>,
    /// What was recorded: of each release, and of those after it up to the next entry.
    #[serde(default)]
    pub want: Vec<Want>,
}

fn outcomes() -> String {
    "^(oc_.*|rc.*)$".to_owned()
}

fn yes() -> bool {
    true
}

/// What a module answers.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// Its header.
    pub header: Vec<Action>,
    /// Does it speak JSON?
    #[serde(default = "yes")]
    pub json: bool,
    /// Answers; the first that fits is given.
    #[serde(default)]
    pub answers: Vec<Answer>,
    /// What it does once its input has ended.
    #[serde(default)]
    pub on_eof: Vec<Action>,
}

/// An answer to a request.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// The operation that it answers.
    pub op: Option<String>,
    /// Which of the requests for it, from 1.
    pub n: Option<usize>,
    /// What the request contains.
    #[serde(default)]
    pub has: String,
    /// What it sends or does.
    pub send: Vec<Action>,
}

/// A part of an answer.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Action {
    /// Text, in which `%OP%` is the operation of the request.
    Text(String),
    /// Bytes.
    Hex {
        /// As digits.
        hex: String,
    },
    /// A text, many times.
    Repeat {
        /// The text, and how often.
        repeat: (String, usize),
    },
    /// Closes a stream.
    Close {
        /// `stdin` or `stdout`.
        close: String,
    },
    /// `exit`, `kill` or `sleep`, with a number.
    Other(BTreeMap<String, Value>),
}

impl Action {
    /// Does the module end with it?
    pub fn ends(&self) -> bool {
        match self {
            Action::Close { close } => close == "stdout",
            Action::Other(other) => other.contains_key("exit") || other.contains_key("kill"),
            _ => false,
        }
    }
}

/// An exit code, or how else a run ended: `signal 11`, `hung`.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Exit {
    /// An exit code.
    Code(i32),
    /// Words.
    Other(String),
}

/// What an agent did.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Want {
    /// The oldest release that did so.
    pub since: String,
    /// The policy was refused; nothing else counts then.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub refused: bool,
    /// The policy was only checked, and accepted.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub accepted: bool,
    /// How the run ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit: Option<Exit>,
    /// Classes at the end.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub classes: Vec<String>,
    /// Levels and names of the agent's messages.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub says: Vec<(String, String)>,
    /// Levels and texts of the modules' messages.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub logs: Vec<(String, String)>,
    /// Reports.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reports: Vec<String>,
    /// What each module got: `start` for each process, and the requests.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub asked: BTreeMap<String, Vec<String>>,
}

/// Stands in a file for a request that equals the one before it, but for the operation.
const EVALUATED: &str = "evaluated";

/// The request for the evaluation of what was validated.
fn evaluation(validation: &str) -> String {
    validation.replace("validate_promise", "evaluate_promise")
}

impl Want {
    /// Did the agent come to an end by itself, without a crash?
    pub fn ends(&self) -> bool {
        !matches!(self.exit, Some(Exit::Other(_)))
    }

    /// With each request written out.
    fn expanded(mut self) -> Self {
        for asked in self.asked.values_mut() {
            for at in 1..asked.len() {
                if asked[at] == EVALUATED {
                    asked[at] = evaluation(&asked[at - 1]);
                }
            }
        }
        self
    }

    /// As files hold it.
    fn abridged(&self) -> Self {
        let mut short = self.clone();
        for asked in short.asked.values_mut() {
            for at in (1..asked.len()).rev() {
                if asked[at - 1] != asked[at] && asked[at] == evaluation(&asked[at - 1]) {
                    EVALUATED.clone_into(&mut asked[at]);
                }
            }
        }
        short
    }
}

impl Row for Want {
    fn since(&self) -> &str {
        &self.since
    }

    fn of(self, version: &str) -> Self {
        Want {
            since: version.to_owned(),
            ..self
        }
    }
}

impl Situation {
    /// The policy, with modules in this folder.
    pub fn policy(&self, folder: &str) -> String {
        let policy = self.policy.replace("@CLASSES@", CLASSES);
        policy.replace("@TYPE@", TYPE).replace("@DIR@", folder)
    }

    /// The names of its promises, if the outcome classes of each are asked for by a name of its own.
    pub(crate) fn promises(&self) -> Vec<&str> {
        let named = self.policy.split("=> oc(\"").skip(1);
        let names: Vec<&str> = named.filter_map(|rest| rest.split('"').next()).collect();
        let is_own =
            |(at, name): (usize, &&str)| !name.contains('$') && !names[..at].contains(name);
        match names.iter().enumerate().all(is_own) {
            true => names,
            false => Vec::new(),
        }
    }

    /// Notes that a release was recorded. Returns whether that is new.
    pub(crate) fn record(&mut self, version: &str) -> bool {
        let is_new = !self.only.is_empty() && !self.only.iter().any(|one| one == version);
        if is_new {
            self.only.push(version.to_owned());
        }
        is_new
    }

    /// What a release did, if it was recorded.
    pub fn recorded(&self, release: &str) -> Option<&Want> {
        let known = self.only.is_empty() || self.only.iter().any(|one| one == release);
        row_of(&self.want, release).filter(|_| known)
    }

    /// Is its policy only checked?
    pub fn is_check(&self) -> bool {
        self.name.starts_with("check/")
    }

    /// Was something recorded of this release that the one before it did not do?
    pub fn changes_with(&self, release: &Release) -> bool {
        self.want.iter().any(|want| want.since == release.version)
    }

    /// Did releases differ?
    pub fn differs(&self) -> bool {
        self.want.len() > 1
    }

    /// What a release did.
    pub fn of(&self, release: &Release) -> Option<&Want> {
        self.recorded(release.version)
    }
}

impl stickler_conform::Line for Line {
    fn read(line: &str) -> anyhow::Result<Self> {
        let members: Map<String, Value> = serde_json::from_str(line)?;
        let mut situation: Situation = serde_json::from_str(line)?;
        situation.want = situation.want.into_iter().map(Want::expanded).collect();
        Ok(Self { situation, members })
    }
}

impl Line {
    /// The script of a module as the file has it.
    pub fn script(&self, module: &str) -> Option<&Value> {
        self.members.get("modules")?.get(module)
    }

    /// The members without what was recorded.
    pub fn bare(&self) -> Value {
        let mut members = self.members.clone();
        members.remove("want");
        Value::Object(members)
    }

    /// The line as text.
    ///
    /// # Errors
    ///
    /// If it can't be written as JSON.
    pub fn text(&self) -> serde_json::Result<String> {
        let mut members = self.members.clone();
        let want: Vec<Want> = self.situation.want.iter().map(Want::abridged).collect();
        if !self.situation.only.is_empty() {
            let only = serde_json::to_value(&self.situation.only)?;
            members.insert("only".to_owned(), only);
        }
        members.insert("want".to_owned(), serde_json::to_value(want)?);
        serde_json::to_string(&members)
    }
}
