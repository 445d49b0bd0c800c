//! The sessions with mgmt resources.

mod invalid;
mod kinds;
mod noop;
mod resources;
mod watch;

use crate::shown::Shown;
use stickler_suite::plans::{self, by_themselves};
use stickler_suite::{Effort, Planned, Setting, Stage};
use stickler_transcript::{Case, Relation};

pub(crate) fn plans(
    shown: &Shown,
    setting: &Setting<'_>,
    stage: Stage,
    effort: Effort,
) -> Vec<Planned> {
    let cases: Vec<Case> = match stage {
        Stage::First => by_themselves(Relation::Header, vec![kinds::listed(setting)]),
        Stage::Examples => {
            let mut cases = by_themselves(Relation::Header, kinds::cases(shown, setting));
            cases.extend(plans::examples(setting));
            cases
        }
        Stage::Suite => {
            let mut cases = by_themselves(
                Relation::Attributes,
                resources::cases(shown, setting, effort),
            );
            cases.extend(by_themselves(Relation::Warn, noop::cases(setting, effort)));
            cases.extend(by_themselves(Relation::Invalid, invalid::cases(setting)));
            cases.extend(by_themselves(
                Relation::Undone,
                watch::cases(shown, setting, effort),
            ));
            cases.extend(plans::cases(setting, effort));
            cases
        }
    };
    cases.into_iter().map(Planned::Case).collect()
}
