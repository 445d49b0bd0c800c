//! Stickler's own runtime, as one that plays situations: `stickler apply` and `stickler resource`.

use crate::PROVIDER;
use crate::agent::{Played, Player, Run};
use crate::folder::Folder;
use crate::messages::Messages;
use crate::seen::{Seen, Shown};
use crate::situation::{Command, Line, Situation};
use anyhow::Context;
use puppet_runtime::Release;
use serde_json::{Map, Value, json};
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use stickler_conform::Own;
use stickler_oracle::{End, Job, Ran, Room};
use stickler_session::sandbox::{ExitStatus, Host};

/// How long a run may take: it starts a Ruby.
const DEADLINE: Duration = Duration::from_secs(120);

/// The most that is read of what providers noted.
const MOST: u64 = 64 << 20;

/// Options of Puppet that only change what it prints elsewhere.
const WITHOUT_EFFECT: [&str; 2] = ["--trace", "--show_diff"];

/// Options that `stickler apply` has, too.
const SHARED: [&str; 3] = ["--noop", "--debug", "--verbose"];

/// The reference runtime, with the behaviour of a release.
#[derive(Clone, Debug)]
pub struct Reference {
    program: PathBuf,
    runtime: &'static str,
    version: String,
    host: Host,
}

impl Reference {
    /// The runtime of a program, as the newest release unless another one is named. `releases` were recorded.
    ///
    /// # Errors
    ///
    /// If there is no such release.
    pub fn new(own: Own, releases: &[String], host: &Host) -> anyhow::Result<Self> {
        let named = own.release.as_deref();
        let runtime = named.map_or(Some(Release::NEWEST), Release::named);
        let runtime = runtime.with_context(|| {
            let names = Release::ALL.map(|one| one.name).join(", ");
            format!("--runtime {}: there are {names}", named.unwrap_or_default())
        })?;
        let version = releases.iter().rev().find(|one| belongs(one, runtime));
        Ok(Self {
            program: own.program,
            version: version.map_or(runtime.name, String::as_str).to_owned(),
            runtime: runtime.name,
            host: host.clone(),
        })
    }

    /// Runs the program in a folder.
    fn run(&self, folder: &Folder, words: &[String]) -> anyhow::Result<(Ran, String)> {
        let words = words.iter().map(OsString::from);
        let job = Job {
            argv: [self.program.clone().into()]
                .into_iter()
                .chain(words)
                .collect(),
            env: vec![
                ("PATH".into(), std::env::var_os("PATH").unwrap_or_default()),
                ("HOME".into(), std::env::var_os("HOME").unwrap_or_default()),
                ("LANG".into(), "C.UTF-8".into()),
            ],
            ..Job::default()
        };
        let room = Room {
            host: self.host.clone(),
            cwd: folder.path.clone(),
            deadline: DEADLINE,
        };
        let ran = room.run(job, |_| Ok(()))?;
        let told = folder.shown(&String::from_utf8_lossy(&ran.stdout));
        Ok((ran, told))
    }

    fn one(&self, line: &Line, messages: &Messages) -> anyhow::Result<Played> {
        let situation = &line.situation;
        let folder = Folder::new(line, PROVIDER)?;
        let Some(words) = words(situation, &folder, self.runtime) else {
            return Ok(Err("stickler has no such option or command".to_owned()));
        };
        let as_json = ["--format", "json"].map(str::to_owned);
        let (ran, told) = self.run(&folder, &[&words[..], &as_json].concat())?;
        let mut shown = read(&told)?;
        match ran.end {
            End::Exit(ExitStatus::Code(code)) => shown.exit = code,
            End::Exit(ExitStatus::Signal(_)) => shown.exit = -1,
            End::Hung { .. } => shown.hung = true,
        }
        let calls = folder.module().join("lib/calls.jsonl");
        // Nothing was called if there is none.
        if let Ok(calls) = ran.sandbox.read_file(calls.as_os_str().as_bytes(), MOST) {
            shown.calls = folder.calls_in(&String::from_utf8_lossy(&calls))?;
        }
        drop(ran.sandbox);
        if situation.command == Command::Resource && shown.exit == 0 && !shown.hung {
            shown.stdout = self.run(&folder, &words)?.1;
        }
        let printed = match ran.stderr.is_empty() {
            true => told,
            false => folder.shown(&String::from_utf8_lossy(&ran.stderr)),
        };
        Ok(Ok(Run {
            seen: Seen::of(shown, messages),
            printed,
            ..Run::default()
        }))
    }
}

impl Player for Reference {
    fn name(&self) -> String {
        format!("stickler's runtime {}", self.runtime)
    }

    fn version(&self) -> &str {
        &self.version
    }

    fn words(&self) -> Vec<String> {
        let program = self.program.to_string_lossy().into_owned();
        let own = ["apply", "--runtime", self.runtime].map(str::to_owned);
        [vec![program], own.to_vec()].concat()
    }

    /// Each starts a process of its own.
    fn batch(&self) -> usize {
        1
    }

    fn play(
        &self,
        lines: &[&Line],
        messages: &Messages,
    ) -> anyhow::Result<(Vec<Played>, Vec<String>)> {
        let all: anyhow::Result<Vec<Played>> =
            lines.iter().map(|line| self.one(line, messages)).collect();
        Ok((all?, Vec::new()))
    }

    /// The definitions that Ruby registered are not told.
    fn tells_types(&self) -> bool {
        false
    }

    fn counted(&self, situation: &Situation, recorded: &Seen, own: &Seen) -> (Seen, Seen) {
        counted(situation, recorded, own)
    }
}

/// Does a recorded version, such as `8.28.1+2.0.1`, belong to a release?
fn belongs(version: &str, release: Release) -> bool {
    let parts = version.split_once('+');
    parts.is_some_and(|(core, api)| Release::of(core, api) == Some(release))
}

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

/// What `--format json` told.
fn read(told: &str) -> anyhow::Result<Shown> {
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
            let events = line["events"].as_array().into_iter().flatten();
            let events = events.map(|event| {
                json!({
                    "property": event["property"],
                    "status": event["status"],
                    "message": event["message"],
                    "from": plain(&event["previous"]),
                    "to": plain(&event["desired"]),
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
    Ok(serde_json::from_value(shown)?)
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

/// What counts of a recorded run and of the runtime's own: its exit code only says whether something failed, it makes
/// providers when it likes, and it writes values of events as it does.
fn counted(situation: &Situation, recorded: &Seen, own: &Seen) -> (Seen, Seen) {
    let fails = own.exit != 0;
    let word = |fails| Value::from(if fails { "fails" } else { "succeeds" });
    let only = |fails| Seen {
        exit: word(fails),
        ..Seen::default()
    };
    if recorded.exit == "hang" {
        // The runtime ends a run without end, at a place of its own.
        return (only(true), only(fails));
    }
    let is_resource = situation.command == Command::Resource;
    // Refused before anything is applied: the texts are the compiler's.
    let is_refused = fails && recorded.resources.is_empty() && !is_resource;
    let of = |seen: &Seen, failed: bool| {
        let mut counts = Seen {
            calls: calls(seen),
            ..only(failed)
        };
        if !is_resource {
            let told = seen.resources.iter().map(|(name, one)| (name, told(one)));
            let told = told.filter(|(_, told)| !told.is_empty());
            counts.resources = told
                .map(|(name, told)| (name.clone(), Value::from(told)))
                .collect::<Map<_, _>>();
        }
        if !is_refused {
            // Puppet's last words before it ends with a failure.
            let says = seen.says.iter();
            let says = says.filter(|(.., name)| !(fails && name.starts_with("not-run")));
            counts.says = says.cloned().collect();
        }
        if is_resource && !fails {
            counts.prints.clone_from(&seen.prints);
        }
        counts
    };
    (of(recorded, failed(recorded)), of(own, fails))
}

/// Did the run or a resource fail?
fn failed(seen: &Seen) -> bool {
    let has_failed = |resource: &Value| {
        let is = resource["is"].as_array();
        is.is_some_and(|is| is.iter().any(|one| one == "failed"))
    };
    (seen.exit != 0 && seen.exit != 2) || seen.resources.values().any(has_failed)
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
fn told(resource: &Value) -> String {
    let (is, events) = (loose(&resource["is"]), loose(&resource["events"]));
    match is == "[]" && events == "[]" {
        true => String::new(),
        false => format!("{is} {events}"),
    }
}

#[cfg(test)]
mod tests {
    use super::belongs;
    use crate::situation::releases;
    use crate::{Line, SITUATIONS};
    use puppet_runtime::Release;
    use stickler_conform::lines;

    #[test]
    fn each_measured_release_was_recorded_once() {
        let lines: Vec<Line> = lines("situations.jsonl", SITUATIONS).expect("the situations");
        let recorded = releases(&lines);
        assert_eq!(recorded.len(), Release::MEASURED.len());
        for release in Release::MEASURED {
            let own = recorded.iter().filter(|one| belongs(one, release));
            assert_eq!(own.count(), 1, "{}", release.name);
        }
    }
}
