//! Sessions that end early.

use crate::requests::Requests as _;
use cfengine_protocol::purpose;
use cfengine_protocol::wire::request::{Operation, Request};
use stickler_suite::plans::subjects;
use stickler_suite::{Effort, Setting};
use stickler_transcript::{Answer, Case, Phase, Provenance, Purpose, Send};

pub(super) fn cases(setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let subjects = subjects(setting, effort);
    let instance = subjects.first();
    let terminate = |log_level: Option<&str>| Request {
        log_level: log_level.map(|level| level.as_bytes().to_vec()),
        ..Request::new(Operation::Terminate)
    };
    let mut cases = Vec::new();
    for level in [None, Some("info")] {
        let name = level.map_or("at-once", |_| "at-once-with-log-level");
        let mut case = setting.case(format!("terminate/{name}"));
        case.observing().open().terminate_with(&terminate(level));
        cases.push(case.build());
    }
    if let Some(instance) = instance {
        for level in [None, Some("debug")] {
            let name = level.map_or("after-validation", |_| "after-validation-with-log-level");
            let mut case = setting.case(format!("terminate/{name}"));
            case.setup(instance)
                .open()
                .validate(instance)
                .terminate_with(&terminate(level));
            cases.push(case.build());
        }
    }
    let mut before = setting.case("eof/before-header");
    before.start(0).close_and_wait();
    cases.push(before.build());
    let mut half = setting.case("eof/in-header");
    half.start(0);
    let send = Send {
        answer: Answer::Optional,
        provenance: Provenance::Beyond,
        ..half.message(
            Phase::OTHER,
            purpose::BROKEN.of("half-header"),
            b"cf-agent 3.21.0".to_vec(),
        )
    };
    half.send(send).close_and_wait();
    cases.push(half.build());
    let mut after = setting.case("eof/after-header");
    after.open().close_and_wait();
    cases.push(after.build());
    let Some(instance) = instance else {
        return cases;
    };
    let mut idle = setting.case("eof/after-validation");
    idle.setup(instance)
        .open()
        .validate(instance)
        .close_and_wait();
    cases.push(idle.build());
    let mut done = setting.case("eof/after-evaluation");
    done.setup(instance)
        .open()
        .validate(instance)
        .evaluate(instance)
        .close_and_wait();
    cases.push(done.build());
    let mut cut = setting.case("eof/in-request");
    cut.setup(instance).open();
    let mut send = cut.validation(Purpose::VALIDATE.into(), instance);
    if let Some(piece) = send.pieces.first_mut() {
        piece.data = piece.data.part(..piece.data.len() / 2);
    }
    let send = Send {
        phase: Phase::OTHER,
        key: purpose::BROKEN.of("half-request"),
        answer: Answer::Optional,
        provenance: Provenance::Beyond,
        ..send
    };
    cut.send(send).close_and_wait();
    cases.push(cut.build());
    cases
}
