//! Sessions that show nothing new: what the subject said and did is as in one that was judged before, once what it
//! repeats from its messages is left out. To read and to judge a session takes longer than to hold it.

use crate::input::InputItem;
use crate::novelty::SLOW_US;
use foldhash::quality::FixedState;
use std::borrow::Cow;
use std::collections::HashSet;
use std::hash::{BuildHasher, Hash, Hasher};
use stickler_transcript::{Bytes, Change, Entry, Event, Item, Value};

/// How many parts of forms are remembered.
const MOST: usize = 1 << 20;
/// A shorter text is only taken for a repeated value where no letter or digit is beside it.
const SHORT: usize = 4;
/// Lengths of texts are the same up to so many doublings.
const DOUBLINGS: u32 = 3;
/// The most values that are looked for.
const VALUES: usize = 200;

/// What the parts of a session look like: all that happened about each item, and each two exchanges in a row.
#[derive(Debug)]
pub(crate) struct Form(Vec<u64>);

/// The forms of sessions that were judged.
#[derive(Debug, Default)]
pub(crate) struct Usual(HashSet<u64, FixedState>);

impl Usual {
    /// Was each part of it judged before?
    pub(crate) fn knows(&self, form: &Form) -> bool {
        form.0.iter().all(|part| self.0.contains(part))
    }

    /// A session of this form was judged.
    pub(crate) fn learn(&mut self, form: Form) {
        if self.0.len() > MOST {
            self.0.clear();
        }
        self.0.extend(form.0);
    }
}

/// What has happened in an exchange so far.
struct Current<'e> {
    /// The place of its item.
    item: usize,
    hasher: <FixedState as BuildHasher>::Hasher,
    began: u64,
    /// What was written to each stream, which may come in pieces.
    output: [Vec<u8>; 3],
    changes: Vec<&'e Change>,
}

/// The form of what happened, given the items that the messages were about, in the order of their labels. `None` if
/// something happened that is always worth a look.
pub(crate) fn form(labels: &[Item], items: &[&InputItem], events: &[Event]) -> Option<Form> {
    if labels.len() != items.len() {
        return None;
    }
    let state = FixedState::default();
    let mut history = History {
        values: values(items)?,
        items: items
            .iter()
            .map(|item| state.hash_one(shape(item)))
            .collect(),
        pairs: Vec::new(),
        before: 0,
    };
    let mut current: Option<Current<'_>> = None;
    for event in events {
        match event {
            Event::Request(request) => {
                history.end(current.take());
                let label = request.item.as_ref()?;
                let item = labels.iter().position(|item| item.label == *label)?;
                let mut hasher = state.build_hasher();
                request.key.before().hash(&mut hasher);
                (request.provenance as u8, request.owed).hash(&mut hasher);
                request.phase.name().hash(&mut hasher);
                current = Some(Current {
                    item,
                    hasher,
                    began: request.t,
                    output: Default::default(),
                    changes: Vec::new(),
                });
            }
            Event::In { .. } => {}
            Event::Out { t, data, .. }
            | Event::Err { t, data, .. }
            | Event::Printed { t, data, .. } => {
                let current = current.as_mut()?;
                if t.saturating_sub(current.began) > SLOW_US {
                    return None;
                }
                let [out, err, printed] = &mut current.output;
                let stream = match event {
                    Event::Out { .. } => out,
                    Event::Err { .. } => err,
                    _ => printed,
                };
                stream.extend_from_slice(data);
            }
            Event::Unsent { key, .. } => {
                history.end(current.take());
                history.before = state.hash_one((history.before, key.before()));
            }
            Event::Effects {
                changes, truncated, ..
            } => {
                if *truncated {
                    return None;
                }
                if let Some(current) = &mut current {
                    current.changes.extend(changes);
                } else if !changes.is_empty() {
                    return None;
                }
            }
            _ => return None,
        }
    }
    history.end(current);
    let parts = history.items.into_iter().chain(history.pairs);
    Some(Form(parts.collect()))
}

/// The parts of a form so far.
struct History<'v> {
    values: Values<'v>,
    /// All that happened about each item.
    items: Vec<u64>,
    /// Each two exchanges in a row.
    pairs: Vec<u64>,
    /// The last exchange.
    before: u64,
}

impl History<'_> {
    /// An exchange is over, if there was one.
    fn end(&mut self, exchange: Option<Current<'_>>) {
        let Some(exchange) = exchange else {
            return;
        };
        let state = FixedState::default();
        let hash = self.values.finish(&exchange);
        let item = &mut self.items[exchange.item];
        *item = state.hash_one((*item, hash));
        self.pairs.push(state.hash_one((self.before, hash)));
        self.before = hash;
    }
}

/// The classes of an item's values, and its names.
fn shape(item: &InputItem) -> Vec<(&Bytes, u64)> {
    let fields = item.fields();
    fields.map(|(name, value)| (name, class(value))).collect()
}

/// What rules may ask about a value.
fn class(value: &Value) -> u64 {
    let mut hasher = FixedState::default().build_hasher();
    std::mem::discriminant(value).hash(&mut hasher);
    match value {
        Value::Text(text) => {
            let doublings = text
                .len()
                .checked_ilog2()
                .map(|doublings| doublings / DOUBLINGS);
            doublings.hash(&mut hasher);
            text.starts_with(b"/").hash(&mut hasher);
            text.iter().any(u8::is_ascii_control).hash(&mut hasher);
            let letters = match std::str::from_utf8(text) {
                Ok(text) if text.is_ascii() => "ascii",
                Ok(_) => "utf-8",
                Err(_) => "bytes",
            };
            letters.hash(&mut hasher);
        }
        Value::List(items) => {
            let classes = items.iter().map(class);
            classes.collect::<Vec<_>>().hash(&mut hasher);
        }
        Value::Object(members) => {
            let classes = members.iter().map(|(_, value)| class(value));
            classes.collect::<Vec<_>>().hash(&mut hasher);
        }
        Value::Number(_) | Value::Bool(_) | Value::Null => {}
    }
    hasher.finish()
}

/// A value of messages, in one of the forms in which an answer may repeat it.
struct Repeated<'v> {
    text: Cow<'v, [u8]>,
    /// The items that have it, each with the place of the field.
    fields: Vec<(usize, usize)>,
}

/// The values of all messages, the longest first.
struct Values<'v>(Vec<Repeated<'v>>);

/// `None` if there are too many.
fn values<'v>(items: &[&'v InputItem]) -> Option<Values<'v>> {
    let mut values: Vec<Repeated<'v>> = Vec::new();
    for (item, own) in items.iter().enumerate() {
        for (field, (_, value)) in own.fields().enumerate() {
            let words = value.words().into_iter().filter(|word| !word.is_empty());
            let texts = words.flat_map(|word| {
                let escaped = escaped(word).into_iter().map(Cow::Owned);
                std::iter::once(Cow::Borrowed(word)).chain(escaped)
            });
            values.extend(texts.map(|text| Repeated {
                text,
                fields: vec![(item, field)],
            }));
            if values.len() > VALUES {
                return None;
            }
        }
    }
    let longest_first = |one: &Repeated<'_>, other: &Repeated<'_>| {
        let lengths = other.text.len().cmp(&one.text.len());
        lengths.then_with(|| one.text.cmp(&other.text))
    };
    values.sort_by(longest_first);
    values.dedup_by(|later, first| {
        let is_same = later.text == first.text;
        if is_same {
            first.fields.append(&mut later.fields);
        }
        is_same
    });
    Some(Values(values))
}

/// How a value is written in JSON: with its letters, and with numbers for them.
fn escaped(word: &[u8]) -> Vec<Vec<u8>> {
    let is_plain = |byte: &u8| (b' '..0x7f).contains(byte) && !matches!(byte, b'"' | b'\\');
    let Some(text) = std::str::from_utf8(word)
        .ok()
        .filter(|_| !word.iter().all(is_plain))
    else {
        return Vec::new();
    };
    let json = serde_json::Value::from(text).to_string();
    let json = &json[1..json.len() - 1];
    let mut units = [0; 2];
    let mut ascii = String::new();
    for letter in json.chars() {
        if letter.is_ascii() {
            ascii.push(letter);
        } else {
            let units = letter.encode_utf16(&mut units).iter();
            ascii.extend(units.map(|unit| format!("\\u{unit:04x}")));
        }
    }
    [json.to_owned(), ascii].map(String::into_bytes).into()
}

impl Values<'_> {
    /// The hash of all that happened in an exchange.
    fn finish(&self, current: &Current<'_>) -> u64 {
        let mut hasher = current.hasher.clone();
        for (stream, text) in current.output.iter().enumerate() {
            stream.hash(&mut hasher);
            self.leave_out(text, current.item, &mut hasher);
        }
        for change in &current.changes {
            self.changed(change, current.item, &mut hasher);
        }
        hasher.finish()
    }

    /// Hashes a text, with a sign for each value in it.
    fn leave_out(&self, text: &[u8], item: usize, hasher: &mut impl Hasher) {
        // What is longer cannot be in it.
        let from = self
            .0
            .partition_point(|value| value.text.len() > text.len());
        left_out(text, &self.0[from..], item, hasher);
    }

    fn changed(&self, change: &Change, item: usize, hasher: &mut impl Hasher) {
        change.kind.hash(hasher);
        self.leave_out(&change.path, item, hasher);
        for entry in [&change.before, &change.after] {
            entry.is_some().hash(hasher);
            if let Some(entry) = entry {
                self.entry(entry, item, hasher);
            }
        }
    }

    fn entry(&self, entry: &Entry, item: usize, hasher: &mut impl Hasher) {
        (entry.kind as u8, entry.mode, entry.uid, entry.gid).hash(hasher);
        match &entry.content {
            Some(content) => self.leave_out(content, item, hasher),
            None => (entry.size, &entry.digest).hash(hasher),
        }
    }
}

fn left_out(text: &[u8], values: &[Repeated<'_>], item: usize, hasher: &mut impl Hasher) {
    if text.is_empty() {
        return;
    }
    let Some((value, others)) = values.split_first() else {
        text.hash(hasher);
        return;
    };
    let word = &value.text[..];
    let mut from = 0;
    for at in memchr::memmem::find_iter(text, word) {
        let end = at + word.len();
        let is_letter = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
        let is_inside =
            is_letter(at.checked_sub(1).and_then(|at| text.get(at))) || is_letter(text.get(end));
        if at < from || word.len() < SHORT && is_inside {
            continue;
        }
        left_out(&text[from..at], others, item, hasher);
        let mut fields = value.fields.iter();
        let own = fields.find(|(whose, _)| *whose == item);
        own.map(|(_, field)| field).hash(hasher);
        from = end;
    }
    left_out(&text[from..], others, item, hasher);
}

#[cfg(test)]
mod tests {
    use super::{Form, Usual, form};
    use crate::input::InputItem;
    use stickler_transcript::{
        Change, ChangeKind, Entry, Event, FileType, Input, Item, Phase, Provenance, Purpose, Value,
    };

    fn item(promiser: &str, message: &[u8]) -> InputItem {
        InputItem {
            identity: vec![("promiser".into(), Value::text(promiser))],
            attributes: vec![("message".into(), Value::text(message))],
            ..InputItem::default()
        }
    }

    /// A session in which each item is evaluated by turns, and the answers to that.
    fn session(items: &[&InputItem], answers: &[(usize, &[u8])]) -> Option<Form> {
        let labels: Vec<Item> = (1..=items.len())
            .map(|number| Item {
                label: format!("f{number}").into(),
                ..Item::default()
            })
            .collect();
        let mut events = Vec::new();
        for (number, (item, answer)) in answers.iter().enumerate() {
            let label = &labels[*item].label;
            events.push(Event::Request(Input {
                t: 0,
                process: 0,
                exchange: number + 1,
                phase: Phase::OTHER,
                key: Purpose::EVALUATE.of(label),
                item: Some(label.clone()),
                provenance: Provenance::Agent,
                owed: true,
            }));
            // Answers come in pieces.
            let (one, other) = answer.split_at(answer.len() / 2);
            for data in [one, other] {
                events.push(Event::Out {
                    t: 1,
                    process: 0,
                    data: data.into(),
                });
            }
        }
        form(&labels, items, &events)
    }

    fn knows(first: Option<Form>, then: Option<Form>) -> bool {
        let mut usual = Usual::default();
        usual.learn(first.expect("a form"));
        usual.knows(&then.expect("a form"))
    }

    /// One item, and its answer.
    fn one(message: &[u8], answer: &[u8]) -> Option<Form> {
        session(&[&item("/srv/file", message)], &[(0, answer)])
    }

    #[test]
    fn an_answer_that_repeats_another_value_is_usual() {
        let echo = |message: &str| {
            let answer = format!("message={message}\npromiser=/srv/file\nresult=kept\n");
            one(message.as_bytes(), answer.as_bytes())
        };
        assert!(knows(echo("hello"), echo("howdy")));
        // In a list of letters, each is in the middle of words.
        assert!(knows(echo("a"), echo("e")));
        let json = |message: &str, shown: &str| {
            let answer = format!(r#"{{"message": "{shown}", "result": "kept"}}"#);
            one(message.as_bytes(), answer.as_bytes())
        };
        assert!(knows(
            json("häßlich", "häßlich"),
            json("schöner", r"sch\u00f6ner")
        ));
        assert!(knows(
            json("a\n\"b\"", r#"a\n\"b\""#),
            json("b\t\"c\"", r#"b\t\"c\""#)
        ));
    }

    #[test]
    fn an_answer_that_differs_beyond_the_repeated_value_is_unusual() {
        let with = |message: &str, rest: &str| {
            one(
                message.as_bytes(),
                format!("message={message}\n{rest}").as_bytes(),
            )
        };
        assert!(!knows(
            with("hello", "result=kept"),
            with("howdy", "result=repaired")
        ));
        // A value that is not repeated whole, or is another's.
        assert!(!knows(one(b"hello", b"m=hello"), one(b"howdy", b"m=howd")));
        let (a, b) = (item("/a", b"hello"), item("/b", b"howdy"));
        let right = session(&[&a, &b], &[(0, b"m=hello"), (1, b"m=howdy")]);
        let wrong = session(&[&a, &b], &[(0, b"m=hello"), (1, b"m=hello")]);
        assert!(!knows(right, wrong));
        // A value of another kind, of another length, with letters that may be trouble.
        for other in [
            &b"x".repeat(5_000)[..],
            b"",
            b"\xff\xfe",
            b"a\x01b",
            b"/etc",
        ] {
            assert!(!knows(one(b"hello", b"ok"), one(other, b"ok")), "{other:?}");
        }
    }

    #[test]
    fn a_form_includes_the_earlier_answers_about_the_same_item() {
        let (a, b) = (item("/a", b"hello"), item("/b", b"howdy"));
        let twice = session(&[&a], &[(0, b"repaired"), (0, b"kept")]);
        let again = session(&[&b], &[(0, b"repaired"), (0, b"repaired")]);
        assert!(!knows(twice, again));
        // Between other items it is the same.
        let mut usual = Usual::default();
        for known in [
            session(&[&a, &b], &[(0, b"kept"), (1, b"repaired"), (1, b"kept")]),
            session(&[&a, &b], &[(0, b"repaired"), (0, b"kept"), (1, b"kept")]),
        ] {
            usual.learn(known.expect("a form"));
        }
        let mixed = session(&[&a, &b], &[(1, b"repaired"), (1, b"kept"), (0, b"kept")]);
        assert!(usual.knows(&mixed.expect("a form")));
    }

    #[test]
    fn an_answer_with_other_effects_or_a_long_delay_is_unusual() {
        let own = item("/srv/file", b"hello");
        let label = Item {
            label: "f1".into(),
            ..Item::default()
        };
        let with = |path: &str, mode: u32, content: &[u8], t: u64| {
            let request = Event::Request(Input {
                t: 0,
                process: 0,
                exchange: 1,
                phase: Phase::OTHER,
                key: Purpose::EVALUATE.of("f1"),
                item: Some("f1".into()),
                provenance: Provenance::Agent,
                owed: true,
            });
            let answer = Event::Out {
                t,
                process: 0,
                data: b"repaired"[..].into(),
            };
            let effects = Event::Effects {
                t,
                point: String::new(),
                changes: vec![Change {
                    path: path.into(),
                    kind: ChangeKind::Created,
                    before: None,
                    after: Some(Entry {
                        kind: FileType::File,
                        mode,
                        uid: 0,
                        gid: 0,
                        size: content.len() as u64,
                        digest: None,
                        content: Some(content.into()),
                    }),
                }],
                truncated: false,
            };
            form(
                std::slice::from_ref(&label),
                &[&own],
                &[request, answer, effects],
            )
        };
        let usual = || with("/srv/file", 0o644, b"hello\n", 1);
        assert!(knows(usual(), with("/srv/file", 0o644, b"hello\n", 2)));
        assert!(!knows(usual(), with("/srv/file.tmp", 0o644, b"hello\n", 1)));
        assert!(!knows(usual(), with("/srv/file", 0o600, b"hello\n", 1)));
        assert!(!knows(usual(), with("/srv/file", 0o644, b"hell\n", 1)));
        assert!(with("/srv/file", 0o644, b"hello\n", 600_000).is_none());
    }
}
