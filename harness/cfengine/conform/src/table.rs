//! The table of situations, with the agent that plays them.

use crate::agent::{Agent, Player};
use crate::conversation::{Told, sessions};
use crate::messages::Messages;
use crate::seen::of_run;
use crate::situation::{Exit, Line, Want};
use crate::{BROKEN, HOSTILE, MESSAGES, SITUATIONS};
use anyhow::Context;
use cfengine_protocol::release::{RELEASES, Release};
use cfengine_protocol::wire::Protocol;
use regex::Regex;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use stickler_conform::rows::note;
use stickler_conform::{Difference, Own, Played, Stored, Table, Weight, apart, lines};
use stickler_oracle::End;
use stickler_session::sandbox::Host;

/// What differs if only the agent's own messages do.
const WORDING: &str = "messages";

/// What differs if a request has another place of the promise.
const PLACED: &str = "place in message";

/// How the names of hostile situations begin.
const HOSTILE_FAMILY: &str = "hostile/";

/// Situations, and an agent that plays them.
#[derive(Debug)]
pub struct Situations {
    agent: Box<dyn Player>,
    lines: Vec<Line>,
    messages: Messages,
    /// Line numbers in requests.
    line_number: Regex,
    releases: Vec<String>,
}

impl Situations {
    /// What counts of what was seen.
    fn counted(&self, line: &Line, want: &Want) -> Want {
        let mut want = want.clone();
        want.since.clear();
        if line.situation.varies.is_some() {
            want.says.clear();
        }
        if line.situation.reflowed {
            for asked in want.asked.values_mut().flatten() {
                *asked = self.line_number.replace(asked, "$1").into_owned();
            }
        }
        want
    }

    fn want(seen: &Value) -> anyhow::Result<Want> {
        serde_json::from_value(seen.clone()).context("what was seen has another form")
    }

    /// Where a run differs from another one.
    pub fn compared(&self, line: &Line, expected: &Want, got: &Want) -> Vec<Difference> {
        let expected = self.counted(line, expected);
        let (expected, got) = self.agent.counted(expected, self.counted(line, got));
        different(&expected, &got)
    }

    /// Plays a situation, which need not be one of the table.
    ///
    /// # Errors
    ///
    /// If the agent can't be run at all.
    pub fn play_line(&self, line: &Line) -> anyhow::Result<Result<(Want, Played), String>> {
        self.play_with(line, &[])
    }

    /// The same, with more variables.
    ///
    /// # Errors
    ///
    /// As [`Situations::play_line`].
    pub fn play_with(
        &self,
        line: &Line,
        variables: &[(OsString, OsString)],
    ) -> anyhow::Result<Result<(Want, Played), String>> {
        if line.situation.is_check() && !self.agent.checks() {
            return Ok(Err(
                "cf-promises is neither beside the agent nor in PATH".to_owned()
            ));
        }
        let run = self.agent.run(line, variables)?;
        let want = of_run(&line.situation, &run, &self.messages);
        let stored = Stored {
            agent: self.agent.words(),
            situation: line.bare(),
            release: None,
        };
        let printed = String::from_utf8_lossy(&run.printed).into_owned();
        let told = Told {
            errors: &self.messages.other_errors(&printed),
            version: self.agent.version(),
            stored: &stored,
            want: &want,
            promised: promised(line),
            all_promised: line.situation.want.len() == 1,
        };
        let sessions = match line.situation.is_check() {
            true => Vec::new(),
            false => sessions(&line.situation, &run, &told),
        };
        let played = Played {
            seen: serde_json::to_value(&want)?,
            sessions,
            printed: match &run.end {
                End::Hung { .. } => format!("{printed}\n({})", run.end),
                _ => printed,
            },
            left: run.left,
            took: run.took,
        };
        Ok(Ok((want, played)))
    }
}

/// The promises that the measured releases sent, as rules compare them. None if something of their memory is in them, or
/// if one of them did not come to its end: it may not have sent all.
fn promised(line: &Line) -> Vec<String> {
    let mut wants = line.situation.want.iter();
    if line.situation.varies.is_some() || !wants.all(Want::ends) {
        return Vec::new();
    }
    let mut all = BTreeSet::new();
    for want in &line.situation.want {
        for text in want
            .asked
            .values()
            .flatten()
            .filter(|text| *text != "start")
        {
            if text.contains("<memory>") {
                return Vec::new();
            }
            let protocol = match text.starts_with('{') {
                true => Protocol::Json,
                false => Protocol::Line,
            };
            if let Some(promise) = cfengine_protocol::promise(text.as_bytes(), protocol) {
                all.insert(promise);
            }
        }
    }
    all.into_iter().collect()
}

impl stickler_conform::Situations for Situations {
    type Line = Line;
    type Agent = Box<dyn Player>;

    fn start(
        command: &[OsString],
        host: &Host,
        stop: &Arc<AtomicBool>,
    ) -> anyhow::Result<Box<dyn Player>> {
        let Some(own) = Own::of(command, "agent", Some("--compat"))? else {
            return Ok(Box::new(Agent::new(command, host)?.until(stop)));
        };
        let named = own.release.as_deref();
        let release = named.map_or(Some(Release::newest()), Release::named);
        let release = release.with_context(|| {
            let names: Vec<&str> = RELEASES.iter().map(|one| one.version).collect();
            let names = names.join(", ");
            format!("--compat {}: there are {names}", named.unwrap_or_default())
        })?;
        Ok(Box::new(Agent::reference(
            &own.program,
            release.version,
            host,
        )))
    }

    fn stored() -> anyhow::Result<Vec<Line>> {
        let mut all = lines("situations.jsonl", SITUATIONS)?;
        all.extend(lines("hostile.jsonl", HOSTILE)?);
        Ok(all)
    }

    fn of(agent: Box<dyn Player>, lines: Vec<Line>) -> anyhow::Result<Self> {
        Ok(Self {
            agent,
            lines,
            messages: Messages::read_names(MESSAGES)?,
            line_number: Regex::new(r#"("line_number":|line_number=)[0-9]+"#)?,
            releases: RELEASES.iter().map(|one| one.version.to_owned()).collect(),
        })
    }
}

impl Table for Situations {
    fn agent(&self) -> String {
        format!("cf-agent {}", self.agent.version())
    }

    fn version(&self) -> &str {
        self.agent.version()
    }

    fn broken(&self) -> BTreeSet<(String, String)> {
        let lines = BROKEN.lines();
        let lines = lines.filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let text = |line: &Value, name: &str| line[name].as_str().map(str::to_owned);
        lines
            .filter_map(|line| Some((text(&line, "rule")?, text(&line, "situation")?)))
            .collect()
    }

    fn len(&self) -> usize {
        self.lines.len()
    }

    fn name(&self, at: usize) -> &str {
        &self.lines[at].situation.name
    }

    fn about(&self, at: usize) -> Option<&str> {
        self.lines[at].situation.about.as_deref()
    }

    fn releases(&self) -> Vec<String> {
        self.releases.clone()
    }

    fn waits(&self, at: usize) -> bool {
        self.lines[at].situation.waits
    }

    fn play(&self, batch: &[usize]) -> anyhow::Result<Vec<Result<Played, String>>> {
        let played = batch.iter().map(|at| {
            let line = &self.lines[*at];
            let played = self.play_line(line);
            let played = played.with_context(|| line.situation.name.clone())?;
            Ok(played.map(|(_, played)| played))
        });
        played.collect()
    }

    fn differences(
        &self,
        at: usize,
        seen: &Value,
        release: &str,
    ) -> anyhow::Result<Option<Vec<Difference>>> {
        let line = &self.lines[at];
        let Some(recorded) = line.situation.recorded(release) else {
            return Ok(None);
        };
        Ok(Some(self.compared(line, recorded, &Self::want(seen)?)))
    }

    fn line(&self, at: usize) -> Value {
        self.lines[at].bare()
    }

    fn note(&mut self, at: usize, runs: &[&Value], version: &str) -> anyhow::Result<bool> {
        let Some(last) = runs.last() else {
            return Ok(false);
        };
        let observed = Self::want(last)?;
        let mut wants = std::mem::take(&mut self.lines[at].situation.want);
        let known: Vec<&str> = self.releases.iter().map(String::as_str).collect();
        let line = &self.lines[at];
        let alike = |one: &Want, other: &Want| self.counted(line, one) == self.counted(line, other);
        let changed = note(&mut wants, observed, version, &known, alike);
        self.lines[at].situation.want = wants;
        let added = self.lines[at].situation.record(version);
        Ok(changed || added)
    }

    fn files(&self) -> anyhow::Result<Vec<(String, Vec<u8>)>> {
        let mut files: Vec<(String, Vec<u8>)> = Vec::new();
        for line in &self.lines {
            let name = match line.situation.name.starts_with(HOSTILE_FAMILY) {
                true => "hostile.jsonl",
                false => "situations.jsonl",
            };
            let known = files.iter().position(|(known, _)| known == name);
            let at = known.unwrap_or_else(|| {
                files.push((name.to_owned(), Vec::new()));
                files.len() - 1
            });
            files[at].1.extend(line.text()?.bytes().chain([b'\n']));
        }
        Ok(files)
    }
}

/// Where two runs differ.
fn different(expected: &Want, got: &Want) -> Vec<Difference> {
    let mut all = Vec::new();
    // Nobody wants what a crash leaves.
    let better = !expected.ends() && got.ends();
    let mut add = |what: &str, expected: String, got: String| {
        all.push(Difference {
            what: what.to_owned(),
            expected,
            got,
            weight: match what {
                _ if better => Weight::Better,
                what if what == WORDING || what.starts_with(PLACED) => Weight::Wording,
                _ => Weight::Outcome,
            },
        });
    };
    let verdict = |want: &Want| {
        let words = match (want.refused, want.accepted) {
            (true, _) => "refused",
            (false, true) => "accepted",
            (false, false) => "run",
        };
        words.to_owned()
    };
    if verdict(expected) != verdict(got) {
        add("the policy", verdict(expected), verdict(got));
        return all;
    }
    if expected.refused {
        return all;
    }
    if expected.exit != got.exit {
        add("exit", exit(expected), exit(got));
    }
    let lists = [
        ("classes", &expected.classes, &got.classes),
        ("reports", &expected.reports, &got.reports),
    ];
    for (what, expected, got) in lists {
        if expected != got {
            add(what, listed(expected), listed(got));
        }
    }
    let texts = |all: &[(String, String)]| -> Vec<String> {
        let texts = all.iter().map(|(level, text)| format!("{level} {text}"));
        texts.collect()
    };
    if expected.says != got.says {
        let named = |says: &[(String, String)]| match says {
            [] => "none that a measured release has".to_owned(),
            says => listed(&texts(says)),
        };
        add(WORDING, named(&expected.says), named(&got.says));
    }
    if expected.logs != got.logs {
        add(
            "messages of modules",
            listed(&texts(&expected.logs)),
            listed(&texts(&got.logs)),
        );
    }
    let modules: BTreeSet<&String> = expected.asked.keys().chain(got.asked.keys()).collect();
    for module in modules {
        let (none, other) = (Vec::new(), Vec::new());
        let expected = expected.asked.get(module).unwrap_or(&none);
        let got = got.asked.get(module).unwrap_or(&other);
        let differs = |at: usize, placed| match (expected.get(at), got.get(at)) {
            (Some(one), Some(other)) => !is_same_request(one, other, placed),
            (one, other) => one != other,
        };
        let mut all = 0..expected.len().max(got.len());
        let outcome = all.clone().find(|at| differs(*at, false));
        let first = outcome.or_else(|| all.find(|at| differs(*at, true)));
        if let Some(at) = first {
            let shown = |all: &[String]| match all.get(at) {
                Some(request) => format!("{:?}", request.trim_end()),
                None => "nothing".to_owned(),
            };
            let what = match outcome {
                Some(_) => format!("message {} to {module}", at + 1),
                None => format!("{PLACED} {} to {module}", at + 1),
            };
            let (one, other) = match (expected.get(at), got.get(at)) {
                (Some(one), Some(other)) => match (message(one), message(other)) {
                    // Both are too long to show what differs.
                    (Some(one), Some(other)) => apart(&one.into(), &other.into()),
                    _ => (shown(expected), shown(got)),
                },
                _ => (shown(expected), shown(got)),
            };
            add(&what, one, other);
        }
    }
    all
}

/// Members of requests that the specification does not have.
const PLACE: [&str; 2] = ["filename", "line_number"];

/// Do two requests say the same? How JSON is written does not count, nor whether no attributes are a member. With
/// `placed`, the place of the promise counts.
fn is_same_request(one: &str, other: &str, placed: bool) -> bool {
    let read = |text: &str| {
        let mut members = message(text)?;
        members.retain(|name, _| placed || !PLACE.contains(&&name[..]));
        Some(members)
    };
    one == other || read(one).is_some_and(|one| Some(one) == read(other))
}

/// The members of a request in JSON.
fn message(text: &str) -> Option<Map<String, Value>> {
    let Value::Object(mut members) = serde_json::from_str(text).ok()? else {
        return None;
    };
    // The specification has a level there, which no measured release sends.
    if members
        .get("operation")
        .is_some_and(|own| own == "terminate")
    {
        members.remove("log_level");
    }
    let is_empty = |value: &Value| value.as_object().is_some_and(Map::is_empty);
    if members.get("attributes").is_some_and(is_empty) {
        members.remove("attributes");
    }
    Some(members)
}

fn exit(want: &Want) -> String {
    match &want.exit {
        None => "none".to_owned(),
        Some(Exit::Code(code)) => format!("code {code}"),
        Some(Exit::Other(other)) => other.clone(),
    }
}

fn listed<T: Debug>(all: &[T]) -> String {
    match all {
        [] => "none".to_owned(),
        all => {
            let words: Vec<String> = all.iter().map(|one| format!("{one:?}")).collect();
            words.join(", ")
        }
    }
}
