//! What a host says: answers and notifications.

use puppet_types::Value;
use stickler_json::Json;

/// Where the first message of a buffer ends: after its line. `scanned` bytes are known to hold no
/// end.
pub fn message_len(buffer: &[u8], scanned: usize) -> Option<usize> {
    let end = memchr::memchr(b'\n', &buffer[scanned..])?;
    Some(scanned + end + 1)
}

/// Is a line a notification? It has a method, and no id.
pub fn is_notification(line: &[u8]) -> bool {
    // Hosts write the method early in notifications, and never in answers.
    if memchr::memmem::find(line, b"\"method\"").is_none() {
        return false;
    }
    stickler_json::parse(line)
        .is_ok_and(|message| message.get("method").is_some() && message.get("id").is_none())
}

/// The answer to a request.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// The method returned.
    Result(Json),
    /// The provider failed.
    Failed(Failure),
    /// The host refused the request: a code of JSON-RPC, and why.
    Refused(i64, String),
    /// It is no answer of JSON-RPC; the text says why.
    Broken(&'static str),
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

    /// Was a method called with other arguments than it takes?
    pub(crate) fn is_arity(&self) -> bool {
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

    /// What is not on this machine, as the reason why nothing is judged.
    pub(crate) fn lack(&self) -> Option<String> {
        if let Some(missing) = &self.missing {
            return Some(format!(
                "the host has no stand-in for {missing}: `stickler apply --real-puppet` runs it under Puppet"
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
            .filter(|file| !file.starts_with("puppet"));
        if let Some(file) = gem {
            return Some(format!("there is no `{file}`"));
        }
        let variable = self.variable.as_ref()?;
        Some(format!(
            "the environment variable `{variable}` is not set: give it in `env` of [subject]"
        ))
    }

    fn of(message: &Json, data: Option<&Json>) -> Self {
        let text = |key: &str| data.and_then(|data| text(data.get(key)?));
        Failure {
            message: self::text(message).unwrap_or_default(),
            class: text("class"),
            standard: data.and_then(|data| match data.get("standard") {
                Some(Json::Bool(standard)) => Some(*standard),
                _ => None,
            }),
            at: text("at"),
            in_library: text("where").as_deref() == Some("library"),
            missing: text("missing"),
            foreign: text("type"),
            variable: text("variable"),
        }
    }
}

/// The code of JSON-RPC with which hosts tell of exceptions.
const EXCEPTION: i64 = 1;

impl Answer {
    /// Reads a line.
    pub fn read(line: &[u8]) -> Self {
        let Ok(message) = stickler_json::parse(line) else {
            return Answer::Broken("it is no JSON");
        };
        if let Some(result) = message.get("result") {
            return Answer::Result(result.clone());
        }
        let Some(error) = message.get("error") else {
            return Answer::Broken("it has neither a result nor an error");
        };
        let code = match error.get("code") {
            Some(Json::Number(number)) => number.parse().ok(),
            _ => None,
        };
        let (Some(code), Some(message)) = (code, error.get("message")) else {
            return Answer::Broken("its error has no code or no message");
        };
        match code {
            EXCEPTION => Answer::Failed(Failure::of(message, error.get("data"))),
            code => Answer::Refused(code, text(message).unwrap_or_default()),
        }
    }

    /// A member of the result, read as a value of Ruby.
    pub fn value(&self, key: &str) -> Option<Value> {
        match self {
            Answer::Result(result) => Value::from_json(result.get(key)?.clone(), 0).ok(),
            _ => None,
        }
    }

    /// A member of the result that is text.
    pub fn text(&self, key: &str) -> Option<String> {
        match self {
            Answer::Result(result) => text(result.get(key)?),
            _ => None,
        }
    }

    /// The exception, if the provider failed.
    pub fn failure(&self) -> Option<&Failure> {
        match self {
            Answer::Failed(failure) => Some(failure),
            _ => None,
        }
    }
}

/// A notification: what the provider did with its context.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// What happened: `log`, `open`, `done`, `failed`, `action`, `refused`,
    /// `puppet`, `library`, `unknown`, `stray`.
    pub kind: String,
    /// The level of a message, the action of a block, or the name of a method.
    pub name: String,
    /// The arguments of the method.
    pub arguments: Vec<Value>,
    /// Why a block failed.
    pub error: Option<Failure>,
    /// Did the context raise, so that the call before has logged nothing?
    pub refused: bool,
}

impl Event {
    /// Reads a notification. `None` if it is not one of `log`.
    pub fn read(line: &[u8]) -> Option<Self> {
        let message = stickler_json::parse(line).ok()?;
        let params = message.get("params")?;
        let word = |key: &str| text(params.get(key)?);
        let arguments = params.get("arguments").cloned();
        let arguments = arguments.and_then(|list| Value::from_json(list, 0).ok());
        let error = params.get("error");
        let kind = word("event")?;
        Some(Event {
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
            error: error.and_then(|error| Some(Failure::of(error.get("message")?, Some(error)))),
        })
    }
}

fn text(json: &Json) -> Option<String> {
    match json {
        Json::String(text) => text.as_str().map(str::to_owned),
        _ => None,
    }
}
