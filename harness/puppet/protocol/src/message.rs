//! What a host says: exceptions in answers, and notifications.

use puppet_types::Value;
use stickler_json::Json;
use stickler_rpc::{Notification, Raised};

/// The kind of an event that tells what this machine lacks.
const LACK: &str = "lack";

/// The answer to a request.
pub type Answer = stickler_rpc::Answer<Failure>;

/// Did a block of a log fail, so that the resource counts as failed?
pub(crate) fn is_failed(answer: &Answer) -> bool {
    answer.member("failed") == Some(&Json::Bool(true))
}

/// An exception of the provider.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Failure {
    /// Its message.
    pub message: String,
    /// Its class.
    pub class: Option<String>,
    /// Is it a `StandardError`?
    pub standard: Option<bool>,
    /// The status with which the provider called `exit`.
    pub exit: Option<i64>,
    /// The file and the line of the first frame in the module.
    pub at: Option<String>,
    /// Did code of the library go wrong that the author does not call?
    pub in_library: bool,
    /// What the stand-ins of the Ruby host lack, if that was the cause.
    pub missing: Option<String>,
    /// The type of another module whose absence was the cause.
    pub foreign: Option<String>,
    /// The variable of the environment whose absence was the cause.
    pub variable: Option<String>,
    /// The library that was required in vain before a constant was missing.
    pub absent: Option<String>,
    /// Is it an `ArgumentError` because the called method itself takes other arguments? `false`: a call inside of it
    /// went wrong.
    pub signature: Option<bool>,
}

impl Failure {
    /// What was raised, in words.
    pub(crate) fn in_words(&self) -> String {
        let class = self.class.as_deref().unwrap_or("an exception");
        format!("{class}: {}", self.message)
    }

    /// The place in the module, as it follows other words: ` at FILE:LINE`, or nothing.
    pub(crate) fn place(&self) -> String {
        let at = self.at.as_deref();
        at.map_or_else(String::new, |at| format!(" at {at}"))
    }

    /// Was a method called with other arguments than it takes? Without the host's word, the message tells.
    pub(crate) fn is_arity(&self) -> bool {
        if let Some(signature) = self.signature {
            return signature;
        }
        let starts = [
            "wrong number of arguments",
            "missing keyword",
            "unknown keyword",
        ];
        let is_so = |start: &&str| self.message.starts_with(*start);
        self.class.as_deref() == Some("ArgumentError") && starts.iter().any(is_so)
    }

    /// The file whose absence was the cause: what is installed is not the author's choice.
    pub(crate) fn absent_file(&self) -> Option<&str> {
        let (_, file) = self.message.split_once("cannot load such file -- ")?;
        file.lines().next()
    }

    /// Is the file that is absent one of the module's own, as for `require_relative`?
    pub(crate) fn lacks_own_file(&self) -> bool {
        let at = self.at.as_deref().unwrap_or_default();
        let root = at.split_once("/lib/").map(|(root, _)| root);
        let file = self.absent_file().unwrap_or_default();
        root.is_some_and(|root| {
            file.strip_prefix(root)
                .is_some_and(|rest| rest.starts_with('/'))
        })
    }

    /// What is not on this machine, as the reason why nothing is judged.
    pub(crate) fn lack(&self) -> Option<String> {
        if let Some(missing) = &self.missing {
            return Some(format!(
                "the host has no stand-in for {missing}: `stickler check --real-puppet` runs it under Puppet"
            ));
        }
        if let Some(kind) = &self.foreign {
            return Some(format!(
                "there is no type `{kind}` here: it is in another module"
            ));
        }
        // Files below `puppet` and `puppet_x` are those of modules, which have to hold what they require.
        let gem = self
            .absent_file()
            .or(self.absent.as_deref())
            .filter(|file| !file.starts_with("puppet") && !self.lacks_own_file());
        if let Some(file) = gem {
            return Some(format!("there is no `{file}`"));
        }
        let variable = self.variable.as_ref()?;
        Some(format!(
            "the environment variable `{variable}` is not set: give it in `env` of [subject]"
        ))
    }
}

impl Raised for Failure {
    type Value = Value;

    fn value(json: &Json) -> Option<Value> {
        Value::from_json(json.clone(), 0).ok()
    }

    fn read(message: &Json, data: Option<&Json>) -> Self {
        let text = |key: &str| data.and_then(|data| text(data.get(key)?));
        let flag = |key: &str| match data?.get(key)? {
            Json::Bool(flag) => Some(*flag),
            _ => None,
        };
        Failure {
            message: self::text(message).unwrap_or_default(),
            class: text("class"),
            standard: flag("standard"),
            exit: data.and_then(|data| match data.get("status")? {
                Json::Number(status) => status.parse().ok(),
                _ => None,
            }),
            at: text("at"),
            in_library: text("where").as_deref() == Some("library"),
            missing: text("missing"),
            foreign: text("type"),
            variable: text("variable"),
            absent: text("absent"),
            signature: flag("signature"),
        }
    }
}

/// A notification: what the provider did with its context.
#[derive(Clone, Debug, PartialEq)]
pub struct HostEvent {
    /// What happened: `log`, `open`, `done`, `failed`, `action`, `refused`,
    /// `puppet`, `library`, `unknown`, `lack`, `stray`, `checked`.
    pub kind: String,
    /// The level of a message, the action of a block, or the name of a method.
    pub name: String,
    /// The arguments of the method.
    pub arguments: Vec<Value>,
    /// Why a block failed.
    pub error: Option<Failure>,
    /// Did the context raise, so that the call before has logged nothing?
    pub refused: bool,
    /// What this machine lacks, and the provider met.
    pub lack: Option<String>,
    /// The transport to whose context this happened, if not to the provider's.
    pub transport: Option<String>,
}

impl HostEvent {
    /// Reads a line. `None` if it is not a notification of `log`.
    pub fn read(line: &[u8]) -> Option<Self> {
        HostEvent::of(&Notification::read(line)?)
    }

    /// Reads a notification. `None` if it is not one of `log`.
    pub fn of(told: &Notification) -> Option<Self> {
        let params = &told.params;
        let word = |key: &str| told.text(key);
        let arguments = params.get("arguments").cloned();
        let arguments = arguments.and_then(|list| Value::from_json(list, 0).ok());
        let error = params.get("error");
        let mut error =
            error.and_then(|error| Some(Failure::read(error.get("message")?, Some(error))));
        let kind = word("event")?;
        // What was missing is no failure of its own: the provider may have lived with it.
        let lack = error.take_if(|_| kind == LACK);
        Some(HostEvent {
            refused: kind == "refused" || params.get("refused") == Some(&Json::Bool(true)),
            kind,
            name: word("level")
                .or_else(|| word("action"))
                .or_else(|| word("method"))
                .unwrap_or_default(),
            arguments: match arguments {
                Some(Value::Array(arguments)) => arguments,
                _ => Vec::new(),
            },
            error,
            lack: lack.and_then(|error| error.lack()),
            transport: word("transport"),
        })
    }
}

fn text(json: &Json) -> Option<String> {
    match json {
        Json::String(text) => text.as_str().map(str::to_owned),
        _ => None,
    }
}
