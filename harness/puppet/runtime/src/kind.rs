//! Types that are loaded, and calls of their providers.

use crate::context::{Context, logged};
use crate::fault::{Fault, Raised};
use crate::host::Exchange;
use crate::kept::Kept;
use crate::log::{Log, Severity};
use crate::own;
use crate::row::{self, no_index, no_method};
use crate::settings::RuntimeSettings;
use puppet_protocol::{Answer, HostEvent, aliases};
use puppet_types::definition::as_library;
use puppet_types::titles::Title;
use puppet_types::{Definition, Problem, Type, Value};
use std::collections::BTreeMap;
use std::rc::Rc;
use stickler_json::Json;
use stickler_rpc::{Caller, Ended};

/// The only value of the hidden property.
pub(crate) const TRIGGER_VALUE: &str = "do_not_specify_in_manifest";
/// A host has no such method.
const NO_METHOD: i64 = -32601;
/// So many warnings about values of the wrong type are shown in a run.
const MOST_WARNINGS: usize = 100;

/// A type.
#[derive(Debug)]
pub(crate) struct Kind {
    pub(crate) name: String,
    pub(crate) definition: Definition,
    pub(crate) namevars: Vec<String>,
    /// Is it one of Puppet itself, without a provider?
    pub(crate) is_built_in: bool,
    /// Attributes whose names are texts: the library looks for symbols, and finds none of them in rows.
    pub(crate) named_by_text: Vec<String>,
    /// See [`RuntimeSettings::trusting`].
    is_trusted: bool,
}

impl Kind {
    /// Has it the hidden property?
    pub(crate) fn has_trigger(&self) -> bool {
        self.definition.has_feature("custom_insync")
            && self.definition.properties().next().is_none()
    }

    /// The namevars that a title gives. `None` if no pattern matches it.
    pub(crate) fn titled(&self, title: &str) -> Result<Option<Vec<(String, Value)>>, Fault> {
        let has_text = |one: &Problem| matches!(one, Problem::PatternNoRegexp { .. });
        if !self.is_trusted && self.definition.problems.iter().any(has_text) {
            let message =
                "undefined method `names' for a title pattern that is no regular expression";
            return Err(Raised::new("NoMethodError", message).into());
        }
        let read = match self.definition.read_title(title) {
            Err(_) if self.is_trusted => {
                let first = self.namevars.first();
                return Ok(Some(
                    first
                        .map(|name| (name.clone(), Value::string(title)))
                        .into_iter()
                        .collect(),
                ));
            }
            read => read?,
        };
        let Title::Matched { namevars, .. } = read else {
            return Ok(None);
        };
        let named = namevars.into_iter().map(|capture| {
            let text = capture.text.map_or(Value::Undef, Value::string);
            (capture.name, text)
        });
        Ok(Some(named.collect()))
    }

    /// The same, where Puppet raises if no pattern matches.
    pub(crate) fn must_be_titled(&self, title: &str) -> Result<Vec<(String, Value)>, Fault> {
        self.titled(title)?.ok_or_else(|| {
            let message = format!("No set of title patterns matched the title \"{title}\".");
            Raised::puppet(message).into()
        })
    }

    /// The names of a `get`, if the provider takes any.
    pub(crate) fn filter(&self, names: Value) -> Option<Value> {
        let takes = self.definition.has_feature("simple_get_filter");
        takes.then_some(names)
    }

    pub(crate) fn is_remote(&self) -> bool {
        self.definition.has_feature("remote_resource")
    }
}

/// What the library keeps for each type.
#[derive(Debug, Default)]
struct Loaded {
    kind: Option<Rc<Kind>>,
    provider: Option<usize>,
    /// Does it have `insync?`?
    has_insync: bool,
    /// Is it known to lack `generate`?
    lacks_generate: bool,
    context: Context,
    kept: Kept,
    /// The names of all resources of a run.
    wanted: Vec<Value>,
    /// Why the rows cannot be read in this run.
    broken: Option<Raised>,
    /// Has a block of the context failed since the last `set`?
    has_failed: bool,
}

/// Where messages go.
pub type Sink<'s> = &'s mut dyn FnMut(Log);

/// The runtime with its host.
pub struct Runtime<'r> {
    host: &'r mut dyn Caller,
    pub(crate) settings: RuntimeSettings,
    sink: Sink<'r>,
    loaded: BTreeMap<String, Loaded>,
    warnings: usize,
    /// Was it told that a type cannot be loaded?
    is_told: bool,
}

impl<'r> Runtime<'r> {
    /// A runtime. The host is initialized.
    pub fn new(host: &'r mut dyn Caller, settings: RuntimeSettings, sink: Sink<'r>) -> Self {
        Runtime {
            host,
            settings,
            sink,
            loaded: BTreeMap::new(),
            warnings: 0,
            is_told: false,
        }
    }

    /// Writes a message.
    pub(crate) fn log(
        &mut self,
        level: Severity,
        source: Option<&str>,
        message: impl Into<String>,
    ) {
        (self.sink)(Log {
            level,
            source: source.map(str::to_owned),
            message: message.into(),
        });
    }

    /// The type of this name.
    ///
    /// # Errors
    /// If it cannot be loaded.
    pub(crate) fn kind(&mut self, name: &str) -> Result<Rc<Kind>, Fault> {
        if let Some(kind) = self.loaded.get(name).and_then(|one| one.kind.clone()) {
            return Ok(kind);
        }
        if let Some(definition) = own::definition(name) {
            return Ok(Rc::new(Kind {
                name: name.to_owned(),
                namevars: vec!["name".to_owned()],
                definition,
                is_built_in: true,
                named_by_text: Vec::new(),
                is_trusted: false,
            }));
        }
        let answer = self.ask("load", &Value::hash([("type", Value::string(name))]), None)?;
        let result = match &answer {
            Answer::Failed(_) if own::is_puppets(name) => {
                let message = format!("the type {name} is a type of Puppet itself");
                return Err(Fault::NoType(message));
            }
            // Such as a file that is missing, or that Ruby cannot read.
            Answer::Failed(failure) => {
                let message = format!("the type {name}: {}", failure.message);
                return Err(Fault::NoType(message));
            }
            answer => result(answer)?,
        };
        let (mut found, mut others, mut unusable) = (None, Vec::new(), None);
        let trusting = self.settings.trusting;
        let aliases = match trusting {
            true => aliases(result).open(),
            false => aliases(result),
        };
        for one in array(result.get("types")) {
            let Some(raw) = one.get("definition") else {
                continue;
            };
            let raw = Value::from_json(raw.clone(), 0)
                .map_err(|error| Fault::Host(Ended(error.to_string())))?;
            let definition = Definition::of_type_with(&raw, &aliases);
            let own = definition.name.as_deref().map(str::to_lowercase);
            let own = match trusting {
                true => definition.name.clone(),
                false => own,
            };
            if one.get("frozen") == Some(&Json::Bool(true)) {
                unusable = Some("can't modify frozen Hash");
            }
            match own.as_deref() == Some(name) {
                true if found.is_some() => unusable = Some("the type is registered twice"),
                true => found = Some((definition, raw)),
                false => others.push(raw),
            }
        }
        let Some((definition, raw)) = found else {
            let library = self.settings.release.api.definitions;
            let mut raised = others.iter().map(|raw| as_library(raw, library).raised);
            if let Some(raised) = raised.find_map(|raised| raised).filter(|_| !trusting) {
                return Err(self.not_loaded(name, &raised.message));
            }
            let older = result.get("classic") == Some(&Json::Bool(true));
            let message = match older {
                true => format!("the type {name} is one of Puppet's older interface"),
                false => format!("the type {name} is not one of the Resource API in this module"),
            };
            return Err(Fault::NoType(message));
        };
        let registration = as_library(&raw, self.settings.release.api.definitions);
        // Puppet loads the file of a type twice.
        let times = match trusting {
            true => 1,
            false => 2,
        };
        for _ in 0..times {
            for warning in registration.warnings.clone() {
                self.log(Severity::Warning, None, warning);
            }
        }
        if let Some(raised) = registration.raised.filter(|_| !trusting) {
            return Err(self.not_loaded(name, &raised.message));
        }
        if let Some(why) = unusable.filter(|_| !trusting) {
            return Err(self.not_loaded(name, why));
        }
        let unknown = |one: &&Problem| matches!(one, Problem::AliasUnknown { .. });
        if let Some(problem) = definition
            .problems
            .iter()
            .find(unknown)
            .filter(|_| !trusting)
        {
            return Err(Fault::Unsupported(format!("the type {name}: {problem}")));
        }
        let attributes = raw.get("attributes").and_then(Value::as_hash);
        let keys = attributes.unwrap_or_default().iter();
        let named_by_text = keys.filter_map(|(key, _)| match key {
            Value::String(name) if !trusting => Some(name.clone()),
            _ => None,
        });
        let named_by_text = named_by_text.collect();
        let namevars = definition.namevars().into_iter().map(str::to_owned);
        let kind = Rc::new(Kind {
            name: name.to_owned(),
            namevars: namevars.collect(),
            definition,
            is_built_in: false,
            named_by_text,
            is_trusted: trusting,
        });
        let loaded = self.loaded.entry(name.to_owned()).or_default();
        loaded.kind = Some(kind.clone());
        loaded.context = Context::new(name);
        Ok(kind)
    }

    /// The error for a type that the library refuses. `puppet resource` tells it twice.
    fn not_loaded(&mut self, name: &str, why: &str) -> Fault {
        let message = format!("Could not autoload puppet/type/{name}: {why}");
        if self.settings.munges && !self.is_told {
            self.is_told = true;
            self.log(Severity::Err, None, message.clone());
        }
        Raised::puppet(message).into()
    }

    /// Does the type's provider have `insync?`?
    pub(crate) fn has_insync(&mut self, kind: &Kind) -> Result<bool, Fault> {
        self.provider(kind)?;
        Ok(self
            .loaded
            .get(&kind.name)
            .is_some_and(|one| one.has_insync))
    }

    /// The provider of a type, which is built as late as possible.
    fn provider(&mut self, kind: &Kind) -> Result<usize, Fault> {
        if let Some(provider) = self.loaded.get(&kind.name).and_then(|one| one.provider) {
            return Ok(provider);
        }
        // A name in upper case finds no provider.
        let name = kind.definition.name.as_deref().unwrap_or(&kind.name);
        let params = Value::hash([("type", Value::string(name))]);
        let answer = self.ask("open", &params, Some(&kind.name))?;
        let result = result(&answer)?;
        let number = match result.get("provider") {
            Some(Json::Number(number)) => number.parse().ok(),
            _ => None,
        };
        let Some(number) = number else {
            return Err(Ended("`open` did not return a provider".into()).into());
        };
        // Other hosts do not tell their methods.
        let has = |method: &str| match result.get("methods") {
            methods @ Some(Json::Object(_)) => {
                has_member(methods, method) || has_member(result.get("inherited"), method)
            }
            _ => true,
        };
        let (has_insync, lacks_generate) = (has("insync?"), !has("generate"));
        let loaded = self.loaded.entry(kind.name.clone()).or_default();
        loaded.provider = Some(number);
        loaded.has_insync = has_insync;
        loaded.lacks_generate = lacks_generate;
        Ok(number)
    }

    /// Sends a request and writes the messages of its provider.
    fn ask(&mut self, method: &str, params: &Value, kind: Option<&str>) -> Result<Answer, Fault> {
        self.ask_and_hear(method, params, kind)
            .map(|(answer, _)| answer)
    }

    /// The answer, and whether a notification says that a block of the context failed.
    fn ask_and_hear(
        &mut self,
        method: &str,
        params: &Value,
        kind: Option<&str>,
    ) -> Result<(Answer, bool), Fault> {
        let Exchange { events, answer } = Exchange::of(self.host, method, params)?;
        let failing = |event: &HostEvent| {
            event.kind == "failed" && !event.refused && event.transport.is_none()
        };
        let fails = events.iter().any(|(_, event)| failing(event));
        let release = self.settings.release;
        let mut none = Context::default();
        let context = match kind.and_then(|kind| self.loaded.get_mut(kind)) {
            Some(loaded) => &mut loaded.context,
            None => &mut none,
        };
        context.begin();
        let mut logs = Vec::new();
        // A transport that the provider uses has a context of its own.
        let mut others: BTreeMap<&str, Context> = BTreeMap::new();
        for (at, event) in logged(&events) {
            let context = match &event.transport {
                Some(name) => others.entry(name).or_insert_with(|| Context::new(name)),
                None => &mut *context,
            };
            logs.extend(context.messages(release, *at, event));
        }
        logs.into_iter().for_each(|log| (self.sink)(log));
        Ok((answer, fails))
    }

    /// Calls a method of a provider.
    fn call(
        &mut self,
        kind: &Kind,
        method: &str,
        params: Vec<(&'static str, Value)>,
    ) -> Result<Answer, Fault> {
        let params = self.of_provider(kind, params)?;
        let (answer, fails) = self.ask_and_hear(method, &params, Some(&kind.name))?;
        if self.settings.release.api.failures_stay
            && has_failed(&answer, fails)
            && let Some(loaded) = self.loaded.get_mut(&kind.name)
        {
            loaded.has_failed = true;
        }
        Ok(answer)
    }

    /// The parameters of a call of a provider's method.
    fn of_provider(
        &mut self,
        kind: &Kind,
        params: Vec<(&'static str, Value)>,
    ) -> Result<Value, Fault> {
        let provider = self.provider(kind)?;
        let mut all = vec![("provider", Value::integer(provider))];
        all.extend(params);
        Ok(Value::hash(all))
    }

    /// The rows of `get`; `names` is left out if it is `None`. A host may leave out rows other than
    /// the first with the members of `find`.
    pub(crate) fn get(
        &mut self,
        kind: &Kind,
        names: Option<Value>,
        find: Option<Value>,
    ) -> Result<Vec<Value>, Fault> {
        let names = names.map(|names| ("names", names));
        let find = find.filter(|_| !self.settings.whole);
        let find = find.map(|find| ("find", find));
        let params = names.into_iter().chain(find).collect();
        let answer = self.call(kind, "get", params)?;
        let value = value(&answer, "value")?;
        match value {
            Value::Array(rows) => Ok(rows),
            Value::Hash(_) => Err(no_index()),
            other => {
                let method = self.settings.release.api.goes_through_rows_by;
                Err(no_method(method, &other))
            }
        }
    }

    /// The first resource of a list, in canonical form.
    pub(crate) fn canonicalize(&mut self, kind: &Kind, resource: &Value) -> Result<Value, Fault> {
        let resources = Value::Array(vec![resource.clone()]);
        let answer = self.call(kind, "canonicalize", vec![("resources", resources)])?;
        let value = value(&answer, "value")?;
        match value {
            Value::Array(mut items) if !items.is_empty() => Ok(items.swap_remove(0)),
            Value::Array(_) => Ok(Value::Undef),
            other => Err(no_method("[]", &other)),
        }
    }

    /// What `insync?` returns.
    pub(crate) fn insync(
        &mut self,
        kind: &Kind,
        name: &Value,
        property: &str,
        is: &Value,
        should: &Value,
    ) -> Result<Value, Fault> {
        let params = vec![
            ("name", name.clone()),
            ("property", Value::string(property)),
            ("is", is.clone()),
            ("should", should.clone()),
        ];
        let answer = self.call(kind, "insync", params)?;
        value(&answer, "value")
    }

    /// Changes resources. Returns whether a block of the context failed, now or before.
    pub(crate) fn set(
        &mut self,
        kind: &Kind,
        changes: Value,
        noop: Option<bool>,
    ) -> Result<bool, Fault> {
        let mut params = vec![("changes", changes)];
        params.extend(noop.map(|noop| ("noop", Value::Bool(noop))));
        let params = self.of_provider(kind, params)?;
        let (answer, fails) = self.ask_and_hear("set", &params, Some(&kind.name))?;
        result(&answer)?;
        let loaded = self.loaded.get_mut(&kind.name);
        let before = loaded.is_some_and(|one| std::mem::take(&mut one.has_failed));
        Ok(before || has_failed(&answer, fails))
    }

    /// What a provider generates for a resource: what it gave, and of each item the resource that it is, if
    /// it is one. `None` if there is no such method.
    pub(crate) fn generate(
        &mut self,
        kind: &Kind,
        name: &Value,
        is: &Value,
        should: &Value,
    ) -> Result<Option<(Value, Value)>, Fault> {
        self.provider(kind)?;
        if self
            .loaded
            .get(&kind.name)
            .is_some_and(|one| one.lacks_generate)
        {
            return Ok(None);
        }
        let params = vec![
            ("name", name.clone()),
            ("is", is.clone()),
            ("should", should.clone()),
        ];
        match self.call(kind, "generate", params)? {
            Answer::Refused(NO_METHOD, _) => Ok(None),
            answer => Ok(Some((
                value(&answer, "value")?,
                value(&answer, "resources")?,
            ))),
        }
    }

    /// A warning about values of the wrong type, of which a run shows only so many.
    pub(crate) fn warn_of_types(&mut self, message: String) {
        self.warnings += 1;
        if self.warnings <= MOST_WARNINGS {
            self.log(Severity::Warning, None, message);
        }
    }

    /// The rows that are kept of a type, which is loaded.
    pub(crate) fn kept(&mut self, kind: &Kind) -> &mut Kept {
        &mut self.loaded.entry(kind.name.clone()).or_default().kept
    }

    /// A run has a resource of this name.
    pub(crate) fn want(&mut self, kind: &Kind, name: Value) {
        if let Some(loaded) = self.loaded.get_mut(&kind.name)
            && !loaded.wanted.contains(&name)
        {
            loaded.wanted.push(name);
        }
    }

    /// The rows of a type as the specification reads them: once, for all resources of a run. If
    /// that fails, it fails for all of them.
    pub(crate) fn read_once(&mut self, kind: &Kind) -> Result<(), Fault> {
        let Some(loaded) = self.loaded.get(&kind.name) else {
            return Ok(());
        };
        if let Some(broken) = &loaded.broken {
            return Err(broken.clone().into());
        }
        if loaded.kept.is_all {
            return Ok(());
        }
        let names = kind.filter(Value::Array(loaded.wanted.clone()));
        let rows = self.get(kind, names, None);
        match rows {
            Ok(rows) => {
                for row in rows {
                    let name = row::name(&kind.namevars, &row)?;
                    self.kept(kind).keep(&name, row);
                }
                self.kept(kind).is_all = true;
                Ok(())
            }
            Err(Fault::Raised(raised)) => {
                if let Some(loaded) = self.loaded.get_mut(&kind.name) {
                    loaded.broken = Some(raised.clone());
                }
                Err(raised.into())
            }
            Err(other) => Err(other),
        }
    }
}

fn result(answer: &Answer) -> Result<&Json, Fault> {
    match answer {
        Answer::Result(result) => Ok(result),
        Answer::Failed(failure) => Err(Raised::from(failure).into()),
        Answer::Refused(code, message) => {
            let message = format!("the host refuses a request ({code}): {message}");
            Err(Ended(message).into())
        }
        Answer::Broken(why) => Err(Ended(format!("no answer: {why}")).into()),
    }
}

/// Did a block of the context fail? A host that does not say so itself has told of the block.
fn has_failed(answer: &Answer, told: bool) -> bool {
    match answer {
        Answer::Result(result) => match result.get("failed") {
            Some(failed) => *failed == Json::Bool(true),
            None => told,
        },
        _ => false,
    }
}

fn value(answer: &Answer, key: &str) -> Result<Value, Fault> {
    let value = result(answer)?.get(key);
    let value = value.map_or(Ok(Value::Undef), |value| Value::from_json(value.clone(), 0));
    value.map_err(|error| Ended(error.to_string()).into())
}

fn array(json: Option<&Json>) -> &[Json] {
    match json {
        Some(Json::Array(items)) => items,
        _ => &[],
    }
}

fn has_member(json: Option<&Json>, name: &str) -> bool {
    match json {
        Some(Json::Object(members)) => members
            .iter()
            .any(|member| member.key.as_str() == Some(name)),
        Some(Json::Array(items)) => items.iter().any(|item| match item {
            Json::String(text) => text.as_str() == Some(name),
            _ => false,
        }),
        _ => false,
    }
}

/// The type of an attribute, which a definition that the library takes has.
pub(crate) fn data_type<'k>(kind: &'k Kind, name: &str) -> Result<&'k Type, Fault> {
    let attribute = kind.definition.attribute(name);
    attribute
        .and_then(|attribute| attribute.data_type.as_ref())
        .ok_or_else(|| {
            let name = format!("{}.{name}", kind.name);
            Fault::Unsupported(format!("the type of {name} is not known"))
        })
}
