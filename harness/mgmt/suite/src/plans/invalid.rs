//! What the author declares invalid: `Validate` or `Init` refuses it.

use crate::requests::{cleanup, init, make, validated};
use stickler_suite::Setting;
use stickler_transcript::Case;

pub(super) fn cases(setting: &Setting<'_>) -> Vec<Case> {
    let invalid = 0..setting.config.invalid.len();
    invalid
        .map(|index| {
            let item = setting.invalid(index);
            let mut case = setting.case(format!("refused/{}", item.info.label));
            case.setup(&item).observing().open();
            make(&mut case, &item);
            case.validate(&item);
            init(&mut case, &item, validated(&item));
            cleanup(&mut case, &item.info.label);
            case.terminate().build()
        })
        .collect()
}
