//! Short dialogues with a host as transcripts, and what a rule says of them.

use mgmt_protocol::Session;
use mgmt_protocol::rules::RULES;
use stickler_judge::{AnySession, Arrow, Finding, View as _, judge};
use stickler_transcript::{
    Bytes, Case, Change, ChangeKind, Declared, Drift, Entry, Event, FileType, Input, Item, Key,
    Membership, Phase, Provenance, Relation, Role, Transcript, Variation,
};

/// A transcript in the making.
#[derive(Clone)]
pub struct Dialogue {
    case: Case,
    events: Vec<Event>,
    t: u64,
    exchange: usize,
    process: usize,
}

/// A session in which the kind `note` was described.
pub fn begun() -> Dialogue {
    let fields = r#"[{"name":"Text","type":"string","kind":"string","lang":"text","yaml":"text"}]"#;
    described(
        "note",
        &format!(r#""type":"NoteRes","base":true,"traits":[],"methods":[],"fields":{fields}"#),
    )
}

/// A session in which a kind was described so.
pub fn described(kind: &str, members: &str) -> Dialogue {
    let dialogue = Dialogue {
        case: Case {
            version: stickler_transcript::VERSION,
            id: "case".into(),
            dialect: "mgmt".into(),
            tier: "overlay".into(),
            items: vec![Item {
                label: "e1".into(),
                example: "e1".into(),
                original: true,
                ..Item::default()
            }],
            ..Case::default()
        },
        events: vec![Event::Start { t: 0, process: 0 }],
        t: 0,
        exchange: 0,
        process: 0,
    };
    dialogue
        .call("initialize", "{}", r#"{"protocol":1,"kinds":["note"]}"#)
        .call(
            "describe",
            &format!(r#"{{"kind":"{kind}"}}"#),
            &format!(r#"{{"kind":"{kind}",{members}}}"#),
        )
}

/// The answer of a method that returned this error, or none.
pub fn error(text: Option<&str>) -> String {
    match text {
        None => r#"{"error":null}"#.to_owned(),
        Some(text) => format!(r#"{{"error":"{text}"}}"#),
    }
}

/// The answer of `CheckApply`.
pub fn applied(ok: bool, text: Option<&str>) -> String {
    let error = text.map_or_else(|| "null".to_owned(), |text| format!("\"{text}\""));
    format!(r#"{{"ok":{ok},"error":{error},"ms":1}}"#)
}

impl Dialogue {
    /// A call and its result.
    pub fn call(self, method: &'static str, params: &str, result: &str) -> Self {
        self.asks(method, params)
            .says(&format!(r#""result":{result}"#))
    }

    /// A call that ends in a panic.
    pub fn panics(self, method: &'static str, params: &str) -> Self {
        let data = r#"{"panic":"boom","stack":""}"#;
        self.asks(method, params).says(&format!(
            r#""error":{{"code":1,"message":"boom","data":{data}}}"#
        ))
    }

    /// A call for a purpose of its own.
    pub fn keyed(self, method: &'static str, key: &str, params: &str, result: &str) -> Self {
        let mut dialogue = self.call(method, params, result);
        for event in dialogue.events.iter_mut().rev() {
            if let Event::Request(input) = event {
                input.key = Key::parse(key);
                break;
            }
        }
        dialogue
    }

    /// The plan names this moment.
    pub fn marked(mut self, name: &str) -> Self {
        self.t += 1;
        self.events.push(Event::Marked {
            t: self.t,
            mark: name.into(),
        });
        self
    }

    /// Another process starts, and the next calls go there.
    pub fn process(mut self, process: usize) -> Self {
        self.t += 1;
        self.process = process;
        self.events.push(Event::Start { t: self.t, process });
        self
    }

    /// So many microseconds pass.
    pub fn later(mut self, us: u64) -> Self {
        self.t += us;
        self
    }

    /// The host tells something by itself.
    pub fn tells(mut self, method: &str, params: &str) -> Self {
        self.t += 1;
        let line = format!("{{\"jsonrpc\":\"2.0\",\"method\":\"{method}\",\"params\":{params}}}\n");
        self.events.push(Event::Out {
            t: self.t,
            process: self.process,
            data: line.into_bytes().into(),
        });
        self
    }

    /// The host writes to standard error during the last call.
    pub fn prints(mut self, text: &str) -> Self {
        self.t += 1;
        self.events.push(Event::Err {
            t: self.t,
            process: self.process,
            data: text.into(),
        });
        self
    }

    /// The harness removes a file; so much later, in microseconds, what follows happens.
    pub fn removes(mut self, path: &str, later: u64) -> Self {
        self.t += later;
        self.events.push(Event::Drifted {
            t: self.t,
            drift: Box::new(Drift::Remove { path: path.into() }),
            failed: None,
            alone: false,
        });
        self
    }

    /// A command of the author's changes something from outside; no process but the host's is there, or others are.
    pub fn drifts(mut self, alone: bool) -> Self {
        self.t += 1;
        self.events.push(Event::Drifted {
            t: self.t,
            drift: Box::new(Drift::Command {
                command: 1,
                words: vec!["true".into()],
                deadline_us: 1,
                may_fail: true,
            }),
            failed: None,
            alone,
        });
        self
    }

    /// The harness looks, after the last call, whether what the author declared holds.
    pub fn looks(mut self, declared: Declared, found: Option<Entry>, failed: Option<&str>) -> Self {
        self.t += 1;
        let requests = self.events.iter().rev().filter_map(|event| match event {
            Event::Request(input) => Some(input.key.clone()),
            _ => None,
        });
        let key = requests.into_iter().next().expect("a call");
        self.events.push(Event::Verified {
            t: self.t,
            key,
            declared: Box::new(declared),
            found: found.map(Box::new),
            failed: failed.map(str::to_owned),
        });
        self
    }

    /// A request that the host refuses.
    pub fn refused(self, method: &'static str, params: &str, why: &str) -> Self {
        let members = format!(r#""error":{{"code":-32602,"message":"{why}"}}"#);
        self.asks(method, params).says(&members)
    }

    /// A resource with a text.
    pub fn makes(self, label: &str, kind: &str, text: &str) -> Self {
        self.call(
            "new",
            &format!(r#"{{"resource":"{label}","kind":"{kind}","name":"/x"}}"#),
            r#"{"type":"NoteRes"}"#,
        )
        .call(
            "set",
            &format!(r#"{{"resource":"{label}","fields":{{"text":"{text}"}}}}"#),
            "{}",
        )
    }

    /// A call that names a resource alone.
    pub fn simple(self, method: &'static str, label: &str, result: &str) -> Self {
        self.call(method, &format!(r#"{{"resource":"{label}"}}"#), result)
    }

    /// A call of `CheckApply`.
    pub fn check(self, label: &str, apply: bool, ok: bool, text: Option<&str>) -> Self {
        let params = format!(r#"{{"resource":"{label}","apply":{apply},"refresh":false}}"#);
        self.call("checkapply", &params, &applied(ok, text))
    }

    /// A comparison.
    pub fn cmp(self, one: &str, other: &str, text: Option<&str>) -> Self {
        let params = format!(r#"{{"resource":"{one}","other":"{other}"}}"#);
        self.call("cmp", &params, &error(text))
    }

    /// Since the last observation, this has changed. It counts for the last call.
    pub fn changed(mut self, paths: &[&str]) -> Self {
        self.t += 1;
        let t = self.t;
        let changes = paths.iter().map(|path| created(path)).collect();
        self.events.push(Event::Effects {
            t,
            point: "point".into(),
            changes,
            truncated: false,
        });
        self
    }

    /// Stand-ins for commands leave this in the file in which they count their calls.
    pub fn counts_commands(self, counter: &str) -> Self {
        let mut dialogue = self.writes(None, counter, 0o644, 0);
        if let Some(Event::Effects { changes, .. }) = dialogue.events.last_mut() {
            changes[0].path = stickler_reading::CALLS.into();
        }
        dialogue
    }

    /// Since the last observation, a file holds something else, with this mode and owner. It counts for the last call.
    pub fn writes(mut self, before: Option<&str>, after: &str, mode: u32, owner: u32) -> Self {
        self.t += 1;
        let entry = |content: &str, mode, owner| Entry {
            kind: FileType::File,
            mode,
            uid: owner,
            gid: owner,
            size: content.len() as u64,
            digest: Some(content.into()),
            content: Some(content.into()),
        };
        let change = Change {
            path: "/x".into(),
            kind: match before {
                Some(_) => ChangeKind::Changed,
                None => ChangeKind::Created,
            },
            before: before.map(|before| entry(before, mode, owner)),
            after: Some(entry(after, mode, owner)),
        };
        self.events.push(Event::Effects {
            t: self.t,
            point: "point".into(),
            changes: vec![change],
            truncated: false,
        });
        self
    }

    /// The harness changes something from outside.
    pub fn drifted(mut self, drift: Drift) -> Self {
        self.t += 1;
        self.events.push(Event::Drifted {
            t: self.t,
            drift: Box::new(drift),
            failed: None,
            alone: false,
        });
        self.observed()
    }

    /// What has changed so far counts for no call.
    pub fn observed(mut self) -> Self {
        self.t += 1;
        self.events.push(Event::Effects {
            t: self.t,
            point: "point".into(),
            changes: Vec::new(),
            truncated: false,
        });
        self
    }

    /// An apply of an item, which is made up if there is none with this label.
    pub fn applies(self, key: &str, label: &str, apply: bool, ok: bool) -> Self {
        let params = format!(r#"{{"resource":"{label}","apply":{apply},"refresh":false}}"#);
        let mut dialogue = self
            .observed()
            .keyed("checkapply", key, &params, &applied(ok, None));
        for event in dialogue.events.iter_mut().rev() {
            if let Event::Request(input) = event {
                input.item = Some(label.into());
                break;
            }
        }
        dialogue
    }

    /// A further item, which is a variation of the first.
    pub fn also(mut self, label: &str, variation: Variation, description: &str) -> Self {
        self.case.items.push(Item {
            label: label.into(),
            variation: Some(variation),
            description: Some(description.into()),
            ..Item::default()
        });
        self
    }

    /// So many descriptors are open after so many calls.
    pub fn counted(mut self, requests: usize, descriptors: usize) -> Self {
        self.events.push(Event::Sample {
            t: self.t,
            process: self.process,
            requests,
            rss_kib: 0,
            descriptors,
        });
        self
    }

    /// The last call is about another item, which is a variation of the first.
    pub fn about_another(mut self, variation: Variation) -> Self {
        self.case.items.push(Item {
            label: "e2".into(),
            variation: Some(variation),
            ..Item::default()
        });
        for event in self.events.iter_mut().rev() {
            if let Event::Request(input) = event {
                input.item = Some("e2".into());
                break;
            }
        }
        self
    }

    /// Changes the case.
    pub fn case(mut self, change: impl FnOnce(&mut Case)) -> Self {
        change(&mut self.case);
        self
    }

    fn asks(mut self, method: &'static str, params: &str) -> Self {
        self.t += 1;
        self.exchange += 1;
        let (t, exchange) = (self.t, self.exchange);
        let key = match method {
            "checkapply" => Key::parse(&format!("e{exchange}:e1")),
            "validate" => Key::parse(&format!("v{exchange}:e1")),
            other => Key::parse(&format!("{other}{exchange}")),
        };
        self.events.push(Event::Request(Input {
            t,
            process: self.process,
            exchange,
            phase: Phase::named(method),
            key,
            item: Some("e1".into()),
            provenance: Provenance::Agent,
            owed: true,
        }));
        let line = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{exchange},\"method\":\"{method}\",\"params\":{params}}}\n"
        );
        self.events.push(Event::In {
            t,
            process: self.process,
            data: line.into_bytes().into(),
        });
        self
    }

    fn says(mut self, members: &str) -> Self {
        self.t += 1;
        let line = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{},{members}}}\n",
            self.exchange
        );
        self.events.push(Event::Out {
            t: self.t,
            process: self.process,
            data: line.into_bytes().into(),
        });
        self
    }

    fn session(&self) -> Session {
        Session::new(Transcript {
            case: self.case.clone(),
            events: self.events.clone(),
        })
    }
}

fn created(path: &str) -> Change {
    Change {
        path: path.into(),
        kind: ChangeKind::Created,
        before: None,
        after: Some(Entry {
            kind: FileType::File,
            mode: 0o644,
            uid: 0,
            gid: 0,
            size: 1,
            digest: Some("x".into()),
            content: Some(Bytes::from("x")),
        }),
    }
}

/// How often a rule passes in a session, and what it finds.
pub fn verdict(code: &str, dialogue: &Dialogue) -> (usize, Vec<Finding>) {
    let rule = RULES.iter().find(|rule| rule.code == code).expect("a rule");
    let sessions = [AnySession::new(dialogue.session())];
    let ledger = judge(&[rule], &sessions).remove(0);
    (ledger.passes.len(), ledger.findings)
}

/// What a rule finds in sessions of a relation, each with its role.
#[track_caller]
pub fn compared(code: &str, relation: Relation, sessions: &[(Role, Dialogue)]) -> Vec<String> {
    let (passes, found) = judged_group(code, relation, sessions);
    assert!(passes + found.len() > 0, "{code} is not exercised");
    found
}

/// How often a rule passes in such sessions, and what it finds.
pub fn judged_group(
    code: &str,
    relation: Relation,
    sessions: &[(Role, Dialogue)],
) -> (usize, Vec<String>) {
    let rule = RULES.iter().find(|rule| rule.code == code).expect("a rule");
    let sessions = sessions.iter().enumerate().map(|(number, (role, one))| {
        let one = one.clone().case(|case| {
            case.id = format!("case/{number}");
            case.dirs = vec!["/d".into()];
            case.groups.push(Membership {
                group: format!("{relation}/e1"),
                relation,
                role: role.clone(),
            });
        });
        AnySession::new(one.session())
    });
    let ledger = judge(&[rule], &sessions.collect::<Vec<_>>()).remove(0);
    let found = ledger.findings.into_iter().map(|one| one.message);
    (ledger.passes.len(), found.collect())
}

/// The rule passes, and finds nothing.
#[track_caller]
pub fn keeps(code: &str, dialogue: &Dialogue) {
    let (passes, found) = verdict(code, dialogue);
    assert!(passes > 0 && found.is_empty(), "{code}: {passes} {found:?}");
}

/// The rule is not exercised.
#[track_caller]
pub fn says_nothing(code: &str, dialogue: &Dialogue) {
    let (passes, found) = verdict(code, dialogue);
    assert!(
        passes == 0 && found.is_empty(),
        "{code}: {passes} {found:?}"
    );
}

/// The first finding of the rule.
#[track_caller]
pub fn breaks(code: &str, dialogue: &Dialogue) -> String {
    let (_, found) = verdict(code, dialogue);
    found
        .first()
        .unwrap_or_else(|| panic!("{code} finds nothing"))
        .message
        .clone()
}

/// The requests that the first finding of the rule shows, in order.
#[track_caller]
pub fn shown(code: &str, dialogue: &Dialogue) -> Vec<String> {
    let (_, found) = verdict(code, dialogue);
    let finding = found.first().expect("a finding");
    let lines = dialogue.session().excerpt(finding, 0).into_iter();
    let asked = lines.filter(|line| line.arrow == Arrow::Sent);
    asked.map(|line| line.text).collect()
}
