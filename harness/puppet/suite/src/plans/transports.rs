//! Transports: their files and classes, and connections to targets that answer, are gone, or refuse
//! what they are told.

use super::services::is_awaited;
use crate::deferred::{Deferred, Encoded};
use crate::find::transports;
use crate::host;
use crate::requests::{deferred, get_all, load};
use crate::shown::Shown;
use crate::site::{self, Site};
use puppet_protocol::relation;
use puppet_protocol::{phase, purpose, request};
use puppet_types::{Attribute, Type, Value};
use stickler_suite::config::Device;
use stickler_suite::{CaseBuilder, Effort, Setting};
use stickler_transcript::{Bytes, Case, Key, Phase, Purpose, Role, Step};

/// How long a connection may take before nothing more is learned from waiting, in microseconds:
/// longer than a transport may wait for its target.
const PATIENCE_US: u64 = 45_000_000;
/// How long a connection without optional keys may take: it may lead to another port.
const LACKING_US: u64 = 10_000_000;
/// Ports on which no server of a description listens.
const CLOSED: [i64; 3] = [1, 9, 65535];
/// So many optional keys are left out alone.
const LEFT_OUT: usize = 4;
/// What listens in place of services, and never answers. After more than the 30 seconds that a transport may
/// wait it ends, so that no call hangs. Who only looks whether it listens does not count.
const LISTENER: &str = "
ARGV.each_slice(2).map do |host, port|
  server = TCPServer.new(host, port)
  Thread.new do
    loop do
      client = server.accept
      Thread.new do
        told = IO.select([client], nil, nil, 1)
        left = told && client.recv(1, Socket::MSG_PEEK).to_s.empty?
        sleep(30.5) && exit! unless left
      end
    end
  end
end.each(&:join)
";
/// How long processes and sockets may take to end, in microseconds.
const MOMENT_US: u64 = 300_000;

/// Each transport of the module, without a connection: its schema, its classes, the list of schemas.
pub(super) fn schemas(setting: &Setting<'_>) -> Vec<Case> {
    let found = transports(setting.config);
    let each = found.iter().map(|name| {
        let mut case = setting.case(format!("transport/{name}"));
        case.observing().open();
        let line = request::load_transport(case.steps(), name);
        let send = case.message(phase::LOAD, purpose::LOAD.of(name), line);
        case.send(send);
        plain(&mut case, phase::TRANSPORTS, purpose::LISTED);
        for what in ["transport", "device"] {
            let line = request::describe(case.steps(), what, name);
            let send = case.message(phase::DESCRIBE, purpose::DESCRIBE.part(what).of(name), line);
            case.send(send);
        }
        case.terminate().build()
    });
    each.collect()
}

/// Each target.
pub(super) fn cases(shown: &Shown, setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let mut cases = Vec::new();
    for device in &setting.config.targets {
        if site::is_older(setting.config, &device.transport) {
            cases.push(older(setting, device));
            continue;
        }
        if device.invalid {
            cases.push(refused(setting, device));
            continue;
        }
        cases.push(answers(shown, setting, device));
        cases.push(found(setting, device));
        cases.extend(wrong(shown, setting, device));
        cases.extend(lacking(shown, setting, device));
        if effort != Effort::Quick && !setting.config.services.is_empty() {
            // Transports wait for their targets.
            cases.push(gone(setting, device));
            cases.extend(quiet(setting, device));
            cases.push(stopped(setting, device));
        }
    }
    cases
}

/// A request without parameters.
fn plain(case: &mut CaseBuilder<'_>, phase: Phase, key: Purpose) {
    let line = request::line(case.steps(), &phase.name(), Value::hash([]));
    let send = case.message(phase, key, line);
    case.send(send);
}

/// A connection, whose key begins with `how`.
fn connect(case: &mut CaseBuilder<'_>, how: Purpose, device: &Device, info: Vec<(String, Value)>) {
    let mut send = site::connection(case, how.of(&device.name), device, info);
    send.deadline_us = PATIENCE_US;
    case.send(send);
}

/// A request to the transport of a connection.
fn of_transport(
    case: &mut CaseBuilder<'_>,
    phase: Phase,
    key: impl Into<Key>,
    by: Purpose,
    device: &Device,
) {
    let by = by.of(&device.name);
    let call = Deferred::Transport { by: by.clone() };
    let mut send = deferred(case, phase, key.into().of(&device.name), by, call);
    send.deadline_us = PATIENCE_US;
    case.send(send);
}

/// The type whose resources on the target are read, if there is one.
fn kind<'s>(setting: &Setting<'s>, device: &'s Device) -> Option<Site<'s>> {
    let mut kinds = setting.config.subject.kinds.iter();
    let name = Some(&device.name[..]);
    kinds.find_map(|kind| Some(site::usual(setting, kind)).filter(|site| site.target == name))
}

/// Reads the resources of a type with a provider that is built for the connection of `by`.
fn get(case: &mut CaseBuilder<'_>, by: Purpose, device: &Device) {
    if let Some(site) = kind(case.setting(), device) {
        get_as(case, purpose::GET.of(&device.name), by, site, device);
    }
}

fn get_as(case: &mut CaseBuilder<'_>, key: Key, by: Purpose, site: Site<'_>, device: &Device) {
    if !case.has_sent(&purpose::LOAD.of(site.kind)) {
        load(case, site.kind);
    }
    let opened = key.part(purpose::OPENED);
    let params = Value::hash([("type", Value::string(site.kind))]);
    let line = request::line(case.steps(), "open", params);
    let mut open = case.message(phase::OPEN, opened.clone(), line);
    open.requires = Some(by.of(&device.name));
    case.send(open);
    read(case, key, opened);
}

/// Reads the resources with a provider that is built already.
fn read(case: &mut CaseBuilder<'_>, key: Key, open: Key) {
    let call = Deferred::Call {
        open: open.clone(),
        params: Encoded(Value::hash([])),
    };
    let send = deferred(case, phase::GET, key, open, call);
    case.send(send);
}

/// Loads the schema, so that rules know it.
fn schema(case: &mut CaseBuilder<'_>, device: &Device) {
    let line = request::load_transport(case.steps(), &device.transport);
    let send = case.message(phase::LOAD, purpose::SCHEMA.of(&device.name), line);
    case.send(send);
}

/// A device from before there were transports has no methods that a runtime calls: its resources are read.
fn older(setting: &Setting<'_>, device: &Device) -> Case {
    let mut case = setting.case(format!("target/{}", device.name));
    case.observing().open();
    connect(&mut case, purpose::AGAIN, device, site::info(device));
    if !device.invalid {
        get(&mut case, purpose::AGAIN, device);
    }
    case.terminate().build()
}

/// The whole life of a connection, and a second one.
fn answers(shown: &Shown, setting: &Setting<'_>, device: &Device) -> Case {
    let mut case = setting.case(format!("target/{}", device.name));
    case.member(relation::TARGETS, &device.name, Role::Baseline)
        .observing()
        .open();
    schema(&mut case, device);
    // Libraries that a transport loads may hold something themselves.
    connect(&mut case, purpose::FIRST, device, site::info(device));
    of_transport(
        &mut case,
        phase::FACTS,
        purpose::FIRST.part("facts"),
        purpose::FIRST,
        device,
    );
    of_transport(
        &mut case,
        phase::CLOSE,
        purpose::FIRST.part("close"),
        purpose::FIRST,
        device,
    );
    case.step(Step::Pause { us: MOMENT_US });
    plain(&mut case, phase::HOLDS, purpose::HELD_BEFORE);
    connect(&mut case, purpose::AGAIN, device, site::info(device));
    for (phase, key) in [
        (phase::VERIFY, purpose::VERIFY),
        (phase::FACTS, purpose::FACTS),
        (phase::INSPECT, purpose::INSPECT),
        (phase::VERIFY, purpose::STILL),
    ] {
        of_transport(&mut case, phase, key, purpose::AGAIN, device);
    }
    get(&mut case, purpose::AGAIN, device);
    of_transport(
        &mut case,
        phase::CLOSE,
        purpose::CLOSE,
        purpose::AGAIN,
        device,
    );
    of_transport(
        &mut case,
        phase::CLOSE,
        purpose::CLOSE_TWICE,
        purpose::AGAIN,
        device,
    );
    case.step(Step::Pause { us: MOMENT_US });
    plain(&mut case, phase::HOLDS, purpose::HELD_AFTER);
    // What an earlier connection was told must not count any more.
    if let Some(info) = elsewhere(shown, setting, device) {
        connect(&mut case, purpose::ELSEWHERE, device, info);
        let key = purpose::ELSEWHERE.part("verify");
        of_transport(&mut case, phase::VERIFY, key, purpose::ELSEWHERE, device);
    }
    case.terminate().build()
}

/// The connection info with a port on which nothing listens, if it names a port and no url.
fn elsewhere(
    shown: &Shown,
    setting: &Setting<'_>,
    device: &Device,
) -> Option<Vec<(String, Value)>> {
    // Without a network of its own, a session shares the ports of the machine.
    if setting.config.services.is_empty() {
        return None;
    }
    let own = shown.schema(&device.transport)?;
    let mut info = site::info(device);
    if info
        .iter()
        .any(|(name, _)| ["url", "uri"].contains(&&**name))
    {
        return None;
    }
    let (name, port) = info.iter_mut().find(|(name, _)| name == "port")?;
    let kind = own.attribute(name)?.data_type.as_ref()?;
    let mut free = CLOSED.iter().map(|port| Value::integer(*port));
    *port = free.find(|other| kind.matches(other).is_yes() && other != port)?;
    Some(info)
}

/// The schema is found by autoloading, by direct registration, and through the class for devices.
fn found(setting: &Setting<'_>, device: &Device) -> Case {
    let mut case = setting.case(format!("target-found/{}", device.name));
    case.observing().open();
    for (process, (purpose, how)) in [
        (purpose::BY_AUTOLOAD, "autoload"),
        (purpose::BY_NONE, "none"),
        (purpose::BY_DEVICE, "device"),
    ]
    .into_iter()
    .enumerate()
    {
        if process > 0 {
            case.terminate().start(process).greet();
        }
        let members = site::info(device).into_iter();
        let info = members.map(|(name, value)| (Value::symbol(&name), value));
        let info = Value::Hash(info.collect());
        let name = &device.transport;
        let (phase, line) = if how == "device" {
            (phase::DEVICE, request::device(case.steps(), name, info))
        } else {
            if how == "none" {
                schema(&mut case, device);
            }
            let line = request::connect(case.steps(), name, info, how);
            (phase::CONNECT, line)
        };
        let send = case.message(phase, purpose.of(&device.name), line);
        case.send(send);
    }
    case.terminate().build()
}

/// Under these keys, transports are told whose credentials they have.
const USERS: &[&str] = &["user", "username", "user_name", "login", "account"];

/// Each secret is wrong, and so is the user.
fn wrong(shown: &Shown, setting: &Setting<'_>, device: &Device) -> Vec<Case> {
    let Some(own) = shown.schema(&device.transport) else {
        return Vec::new();
    };
    let takes = |name: &str| {
        let is_credential = |one: &&Attribute| one.sensitive || USERS.contains(&name);
        let attribute = own.attribute(name).filter(is_credential);
        attribute.is_some_and(|one| {
            let text = Value::string(site::WRONG);
            one.data_type.as_ref().is_none_or(|kind| match kind {
                Type::Sensitive(_) => true,
                kind => !kind.matches(&text).is_no(),
            })
        })
    };
    let info = site::info(device);
    let secrets = info
        .iter()
        .filter(|(name, value)| takes(name) && value.as_str().is_some());
    secrets
        .map(|(secret, _)| {
            let mut info = info.clone();
            for (name, value) in &mut info {
                if name == secret {
                    *value = Value::string(site::WRONG);
                }
            }
            let mut case = setting.case(format!("target-wrong/{}/{secret}", device.name));
            case.member(
                relation::TARGETS,
                &device.name,
                Role::variant(&format!("wrong {secret}")),
            );
            tried(&mut case, device, info);
            case.terminate().build()
        })
        .collect()
}

/// Optional keys that the author gives are left out: all, and each alone.
fn lacking(shown: &Shown, setting: &Setting<'_>, device: &Device) -> Option<Case> {
    let own = shown.schema(&device.transport)?;
    let info = site::info(device);
    // The runtime fills in defaults.
    let is_optional = |name: &str| {
        own.attribute(name).is_some_and(|one| {
            one.default.is_none() && matches!(one.data_type, Some(Type::Optional(_)))
        })
    };
    let optional: Vec<&str> = info
        .iter()
        .map(|(name, _)| &name[..])
        .filter(|name| is_optional(name))
        .collect();
    if optional.is_empty() {
        return None;
    }
    let mut case = setting.case(format!("target-lacking/{}", device.name));
    case.observing().open();
    schema(&mut case, device);
    let each = optional.iter().take(LEFT_OUT).map(|name| vec![*name]);
    let all = (optional.len() > 1).then(|| optional.clone());
    for left_out in each.chain(all) {
        let key = match left_out[..] {
            [one] => purpose::LACKING.of(&device.name).part(one),
            _ => purpose::LACKING.of(&device.name),
        };
        let rest = info.iter();
        let rest = rest.filter(|(name, _)| !left_out.contains(&&name[..]));
        let mut send = site::connection(&case, key, device, rest.cloned().collect());
        send.deadline_us = LACKING_US;
        case.send(send);
    }
    Some(case.terminate().build())
}

/// In place of the servers, there is something that accepts connections and never answers.
fn quiet(setting: &Setting<'_>, device: &Device) -> Option<Case> {
    let addresses = setting.config.services.iter().map(|service| {
        let ready = service.ready.as_deref()?;
        let address = ready.split_once("://").map_or(ready, |(_, rest)| rest);
        let address = address.split('/').next()?;
        address.rsplit_once(':')
    });
    // An author's own program has no Ruby.
    let addresses: Vec<(&str, &str)> = addresses.collect::<Option<_>>()?;
    if !host::runs_folder(&setting.argv) {
        return None;
    }
    let [ruby, no_gems, ..] = &setting.argv[..] else {
        return None;
    };
    let mut words = vec![ruby.clone(), no_gems.clone()];
    words.extend(["-rsocket", "-e", LISTENER].map(Bytes::from));
    let pairs = addresses.iter().flat_map(|(host, port)| [*host, *port]);
    words.extend(pairs.map(Bytes::from));
    let mut case = setting.case(format!("target-quiet/{}", device.name));
    case.member(relation::TARGETS, &device.name, Role::variant("quiet"))
        .step(Step::StopServices)
        .serve(words, setting.config.services.last()?.ready.clone());
    case.observing().open();
    schema(&mut case, device);
    connect(&mut case, purpose::TRIED, device, site::info(device));
    // Some send nothing before.
    of_transport(
        &mut case,
        phase::VERIFY,
        purpose::VERIFY,
        purpose::TRIED,
        device,
    );
    Some(case.terminate().build())
}

/// No server runs.
fn gone(setting: &Setting<'_>, device: &Device) -> Case {
    let mut case = setting.case(format!("target-gone/{}", device.name));
    case.member(relation::TARGETS, &device.name, Role::variant("gone"))
        .step(Step::StopServices);
    tried(&mut case, device, site::info(device));
    case.terminate().build()
}

/// A connection that should fail, and whatever may show that it does not work.
fn tried(case: &mut CaseBuilder<'_>, device: &Device, info: Vec<(String, Value)>) {
    case.observing().open();
    schema(case, device);
    connect(case, purpose::TRIED, device, info);
    of_transport(case, phase::VERIFY, purpose::VERIFY, purpose::TRIED, device);
    of_transport(case, phase::FACTS, purpose::FACTS, purpose::TRIED, device);
    get(case, purpose::TRIED, device);
}

/// The servers stop while there is a connection.
fn stopped(setting: &Setting<'_>, device: &Device) -> Case {
    let mut case = setting.case(format!("target-stopped/{}", device.name));
    case.member(relation::TARGETS, &device.name, Role::variant("stopped"))
        .observing()
        .open();
    schema(&mut case, device);
    connect(&mut case, purpose::LOST, device, site::info(device));
    get(&mut case, purpose::LOST, device);
    case.step(Step::StopServices);
    of_transport(
        &mut case,
        phase::VERIFY,
        purpose::VERIFY,
        purpose::LOST,
        device,
    );
    of_transport(
        &mut case,
        phase::FACTS,
        purpose::FACTS,
        purpose::LOST,
        device,
    );
    if kind(setting, device).is_some() {
        let opened = purpose::GET.of(&device.name).part(purpose::OPENED);
        read(&mut case, purpose::GET_LOST.of(&device.name), opened);
    }
    of_transport(
        &mut case,
        phase::CLOSE,
        purpose::CLOSE,
        purpose::LOST,
        device,
    );
    // Once it works again, what went wrong must not count any more.
    if let Some(site) = kind(setting, device).filter(|_| is_awaited(setting)) {
        case.step(Step::RestartServices).observe("restarted");
        let both = [
            (purpose::CONNECTED_ANEW, Purpose::ANEW),
            (purpose::CONNECTED_FRESH, purpose::FRESH),
        ];
        for (process, (by, key)) in both.into_iter().enumerate() {
            if process > 0 {
                case.terminate().start(process).greet();
            }
            connect(&mut case, by, device, site::info(device));
            get_as(&mut case, key.of(&device.name), by, site, device);
        }
    }
    case.terminate().build()
}

/// The author says that the transport must refuse this.
fn refused(setting: &Setting<'_>, device: &Device) -> Case {
    let mut case = setting.case(format!("target-invalid/{}", device.name));
    case.observing().open();
    schema(&mut case, device);
    connect(&mut case, purpose::INVALID, device, site::info(device));
    of_transport(
        &mut case,
        phase::VERIFY,
        purpose::VERIFY,
        purpose::INVALID,
        device,
    );
    case.terminate().build()
}

/// Reads the state of a type twice, with the provider of its target.
pub(super) fn twice(case: &mut CaseBuilder<'_>, site: Site<'_>) {
    for purpose in [purpose::GET, purpose::AGAIN] {
        let send = get_all(case, purpose, site);
        case.send(send);
    }
}
