//! Inputs in which a comparison of the subject comes out the other way.

use super::text::last_part;
use crate::input::{Input, InputStep, STEPS};
use crate::technique::{Made, Source};
use crate::turns::by_turns;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD as BASE64;
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use stickler_transcript::{Bytes, Value};

/// How many inputs are made from one.
const MOST: usize = 96;
/// How many sides in fields are remembered.
const LARGEST: usize = 100_000;
/// The longest text that a compared length leads to.
const LONGEST: usize = 1 << 16;
/// At how many places of a text one side of a comparison is replaced.
const PLACES: usize = 4;

/// How many bytes the values of one field may have that are made from it. What is built is bounded while it is built: a
/// subject may compare thousands of texts with a long one.
const BYTES: usize = 4 << 20;

/// How often one side is put into one field, and how often what is near it.
const EXACT: u8 = 6;
const NEAR: u8 = 2;

/// What is compared with more texts than this is looked for in all of them, and is put into a field only so often.
const OTHERS: usize = 6;
const RARELY: u8 = 2;

/// How many times more often single letters are.
const LETTERS: u8 = 20;

/// What was put into which field already: otherwise most of the time would go to what is known to lead nowhere.
#[derive(Debug, Default)]
pub(crate) struct Tried(HashMap<u64, u8>);

impl Tried {
    /// Notes that a side is put into a field. False if that was done as often as it may be.
    fn may(&mut self, field: &Bytes, side: &[u8], most: u8) -> bool {
        if self.0.len() > LARGEST {
            self.0.clear();
        }
        // Single letters lead on one after the other, each in another place.
        let most = if side.len() < 3 && most > RARELY {
            most.saturating_mul(LETTERS)
        } else {
            most
        };
        // Their hash is enough, and takes little memory.
        let mut hasher = DefaultHasher::new();
        (field, side).hash(&mut hasher);
        let times = self.0.entry(hasher.finish()).or_default();
        *times = times.saturating_add(1);
        *times <= most
    }
}

/// Inputs like this one in which a text has one side of a comparison in place of the other: alone,
/// and with the message as it was after all others, which may meet another state then. The last
/// message comes first, since it met what the others had led to. If there was a comparison, the
/// input with its last message once more is the first of all.
pub(crate) fn matched(input: &Input, pairs: &[[Vec<u8>; 2]], tried: &mut Tried) -> Vec<Made> {
    let pairs = &rare_first(pairs);
    let mut made = HashSet::new();
    let mut inputs = Vec::new();
    if let Some(last @ InputStep::Ask(_)) = input.steps.last()
        && !pairs.is_empty()
        && input.steps.len() < STEPS
    {
        let mut again = input.clone();
        again.steps.push(last.clone());
        inputs.push(Made::new(again, Source::Again));
    }
    let asks = input.steps.iter().enumerate().rev();
    for (at, step) in asks {
        let InputStep::Ask(ask) = step else {
            continue;
        };
        let fields = ask.item.fields().enumerate().map(|(field, (name, value))| {
            let mut may = |side: &[u8], most| tried.may(name, side, most);
            let new = values(value, pairs, &mut may, &mut Room::new()).into_iter();
            new.map(move |new| (field, new))
        });
        // A long list keeps no other waiting.
        for (field, (source, new)) in by_turns(fields.collect()) {
            if !made.insert((at, field, new.clone())) {
                continue;
            }
            let mut changed = ask.clone();
            if let Some((_, value)) = changed.item.fields_mut().nth(field) {
                *value = new;
            }
            let mut replaced = input.clone();
            replaced.steps[at] = InputStep::Ask(changed);
            let made = Made::new(replaced.clone(), source);
            let by = made.by.and(Source::Afterwards);
            inputs.push(made);
            if replaced.steps.len() < STEPS {
                replaced.steps.push(step.clone());
                let input = replaced;
                inputs.push(Made { input, by });
            }
            if inputs.len() >= MOST {
                return inputs;
            }
        }
    }
    inputs
}

/// How much may still be made from one field.
struct Room {
    values: usize,
    bytes: usize,
}

impl Room {
    fn new() -> Self {
        Room {
            values: MOST,
            bytes: BYTES,
        }
    }

    fn is_left(&self) -> bool {
        self.values > 0 && self.bytes > 0
    }

    /// A value of so many bytes was made.
    fn takes(&mut self, bytes: usize) {
        self.values = self.values.saturating_sub(1);
        self.bytes = self.bytes.saturating_sub(bytes);
    }
}

/// A pair of texts, of which one was found where the other is wanted, and how many others this one was compared with.
struct Wanted<'p> {
    is: &'p [u8],
    wanted: &'p [u8],
    others: usize,
}

/// Both ways to take each comparison. What is compared with each letter, as the end of a line is, comes last. Numbers of
/// one digit are many: most count something.
fn rare_first(pairs: &[[Vec<u8>; 2]]) -> Vec<Wanted<'_>> {
    let mut others: HashMap<&[u8], HashSet<&[u8]>> = HashMap::new();
    for [one, other] in pairs {
        others.entry(one).or_default().insert(other);
        others.entry(other).or_default().insert(one);
    }
    let both = pairs
        .iter()
        .flat_map(|[one, other]| [(one, other), (other, one)]);
    let mut sides: Vec<Wanted<'_>> = both
        .map(|(is, wanted)| Wanted {
            is,
            wanted,
            others: others.get(&wanted[..]).map_or(0, HashSet::len),
        })
        .collect();
    let counts = |side: &[u8]| side.len() == 1 && side[0].is_ascii_digit();
    sides.sort_by_key(|side| {
        (
            counts(side.is) && number(side.wanted).is_some(),
            side.others,
        )
    });
    sides
}

/// The values that one becomes, and how, if one side of a comparison is replaced by the other in its text, or in one of its list.
/// `may`: may a side be tried, if it was tried less often than this?
fn values(
    value: &Value,
    pairs: &[Wanted<'_>],
    may: &mut dyn FnMut(&[u8], u8) -> bool,
    room: &mut Room,
) -> Vec<(Source, Value)> {
    match value {
        Value::Text(text) => {
            let texts = texts(text, pairs, may, room).into_iter();
            texts
                .map(|(source, text)| (source, Value::Text(text)))
                .collect()
        }
        Value::List(items) => {
            let mut lists = Vec::new();
            let others: usize = items.iter().flat_map(Value::words).map(<[u8]>::len).sum();
            let own = others + size_of_val(&items[..]);
            for (at, item) in items.iter().enumerate().take(PLACES) {
                for (source, new) in values(item, pairs, may, room) {
                    room.bytes = room.bytes.saturating_sub(own);
                    if room.bytes == 0 {
                        return lists;
                    }
                    let mut items = items.clone();
                    items[at] = new;
                    lists.push((source, Value::List(items)));
                }
            }
            lists
        }
        _ => Vec::new(),
    }
}

/// The texts that a text becomes, and how, then those near them.
fn texts(
    text: &[u8],
    pairs: &[Wanted<'_>],
    may: &mut dyn FnMut(&[u8], u8) -> bool,
    room: &mut Room,
) -> Vec<(Source, Vec<u8>)> {
    let forms = forms(text);
    let (mut texts, mut nearby) = (Vec::new(), Vec::new());
    // What is near a side comes after the sides themselves, and has as much room.
    let mut room_beside = Room::new();
    for Wanted { is, wanted, others } in pairs {
        if !room.is_left() {
            break;
        }
        let places: Vec<usize> = places(text, is, wanted).take(PLACES).collect();
        let lengths = as_long_as(text, is, wanted).into_iter();
        let fitting = forms.iter().filter(|(form, _)| form == is);
        let fitting = fitting.filter_map(|(_, text_of)| text_of(wanted));
        let lengths = lengths.map(|text| (Source::Length, text));
        let further = lengths.chain(fitting.map(|text| (Source::Form, text)));
        let further: Vec<_> = further.collect();
        let most = if *others > OTHERS { RARELY } else { EXACT };
        if (places.is_empty() && further.is_empty()) || !may(wanted, most) {
            continue;
        }
        let tries_near = *others <= OTHERS
            && room_beside.is_left()
            && may(&[wanted, &b"\0near"[..]].concat(), NEAR);
        if places == [0] && is.len() == text.len() && number(wanted).is_none() && tries_near {
            // Both may be asked for.
            for both in [[text, wanted].concat(), [wanted, text].concat()] {
                room_beside.takes(both.len());
                nearby.push((Source::Near, both));
            }
        }
        for at in places {
            let with = |side: &[u8]| {
                let mut changed = text.to_vec();
                changed.splice(at..at + is.len(), side.iter().copied());
                changed
            };
            let exact = with(wanted);
            room.takes(exact.len());
            texts.push((Source::Exact, exact));
            if tries_near {
                for side in near(wanted) {
                    let near = with(&side);
                    room_beside.takes(near.len());
                    nearby.push((Source::Near, near));
                }
            }
        }
        further.iter().for_each(|(_, text)| room.takes(text.len()));
        texts.extend(further);
    }
    texts.extend(nearby);
    texts
}

/// Where one side stands in a text. A number among other digits is a part of another number.
fn places<'t>(text: &'t [u8], is: &'t [u8], wanted: &[u8]) -> impl Iterator<Item = usize> {
    let are_numbers =
        number(is).is_some() && number(wanted.strip_prefix(b"-").unwrap_or(wanted)).is_some();
    let is_digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
    let is_whole = move |at: &usize| {
        let before = at.checked_sub(1).and_then(|at| text.get(at));
        !are_numbers || !is_digit(before) && !is_digit(text.get(at + is.len()))
    };
    // Bytes that nobody can read are numbers of the machine.
    let is_machines = |side: &[u8]| side.len() == 1 && side[0].is_ascii_control();
    let is_read = is != wanted && !(is_machines(is) && is_machines(wanted));
    let all = memchr::memmem::find_iter(text, is);
    all.filter(move |at| is_read && is_whole(at))
}

/// A text in another form, such as backwards, and how to get a text from that form.
type Form = (Vec<u8>, fn(&[u8]) -> Option<Vec<u8>>);

fn forms(text: &[u8]) -> Vec<Form> {
    // Short texts are the same by chance.
    if text.len() < 3 {
        return Vec::new();
    }
    let same: fn(&[u8]) -> Option<Vec<u8>> = |side| Some(side.to_vec());
    let backwards = text.iter().rev().copied().collect();
    let digits: String = text.iter().map(|byte| format!("{byte:02x}")).collect();
    let forms: [Form; 6] = [
        (backwards, |side| Some(side.iter().rev().copied().collect())),
        (digits.into_bytes(), |side| {
            let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
            side.chunks(2).map(byte).collect()
        }),
        (BASE64.encode(text).into_bytes(), |side| {
            BASE64.decode(side).ok()
        }),
        (text.trim_ascii().to_vec(), same),
        (text.to_ascii_lowercase(), same),
        (text.to_ascii_uppercase(), same),
    ];
    forms.into_iter().filter(|(form, _)| form != text).collect()
}

/// Values near one that was compared: a number more or less, another case, a byte more or less, twice.
fn near(side: &[u8]) -> Vec<Vec<u8>> {
    if let Some(number) = number(side) {
        let all = [
            number.checked_add(1),
            number.checked_sub(1),
            number.checked_neg(),
        ];
        let digits = |number: i64| number.to_string().into_bytes();
        return all.into_iter().flatten().map(digits).collect();
    }
    let upper = side.to_ascii_uppercase();
    let other_case = if upper == side {
        side.to_ascii_lowercase()
    } else {
        upper
    };
    let more = [side, b"x"].concat();
    let less = side[..side.len().saturating_sub(1)].to_vec();
    let mut all = vec![other_case, more, less, [side, side].concat()];
    all.retain(|one| one != side);
    all
}

/// A number in digits.
fn number(side: &[u8]) -> Option<i64> {
    let is_digits = side.len() < 19 && side.iter().all(u8::is_ascii_digit);
    let text = std::str::from_utf8(side).ok().filter(|_| is_digits)?;
    text.parse().ok()
}

/// If a compared number is the length of a text: texts as long as the other number, or a little shorter or longer.
fn as_long_as(text: &[u8], is: &[u8], wanted: &[u8]) -> Vec<Vec<u8>> {
    let length = |side: &[u8]| number(side).and_then(|number| usize::try_from(number).ok());
    let (Some(is), Some(wanted)) = (length(is), length(wanted)) else {
        return Vec::new();
    };
    let letters = String::from_utf8_lossy(text).chars().count();
    if is < 2 || (is != text.len() && is != letters) || wanted > LONGEST {
        return Vec::new();
    }
    // A path stays in its folder.
    let name = last_part(text);
    let part = if name < text.len() {
        &text[name..]
    } else {
        b"x"
    };
    let of = |length: usize| {
        let mut changed = text.to_vec();
        let missing = length.saturating_sub(text.len());
        changed.extend(part.iter().cycle().take(missing));
        changed.truncate(length.max(name));
        changed
    };
    let lengths = [wanted, wanted + 1, wanted.saturating_sub(1)];
    let mut texts: Vec<Vec<u8>> = lengths.map(of).into();
    // What it begins and ends with may count as well: it grows in the middle, or before its last part.
    let last = text.iter().rposition(|byte| !byte.is_ascii_alphanumeric());
    let middle = name + (text.len() - name) / 2;
    for at in [Some(middle), last.filter(|at| *at > name)]
        .into_iter()
        .flatten()
    {
        if let (Some(before), true) = (at.checked_sub(1), wanted > text.len()) {
            let filler = vec![text[before]; wanted - text.len()];
            texts.push([&text[..at], &filler, &text[at..]].concat());
        }
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::Tried;
    use crate::input::{Ask, Input, InputItem, InputStep, Verb};
    use stickler_transcript::Value;

    fn matched(input: &Input, pairs: &[[Vec<u8>; 2]], tried: &mut Tried) -> Vec<Input> {
        let made = super::matched(input, pairs, tried).into_iter();
        made.map(|made| made.input).collect()
    }

    fn asks(texts: &[&str]) -> Input {
        let ask = |text: &&str| {
            let item = InputItem {
                attributes: vec![("mode".into(), Value::text(*text))],
                ..InputItem::default()
            };
            InputStep::Ask(Ask::plain(Verb::Evaluate, item))
        };
        Input {
            steps: texts.iter().map(ask).collect(),
            ..Input::default()
        }
    }

    #[test]
    fn one_message_changes_and_may_come_again() {
        let pair = [b"0644".to_vec(), b"0640".to_vec()];
        let made = matched(
            &asks(&["0600", "0644"]),
            std::slice::from_ref(&pair),
            &mut Tried::default(),
        );
        assert_eq!(
            made[..3],
            [
                asks(&["0600", "0644", "0644"]),
                asks(&["0600", "0640"]),
                asks(&["0600", "0640", "0644"])
            ]
        );
        // Either side may be the one that is there.
        let made = matched(&asks(&["0640"]), &[pair], &mut Tried::default());
        assert_eq!(made[1], asks(&["0644"]));
    }

    #[test]
    fn near_values_and_lengths_follow() {
        let pair = |one: &str, other: &str| [one.as_bytes().to_vec(), other.as_bytes().to_vec()];
        let made = matched(
            &asks(&["limit 5"]),
            &[pair("5", "80")],
            &mut Tried::default(),
        );
        for text in ["limit 80", "limit 81", "limit 79", "limit -80"] {
            assert!(made.contains(&asks(&[text])), "{text}");
        }
        let made = matched(
            &asks(&["abc"]),
            &[pair("abc", "exec")],
            &mut Tried::default(),
        );
        for text in ["exec", "EXEC", "execx", "exe", "execexec"] {
            assert!(made.contains(&asks(&[text])), "{text}");
        }
        let made = matched(&asks(&["/d/abc"]), &[pair("6", "9")], &mut Tried::default());
        for text in ["/d/abcabc", "/d/abcabca", "/d/abcab", "/d/aaaabc"] {
            assert!(made.contains(&asks(&[text])), "{text}");
        }
    }

    #[test]
    fn a_part_of_a_number_is_no_number() {
        let pair = |one: &str, other: &str| [one.as_bytes().to_vec(), other.as_bytes().to_vec()];
        let made = |text: &str, pairs: &[[Vec<u8>; 2]]| {
            let made = matched(&asks(&[text]), pairs, &mut Tried::default());
            // The first one is the message once more.
            made.len() - 1
        };
        for noise in [pair("6", "1"), pair("0", "-17"), pair("\u{3}", "\u{8}")] {
            assert_eq!(made("0644\u{3}", &[noise]), 0);
        }
        assert!(made("0644", &[pair("0644", "0600")]) > 0);
        assert!(made("0644", &[pair("6", "q")]) > 0);
        assert!(made("a 6", &[pair("6", "1")]) > 0);
    }

    #[test]
    fn no_field_keeps_another_waiting() {
        let item = InputItem {
            identity: vec![("promiser".into(), Value::text("l".repeat(4)))],
            attributes: vec![("mode".into(), Value::text("0644"))],
            ..InputItem::default()
        };
        let input = Input {
            steps: vec![InputStep::Ask(Ask::plain(Verb::Evaluate, item))],
            ..Input::default()
        };
        let mut pairs: Vec<[Vec<u8>; 2]> = (b'A'..=b'z')
            .map(|byte| [b"l".to_vec(), vec![byte]])
            .collect();
        pairs.push([b"0644".to_vec(), b"0600".to_vec()]);
        let made = matched(&input, &pairs, &mut Tried::default());
        let has_mode = |input: &Input| {
            let mut values = input.asks().flat_map(|ask| ask.item.values());
            values.any(|value| *value == Value::text("0600"))
        };
        assert!(made[..8].iter().any(has_mode));
    }

    #[test]
    fn the_mutator_converts_compared_values_back_to_the_form_of_the_input() {
        let made = |is: &str, wanted: &str| {
            let pair = [is.as_bytes().to_vec(), wanted.as_bytes().to_vec()];
            matched(&asks(&["Hello"]), &[pair], &mut Tried::default())
        };
        for (is, wanted, text) in [
            ("olleH", "emases", "sesame"),
            ("48656c6c6f", "6f70656e", "open"),
            ("SGVsbG8=", "b3Blbg==", "open"),
            ("hello", "open", "open"),
            ("HELLO", "OPEN", "OPEN"),
        ] {
            assert!(made(is, wanted).contains(&asks(&[text])), "{is}");
        }
        assert!(!made("hellO", "open").contains(&asks(&["open"])));
    }

    #[test]
    fn each_place_counts_and_there_is_an_end() {
        let pair = [b"l".to_vec(), b"7".to_vec()];
        let made = matched(&asks(&["hello"]), &[pair], &mut Tried::default());
        assert!(made.contains(&asks(&["he7lo"])) && made.contains(&asks(&["hel7o"])));
        let pairs: Vec<[Vec<u8>; 2]> = (0..=255).map(|byte| [b"h".to_vec(), vec![byte]]).collect();
        assert!(matched(&asks(&["hello"]), &pairs, &mut Tried::default()).len() <= super::MOST + 1);
        assert!(matched(&asks(&["hello"]), &[], &mut Tried::default()).is_empty());
    }
}
