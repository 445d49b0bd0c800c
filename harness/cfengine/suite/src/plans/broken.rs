//! Messages that are no requests, and requests for unknown operations.

use crate::requests::{Requests as _, Spoken as _};
use cfengine_protocol::purpose;
use cfengine_protocol::wire::request::Operation;
use stickler_suite::plans::subjects;
use stickler_suite::{CaseBuilder, Effort, Setting};
use stickler_transcript::{Answer, Case, Phase, Piece, Provenance, Purpose, Send};

pub(super) fn cases(setting: &Setting<'_>, _: Effort) -> Vec<Case> {
    let mut cases: Vec<Case> = no_requests(setting.json())
        .into_iter()
        .chain(nearly_sound(setting))
        .map(|(name, bytes)| broken(setting, name, bytes))
        .collect();
    cases.push(unknown_operation(setting));
    if !setting.json() {
        cases.push(without_equals(setting));
    }
    cases
}

/// A broken message between two sound ones. The first one shows how long an answer takes; the
/// second one shows whether the subject still listens.
fn broken(setting: &Setting<'_>, name: &str, bytes: Vec<u8>) -> Case {
    let mut case = setting.case(format!("broken/{name}"));
    let instance = subjects(setting, Effort::Quick).into_iter().next();
    if let Some(instance) = &instance {
        case.setup(instance);
    }
    case.open();
    if let Some(instance) = &instance {
        case.validate(instance);
    }
    let send = Send {
        answer: Answer::Optional,
        provenance: Provenance::Beyond,
        ..case.message(Phase::OTHER, purpose::BROKEN.of(name), bytes)
    };
    case.send(send);
    if let Some(instance) = &instance {
        case.validate_with(Purpose::VALIDATE.turn(2), instance, |send| {
            send.provenance = Provenance::Beyond;
        });
    }
    terminate_after(&mut case);
    case.build()
}

/// Sound requests, broken in one place, which careless readers accept. Defects such as an extra
/// comma are left out: a lenient parser may accept them if nothing is missing (cf-agent's own
/// parser does).
fn nearly_sound(setting: &Setting<'_>) -> Vec<(&'static str, Vec<u8>)> {
    let subjects = subjects(setting, Effort::Quick);
    let Some(instance) = subjects.first().filter(|_| setting.json()) else {
        return Vec::new();
    };
    let case = setting.case("");
    let sound = case
        .validation(Purpose::VALIDATE.into(), instance)
        .message();
    let Some(object) = sound.strip_suffix(b"}\n\n") else {
        return Vec::new();
    };
    let ending = |end: &[u8]| [object, end].concat();
    vec![
        ("last-brace-missing", ending(b"\n\n")),
        ("in-a-list", [b"[", &ending(b"}]\n\n")[..]].concat()),
    ]
}

/// `terminate` after a broken message proves little, so its grade is as low.
fn terminate_after(case: &mut CaseBuilder<'_>) {
    case.terminate().grade_last(Provenance::Beyond);
}

fn unknown_operation(setting: &Setting<'_>) -> Case {
    let mut case = setting.case("broken/unknown-operation");
    case.open();
    let subjects = subjects(setting, Effort::Quick);
    if let Some(instance) = subjects.first() {
        case.provide(instance);
        let request = case.request(
            Operation::Other(b"stickler_unknown_operation".to_vec()),
            instance,
        );
        let send = Send {
            phase: Phase::OTHER,
            key: purpose::UNKNOWN_OPERATION.into(),
            answer: Answer::Optional,
            provenance: Provenance::Beyond,
            ..case.about(
                Phase::OTHER,
                purpose::UNKNOWN_OPERATION.into(),
                instance,
                &request,
            )
        };
        case.send(send);
    }
    terminate_after(&mut case);
    case.build()
}

/// Line protocol: a line without `=` in an otherwise sound request.
fn without_equals(setting: &Setting<'_>) -> Case {
    let mut case = setting.case("broken/no-equals");
    case.open();
    let subjects = subjects(setting, Effort::Quick);
    if let Some(instance) = subjects.first() {
        case.provide(instance);
        let sound = case.validation(Purpose::VALIDATE.into(), instance);
        let mut data = sound.message();
        let end = data.len() - 1;
        data.splice(end..end, *b"a line that has none\n");
        let send = Send {
            phase: Phase::OTHER,
            key: purpose::NO_EQUALS.into(),
            answer: Answer::Optional,
            provenance: Provenance::Beyond,
            pieces: vec![Piece {
                pause_us: 0,
                data: data.into(),
            }],
            ..sound
        };
        case.send(send);
    }
    terminate_after(&mut case);
    case.build()
}

/// Messages that are no requests.
fn no_requests(json: bool) -> Vec<(&'static str, Vec<u8>)> {
    let mut messages: Vec<(&'static str, &[u8])> = vec![("empty", b"\n"), ("blank", b" \n\n")];
    if json {
        messages.extend([
            (
                "cut-off",
                &b"{\"operation\":\"validate_promise\",\"promiser\":\"/x\"\n\n"[..],
            ),
            ("no-json", b"operation=validate_promise\n\n"),
            (
                "trailing-comma",
                b"{\"operation\":\"validate_promise\",}\n\n",
            ),
            ("array", b"[]\n\n"),
            (
                "array-of-request",
                b"[{\"operation\":\"validate_promise\"}]\n\n",
            ),
            ("null", b"null\n\n"),
            ("number", b"42\n\n"),
            ("text", b"\"validate_promise\"\n\n"),
            ("empty-object", b"{}\n\n"),
            (
                "operation-is-number",
                b"{\"operation\":1,\"log_level\":\"info\"}\n\n",
            ),
            (
                "operation-is-list",
                b"{\"operation\":[\"evaluate_promise\"]}\n\n",
            ),
            ("invalid-utf8", b"{\"operation\":\"\xff\xfe\"}\n\n"),
        ]);
    } else {
        messages.extend([
            ("no-operation", &b"log_level=info\npromiser=/x\n\n"[..]),
            ("noise", b"hello there\n\n"),
            ("empty-key", b"=x\n\n"),
        ]);
    }
    messages
        .into_iter()
        .map(|(name, bytes)| (name, bytes.to_vec()))
        .collect()
}
