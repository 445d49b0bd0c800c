//! Functions that choose by a digest: the same input always gives the same choice.

use super::{Done, arg, class, list, string};
use crate::context::{Agent, Jenkins};
use crate::value::{Text, Value};
use sha2::{Digest, Sha256};

/// cf-agent's hash of the texts that choices depend on.
fn hash(text: &str) -> u32 {
    let mut state = Jenkins::default();
    state.add(text);
    state.finish()
}

/// `hash_to_int(from, to, text)`
pub(super) fn hash_to_int(agent: &mut Agent, _: &str, arguments: &[Value]) -> Done {
    let mut limit = |at| agent.int(arg(arguments, at)).map(|n| n as i32);
    let (Some(a), Some(b)) = (limit(0), limit(1)) else {
        return Ok(None);
    };
    let (from, to) = (i64::from(a.min(b)), i64::from(a.max(b)));
    let digest = Sha256::digest(cfengine_policy::text::encode(arg(arguments, 2)));
    let first = digest.iter().take(8).rev();
    let number = first.fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
    let range = u64::try_from(to - from).unwrap_or(0).max(1);
    string((from + (number % range) as i64).to_string())
}

/// `shuffle(list, seed)`
pub(super) fn shuffle(agent: &mut Agent, name: &str, arguments: &[Value]) -> Done {
    let Some(data) = agent.collect_container(name, &arguments[0]) else {
        return Ok(None);
    };
    let mut texts: Vec<Text> = super::collect::primitives(&data);
    let mut random = Random::new(hash(arg(arguments, 1)));
    for at in (1..texts.len()).rev() {
        let other = random.next() as usize % (at + 1);
        texts.swap(at, other);
    }
    texts.reverse();
    list(texts)
}

/// The C library's `rand` with a seed.
struct Random {
    state: [u32; 31],
    at: usize,
}

impl Random {
    fn new(seed: u32) -> Self {
        const DISCARDED: usize = 310;
        let mut state = [0_u32; 31];
        let mut word = seed.max(1) as i32;
        state[0] = word as u32;
        for slot in &mut state[1..] {
            let product = i64::from(word) * 16_807 % 2_147_483_647;
            let product = if product < 0 {
                product + 2_147_483_647
            } else {
                product
            };
            word = product as i32;
            *slot = word as u32;
        }
        let mut random = Self { state, at: 0 };
        for _ in 0..DISCARDED {
            random.next();
        }
        random
    }

    fn next(&mut self) -> u32 {
        let ahead = (self.at + 3) % 31;
        self.state[ahead] = self.state[ahead].wrapping_add(self.state[self.at]);
        let result = self.state[ahead] >> 1;
        self.at = (self.at + 1) % 31;
        result
    }
}

/// `splayclass(text, policy)`: whether the five minutes that the text maps to are now.
pub(super) fn splayclass(agent: &mut Agent, _: &str, arguments: &[Value]) -> Done {
    const RANGE: u32 = 8192;
    let text = arg(arguments, 0);
    let chosen = hash(text) & (RANGE - 1);
    let minutes = |slot: u32| format!("Min{:02}_{:02}", slot * 5, (slot + 1) * 5 % 60);
    let name = if arg(arguments, 1) == "hourly" {
        minutes(chosen * 12 / RANGE)
    } else {
        let slot = chosen * 12 * 24 / RANGE;
        format!("{}.Hr{:02}", minutes(slot % 12), slot / 12)
    };
    agent.verbose(|| format!("Computed context for '{text}' splayclass: '{name}'"));
    let holds = agent.is_defined(&Text::from(name));
    class(holds)
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn numbers_are_those_of_the_c_library() {
        let mut random = Random::new(1);
        assert_eq!(
            [random.next(), random.next(), random.next()],
            [1_804_289_383, 846_930_886, 1_681_692_777]
        );
    }
}
