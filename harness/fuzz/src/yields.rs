//! What each technique has brought: new marks, inputs of the corpus, defects, and the time that it took.

use crate::mutate::MUTATIONS;
use crate::technique::{SOURCES, Technique, Techniques};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// What a technique has brought. An input that several techniques made counts for each of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Yield {
    /// The technique.
    pub technique: Technique,
    /// How many of its inputs ran.
    pub tried: u64,
    /// How many marks they were the first to show.
    pub marks: u64,
    /// How many of them joined the corpus.
    pub corpus: u64,
    /// How many new defects are confirmed that they showed.
    pub findings: u64,
    /// How long they ran. The techniques of one input share its time.
    pub time: Duration,
}

/// The counters of all techniques, which all workers share.
#[derive(Debug)]
pub(crate) struct Yields(Vec<Counters>);

#[derive(Debug, Default)]
struct Counters {
    tried: AtomicU64,
    marks: AtomicU64,
    corpus: AtomicU64,
    findings: AtomicU64,
    nanoseconds: AtomicU64,
}

/// The list of all techniques: the sources, and then the mutations.
pub(crate) fn techniques() -> impl Iterator<Item = Technique> {
    let mutations = MUTATIONS.iter().map(|mutation| mutation.technique);
    SOURCES.iter().copied().chain(mutations)
}

impl Yields {
    pub(crate) fn new() -> Self {
        Yields(techniques().map(|_| Counters::default()).collect())
    }

    /// An input of these techniques ran so long.
    pub(crate) fn ran(&self, by: Techniques, time: Duration) {
        let share = time.as_nanos() / u128::from(by.count().max(1));
        let share = u64::try_from(share).unwrap_or(u64::MAX);
        self.add(by, |counters| &counters.tried, 1);
        self.add(by, |counters| &counters.nanoseconds, share);
    }

    /// It was the first to show so many marks.
    pub(crate) fn showed(&self, by: Techniques, marks: u64) {
        if marks > 0 {
            self.add(by, |counters| &counters.marks, marks);
        }
    }

    /// It joined the corpus.
    pub(crate) fn joined(&self, by: Techniques) {
        self.add(by, |counters| &counters.corpus, 1);
    }

    /// It showed a new defect.
    pub(crate) fn found(&self, by: Techniques) {
        self.add(by, |counters| &counters.findings, 1);
    }

    fn add(&self, by: Techniques, which: fn(&Counters) -> &AtomicU64, count: u64) {
        for counters in by.places().filter_map(|place| self.0.get(place)) {
            which(counters).fetch_add(count, Ordering::Relaxed);
        }
    }

    /// What each technique has brought up to now, in the order of the list.
    pub(crate) fn read(&self) -> impl Iterator<Item = Yield> {
        techniques().zip(&self.0).map(|(technique, counters)| {
            let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
            Yield {
                technique,
                tried: read(&counters.tried),
                marks: read(&counters.marks),
                corpus: read(&counters.corpus),
                findings: read(&counters.findings),
                time: Duration::from_nanos(read(&counters.nanoseconds)),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Yields, techniques};
    use crate::technique::{Source, Techniques};
    use std::collections::BTreeSet;
    use std::time::Duration;

    #[test]
    fn each_technique_has_a_name_of_its_own_and_a_place_in_the_set() {
        let names: BTreeSet<&str> = techniques().map(|technique| technique.name).collect();
        assert_eq!(names.len(), techniques().count());
        assert!(names.len() <= u128::BITS as usize);
        for technique in techniques() {
            assert!(technique.name.contains('/'), "{}", technique.name);
            let sentence = technique.sentence;
            assert!(
                !sentence.is_empty() && !sentence.ends_with('.'),
                "{sentence}"
            );
        }
    }

    #[test]
    fn each_technique_of_an_input_gets_its_yield_and_a_share_of_its_time() {
        let yields = Yields::new();
        let last = techniques().count() - 1;
        for place in 0..=last {
            let mut by = Techniques::default();
            by.add(place);
            yields.ran(by, Duration::from_secs(1));
        }
        let mut both = Techniques::from(Source::Seeds);
        both.add(last);
        yields.ran(both, Duration::from_secs(4));
        yields.showed(both, 3);
        yields.joined(both);
        yields.found(both);
        for (place, one) in yields.read().enumerate() {
            let counts = (one.tried, one.marks, one.corpus, one.findings);
            let is_both = place == 0 || place == last;
            let expected = if is_both { (2, 3, 1, 1) } else { (1, 0, 0, 0) };
            assert_eq!(counts, expected, "{}", one.technique.name);
            assert_eq!(one.time.as_secs(), if is_both { 3 } else { 1 });
        }
    }
}
