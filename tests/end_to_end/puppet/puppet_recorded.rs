//! The reference runtime against what releases of Puppet and of puppet-resource_api were seen to do:
//! `fixtures/recorded/puppet/`. `ci/record puppet` makes such a recording.

use crate::calls::is_nightly;
use crate::common::{several_a_cpu, stickler};
use puppet_conform::{
    Command, Folder, Line, MESSAGES, Messages, PROVIDER, SITUATIONS, Seen, Shown, Situation,
};
use serde_json::{Value, json};
use std::path::Path;
use stickler_conform::lines;
use stickler_conform::rows::row_of;

/// The recordings, and the names of the runtimes that behave like those releases.
const RELEASES: [(&str, &str); 3] = [
    ("7.23.0+1.8.16", "7.23+1.8.16"),
    ("8.28.1+1.9.2", "8+1.9"),
    ("8.28.1+2.0.1", "8+2.0"),
];

/// Why the runtime does something else, and in which situations.
const KNOWN: [(&str, &[&str]); 1] = [("methods that a type defines", &["meta/refresh-method"])];

/// Options of Puppet that only change what it prints elsewhere.
const WITHOUT_EFFECT: [&str; 2] = ["--trace", "--show_diff"];
/// Options that `stickler apply` has, too.
const SHARED: [&str; 3] = ["--noop", "--debug", "--verbose"];

/// The words after `stickler`. `None` if it has no such option or command.
fn words(situation: &Situation, folder: &Folder, runtime: &str) -> Option<Vec<String>> {
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
    words.extend(["--module", &module, "--runtime", runtime]);
    if let Some(strict) = &situation.strict {
        words.extend(["--puppet-strict", strict]);
    }
    Some(words.into_iter().map(str::to_owned).collect())
}

/// What the runtime does in a situation.
fn played(line: &Line, provider: &str, messages: &Messages, runtime: &str) -> Option<Seen> {
    let situation = &line.situation;
    let folder = Folder::new(line, provider).expect("a folder");
    let words = words(situation, &folder, runtime)?;
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
    let messages = Messages::read_names(MESSAGES).expect("the messages");
    let all: Vec<Line> = lines("situations.jsonl", SITUATIONS).expect("the situations");
    // Each needs a Ruby: a push plays some, others for each release, a nightly run all.
    let step = match is_nightly() {
        true => 1,
        false => 18,
    };
    let mut chosen = Vec::new();
    for (at, release) in RELEASES.iter().enumerate() {
        let own = all.iter().skip(at * step / RELEASES.len()).step_by(step);
        let own = own.filter(|line| line.situation.left_out.is_none());
        chosen.extend(own.map(|line| (line, release)));
    }
    let found = several_a_cpu(3, &chosen, |(line, (version, runtime))| {
        let situation = &line.situation;
        let recorded = row_of(&situation.want, version).expect("a recording");
        let own = played(line, PROVIDER, &messages, runtime);
        match own {
            Some(own) => difference(situation, &own, recorded),
            None => Some("there is no such option or command".to_owned()),
        }
    });
    let mut wrong = Vec::new();
    for ((line, (version, _)), difference) in chosen.iter().zip(&found) {
        let name = &line.situation.name;
        let known = KNOWN.iter().find(|(_, names)| names.contains(&&**name));
        match (difference, known) {
            (Some(difference), None) => wrong.push(format!("{version} {name}\n    {difference}")),
            (None, Some((why, _))) => wrong.push(format!("{version} {name} agrees now: {why}")),
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
