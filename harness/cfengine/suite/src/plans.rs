//! The sessions of a promise module.

mod agent;
mod agents_own;
mod broken;
mod ends;
mod header;
mod made_up;
mod newer;
mod policy;
mod shapes;

use cfengine_protocol::relation::{
    ATTRIBUTES, BROKEN, ENDS, HEADER, KEYS, LARGE, LEVEL, PIECES, POLICIES,
};
use stickler_suite::plans::{self, OwnFamily, by_itself, own, relations_of};
use stickler_suite::{Effort, Instance, Planned, PlanningStage, Setting, own_families};
use stickler_transcript::{Case, Relation};

type Table = &'static [OwnFamily<()>];

/// Before anything is known.
const FIRST: Table = own_families! {
    HEADER => |(), setting, effort| header::first(setting, effort);
};

/// All but the plain examples.
const SUITE: Table = own_families! {
    HEADER => |(), setting, effort| header::cases(setting, effort);
    ENDS => |(), setting, effort| ends::cases(setting, effort);
    KEYS, ATTRIBUTES, LARGE, LEVEL, PIECES, Relation::ENVIRONMENT => |(), setting, effort| shapes::cases(setting, effort);
    ATTRIBUTES => |(), setting, effort| agents_own::cases(setting, effort);
    BROKEN => |(), setting, effort| broken::cases(setting, effort);
    Relation::WARN => |(), setting, effort| policy::cases(setting, effort);
};

/// What the reference agent drives.
const DRIVEN: Table = own_families! {
    POLICIES => |(), setting, effort| agent::driven(setting, effort);
};

/// The relations of all sessions that only promise modules have.
pub(crate) fn relations() -> Vec<Relation> {
    let tables = [FIRST, SUITE, DRIVEN];
    tables.into_iter().flat_map(relations_of).collect()
}

pub(crate) fn plans(setting: &Setting<'_>, stage: PlanningStage, effort: Effort) -> Vec<Planned> {
    let own = |table| own(table, &(), setting, effort);
    let mut cases = match stage {
        PlanningStage::First => own(FIRST),
        PlanningStage::Examples => plans::examples(setting),
        PlanningStage::Suite => own(SUITE),
    };
    let mut planned = Vec::new();
    if stage == PlanningStage::Suite {
        cases.extend(plans::cases(setting, effort));
        plans::repeats_last(&mut cases);
        cases.extend(own(DRIVEN));
        let batches = newer::for_each(setting, plans::batches(setting, effort));
        planned.extend(batches.into_iter().map(Planned::Batch));
    }
    let cases = cases.into_iter().map(Planned::Case);
    cases.chain(planned).collect()
}

/// A session in which the agent brings about items that a campaign made up, in a policy that
/// `number` chooses. `None` if the policy language can express none of them.
pub(crate) fn made_up(setting: &Setting<'_>, items: &[Instance], number: u64) -> Option<Case> {
    let mut case = made_up::made_up(setting, items, number)?;
    by_itself(Relation::FUZZ, &mut case);
    Some(case)
}
