//! The order in which sessions are held, so that a run that ends early has seen the most.
//!
//! First comes one session of each sort: what rules of level `must` read before the rest, cheap ones before
//! expensive ones. A sort is a plan family with the relation and the kind of items that it is about.
//!
//! Then, relations take turns. A relation that many rules read has its turn more often, and cheap
//! sessions come before expensive ones. This is weighted fair queueing: each relation has a clock,
//! a session advances it by its cost divided by the weight, and the session that would be done
//! first by these clocks is next. The second session of a relation counts twice, the third three
//! times: what is new tells more than what is alike.

use crate::dialect::Planned;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use stickler_judge::{Level, Rule};
use stickler_transcript::{Relation, Role};

/// How much a relation tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Weight {
    /// Its part of the turns.
    share: u64,
    /// Does a rule of level `must` read it?
    must: bool,
}

/// How much each relation tells: the weights of the rules that read it.
pub(crate) fn weights(rules: &[&'static Rule]) -> BTreeMap<Relation, Weight> {
    let mut weights: BTreeMap<Relation, Weight> = BTreeMap::new();
    for rule in rules {
        let share = match rule.level {
            Level::Must => 4,
            Level::Should => 2,
            Level::May => 1,
        };
        for relation in rule.relations() {
            let weight = weights.entry(relation).or_default();
            weight.share += share;
            weight.must |= rule.level == Level::Must;
        }
    }
    // Otherwise, a relation that a single rule reads would have its turn too late.
    weights
        .values_mut()
        .for_each(|weight| weight.share = u64::from(weight.share.ilog2()) + 1);
    weights
}

/// What the order needs to know about a session.
#[derive(Clone, Debug)]
struct Item {
    relation: Relation,
    /// The plan family, and the kind of its items.
    sort: (String, String),
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
            relation: relation.unwrap_or(Relation::ALONE),
            sort: (planned.family().to_owned(), planned.kind().to_owned()),
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
    /// So many of them come first: one of each sort that a rule of level `must` reads, and their baselines.
    pub essential: usize,
    /// The repetitions, which come last. One whose groups were not held at all is not needed.
    pub closing: Vec<usize>,
}

impl Schedule {
    /// The order of the plan.
    pub fn as_planned(count: usize) -> Schedule {
        Schedule {
            order: (0..count).collect(),
            essential: 0,
            closing: Vec::new(),
        }
    }

    /// Orders planned sessions by what they tell and what they cost, in microseconds.
    pub fn of(
        planned: &[Planned],
        costs: &[u64],
        weights: &BTreeMap<Relation, Weight>,
    ) -> Schedule {
        let items = planned.iter().zip(costs);
        let items = items.map(|(one, cost)| Item::of(one, *cost));
        schedule(&items.collect::<Vec<_>>(), weights)
    }
}

fn schedule(items: &[Item], weights: &BTreeMap<Relation, Weight>) -> Schedule {
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
    // Without its baseline, a session tells half.
    let mut take = |index: usize| -> usize {
        let mut taking = 0;
        let groups = items[index].groups.iter();
        let baselines = groups.filter_map(|group| baselines.get(&group[..]));
        for next in baselines.copied().chain([index]) {
            if taken.insert(next) {
                order.push(next);
                taking += 1;
            }
        }
        taking
    };
    let firsts = firsts(items, weights);
    let must = firsts.partition_point(|index| is_must(&items[*index], weights));
    let (essentials, rest) = firsts.split_at(must);
    let essential = essentials.iter().map(|index| take(*index)).sum();
    for index in rest {
        take(*index);
    }
    loop {
        let done_at = |(relation, queue): (&Relation, &VecDeque<usize>)| {
            let weight = weights
                .get(relation)
                .map_or(1, |weight| weight.share.max(1));
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
        take(index);
    }
    Schedule {
        order,
        essential,
        closing,
    }
}

/// The cheapest session of each sort, in the order in which they are held.
fn firsts(items: &[Item], weights: &BTreeMap<Relation, Weight>) -> Vec<usize> {
    let mut firsts: BTreeMap<(Relation, &(String, String)), usize> = BTreeMap::new();
    for (index, item) in items.iter().enumerate().filter(|(_, item)| !item.closes) {
        let first = firsts.entry((item.relation, &item.sort)).or_insert(index);
        if item.cost < items[*first].cost {
            *first = index;
        }
    }
    let mut firsts: Vec<usize> = firsts.into_values().collect();
    firsts.sort_by_key(|index| {
        let item = &items[*index];
        (!is_must(item, weights), item.cost, *index)
    });
    firsts
}

/// Does a rule of level `must` read it?
fn is_must(item: &Item, weights: &BTreeMap<Relation, Weight>) -> bool {
    let weight = weights.get(&item.relation);
    weight.is_some_and(|weight| weight.must)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn relations() -> Vec<Relation> {
        Relation::COMMON
            .iter()
            .map(|(relation, _)| *relation)
            .collect()
    }

    fn item() -> impl Strategy<Value = Item> {
        let relation = prop::sample::select(relations());
        let groups = prop::collection::btree_set(0_u8..6, 1..3);
        (relation, 1_u64..100_000, groups, 0_u8..4).prop_map(|(relation, cost, groups, role)| {
            let groups: Vec<String> = groups.iter().map(u8::to_string).collect();
            Item {
                relation,
                sort: (format!("family{}", cost % 3), String::new()),
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
            let weights = BTreeMap::from([
                (Relation::ALONE, Weight { share: 9, must: true }),
                (Relation::TEXT, Weight { share: 3, must: false }),
            ]);
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
        fn one_session_of_each_sort_comes_before_the_second_of_any_and_must_comes_first(
            items in prop::collection::vec(item(), 1..60),
        ) {
            let weights = BTreeMap::from([(Relation::ALONE, Weight { share: 1, must: true })]);
            let of = |index: &usize| (items[*index].relation, items[*index].sort.clone());
            let firsts = firsts(&items, &weights);
            let sorts: BTreeSet<_> = firsts.iter().map(of).collect();
            prop_assert_eq!(sorts.len(), firsts.len());
            let all: BTreeSet<_> = (0..items.len())
                .filter(|index| !items[*index].closes)
                .map(|index| of(&index))
                .collect();
            prop_assert_eq!(sorts, all);
            let is_must = |index: &usize| items[*index].relation == Relation::ALONE;
            let must = firsts.iter().take_while(|index| is_must(index)).count();
            prop_assert!(!firsts[must..].iter().any(is_must));
            for part in [&firsts[..must], &firsts[must..]] {
                prop_assert!(part.is_sorted_by_key(|index| items[*index].cost));
            }
        }

        #[test]
        fn a_cheap_session_of_each_relation_comes_before_the_second_of_any_that_costs_the_same(
            counts in prop::collection::vec(1_usize..20, 2..10),
        ) {
            let items: Vec<Item> = counts
                .iter()
                .zip(relations())
                .flat_map(|(count, relation)| {
                    (0..*count).map(move |number| Item {
                        relation,
                        sort: Default::default(),
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
