//! The transcript's file format.

mod key;
mod phase;
mod value;

use proptest::prelude::*;
use stickler_transcript::{
    Case, Driver, Event, ReadError, Transcript, VERSION, Variation, read_transcripts, schema,
    write_transcripts,
};

fn transcript(data: Vec<u8>) -> Transcript {
    Transcript {
        case: Case {
            version: VERSION,
            id: "a case".into(),
            ..Case::default()
        },
        events: vec![
            Event::Out {
                t: 1,
                process: 0,
                data: data.into(),
            },
            Event::End {
                t: 2,
                complete: true,
            },
        ],
    }
}

fn written(transcripts: &[Transcript]) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_transcripts(&mut bytes, transcripts).expect("a vector takes everything");
    bytes
}

proptest! {
    #[test]
    fn any_bytes_survive_a_round_trip(data: Vec<u8>) {
        let all = [transcript(data), transcript(b"second".to_vec())];
        prop_assert_eq!(read_transcripts(&written(&all)[..]).expect("readable"), all);
    }

    #[test]
    fn no_bytes_make_the_reader_panic(data: Vec<u8>) {
        let _ = read_transcripts(&data[..]);
    }
}

#[test]
fn a_file_that_is_cut_off_says_in_which_session() {
    let bytes = written(&[transcript(vec![0xff])]);
    let last = bytes[..bytes.len() - 1]
        .iter()
        .rposition(|b| *b == b'\n')
        .expect("lines");
    let error = read_transcripts(&bytes[..=last]).expect_err("cut off");
    assert!(matches!(error, ReadError::Truncated { case } if case == "a case"));
}

#[test]
fn foreign_and_empty_files_and_those_of_other_versions_are_distinguished() {
    let read = |text: &str| read_transcripts(text.as_bytes()).expect_err("no transcript");
    assert!(matches!(read(""), ReadError::Empty));
    assert!(matches!(read("hello"), ReadError::Foreign { line: 1 }));
    assert!(matches!(read("{\"a\":1}"), ReadError::Foreign { line: 1 }));
    assert!(matches!(
        read("{\"event\":\"case\",\"version\":99}"),
        ReadError::Version { found: 99 }
    ));
}

#[test]
fn the_schema_names_every_event() {
    let names = [
        "case",
        "start",
        "request",
        "in",
        "out",
        "err",
        "unsent",
        "closed",
        "silent",
        "killed",
        "writes",
        "exit",
        "effects",
        "sample",
        "drifted",
        "protected",
        "left",
        "outcome",
        "full",
        "trouble",
        "end",
    ];
    for name in names {
        assert!(
            schema().contains(&format!("\"const\": \"{name}\"")),
            "{name}"
        );
    }
}

#[test]
fn an_outcome_after_the_end_belongs_to_the_preceding_session() {
    let mut recorded = transcript(b"answer".to_vec());
    recorded.case.driver = Driver::Agent;
    let mut bytes = written(&[recorded]);
    let outcome = br#"{"event":"outcome","t":3,"kind":"git","identity":"a","place":"p.cf:1","outcome":"unchanged","turn":1}"#;
    bytes.extend_from_slice(outcome);
    bytes.push(b'\n');
    bytes.extend_from_slice(&outcome[..20]);
    let read = read_transcripts(&bytes[..]).expect("readable, cut off as it is");
    assert_eq!(read.len(), 1);
    assert!(matches!(
        read[0].events[..],
        [Event::Out { .. }, Event::Outcome(_), Event::End { .. }]
    ));
}

#[test]
fn the_schema_names_every_variation() {
    let schema: serde_json::Value = serde_json::from_str(schema()).expect("JSON");
    let names = |list: &serde_json::Value| -> Vec<String> {
        let list = list.as_array().expect("a list").iter();
        list.map(|name| name.as_str().expect("text").to_owned())
            .collect()
    };
    let variations: Vec<&str> = Variation::ALL.iter().map(|one| one.name()).collect();
    let item = &schema["$defs"]["item"]["properties"];
    assert_eq!(names(&item["variation"]["enum"]), variations);
}
