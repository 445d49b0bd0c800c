//! A text in an input, and what may stand at its places.

use super::field::{Field, item, text, with};
use crate::input::Input;
use crate::mutate::last_part;
use foldhash::fast::FixedState;
use std::collections::HashSet;
use std::hash::{BuildHasher, Hash};
use stickler_transcript::Bytes;

/// How many places of an author's own text are searched: at its begin, and at its end.
const OWN: (usize, usize) = (3, 2);

/// A number for something, the same in each run.
pub(super) fn hash(what: &impl Hash) -> u64 {
    FixedState::default().hash_one(what)
}

/// A text of an input, and the places in it that told something.
pub(super) struct Around<'i> {
    input: &'i Input,
    at: Field,
    pub(super) name: &'i Bytes,
    pub(super) text: Vec<u8>,
    pub(super) places: Vec<usize>,
    /// Did the field tell something? Otherwise others did.
    pub(super) tells: bool,
    /// What other fields tell, as a hash: the same search with other values is another one.
    pub(super) held: u64,
    /// Where its last part begins, if it is a path.
    begin: usize,
}

impl<'i> Around<'i> {
    /// `None` if there is no text.
    pub(super) fn of(
        input: &'i Input,
        at: Field,
        (places, tells): (Vec<usize>, bool),
        telling: &[Field],
    ) -> Option<Self> {
        let (name, _) = item(input, at.step)?.fields().nth(at.field)?;
        let text = text(input, at)?.to_vec();
        let others = telling.iter().filter(|other| **other != at);
        let held: Vec<_> = others
            .map(|other| item(input, other.step)?.fields().nth(other.field))
            .collect();
        Some(Around {
            input,
            at,
            name,
            begin: last_part(&text),
            text,
            places,
            tells,
            held: hash(&held),
        })
    }

    /// The place after those that told something.
    pub(super) fn after(&self) -> usize {
        self.places
            .last()
            .map_or(self.text.len(), |last| last + 1)
            .min(self.text.len())
    }

    /// The places to search, each once: the one after, the one before, those that told something, the others.
    pub(super) fn targets(&self) -> Vec<usize> {
        const OTHERS: usize = 8;
        let mut targets = vec![self.after()];
        let first = self.places.first();
        targets.extend(first.and_then(|first| first.checked_sub(1)));
        targets.extend(&self.places);
        targets.extend((self.begin..=self.text.len()).take(OTHERS));
        let mut seen = HashSet::new();
        targets.retain(|target| *target >= self.begin && seen.insert(*target));
        targets
    }

    /// The text without the byte at a place.
    pub(super) fn without(&self, target: usize) -> Vec<u8> {
        let mut rest = self.text.clone();
        if target < rest.len() {
            rest.remove(target);
        }
        rest
    }

    /// The texts with each other byte at a place, with one inserted there, and without it: bytes that people write, or
    /// the others.
    pub(super) fn bytes(&self, target: usize, written: bool) -> impl Iterator<Item = Vec<u8>> {
        let inserts = target == self.after() && target < self.text.len();
        let old = self.text.get(target).copied();
        let replaced = move |byte: u8| {
            let end = (target + 1).min(self.text.len());
            (old != Some(byte)).then(|| [&self.text[..target], &[byte], &self.text[end..]].concat())
        };
        let inserted = move |byte: u8| {
            let counts = inserts && byte.is_ascii_graphic();
            counts.then(|| [&self.text[..target], &[byte], &self.text[target..]].concat())
        };
        let gone = old.filter(|_| written).map(|_| self.without(target));
        bytes(written)
            .flat_map(move |byte| [replaced(byte), inserted(byte)])
            .flatten()
            .chain(gone)
    }

    /// The texts with a word after what told something, in its place, and alone.
    pub(super) fn word(&self, word: &[u8]) -> Vec<Vec<u8>> {
        let (after, end) = (self.after(), self.text.len());
        let first = self.places.first().copied().unwrap_or(self.begin);
        let places = [(after, after), (first, after), (self.begin, end)];
        let put =
            |(from, to): (usize, usize)| [&self.text[..from], word, &self.text[to..]].concat();
        let mut texts: Vec<Vec<u8>> = places.map(put).into();
        texts.dedup();
        texts.retain(|text| *text != self.text);
        texts
    }

    /// The input with another text.
    pub(super) fn with(&self, text: &[u8]) -> Input {
        with(self.input, self.at, text)
    }

    /// The input, and its message once more with another text.
    pub(super) fn then(&self, text: &[u8]) -> Input {
        let next = self.with(text).steps.into_iter().nth(self.at.step);
        let steps = self.input.steps.iter().cloned();
        Input {
            steps: steps.chain(next).collect(),
            ..self.input.clone()
        }
    }
}

/// Some places of a text that nobody has changed.
pub(super) fn own_places(input: &Input, at: Field) -> Vec<usize> {
    let Some(text) = text(input, at) else {
        return Vec::new();
    };
    let (begin, end) = OWN;
    let from = last_part(text);
    let first = (from..text.len()).take(begin);
    let last = text.len().saturating_sub(end).max(from + begin)..text.len();
    first.chain(last).collect()
}

/// Each byte that people write, letters and digits first, or each that nobody writes.
fn bytes(written: bool) -> impl Iterator<Item = u8> {
    let class = |byte: &u8| match byte {
        b'a'..=b'z' | b'0'..=b'9' | b'A'..=b'Z' => 0,
        b' '..=b'~' => 1,
        _ => 2,
    };
    let classes = if written { 0..2 } else { 2..3 };
    classes.flat_map(move |wanted| (0..=u8::MAX).filter(move |byte| class(byte) == wanted))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::{Ask, InputItem, InputStep, Verb};
    use stickler_transcript::Value;

    #[test]
    fn each_byte_comes_once() {
        let mut all: Vec<u8> = bytes(true).chain(bytes(false)).collect();
        assert_eq!(&all[..3], b"012");
        all.sort_unstable();
        assert_eq!(all, (0..=u8::MAX).collect::<Vec<_>>());
    }

    fn input(texts: &[&str]) -> Input {
        let ask = |text: &&str| {
            let item = InputItem {
                attributes: vec![("text".into(), Value::text(*text))],
                ..InputItem::default()
            };
            InputStep::Ask(Ask::plain(Verb::Validate, item))
        };
        Input {
            steps: texts.iter().map(ask).collect(),
            ..Input::default()
        }
    }

    #[test]
    fn the_place_behind_what_told_something_comes_first_and_the_rest_is_held() {
        let lead = input(&["Zello"]);
        let at = Field { step: 0, field: 0 };
        let around = Around::of(&lead, at, (vec![0], true), &[at]).expect("a text");
        assert_eq!(around.targets(), [1, 0, 2, 3, 4, 5]);
        let texts: Vec<Vec<u8>> = around.bytes(1, true).collect();
        for wanted in ["Zqllo", "Zqello", "Zllo"] {
            assert!(texts.contains(&wanted.as_bytes().to_vec()), "{wanted}");
        }
        assert!(texts.iter().all(|text| text[0] == b'Z'));
        assert_eq!(around.then(b"Zqllo"), input(&["Zello", "Zqllo"]));
        assert_eq!(around.word(b"x"), [&b"Zxello"[..], b"xello", b"x"]);
    }

    #[test]
    fn a_path_is_searched_in_its_last_part() {
        let lead = input(&["/d/ab"]);
        let at = Field { step: 0, field: 0 };
        let around = Around::of(&lead, at, (vec![3], true), &[at]).expect("a text");
        assert_eq!(around.targets(), [4, 3, 5]);
    }
}
