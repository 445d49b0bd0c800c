//! Chooses mutations by what they bring: what shows more in its time is chosen more often.
//!
//! What a mutation brings in a second has a gamma distribution whose mean is at first that of all mutations. Its weight
//! follows the mean of what is known after its inputs, within bounds. Old inputs count less and less: what is easy to show
//! is shown early.

use crate::mutate::{MUTATIONS, Weights};
use crate::technique::SOURCES;
use crate::yields::{Yield, Yields};

/// After so many choices, the weights are renewed.
const EVERY: u32 = 128;
/// How much of what was known counts then.
const KEPT: f64 = 0.95;
/// As if each mutation had brought so much, as fast as all others: few inputs say little.
const PRIOR: f64 = 8.0;
/// How many marks a defect counts for.
const DEFECT: u64 = 16;
/// How many times more often, or less often, than its table says a mutation is chosen at most.
const BOUND: f64 = 4.0;
/// How fine weights are.
const SCALE: f64 = 16.0;

/// The weights of one worker.
pub(crate) struct Bandit<'y> {
    yields: &'y Yields,
    weights: Weights,
    /// How many choices there were.
    choices: u32,
    /// For each mutation, what was known of it last in all.
    last: Vec<Earned>,
    /// The same as it counts now.
    recent: Vec<Earned>,
}

/// What a mutation brought, and in how many seconds.
#[derive(Clone, Copy, Debug, Default)]
struct Earned {
    reward: f64,
    seconds: f64,
}

impl Earned {
    fn of(one: &Yield) -> Self {
        Earned {
            reward: (one.marks + DEFECT * one.findings) as f64,
            seconds: one.time.as_secs_f64(),
        }
    }
}

impl<'y> Bandit<'y> {
    /// The weights of the table, at first.
    pub(crate) fn new(yields: &'y Yields) -> Self {
        Bandit {
            yields,
            weights: Weights::usual(),
            choices: 0,
            last: vec![Earned::default(); MUTATIONS.len()],
            recent: vec![Earned::default(); MUTATIONS.len()],
        }
    }

    /// The weights for the next input.
    pub(crate) fn weights(&mut self) -> &Weights {
        self.choices += 1;
        if self.choices >= EVERY {
            self.choices = 0;
            self.renew();
        }
        &self.weights
    }

    fn renew(&mut self) {
        let yields = self.yields.read().skip(SOURCES.len());
        let known = self.last.iter_mut().zip(&mut self.recent);
        for (one, (last, recent)) in yields.zip(known) {
            let now = Earned::of(&one);
            recent.reward = recent.reward * KEPT + now.reward - last.reward;
            recent.seconds = recent.seconds * KEPT + now.seconds - last.seconds;
            *last = now;
        }
        let factors = factors(&self.recent);
        let weights = MUTATIONS.iter().zip(factors);
        self.weights = Weights::new(
            weights
                .map(|(mutation, factor)| (f64::from(mutation.weight) * factor * SCALE) as usize),
        );
    }
}

/// How many times more often each mutation is chosen than its table says. Those that need a process of their own are
/// compared with each other: how much time they get is decided elsewhere.
fn factors(earned: &[Earned]) -> Vec<f64> {
    let rate = |needs_process: bool| {
        let all = MUTATIONS.iter().zip(earned);
        let same = all.filter(|(mutation, _)| mutation.needs_process == needs_process);
        let (reward, seconds) = same.fold((0.0, 0.0), |(reward, seconds), (_, one)| {
            (reward + one.reward, seconds + one.seconds)
        });
        reward / f64::max(seconds, 1e-9)
    };
    let rates = [rate(false), rate(true)];
    let all = MUTATIONS.iter().zip(earned);
    let factors = all.map(|(mutation, one)| {
        let expected = one.seconds * rates[usize::from(mutation.needs_process)];
        let factor = (one.reward + PRIOR) / (expected + PRIOR);
        factor.clamp(1.0 / BOUND, BOUND)
    });
    factors.collect()
}

#[cfg(test)]
mod tests {
    use super::{BOUND, Bandit, EVERY, Earned, factors};
    use crate::mutate::MUTATIONS;
    use crate::technique::{SOURCES, Techniques};
    use crate::yields::Yields;
    use std::time::Duration;

    #[test]
    fn a_mutation_is_chosen_by_what_it_brings_in_a_second_within_bounds() {
        let mut earned = vec![
            Earned {
                reward: 10.0,
                seconds: 1.0,
            };
            MUTATIONS.len()
        ];
        assert!(
            factors(&earned)
                .iter()
                .all(|factor| (factor - 1.0).abs() < 1e-9)
        );
        earned[0].reward = 1_000.0;
        earned[1].reward = 0.0;
        earned[2].seconds = 1_000.0;
        let all = factors(&earned);
        assert_eq!(all[0], BOUND);
        assert!(all[1] < all[3] && all[2] < all[3], "{all:?}");
        assert!(
            all.iter()
                .all(|factor| (1.0 / BOUND..=BOUND).contains(factor))
        );
        // Those of the other sort compete with each other only.
        let alone = MUTATIONS.iter().position(|one| one.needs_process);
        assert!((all[alone.expect("one")] - 1.0).abs() < 1e-9);
        // Nothing is known yet.
        let none = vec![Earned::default(); MUTATIONS.len()];
        assert!(
            factors(&none)
                .iter()
                .all(|factor| (factor - 1.0).abs() < 1e-9)
        );
    }

    #[test]
    fn what_was_brought_long_ago_counts_less() {
        let yields = Yields::new();
        let mut bandit = Bandit::new(&yields);
        let mut by = Techniques::default();
        by.add(SOURCES.len());
        for place in 0..MUTATIONS.len() {
            let mut other = Techniques::default();
            other.add(SOURCES.len() + place);
            yields.ran(other, Duration::from_secs(1));
        }
        yields.showed(by, 500);
        let mut renew = || {
            for _ in 0..EVERY {
                bandit.weights();
            }
            bandit.recent[0].reward
        };
        let first = renew();
        let later = renew();
        assert!(first == 500.0 && later < first && later > 0.0, "{later}");
    }
}
