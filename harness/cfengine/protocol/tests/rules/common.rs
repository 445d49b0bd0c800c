//! Short dialogues as transcripts, and what a rule says of them.
//!
//! A dialogue is a list of turns, each a mark and a text:
//!
//! | mark | the text is |
//! |---|---|
//! | `→ KEY` | a request; its phase and promise come from the key (`v:e1`, `e2:e1`, `terminate`, …) |
//! | `?→ KEY` | the same, but no answer is owed |
//! | `!→ KEY` | the same, from beyond agent and specification |
//! | `←` | the answer; the empty line is added |
//! | `<-` | bytes of standard output as they stand |
//! | `err` | bytes of standard error |
//! | `silent` | the deadline passes, standard input is closed |
//! | `exit` | the process ends: a status, or `signal N` |
//! | `kill` | the harness kills the process |
//! | `close` | the harness closes standard input |
//! | `outlives` | the process has not ended in time |
//! | `observe` | effects are read: none since the observation before |
//! | `header` | the header and its answer, where they did not come by themselves |
//! | `process` | what follows is about this process |
//! | `left` | a process outlives the subject: `daemon`, `daemon holds stdout` |
//!
//! Unless the dialogue begins with `→ header`, `raw` or `process`, the header
//! comes by itself. A session whose last turn is not an exit, a kill or
//! `outlives` ends with standard input closed and exit status 0.

use cfengine_protocol::Session;
use cfengine_protocol::phase;
use cfengine_protocol::rules::RULES;
use std::collections::BTreeMap;
use stickler_judge::{AnySession, Finding, judge};
use stickler_transcript::{
    Bytes, Case, Change, ChangeKind, Entry, Event, ExitCause, Facts, FileType, Input, Item,
    Membership, Phase, Provenance, Relation, Role, Silence, Stream, Transcript, Usage, Variation,
};

/// The scratch directory.
pub const DIR: &str = "/tmp/stickler/dir";

/// A transcript in the making.
#[derive(Clone, Debug)]
pub struct Dialogue {
    case: Case,
    events: Vec<Event>,
    line: bool,
    flags: String,
    t: u64,
    process: usize,
    exchange: usize,
    over: BTreeMap<usize, bool>,
}

/// A dialogue in `json` or `line`, perhaps with further flags: `"json action_policy"`.
pub fn dialogue(protocol: &str, turns: &[(&str, &str)]) -> Dialogue {
    let (protocol, flags) = protocol.split_once(' ').unwrap_or((protocol, ""));
    let mut dialogue = Dialogue {
        case: Case {
            version: stickler_transcript::VERSION,
            id: "case".into(),
            dialect: "promise-module".into(),
            dirs: vec![DIR.into(), format!("{DIR}2").into()],
            tier: "overlay".into(),
            facts: Facts::from_iter([("protocol".to_owned(), protocol.into())]),
            items: vec![promise("e1"), promise("e2")],
            ..Case::default()
        },
        events: Vec::new(),
        line: protocol == "line",
        flags: format!("{protocol}_based {flags}").trim().to_owned(),
        t: 0,
        process: 0,
        exchange: 0,
        over: BTreeMap::new(),
    };
    let first = turns.first().map_or("", |turn| turn.0);
    if !matches!(first, "→ header" | "raw" | "process") {
        dialogue.header();
    }
    for (mark, text) in turns {
        dialogue.turn(mark, text);
    }
    dialogue
}

/// What is known of an example.
pub fn promise(label: &str) -> Item {
    Item {
        label: label.into(),
        example: label.into(),
        original: true,
        ..Item::default()
    }
}

/// A changed copy of an example: `e1~drop:mode`.
pub fn variant(label: &str, kind: &str, field: &str) -> Item {
    Item {
        original: false,
        variation: Some(Variation::parse(kind).expect("a variation")),
        field: Some(field.into()),
        description: Some(format!("{kind} {field}")),
        ..promise(label)
    }
}

/// A file as it is.
pub fn file(content: &str) -> Entry {
    Entry {
        kind: FileType::File,
        mode: 0o644,
        uid: 0,
        gid: 0,
        size: content.len() as u64,
        digest: Some(format!("digest of {content}")),
        content: Some(content.into()),
    }
}

/// A file that is new. A relative path lies in the scratch directory.
pub fn created(path: &str, content: &str) -> Change {
    Change {
        path: absolute(path),
        kind: ChangeKind::Created,
        before: None,
        after: Some(file(content)),
    }
}

/// A file whose content changed.
pub fn changed(path: &str, before: &str, after: &str) -> Change {
    Change {
        path: absolute(path),
        kind: if before == after {
            ChangeKind::Rewritten
        } else {
            ChangeKind::Changed
        },
        before: Some(file(before)),
        after: Some(file(after)),
    }
}

/// A file that is gone.
pub fn deleted(path: &str) -> Change {
    Change {
        path: absolute(path),
        kind: ChangeKind::Deleted,
        before: Some(file("")),
        after: None,
    }
}

/// A path; relative ones lie in the scratch directory.
pub fn absolute(path: &str) -> Bytes {
    if path.starts_with('/') {
        path.into()
    } else {
        format!("{DIR}/{path}").into()
    }
}

impl Dialogue {
    /// Goes on with further turns.
    pub fn then(mut self, turns: &[(&str, &str)]) -> Self {
        for (mark, text) in turns {
            self.turn(mark, text);
        }
        self
    }

    /// Effects are read: these since the observation before.
    pub fn effects(mut self, changes: Vec<Change>) -> Self {
        let point = format!("after {}", self.exchange);
        self.event(|t| Event::Effects {
            t,
            point,
            changes,
            truncated: false,
        });
        self
    }

    /// The author replaces this command by a stand-in.
    pub fn stand_in(mut self, name: &str) -> Self {
        let plan = self.case.plan.get_or_insert_default();
        plan.stand_ins.push(name.into());
        self
    }

    /// Any other event.
    pub fn with(mut self, event: impl FnOnce(u64) -> Event) -> Self {
        self.event(event);
        self
    }

    /// Lets time pass, in microseconds.
    pub fn pause(mut self, us: u64) -> Self {
        self.t += us;
        self
    }

    /// The session's place in a group named after its relation.
    pub fn member(mut self, relation: &str, role: &str) -> Self {
        self.case.groups.push(Membership {
            group: format!("{relation}/e1"),
            relation: Relation::parse(relation).expect("a relation"),
            role: Role::variant(role),
        });
        self
    }

    /// Adds a promise, or replaces the one of its label.
    pub fn about(mut self, promise: Item) -> Self {
        self.case.items.retain(|known| known.label != promise.label);
        self.case.items.push(promise);
        self
    }

    /// Changes the case.
    pub fn case(mut self, change: impl FnOnce(&mut Case)) -> Self {
        change(&mut self.case);
        self
    }

    /// The transcript, the session brought to its end.
    pub fn build(mut self) -> Transcript {
        let open: Vec<usize> = self
            .over
            .iter()
            .filter(|(_, over)| !**over)
            .map(|(process, _)| *process)
            .collect();
        for process in open {
            self.process = process;
            self.turn("close", "");
            self.turn("exit", "0");
        }
        self.event(|t| Event::End { t, complete: true });
        Transcript {
            case: self.case,
            events: self.events,
        }
    }

    /// The same, sent by an agent of another version.
    pub fn sent_by(mut self, version: &str) -> Dialogue {
        let header = format!("cf-agent {version} v1\n\n");
        for event in &mut self.events {
            if let Event::In { data, .. } = event
                && data.starts_with(b"cf-agent ")
            {
                *data = header.as_bytes().into();
            }
        }
        self
    }

    fn header(&mut self) {
        self.turn("→ header", "cf-agent 3.21.0 v1");
        let header = format!("module 1.0 v1 {}\n\n", self.flags);
        self.turn("<-", &header);
    }

    fn event(&mut self, event: impl FnOnce(u64) -> Event) {
        self.t += 100;
        let event = event(self.t);
        self.events.push(event);
    }

    fn start(&mut self) {
        let process = self.process;
        if self.over.insert(process, false).is_none() {
            self.event(|t| Event::Start { t, process });
        }
    }

    fn turn(&mut self, mark: &str, text: &str) {
        let process = self.process;
        match mark {
            "raw" => self.start(),
            "header" => self.header(),
            "process" => {
                self.process = text.parse().expect("a process number");
                if !self.over.contains_key(&self.process) {
                    self.header();
                }
            }
            "←" => {
                let end = if self.line && text.ends_with('\n') {
                    "\n"
                } else {
                    "\n\n"
                };
                self.turn("<-", &format!("{text}{end}"));
            }
            "<-" => {
                let data = text.into();
                self.event(|t| Event::Out { t, process, data });
            }
            "more" => {
                let data = text.into();
                self.event(|t| Event::In { t, process, data });
            }
            "err" => {
                let data = text.into();
                self.event(|t| Event::Err { t, process, data });
            }
            "silent" => {
                self.event(|t| Event::Silent {
                    t,
                    process,
                    why: Silence::Deadline,
                    waited_us: 2_000_000,
                });
                self.turn("close", "");
                self.turn("kill", "");
            }
            "close" => self.event(|t| Event::Closed {
                t,
                process,
                stream: Stream::Stdin,
                by_harness: true,
            }),
            "outlives" => {
                self.turn("close", "");
                self.event(|t| Event::Silent {
                    t,
                    process,
                    why: Silence::Deadline,
                    waited_us: 2_000_000,
                });
                self.turn("kill", "");
            }
            "kill" => {
                self.event(|t| Event::Killed { t, process });
                self.turn("exit", "signal 9");
            }
            "exit" => {
                let cause = match text.strip_prefix("signal ") {
                    Some(signal) => ExitCause::Signal(signal.parse().expect("a signal")),
                    None => ExitCause::Code(text.parse().expect("a status")),
                };
                self.over.insert(process, true);
                self.event(|t| Event::Exit {
                    t,
                    process,
                    cause,
                    usage: Usage::default(),
                });
            }
            "observe" => self.event(|t| Event::Effects {
                t,
                point: text.to_owned(),
                changes: Vec::new(),
                truncated: false,
            }),
            "left" => {
                let event = |t| Event::Left {
                    t,
                    processes: vec![text.split(' ').next().unwrap_or_default().to_owned()],
                    holds_stdout: text.contains("stdout"),
                    holds_stdin: text.contains("stdin"),
                };
                self.event(event);
            }
            _ => self.request(mark, text),
        }
    }

    fn request(&mut self, mark: &str, text: &str) {
        let (arrow, key) = mark.split_once(' ').expect("an arrow and a key");
        let (owed, provenance) = match arrow {
            "→" => (true, Provenance::Agent),
            "?→" => (false, Provenance::Beyond),
            "!→" => (true, Provenance::Beyond),
            other => panic!("unknown mark {other}"),
        };
        self.start();
        let (kind, label) = key.split_once(':').unwrap_or((key, ""));
        let phase = match kind {
            "header" => phase::HEADER,
            "terminate" => phase::TERMINATE,
            _ if label.is_empty() || kind == "broken" => Phase::OTHER,
            "v" | "v2" | "wv" | "nv" | "fv" => phase::VALIDATE,
            _ => phase::EVALUATE,
        };
        self.exchange += 1;
        let input = Input {
            t: self.t,
            process: self.process,
            exchange: self.exchange,
            phase,
            key: stickler_transcript::Key::parse(key),
            item: (!label.is_empty()).then(|| label.into()),
            provenance,
            owed,
        };
        self.event(|t| Event::Request(Input { t, ..input }));
        let end = if self.line && text.ends_with('\n') {
            "\n"
        } else {
            "\n\n"
        };
        let (process, data) = (self.process, format!("{text}{end}").into());
        self.event(|t| Event::In { t, process, data });
    }
}

/// A validation or evaluation in the agent's JSON: `attributes` is an object.
pub fn request(operation: &str, promiser: &str, attributes: &str) -> String {
    format!(
        r#"{{"attributes":{attributes},"filename":"/p.cf","line_number":1,"log_level":"info","operation":"{operation}_promise","promise_type":"t","promiser":"{promiser}"}}"#
    )
}

/// An answer in JSON: `more` is further members, with the comma before them.
pub fn answer(operation: &str, result: &str, more: &str) -> String {
    let operation = match operation {
        "terminate" => operation.to_owned(),
        other => format!("{other}_promise"),
    };
    format!(r#"{{"operation":"{operation}","result":"{result}"{more}}}"#)
}

/// What a rule says: how often it passed, and what it found.
pub fn verdict(code: &str, dialogues: Vec<Dialogue>) -> (usize, Vec<Finding>) {
    let sessions: Vec<AnySession> = dialogues
        .into_iter()
        .map(|dialogue| AnySession::new(Session::new(dialogue.build())))
        .collect();
    let rule = RULES
        .iter()
        .find(|rule| rule.code == code)
        .expect("a rule of this code");
    let ledger = judge(&[rule], &sessions).remove(0);
    (ledger.passes.len(), ledger.findings)
}

/// The messages of what a rule found.
pub fn messages(code: &str, dialogues: Vec<Dialogue>) -> Vec<String> {
    verdict(code, dialogues)
        .1
        .into_iter()
        .map(|finding| finding.message)
        .collect()
}

/// A validation in the agent's JSON, without attributes.
pub fn validate(text: &str) -> String {
    request("validate", text, "{}")
}

/// An evaluation in the agent's JSON, without attributes.
pub fn evaluate(text: &str) -> String {
    request("evaluate", text, "{}")
}

/// A session in which one promise is validated and evaluated, with these results.
pub fn simple(valid: &str, result: &str) -> Dialogue {
    dialogue(
        "json",
        &[
            ("→ v:e1", &validate("/x")),
            ("←", &answer("validate", valid, "")),
            ("→ e:e1", &evaluate("/x")),
            ("←", &answer("evaluate", result, "")),
        ],
    )
}

/// `terminate` right after the header, and what follows.
pub fn terminate(turns: &[(&str, &str)]) -> Dialogue {
    dialogue("json", &[("→ terminate", r#"{"operation":"terminate"}"#)]).then(turns)
}

/// The promiser of what [`ask`] asks.
pub const PROMISER: &str = "/tmp/stickler/dir/a";

/// Asks about `e1`, with an `action_policy` unless that is empty.
pub fn ask(dialogue: Dialogue, key: &str, policy: &str) -> Dialogue {
    let operation =
        if key.starts_with('v') || key.starts_with(['w', 'n', 'f']) && key[1..].starts_with('v') {
            "validate"
        } else {
            "evaluate"
        };
    let attributes = match policy {
        "" => r#"{"text":"hello"}"#.to_owned(),
        policy => format!(r#"{{"action_policy":"{policy}","text":"hello"}}"#),
    };
    dialogue.then(&[(
        &format!("→ {key}:e1"),
        &request(operation, PROMISER, &attributes),
    )])
}

/// Observed, validated, ready for evaluations.
pub fn opened(flags: &str) -> Dialogue {
    let opened = dialogue(flags, &[("raw", ""), ("observe", "start"), ("header", "")]);
    ask(opened, "v", "")
        .then(&[("←", &answer("validate", "valid", ""))])
        .effects(vec![])
}

/// One evaluation, with log lines before its result.
pub fn evaluated(
    dialogue: Dialogue,
    key: &str,
    policy: &str,
    text: &str,
    effects: Vec<Change>,
) -> Dialogue {
    let (logs, result) = text.rsplit_once('\n').unwrap_or(("", text));
    let logs = if logs.is_empty() {
        String::new()
    } else {
        format!("{logs}\n")
    };
    ask(dialogue, key, policy)
        .then(&[("←", &format!("{logs}{}", answer("evaluate", result, "")))])
        .effects(effects)
}
