//! The requests that plans share: how a process begins, how resources are made, and what is asked of them.

use mgmt_protocol::{phase, purpose, request};
use serde_json::{Value as Json, json};
use stickler_suite::{CaseBuilder, Instance, SCRATCH};
use stickler_transcript::{Key, Name, Phase, Purpose, Send};

/// How long `Watch` may take to start and to end, and an event to come, in milliseconds.
pub(crate) const LONG: u64 = 3_000;

/// How many bytes of lines of `Logf` a process may have. With more, the sessions of a check could not be kept.
pub(crate) const LOGS: usize = 32 << 10;

/// The folder below which `VarDir` makes folders.
fn var() -> String {
    format!("{SCRATCH}/var")
}

/// Begins a process.
pub(crate) fn greet(case: &mut CaseBuilder<'_>) {
    greet_in(case, &Surroundings::default());
}

/// What a host is told when it begins.
pub(crate) struct Surroundings {
    /// What `Init` says as `Debug`.
    pub(crate) debug: bool,
    /// Do the folders of `VarDir` hold files already?
    pub(crate) litter: bool,
    /// The folder below which `VarDir` makes folders.
    pub(crate) var: String,
}

impl Default for Surroundings {
    fn default() -> Self {
        Surroundings {
            debug: false,
            litter: false,
            var: var(),
        }
    }
}

/// Begins a process with these surroundings.
pub(crate) fn greet_in(case: &mut CaseBuilder<'_>, surroundings: &Surroundings) {
    let Surroundings { debug, litter, var } = surroundings;
    let params = json!({
        "protocol": 1, "debug": debug, "var": var, "litter": litter, "logs": LOGS,
    });
    ask(case, phase::INITIALIZE, purpose::INITIALIZE, None, &params);
}

/// Sends a request with this key, if the one with the key `requires` was accepted.
pub(crate) fn ask(
    case: &mut CaseBuilder<'_>,
    phase: Phase,
    key: impl Into<Key>,
    requires: Option<Key>,
    params: &Json,
) {
    let send = message(case, phase, key, requires, params);
    case.send(send);
}

/// The same, not sent yet.
pub(crate) fn message(
    case: &CaseBuilder<'_>,
    phase: Phase,
    key: impl Into<Key>,
    requires: Option<Key>,
    params: &Json,
) -> Send {
    let line = request::line(case.steps(), &phase.name(), params);
    Send {
        requires,
        ..case.message(phase, key, line)
    }
}

/// The same about an item.
pub(crate) fn about(send: Send, item: &Instance) -> Send {
    Send {
        item: Some(item.info.label.clone()),
        provenance: item.provenance,
        ..send
    }
}

/// Sends a request about an item.
pub(crate) fn ask_about(
    case: &mut CaseBuilder<'_>,
    phase: Phase,
    key: impl Into<Key>,
    requires: Option<Key>,
    item: &Instance,
    params: &Json,
) {
    let send = message(case, phase, key, requires, params);
    case.send(about(send, item));
}

/// Asks what a kind is.
pub(crate) fn describe(case: &mut CaseBuilder<'_>, kind: &str) {
    let params = json!({ "kind": kind });
    let key = purpose::DESCRIBE.of(kind);
    ask(case, phase::DESCRIBE, key, None, &params);
}

/// The key of the request after which a resource is there, with its fields.
pub(crate) fn made(item: &Instance) -> Key {
    let label = &item.info.label;
    match item.attributes.is_empty() {
        true => purpose::NEW.of(label),
        false => purpose::SET.of(label),
    }
}

/// Makes a resource of an item, unless the process has done so.
pub(crate) fn make(case: &mut CaseBuilder<'_>, item: &Instance) {
    let label = &item.info.label;
    let new = purpose::NEW.of(label);
    if case.has_sent(&new) {
        return;
    }
    let name = String::from_utf8_lossy(item.name()).into_owned();
    let params = json!({ "resource": &**label, "kind": item.kind, "name": name });
    ask_about(case, phase::NEW, new.clone(), None, item, &params);
    if !item.attributes.is_empty() {
        let params = json!({ "resource": &**label, "fields": request::fields(&item.attributes) });
        let set = purpose::SET.of(label);
        ask_about(case, phase::SET, set, Some(new), item, &params);
    }
}

/// A request that names a resource alone.
pub(crate) fn simple(
    case: &mut CaseBuilder<'_>,
    phase: Phase,
    key: impl Into<Key>,
    requires: Option<Key>,
    item: &Instance,
) {
    let params = json!({ "resource": &*item.info.label });
    ask_about(case, phase, key, requires, item, &params);
}

/// A request that compares two resources. It belongs to `item`.
pub(crate) fn pair(
    case: &mut CaseBuilder<'_>,
    phase: Phase,
    key: Key,
    requires: Key,
    item: &Instance,
    [one, other]: [&Instance; 2],
) {
    let params = json!({ "resource": &*one.info.label, "other": &*other.info.label });
    ask_about(case, phase, key, Some(requires), item, &params);
}

/// Begins a resource, if the request `requires` was accepted, unless the process has done so.
pub(crate) fn init(case: &mut CaseBuilder<'_>, item: &Instance, requires: Key) -> Key {
    let key = purpose::INIT.of(&item.info.label);
    if !case.has_sent(&key) {
        simple(case, phase::INIT, key.clone(), Some(requires), item);
    }
    key
}

/// Tells `Watch` of the resource with this label to end, if it still runs.
pub(crate) fn cancel(case: &mut CaseBuilder<'_>, label: &Name) {
    let params = json!({ "resource": &**label, "ms": LONG });
    let key = purpose::CANCEL.part("last").of(label);
    let send = message(
        case,
        phase::CANCEL,
        key,
        Some(purpose::INIT.of(label)),
        &params,
    );
    case.send(Send {
        item: Some(label.clone()),
        deadline_us: send.deadline_us.max(2 * LONG * 1_000),
        ..send
    });
}

/// Ends the resource with this label, if it has begun, unless the process has ended it.
pub(crate) fn cleanup(case: &mut CaseBuilder<'_>, label: &Name) {
    let (key, init) = (purpose::CLEANUP.of(label), purpose::INIT.of(label));
    if !case.has_sent(&key) && case.has_sent(&init) {
        let params = json!({ "resource": &**label });
        let send = message(case, phase::CLEANUP, key, Some(init), &params);
        case.send(Send {
            item: Some(label.clone()),
            ..send
        });
    }
}

/// A call of `CheckApply`.
pub(crate) fn checkapply(case: &CaseBuilder<'_>, key: Key, requires: Key, item: &Instance) -> Send {
    checkapply_with(case, key, requires, item, &json!({}))
}

/// A call of `CheckApply` with further parameters.
pub(crate) fn checkapply_with(
    case: &CaseBuilder<'_>,
    key: Key,
    requires: Key,
    item: &Instance,
    more: &Json,
) -> Send {
    let mut params = json!({ "resource": &*item.info.label, "apply": !item.dry, "refresh": false });
    if let (Json::Object(params), Json::Object(more)) = (&mut params, more) {
        params.extend(more.clone());
    }
    let send = message(case, phase::CHECKAPPLY, key, Some(requires), &params);
    about(send, item)
}

/// Validates a resource, unless the process has done so.
pub(crate) fn validate_once(case: &mut CaseBuilder<'_>, item: &Instance) {
    if !case.has_sent(&validated(item)) {
        case.validate(item);
    }
}

/// Validates a resource and begins it.
pub(crate) fn begin(case: &mut CaseBuilder<'_>, item: &Instance) -> Key {
    validate_once(case, item);
    init(case, item, validated(item))
}

/// Has a resource look or apply with further parameters, once it has begun.
pub(crate) fn calls(case: &mut CaseBuilder<'_>, key: Key, item: &Instance, more: &Json) {
    let begun = begin(case, item);
    let send = checkapply_with(case, key, begun, item, more);
    case.provide(item);
    case.send(send);
}

/// Counts what the host holds.
pub(crate) fn counts(case: &mut CaseBuilder<'_>, turn: usize) {
    ask(
        case,
        phase::COUNTS,
        purpose::COUNTS.turn(turn),
        None,
        &json!({}),
    );
}

/// Reads all fields of a resource. Turns count from 1.
pub(crate) fn get(case: &mut CaseBuilder<'_>, item: &Instance, turn: usize) {
    let key = purpose::GET.turn(turn).of(&item.info.label);
    simple(case, phase::GET, key, Some(made(item)), item);
}

/// Compares two resources; the key says which.
pub(crate) fn cmp(
    case: &mut CaseBuilder<'_>,
    one: &Instance,
    other: &Instance,
    turn: usize,
    about_it: &Instance,
) {
    let key = purpose::CMP.turn(turn).of(&about_it.info.label);
    // The one that was made last tells whether both are there.
    let requires = made(about_it);
    pair(case, phase::CMP, key, requires, about_it, [one, other]);
}

/// The key of an item's validation.
pub(crate) fn validated(item: &Instance) -> Key {
    Purpose::VALIDATE.of(&item.info.label)
}
