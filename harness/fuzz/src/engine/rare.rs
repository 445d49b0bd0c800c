//! Chooses inputs by how rare it is what they showed: what thousands of inputs show needs no further ones.

use crate::dice::Dice;
use crate::novelty::set;
use libafl::Error;
use libafl::HasMetadata as _;
use libafl::corpus::{Corpus, CorpusId};
use libafl::feedbacks::MapNoveltiesMetadata;
use libafl::schedulers::Scheduler;
use libafl::state::{HasCorpus, HasRand};
use libafl_bolts::rands::Rand;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// How often each mark was set, by all inputs.
#[derive(Clone, Debug, Default)]
pub(super) struct Hits(Rc<RefCell<Vec<u32>>>);

impl Hits {
    /// Counts the marks that an input has set.
    pub(super) fn count(&self, map: &[u8]) {
        let mut hits = self.0.borrow_mut();
        hits.resize(map.len(), 0);
        for (at, _) in set(map) {
            hits[at] = hits[at].saturating_add(1);
        }
    }

    /// How often the rarest of some marks was set.
    fn rarest(&self, marks: &[usize]) -> u32 {
        let hits = self.0.borrow();
        let of = |mark: &usize| hits.get(*mark).copied().unwrap_or(0);
        marks.iter().map(of).min().unwrap_or(u32::MAX).max(1)
    }
}

/// As often as another scheduler chooses, this one does.
#[derive(Debug)]
pub(super) struct Rare<S> {
    inner: S,
    hits: Hits,
    /// What each input showed first.
    shown: BTreeMap<CorpusId, Vec<usize>>,
}

impl<S> Rare<S> {
    pub(super) fn new(inner: S, hits: Hits) -> Self {
        Rare {
            inner,
            hits,
            shown: BTreeMap::new(),
        }
    }

    /// An input, the likelier the rarer what it showed is.
    fn choose(&self, dice: &mut Dice) -> Option<CorpusId> {
        const WHOLE: u32 = 1 << 20;
        let weights = self.shown.iter();
        let weights = weights.map(|(id, marks)| (*id, (WHOLE / self.hits.rarest(marks)).max(1)));
        let all: Vec<(CorpusId, u32)> = weights.collect();
        let sum: u64 = all.iter().map(|(_, weight)| u64::from(*weight)).sum();
        let mut at = dice.below(usize::try_from(sum).unwrap_or(usize::MAX)) as u64;
        all.into_iter()
            .find(|(_, weight)| match at.checked_sub(u64::from(*weight)) {
                Some(rest) => {
                    at = rest;
                    false
                }
                None => true,
            })
            .map(|(id, _)| id)
    }
}

impl<I, S, T> Scheduler<I, T> for Rare<S>
where
    S: Scheduler<I, T>,
    T: HasCorpus<I> + HasRand,
{
    fn on_add(&mut self, state: &mut T, id: CorpusId) -> Result<(), Error> {
        let marks = {
            let testcase = state.corpus().get(id)?.borrow();
            let novelties = testcase.metadata::<MapNoveltiesMetadata>();
            novelties.map_or_else(|_| Vec::new(), |novelties| novelties.list.clone())
        };
        self.shown.insert(id, marks);
        self.inner.on_add(state, id)
    }

    fn on_evaluation<OT>(&mut self, state: &mut T, input: &I, observers: &OT) -> Result<(), Error>
    where
        OT: libafl_bolts::tuples::MatchName,
    {
        self.inner.on_evaluation(state, input, observers)
    }

    fn next(&mut self, state: &mut T) -> Result<CorpusId, Error> {
        let mut dice = Dice::new(state.rand_mut().next(), "schedule");
        let rare = dice.one_in(2).then(|| self.choose(&mut dice)).flatten();
        // What the corpus has dropped since shows nothing of its own.
        let is_gone = rare.is_some_and(|id| state.corpus().get(id).is_err());
        if is_gone {
            self.shown.retain(|id, _| state.corpus().get(*id).is_ok());
        }
        match rare.filter(|_| !is_gone) {
            Some(id) => {
                self.inner.set_current_scheduled(state, Some(id))?;
                Ok(id)
            }
            None => self.inner.next(state),
        }
    }

    fn set_current_scheduled(
        &mut self,
        state: &mut T,
        next: Option<CorpusId>,
    ) -> Result<(), Error> {
        self.inner.set_current_scheduled(state, next)
    }
}
