//! Who has the next turn: each kind of work gets its share of the time, as processes of one machine do.

use std::time::Duration;

/// A kind of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Work {
    /// What a campaign tries first.
    Probes,
    /// Those of these that take pauses, or processes of their own.
    Slow,
    /// Mutants of what showed something new.
    Mutants,
    /// What comes from comparisons.
    Follows,
    /// Searches around what showed something new.
    Searches,
    /// What others have found.
    Imports,
}

/// The kinds, and how large the share of each is.
const KINDS: [(Work, u32); 6] = [
    (Work::Probes, 4),
    (Work::Slow, 2),
    (Work::Follows, 3),
    (Work::Searches, 3),
    (Work::Mutants, 2),
    (Work::Imports, 1),
];
/// What had nothing to do for a while may be so much behind.
const BEHIND: Duration = Duration::from_secs(1);

/// How much time each kind has had, divided by its share.
#[derive(Debug, Default)]
pub(super) struct Shares([Duration; KINDS.len()]);

impl Shares {
    /// The kind that has had the least of those that have something to do.
    pub(super) fn next(&mut self, has_work: impl Fn(Work) -> bool) -> Option<Work> {
        let ready: Vec<usize> = (0..KINDS.len())
            .filter(|kind| has_work(KINDS[*kind].0))
            .collect();
        let most = ready.iter().map(|kind| self.0[*kind]).max()?;
        for kind in &ready {
            let had = &mut self.0[*kind];
            *had = (*had).max(most.saturating_sub(BEHIND));
        }
        let next = ready.into_iter().min_by_key(|kind| self.0[*kind])?;
        Some(KINDS[next].0)
    }

    /// A kind has had so much time.
    pub(super) fn had(&mut self, work: Work, time: Duration) {
        for ((kind, share), had) in KINDS.iter().zip(&mut self.0) {
            if *kind == work {
                *had += time / *share;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Shares, Work};
    use std::time::Duration;

    /// How often each of these had a turn, if a turn takes so many milliseconds.
    fn turns(shares: &mut Shares, works: &[(Work, u64)], count: usize) -> Vec<usize> {
        let mut turns = vec![0; works.len()];
        for _ in 0..count {
            let has_work = |work| works.iter().any(|(known, _)| *known == work);
            let next = shares.next(has_work).expect("there is work");
            let at = works.iter().position(|(known, _)| *known == next);
            let at = at.expect("one that has work");
            turns[at] += 1;
            shares.had(next, Duration::from_millis(works[at].1));
        }
        turns
    }

    #[test]
    fn what_takes_longer_has_fewer_turns() {
        let works = [(Work::Probes, 1), (Work::Follows, 30), (Work::Searches, 3)];
        let turns = turns(&mut Shares::default(), &works, 1_000);
        assert!(
            turns[0] > 8 * turns[2] / 7 && turns[2] > 8 * turns[1],
            "{turns:?}"
        );
    }

    #[test]
    fn what_had_nothing_to_do_keeps_nobody_waiting_for_long() {
        let mut shares = Shares::default();
        turns(&mut shares, &[(Work::Probes, 1_000)], 100);
        let turns = turns(
            &mut shares,
            &[(Work::Probes, 100), (Work::Mutants, 100)],
            60,
        );
        assert!(turns[0] > 15, "{turns:?}");
        assert_eq!(Shares::default().next(|_| false), None);
    }
}
