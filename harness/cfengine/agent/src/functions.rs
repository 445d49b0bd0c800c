//! The built-in functions: one file per family, and one table of all of them.

mod accounts;
mod cache;
mod chance;
mod collect;
mod csv;
mod data;
mod fields;
mod files;
mod glob;
mod hosts;
mod lists;
mod logic;
mod maths;
mod names;
mod order;
mod run;
mod strings;
mod table;

pub(crate) use cache::Cache;
pub(crate) use data::FileKind;
pub(crate) use maths::digest;
pub(crate) use names::state;
pub use table::{Entry, TABLE};

use crate::context::Agent;
use crate::data::Data;
use crate::log::Severity;
use crate::scan;
use crate::stop::{Step, Stop};
use crate::value::{Call, Kind, Text, Value};
use std::rc::Rc;

/// The result of a function; `None` if it fails.
pub(crate) type Done = Step<Option<Value>>;

/// The code of a function; it gets the function's name and arguments.
pub(crate) type Work = fn(&mut Agent, &str, &[Value]) -> Done;

fn entry(name: &str) -> Option<&'static Entry> {
    let at = TABLE.binary_search_by(|entry| entry.name.cmp(name)).ok()?;
    Some(&TABLE[at])
}

/// Whether cf-agent has a function of this name.
pub(crate) fn is_known(name: &str) -> bool {
    entry(name).is_some()
}

/// Whether cf-agent has a function of this name and the reference agent does not.
pub(crate) fn is_unsupported(name: &str) -> bool {
    entry(name).is_some_and(|entry| entry.work.is_none())
}

/// Whether a function starts programs, whatever its arguments are.
pub(crate) fn starts_programs(name: &str) -> bool {
    entry(name).is_some_and(|entry| entry.starts)
}

/// Whether the argument at this position must be a text, for a function that takes lists whole.
pub(crate) fn wants_text(name: &str, at: usize) -> bool {
    match name {
        "every" | "filter" | "grep" | "join" | "makerule" | "none" | "some" | "string_mustache" => {
            at != 1
        }
        "max" | "min" | "nth" | "regarray" | "reglist" | "shuffle" | "sort" | "sublist" => at != 0,
        "mapdata" => at == 0,
        _ => false,
    }
}

/// The type of a function's result.
pub(crate) fn kind_of(name: &str) -> Kind {
    entry(name).map_or(Kind::String, |entry| entry.kind)
}

/// The name of a class that is always set, or of one that never is.
fn class(holds: bool) -> Done {
    Ok(Some(Value::text(if holds { "any" } else { "!any" })))
}

fn string(text: impl Into<Text>) -> Done {
    Ok(Some(Value::text(text)))
}

fn list<T: Into<Text>>(items: impl IntoIterator<Item = T>) -> Done {
    Ok(Some(Value::texts(items)))
}

/// An argument as text; empty if it is no scalar.
fn arg(arguments: &[Value], at: usize) -> &str {
    arguments
        .get(at)
        .and_then(Value::scalar)
        .map_or("", |text| text)
}

/// Whether an argument is true: anything except `false`, `no` and `off` is.
fn is_true(arguments: &[Value], at: usize) -> bool {
    at < arguments.len() && !matches!(arg(arguments, at), "false" | "no" | "off")
}

impl Agent {
    /// Calls a function; `None` if it fails or if an argument is not known yet.
    pub(crate) fn call(&mut self, call: &Rc<Call>) -> Done {
        self.tick()?;
        let Some(entry) = entry(&call.name) else {
            self.say(Severity::Error, self.no_such_call(&call.name));
            return Ok(None);
        };
        self.check_tags()?;
        if let Some(work) = entry.work.filter(|_| entry.delayed) {
            self.check_arguments(call, &call.arguments)?;
            return work(self, entry.name, &call.arguments);
        }
        if entry.starts && self.simulates() && !self.is_simulate_safe() {
            let name = entry.name;
            let message = format!("Not calling unsafe function '{name}' in simulate mode");
            self.say(Severity::Warning, message);
            return Ok(None);
        }
        let arguments = self.arguments(entry, call)?;
        if is_unresolved(&arguments) && !logic::may_be_unresolved(entry.name, &arguments) {
            return Ok(None);
        }
        let Some(work) = entry.work else {
            if let Some(places) = self.unsupported.guarded.get(entry.name) {
                return Err(Stop::Refused(places.clone()));
            }
            return self.call_unsupported(entry.name);
        };
        let confuses = self.release().confuses_functions;
        let owner = (!confuses).then_some(entry.name);
        if entry.cached
            && let Some(known) = self.cache.get(owner, &arguments)
            && !self.wants_fresh()
        {
            return Ok(Some(known.clone()));
        }
        self.check_arguments(call, &arguments)?;
        if let Some(missing) = missing(entry.name, arguments.len()) {
            match missing {
                Missing::Fatal(message) => return Err(Stop::Fatal(message)),
                Missing::Error(message) => self.say(Severity::Error, message),
                Missing::Silent => {}
            }
            return Ok(None);
        }
        let given = if entry.as_written {
            &call.arguments
        } else {
            &arguments
        };
        let done = work(self, entry.name, given)?;
        if entry.cached
            && let Some(value) = &done
        {
            self.verbose(|| format!("Caching result for function '{}'", call.show()));
            self.cache.put(owner, arguments, value.clone());
        }
        Ok(done)
    }

    /// Says once that a function is not supported, with its places. Without `--skip-unsupported`,
    /// the run is refused with the place before it comes here, unless nothing is searched there.
    fn call_unsupported(&mut self, name: &str) -> Done {
        let skips = self.voice.options.skip_unsupported;
        let is_searched = self.promise_frame().is_some();
        let is_early = self.checking || !self.loaded;
        if is_early && (is_searched || skips) {
            return Ok(None);
        }
        let unsupported = self.unsupported.clone();
        let message = match unsupported.functions.get(name) {
            Some(places) => places.trim_end().to_owned(),
            None => format!("function \"{name}\" is not supported by the reference agent"),
        };
        if !skips && is_searched {
            return Err(Stop::Refused(message + "\n"));
        }
        if self.told.insert(name.to_owned()) {
            self.say(Severity::Error, message);
        }
        Ok(None)
    }

    /// Whether the agent ignores cached results.
    fn wants_fresh(&self) -> bool {
        self.checking
            || self.voice.control.fresh_functions
            || self.promise_frame().is_some_and(|frame| frame.fresh)
    }

    /// The error message for a function that does not exist.
    fn no_such_call(&self, name: &str) -> String {
        match self.promise_frame() {
            Some(frame) => format!(
                "No such FnCall '{name}' in promise '{}' near line {}",
                frame.bundle.path, frame.promise.line
            ),
            None => format!("No such FnCall '{name}', context info unavailable"),
        }
    }

    /// The tags of the current promise, unexpanded.
    fn written_tags(&self) -> Option<&Value> {
        let mut written = self.promise_frame()?.promise.attributes.iter();
        let tags = written.find(|attribute| &*attribute.name == "meta")?;
        Some(&tags.value)
    }

    /// Before a call the agent reads the current promise's tags. It aborts if they are a function
    /// call.
    fn check_tags(&mut self) -> Step<()> {
        if !matches!(self.written_tags(), Some(Value::Call(_))) {
            return Ok(());
        }
        let message = "Type mismatch on rhs - expected type for list constraint 'meta'";
        self.say(Severity::Error, message);
        self.say_where_called();
        Err(Stop::Fatal("Aborted".to_owned()))
    }

    /// Whether the current promise has the tag that marks its calls as safe in simulate mode.
    fn is_simulate_safe(&self) -> bool {
        let tags = self.written_tags().and_then(Value::items);
        let tags = tags.unwrap_or_default();
        tags.iter()
            .filter_map(Value::scalar)
            .any(|tag| &**tag == "simulate_safe")
    }

    /// Expands a call's arguments and evaluates the calls among them.
    fn arguments(&mut self, entry: &Entry, call: &Call) -> Step<Vec<Value>> {
        if let Some(count) = entry.arguments
            && count != call.arguments.len()
        {
            let message = format!(
                "Arguments to function '{}' do not tally. Expected {count} not {}",
                call.name,
                call.arguments.len()
            );
            self.say(Severity::Error, message);
            self.say_where_called();
            return Err(Stop::Exit(1));
        }
        self.expanded_arguments(call, entry.collects)
    }

    /// Does the same as [`Agent::arguments`], for functions that expand their arguments themselves.
    pub(super) fn expanded_arguments(&mut self, call: &Call, collects: bool) -> Step<Vec<Value>> {
        let mut out = Vec::with_capacity(call.arguments.len());
        for argument in &call.arguments {
            let value = match argument {
                Value::Call(inner) => match self.call(inner)? {
                    Some(Value::Data(data)) => Value::data(self.copied(Data::clone(&data))?),
                    Some(value) => value,
                    None => argument.clone(),
                },
                other => self.expand_value(other, (None, None))?,
            };
            match value {
                Value::List(items) if collects => {
                    let items = items.iter().map(Value::to_data).collect();
                    out.push(Value::data(Data::Array(items)));
                }
                Value::List(items) => out.extend(items.iter().cloned()),
                Value::Data(_) if !collects => {}
                other => out.push(other),
            }
        }
        Ok(out)
    }
}

/// The outcome of a call with too few or too many arguments, for functions that take a varying
/// number.
enum Missing {
    Fatal(String),
    Error(String),
    Silent,
}

fn missing(name: &str, has: usize) -> Option<Missing> {
    let fatal = |message: &str| Some(Missing::Fatal(message.to_owned()));
    let error = |message: &str| Some(Missing::Error(message.to_owned()));
    if name == "classfiltercsv" && has < 3 {
        return fatal("Function classfiltercsv requires at least 3 arguments");
    }
    if matches!(name, "execresult" | "execresult_as_data") {
        let what = match has {
            0 => "Must specify command",
            1 => "Must specify 'noshell', 'useshell', or 'powershell'",
            2 | 3 => return None,
            _ => {
                let message = format!("Too many arguments to {name}() - Maximum 3 allowed");
                return Some(Missing::Fatal(message));
            }
        };
        return fatal(&format!("Missing argument to {name}() - {what}"));
    }
    if matches!(name, "findfiles_up" | "search_up") {
        let what = match has {
            0 => "path as first",
            1 => "glob as second",
            _ => return None,
        };
        return error(&format!("Function {name} requires {what} argument"));
    }
    if has > 0 {
        return None;
    }
    match name {
        "classmatch"
        | "classesmatching"
        | "countclassesmatching"
        | "getclassmetatags"
        | "getvariablemetatags"
        | "variablesmatching"
        | "variablesmatching_as_data" => {
            fatal(&format!("Function '{name}' requires at least one argument"))
        }
        "eval" => fatal("in built-in FnCall eval: missing first argument, an evaluation input"),
        "sort" => fatal("in built-in FnCall sort: missing first argument, a list name"),
        "readfile" | "isipinsubnet" => error(&format!(
            "Function '{name}' has no arguments: cf-agent 3.21.0 would crash here"
        )),
        "readcsv" | "readenvfile" | "readjson" | "readyaml" => {
            error(&format!("Function '{name}' requires at least one argument"))
        }
        "type" => error("Function type requires variable identifier as first argument"),
        "basename" => error("Function basename requires a filename as first arg!"),
        "format" | "string_mustache" => Some(Missing::Silent),
        _ => None,
    }
}

/// Whether an argument holds a reference that is not known yet. `$(this)` and its like do not
/// count: the mapping functions define them.
pub(super) fn is_unresolved(arguments: &[Value]) -> bool {
    let own = [
        "(this)",
        "{this}",
        "(this.k)",
        "{this.k}",
        "(this.k[1])",
        "{this.k[1]}",
        "(this.v)",
        "{this.v}",
    ];
    arguments.iter().any(|argument| match argument {
        Value::Data(_) => false,
        Value::Scalar(text) => {
            scan::has_scalars(text) && !own.iter().any(|name| text.contains(&format!("${name}")))
        }
        _ => true,
    })
}
