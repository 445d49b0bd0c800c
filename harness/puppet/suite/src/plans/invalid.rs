//! What the author declares invalid. If the runtime refuses it, no provider is asked; else it is to be
//! brought about, and the provider must refuse.

use crate::deferred::Deferred;
use crate::dialect::ResourceApi;
use crate::requests::load;
use crate::resource;
use puppet_protocol::phase;
use stickler_suite::{Ask, Instance, Setting};
use stickler_transcript::Case;

pub(super) fn cases(dialect: &ResourceApi, setting: &Setting<'_>) -> Vec<Case> {
    let all = (0..setting.config.invalid.len()).map(|index| setting.invalid(index));
    all.map(|item| case(dialect, setting, &item)).collect()
}

fn case(dialect: &ResourceApi, setting: &Setting<'_>, item: &Instance) -> Case {
    let mut case = setting.case(format!("invalid/{}", item.info.label));
    let definition = dialect.definition(&item.kind);
    let why = definition
        .as_deref()
        .and_then(|definition| resource::refused(definition, item));
    match why {
        // The definition says it.
        Some(why) => {
            case.provide(item).observing().open();
            load(&mut case, &item.kind);
            let refused = Deferred::Refused { why };
            let key = format!("refused:{}", item.info.label);
            let mut send = case.message(phase::SET, key, refused.line());
            send.item = Some(item.info.label.clone());
            case.send(send);
        }
        None => {
            case.setup(item).observing().open();
            let ask = Ask {
                key: "refused",
                item,
                requires: None,
            };
            dialect.refused(&mut case, ask);
        }
    }
    case.terminate().build()
}
