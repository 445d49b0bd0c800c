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

pub(crate) use agent::AgentSession;

use stickler_session::RunOptions;
use stickler_session::sandbox::Host;
use stickler_suite::plans::{self, by_itself, by_themselves};
use stickler_suite::{Effort, Instance, Planned, Setting};
use stickler_transcript::{Case, Relation};

/// The header alone.
pub(crate) fn first(setting: &Setting<'_>) -> Vec<Planned> {
    let cases = by_themselves(Relation::Header, vec![header::plain(setting)]);
    cases.into_iter().map(Planned::Case).collect()
}

/// The plain examples.
pub(crate) fn examples(setting: &Setting<'_>) -> Vec<Planned> {
    let cases = plans::examples(setting);
    cases.into_iter().map(Planned::Case).collect()
}

/// Everything else.
pub(crate) fn suite(setting: &Setting<'_>, effort: Effort) -> Vec<Planned> {
    let mut cases = by_themselves(Relation::Header, header::cases(setting, effort));
    let mut add = |relation, family| cases.extend(by_themselves(relation, family));
    add(Relation::Ends, ends::cases(setting, effort));
    add(Relation::Keys, shapes::cases(setting, effort));
    add(Relation::Attributes, agents_own::cases(setting, effort));
    add(Relation::Broken, broken::cases(setting));
    add(Relation::Warn, policy::cases(setting, effort));
    cases.extend(plans::cases(setting, effort));
    plans::repeats_last(&mut cases);
    let mut planned: Vec<Planned> = cases.into_iter().map(Planned::Case).collect();
    planned.extend(
        agent::driven(setting, effort)
            .into_iter()
            .map(|driven| by_agent(driven, Relation::Policies)),
    );
    let batches = newer::for_each(setting, plans::batches(setting, effort));
    planned.extend(batches.into_iter().map(Planned::Batch));
    planned
}

/// A session in which the agent brings about items that a campaign made up, in a policy that
/// `number` chooses. `None` if the policy language can express none of them.
pub(crate) fn made_up(setting: &Setting<'_>, items: &[Instance], number: u64) -> Option<Planned> {
    let driven = made_up::made_up(setting, items, number)?;
    Some(by_agent(driven, Relation::Fuzz))
}

fn by_agent(mut driven: AgentSession, relation: Relation) -> Planned {
    by_itself(relation, &mut driven.case);
    let case = driven.case.clone();
    let drive = move |host: &Host, case: Case, options: &RunOptions<'_>| {
        crate::driven::hold(host, case, &driven, options)
    };
    Planned::Driven(case, Box::new(drive))
}
