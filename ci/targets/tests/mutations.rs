//! Each mutation changes something, and what it makes stays within bounds.

use cfengine_protocol::wire::Protocol;
use cfengine_suite::Shown;
use std::collections::BTreeSet;
use stickler_fuzz::{Input, STEPS, chosen, mutated, mutations};
use stickler_suite::{Ask, Capabilities, CaseBuilder, Instance, Setting, Verbs};
use stickler_targets::input::{survives, with_setting};
use stickler_transcript::{Facts, Send};

/// As those of promise modules, with a deed.
struct WithDeed(Shown);

impl Verbs for WithDeed {
    fn facts(&self, setting: &Setting<'_>) -> Facts {
        self.0.facts(setting)
    }

    fn capabilities(&self) -> Capabilities {
        self.0.capabilities()
    }

    fn greet(&self, case: &mut CaseBuilder<'_>) {
        self.0.greet(case);
    }

    fn validate(
        &self,
        case: &mut CaseBuilder<'_>,
        ask: Ask<'_>,
        change: &mut dyn FnMut(&mut Send),
    ) {
        self.0.validate(case, ask, change);
    }

    fn evaluate(
        &self,
        case: &mut CaseBuilder<'_>,
        ask: Ask<'_>,
        change: &mut dyn FnMut(&mut Send),
    ) {
        self.0.evaluate(case, ask, change);
    }

    fn deeds(&self) -> &'static [&'static str] {
        &["wave"]
    }

    fn deed(&self, _: &mut CaseBuilder<'_>, _: &str, _: &Instance) {}

    fn farewell(&self, case: &mut CaseBuilder<'_>) {
        self.0.farewell(case);
    }
}

/// Bytes that a number chooses.
fn bytes(seed: u64) -> Vec<u8> {
    let mut state = seed;
    let next = |_| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 56) as u8
    };
    (0..64).map(next).collect()
}

#[test]
fn each_mutation_changes_some_input_and_leaves_it_within_bounds() {
    let compared = [[b"hello".to_vec(), b"open".to_vec()]];
    let protocol = Some(Protocol::Json);
    with_setting(&WithDeed(Shown { protocol }), |setting| {
        let mut changing = BTreeSet::new();
        for seed in 0..64_u64 {
            let one = |seed| -> Input { chosen(setting, &bytes(seed)) };
            let (mut input, other) = (one(2 * seed), one(2 * seed + 1));
            // Each begins with another one: what one makes may leave no room for the next.
            let (first, count) = (7 * seed as usize, mutations().count());
            for (number, name) in mutations().cycle().skip(first).take(count).enumerate() {
                let seed = seed << 8 | number as u64;
                let new = mutated(setting, name, (&input, &other), &compared, seed);
                let Some(new) = new.filter(|new| *new != input) else {
                    continue;
                };
                assert!(new.steps.len() <= STEPS, "{name}");
                // Six fields, and each text has at most 128 KiB and a word.
                assert!(new.weight() < 64 << 20, "{name}");
                changing.insert(name);
                // Most start from what all others made of an input, some from a fresh one.
                if !seed.is_multiple_of(4) {
                    input = new;
                }
            }
            survives(setting, &input);
        }
        let all: BTreeSet<&str> = mutations().collect();
        let idle: Vec<&&str> = all.difference(&changing).collect();
        assert!(idle.is_empty(), "{idle:?} never changed anything");
    });
}
