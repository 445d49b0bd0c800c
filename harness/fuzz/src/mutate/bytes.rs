//! Changes how messages are sent: in pieces, or with broken bytes.

use super::mutation::{Change, Changing, Fits, Means, Mutation};
use super::steps::any_ask;
use crate::input::{Input, InputStep, Piece};
use crate::plan::encoded;

/// How many cuts a message has at most.
const CUTS: usize = 8;
/// How many bytes a broken message has at most.
const MOST: usize = 1 << 17;

pub(super) const MUTATIONS: &[Mutation] = &[
    Mutation::new(
        "pieces/cut",
        "cuts a message into pieces, some with pauses between",
        32,
        Change::Input(cut),
    ),
    Mutation::new(
        "pieces/join",
        "sends a message in one piece again",
        6,
        Change::Input(|means, input| {
            let pieces = &mut any_ask(means, input)?.pieces;
            (!pieces.is_empty()).then(|| pieces.clear())
        }),
    ),
    Mutation::new(
        "raw/head",
        "sends only the beginning of a message",
        8,
        Change::Message(|means, bytes| {
            bytes.truncate(means.dice.below(bytes.len() + 1));
            Some(())
        }),
    )
    .alone(),
    Mutation::new(
        "raw/tail",
        "sends only the end of a message",
        8,
        Change::Message(|means, bytes| {
            let to = means.dice.below(bytes.len() + 1);
            bytes.drain(..to);
            Some(())
        }),
    )
    .alone(),
    Mutation::new(
        "raw/bit",
        "changes a bit of a message",
        8,
        Change::Message(|means, bytes| {
            let at = means.dice.below(bytes.len());
            *bytes.get_mut(at)? ^= 1 << means.dice.below(8);
            Some(())
        }),
    )
    .alone(),
    Mutation::new(
        "raw/sign",
        "inserts a sign of the protocol, or a byte that is no text, into a message",
        8,
        Change::Message(|means, bytes| {
            let sign = b"\0\n\"{}[]\\,:=\xff"[means.dice.below(12)];
            insert(means, bytes, vec![sign])
        }),
    )
    .alone(),
    Mutation::new(
        "raw/delete",
        "leaves out some bytes of a message",
        8,
        Change::Message(|means, bytes| {
            let at = means.dice.below(bytes.len());
            let to = at + 1 + means.dice.below(15);
            bytes.drain(at..to.min(bytes.len()));
            Some(())
        }),
    )
    .alone(),
    Mutation::new(
        "raw/double",
        "doubles some bytes of a message",
        8,
        Change::Message(|means, bytes| {
            let at = means.dice.below(bytes.len());
            let to = at + 1 + means.dice.below(63);
            let again = bytes[at..to.min(bytes.len())].to_vec();
            bytes.splice(at..at, again).for_each(drop);
            Some(())
        }),
    )
    .alone(),
    Mutation::new(
        "raw/nest",
        "inserts up to 2,048 opening brackets into a message",
        8,
        Change::Message(|means, bytes| {
            let brackets = vec![b'['; 1 << means.dice.below(12)];
            insert(means, bytes, brackets)
        }),
    )
    .alone(),
    Mutation::new(
        "raw/end",
        "sends the end of a message twice",
        8,
        Change::Message(|_, bytes| {
            bytes.extend_from_slice(b"\n\n");
            Some(())
        }),
    )
    .alone(),
];

fn number(below: usize) -> u16 {
    u16::try_from(below).unwrap_or(u16::MAX)
}

fn cut(means: &mut Means<'_>, input: &mut Input) -> Fits {
    let pieces = &mut any_ask(means, input)?.pieces;
    for _ in 0..=means.dice.below(3) {
        if pieces.len() < CUTS {
            let pause_us = match means.dice.below(4) {
                0 => 0,
                _ => 1 << means.dice.below(12),
            };
            // As often near the end as anywhere.
            let place = match means.dice.one_in(2) {
                true => Piece::before_end(number(1 + means.dice.below(8)), pause_us),
                false => Piece::at(number(means.dice.below(1_001)), pause_us),
            };
            pieces.push(place);
        }
    }
    Some(())
}

fn insert(means: &mut Means<'_>, bytes: &mut Vec<u8>, new: Vec<u8>) -> Fits {
    let at = means.dice.below(bytes.len() + 1);
    bytes.splice(at..at, new).for_each(drop);
    Some(())
}

/// Breaks a message that the input has broken already, or adds one that is nearly one of the input's: what no agent
/// sends.
pub(super) fn of_one_message(
    means: &mut Means<'_>,
    input: &mut Input,
    change: Changing<Vec<u8>>,
) -> Fits {
    let raw = input.steps.iter().enumerate();
    let raw = raw.filter(|(_, step)| matches!(step, InputStep::Raw { .. }));
    let raw: Vec<usize> = raw.map(|(at, _)| at).collect();
    let known = means
        .dice
        .one_in(2)
        .then(|| means.dice.pick(&raw))
        .flatten();
    let mut broken = match known.map(|at| &input.steps[*at]) {
        Some(InputStep::Raw { bytes }) => bytes.to_vec(),
        _ => {
            let ask = &*any_ask(means, input)?;
            let space = means.space;
            let message = space.sends(&ask.item).then(|| encoded(space, ask))?;
            space.secrets.hidden(&message).into_owned()
        }
    };
    if broken.is_empty() {
        return None;
    }
    change(means, &mut broken)?;
    // Without the end of a message, the session has to close the input, and needs one more process.
    if !broken.ends_with(b"\n\n") && !means.dice.one_in(8) {
        broken.extend_from_slice(b"\n\n");
    }
    broken.truncate(MOST);
    let bytes = broken.into();
    match known {
        Some(at) => input.steps[*at] = InputStep::Raw { bytes },
        None => {
            let at = means.dice.below(input.steps.len() + 1);
            input.steps.insert(at, InputStep::Raw { bytes });
        }
    }
    Some(())
}
