//! An example that is looked at before it is applied, by the same object and by new ones.

use stickler_suite::plans::subjects;
use stickler_suite::{Effort, Instance, Setting};
use stickler_transcript::{Case, Purpose};

pub(super) fn cases(setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let items = subjects(setting, effort);
    items.iter().map(|item| one(setting, item)).collect()
}

fn one(setting: &Setting<'_>, item: &Instance) -> Case {
    let mut case = setting.case(format!("noop/{}", item.info.label));
    case.setup(item).observing().open().validate(item);
    case.evaluate_as(Purpose::DRY_EVALUATE, Purpose::VALIDATE, &item.looked_at());
    case.evaluate(item);
    case.evaluate_as(Purpose::LOOK, Purpose::VALIDATE, &item.looked_at());
    let anew = item.twin("anew");
    case.provide(&anew).validate(&anew);
    case.evaluate_as(Purpose::DRY_EVALUATE, Purpose::VALIDATE, &anew.looked_at());
    case.evaluate(&anew);
    case.terminate().build()
}
