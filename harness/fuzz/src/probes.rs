//! What a campaign tries first, one thing at a time: each field with each word that troubles programs, texts as long as
//! buffers are, each unusual environment, messages in pieces.

mod framing;
mod made;
mod nearby;
mod sequences;

use crate::input::{Ask, Input, InputItem, InputStep, STEPS, Surrounding, Verb};
use crate::mutate::{last_part, surroundings};
use crate::near::near;
use crate::plan::encoded;
use crate::space::Space;
use crate::technique::{Made, Source};
use crate::turns::{by_cost, by_turns};
use made::{TextField, ask, each_left_out, evaluated, fields, looked_at, twice, with};
use nearby::Nearby;
use std::rc::Rc;
use stickler_suite::SCRATCH;
use stickler_transcript::{Bytes, Drift, Value};

/// So many bytes of an input take as long as a message.
const LONG: usize = 2_000;
/// How many names of the source are tried as attributes.
const NAMES: usize = 200;

/// Inputs of several kinds, by turns one of each.
pub(crate) type Each<'s> = Box<dyn Iterator<Item = Made> + 's>;

/// What a campaign tries first.
pub(crate) struct Probes<'s> {
    /// What takes no longer than other inputs.
    pub(crate) quick: Each<'s>,
    /// What takes pauses, or processes of its own.
    pub(crate) slow: Each<'s>,
}

impl<'s> Probes<'s> {
    /// Those of one of so many workers.
    pub(crate) fn of(self, worker: usize, workers: usize) -> Self {
        let own = |all: Each<'s>| -> Each<'s> { Box::new(all.skip(worker).step_by(workers)) };
        Probes {
            quick: own(self.quick),
            slow: own(self.slow),
        }
    }
}

/// All of them.
pub(crate) fn probes<'s>(space: &'s Space<'_>) -> Probes<'s> {
    let evaluates = space.setting.sandboxed || !space.setting.config.examples.is_empty();
    let nearby: Rc<[Nearby]> = nearby::all(space).into();
    let kinds: [(Source, Box<dyn Iterator<Item = Input> + 's>); 15] = [
        (
            Source::Neighbours,
            Box::new(nearby::neighbours(space, nearby.clone())),
        ),
        (
            Source::TwoNeighbours,
            Box::new(nearby::two_neighbours(space, nearby.clone())),
        ),
        (
            Source::AfterAnother,
            Box::new(nearby::after_another(space, nearby)),
        ),
        (Source::Words, Box::new(words(space))),
        (Source::Lengths, Box::new(lengths(space, "x"))),
        (Source::WholeLengths, Box::new(whole_lengths(space))),
        (Source::Outside, Box::new(from_outside(space))),
        (Source::Lists, Box::new(lists(space))),
        (Source::OwnWords, Box::new(words_of_its_own(space))),
        (Source::Unknown, Box::new(unknown(space))),
        (Source::Everywhere, Box::new(framing::everywhere(space))),
        (Source::Sequences, Box::new(sequences::short(space))),
        (Source::Crowds, Box::new(sequences::crowds(space))),
        (Source::Without, Box::new(without(space))),
        (Source::SplitLengths, Box::new(lengths(space, "é"))),
    ];
    let slow: [(Source, Box<dyn Iterator<Item = Input> + 's>); 3] = [
        (Source::Framed, Box::new(framing::framed(space))),
        (Source::Slow, Box::new(framing::slowly(space))),
        (Source::Pieces, Box::new(framing::in_pieces(space))),
    ];
    let made = |(source, inputs): (Source, Box<dyn Iterator<Item = Input> + 's>)| {
        inputs.map(move |input| Made::new(input, source))
    };
    let environments = environments(space).map(|input| Made::new(input, Source::Environments));
    let others: Each<'s> = Box::new(by_turns(slow.map(made).into()));
    let slow = by_turns(vec![Box::new(environments) as Each<'s>, others]);
    let may_run =
        move |made: &Made| evaluates && made.input.asks().all(|ask| space.sends(&ask.item));
    // About the time that it takes.
    let cost = |made: &Made| made.input.steps.len() + made.input.bytes() / LONG;
    Probes {
        quick: Box::new(by_cost(kinds.map(made).into(), cost).filter(may_run)),
        slow: Box::new(slow.filter(may_run)),
    }
}

/// Each unusual thing about the surroundings, alone, also with a letter that some encodings have not and with a path
/// below `~`, by turns in each attribute.
fn environments<'s>(space: &'s Space<'_>) -> impl Iterator<Item = Input> + 's {
    space.items.first().into_iter().flat_map(|item| {
        let accented = (0..item.attributes.len()).filter_map(|at| {
            let mut accented = item.clone();
            let (_, Value::Text(text)) = &mut accented.attributes[at] else {
                return None;
            };
            text.extend_from_slice("é".as_bytes());
            Some(accented)
        });
        let homely = (0..item.attributes.len()).filter_map(|at| {
            let mut homely = item.clone();
            let (_, Value::Text(text)) = &mut homely.attributes[at] else {
                return None;
            };
            let name = text.split_off(last_part(text));
            *text = [b"~/", &name[..]].concat();
            Some(homely)
        });
        let changed = vec![accented.collect::<Vec<_>>(), homely.collect()];
        let changed = by_turns(changed.into_iter().map(Vec::into_iter).collect());
        let items = [item.clone()].into_iter().chain(changed).take(STEPS);
        let steps: Vec<InputStep> = items.map(ask).collect();
        let one = move |surrounding: Surrounding| Input {
            surroundings: vec![surrounding],
            steps: steps.clone(),
        };
        surroundings::each(space).into_iter().map(one)
    })
}

/// Each attribute left out, and each text empty.
fn without<'s>(space: &'s Space<'_>) -> impl Iterator<Item = Input> + 's {
    let left_out = space.items.iter().flat_map(each_left_out).map(twice);
    let empty = fields(space).into_iter();
    left_out.chain(empty.map(|field| twice(with(space, &field, |_| Vec::new()))))
}

/// Each name that the subject's source has and no item has, as an attribute with a text or a list.
fn unknown<'s>(space: &'s Space<'_>) -> impl Iterator<Item = Input> + 's {
    let is_new = |name: &&Vec<u8>| {
        let mut fields = space.items.iter().flat_map(InputItem::fields);
        !fields.any(|(known, _)| known[..] == name[..])
    };
    let names = space.dictionary.names.iter().filter(is_new).take(NAMES);
    names.flat_map(|name| {
        let word = || Value::Text(b"stickler".to_vec());
        let list = space.any_value.then(|| Value::List(vec![word()]));
        let first = space.items.first();
        first.into_iter().flat_map(move |item| {
            let with = |value: Value| {
                let mut item = item.clone();
                item.attributes.push((name[..].into(), value));
                evaluated(item)
            };
            [Some(word()), list.clone()].into_iter().flatten().map(with)
        })
    })
}

/// An item with other values in these places.
fn altered(item: &InputItem, values: impl IntoIterator<Item = (usize, Value)>) -> InputItem {
    let mut item = item.clone();
    for (at, new) in values {
        if let Some((_, value)) = item.fields_mut().nth(at) {
            *value = new;
        }
    }
    item
}

/// Something is in the way of an item, or changes what it has brought about. Then the subject says what it would do, and
/// does it twice.
fn from_outside<'s>(space: &'s Space<'_>) -> impl Iterator<Item = Input> + 's {
    space.items.iter().flat_map(move |item| {
        let texts = item.values().filter_map(Value::as_text);
        let paths = texts.filter(|text| text.starts_with(SCRATCH.as_bytes()) && !text.contains(&0));
        paths.flat_map(move |path| {
            let path = || Bytes::from(path);
            let target = Bytes::from("stickler-nowhere");
            let before = [
                Drift::Link {
                    path: path(),
                    target,
                },
                Drift::Directory { path: path() },
            ];
            let after = [
                Drift::Remove { path: path() },
                Drift::Mode {
                    path: path(),
                    mode: 0,
                },
                Drift::Write {
                    path: path(),
                    content: "x\n".into(),
                },
                Drift::Write {
                    path: path(),
                    content: "".into(),
                },
                Drift::Write {
                    path: path(),
                    content: "a last line without its end".into(),
                },
                Drift::Write {
                    path: path(),
                    content: "a=b\r\n\r\n# c\r\n".into(),
                },
                Drift::Write {
                    path: path(),
                    content: Bytes::from(&b"\xff\xfe\0\n"[..]),
                },
            ];
            let outside = |drift| InputStep::Outside { drift };
            let rest = looked_at(space, item.clone()).steps;
            let before = before.map(|drift| vec![outside(drift)]);
            let after = after.map(|drift| vec![ask(item.clone()), outside(drift)]);
            let begun = before.into_iter().chain(after);
            begun.map(move |steps| Input {
                steps: [steps, rest.clone()].concat(),
                ..Input::default()
            })
        })
    })
}

/// Lists of the author with an element once more, also in other letters, in the other order, and with none.
fn lists<'s>(space: &'s Space<'_>) -> impl Iterator<Item = Input> + 's {
    space.items.iter().flat_map(|item| {
        let fields = item.fields().enumerate();
        let fields = fields.filter_map(|(at, (_, value))| match value {
            Value::List(list) => Some((at, list)),
            _ => None,
        });
        fields.flat_map(move |(at, list)| {
            let more = |one: Value| [&list[..], &[one]].concat();
            let texts = list.iter().filter_map(Value::as_text);
            let near =
                texts.flat_map(|text| near(text).into_iter().map(|(_, text)| Value::Text(text)));
            let mut all: Vec<Vec<Value>> = list.iter().cloned().map(more).collect();
            all.push(list.iter().rev().cloned().collect());
            all.push(Vec::new());
            all.extend(near.map(more));
            let altered = move |list| altered(item, [(at, Value::List(list))]);
            all.into_iter().map(altered).map(twice)
        })
    })
}

/// Each word that troubles any program in each field.
fn words<'s>(space: &'s Space<'_>) -> impl Iterator<Item = Input> + 's {
    each(space, space.dictionary.usual().iter())
}

/// Each word that the subject knows in each field.
fn words_of_its_own<'s>(space: &'s Space<'_>) -> impl Iterator<Item = Input> + 's {
    each(space, space.dictionary.own_by_turns())
}

fn each<'s>(
    space: &'s Space<'_>,
    words: impl Iterator<Item = &'s Vec<u8>> + 's,
) -> impl Iterator<Item = Input> + 's {
    let fields = fields(space);
    words.flat_map(move |word| {
        let inputs: Vec<Input> = fields
            .iter()
            .map(|field| twice(with(space, field, |_| word.clone())))
            .collect();
        inputs
    })
}

/// Texts of many lengths, the last byte of which begins this letter.
fn lengths<'s>(space: &'s Space<'_>, end: &'static str) -> impl Iterator<Item = Input> + 's {
    let fields = fields(space);
    space
        .dictionary
        .lengths()
        .into_iter()
        .flat_map(move |length| {
            let fields = fields.iter();
            let made = |field| twice(with(space, field, |text| long(text, length, end)));
            fields.map(made).collect::<Vec<Input>>()
        })
}

/// Messages that are as long as buffers, with their ends, and lines of messages that are so; a byte shorter and longer.
fn whole_lengths<'s>(space: &'s Space<'_>) -> impl Iterator<Item = Input> + 's {
    const BUFFERS: [usize; 7] = [1024, 4096, 8192, 512, 256, 16_384, 65_536];
    let texts = fields(space).into_iter().filter(|field| field.is_there);
    let texts: Vec<_> = texts.collect();
    BUFFERS.into_iter().flat_map(move |buffer| {
        let inputs = texts.iter().flat_map(|field| {
            let item = with(space, field, <[u8]>::to_vec);
            let message = encoded(space, &Ask::plain(Verb::Evaluate, item));
            let usual = [Some(message.len()), line_of(space, field)];
            let lengths = [buffer, buffer - 1, buffer + 1, buffer - 2].into_iter();
            let more = lengths.flat_map(move |length| {
                let usual = usual.into_iter().flatten();
                usual.filter_map(move |usual| length.checked_sub(usual))
            });
            more.map(|more| {
                twice(with(space, field, |text| {
                    [text, "x".repeat(more).as_bytes()].concat()
                }))
            })
        });
        inputs.collect::<Vec<Input>>()
    })
}

/// How long the line is, with its end, in which a message has a field. `None` if the message has one line.
fn line_of(space: &Space<'_>, field: &TextField) -> Option<usize> {
    const SIGN: &[u8] = b"stickler-sign";
    let item = with(space, field, |text| [text, SIGN].concat());
    let message = encoded(space, &Ask::plain(Verb::Evaluate, item));
    let mut lines = message.split(|byte| *byte == b'\n');
    let line = lines.find(|line| line.ends_with(SIGN))?;
    Some(line.len() + 1 - SIGN.len())
}

/// A text of so many bytes, the last of which begins this letter. A path stays in its folder.
fn long(text: &[u8], length: usize, end: &str) -> Vec<u8> {
    let mut made = text[..last_part(text)].to_vec();
    made.resize((length - 1).max(made.len()), b'x');
    made.extend_from_slice(end.as_bytes());
    made
}
