//! What is asked of providers whose answers are given here, without any process.

use super::play;
use crate::deferred::{About, Deferred, Encoded, Evaluation, Form, Is};
use puppet_protocol::{phase, purpose};
use puppet_types::Value;
use std::collections::BTreeMap;
use stickler_session::{SessionError, Stage};
use stickler_transcript::{
    Answer, Event, Fate, ItemOutcome, Key, Phase, Piece, Provenance, Purpose, Send, Step,
};

/// A type with an integer, which has to be given.
const PLAIN: &str = r#"{"name":"box","attributes":{
    "ensure":{"type":"Enum[present, absent]","default":"present"},
    "name":{"type":"String","behaviour":{"$sym":"namevar"}},
    "size":{"type":"Integer"},
    "made":{"type":"Optional[String]","behaviour":{"$sym":"init_only"}},
    "note":{"type":"Optional[String]","default":null}},"features":[FEATURES]}"#;

/// A type without `ensure`.
const BARE: &str = r#"{"name":"box","attributes":{
    "name":{"type":"String","behaviour":{"$sym":"namevar"}},
    "size":{"type":"Optional[Integer]"}},"features":[FEATURES]}"#;

/// A session whose provider answers as it is told.
struct Scripted {
    answers: BTreeMap<Key, Vec<u8>>,
    /// The value that a method returns, or what it raises.
    says: Vec<(&'static str, Result<Value, &'static str>)>,
    sent: Vec<(Key, Value)>,
    omitted: Vec<String>,
    concluded: Vec<ItemOutcome>,
}

impl Scripted {
    fn new(definition: &str, features: &str) -> Self {
        let definition = definition.replace("FEATURES", features);
        let load = format!(r#"{{"result":{{"types":[{{"definition":{definition}}}]}}}}"#);
        let open = r#"{"result":{"provider":1,"methods":{"get":[],"set":[],"insync?":[],"canonicalize":[]}}}"#;
        Scripted {
            answers: BTreeMap::from([
                (purpose::LOAD.of("box"), load.into_bytes()),
                (purpose::OPEN.of("box"), open.as_bytes().to_vec()),
            ]),
            says: Vec::new(),
            sent: Vec::new(),
            omitted: Vec::new(),
            concluded: Vec::new(),
        }
    }

    fn saying(mut self, method: &'static str, json: &str) -> Self {
        self.says.push((method, Ok(value(json))));
        self
    }

    fn raising(mut self, method: &'static str, message: &'static str) -> Self {
        self.says.push((method, Err(message)));
        self
    }

    fn play(&mut self, deferred: &Deferred) {
        let planned = send(deferred);
        play(&planned, deferred, self).expect("the harness works");
    }

    /// What became of the resource.
    fn fate(&self) -> Option<(Fate, String)> {
        let one = self.concluded.first()?;
        let errors: Vec<_> = one.errors.iter().map(|text| text.lossy()).collect();
        Some((one.outcome, errors.join("; ")))
    }

    /// The keys of the requests.
    fn keys(&self) -> Vec<&str> {
        self.sent.iter().map(|(key, _)| key.as_str()).collect()
    }

    /// The first change of the last request.
    fn change(&self) -> String {
        let (_, params) = self.sent.last().expect("a request");
        params.get("changes").expect("changes").encode()
    }
}

impl Stage for Scripted {
    fn answer(&self, key: &Key) -> Option<&[u8]> {
        self.answers.get(key).map(Vec::as_slice)
    }

    fn number(&self) -> usize {
        self.sent.len() + 1
    }

    fn deadline_us(&self, _: Phase) -> u64 {
        1
    }

    fn events(&self) -> &[Event] {
        &[]
    }

    fn is_live(&self, _: usize) -> bool {
        true
    }

    fn step(&mut self, step: Step) -> Result<bool, SessionError> {
        let Step::Send(send) = step else {
            return Ok(true);
        };
        let request = Value::parse(&send.message()).expect("a request");
        let method = request.get("method").map(Value::to_text).expect("a method");
        let params = request.get("params").expect("parameters").clone();
        self.sent.push((send.key.clone(), params));
        let said = self.says.iter().find(|(of, _)| *of == method);
        let answer = match said {
            Some((_, Err(message))) => format!(
                r#"{{"error":{{"code":1,"message":"{message}","data":{{"class":"RuntimeError","standard":true}}}}}}"#
            ),
            Some((_, Ok(value))) => format!(r#"{{"result":{{"value":{}}}}}"#, value.encode()),
            None => r#"{"result":{"value":null}}"#.to_owned(),
        };
        self.answers.insert(send.key.clone(), answer.into_bytes());
        Ok(true)
    }

    fn omit(&mut self, key: &Key) {
        self.omitted.push(key.to_string());
    }

    fn conclude(&mut self, outcome: ItemOutcome) {
        self.concluded.push(outcome);
    }
}

fn value(json: &str) -> Value {
    Value::parse(json.as_bytes()).expect("a value")
}

fn send(deferred: &Deferred) -> Send {
    Send {
        process: 0,
        phase: match deferred {
            Deferred::Ask { .. } => phase::INSYNC,
            _ => phase::SET,
        },
        key: Purpose::EVALUATE.of("e1"),
        item: Some("e1".into()),
        provenance: Provenance::Agent,
        requires: None,
        pieces: vec![Piece {
            pause_us: 0,
            data: deferred.clone().line().into(),
        }],
        answer: Answer::Now,
        deadline_us: 1,
        kill_after_us: None,
        at_write: None,
    }
}

fn of(title: &str, parameters: &[(&str, &str)]) -> Evaluation {
    let parameters = parameters.iter();
    Evaluation {
        key: Purpose::EVALUATE.into(),
        item: "e1".into(),
        open: purpose::OPEN.of("box"),
        kind: "box".to_owned(),
        title: title.to_owned(),
        parameters: parameters
            .map(|(name, json)| ((*name).to_owned(), Encoded(value(json))))
            .collect(),
        noop: false,
        on_device: false,
        version: "1.8.16".to_owned(),
        rows: None,
        observed: false,
    }
}

fn evaluated(mut session: Scripted, evaluation: Evaluation) -> Scripted {
    session.play(&Deferred::Evaluate(evaluation));
    session
}

#[test]
fn a_text_that_looks_like_the_number_is_in_sync() {
    let rows = r#"[{"name":"a","ensure":"present","size":"5"}]"#;
    let session = Scripted::new(PLAIN, "").saying("get", rows);
    let session = evaluated(session, of("a", &[("size", "5")]));
    assert_eq!(session.keys(), ["e-get:e1"]);
    assert_eq!(session.omitted, ["e:e1"]);
    assert_eq!(session.fate(), Some((Fate::Unchanged, String::new())));
}

#[test]
fn an_answer_of_insync_that_is_no_boolean_fails_the_resource() {
    let rows = r#"[{"name":"a","ensure":"present","size":5}]"#;
    let session = Scripted::new(PLAIN, r#""custom_insync""#)
        .saying("get", rows)
        .saying("insync", r#""no""#);
    let session = evaluated(session, of("a", &[("size", "5")]));
    let (fate, why) = session.fate().expect("a conclusion");
    assert_eq!(fate, Fate::Failed);
    assert!(
        why.contains("insync? MUST return nil or the boolean"),
        "{why}"
    );
    assert!(!session.keys().contains(&"e:e1"), "{:?}", session.keys());
}

#[test]
fn a_resource_without_a_row_is_created_without_defaults_that_are_nil() {
    let session = Scripted::new(PLAIN, "").saying("get", "[]");
    let session = evaluated(session, of("a", &[("size", "5")]));
    assert_eq!(session.keys(), ["e-get:e1", "e:e1"]);
    assert_eq!(
        session.change(),
        r#"[["a",{"is":{"title":"a","ensure":{"$sym":"absent"}},"should":{"name":"a","size":5,"ensure":"present"}}]]"#
    );
    assert_eq!(session.fate(), Some((Fate::Changed, String::new())));
}

#[test]
fn without_ensure_insync_is_asked_before_set() {
    let session = Scripted::new(BARE, r#""custom_insync""#)
        .saying("get", "[]")
        .saying("insync", "true");
    let session = evaluated(session, of("a", &[("size", "5")]));
    assert_eq!(session.keys(), ["e-get:e1", "e-insync-size:e1"]);
    assert_eq!(session.fate(), Some((Fate::Unchanged, String::new())));
}

#[test]
fn canonicalize_may_supply_a_mandatory_attribute() {
    let made = r#"[{"name":"a","ensure":"present","size":5}]"#;
    let session = Scripted::new(PLAIN, r#""canonicalize""#)
        .saying("canonicalize", made)
        .saying("get", "[]");
    let session = evaluated(session, of("a", &[]));
    let keys = ["e-canonical:e1", "e-get:e1", "e-canonical-2:e1", "e:e1"];
    assert_eq!(session.keys(), keys);
    assert_eq!(session.fate(), Some((Fate::Changed, String::new())));
    // Without it, Puppet refuses the resource.
    let session = Scripted::new(PLAIN, "").saying("get", "[]");
    let session = evaluated(session, of("a", &[]));
    let (fate, why) = session.fate().expect("a conclusion");
    assert_eq!(fate, Fate::Refused);
    assert!(why.contains("mandatory"), "{why}");
}

#[test]
fn the_runtime_refuses_values_of_other_types_before_it_asks_anything() {
    let session = evaluated(Scripted::new(PLAIN, ""), of("a", &[("size", r#""x""#)]));
    assert_eq!(session.keys(), Vec::<&str>::new());
    let (fate, why) = session.fate().expect("a conclusion");
    assert_eq!(fate, Fate::Refused);
    assert!(why.contains("expects an Integer value"), "{why}");
}

#[test]
fn an_init_only_attribute_is_never_changed() {
    let rows = r#"[{"name":"a","ensure":"present","size":5,"made":"here"}]"#;
    let session = Scripted::new(PLAIN, "").saying("get", rows);
    let session = evaluated(session, of("a", &[("size", "5"), ("made", r#""there""#)]));
    assert_eq!(session.keys(), ["e-get:e1"]);
    let (fate, why) = session.fate().expect("a conclusion");
    // Another state might admit it.
    assert_eq!(fate, Fate::Failed);
    assert!(why.contains("init_only"), "{why}");
}

#[test]
fn a_failure_of_the_provider_is_no_refusal() {
    let session = Scripted::new(PLAIN, "").raising("get", "no disk");
    let session = evaluated(session, of("a", &[("size", "5")]));
    let fate = (Fate::Failed, "no disk".to_owned());
    assert_eq!(session.fate(), Some(fate));
}

#[test]
fn the_specification_passes_nil_if_absent_and_no_target_for_a_removal() {
    let spec = |mut evaluation: Evaluation| {
        "spec".clone_into(&mut evaluation.version);
        evaluation
    };
    let session = Scripted::new(PLAIN, "").saying("get", "[]");
    let session = evaluated(session, spec(of("a", &[("size", "5")])));
    assert!(session.change().starts_with(r#"[["a",{"is":null,"#));
    let rows = r#"[{"name":"a","ensure":"present","size":5}]"#;
    let session = Scripted::new(PLAIN, "").saying("get", rows);
    let session = evaluated(session, spec(of("a", &[("ensure", r#""absent""#)])));
    assert_eq!(
        session.change(),
        r#"[["a",{"is":{"name":"a","ensure":"present","size":5}}]]"#
    );
}

#[test]
fn the_specification_names_the_resource_of_a_single_change() {
    let mut evaluation = of("a", &[("size", "5")]);
    "spec".clone_into(&mut evaluation.version);
    let rows = r#"[{"name":"a","ensure":"present","size":5}]"#;
    let mut session = Scripted::new(PLAIN, r#""simple_get_filter""#).saying("get", rows);
    let form = Form {
        is: Is::Row,
        should: true,
        more: Vec::new(),
    };
    session.play(&Deferred::Change { evaluation, form });
    let asked = session
        .sent
        .iter()
        .find_map(|(_, params)| params.get("names"));
    assert_eq!(asked.map(Value::encode), Some(r#"["a"]"#.to_owned()));
}

#[test]
fn noop_reaches_providers_that_support_it() {
    let dry = || Evaluation {
        noop: true,
        ..of("a", &[("size", "5")])
    };
    let session = Scripted::new(PLAIN, r#""supports_noop""#).saying("get", "[]");
    let session = evaluated(session, dry());
    let (_, params) = session.sent.last().expect("a request");
    assert_eq!(params.get("noop"), Some(&Value::Bool(true)));
    let session = Scripted::new(PLAIN, "").saying("get", "[]");
    assert_eq!(evaluated(session, dry()).keys(), ["e-get:e1"]);
}

#[test]
fn unusual_changes_are_only_made_if_they_are_true() {
    let here = r#"[{"name":"a","ensure":"present","size":5}]"#;
    let change = |rows: &str, is, should| {
        let mut session = Scripted::new(PLAIN, "").saying("get", rows);
        session.play(&Deferred::Change {
            evaluation: of("a", &[("size", "5")]),
            form: Form {
                is,
                should,
                more: Vec::new(),
            },
        });
        match session.omitted.is_empty() {
            true => Some(session.change()),
            false => None,
        }
    };
    let target = r#""should":{"name":"a","size":5,"ensure":"present"}"#;
    let row = r#""is":{"name":"a","ensure":"present","size":5}"#;
    let all = |parts: &[&str]| Some(format!(r#"[["a",{{{}}}]]"#, parts.join(",")));
    assert_eq!(change(here, Is::Row, true), all(&[row, target]));
    assert_eq!(change(here, Is::Row, false), all(&[row]));
    assert_eq!(change(here, Is::Missing, true), all(&[target]));
    assert_eq!(change(here, Is::Nil, true), None);
    assert_eq!(change("[]", Is::Row, false), None);
    assert_eq!(change("[]", Is::Nil, true), all(&[r#""is":null"#, target]));
}

#[test]
fn several_changes_are_made_in_one_call_if_there_are_several() {
    let play = |second: &str| {
        let mut session =
            Scripted::new(PLAIN, "").saying("get", r#"[{"name":"c","ensure":"present","size":5}]"#);
        let evaluations = ["a", second].map(|name| Evaluation {
            item: name.into(),
            ..of(name, &[("size", "5")])
        });
        session.play(&Deferred::Together(evaluations.into()));
        session
    };
    let session = play("b");
    assert_eq!(session.keys(), ["e-get:a", "e-get:b", "e:e1"]);
    assert!(session.change().contains(r#"],["b",{"#));
    // The other one is as it should be.
    assert_eq!(play("c").omitted, ["e:e1"]);
}

#[test]
fn questions_are_asked_about_rows_that_were_read_before() {
    let ask_about = |title: &str, property: &str, about: About| {
        let mut session = Scripted::new(PLAIN, r#""custom_insync""#);
        let rows = r#"{"result":{"value":[{"name":"a","ensure":"present","size":6},{"name":"b","ensure":"present"}]}}"#;
        session.answers.insert(purpose::ROWS.into(), rows.into());
        session.play(&Deferred::Ask {
            evaluation: Evaluation {
                rows: Some(purpose::ROWS.into()),
                ..of(title, &[("size", "5")])
            },
            property: property.to_owned(),
            about,
        });
        let asked = session.sent.pop();
        asked.map(|(_, params)| {
            let of = |key: &str| params.get(key).map(Value::encode).unwrap_or_default();
            [of("name"), of("is"), of("should")].join(" ")
        })
    };
    let ask = |title: &str, about: About| ask_about(title, "size", about);
    let a = r#"{"name":"a","ensure":"present","size":6}"#;
    let should =
        |name: &str, size| format!(r#"{{"name":"{name}","size":{size},"ensure":"present"}}"#);
    assert_eq!(
        ask("a", About::Row),
        Some(format!(r#""a" {a} {}"#, should("a", 5)))
    );
    assert_eq!(
        ask("a", About::AsIs(vec!["size".to_owned()])),
        Some(format!(r#""a" {a} {a}"#))
    );
    assert_eq!(
        ask("a", About::Other(0)),
        Some(format!(
            r#""b" {{"name":"b","ensure":"present"}} {}"#,
            should("b", 5)
        ))
    );
    // A target like the state has no size if the state has none, so nobody asks about it.
    let as_is = || About::AsIs(vec!["size".to_owned(), "ensure".to_owned()]);
    assert_eq!(ask_about("b", "size", as_is()), None);
    assert!(ask_about("b", "ensure", as_is()).is_some());
    assert_eq!(ask("a", About::Unlisted), None);
    assert_eq!(ask("c", About::Row), None);
    assert_eq!(
        ask("c", About::Unlisted),
        Some(format!(
            r#""c" {{"title":"c","ensure":{{"$sym":"absent"}}}} {}"#,
            should("c", 5)
        ))
    );
}

#[test]
fn a_new_instance_is_told_of_the_resource_before_it_looks() {
    let look = |[all, by_name]: [bool; 2], was_set| {
        let resource = r#"[{"name":"a","size":1}]"#;
        let mut session = Scripted::new(PLAIN, r#""canonicalize","simple_get_filter""#)
            .saying("canonicalize", resource);
        let open = purpose::LOOK.of("box");
        let opened = r#"{"result":{"provider":2}}"#;
        session.answers.insert(open.clone(), opened.into());
        if was_set {
            let set = Purpose::EVALUATE.of("e1");
            session.answers.insert(set, br#"{"result":{}}"#.to_vec());
        }
        session.play(&Deferred::Look {
            open,
            evaluation: of("a", &[("size", "1")]),
            all,
            named: by_name,
        });
        let params = |(key, params): &(Key, Value)| format!("{key} {}", params.encode());
        session.sent.iter().map(params).collect::<Vec<_>>()
    };
    let told = r#"look-e-canonical:e1 {"provider":2,"resources":[{"name":"a","size":1}]}"#;
    let named = r#"e:e1 {"provider":2,"names":["a"]}"#;
    assert_eq!(look([false, false], true), [told, named]);
    // It has just read the state.
    assert_eq!(look([false, false], false), [""; 0]);
    assert_eq!(look([true, false], false), [told, r#"e:e1 {"provider":2}"#]);
    assert_eq!(look([false, true], false), [told, named]);
}

#[test]
fn a_deferred_message_reads_back_unchanged_from_a_plan() {
    let evaluation = of(
        "a",
        &[
            ("size", "123456789012345678901234567890"),
            ("x", r#"{"$f":"NaN"}"#),
        ],
    );
    let deferred = Deferred::Look {
        open: purpose::OPEN.of("box"),
        evaluation,
        all: false,
        named: true,
    };
    let read = Deferred::read(&send(&deferred)).expect("it stands for something");
    assert_eq!(
        format!("{:?}", read.expect("it is whole")),
        format!("{deferred:?}")
    );
    let mut damaged = send(&deferred);
    damaged.pieces[0].data = br#"{"deferred":{"evaluate":7}}"#[..].into();
    assert!(Deferred::read(&damaged).is_some_and(|read| read.is_err()));
    damaged.pieces[0].data = br#"{"jsonrpc":"2.0"}"#[..].into();
    assert!(Deferred::read(&damaged).is_none());
}
