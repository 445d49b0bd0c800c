//! How a session of a promise module reads.

use cfengine_protocol::phase;
use cfengine_suite::PromiseModules;
use stickler_suite::Dialect as _;
use stickler_suite::conversation::text;
use stickler_transcript::{
    Bytes, Case, Event, ExitCause, Input, Phase, Provenance, Transcript, Usage,
};

fn exchange(number: usize, phase: Phase, sent: &str, got: &str) -> Vec<Event> {
    let t = number as u64;
    vec![
        Event::Request(Input {
            t,
            process: 0,
            exchange: number,
            phase,
            key: stickler_transcript::Key::parse(&format!("k{number}")),
            item: None,
            provenance: Provenance::Agent,
            owed: true,
        }),
        Event::In {
            t,
            process: 0,
            data: sent.into(),
        },
        Event::Out {
            t,
            process: 0,
            data: got.into(),
        },
    ]
}

#[test]
fn a_session_reads_like_a_dialogue() {
    let mut events = vec![Event::Start { t: 0, process: 0 }];
    events.extend(exchange(
        1,
        phase::HEADER,
        "cf-agent 3.21.0 v1\n\n",
        "git 1.0 v1 json_based\n\n",
    ));
    events.extend(exchange(
        2,
        phase::EVALUATE,
        "{\"operation\":\"evaluate_promise\",\"promiser\":\"/d/x\",\"attributes\":{\"a\":\"b\",\"l\":[\"1\"]}}\n\n",
        "log_info=early\n{\"operation\":\"evaluate_promise\",\"result\":\"kept\",\"log\":[{\"level\":\"info\",\"message\":\"a \\\"b\\\"\"}]}\n\n",
    ));
    events.push(Event::Exit {
        t: 9,
        process: 0,
        cause: ExitCause::Code(3),
        usage: Usage::default(),
    });
    events.push(Event::End {
        t: 9,
        complete: true,
    });
    let case = Case {
        dirs: vec![Bytes::from("/d")],
        ..Case::default()
    };
    insta::assert_snapshot!({
        let dialect = PromiseModules::default();
        text(&dialect, &dialect.read(Transcript { case, events }))
    }, @r#"
    → cf-agent 3.21.0 v1
    ← git 1.0 v1 json_based

    → evaluate_promise {dir}/x
        a = b
        l = ["1"]
    ← log_info=early
      operation: evaluate_promise
      result: kept
      log:
        info: a "b"
    · the process ended with status 3
    "#);
}
