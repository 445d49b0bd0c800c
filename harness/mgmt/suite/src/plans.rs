//! The sessions with mgmt resources.

mod bare;
mod beside;
mod cancelled;
mod encoded;
mod ended;
mod engine;
mod engines;
mod grouped;
mod kinds;
pub(crate) mod near;
mod odd;
mod otherwise;
mod polled;
mod received;
mod refreshed;
mod resources;
mod reversed;
mod sent;
mod spoilt;
mod together;
mod unready;
mod varied;
mod watch;

use crate::shown::Shown;
use mgmt_protocol::relation::{
    BESIDE, CANCELLED, ENDED, ENGINES, FOLLOWED, GRAPHS, GROUPED, KINDS, ODD, POLLED, RECEIVED,
    REFRESHED, RESOURCES, REVERSED, SENT, SPOILT, SURROUNDINGS, TOGETHER, UNREADY, VALUES, VARIED,
    WATCHED,
};
use stickler_suite::plans::{self, OwnFamily, own, relations_of};
use stickler_suite::{Effort, Planned, PlanningStage, Setting, own_families};
use stickler_transcript::{Case, Relation};

type Table = &'static [OwnFamily<Shown>];

/// Before anything is known.
const FIRST: Table = own_families! {
    KINDS => |_, setting, _| vec![kinds::listed(setting)];
};

/// Beside the examples.
const EXAMPLES: Table = own_families! {
    KINDS => |shown, setting, _| kinds::cases(shown, setting);
    POLLED => |_, setting, _| polled::first(setting);
    SPOILT => |_, setting, _| spoilt::cases(setting);
};

/// All else.
const SUITE: Table = own_families! {
    RESOURCES => resources::cases;
    VALUES => near::cases;
    BESIDE => |_, setting, effort| beside::cases(setting, effort);
    ENDED => |_, setting, effort| ended::cases(setting, effort);
    REFRESHED => refreshed::cases;
    SENT => sent::cases;
    RECEIVED => received::cases;
    GROUPED => grouped::cases;
    REVERSED => reversed::cases;
    CANCELLED => cancelled::cases;
    ODD => odd::cases;
    UNREADY => unready::cases;
    TOGETHER => together::cases;
    VARIED => varied::cases;
    WATCHED => |_, setting, effort| watch::cases(setting, effort);
    FOLLOWED => |_, setting, effort| watch::followed(setting, effort);
    POLLED => |_, setting, effort| polled::cases(setting, effort);
    SURROUNDINGS => otherwise::cases;
};

/// What an engine drives.
const DRIVEN: Table = own_families! {
    GRAPHS => engine::cases;
    ENGINES => |_, setting, effort| engines::cases(setting, effort);
};

/// Hosts start slowly, and environments are many. Hundreds of calls take long.
fn is_slow(case: &Case) -> bool {
    let slow = [Relation::ENVIRONMENT, Relation::GROWTH];
    let mut groups = case.groups.iter();
    groups.any(|member| slow.contains(&member.relation))
}

/// A session that describes the kinds of the examples, and nothing else.
pub(crate) fn names(shown: &Shown, setting: &Setting<'_>) -> Vec<Case> {
    kinds::described(shown, setting).into_iter().collect()
}

/// The relations of all sessions that only mgmt resources have.
pub(crate) fn relations() -> Vec<Relation> {
    let tables = [FIRST, EXAMPLES, SUITE, DRIVEN];
    tables.into_iter().flat_map(relations_of).collect()
}

pub(crate) fn plans(
    shown: &Shown,
    setting: &Setting<'_>,
    stage: PlanningStage,
    effort: Effort,
) -> Vec<Planned> {
    let own = |table| own(table, shown, setting, effort);
    let cases = match stage {
        PlanningStage::First => own(FIRST),
        PlanningStage::Examples => {
            let mut cases = own(EXAMPLES);
            cases.extend(plans::examples(setting));
            cases
        }
        PlanningStage::Suite => {
            let mut cases = own(SUITE);
            cases.extend(plans::cases(setting, effort));
            cases.extend(own(DRIVEN));
            cases.retain(|case| effort > Effort::Quick || !is_slow(case));
            cases
        }
    };
    cases.into_iter().map(Planned::Case).collect()
}
