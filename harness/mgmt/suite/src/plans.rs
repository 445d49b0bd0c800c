//! The sessions with mgmt resources.

mod beside;
mod cancelled;
mod encoded;
mod ended;
mod engine;
mod engines;
mod grouped;
mod invalid;
mod kinds;
mod near;
mod noop;
mod odd;
mod otherwise;
mod polled;
mod received;
mod refreshed;
mod resources;
mod reversed;
mod sent;
mod unready;
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
    let mut driven = Vec::new();
    let cases: Vec<Case> = match stage {
        Stage::First => by_themselves(Relation::Header, vec![kinds::listed(setting)]),
        Stage::Examples => {
            let mut cases = by_themselves(Relation::Header, kinds::cases(shown, setting));
            cases.extend(by_themselves(Relation::Undone, polled::first(setting)));
            cases.extend(plans::examples(setting));
            cases
        }
        Stage::Suite => {
            let mut own = resources::cases(shown, setting, effort);
            own.extend(near::cases(shown, setting, effort));
            own.extend(beside::cases(setting, effort));
            own.extend(ended::cases(setting, effort));
            own.extend(traits(shown, setting, effort));
            let families = [
                (Relation::Attributes, own),
                (Relation::Ends, cancelled::cases(shown, setting, effort)),
                (Relation::Fields, odd::cases(shown, setting, effort)),
                (Relation::Bare, unready::cases(shown, setting, effort)),
                (Relation::Warn, noop::cases(setting, effort)),
                (Relation::Invalid, invalid::cases(setting)),
                (Relation::Undone, watch::cases(setting, effort)),
                (Relation::Backend, watch::followed(setting, effort)),
                (Relation::Undone, polled::cases(setting, effort)),
            ];
            let families = families.into_iter();
            let mut cases: Vec<Case> = families
                .flat_map(|(relation, cases)| by_themselves(relation, cases))
                .collect();
            cases.extend(otherwise::cases(setting, effort));
            cases.extend(plans::cases(setting, effort));
            driven = engine::cases(shown, setting, effort);
            driven.extend(engines::cases(setting, effort));
            cases
        }
    };
    let cases = cases.into_iter().map(Planned::Case);
    cases.chain(driven).collect()
}

/// The sessions that kinds with certain traits have.
fn traits(shown: &Shown, setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let families = [
        refreshed::cases,
        sent::cases,
        received::cases,
        grouped::cases,
        reversed::cases,
    ];
    let families = families.into_iter();
    families
        .flat_map(|cases| cases(shown, setting, effort))
        .collect()
}
