//! What a campaign tries first, one thing at a time: each field with each word that troubles programs, texts as long as
//! buffers are, each unusual environment, messages in pieces.

use crate::input::{Ask, Input, InputItem, InputStep, Piece, STEPS, Surrounding, Verb};
use crate::mutate::{last_part, surroundings};
use crate::near::{Way, near};
use crate::plan::encoded;
use crate::space::Space;
use crate::technique::{Made, Source};
use crate::turns::by_turns;
use std::rc::Rc;
use stickler_suite::SCRATCH;
use stickler_transcript::{Bytes, Drift, Value};

/// How many letters of two bytes a text has that is cut inside of one.
const LETTERS: usize = 200;

/// How many names of the source are tried as attributes.
const NAMES: usize = 200;

/// The inputs: by turns one of each kind.
pub(crate) fn probes<'s>(space: &'s Space<'_>) -> impl Iterator<Item = Made> + 's {
    let evaluates = space.setting.sandboxed || !space.setting.config.examples.is_empty();
    let nearby: Rc<[Nearby]> = nearby(space).into();
    let kinds: [(Source, Box<dyn Iterator<Item = Input> + 's>); 16] = [
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
        (Source::Everywhere, Box::new(everywhere(space))),
        (Source::Pieces, Box::new(in_pieces(space))),
        (Source::Without, Box::new(without(space))),
        (Source::Framed, Box::new(framed(space))),
        (Source::Environments, Box::new(environments(space))),
        (Source::SplitLengths, Box::new(lengths(space, "é"))),
    ];
    let made = kinds.map(|(source, inputs)| inputs.map(move |input| Made::new(input, source)));
    let may_run = move |input: &Input| evaluates && input.asks().all(|ask| space.sends(&ask.item));
    by_turns(made.into()).filter(move |made| may_run(&made.input))
}

fn ask(item: InputItem) -> InputStep {
    InputStep::Ask(Ask::plain(Verb::Evaluate, item))
}

fn evaluated(item: InputItem) -> Input {
    Input {
        steps: vec![ask(item)],
        ..Input::default()
    }
}

/// The second time there is nothing to do.
fn twice(item: InputItem) -> Input {
    Input {
        steps: vec![ask(item.clone()), ask(item)],
        ..Input::default()
    }
}

/// The fields to change, each once: its item, and its place there. `None` is a field that the item has not.
fn fields(space: &Space<'_>) -> Vec<(usize, Option<usize>, Bytes)> {
    let mut known: Vec<(&str, &Bytes)> = Vec::new();
    let mut fields = Vec::new();
    for (number, item) in space.items.iter().enumerate() {
        for (at, (name, value)) in item.fields().enumerate() {
            let is_text = value.as_text().is_some();
            if is_text && !known.contains(&(&item.kind, name)) {
                known.push((&item.kind, name));
                fields.push((number, Some(at), name.clone()));
            }
        }
    }
    for name in &space.dictionary.fields {
        let name = Bytes::from(&name[..]);
        let mut items = space.items.iter();
        if !known.iter().any(|(_, known)| **known == name)
            && let Some(number) = items.position(|item| item.fields().all(|(own, _)| *own != name))
        {
            fields.push((number, None, name));
        }
    }
    fields
}

/// An item with a text in one of its fields, of which it keeps what `text` says.
fn with(
    space: &Space<'_>,
    (number, at, name): &(usize, Option<usize>, Bytes),
    text: impl FnOnce(&[u8]) -> Vec<u8>,
) -> InputItem {
    let mut item = space.items[*number].clone();
    match at.and_then(|at| item.fields_mut().nth(at)) {
        Some((_, value)) => *value = Value::Text(text(value.as_text().unwrap_or_default())),
        None => item.attributes.push((name.clone(), Value::Text(text(b"")))),
    }
    item
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

/// Each of the author's items, also with a letter of two bytes, in a few pieces, so that each place is once between two.
fn everywhere<'s>(space: &'s Space<'_>) -> impl Iterator<Item = Input> + 's {
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
            ask.pieces = cuts.map(|at| Piece { at, pause_us: 100 }).collect();
            Input {
                steps: vec![InputStep::Ask(ask)],
                ..Input::default()
            }
        })
    })
}

/// Longer messages that arrive in pieces, some cut inside a letter.
fn in_pieces<'s>(space: &'s Space<'_>) -> impl Iterator<Item = Input> + 's {
    let piece = |at: u16| Piece { at, pause_us: 500 };
    let texts = fields(space).into_iter().filter(|(_, at, _)| at.is_some());
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
fn framed<'s>(space: &'s Space<'_>) -> impl Iterator<Item = Input> + 's {
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

/// An item with these texts in these places: what would change, if the subject can say that, and then twice the change
/// itself.
fn changed(space: &Space<'_>, item: &InputItem, texts: &[(usize, &Vec<u8>)]) -> Input {
    let texts = texts.iter();
    let values = texts.map(|(at, text)| (*at, Value::Text((*text).clone())));
    let item = altered(item, values);
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
        changed(
            space,
            &space.items[own.item],
            &[(own.at, &own.texts[text].1)],
        )
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
        let mut input = twice(item);
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
            let made = |field| evaluated(with(space, field, |text| long(text, length, end)));
            fields.map(made).collect::<Vec<Input>>()
        })
}

/// Messages that are as long as buffers, with their ends, and a byte shorter and longer.
fn whole_lengths<'s>(space: &'s Space<'_>) -> impl Iterator<Item = Input> + 's {
    const BUFFERS: [usize; 6] = [1024, 4096, 8192, 512, 16_384, 65_536];
    let texts = fields(space).into_iter().filter(|(_, at, _)| at.is_some());
    let texts: Vec<_> = texts.collect();
    BUFFERS.into_iter().flat_map(move |buffer| {
        let inputs = texts.iter().flat_map(|field| {
            let item = with(space, field, <[u8]>::to_vec);
            let usual = encoded(space, &Ask::plain(Verb::Evaluate, item)).len();
            let lengths = [buffer, buffer - 1, buffer + 1].into_iter();
            let more = lengths.filter_map(move |length| length.checked_sub(usual));
            more.map(|more| {
                evaluated(with(space, field, |text| {
                    [text, "x".repeat(more).as_bytes()].concat()
                }))
            })
        });
        inputs.collect::<Vec<Input>>()
    })
}

/// A text of so many bytes, the last of which begins this letter. A path stays in its folder.
fn long(text: &[u8], length: usize, end: &str) -> Vec<u8> {
    let mut made = text[..last_part(text)].to_vec();
    made.resize((length - 1).max(made.len()), b'x');
    made.extend_from_slice(end.as_bytes());
    made
}
