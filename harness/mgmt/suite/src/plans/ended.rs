//! What a resource has brought about, before and after it has ended.

use crate::requests::cleanup;
use stickler_suite::plans::subjects;
use stickler_suite::{Effort, Instance, Setting};
use stickler_transcript::{Case, Purpose};

pub(super) fn cases(setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let items = subjects(setting, effort);
    items.iter().map(|item| one(setting, item)).collect()
}

fn one(setting: &Setting<'_>, item: &Instance) -> Case {
    let mut case = setting.case(format!("ended/{}", item.info.label));
    case.setup(item).observing().open();
    case.validate(item).evaluate(item);
    for suffix in ["before", "after"] {
        let looks = item.twin(suffix);
        case.validate(&looks);
        case.evaluate_as(Purpose::LOOK, Purpose::VALIDATE, &looks.looked_at());
        cleanup(&mut case, &looks.info.label);
        cleanup(&mut case, &item.info.label);
    }
    // Are the looks right?
    let last = item.twin("last");
    case.validate(&last).evaluate(&last);
    case.terminate().build()
}
