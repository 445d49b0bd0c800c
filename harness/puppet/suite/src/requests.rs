//! The requests that plans share: how a process begins, how providers are built and asked.

use crate::deferred::{Deferred, Encoded, Evaluation};
use crate::host::{self, whole_folder};
use crate::resource;
use crate::shown::Shown;
use crate::site::{self, Site};
use crate::versions::{is_real, usual};
use puppet_protocol::{phase, purpose, request};
use puppet_types::{Definition, Value};
use stickler_suite::{CaseBuilder, Instance};
use stickler_transcript::{Key, Phase, Send, Variation};

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
    let runtime = runtime.filter(|_| !is_real(setting.config));
    let line = request::initialize(case.steps(), runtime, &path);
    let send = case.message(phase::INITIALIZE, purpose::INITIALIZE, line);
    case.send(send);
}

/// Loads a type.
pub(crate) fn load(case: &mut CaseBuilder<'_>, kind: &str) {
    let line = request::load(case.steps(), kind);
    let send = case.message(phase::LOAD, purpose::LOAD.of(kind), line);
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
fn build(case: &mut CaseBuilder<'_>, site: Site<'_>, key: Key) {
    // Some types have other features while there is a device.
    let connected = site.target.map(|target| connect(case, target));
    let loaded = purpose::LOAD.of(site.kind);
    if !case.has_sent(&loaded) {
        load(case, site.kind);
    }
    let (line, requires) = match connected {
        None => {
            let open = Deferred::Open {
                kind: site.kind.to_owned(),
                loaded: loaded.clone(),
            };
            (open.line(), loaded)
        }
        Some(connected) => (request::open(case.steps(), site.kind), connected),
    };
    let mut open = case.message(phase::OPEN, key, line);
    open.requires = Some(requires);
    case.send(open);
}

/// Connects to a target, unless the process has done so. Returns the key of the exchange.
pub(crate) fn connect(case: &mut CaseBuilder<'_>, target: &str) -> Key {
    let key = purpose::CONNECT.of(target);
    if !case.has_sent(&key)
        && let Some(device) = site::device(case.setting().config, target)
    {
        let send = site::connection(case, key.clone(), device, site::info(device));
        case.send(send);
    }
    key
}

/// A request to the provider of a type, which is open.
pub(crate) fn ask<'a>(
    case: &CaseBuilder<'_>,
    phase: Phase,
    key: impl Into<Key>,
    site: impl Into<Site<'a>>,
    params: Value,
) -> Send {
    let open = site.into().open_key();
    let call = Deferred::Call {
        open: open.clone(),
        params: Encoded(params),
    };
    deferred(case, phase, key, open, call)
}

/// A message that stands for requests to the provider that the exchange `open` built.
pub(crate) fn deferred(
    case: &CaseBuilder<'_>,
    phase: Phase,
    key: impl Into<Key>,
    open: Key,
    what: Deferred,
) -> Send {
    Send {
        requires: Some(open),
        ..case.message(phase, key, what.line())
    }
}

/// A call of `get` for all rows.
pub(crate) fn get_all<'a>(
    case: &CaseBuilder<'_>,
    key: impl Into<Key>,
    site: impl Into<Site<'a>>,
) -> Send {
    ask(case, phase::GET, key, site, Value::hash([]))
}

/// A call of `get` for the state around an item: for all rows, or by the item's name if the type's provider lists
/// no others.
pub(crate) fn get_rows(
    shown: &Shown,
    case: &CaseBuilder<'_>,
    key: impl Into<Key>,
    item: &Instance,
) -> Send {
    let key = key.into();
    let definition = shown.definition(&item.kind);
    match definition.filter(|_| shown.is_unlistable(&item.kind)) {
        None => get_all(case, key, item),
        Some(definition) => {
            let open = Site::from(item).open_key();
            let look = Deferred::Look {
                open: open.clone(),
                evaluation: evaluation(case, &definition, &key, item),
                all: false,
                named: true,
            };
            deferred(case, phase::GET, key, open, look)
        }
    }
}

/// The evaluation of an item, whose keys begin with `key`.
pub(crate) fn evaluation(
    case: &CaseBuilder<'_>,
    definition: &Definition,
    key: &Key,
    item: &Instance,
) -> Evaluation {
    Evaluation {
        key: key.act(),
        item: item.info.label.clone(),
        open: Site::from(item).open_key(),
        kind: item.kind.clone(),
        title: String::from_utf8_lossy(item.name()).into_owned(),
        parameters: resource::parameters(definition, item),
        noop: item.dry,
        on_device: item.target.is_some(),
        version: version(case),
        rows: None,
        observed: case.is_observing(),
    }
}

/// The version of the runtime with which the process was greeted. The installed Puppet has the usual one.
fn version(case: &CaseBuilder<'_>) -> String {
    let greetings = case.sent().filter(|send| send.phase == phase::INITIALIZE);
    let runtime = greetings.last().and_then(|send| {
        let request = Value::parse(&send.message()).ok()?;
        let params = request.get("params")?;
        Some(params.get("runtime")?.as_str()?.to_owned())
    });
    runtime.unwrap_or_else(|| usual(case.setting().config).to_owned())
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

/// Reads the rows with a new instance of the provider.
pub(crate) fn read_anew(
    shown: &Shown,
    case: &mut CaseBuilder<'_>,
    key: impl Into<Key>,
    item: &Instance,
) {
    renew(case, item);
    let send = get_rows(shown, case, key.into().of(&item.info.label), item);
    case.send(about(send, item));
}

/// Reads all rows with an instance that was not there before, and to which an item was declared; by its name if
/// the type's provider lists no others.
pub(crate) fn look(
    shown: &Shown,
    case: &mut CaseBuilder<'_>,
    key: Key,
    item: &Instance,
    definition: &Definition,
) {
    let evaluation = evaluation(case, definition, &key, item);
    let named = shown.is_unlistable(&item.kind);
    look_with(case, key, item, evaluation, [!named, named]);
}

/// Reads the resource of an evaluation with an instance that was not there before.
pub(crate) fn look_for(
    case: &mut CaseBuilder<'_>,
    key: impl Into<Key>,
    item: &Instance,
    evaluation: Evaluation,
) {
    look_with(case, key.into(), item, evaluation, [false, false]);
}

fn look_with(
    case: &mut CaseBuilder<'_>,
    key: Key,
    item: &Instance,
    evaluation: Evaluation,
    [all, named]: [bool; 2],
) {
    let open = build_to_look(case, item);
    let look = Deferred::Look {
        open: open.clone(),
        evaluation,
        all,
        named,
    };
    let send = deferred(case, phase::GET, key, open, look);
    case.send(about(send, item));
}

fn build_to_look(case: &mut CaseBuilder<'_>, item: &Instance) -> Key {
    let site = Site::from(item);
    build(case, site, site.look_key());
    site.look_key()
}

pub(crate) fn about(send: Send, item: &Instance) -> Send {
    Send {
        item: Some(item.info.label.clone()),
        provenance: item.provenance,
        ..send
    }
}
