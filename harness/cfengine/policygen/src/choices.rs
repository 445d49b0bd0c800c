//! The choices that determine a policy.

/// A sequence of choices, either random or replayed.
#[derive(Clone, Debug)]
pub struct Choices {
    given: Vec<u32>,
    taken: Vec<u32>,
    random: Option<u64>,
}

impl Choices {
    /// Random choices from a seed.
    pub fn random(seed: u64) -> Self {
        Self {
            given: Vec::new(),
            taken: Vec::new(),
            random: Some(seed),
        }
    }

    /// Replays earlier choices. After their end, the simplest choice is made.
    pub fn again(given: Vec<u32>) -> Self {
        Self {
            given,
            taken: Vec::new(),
            random: None,
        }
    }

    /// The choices so far.
    pub fn taken(&self) -> &[u32] {
        &self.taken
    }

    /// A number below `most`; a smaller number is simpler.
    pub(crate) fn below(&mut self, most: u32) -> u32 {
        let most = most.max(1);
        let number = match &mut self.random {
            Some(state) => u32::try_from(next(state) % u64::from(most)).unwrap_or(0),
            None => {
                let given = self.given.get(self.taken.len());
                given.copied().unwrap_or(0).min(most - 1)
            }
        };
        self.taken.push(number);
        number
    }

    /// True with this probability in percent; false is simpler.
    pub(crate) fn chance(&mut self, percent: u32) -> bool {
        self.below(100) >= 100 - percent.min(100)
    }

    /// One of the items; the first one is the simplest.
    pub(crate) fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.index(all.len())]
    }

    /// An index into a sequence that is not empty.
    pub(crate) fn index(&mut self, length: usize) -> usize {
        self.below(u32::try_from(length).unwrap_or(u32::MAX)) as usize
    }

    /// Whether a sequence with `so_far` items gets another item. The choice is right before the
    /// item, so that both can be removed together.
    pub(crate) fn more(&mut self, so_far: usize, most: usize, percent: u32) -> bool {
        so_far < most && self.chance(percent)
    }
}

/// One step of SplitMix64.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
