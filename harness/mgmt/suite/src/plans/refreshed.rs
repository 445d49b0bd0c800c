//! A refresh: with and without leave to change something.

use crate::requests::calls;
use crate::shown::Shown;
use mgmt_protocol::purpose;
use serde_json::json;
use stickler_suite::plans::subjects;
use stickler_suite::{Effort, Instance, Setting};
use stickler_transcript::{Case, Purpose};

pub(super) fn cases(shown: &Shown, setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let mut items = subjects(setting, effort);
    items.retain(|item| shown.has_trait(&item.kind, "refreshable"));
    items.iter().map(|item| one(setting, item)).collect()
}

fn one(setting: &Setting<'_>, item: &Instance) -> Case {
    let label = &item.info.label;
    let mut case = setting.case(format!("refreshed/{label}"));
    case.setup(item)
        .observing()
        .open()
        .validate(item)
        .evaluate(item);
    // What needs two calls alone has had them then.
    for part in ["second", "third"] {
        let key = purpose::SETTLED.part(part);
        case.evaluate_as(key, Purpose::VALIDATE, item);
    }
    let told = json!({ "refresh": true });
    let dry = item.looked_at();
    calls(&mut case, purpose::DRY_REFRESH.of(label), &dry, &told);
    calls(&mut case, purpose::REFRESH.of(label), item, &told);
    case.evaluate_as(Purpose::EVALUATE.turn(2), Purpose::VALIDATE, item);
    case.evaluate_as(Purpose::LOOK, Purpose::VALIDATE, &dry);
    case.terminate().build()
}
