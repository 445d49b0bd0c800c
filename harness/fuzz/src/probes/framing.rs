//! Messages that come otherwise than in one piece: cut, slow, or as no agent writes them.

use super::made::{evaluated, fields, with};
use crate::input::{Ask, Input, InputItem, InputStep, Piece, Verb};
use crate::plan::encoded;
use crate::space::Space;
use crate::turns::by_turns;
use std::collections::BTreeSet;
use stickler_transcript::Value;

/// How many letters of two bytes a text has that is cut inside of one.
const LETTERS: usize = 200;
/// A pause in which a reader that takes a piece for a message answers, in microseconds.
const LONG_US: u32 = 20_000;
/// A pause after which some readers give up.
const SECOND_US: u32 = 1_200_000;
/// How many places of a message are tried with such a pause.
const PLACES: usize = 40;
/// So many bytes of a message, its last, come one by one.
const BYTEWISE: usize = 64;

/// The only step of an input.
fn alone(ask: Ask) -> Input {
    Input {
        steps: vec![InputStep::Ask(ask)],
        ..Input::default()
    }
}

/// Each of the author's items in two pieces with a pause between, at the places where a reader may believe that a
/// message is over: around line ends and the signs that close a value. Once its end comes byte by byte. Another message
/// follows: what is left of the first must not be taken for it.
pub(super) fn slowly<'s>(space: &'s Space<'_>) -> impl Iterator<Item = Input> + 's {
    let each = space.items.iter().enumerate().map(move |(number, item)| {
        let ask = Ask::plain(Verb::Evaluate, item.clone());
        let message = encoded(space, &ask);
        let cut = |pieces: Vec<Piece>| {
            let validate = Ask {
                verb: Verb::Validate,
                pieces: pieces.clone(),
                ..ask.clone()
            };
            let evaluate = Ask {
                pieces,
                ..ask.clone()
            };
            let steps = [validate, evaluate, ask.clone()].map(InputStep::Ask);
            Input {
                steps: steps.into(),
                ..Input::default()
            }
        };
        let bytewise = (1..message.len().min(BYTEWISE)).rev();
        let bytewise = bytewise.filter_map(|before| u16::try_from(before).ok());
        let bytewise = bytewise.map(|before| Piece::before_end(before, 20));
        let bytewise = cut(bytewise.collect());
        let places = places(&message).into_iter();
        let places = places.map(|before| cut(vec![Piece::before_end(before, LONG_US)]));
        let mut all: Vec<Input> = places.collect();
        let half = u16::try_from(message.len() / 2).unwrap_or(u16::MAX);
        let mut late = cut(vec![Piece::before_end(half.max(1), SECOND_US)]);
        // One such pause is enough, and the sooner it comes, the better.
        late.steps.remove(0);
        all.insert(all.len().min(4 * number), late);
        all.insert(all.len().min(2), bytewise);
        all.into_iter()
    });
    by_turns(each.collect())
}

/// Places at which a reader may take a part of a message for all of it, as bytes before its end: the last ones first.
fn places(message: &[u8]) -> Vec<u16> {
    let ends = |byte: &u8| b"\n}]\"=, ".contains(byte);
    let signs = message.iter().enumerate().filter(|(_, byte)| ends(byte));
    let lines = signs.clone().filter(|(_, byte)| **byte == b'\n');
    let mut seen = BTreeSet::new();
    let around = |(at, _): (usize, &u8)| [at, at + 1];
    let order = lines
        .rev()
        .flat_map(around)
        .chain(signs.rev().flat_map(around));
    let first = [message.len().saturating_sub(1), 1];
    let order = first
        .into_iter()
        .chain(order)
        .filter(|at| (1..message.len()).contains(at));
    order
        .filter(|at| seen.insert(*at))
        .take(PLACES)
        .filter_map(|at| u16::try_from(message.len() - at).ok())
        .collect()
}

/// Each of the author's items, also with a letter of two bytes, in a few pieces, so that each place is once between two.
pub(super) fn everywhere<'s>(space: &'s Space<'_>) -> impl Iterator<Item = Input> + 's {
    // More would take too long, again and again, since such inputs may stay in the corpus.
    const CUTS: usize = 6;
    // Cuts are in thousandths of a message.
    const LONGEST: usize = 1_000;
    let accented = |item: &InputItem| {
        let mut item = item.clone();
        let texts = item.fields_mut().filter_map(|(_, value)| match value {
            Value::Text(text) => Some(text),
            _ => None,
        });
        texts.last()?.extend_from_slice("é".as_bytes());
        Some(item)
    };
    let items = space.items.iter();
    let items = items.flat_map(move |item| [Some(item.clone()), accented(item)]);
    items.flatten().flat_map(|item| {
        let ask = Ask::plain(Verb::Evaluate, item);
        let length = encoded(space, &ask).len().clamp(1, LONGEST);
        let stride = length.div_ceil(CUTS);
        (1..=stride).map(move |first| {
            let mut ask = ask.clone();
            let cuts = (first..length).step_by(stride);
            let cuts = cuts.map(|byte| (byte * 1_000).div_ceil(length));
            let cuts = cuts.filter_map(|at| u16::try_from(at).ok());
            ask.pieces = cuts.map(|at| Piece::at(at, 100)).collect();
            alone(ask)
        })
    })
}

/// Longer messages that arrive in pieces, some cut inside a letter.
pub(super) fn in_pieces<'s>(space: &'s Space<'_>) -> impl Iterator<Item = Input> + 's {
    let piece = |at: u16| Piece::at(at, 500);
    let texts = fields(space).into_iter().filter(|field| field.is_there);
    texts.flat_map(move |field| {
        let item = with(space, &field, |text| {
            [text, "é".repeat(LETTERS).as_bytes()].concat()
        });
        let shifted = with(space, &field, |text| {
            [text, b"x", "é".repeat(LETTERS).as_bytes()].concat()
        });
        [item, shifted].into_iter().flat_map(move |item| {
            [[250, 500, 750], [10, 400, 990], [600, 650, 700]].map(|places: [u16; 3]| {
                let mut input = evaluated(item.clone());
                for ask in input.asks_mut() {
                    ask.pieces = places.map(piece).into();
                }
                input
            })
        })
    })
}

/// What no agent sends: a message that has no end, that comes together with another one, or whose lines end otherwise.
pub(super) fn framed<'s>(space: &'s Space<'_>) -> impl Iterator<Item = Input> + 's {
    let first = space.items.first().cloned();
    let message = first.map(|item| encoded(space, &Ask::plain(Verb::Evaluate, item)));
    let message = message.map(|message| space.secrets.hidden(&message).into_owned());
    // A host of Stickler's own reads them elsewhere.
    let is_subjects = !space.setting.vocabulary().channel;
    let message = message.filter(|message| is_subjects && message.ends_with(b"\n"));
    message.into_iter().flat_map(|message| {
        let lines = message.trim_ascii_end();
        let each_ends = |with: &[u8]| {
            let lines = message.split(|byte| *byte == b'\n');
            let lines: Vec<Vec<u8>> = lines.map(|line| [line, with].concat()).collect();
            lines.join(&b'\n')
        };
        let all = [
            // The input ends after it.
            lines.to_vec(),
            lines[..lines.len() / 2].to_vec(),
            [lines, b"\n"].concat(),
            [&message[..], &message].concat(),
            [b"\n\n", &message[..]].concat(),
            each_ends(b"\r"),
            each_ends(b" "),
            [lines, b"\0", &message].concat(),
            [lines, b"\xff\xfe\n\n"].concat(),
        ];
        all.map(|bytes| Input {
            steps: vec![InputStep::Raw {
                bytes: bytes.into(),
            }],
            ..Input::default()
        })
    })
}

#[cfg(test)]
mod tests {
    use super::places;

    #[test]
    fn the_ends_of_lines_and_values_come_first() {
        let message = b"{\"a\":\"b\"}\n\n";
        assert_eq!(places(message)[..4], [1, 10, 2, 3]);
        assert!(places(b"").is_empty());
        let all = places(message);
        assert!(
            all.iter()
                .all(|before| (1..message.len()).contains(&usize::from(*before)))
        );
    }
}
