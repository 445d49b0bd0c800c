//! The order in which sessions are held, so that a run that ends early has seen the most.
//!
//! Relations take turns. A relation that many rules read has its turn more often, and cheap
//! sessions come before expensive ones. This is weighted fair queueing: each relation has a clock,
//! a session advances it by its cost divided by the weight, and the session that would be done
//! first by these clocks is next. The second session of a relation counts twice, the third three
//! times: what is new tells more than what is alike.

use crate::dialect::Planned;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use stickler_judge::{Level, Rule};
use stickler_transcript::{Relation, Role};

/// How much each relation tells: the weights of the rules that read it.
pub(crate) fn weights<V>(rules: &[&'static Rule<V>]) -> BTreeMap<Relation, u64> {
    let mut weights: BTreeMap<Relation, u64> = BTreeMap::new();
    for rule in rules {
        let weight = match rule.level {
            Level::Must => 4,
            Level::Should => 2,
            Level::May => 1,
        };
        for relation in rule.relations() {
            *weights.entry(relation).or_default() += weight;
        }
    }
    // Otherwise, a relation that a single rule reads would have its turn too late.
    weights
        .values_mut()
        .for_each(|weight| *weight = u64::from(weight.ilog2()) + 1);
    weights
}

/// What the order needs to know about a session.
#[derive(Clone, Debug)]
struct Item {
    relation: Relation,
    cost: u64,
    /// The groups in which it is the baseline.
    opens: Vec<String>,
    /// All its groups.
    groups: Vec<String>,
    /// Does it show what differs from run to run? Then it comes last, when time has passed.
    closes: bool,
}

impl Item {
    fn of(planned: &Planned, cost: u64) -> Item {
        let relation = planned.relations().first().copied();
        let members = planned.members();
        let opens = members.iter().filter(|one| one.role == Role::Baseline);
        Item {
            relation: relation.unwrap_or(Relation::Alone),
            cost,
            opens: opens.map(|one| one.group.clone()).collect(),
            groups: planned.groups(),
            closes: members.iter().any(|one| one.role == Role::Again),
        }
    }
}

/// The sessions of a stage in the order in which they are held.
pub(crate) struct Schedule {
    /// The indices of the planned sessions; a baseline comes before its variants.
    pub order: Vec<usize>,
    /// The repetitions, which come last. One whose groups were not held at all is not needed.
    pub closing: Vec<usize>,
}

impl Schedule {
    /// The order of the plan.
    pub fn as_planned(count: usize) -> Schedule {
        Schedule {
            order: (0..count).collect(),
            closing: Vec::new(),
        }
    }

    /// Orders planned sessions by what they tell and what they cost, in microseconds.
    pub fn of(
        planned: &[Planned],
        cost: impl Fn(&Planned) -> u64,
        weights: &BTreeMap<Relation, u64>,
    ) -> Schedule {
        let items = planned.iter().map(|one| Item::of(one, cost(one)));
        schedule(&items.collect::<Vec<_>>(), weights)
    }
}

fn schedule(items: &[Item], weights: &BTreeMap<Relation, u64>) -> Schedule {
    let mut queues: BTreeMap<Relation, VecDeque<usize>> = BTreeMap::new();
    let mut baselines: HashMap<&str, usize> = HashMap::new();
    let mut closing = Vec::new();
    for (index, item) in items.iter().enumerate() {
        if item.closes {
            closing.push(index);
            continue;
        }
        queues.entry(item.relation).or_default().push_back(index);
        for group in &item.opens {
            baselines.insert(group, index);
        }
    }
    let mut clocks: BTreeMap<Relation, (u128, u128)> = BTreeMap::new();
    let mut taken: BTreeSet<usize> = BTreeSet::new();
    let mut order = Vec::new();
    loop {
        let done_at = |(relation, queue): (&Relation, &VecDeque<usize>)| {
            let weight = weights.get(relation).copied().unwrap_or(1).max(1);
            let cost = items[*queue.front()?].cost.max(1);
            let (clock, held) = clocks.get(relation).copied().unwrap_or((0, 0));
            let advance = u128::from(cost) * (held + 1) * 1_000 / u128::from(weight);
            Some((clock + advance, held + 1, *relation))
        };
        let Some((clock, held, relation)) = queues.iter().filter_map(done_at).min() else {
            break;
        };
        clocks.insert(relation, (clock, held));
        let Some(index) = queues.get_mut(&relation).and_then(VecDeque::pop_front) else {
            break;
        };
        // Without its baseline, a session tells half.
        let groups = items[index].groups.iter();
        let baselines = groups.filter_map(|group| baselines.get(&group[..]));
        for next in baselines.copied().chain([index]) {
            if taken.insert(next) {
                order.push(next);
            }
        }
    }
    Schedule { order, closing }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn item() -> impl Strategy<Value = Item> {
        let relation = prop::sample::select(Relation::ALL);
        let groups = prop::collection::btree_set(0_u8..6, 1..3);
        (relation, 1_u64..100_000, groups, 0_u8..4).prop_map(|(relation, cost, groups, role)| {
            let groups: Vec<String> = groups.iter().map(u8::to_string).collect();
            Item {
                relation,
                cost,
                opens: groups.iter().filter(|_| role == 0).cloned().collect(),
                groups,
                closes: role == 1,
            }
        })
    }

    proptest! {
        #[test]
        fn each_session_runs_once_and_baselines_run_first(
            items in prop::collection::vec(item(), 0..60),
        ) {
            let weights = BTreeMap::from([(Relation::Alone, 9), (Relation::Text, 3)]);
            let schedule = schedule(&items, &weights);
            let mut all = schedule.order.clone();
            all.extend(schedule.closing.iter());
            all.sort_unstable();
            prop_assert_eq!(all, (0..items.len()).collect::<Vec<_>>());
            // The last baseline of a name counts.
            let mut opened = HashMap::new();
            for (index, item) in items.iter().enumerate().filter(|(_, item)| !item.closes) {
                opened.extend(item.opens.iter().map(|group| (group.clone(), index)));
            }
            let place = |index: usize| schedule.order.iter().position(|one| *one == index);
            for index in &schedule.order {
                let item = &items[*index];
                if item.opens.is_empty() {
                    for baseline in item.groups.iter().filter_map(|group| opened.get(group)) {
                        prop_assert!(place(*baseline) < place(*index));
                    }
                }
            }
        }

        #[test]
        fn a_cheap_session_of_each_relation_comes_before_the_second_of_any_that_costs_the_same(
            counts in prop::collection::vec(1_usize..20, 2..10),
        ) {
            let items: Vec<Item> = counts
                .iter()
                .zip(Relation::ALL)
                .flat_map(|(count, relation)| {
                    (0..*count).map(move |number| Item {
                        relation: *relation,
                        cost: 1_000,
                        opens: Vec::new(),
                        groups: vec![format!("{relation}-{number}")],
                        closes: false,
                    })
                })
                .collect();
            let schedule = schedule(&items, &BTreeMap::new());
            let first: BTreeSet<Relation> = schedule.order[..counts.len()]
                .iter()
                .map(|index| items[*index].relation)
                .collect();
            prop_assert_eq!(first.len(), counts.len());
        }
    }
}
