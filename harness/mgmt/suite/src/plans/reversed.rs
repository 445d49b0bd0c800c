//! The resource that undoes an example.

use crate::requests::{ask_about, checkapply, simple};
use crate::shown::Shown;
use mgmt_protocol::{phase, purpose};
use serde_json::json;
use stickler_suite::plans::subjects;
use stickler_suite::{Effort, Instance, Setting};
use stickler_transcript::{Case, Purpose};

pub(super) fn cases(shown: &Shown, setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let mut items = subjects(setting, effort);
    items.retain(|item| {
        shown
            .kind(&item.kind)
            .is_some_and(|kind| kind.has_method("Reversed"))
    });
    items.iter().map(|item| one(setting, item)).collect()
}

fn one(setting: &Setting<'_>, item: &Instance) -> Case {
    let label = &item.info.label;
    let mut case = setting.case(format!("reversed/{label}"));
    case.setup(item).observing().open().validate(item);
    let back = item.twin("back");
    case.provide(&back);
    // The engine asks for it when the resource begins, before it has done anything.
    let made = purpose::REVERSED.of(&back.info.label);
    let params = json!({ "resource": &*back.info.label, "from": &**label });
    let validated = crate::requests::validated(item);
    ask_about(
        &mut case,
        phase::REVERSED,
        made.clone(),
        Some(validated),
        &back,
        &params,
    );
    case.evaluate(item);
    case.evaluate_as(Purpose::LOOK, Purpose::VALIDATE, &item.looked_at());
    let key = Purpose::VALIDATE.of(&back.info.label);
    simple(&mut case, phase::VALIDATE, key.clone(), Some(made), &back);
    let begun = crate::requests::init(&mut case, &back, key);
    for (turn, key) in [Purpose::EVALUATE, Purpose::AFTER].into_iter().enumerate() {
        let key = key.turn(turn + 1).of(&back.info.label);
        let send = checkapply(&case, key, begun.clone(), &back);
        case.send(send);
    }
    case.evaluate_as(Purpose::LOOK.turn(2), Purpose::VALIDATE, &item.looked_at());
    case.terminate().build()
}
