//! What campaigns do with a resource beside calls of `Validate` and `CheckApply`.

use crate::requests::begin;
use crate::watching::Watching;
use mgmt_protocol::{phase, purpose};
use serde_json::json;
use stickler_suite::{CaseBuilder, Instance};

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

/// How long an event is waited for.
const SHORT: u64 = 60;

/// Plans one of them.
pub(crate) fn plan(case: &mut CaseBuilder<'_>, deed: &str, item: &Instance) {
    case.provide(item);
    let begun = begin(case, item);
    let turn = case.steps();
    let mut watch = Watching::new(case, item, begun, turn);
    match deed {
        WATCH => {
            watch.starts(false);
            watch.acks();
        }
        TAKE => watch.acks(),
        WAIT => {
            watch.waits(purpose::AWAIT.turn(turn).of(&item.info.label), SHORT);
            watch.acks();
        }
        CANCEL => watch.ends(),
        CUT => {
            let key = purpose::CANCELLED.turn(turn).of(&item.info.label);
            let cut = json!({ "apply": true, "refresh": false, "cancel_ms": 1 });
            watch.asks(phase::CHECKAPPLY, key, &cut);
        }
        _ => {}
    }
}
