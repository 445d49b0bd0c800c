//! Changes inputs: their steps, the fields of their items, the bytes and pieces of their messages. Each way to do that
//! is a [`Mutation`] with a name, in the table of its file.

mod bytes;
mod matched;
mod mutation;
mod steps;
pub(crate) mod surroundings;
mod text;
mod values;

pub(crate) use matched::{Tried, matched};
pub(crate) use mutation::{Means, Mutation};
pub(crate) use steps::tame;
pub(crate) use text::last_part;

use crate::input::{Input, STEPS};
use crate::technique::{SOURCES, Techniques};
use mutation::{Change, Fits};
use std::sync::LazyLock;
use stickler_transcript::Value;

/// All mutations.
pub(crate) static MUTATIONS: LazyLock<Vec<&Mutation>> = LazyLock::new(|| {
    let all = [
        values::MUTATIONS,
        text::MUTATIONS,
        steps::MUTATIONS,
        bytes::MUTATIONS,
        surroundings::MUTATIONS,
    ];
    all.into_iter().flatten().collect()
});

/// How many mutations are tried until one fits.
const TRIES: usize = 4;

/// How often each mutation is chosen, compared with the others.
#[derive(Clone, Debug)]
pub(crate) struct Weights {
    /// The sums of the weights up to each mutation: of those that need no process of their own, and of all.
    sums: [Vec<usize>; 2],
}

impl Weights {
    /// The weights of the table.
    pub(crate) fn usual() -> Self {
        Weights::new(MUTATIONS.iter().map(|one| one.weight as usize))
    }

    /// These weights, in the order of the mutations.
    pub(crate) fn new(weights: impl Iterator<Item = usize>) -> Self {
        let mut sums = [Vec::new(), Vec::new()];
        let (mut tame, mut all) = (0, 0);
        for (mutation, weight) in MUTATIONS.iter().zip(weights) {
            tame += if mutation.needs_process { 0 } else { weight };
            all += weight;
            sums[0].push(tame);
            sums[1].push(all);
        }
        Weights { sums }
    }

    /// A mutation, by its place. One that is not `free` needs no process of its own.
    fn pick(&self, means: &mut Means<'_>, free: bool) -> usize {
        let sums = &self.sums[usize::from(free)];
        let at = means.dice.below(sums.last().copied().unwrap_or(0));
        sums.partition_point(|sum| *sum <= at)
    }
}

impl Mutation {
    /// Changes an input.
    fn apply(&self, means: &mut Means<'_>, input: &mut Input) -> Fits {
        /// Changes one of the values of this form.
        macro_rules! inside {
            ($form:ident, $change:ident) => {
                values::of_one_item(means, input, |means, item| {
                    let fits = |value: &Value| matches!(value, Value::$form(_));
                    values::of_one_value(means, item, fits, |means, value| match value {
                        Value::$form(inside) => $change(means, inside),
                        _ => None,
                    })
                })
            };
        }
        match self.change {
            Change::Input(change) => change(means, input),
            Change::Item(change) => values::of_one_item(means, input, change),
            Change::Value(change) => values::of_one_item(means, input, |means, item| {
                values::of_one_value(means, item, |_| true, change)
            }),
            Change::List(change) => inside!(List, change),
            Change::Object(change) => inside!(Object, change),
            Change::Text(change) => inside!(Text, change),
            Change::Message(change) => bytes::of_one_message(means, input, change),
        }
    }
}

/// Changes an input once. `None` if there is nothing to change.
pub(crate) fn changed(mutation: &Mutation, means: &mut Means<'_>, input: &mut Input) -> Fits {
    mutation.apply(means, input)?;
    input.steps.truncate(STEPS);
    Some(())
}

/// Changes an input in one to a few places, and returns the techniques. A mutant that is not `free` needs no process of
/// its own, has the surroundings of its parent and does not wait.
pub(crate) fn mutate(
    means: &mut Means<'_>,
    input: &mut Input,
    weights: &Weights,
    free: bool,
) -> Techniques {
    prepare(means, input, free);
    let mut changes = 1 + means.dice.below(3);
    if means.dice.one_in(8) {
        changes += means.dice.below(8);
    }
    let mut by = Techniques::default();
    for _ in 0..changes {
        let fitting = (0..TRIES).find_map(|_| {
            let place = weights.pick(means, free);
            changed(MUTATIONS.get(place)?, means, input)?;
            Some(place)
        });
        if let Some(place) = fitting {
            by.add(SOURCES.len() + place);
        }
    }
    if !free {
        steps::tame(input);
        steps::hurry(input);
    }
    if input.steps.is_empty() {
        steps::add(means, input);
    }
    by
}

/// Leaves out what costs much, most of the time.
fn prepare(means: &mut Means<'_>, input: &mut Input, free: bool) {
    let dice = &mut means.dice;
    if !input.surroundings.is_empty() && !dice.one_in(4) {
        input.surroundings.clear();
    }
    // Steps that need a process of their own.
    if !(input.is_tame() || free && dice.one_in(8)) {
        steps::tame(input);
    }
    // Long inputs take long: a search for a value needs one message.
    if input.steps.len() > 2 && dice.one_in(4) {
        let kept = dice.below(input.steps.len());
        input.steps.swap(0, kept);
        input.steps.truncate(1 + dice.below(2));
    }
}
