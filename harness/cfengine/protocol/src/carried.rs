//! Does a value arrive as it was sent? Judged by the places where the plain run showed it.

pub mod forms;
mod written;

use crate::meant;
use crate::output::in_time;
use crate::partner::{self, at};
use crate::phase;
use crate::session::{Exchange, Session};
use crate::wire::Value;
use crate::words::{contains, find_word, shown};
use forms::holds;
use stickler_judge::{Finding, Group, Ledger, Level, Role, RunPlace, Variant};
use stickler_transcript::{Change, Variation};
use written::{follows, written};

/// The written file, the path or the link does not show the value.
const NOT_WRITTEN: Variant = Variant::new("not-written");
/// The answer does not echo the value.
const NOT_ECHOED: Variant = Variant::new("not-echoed");
/// A character stands for each byte of the value, as it arrived.
const BYTES: Variant = Variant::new("bytes-as-characters");
/// A log message does not name the value.
const NOT_LOGGED: Variant = Variant::new("not-logged");

/// A value that was changed, and how.
pub(crate) struct Changed<'s> {
    /// The kind of the change.
    pub(crate) kind: Option<Variation>,
    /// The author's value.
    base: &'s [u8],
    /// The value that arrived instead.
    sent: &'s [u8],
    /// What the agent means by it, if that is another text.
    meant: Option<Vec<u8>>,
}

impl Changed<'_> {
    /// Does the change add characters beyond ASCII?
    pub(crate) fn is_beyond_ascii(&self) -> bool {
        let count = |text: &[u8]| text.iter().filter(|byte| !byte.is_ascii()).count();
        count(self.sent) > count(self.base)
    }

    /// The value as the agent means it.
    fn as_meant(&self) -> Option<Changed<'_>> {
        Some(Changed {
            sent: self.meant.as_deref()?,
            meant: None,
            ..*self
        })
    }

    /// Does the change put several blanks in a row? A module that treats the value as a list of
    /// words may collapse them.
    fn brings_blanks(&self) -> bool {
        self.kind == Some(Variation::Text)
            && contains(self.sent, b"  ")
            && !contains(self.base, b"  ")
    }

    /// Does the sent value have only `=`, commas, letters and blanks? Messages quote these
    /// unchanged.
    fn is_plain(&self) -> bool {
        self.sent.iter().all(|byte| {
            byte.is_ascii_alphabetic()
                || matches!(byte, b'=' | b',' | b' ')
                || self.base.contains(byte)
        })
    }
}

/// Is this a character that a promise type may interpret in a promiser, as in `file:key` or
/// `file#anchor`?
fn is_mark(byte: u8) -> bool {
    byte.is_ascii_punctuation() && !b"=\\$'\"%,-_.".contains(&byte)
}

/// Judges all changed values of a group that are `wanted`.
pub(crate) fn judge(
    group: &Group<'_, Session>,
    ledger: &mut Ledger,
    wanted: impl Fn(&Changed<'_>) -> bool,
) {
    let Some((base_index, baseline)) = group.baseline() else {
        return;
    };
    let variants = variants(group, baseline);
    for variant in variants.iter().filter(|variant| wanted(&variant.value)) {
        let place = at(variant.index, variant.exchange);
        let seen = Channel::ALL
            .iter()
            .filter_map(|channel| Some((*channel, variant.seen(*channel)?)))
            .collect::<Vec<_>>();
        let broken = seen.iter().find_map(|(channel, seen)| match seen {
            Seen::Carried | Seen::Bytes | Seen::Parts => None,
            Seen::Instead(shown) => shown.iter().find_map(|(carrier, instead)| {
                let follower = variant.follower(*channel, *carrier, &variants)?;
                Some((channel, instead, follower))
            }),
        });
        let Some((channel, instead, follower)) = broken else {
            let as_bytes = seen.iter().find(|(_, seen)| matches!(seen, Seen::Bytes));
            if let Some((channel, _)) = as_bytes {
                ledger.report(bytes(variant, *channel, ledger, place));
            } else if seen.iter().any(|(_, seen)| matches!(seen, Seen::Carried)) {
                ledger.passes.push(place);
            }
            continue;
        };
        let (value, exchange) = (&variant.value, variant.exchange);
        // If the value is a list in text, the last item has no line of its own.
        let is_list = |other: &Varied<'_>| {
            other.is_like(variant) && matches!(other.seen(Channel::File), Some(Seen::Parts))
        };
        if value.sent == [value.base, b"\n"].concat() && variants.iter().any(is_list) {
            continue;
        }
        // A module that reads what newer agents send takes one byte for each character.
        let is_for_newer =
            value.is_beyond_ascii() && variants.iter().any(|other| other.is_decoded(variant));
        let most = match (is_for_newer, value.brings_blanks()) {
            (true, _) => Level::May,
            (_, true) => Level::Should,
            _ => Level::Must,
        };
        let case = variant.session.case();
        let what = variant.what();
        let told = format!("{what} {} `{}`", channel.words(), shown(instead, case, 80));
        let message = match variant.session.release(exchange).filter(|_| is_for_newer) {
            Some(release) => format!("as cf-agent {} sends it, {told}", release.version),
            None => told,
        };
        let finding = ledger
            .finding_at(place, channel.variant().says(message))
            .expected(format!("`{}`", shown(value.sent, case, 80)))
            .quote(instead)
            .also(at(base_index, variant.plain))
            .also(at(follower.index, follower.exchange))
            .graded(exchange.provenance)
            .at_most(most);
        ledger.report(finding);
    }
}

/// The advice about a value that is written as it arrived: one character for each byte.
fn bytes(variant: &Varied<'_>, channel: Channel, ledger: &Ledger, place: RunPlace) -> Finding {
    let (value, exchange) = (&variant.value, variant.exchange);
    let case = variant.session.case();
    let meant = shown(value.meant.as_deref().unwrap_or_default(), case, 80);
    let what = variant.what();
    let message = format!(
        "{what} is {} as `{}`, as cf-agent {} would send it: a character for each byte",
        channel.place(),
        shown(value.sent, case, 80),
        variant.session.agents(|release| release.escapes_bytes),
    );
    let remedy = "decode such text where that succeeds, as with `text.encode(\"latin-1\").decode(\"utf-8\")`";
    ledger
        .finding_at(place, BYTES.says(message))
        .expected(format!("`{meant}`: {remedy}"))
        .graded(exchange.provenance)
        .at_most(Level::May)
}

/// An exchange in which one value differs from the plain run's.
struct Varied<'s> {
    index: usize,
    session: &'s Session,
    exchange: &'s Exchange,
    plain: &'s Exchange,
    field: &'s str,
    value: Changed<'s>,
}

impl<'s> Varied<'s> {
    /// The value, in words.
    fn what(&self) -> String {
        match self.field {
            "promiser" => "the promiser".to_owned(),
            field => format!("the value of `{field}`"),
        }
    }

    fn seen(&self, channel: Channel) -> Option<Seen<'s>> {
        let judge =
            |value: &Changed<'_>| channel.judge(self.plain, self.exchange, self.field, value);
        let meant = self.value.as_meant();
        if let Some(Seen::Carried) = meant.as_ref().and_then(judge) {
            return Some(Seen::Carried);
        }
        match judge(&self.value)? {
            // An echo has the text of the request.
            Seen::Carried if meant.is_some() && channel != Channel::Echo => Some(Seen::Bytes),
            seen => Some(seen),
        }
    }

    /// Is the same value written as the agent means it, although it arrived as one character for each byte?
    fn is_decoded(&self, same: &Varied<'_>) -> bool {
        let written = [Channel::File, Channel::Path, Channel::Link];
        self.value.meant.as_deref() == Some(same.value.sent)
            && self.is_like(same)
            && written
                .iter()
                .any(|channel| matches!(self.seen(*channel), Some(Seen::Carried)))
    }

    /// Another value of the field that arrived in this channel. Without one, the plain run may show
    /// the author's value for another reason, and nothing was lost on the way.
    fn follower<'v>(
        &self,
        channel: Channel,
        carrier: Option<&Change>,
        variants: &'v [Varied<'s>],
    ) -> Option<&'v Varied<'s>> {
        variants.iter().find(|other| {
            other.is_like(self)
                && match carrier {
                    Some(carrier) => follows(channel, carrier, other),
                    None => matches!(other.seen(channel), Some(Seen::Carried | Seen::Bytes)),
                }
        })
    }

    /// Is it about the same field of the same example?
    fn is_like(&self, other: &Varied<'_>) -> bool {
        self.plain.number == other.plain.number
            && self.field == other.field
            && self.value.base == other.value.base
    }
}

fn variants<'s>(group: &Group<'s, Session>, baseline: &'s Session) -> Vec<Varied<'s>> {
    let sessions = group.variants().filter(|(role, ..)| **role != Role::Again);
    let variants = sessions.flat_map(|(_, index, session)| {
        session.exchanges.iter().filter_map(move |exchange| {
            let (plain, field) = changed_field(baseline, session, exchange)?;
            let (base, sent) = changed_text(plain, exchange, field)?;
            let promise = session.item(exchange);
            let kind = promise.and_then(|promise| promise.variation);
            let meant = session
                .gets_bytes(exchange)
                .then(|| meant::text(sent))
                .flatten();
            let value = Changed {
                kind,
                base,
                sent,
                meant,
            };
            (!base.is_empty()).then_some(Varied {
                index,
                session,
                exchange,
                plain,
                field,
                value,
            })
        })
    });
    variants.collect()
}

/// The plain run's exchange about the example of a variant, and the field that was changed. The
/// module accepted and carried out both.
fn changed_field<'s>(
    baseline: &'s Session,
    variant: &'s Session,
    exchange: &'s Exchange,
) -> Option<(&'s Exchange, &'s str)> {
    let promise = variant.item(exchange)?;
    let field = promise.field.as_deref()?;
    if !accepted(exchange) {
        return None;
    }
    let plain = partner::plain(baseline, promise, exchange.phase)?;
    accepted(plain).then_some((plain, field))
}

fn accepted(exchange: &Exchange) -> bool {
    let fine = match exchange.phase {
        phase::VALIDATE => exchange.is("valid"),
        phase::EVALUATE => exchange.is("kept") || exchange.is("repaired"),
        _ => false,
    };
    fine && in_time(exchange)
}

/// The text in a field of one request, and the text that replaces it in the other.
fn changed_text<'s>(
    plain: &'s Exchange,
    exchange: &'s Exchange,
    field: &str,
) -> Option<(&'s [u8], &'s [u8])> {
    let (plain, changed) = (plain.request.as_ref()?, exchange.request.as_ref()?);
    if field == "promiser" {
        let (one, other) = (plain.promiser.as_deref()?, changed.promiser.as_deref()?);
        return (one != other).then_some((one, other));
    }
    let field = field.as_bytes();
    differing(plain.attribute(field)?, changed.attribute(field)?)
}

/// The first pair of different texts at the same place in two values of the same shape.
fn differing<'v>(one: &'v Value, other: &'v Value) -> Option<(&'v [u8], &'v [u8])> {
    match (one, other) {
        (Value::List(one), Value::List(other)) => {
            let mut pairs = one.iter().zip(other);
            pairs.find_map(|(one, other)| differing(one, other))
        }
        (Value::Object(one), Value::Object(other)) => one.iter().find_map(|(key, one)| {
            let (_, other) = other.iter().find(|(name, _)| name == key)?;
            differing(one, other)
        }),
        _ => {
            let (one, other) = (one.as_text()?, other.as_text()?);
            (one != other).then_some((one, other))
        }
    }
}

/// Where a value can be seen.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Channel {
    File,
    Path,
    Link,
    Echo,
    Log,
}

/// What appears in a channel that showed the author's value before.
enum Seen<'e> {
    Carried,
    /// The value as it arrived, where the agent means another text.
    Bytes,
    /// Each comma-separated part appears alone. This is a list in text, which says nothing about
    /// the rest.
    Parts,
    /// Other texts, each with the change that showed the author's value, if it was one.
    Instead(Vec<(Option<&'e Change>, &'e [u8])>),
}

impl<'e> Seen<'e> {
    /// Another text, outside of files.
    fn instead(text: &'e [u8]) -> Seen<'e> {
        Seen::Instead(vec![(None, text)])
    }
}

impl Channel {
    const ALL: [Channel; 5] = [
        Channel::File,
        Channel::Path,
        Channel::Link,
        Channel::Echo,
        Channel::Log,
    ];

    fn words(self) -> &'static str {
        match self {
            Channel::File => "is not in the written file, which holds",
            Channel::Path => "is not in the created path",
            Channel::Link => "is not in the created link",
            Channel::Echo => "is echoed as",
            Channel::Log => "is named in a log message as",
        }
    }

    /// Where the value is.
    fn place(self) -> &'static str {
        match self {
            Channel::File => "in the written file",
            Channel::Path => "in the created path",
            Channel::Link => "in the created link",
            Channel::Echo => "in the echo",
            Channel::Log => "in a log message",
        }
    }

    fn variant(self) -> Variant {
        match self {
            Channel::File | Channel::Path | Channel::Link => NOT_WRITTEN,
            Channel::Echo => NOT_ECHOED,
            Channel::Log => NOT_LOGGED,
        }
    }

    /// `None` if the exchange cannot show it.
    fn judge<'e>(
        self,
        plain: &'e Exchange,
        exchange: &'e Exchange,
        field: &str,
        value: &Changed<'_>,
    ) -> Option<Seen<'e>> {
        match self {
            Channel::Echo => echo(plain, exchange, field, value),
            _ if !is_distinct(plain, field, value.base) => None,
            Channel::Log => log(plain, exchange, value),
            _ => written(self, plain, exchange, value),
        }
    }
}

/// Words that a module may write for its own reasons.
const SWITCHES: [&str; 12] = [
    "true", "false", "yes", "no", "on", "off", "present", "absent", "enabled", "disabled", "none",
    "root",
];

/// If this text appears, does it certainly come from this field? Not if it is short, a short number
/// or a switch, or if it is part of another value.
fn is_distinct(plain: &Exchange, field: &str, base: &[u8]) -> bool {
    // A longer number does not appear by chance.
    let telling = base.len() >= 4
        || base
            .iter()
            .any(|byte| byte.is_ascii_alphabetic() || !byte.is_ascii());
    let switch = SWITCHES
        .iter()
        .any(|word| base.eq_ignore_ascii_case(word.as_bytes()));
    let Some(request) = &plain.request else {
        return false;
    };
    let mut others: Vec<&[u8]> = Vec::new();
    if field != "promiser" {
        others.extend(request.promiser.as_deref());
    }
    others.extend(request.promise_type.as_deref());
    for (name, value) in request.attributes.iter().flatten() {
        let mut words = value.words();
        if name == field.as_bytes()
            && let Some(own) = words.iter().position(|word| *word == base)
        {
            words.remove(own);
        }
        others.push(name);
        others.extend(words);
    }
    base.len() >= 3 && telling && !switch && !others.iter().any(|other| contains(other, base))
}

/// The `promiser` and `attributes` that the answer repeats.
fn echo<'e>(
    plain: &'e Exchange,
    exchange: &'e Exchange,
    field: &str,
    value: &Changed<'_>,
) -> Option<Seen<'e>> {
    if field == "promiser" {
        fn echoed(exchange: &Exchange) -> Option<&[u8]> {
            exchange.response.as_ref()?.promiser.text()
        }
        let back = (echoed(plain)? == value.base).then(|| echoed(exchange))??;
        return Some(if back == value.sent {
            Seen::Carried
        } else {
            Seen::instead(back)
        });
    }
    let pair = |exchange: &'e Exchange| -> Option<(&'e Value, &'e Value)> {
        let mut attributes = exchange.response.as_ref()?.attributes();
        let (_, back) = attributes.rfind(|(name, _)| *name == field.as_bytes())?;
        let sent = exchange.request.as_ref()?.attribute(field.as_bytes())?;
        Some((sent, back))
    };
    let (sent, back) = pair(plain)?;
    if sent != back {
        return None;
    }
    let (sent, back) = pair(exchange)?;
    if sent == back {
        return Some(Seen::Carried);
    }
    let (_, back) = differing(sent, back)?;
    Some(match back == value.sent {
        true => Seen::Carried,
        false => Seen::instead(back),
    })
}

/// A log message that named the author's value and now, with the same words around it, names the
/// changed one.
fn log<'e>(plain: &'e Exchange, exchange: &'e Exchange, value: &Changed<'_>) -> Option<Seen<'e>> {
    if !value.is_plain() || plain.result() != exchange.result() {
        return None;
    }
    let mut seen = None;
    for (level, message) in plain.logs() {
        let Some(at) = find_word(message, value.base) else {
            continue;
        };
        let (before, after) = (&message[..at], &message[at + value.base.len()..]);
        if before.len() + after.len() < 4 {
            continue;
        }
        let same = exchange.logs().filter(|(other, _)| *other == level);
        for named in same.filter_map(|(_, other)| between(other, before, after)) {
            if holds(named, value.sent) || is_abbreviated(named, value.sent) {
                return Some(Seen::Carried);
            }
            // The message may be about something else that the promise names.
            if names_another(exchange, named) {
                continue;
            }
            seen.get_or_insert(Seen::instead(named));
        }
    }
    seen
}

/// Is this one of the request's other texts?
fn names_another(exchange: &Exchange, named: &[u8]) -> bool {
    let request = exchange.request.as_ref();
    let mut attributes = request
        .iter()
        .flat_map(|request| request.attributes.iter().flatten());
    attributes.any(|(_, value)| value.words().contains(&named))
}

/// Is it an abbreviation: the beginning of a text, followed by dots?
fn is_abbreviated(named: &[u8], text: &[u8]) -> bool {
    let dots = [&b"..."[..], "…".as_bytes()];
    dots.iter().any(|dots| {
        let start = named.strip_suffix(*dots).map(<[u8]>::trim_ascii_end);
        start.is_some_and(|start| start.len() >= 8 && text.starts_with(start))
    })
}

fn between<'m>(message: &'m [u8], before: &[u8], after: &[u8]) -> Option<&'m [u8]> {
    message.strip_prefix(before)?.strip_suffix(after)
}
