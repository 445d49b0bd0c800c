//! The reference runtime against what Puppet 7.23.0 with puppet-resource_api 1.8.16 was seen to do:
//! `fixtures/recorded/puppet/`. `ci/record puppet` makes such a recording.

use crate::calls::is_nightly;
use crate::common::{root, several_a_cpu, stickler};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use stickler_recorder::puppet::{Command, Folder, Line, Messages, Seen, Shown, Situation, lines};
use stickler_recorder::rows::row_of;

/// The recording, and the options that make the runtime behave like that version.
const VERSION: &str = "7.23.0+1.8.16";
const RUNTIME: [&str; 2] = ["--runtime", "1.8.16"];
const STRICT: &str = "warning";

/// Why the runtime does something else, and in which situations.
const KNOWN: [(&str, &[&str]); 18] = [
    (
        "custom_generate is refused, since 1.8.16 never calls it",
        &[
            "def/feature-custom_generate",
            "generate/empty",
            "generate/raise",
            "generate/raise-exception",
            "generate/no-method",
            "generate/canon",
            "generate/log",
        ],
    ),
    (
        "puppet device asks the transport for facts",
        &[
            "device/fail",
            "device/local-type",
            "device/transport-used",
            "device/sensitive-info",
            "device/get-transport",
        ],
    ),
    (
        "the library warns of a definition each time that it is loaded",
        &[
            "def/attr-docs",
            "def/features-symbol",
            "def/feature-foo",
            "def/feature-batch",
        ],
    ),
    (
        "what is not registered under the name of its file is no type",
        &["def/name-upper", "def/autoload-resource-cmd"],
    ),
    (
        "attributes whose names are texts",
        &["def/attr-string-keys"],
    ),
    (
        "attributes that shadow methods of Puppet's own",
        &["def/reserved-sensitive_parameters", "def/reserved-catalog"],
    ),
    (
        "schemas of transports without a description",
        &["tr/schema-no-desc", "tr/schema-docs"],
    ),
    (
        "messages of a transport's context name the type",
        &["tr/context-log"],
    ),
    ("an Integer with more lines", &["munge/int-newline"]),
    (
        "exceptions that are no StandardError",
        &["get/raise-exit", "ctx/updating-exception"],
    ),
    (
        "puppet resource audits names that are symbols",
        &["cmd/canon-one-absent"],
    ),
    (
        "a fourth argument of processing",
        &["ctx/processing-positional"],
    ),
    ("check_schema, called by a provider", &["ctx/check-schema"]),
    ("rows without a name, purged", &["purge/no-namevar"]),
    ("unless_system_user", &["purge/unless"]),
    ("the audit of a parameter", &["meta/audit-param"]),
    ("methods that a type defines", &["meta/refresh-method"]),
    ("resources in a cycle fail one by one", &["meta/cycle"]),
];

/// Options of Puppet that only change what it prints elsewhere.
const WITHOUT_EFFECT: [&str; 2] = ["--trace", "--show_diff"];
/// Options that `stickler apply` has, too.
const SHARED: [&str; 3] = ["--noop", "--debug", "--verbose"];

/// The words after `stickler`. `None` if it has no such option or command.
fn words(situation: &Situation, folder: &Folder) -> Option<Vec<String>> {
    let options = situation.options.iter().map(String::as_str);
    let options: Vec<&str> = options
        .filter(|option| !WITHOUT_EFFECT.contains(option))
        .collect();
    if options.iter().any(|option| !SHARED.contains(option)) {
        return None;
    }
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let args = situation.args.iter().map(String::as_str);
    let manifest = text(&folder.manifest());
    let module = text(&folder.module());
    let devices = text(&folder.devices());
    let mut words = match (situation.command, situation.args.first()) {
        (Command::Apply, _) | (Command::Device, None) => vec!["apply", &manifest],
        (Command::Resource, _) => [vec!["resource"], args.collect()].concat(),
        (Command::Device, Some(first)) if first == "--resource" => {
            [vec!["resource"], args.skip(1).collect()].concat()
        }
        (Command::Device, Some(_)) => return None,
    };
    if situation.command == Command::Device {
        words.extend(["--target", "node", "--deviceconfig", &devices]);
    }
    words.extend(options);
    let strict = situation.strict.as_deref().unwrap_or(STRICT);
    words.extend(["--module", &module, "--puppet-strict", strict]);
    words.extend(RUNTIME);
    Some(words.into_iter().map(str::to_owned).collect())
}

/// What the runtime does in a situation.
fn played(line: &Line, provider: &str, messages: &Messages) -> Option<Seen> {
    let situation = &line.situation;
    let folder = Folder::new(line, provider).expect("a folder");
    let words = words(situation, &folder)?;
    let run = |more: &[&str]| {
        let mut call = stickler();
        call.args(&words).args(more).current_dir(&folder.path);
        let output = call.output().expect("the binary runs");
        let text = folder.shown(&String::from_utf8_lossy(&output.stdout));
        (output.status.code().unwrap_or(-1), text)
    };
    let (exit, told) = run(&["--format", "json"]);
    let mut shown = read(&told);
    shown.exit = exit;
    shown.calls = folder.calls().expect("the calls");
    if situation.command == Command::Resource && exit == 0 {
        shown.stdout = run(&[]).1;
    }
    Some(Seen::of(shown, messages))
}

/// What `--format json` told.
fn read(told: &str) -> Shown {
    let lines = told.lines().map(serde_json::from_str::<Value>);
    let (mut messages, mut statuses) = (Vec::new(), Vec::new());
    for line in lines.filter_map(Result::ok) {
        if line["event"] == "log" {
            messages.push(json!([line["level"], line["source"], line["message"]]));
        } else if line["event"] == "status" {
            let flags = [
                "changed",
                "failed",
                "skipped",
                "out_of_sync",
                "failed_to_restart",
            ];
            let is = flags.into_iter().filter(|flag| line[flag] == true);
            let events = line["events"].as_array().expect("events").iter();
            let events = events.map(|event| {
                json!({
                    "property": event["property"], "status": event["status"], "message": event["message"],
                    "from": plain(&event["previous"]), "to": plain(&event["desired"]),
                })
            });
            statuses.push(json!({
                "resource": line["resource"],
                "is": is.collect::<Vec<_>>(),
                "events": events.collect::<Vec<_>>(),
            }));
        }
    }
    let shown = json!({ "messages": messages, "statuses": statuses });
    serde_json::from_value(shown).expect("messages and statuses")
}

/// A value of the provider protocol as recordings show it in events.
fn plain(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(plain).collect(),
        Value::Object(members) => {
            let mut special = members.iter();
            match (special.next(), special.next()) {
                (Some((kind, inner)), None) if kind == "$sym" => inner.clone(),
                (Some((kind, _)), None) if kind == "$sens" => "SENSITIVE".into(),
                (Some((kind, Value::String(source))), None) if kind == "$re" => {
                    format!("(?-mix:{source})").into()
                }
                (Some((kind, Value::Array(pairs))), None) if kind == "$h" => {
                    let pairs = pairs.iter();
                    let pairs = pairs.map(|pair| (loose(&plain(&pair[0])), plain(&pair[1])));
                    Value::Object(pairs.collect())
                }
                _ => {
                    let members = members.iter();
                    Value::Object(members.map(|(k, v)| (k.clone(), plain(v))).collect())
                }
            }
        }
        other => other.clone(),
    }
}

/// A value as text: in events, Puppet and the runtime write symbols and numbers otherwise.
fn loose(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(items) => format!("{:?}", items.iter().map(loose).collect::<Vec<_>>()),
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().map(|(k, v)| (k, loose(v))).collect();
            members.sort();
            format!("{members:?}")
        }
        other => other.to_string(),
    }
}

/// Did the run or a resource fail?
fn failed(seen: &Seen) -> bool {
    let mut resources = seen.resources.values();
    (seen.exit != 0 && seen.exit != 2) || resources.any(|one| has(&one["is"], "failed"))
}

fn has(list: &Value, word: &str) -> bool {
    list.as_array()
        .is_some_and(|list| list.iter().any(|one| one == word))
}

/// The calls that count. Of what a message gives back, only that it does counts.
fn calls(seen: &Seen) -> Vec<Value> {
    let calls = seen.calls.iter().filter(|call| call["call"] != "new");
    let mut calls: Vec<Value> = calls.cloned().collect();
    for call in &mut calls {
        if call["value"] == json!({ "$obj": "Puppet::Util::Log" }) {
            call["value"] = Value::Null;
        }
    }
    calls
}

/// What a report says of a resource, as text. A resource to which nothing happened says nothing.
fn told(seen: &Seen, name: &str) -> String {
    let Some(resource) = seen.resources.get(name) else {
        return String::new();
    };
    let (is, events) = (loose(&resource["is"]), loose(&resource["events"]));
    match is == "[]" && events == "[]" {
        true => String::new(),
        false => format!("{is} {events}"),
    }
}

/// How the runtime's behaviour differs from the recorded one, in words.
fn difference(situation: &Situation, own: &Seen, recorded: &Seen) -> Option<String> {
    let own_failed = own.exit != 0;
    if recorded.exit == "hang" {
        return (!own_failed).then(|| "succeeds, recorded a run without end".to_owned());
    }
    if own_failed != failed(recorded) {
        return Some(format!("exit {}, recorded {}", own.exit, recorded.exit));
    }
    let (mine, theirs) = (calls(own), calls(recorded));
    for at in 0..mine.len().max(theirs.len()) {
        let (mine, theirs) = (mine.get(at), theirs.get(at));
        if mine != theirs {
            return Some(format!("call {at}: {mine:?}, recorded {theirs:?}"));
        }
    }
    let is_resource = situation.command == Command::Resource;
    if own_failed && recorded.resources.is_empty() && !is_resource {
        // Refused before anything is applied: the texts are the compiler's.
        return (!own.resources.is_empty()).then(|| "resources, recorded none".to_owned());
    }
    if !is_resource {
        for name in own.resources.keys().chain(recorded.resources.keys()) {
            let (mine, theirs) = (told(own, name), told(recorded, name));
            if mine != theirs {
                return Some(format!("{name}: {mine}, recorded {theirs}"));
            }
        }
    }
    // Puppet's last words before it ends with a failure.
    let theirs = recorded.says.iter();
    let theirs: Vec<_> = theirs
        .filter(|(.., name)| !(own_failed && name.starts_with("not-run")))
        .collect();
    let mine: Vec<_> = own.says.iter().collect();
    if mine != theirs {
        return Some(format!("says {mine:?}, recorded {theirs:?}"));
    }
    let prints = is_resource && !own_failed && own.prints != recorded.prints;
    prints.then(|| format!("prints {:?}, recorded {:?}", own.prints, recorded.prints))
}

#[test]
fn the_reference_runtime_reproduces_the_recorded_runs_of_puppet() {
    let fixture = root().join("fixtures/recorded/puppet");
    let messages = Messages::load(&fixture.join("messages.jsonl")).expect("the messages");
    let provider = fs::read_to_string(fixture.join("scripted.rb")).expect("the provider");
    let all = lines(&fixture.join("situations.jsonl")).expect("the situations");
    // Each needs a Ruby: a push plays some, a nightly run all.
    let step = match is_nightly() {
        true => 1,
        false => 12,
    };
    let chosen: Vec<&Line> = all.iter().step_by(step).collect();
    let chosen: Vec<&Line> = chosen
        .into_iter()
        .filter(|line| line.situation.left_out.is_none())
        .collect();
    let found = several_a_cpu(3, &chosen, |line| {
        let situation = &line.situation;
        let recorded = row_of(&situation.want, VERSION).expect("a recording");
        let own = played(line, &provider, &messages);
        match own {
            Some(own) => difference(situation, &own, recorded),
            None => Some("there is no such option or command".to_owned()),
        }
    });
    let mut wrong = Vec::new();
    for (line, difference) in chosen.iter().zip(&found) {
        let name = &line.situation.name;
        let known = KNOWN.iter().find(|(_, names)| names.contains(&&**name));
        match (difference, known) {
            (Some(difference), None) => wrong.push(format!("{name}\n    {difference}")),
            (None, Some((why, _))) => wrong.push(format!("{name} agrees now: {why}")),
            _ => {}
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {}\n{}",
        wrong.len(),
        chosen.len(),
        wrong.join("\n")
    );
}
