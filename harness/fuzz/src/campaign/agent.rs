//! Sessions that the dialect's agent drives, with items from the corpus.

use super::worker::Worker;
use crate::confirm::{Confirmed, TRIES};
use crate::driven::Programme;
use crate::engine::Target;
use crate::input::{Input, InputItem};
use crate::judging::Suspicion;
use crate::technique::Techniques;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use stickler_judge::AnySession;
use stickler_suite::{RunError, lock};
use stickler_transcript::Value;

/// An agent drives a session after one of so many inputs.
const SAMPLED: usize = 50;
/// That takes at most one part in so many of the time.
const SHARE: u32 = 12;
/// How many items a program has at most.
const ITEMS: usize = 4;

/// What a worker knows about the dialect's agent.
#[derive(Debug)]
pub(super) struct Agent {
    /// May it be asked?
    is_there: bool,
    /// Did it drive a session?
    held: bool,
    /// How often it could send none of the items.
    refused: usize,
    /// How long its sessions took.
    pub(super) took: Duration,
}

impl Agent {
    /// `sandboxed`: do effects stay in a sandbox? Otherwise only the author's own examples are
    /// evaluated.
    pub(super) fn new(sandboxed: bool) -> Self {
        Agent {
            is_there: sandboxed,
            held: false,
            refused: 0,
            took: Duration::ZERO,
        }
    }
}

impl Worker<'_> {
    /// From time to time, has the agent drive a session.
    pub(super) fn drive(&mut self) -> Result<(), RunError> {
        let began = self.campaign.counters.began.elapsed();
        let rests = !self.agent.is_there || self.agent.took * SHARE > began;
        if rests || self.is_over() || !self.dice.one_in(SAMPLED) {
            return Ok(());
        }
        let began = Instant::now();
        let programme = Programme {
            items: self.any_items(),
            number: self.dice.below(usize::MAX) as u64,
        };
        let done = self.drive_with(&programme);
        self.agent.took += began.elapsed();
        done
    }

    fn drive_with(&mut self, programme: &Programme) -> Result<(), RunError> {
        let Some(session) = self.driver.driven(programme)? else {
            // If there is no agent, it need not be asked again and again.
            self.agent.refused += 1;
            self.agent.is_there = self.agent.held || self.agent.refused < SAMPLED;
            return Ok(());
        };
        self.agent.held = true;
        self.count(&session);
        for suspicion in self.judge.suspicions(&session) {
            if self.campaign.known.take(&suspicion) {
                let signature = suspicion.signature.clone();
                let found = self.confirm_driven(programme.clone(), &suspicion);
                let level = matches!(found, Ok(true)).then_some(suspicion.level);
                self.campaign.known.settle(signature, level);
                found?;
            }
        }
        Ok(())
    }

    /// Items of the corpus.
    fn any_items(&mut self) -> Vec<InputItem> {
        let pool = lock(&self.campaign.pool);
        let count = 1 + self.dice.below(ITEMS);
        let mut items: Vec<InputItem> = Vec::new();
        for _ in 0..count {
            let input = pool.any(&mut self.dice);
            let asks = input.iter().flat_map(|input| input.asks());
            let all: Vec<&InputItem> = asks.map(|ask| &ask.item).collect();
            // Two that want something else of one file would never be done. What the protocol
            // cannot carry, such as line ends, is not the subject's fault.
            if let Some(item) = self.dice.pick(&all)
                && self.space.sends(item)
                && items.iter().all(|known| !share(known, item))
            {
                items.push((*item).clone());
            }
        }
        items
    }

    /// Does a program show a suspicion?
    fn shows_driven(
        &mut self,
        programme: &Programme,
        suspicion: &Suspicion,
    ) -> Result<Option<AnySession>, RunError> {
        let judge = self.judge;
        let session = self.driver.driven(programme)?;
        Ok(session.filter(|session| {
            let mut again = judge.suspicions(session).into_iter();
            again.any(|again| again.signature.resembles(&suspicion.signature))
        }))
    }

    /// Runs a program again, with fewer items as long as it shows the same.
    fn confirm_driven(
        &mut self,
        mut programme: Programme,
        suspicion: &Suspicion,
    ) -> Result<bool, RunError> {
        let Some(mut shown) = self.shows_driven(&programme, suspicion)? else {
            return Ok(false);
        };
        'smaller: loop {
            for smaller in programme.smaller() {
                if let Some(now) = self.shows_driven(&smaller, suspicion)? {
                    (programme, shown) = (smaller, now);
                    continue 'smaller;
                }
            }
            break;
        }
        let mut times = 1;
        for _ in 1..TRIES {
            if let Some(now) = self.shows_driven(&programme, suspicion)? {
                shown = now;
                times += 1;
            }
        }
        let confirmed = Confirmed {
            input: Input::default(),
            session: shown,
            suspicion: suspicion.clone(),
            shown: (times, TRIES),
        };
        let at = self.campaign.counters.began.elapsed();
        let cases = self.campaign.counters.cases.load(Ordering::Relaxed);
        let Some(finding) = confirmed.finding(self.judge, at, cases) else {
            return Ok(false);
        };
        // The agent chose the items.
        self.campaign.find(finding, Techniques::default());
        Ok(true)
    }
}

/// Could two items be about one thing: do they name the same one, or one path?
fn share(one: &InputItem, other: &InputItem) -> bool {
    let named = |item: &InputItem| {
        let fields = item.attributes.iter().map(|(_, value)| value);
        let paths = fields
            .flat_map(Value::words)
            .filter(|word| word.contains(&b'/'));
        let identity = item.identity.iter().flat_map(|(_, value)| value.words());
        identity
            .chain(paths)
            .map(<[u8]>::to_vec)
            .collect::<Vec<_>>()
    };
    let known = named(one);
    named(other).iter().any(|word| known.contains(word))
}
