//! The choices that make a policy.

/// A sequence of choices, random at first, then the same again.
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

    /// Choices made before. Where they end, the simplest one is taken.
    pub fn again(given: Vec<u32>) -> Self {
        Self {
            given,
            taken: Vec::new(),
            random: None,
        }
    }

    /// What was chosen.
    pub fn taken(&self) -> &[u32] {
        &self.taken
    }

    /// A number below `most`; the smaller, the simpler.
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

    /// Yes in so many of a hundred cases; no is simpler.
    pub(crate) fn chance(&mut self, percent: u32) -> bool {
        self.below(100) >= 100 - percent.min(100)
    }

    /// One of them; the first is the simplest.
    pub(crate) fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.index(all.len())]
    }

    /// A place in something that is not empty.
    pub(crate) fn index(&mut self, length: usize) -> usize {
        self.below(u32::try_from(length).unwrap_or(u32::MAX)) as usize
    }

    /// Whether one more is to come, where there are `so_far`: a part of a sequence
    /// can go with the choice that asked for it.
    pub(crate) fn more(&mut self, so_far: usize, most: usize, percent: u32) -> bool {
        so_far < most && self.chance(percent)
    }
}

/// SplitMix64.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
