//! Short dialogues with a host as transcripts, and what a rule says of them.
//!
//! Parameters and results are JSON: `{"name": "a"}` is a hash with a symbol as its key.

use puppet_protocol::rules::RULES;
use puppet_protocol::{Session, phase};
use stickler_judge::{AnySession, Expectations, Found, Ledger, Level, conclude, judge};
use stickler_transcript::{
    Bytes, Case, Change, ChangeKind, Drift, Entry, Event, FileType, Input, Item, Membership, Phase,
    Provenance, Relation, Role, Silence, Transcript,
};

/// Attributes of a usual type, without the braces.
pub const KEY: &str = r#""ensure":{"type":"Enum[present, absent]","desc":"Is it there?"},
    "name":{"type":"String[1]","desc":"The name.","behaviour":{"$sym":"namevar"}},
    "size":{"type":"Optional[Integer]","desc":"The size."}"#;

/// A transcript in the making.
#[derive(Clone)]
pub struct Dialogue {
    case: Case,
    events: Vec<Event>,
    told: Vec<String>,
    t: u64,
    exchange: usize,
    process: usize,
}

/// A definition of the type `key`: further members, with the comma after them, and its attributes.
pub fn definition(more: &str, attributes: &str) -> String {
    format!(r#"{{"name":"key","desc":"A key.",{more}"attributes":{{{attributes}}}}}"#)
}

/// A session in which a type or a transport (`kind`) was loaded.
pub fn loaded(kind: &str, definition: &str) -> Dialogue {
    let own = format!(r#"[{{"name":"key","file":null,"definition":{definition}}}]"#);
    let (types, transports) = match kind {
        "type" => (&*own, "[]"),
        _ => ("[]", &*own),
    };
    let result = format!(r#""result":{{"types":{types},"transports":{transports},"warnings":[]}}"#);
    Dialogue {
        case: Case {
            version: stickler_transcript::VERSION,
            id: "case".into(),
            dialect: "resource-api".into(),
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
        told: Vec::new(),
        t: 0,
        exchange: 0,
        process: 0,
    }
    .call(
        phase::INITIALIZE,
        "initialize",
        "{}",
        r#""result":{"protocol":1}"#,
    )
    .call(
        phase::LOAD,
        "load:key",
        &format!(r#"{{"{kind}":"key"}}"#),
        &result,
    )
}

/// A session in which the provider of a type is open; `features` are strings of JSON.
pub fn open(features: &str, attributes: &str, opened: &str) -> Dialogue {
    let definition = definition(&format!(r#""features":[{features}],"#), attributes);
    loaded("type", &definition).opens(opened)
}

/// A session with the provider of a usual type.
pub fn usual() -> Dialogue {
    open("", KEY, METHODS)
}

/// What is known of a usual provider.
pub const METHODS: &str = r#""ancestors":[],"inherited":[],"methods":{"get":[["req","context"]],"set":[["req","context"],["req","changes"]]}"#;

/// The answer of a method that returned.
pub fn value(value: &str) -> String {
    format!(r#""result":{{"value":{value},"class":"Object"}}"#)
}

/// The answer of a method that raised.
pub fn raised(class: &str, message: &str) -> String {
    format!(
        r#""error":{{"code":1,"message":"{message}","data":{{"class":"{class}","standard":true,"where":"provider","at":"key.rb:1"}}}}"#
    )
}

/// A file that is new.
pub fn created(path: &str) -> Change {
    let content = Bytes::from("x");
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
            content: Some(content),
        }),
    }
}

impl Dialogue {
    /// The provider is built once more.
    pub fn opens(self, opened: &str) -> Self {
        let result = format!(r#""result":{{"provider":1,"class":"Key",{opened}}}"#);
        self.call(phase::OPEN, "open:key", r#"{"type":"key"}"#, &result)
    }

    /// A call and its answer. The part of the key after the colon names the example.
    pub fn call(mut self, phase: Phase, key: &str, params: &str, answer: &str) -> Self {
        self = self.asks(phase, key, params);
        for told in std::mem::take(&mut self.told) {
            self = self.says(&told);
        }
        self.answers(answer)
    }

    /// The answer of the last call.
    pub fn answers(self, answer: &str) -> Self {
        let number = self.exchange;
        self.says(&format!(r#"{{"jsonrpc":"2.0","id":{number},{answer}}}"#))
    }

    /// A call without an answer yet.
    pub fn asks(mut self, phase: Phase, key: &str, params: &str) -> Self {
        self.exchange += 1;
        let (process, exchange) = (self.process, self.exchange);
        let item = key
            .split_once(':')
            .filter(|(_, label)| label.starts_with("e1"));
        let item = item.map(|(_, label)| label.into());
        self.event(|t| {
            Event::Request(Input {
                t,
                process,
                exchange,
                phase,
                key: stickler_transcript::Key::parse(key),
                item,
                provenance: Provenance::Agent,
                owed: true,
            })
        });
        let name = phase.name();
        let data =
            format!(r#"{{"jsonrpc":"2.0","id":{exchange},"method":"{name}","params":{params}}}"#);
        let data = one_line(&data).into();
        self.event(|t| Event::In { t, process, data });
        self
    }

    /// `get` returned these rows.
    pub fn gets(self, key: &str, rows: &str) -> Self {
        self.call(phase::GET, key, r#"{"provider":1}"#, &value(rows))
    }

    /// `set` of one change: the name and the change.
    pub fn sets(self, key: &str, name: &str, change: &str, answer: &str) -> Self {
        let params = format!(r#"{{"provider":1,"changes":[[{name},{change}]]}}"#);
        self.call(phase::SET, key, &params, answer)
    }

    /// What the provider tells during the next call.
    pub fn tells(mut self, event: &str, name: &str, arguments: &str) -> Self {
        let kind = match event {
            "log" => "level",
            "unknown" => "method",
            _ => "action",
        };
        self.told.push(format!(
            r#"{{"jsonrpc":"2.0","method":"log","params":{{"event":"{event}","{kind}":"{name}","arguments":{arguments}}}}}"#
        ));
        self
    }

    /// An event during the next call.
    pub fn meets(mut self, params: &str) -> Self {
        self.told.push(format!(
            r#"{{"jsonrpc":"2.0","method":"log","params":{params}}}"#
        ));
        self
    }

    /// Files are looked at: these changed since the last look.
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

    /// The process ends, and another one opens the provider.
    pub fn restarts(mut self) -> Self {
        self.process += 1;
        let process = self.process;
        self.event(|t| Event::Start { t, process });
        self.opens(METHODS)
    }

    /// The harness changes a file.
    pub fn drifts(mut self, drift: Drift) -> Self {
        let drift = Box::new(drift);
        self.event(|t| Event::Drifted {
            t,
            drift,
            failed: None,
            alone: false,
        });
        self
    }

    /// The deadline of the last call passes.
    pub fn silent(mut self) -> Self {
        let process = self.process;
        self.event(|t| Event::Silent {
            t,
            process,
            why: Silence::Deadline,
            waited_us: 30_000_000,
        });
        self
    }

    /// Something is printed on standard output.
    pub fn prints(mut self, text: &str) -> Self {
        let process = self.process;
        let data = text.into();
        self.event(|t| Event::Printed { t, process, data });
        self
    }

    /// Its place in a group.
    pub fn member(mut self, relation: &str, role: &str) -> Self {
        self.case.groups.push(Membership {
            group: format!("{relation}/e1"),
            relation: Relation::parse(relation).expect("a relation"),
            role: Role::variant(role),
        });
        self
    }

    /// Changes the case.
    pub fn case(mut self, change: impl FnOnce(&mut Case)) -> Self {
        change(&mut self.case);
        self
    }

    fn says(mut self, line: &str) -> Self {
        let (process, data) = (self.process, one_line(line).into());
        self.event(|t| Event::Out { t, process, data });
        self
    }

    fn event(&mut self, event: impl FnOnce(u64) -> Event) {
        self.t += 100;
        self.events.push(event(self.t));
    }

    fn build(mut self) -> Transcript {
        self.event(|t| Event::End { t, complete: true });
        Transcript {
            case: self.case,
            events: self.events,
        }
    }
}

fn one_line(text: &str) -> String {
    format!("{}\n", text.replace('\n', " "))
}

fn read(transcript: Transcript) -> AnySession {
    AnySession::new(Session::new(transcript))
}

fn judged(code: &str, dialogues: Vec<Dialogue>) -> Ledger {
    let sessions = dialogues.into_iter().map(Dialogue::build);
    let sessions: Vec<AnySession> = sessions.map(read).collect();
    let rule = RULES.iter().find(|rule| rule.code == code);
    judge(&[rule.expect("a rule of this code")], &sessions).remove(0)
}

/// The levels of what a rule finds.
pub fn levels(code: &str, dialogue: Dialogue) -> Vec<Level> {
    let findings = judged(code, vec![dialogue]).findings.into_iter();
    findings.map(|finding| finding.level).collect()
}

/// Why what the rule is about could not be tried.
pub fn untried(code: &str, dialogues: Vec<Dialogue>) -> Option<String> {
    judged(code, dialogues).withdrawn.map(|one| one.why)
}

/// What a rule says: how often it passed, and the messages of what it found.
pub fn verdict(code: &str, dialogues: Vec<Dialogue>) -> (usize, Vec<String>) {
    let ledger = judged(code, dialogues);
    let findings = ledger.findings.into_iter();
    (
        ledger.passes.len(),
        findings.map(|finding| finding.message).collect(),
    )
}

/// What is shown of a rule's first finding.
pub fn found(code: &str, dialogues: Vec<Dialogue>) -> Found {
    let sessions = dialogues.into_iter().map(Dialogue::build);
    let sessions: Vec<AnySession> = sessions.map(read).collect();
    let rules: Vec<_> = RULES.iter().filter(|rule| rule.code == code).collect();
    let ledgers = judge(&rules, &sessions);
    let mut outcomes = conclude(&rules, &ledgers, &sessions, &Expectations::default());
    outcomes.remove(0).findings.remove(0).found
}

/// The rule finds something that it describes so.
#[track_caller]
pub fn breaks(code: &str, dialogue: Dialogue, says: &str) {
    let (_, found) = verdict(code, vec![dialogue]);
    assert!(
        found.iter().any(|message| message.contains(says)),
        "{code}: {found:?} does not say {says:?}"
    );
}

/// The rule finds nothing, and was exercised.
#[track_caller]
pub fn keeps(code: &str, dialogue: Dialogue) {
    let (passes, found) = verdict(code, vec![dialogue]);
    assert_eq!(found, [] as [&str; 0], "{code}");
    assert!(passes > 0, "{code} is not exercised");
}
