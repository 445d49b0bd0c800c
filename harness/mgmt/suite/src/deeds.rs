//! What campaigns do with a resource beside calls of `Validate` and `CheckApply`.

use crate::requests::begin;
use crate::swapping;
use crate::watching::Watching;
use mgmt_protocol::{Described, phase, purpose};
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

/// An equal graph takes the place of the present one.
const KEEP: &str = "keep";
/// A graph with another value in a field does.
const SWAP: &str = "swap";

/// All of them.
pub(crate) const ALL: &[&str] = &[WATCH, TAKE, WAIT, CANCEL, CUT, KEEP, SWAP];

/// How long an event is waited for.
const SHORT: u64 = 60;

/// Plans one of them. `kind` is that of the item, if it is known.
pub(crate) fn plan(
    case: &mut CaseBuilder<'_>,
    deed: &str,
    item: &Instance,
    kind: Option<&Described>,
) {
    // Without a sandbox, what a campaign made up could do anything.
    if !case.may_evaluate(item) {
        return;
    }
    match deed {
        KEEP => return swapping::keeps(case, item),
        SWAP => return swapping::replaces(case, item, kind),
        _ => {}
    }
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
