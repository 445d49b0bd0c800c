//! What can go wrong in the methods of mgmt resources. The host is no subject, so its lines stay whole.

use crate::answer::Answer;
use crate::change::{Operator, edit, with_file, without_effects};
use mgmt_protocol::phase;
use stickler_transcript::Phase;

/// The operators, with their names.
pub const OPERATORS: &[(&str, Operator)] = &[
    ("`CheckApply` takes wrong for right", |t, a| {
        of(a, phase::CHECKAPPLY).then(|| edit(t, a, r#""ok":false"#, r#""ok":true"#))?
    }),
    ("`CheckApply` takes right for wrong", |t, a| {
        of(a, phase::CHECKAPPLY).then(|| edit(t, a, r#""ok":true"#, r#""ok":false"#))?
    }),
    ("`CheckApply` fails", |t, a| {
        of(a, phase::CHECKAPPLY).then(|| edit(t, a, r#""error":null"#, r#""error":"no""#))?
    }),
    ("what `CheckApply` did is not there", |t, a| {
        of(a, phase::CHECKAPPLY).then(|| without_effects(t, a))?
    }),
    ("`CheckApply` leaves a file", |t, a| {
        of(a, phase::CHECKAPPLY).then(|| with_file(t, a))?
    }),
    ("`Validate` refuses an example", |t, a| {
        of(a, phase::VALIDATE).then(|| edit(t, a, r#""error":null"#, r#""error":"no""#))?
    }),
    ("`Validate` lets anything pass", |t, a| {
        of(a, phase::VALIDATE).then(|| edit(t, a, r#""error":"[^"]*""#, r#""error":null"#))?
    }),
    ("`Init` fails", |t, a| {
        of(a, phase::INIT).then(|| edit(t, a, r#""error":null"#, r#""error":"no""#))?
    }),
    ("`Cleanup` fails", |t, a| {
        of(a, phase::CLEANUP).then(|| edit(t, a, r#""error":null"#, r#""error":"no""#))?
    }),
];

fn of(answer: &Answer<'_>, phase: Phase) -> bool {
    answer.request.phase == phase
}
