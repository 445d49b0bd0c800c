//! The choices of a campaign: rolled from a seed, or taken from bytes that another fuzzer makes.

use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use stickler_suite::values;

/// The most bytes that one made-up text is taken from.
const TEXT: usize = 64;
/// So many words follow them, more than any text takes: without end, a pass-through generator gives
/// zeros, and strategies may refuse zeros for ever.
const MORE: usize = 2_048;

/// Picks and rolls.
#[derive(Clone, Debug)]
pub(crate) struct Dice(Source);

#[derive(Clone, Debug)]
enum Source {
    Rolled(values::Dice),
    Taken { bytes: Vec<u8>, at: usize },
}

impl Dice {
    /// Choices from a seed. `salt` separates the streams of one seed.
    pub(crate) fn new(seed: u64, salt: &str) -> Self {
        Dice(Source::Rolled(values::Dice::new(seed, salt)))
    }

    /// Choices from bytes: each takes as few as it needs, so that a small change of the bytes is a
    /// small change of what they choose. After the last byte, each choice is the first one.
    pub(crate) fn taken(bytes: &[u8]) -> Self {
        Dice(Source::Taken {
            bytes: bytes.to_vec(),
            at: 0,
        })
    }

    /// Are all bytes used? A seed never ends.
    pub(crate) fn is_spent(&self) -> bool {
        match &self.0 {
            Source::Rolled(_) => false,
            Source::Taken { bytes, at } => *at >= bytes.len(),
        }
    }

    /// A number below `n`; 0 if `n` is 0.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        let most = n as u64;
        let number = match &mut self.0 {
            _ if most == 0 => 0,
            Source::Rolled(dice) => dice.roll() % most,
            Source::Taken { bytes, at } => {
                let width = match most - 1 {
                    0 => 0,
                    1..=0xff => 1,
                    0x100..=0xffff => 2,
                    _ => 8,
                };
                let number = next(bytes, at, width).iter().rev();
                number.fold(0, |number: u64, byte| number << 8 | u64::from(*byte)) % most
            }
        };
        usize::try_from(number).unwrap_or(0)
    }

    /// True in one of `n` cases.
    pub(crate) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// One of several; `None` if there is none.
    pub(crate) fn pick<'t, T>(&mut self, all: &'t [T]) -> Option<&'t T> {
        all.get(self.below(all.len()))
    }

    /// Draws from a strategy.
    pub(crate) fn runner(&mut self) -> TestRunner {
        let rng = match &mut self.0 {
            Source::Rolled(dice) => {
                let mut seed = [0; 32];
                for part in seed.chunks_mut(8) {
                    part.copy_from_slice(&dice.roll().to_le_bytes());
                }
                TestRng::from_seed(RngAlgorithm::ChaCha, &seed)
            }
            // The first byte says how many there are: what comes after them stays what it is.
            Source::Taken { bytes, at } => {
                let count = next(bytes, at, 1).first().copied().unwrap_or(0);
                let mut own = next(bytes, at, usize::from(count) % (TEXT + 1)).to_vec();
                let mix = |seed: u64, byte: &u8| seed.rotate_left(8) ^ u64::from(*byte);
                let mut more = values::Dice::new(own.iter().fold(0, mix), "more");
                own.extend((0..MORE).flat_map(|_| more.roll().to_le_bytes()));
                TestRng::from_seed(RngAlgorithm::PassThrough, &own)
            }
        };
        TestRunner::new_with_rng(Config::default(), rng)
    }
}

/// The next bytes, as far as there are any.
fn next<'b>(bytes: &'b [u8], at: &mut usize, count: usize) -> &'b [u8] {
    let from = (*at).min(bytes.len());
    let to = (from + count).min(bytes.len());
    *at = to;
    &bytes[from..to]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::strategy::{Strategy, ValueTree};

    #[test]
    fn dice_made_from_bytes_pick_the_first_choice_once_spent() {
        let mut dice = Dice::taken(&[7, 0x34, 0x12, 2, b'x', b'y', 5]);
        assert_eq!(dice.below(1), 0);
        assert_eq!(dice.below(10), 7);
        assert_eq!(dice.below(0x2000), 0x1234);
        let text = "[a-z]{0,9}".new_tree(&mut dice.runner()).expect("a text");
        assert!(text.current().len() < 10);
        assert!(!dice.is_spent());
        assert_eq!(dice.pick(&[0, 1, 2, 3, 4, 5]), Some(&5));
        assert!(dice.is_spent());
        assert_eq!((dice.below(100), dice.below(1 << 20)), (0, 0));
        assert!(dice.one_in(9));
        assert_eq!(dice.pick::<u8>(&[]), None);
    }

    #[test]
    fn a_seed_gives_the_same_choices_each_time() {
        let all = |salt| {
            let mut dice = Dice::new(1, salt);
            [0; 20].map(|_| dice.below(1000))
        };
        assert_eq!(all("a"), all("a"));
        assert_ne!(all("a"), all("b"));
    }
}
