//! Two items that differ in their names, one after the other in both orders, where fields have types. The
//! second one must leave the first as it is.

use crate::effort::Effort;
use crate::instance::Instance;
use crate::plans::subjects::subjects;
use crate::setting::Setting;
use stickler_transcript::{Case, Purpose};

pub(super) fn cases(setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let mut cases = Vec::new();
    for item in subjects(setting, effort) {
        // Without a sandbox, nothing is evaluated that the author has not written.
        if !setting.sandboxed || !setting.knowledge.repaired.contains(&item.info.label) {
            continue;
        }
        let twins = setting.verbs.twins(setting, &item);
        for (number, twin) in twins.iter().enumerate() {
            let id = |id: &str| match number {
                0 => id.to_owned(),
                more => format!("{id}-{more}"),
            };
            cases.push(in_turns(setting, &id("order"), &item, twin));
            cases.push(in_turns(setting, &id("order-reversed"), twin, &item));
        }
    }
    cases
}

/// One is evaluated, then the other, then the first again.
fn in_turns(setting: &Setting<'_>, id: &str, first: &Instance, second: &Instance) -> Case {
    let mut case = setting.case(format!("{id}/{}+{}", first.info.label, second.info.label));
    case.setup(first)
        .set_up_once(second)
        .observing()
        .open()
        .provide(second);
    if setting.tells_validity() {
        case.validate(first).validate(second);
    }
    case.evaluate(first).evaluate(second).evaluate_as(
        Purpose::EVALUATE.turn(2),
        Purpose::VALIDATE,
        first,
    );
    case.terminate().build()
}
