//! What a campaign tries first, one thing at a time: each field with each word that troubles programs, texts as long as
//! buffers are, each unusual environment, messages in pieces.

mod framing;
mod made;
mod sequences;

use crate::input::{Ask, Input, InputItem, InputStep, STEPS, Surrounding, Verb};
use crate::mutate::{last_part, surroundings};
use crate::near::{Way, near};
use crate::plan::encoded;
use crate::space::Space;
use crate::technique::{Made, Source};
use crate::turns::{by_turns, mostly};
use made::{ask, evaluated, fields, twice, with};
use std::rc::Rc;
use stickler_suite::SCRATCH;
use stickler_transcript::{Bytes, Drift, Value};

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
    let nearby: Rc<[Nearby]> = nearby(space).into();
    let kinds: [(Source, Box<dyn Iterator<Item = Input> + 's>); 15] = [
        (
            Source::Neighbours,
            Box::new(neighbours(space, nearby.clone())),
        ),
        (
            Source::TwoNeighbours,
            Box::new(two_neighbours(space, nearby.clone())),
        ),
        (Source::AfterAnother, Box::new(after_another(space, nearby))),
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
    let slow = mostly(environments, by_turns(slow.map(made).into()), 1);
    let may_run =
        move |made: &Made| evaluates && made.input.asks().all(|ask| space.sends(&ask.item));
    Probes {
        quick: Box::new(by_turns(kinds.map(made).into()).filter(may_run)),
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

/// A field of one of the author's items, and the texts near its own.
struct Nearby {
    item: usize,
    at: usize,
    texts: Vec<(Way, Vec<u8>)>,
}

/// The fields of all items; other examples may have the same value.
fn nearby(space: &Space<'_>) -> Vec<Nearby> {
    let mut known: Vec<(&Bytes, &Value)> = Vec::new();
    let mut all = Vec::new();
    for (item, own) in space.items.iter().enumerate() {
        for (at, (name, value)) in own.fields().enumerate() {
            if let Some(text) = value.as_text()
                && !known.contains(&(name, value))
            {
                known.push((name, value));
                let texts = near(text);
                all.push(Nearby { item, at, texts });
            }
        }
    }
    all
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

/// An item without each of its attributes.
fn each_left_out(item: &InputItem) -> impl Iterator<Item = InputItem> {
    (0..item.attributes.len()).map(|at| {
        let mut item = item.clone();
        item.attributes.remove(at);
        item
    })
}

/// An item with these texts in these places, looked at, and then twice.
fn changed(space: &Space<'_>, item: &InputItem, texts: &[(usize, &Vec<u8>)]) -> Input {
    let texts = texts.iter();
    let values = texts.map(|(at, text)| (*at, Value::Text((*text).clone())));
    looked_at(space, altered(item, values))
}

/// What would change for an item, if the subject can say that, and then twice the change itself.
fn looked_at(space: &Space<'_>, item: InputItem) -> Input {
    let mut input = twice(item.clone());
    if space.setting.knowledge.dry {
        let look = InputStep::Ask(Ask::plain(Verb::Look, item));
        input.steps.insert(0, look);
    }
    input
}

/// Each text near that of the author in each field.
fn neighbours<'s>(space: &'s Space<'_>, nearby: Rc<[Nearby]>) -> impl Iterator<Item = Input> + 's {
    let fields = nearby.iter().enumerate();
    let fields = fields.map(|(field, own)| (0..own.texts.len()).map(move |text| (field, text)));
    by_turns(fields.collect()).map(move |(field, text)| {
        let own = &nearby[field];
        let text = Value::Text(own.texts[text].1.clone());
        // What is refused must be so again.
        let ask = ask(altered(&space.items[own.item], [(own.at, text)]));
        Input {
            steps: vec![ask.clone(), ask],
            ..Input::default()
        }
    })
}

/// Two of them at once: first the same change in both, then any. There may be many, so none is made before its turn.
fn two_neighbours<'s>(
    space: &'s Space<'_>,
    nearby: Rc<[Nearby]>,
) -> impl Iterator<Item = Input> + 's {
    let (mut alike, mut pairs) = (Vec::new(), Vec::new());
    for (one, first) in nearby.iter().enumerate() {
        for (two, second) in nearby.iter().enumerate().skip(one + 1) {
            if first.item == second.item {
                let same = first.texts.iter().enumerate();
                let same = same.filter_map(|(text, (way, _))| {
                    let mut others = second.texts.iter();
                    let other = others.position(|(other, _)| other == way)?;
                    Some([(one, text), (two, other)])
                });
                alike.push(same.collect::<Vec<_>>().into_iter());
                let texts = second.texts.len();
                // By turns, so that no text waits for all pairs of another one.
                let each = (0..first.texts.len())
                    .map(|text| (0..texts).map(move |other| [(one, text), (two, other)]));
                pairs.push(by_turns(each.collect()));
            }
        }
    }
    by_turns(alike).chain(by_turns(pairs)).map(move |both| {
        let texts = both.map(|(field, text)| (nearby[field].at, &nearby[field].texts[text].1));
        changed(space, &space.items[nearby[both[0].0].item], &texts)
    })
}

/// After an item, another one of the same identity, twice: with a text near the author's, without an attribute, with
/// those of another example.
fn after_another<'s>(
    space: &'s Space<'_>,
    nearby: Rc<[Nearby]>,
) -> impl Iterator<Item = Input> + 's {
    let then = |first: &InputItem, item: InputItem| {
        let mut input = looked_at(space, item);
        input.steps.insert(0, ask(first.clone()));
        input
    };
    let others = move |number: usize| {
        let first = &space.items[number];
        let others = space.items.iter().enumerate();
        let others =
            others.filter(move |(other, item)| *other != number && item.kind == first.kind);
        others.flat_map(move |(_, other)| {
            let mut whole = other.clone();
            whole.identity.clone_from(&first.identity);
            let mut all = vec![whole.clone()];
            for at in 0..other.attributes.len() {
                // One of its attributes alone, and all but one.
                let mut added = first.clone();
                let (name, _) = &other.attributes[at];
                added.attributes.retain(|(known, _)| known != name);
                added.attributes.push(other.attributes[at].clone());
                let mut fewer = whole.clone();
                fewer.attributes.remove(at);
                all.extend([added, fewer]);
            }
            all.into_iter().map(move |item| then(first, item))
        })
    };
    let without = move |number: usize| {
        let first = &space.items[number];
        each_left_out(first).map(move |item| then(first, item))
    };
    let near = move |number: usize| {
        let identity = space.items[number].identity.len();
        let mut texts = Vec::new();
        for own in nearby
            .iter()
            .filter(|own| own.item == number && own.at >= identity)
        {
            texts.push(
                own.texts
                    .iter()
                    .map(|(_, text)| (own.at, text.clone()))
                    .collect(),
            );
        }
        let texts = texts.into_iter().map(Vec::into_iter).collect();
        by_turns(texts).map(move |(at, text)| {
            let first = &space.items[number];
            then(first, altered(first, [(at, Value::Text(text))]))
        })
    };
    let numbers = 0..space.items.len();
    let each: Vec<Box<dyn Iterator<Item = Input> + 's>> = numbers
        .flat_map(|number| {
            let all: [Box<dyn Iterator<Item = Input> + 's>; 3] = [
                Box::new(near(number)),
                Box::new(others(number)),
                Box::new(without(number)),
            ];
            all
        })
        .collect();
    by_turns(each)
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
            let rest = changed(space, item, &[]).steps;
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
    each(space, space.dictionary.usual())
}

/// Each word that the subject knows in each field.
fn words_of_its_own<'s>(space: &'s Space<'_>) -> impl Iterator<Item = Input> + 's {
    each(space, space.dictionary.own())
}

fn each<'s>(space: &'s Space<'_>, words: &'s [Vec<u8>]) -> impl Iterator<Item = Input> + 's {
    let fields = fields(space);
    words.iter().flat_map(move |word| {
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
    let texts = fields(space).into_iter().filter(|(_, at, _)| at.is_some());
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
fn line_of(space: &Space<'_>, field: &(usize, Option<usize>, Bytes)) -> Option<usize> {
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
