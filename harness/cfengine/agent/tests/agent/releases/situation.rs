//! A recorded situation: a policy, what its modules answer, and what each release did.

use cfengine_protocol::release::{RELEASES, Release};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// The outcome classes that most policies define.
const CLASSES: &str = "body classes oc(x)
{
  promise_kept => { \"oc_$(x)_kept\" };
  promise_repaired => { \"oc_$(x)_repaired\" };
  repair_failed => { \"oc_$(x)_failed\" };
  scope => \"namespace\";
}
";
/// The promise type that most policies define.
const TYPE: &str =
    "promise agent t { path => \"@DIR@/m1.py\"; interpreter => \"/usr/bin/python3\"; }\n";

#[derive(Deserialize)]
pub struct Situation {
    pub name: String,
    policy: String,
    pub modules: BTreeMap<String, Script>,
    /// The agent's options; `-I` if there are none.
    pub args: Option<Vec<String>>,
    /// Which classes are shown at the end.
    #[serde(default = "outcomes")]
    pub classes: String,
    /// Are its lines others than those of the recording?
    #[serde(default)]
    pub reflowed: bool,
    /// What was recorded: of each release, and of those after it up to the next entry.
    want: Vec<Want>,
}

fn outcomes() -> String {
    "^(oc_.*|rc.*)$".to_owned()
}

fn yes() -> bool {
    true
}

/// What a module answers.
#[derive(Clone, Deserialize)]
pub struct Script {
    /// Its header.
    pub header: Vec<Action>,
    /// Does it speak JSON?
    #[serde(default = "yes")]
    pub json: bool,
    /// Answers; the first that fits is given.
    #[serde(default)]
    pub answers: Vec<Answer>,
}

#[derive(Clone, Deserialize)]
pub struct Answer {
    /// The operation that it answers.
    pub op: Option<String>,
    /// Which of the requests for it, from 1.
    pub n: Option<usize>,
    /// What the request contains.
    #[serde(default)]
    pub has: String,
    pub send: Vec<Action>,
}

/// A part of an answer.
#[derive(Clone, Deserialize)]
#[serde(untagged)]
pub enum Action {
    Text(String),
    Hex { hex: String },
    Repeat { repeat: (String, usize) },
    Close { close: String },
    Other(BTreeMap<String, serde_json::Value>),
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

/// An exit code, or `signal 11`.
#[derive(Debug, Deserialize, PartialEq)]
#[serde(untagged)]
pub enum Exit {
    Code(i32),
    Signal(String),
}

impl From<i32> for Exit {
    fn from(code: i32) -> Self {
        Self::Code(code)
    }
}

/// What an agent did.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Want {
    /// The oldest release that did so.
    pub since: String,
    /// The policy was refused; nothing else counts then.
    pub refused: bool,
    /// The policy was only checked, and accepted.
    pub accepted: bool,
    pub exit: Option<Exit>,
    pub classes: Vec<String>,
    /// Levels and names of the agent's messages.
    pub says: Vec<(String, String)>,
    /// Levels and texts of the modules' messages.
    pub logs: Vec<(String, String)>,
    pub reports: Vec<String>,
    /// What each module got: `start` for each process, and the requests. `evaluated` is the request before it
    /// with the other operation.
    pub asked: BTreeMap<String, Vec<String>>,
}

/// Where releases differ, in words.
#[derive(Deserialize)]
pub struct Differences {
    pub difference: Vec<Difference>,
}

#[derive(Deserialize)]
pub struct Difference {
    pub situation: String,
    /// What the agent does from a release on.
    pub does: BTreeMap<String, String>,
    /// Names of situations that show it.
    pub recorded: Vec<String>,
}

impl Differences {
    pub fn load(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).expect("the differences");
        toml::from_str(&text).expect("differences")
    }
}

impl Situation {
    /// The policy, with modules in this folder.
    pub fn policy(&self, folder: &str) -> String {
        let policy = self.policy.replace("@CLASSES@", CLASSES);
        policy.replace("@TYPE@", TYPE).replace("@DIR@", folder)
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
        let place = |version: &str| RELEASES.iter().position(|one| one.version == version);
        let own = place(release.version);
        self.want.iter().rfind(|want| place(&want.since) <= own)
    }
}

pub fn situations(path: &Path) -> Vec<Situation> {
    let text = std::fs::read_to_string(path).expect("the situations");
    let read = |line: &str| -> Situation {
        let mut situation: Situation =
            serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line:.200}"));
        for asked in situation
            .want
            .iter_mut()
            .flat_map(|want| want.asked.values_mut())
        {
            for at in 1..asked.len() {
                if asked[at] == "evaluated" {
                    asked[at] = asked[at - 1].replace("validate_promise", "evaluate_promise");
                }
            }
        }
        situation
    };
    text.lines().map(read).collect()
}
