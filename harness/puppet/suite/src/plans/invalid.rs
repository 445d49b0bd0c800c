//! What the author declares invalid: the runtime refuses it, or the provider has to.

use crate::shown::Shown;
use puppet_protocol::purpose;
use stickler_suite::{Ask, Instance, Setting};
use stickler_transcript::Case;

pub(super) fn cases(shown: &Shown, setting: &Setting<'_>) -> Vec<Case> {
    let all = (0..setting.config.invalid.len()).map(|index| setting.invalid(index));
    all.map(|item| case(shown, setting, &item)).collect()
}

fn case(shown: &Shown, setting: &Setting<'_>, item: &Instance) -> Case {
    let mut case = setting.case(format!("invalid/{}", item.info.label));
    case.setup(item).observing().open();
    let ask = Ask {
        key: purpose::REFUSED.of(&item.info.label),
        item,
        requires: None,
    };
    shown.refused(&mut case, ask);
    case.terminate().build()
}
