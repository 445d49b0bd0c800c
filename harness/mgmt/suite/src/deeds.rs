//! What campaigns do with a resource beside calls of `Validate` and `CheckApply`.

use crate::requests::{about, begin, message};
use mgmt_protocol::{phase, purpose};
use serde_json::{Value as Json, json};
use stickler_suite::{CaseBuilder, Instance};
use stickler_transcript::{Key, Phase, Purpose};

/// `Watch` starts.
const WATCH: &str = "watch";
/// An event is taken, if `Watch` waits at one.
const TAKE: &str = "take";
/// Events are waited for.
const WAIT: &str = "wait";
/// `Watch` is told to end.
const CANCEL: &str = "cancel";
/// `CheckApply` is called, and its context ends meanwhile.
const CUT: &str = "cut";

/// All of them.
pub(crate) const ALL: &[&str] = &[WATCH, TAKE, WAIT, CANCEL, CUT];

/// How long `Watch` may take to start and to end, in milliseconds.
const LONG: u64 = 3_000;
/// How long an event is waited for.
const SHORT: u64 = 60;

/// Plans one of them.
pub(crate) fn plan(case: &mut CaseBuilder<'_>, deed: &str, item: &Instance) {
    case.provide(item);
    let begun = begin(case, item);
    let mut deeds = Deeds { case, item, begun };
    match deed {
        WATCH => {
            deeds.asks(phase::WATCH, purpose::WATCH, &json!({ "delay": false }));
            deeds.asks(phase::AWAIT, purpose::AWAIT, &waits(LONG));
            deeds.asks(phase::ACK, purpose::ACK, &json!({}));
        }
        TAKE => deeds.asks(phase::ACK, purpose::ACK, &json!({})),
        WAIT => {
            deeds.asks(phase::AWAIT, purpose::AWAIT, &waits(SHORT));
            deeds.asks(phase::ACK, purpose::ACK, &json!({}));
        }
        CANCEL => deeds.asks(phase::CANCEL, purpose::CANCEL, &json!({ "ms": LONG })),
        CUT => {
            let cut = json!({ "apply": true, "refresh": false, "cancel_ms": 1 });
            deeds.asks(phase::CHECKAPPLY, purpose::CANCELLED, &cut);
        }
        _ => {}
    }
}

fn waits(ms: u64) -> Json {
    json!({ "what": "", "ms": ms })
}

struct Deeds<'d, 's> {
    case: &'d mut CaseBuilder<'s>,
    item: &'d Instance,
    begun: Key,
}

impl Deeds<'_, '_> {
    fn asks(&mut self, phase: Phase, purpose: Purpose, more: &Json) {
        let label = &self.item.info.label;
        let mut params = json!({ "resource": &**label });
        if let (Json::Object(params), Json::Object(more)) = (&mut params, more) {
            params.extend(more.clone());
        }
        let key = purpose.turn(self.case.steps()).of(label);
        let send = message(self.case, phase, key, Some(self.begun.clone()), &params);
        let mut send = about(send, self.item);
        send.deadline_us = send.deadline_us.max(2 * LONG * 1_000);
        self.case.send(send);
    }
}
