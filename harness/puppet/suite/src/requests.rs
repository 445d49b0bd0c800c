//! The requests that plans share: how a process begins, how providers are built and asked.

use crate::host::{self, whole_folder};
use crate::site::{self, Site};
use puppet_protocol::{phase, request};
use puppet_types::{Behaviour, Definition, Value};
use stickler_suite::{CaseBuilder, Instance};
use stickler_transcript::{Phase, Send, Variation};

/// Begins a process with a version of the runtime, or with the installed Puppet.
pub(crate) fn greet(case: &mut CaseBuilder<'_>, runtime: Option<&str>) {
    let setting = case.setting();
    // The command line of the Ruby host ends with the folder: it need not be looked up for
    // each session.
    let lib = match setting.config.subject.command.is_empty() {
        true => setting.argv.last().map(host::lib),
        false => whole_folder(setting.config)
            .map(|folder| folder.join("lib").to_string_lossy().into_owned()),
    };
    let path: Vec<String> = lib.into_iter().collect();
    let line = request::initialize(case.steps(), runtime, &path);
    let send = case.message(phase::INITIALIZE, "initialize", line);
    case.send(send);
}

/// Loads a type.
pub(crate) fn load(case: &mut CaseBuilder<'_>, kind: &str) {
    let line = request::load(case.steps(), kind);
    let send = case.message(phase::LOAD, format!("load:{kind}"), line);
    case.send(send);
}

/// Loads a type and builds its provider, unless the process has done so. If resources of the type
/// live on a target and none is named, no provider is built.
pub(crate) fn open<'a>(case: &mut CaseBuilder<'_>, site: impl Into<Site<'a>>) {
    let site: Site<'a> = site.into();
    if !case.has_sent(&site.open_key()) {
        build(case, site, site.open_key());
    }
}

/// Builds an instance of a provider. What names this key is asked of it from now on.
fn build(case: &mut CaseBuilder<'_>, site: Site<'_>, key: String) {
    let loaded = format!("load:{}", site.kind);
    if !case.has_sent(&loaded) {
        load(case, site.kind);
    }
    let mut requires = loaded.clone();
    let params = Value::hash([("type", Value::string(site.kind))]);
    let plan = match site.target {
        None => vec![("local", Value::string(loaded))],
        Some(target) => {
            requires = connect(case, target);
            Vec::new()
        }
    };
    let line = request::unfinished(case.steps(), "open", params, Value::hash(plan));
    let mut open = case.message(phase::OPEN, key, line);
    open.requires = Some(requires.into());
    case.send(open);
}

/// Connects to a target, unless the process has done so. Returns the key of the exchange.
pub(crate) fn connect(case: &mut CaseBuilder<'_>, target: &str) -> String {
    let key = format!("connect:{target}");
    if !case.has_sent(&key)
        && let Some(device) = site::device(case.setting().config, target)
    {
        let send = site::connection(case, &key, device, site::info(device));
        case.send(send);
    }
    key
}

/// A request to the provider of a type, which is open.
pub(crate) fn ask<'a>(
    case: &CaseBuilder<'_>,
    phase: Phase,
    key: String,
    site: impl Into<Site<'a>>,
    params: Value,
    plan: Vec<(&'static str, Value)>,
) -> Send {
    let site: Site<'a> = site.into();
    ask_instance(case, site.open_key(), phase, key, params, plan)
}

/// The same, to the instance that was built last under a key.
fn ask_instance(
    case: &CaseBuilder<'_>,
    open: String,
    phase: Phase,
    key: String,
    params: Value,
    mut plan: Vec<(&'static str, Value)>,
) -> Send {
    // The provider's number is known once it is open.
    plan.push(("open", Value::string(&*open)));
    let line = request::unfinished(case.steps(), &phase.name(), params, Value::hash(plan));
    Send {
        requires: Some(open.into()),
        ..case.message(phase, key, line)
    }
}

/// A call of `get` for all rows.
pub(crate) fn get_all<'a>(case: &CaseBuilder<'_>, key: String, site: impl Into<Site<'a>>) -> Send {
    ask(case, phase::GET, key, site, Value::hash([]), Vec::new())
}

/// Has a target made canonical, if the type has the feature. What depends on it adds this to its plan.
pub(crate) fn canonicalize(
    case: &mut CaseBuilder<'_>,
    definition: &Definition,
    key: String,
    item: &Instance,
    should: &Value,
) -> Option<(&'static str, Value)> {
    if !definition.has_feature("canonicalize") {
        return None;
    }
    let params = Value::hash([("resources", Value::Array(vec![should.clone()]))]);
    let phase = phase::CANONICALIZE;
    let send = ask(case, phase, key.clone(), item, params, Vec::new());
    case.send(about(send, item));
    Some(("canonicalize", Value::string(key)))
}

/// Builds one more instance of the provider. What comes later is asked of it.
pub(crate) fn renew(case: &mut CaseBuilder<'_>, item: &Instance) {
    let site = Site::from(item);
    build(case, site, site.open_key());
}

/// Was the resource of an item set in this process? A run sets each once, and the instance of a run may
/// remember what it has read (specification, "Runtime environment").
pub(crate) fn was_set(case: &CaseBuilder<'_>, item: &Instance) -> bool {
    let base = |label: &str| label.split('~').next().map(str::to_owned);
    let is_near = |label: &str| {
        let own = case.item(label);
        own.is_some_and(|own| own.variation == Some(Variation::Near))
    };
    let own = &*item.info.label;
    let mut sent = case.sent().filter(|send| send.phase == phase::SET);
    sent.any(|send| {
        let other = send.item.as_deref();
        other.is_some_and(|other| {
            other == own || base(other) == base(own) && !is_near(other) && !is_near(own)
        })
    })
}

/// Reads all rows with a new instance of the provider.
pub(crate) fn read_anew(case: &mut CaseBuilder<'_>, key: &str, item: &Instance) {
    renew(case, item);
    let send = get_all(case, format!("{key}:{}", item.info.label), item);
    case.send(about(send, item));
}

/// Has an instance that was not there before say what there is.
pub(crate) fn look(
    case: &mut CaseBuilder<'_>,
    key: String,
    item: &Instance,
    plan: Vec<(&'static str, Value)>,
) {
    let site = Site::from(item);
    build(case, site, site.look_key());
    let none = Value::hash([]);
    let send = ask_instance(case, site.look_key(), phase::GET, key, none, plan);
    case.send(about(send, item));
}

/// The attributes that a runtime compares.
pub(crate) fn compared(definition: &Definition) -> Vec<&str> {
    let all = definition.attributes.iter();
    let all = all.filter(|one| matches!(one.behaviour, Behaviour::Property | Behaviour::InitOnly));
    all.map(|one| &*one.name).collect()
}

pub(crate) fn about(send: Send, item: &Instance) -> Send {
    Send {
        item: Some(item.info.label.clone()),
        provenance: item.provenance,
        ..send
    }
}

pub(crate) fn words(words: &[&str]) -> Value {
    Value::Array(words.iter().map(|word| Value::string(*word)).collect())
}
