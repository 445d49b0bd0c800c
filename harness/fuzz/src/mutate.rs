//! Changes inputs: their steps, the fields of their items, the bytes and pieces of their messages.

mod bytes;
mod matched;
mod steps;
pub(crate) mod surroundings;
mod text;
mod values;

use crate::dice::Dice;
pub(crate) use matched::{Tried, matched};
pub(crate) use steps::tame;
pub(crate) use text::last_part;

use crate::input::{Input, STEPS};
use crate::space::Space;

/// Changes an input in one to a few places. `other` is another input, for splicing. A mutant that
/// is not `free` needs no process of its own, has the surroundings of its parent and does not wait.
pub(crate) fn mutate(
    space: &Space<'_>,
    dice: &mut Dice,
    input: &mut Input,
    other: Option<&Input>,
    free: bool,
) {
    if !input.surroundings.is_empty() && !dice.one_in(4) {
        input.surroundings.clear();
    }
    // Steps that need a process of their own cost much, so most mutants do without them.
    if !(input.is_tame() || free && dice.one_in(8)) {
        steps::tame(input);
    }
    // Long inputs take long: a search for a value needs one message.
    if input.steps.len() > 2 && dice.one_in(4) {
        let kept = dice.below(input.steps.len());
        input.steps.swap(0, kept);
        input.steps.truncate(1 + dice.below(2));
    }
    let mut changes = 1 + dice.below(3);
    if dice.one_in(8) {
        changes += dice.below(8);
    }
    for _ in 0..changes {
        match dice.below(21) {
            0..=11 => values::mutate(space, dice, input, other),
            12..=17 => steps::mutate(space, dice, input, other),
            18 => bytes::divide(dice, input),
            19 if free => surroundings::mutate(space, dice, input),
            20 if free => bytes::raw(space, dice, input),
            _ => {}
        }
    }
    if !free {
        steps::tame(input);
        steps::hurry(input);
    }
    input.steps.truncate(STEPS);
    if input.steps.is_empty() {
        steps::add(space, dice, input);
    }
}
