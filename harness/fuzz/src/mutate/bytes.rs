//! Changes how messages are sent: in pieces, or with broken bytes.

use crate::dice::Dice;
use crate::input::{Input, InputStep, Piece};
use crate::plan::encoded;
use crate::space::Space;

/// Cuts a message into pieces, some with pauses between.
pub(super) fn divide(dice: &mut Dice, input: &mut Input) {
    let at = dice.below(input.asks().count());
    let Some(ask) = input.asks_mut().nth(at) else {
        return;
    };
    if dice.one_in(3) {
        ask.pieces.clear();
        return;
    }
    let pause = |dice: &mut Dice| match dice.below(4) {
        0 => 0,
        _ => 1_u32 << dice.below(12),
    };
    for _ in 0..=dice.below(3) {
        if ask.pieces.len() < 8 {
            ask.pieces.push(Piece {
                at: u16::try_from(dice.below(1_001)).unwrap_or(0),
                pause_us: pause(dice),
            });
        }
    }
}

/// Adds a message that is nearly one of the input's: what no agent sends.
pub(super) fn raw(space: &Space<'_>, dice: &mut Dice, input: &mut Input) {
    let at = dice.below(input.asks().count());
    let mut bytes = match input.asks().nth(at) {
        Some(ask) if space.sends(&ask.item) => {
            space.secrets.hidden(&encoded(space, ask)).into_owned()
        }
        _ => return,
    };
    for _ in 0..=dice.below(3) {
        damage(dice, &mut bytes);
    }
    let at = dice.below(input.steps.len() + 1);
    let bytes = bytes.into();
    input.steps.insert(at, InputStep::Raw { bytes });
}

fn damage(dice: &mut Dice, bytes: &mut Vec<u8>) {
    let len = bytes.len();
    let at = dice.below(len + 1);
    match dice.below(8) {
        0 => bytes.truncate(at),
        1 => {
            bytes.drain(..at);
        }
        2 if len > 0 => {
            let at = at.min(len - 1);
            bytes[at] ^= 1 << dice.below(8);
        }
        3 => bytes
            .splice(at..at, [b"\0\n\"{}[]\\,:=\xff"[dice.below(12)]])
            .for_each(drop),
        4 => {
            let to = (at + dice.below(16)).min(len);
            bytes.drain(at.min(to)..to);
        }
        5 => {
            let to = (at + dice.below(64)).min(len);
            let again = bytes[at.min(to)..to].to_vec();
            bytes.splice(at..at, again).for_each(drop);
        }
        6 => bytes
            .splice(at..at, std::iter::repeat_n(b'[', 1 << dice.below(12)))
            .for_each(drop),
        _ => bytes.extend_from_slice(b"\n\n"),
    }
    // Without the end of a message, the session has to close the input, and needs one more process.
    if !bytes.ends_with(b"\n\n") && !dice.one_in(8) {
        bytes.extend_from_slice(b"\n\n");
    }
}
