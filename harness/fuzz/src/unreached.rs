//! What a campaign never reached, and what it knows of the reason: each hint quotes what the subject itself said.

use crate::input::{Input, InputItem};
use crate::mutate::last_part;
use crate::novelty::form;
use crate::plan::evaluates;
use crate::source::{Mark, Source};
use crate::space::Space;
use std::collections::{BTreeMap, BTreeSet};
use stickler_judge::{AnySession, Arrow, Claim, Ledger, Level};
use stickler_reading::words::{contains, cut, has_word, visible};
use stickler_reading::{Ended, Exchange};
use stickler_suite::{SCRATCH, Setting};
use stickler_transcript::{ExitCause, Fate, Name, Value};

/// How many forms of refusals are told apart for one attribute or example.
const FORMS: usize = 32;
/// How many names of attributes are followed.
const NAMES: usize = 2_000;
/// How many things that are missing are remembered.
const MISSING: usize = 32;
/// The longest quotation, in characters.
const LONGEST: usize = 160;

/// Something that a campaign never reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreached {
    /// What it is.
    pub what: What,
    /// Why, as far as facts say.
    pub hint: Option<String>,
}

/// What was never reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// An attribute that was in no accepted item.
    Attribute(String),
    /// An outcome that no evaluation had.
    Outcome(String),
    /// A message that was never sent.
    Operation(String),
    /// An example that was never evaluated.
    Example(String),
    /// A kind of items without an example.
    Kind(String),
    /// Something that the subject looked for and did not find.
    Missing(String),
    /// Lines of a file, from and to.
    Lines(String, usize, usize),
}

impl What {
    /// The name of its sort, for programs.
    pub fn sort(&self) -> &'static str {
        match self {
            What::Attribute(_) => "attribute",
            What::Outcome(_) => "outcome",
            What::Operation(_) => "operation",
            What::Example(_) => "example",
            What::Kind(_) => "kind",
            What::Missing(_) => "missing",
            What::Lines(..) => "lines",
        }
    }

    /// Its name.
    pub fn name(&self) -> String {
        match self {
            What::Attribute(name)
            | What::Outcome(name)
            | What::Operation(name)
            | What::Example(name)
            | What::Kind(name)
            | What::Missing(name) => name.clone(),
            What::Lines(file, from, to) if from == to => format!("{file}:{from}"),
            What::Lines(file, from, to) => format!("{file}:{from}-{to}"),
        }
    }
}

/// How often something was refused, and what the subject said.
#[derive(Debug, Default)]
struct Tried {
    sent: u64,
    accepted: bool,
    /// How often each form of a refusal came, and its first text.
    refusals: BTreeMap<u64, (u64, String)>,
}

impl Tried {
    fn refuse(&mut self, form: u64, text: &str) {
        if self.refusals.len() < FORMS || self.refusals.contains_key(&form) {
            let known = self.refusals.entry(form);
            known.or_insert_with(|| (0, text.to_owned())).0 += 1;
        }
    }

    /// The most frequent refusal.
    fn why(&self) -> Option<String> {
        let (times, text) = self.refusals.values().max_by_key(|(times, _)| *times)?;
        let sent = self.sent;
        Some(format!(
            "sent {sent} times, most often refused ({times} times) with: {text}"
        ))
    }
}

/// What was reached so far. Its size is bounded.
#[derive(Debug, Default)]
pub(crate) struct Reached {
    attributes: BTreeMap<Vec<u8>, Tried>,
    examples: BTreeMap<String, Tried>,
    outcomes: BTreeSet<&'static str>,
    phases: BTreeSet<String>,
    evaluations: u64,
    /// What the subject looked for, with what it said.
    missing: BTreeMap<String, (u64, String)>,
}

impl Reached {
    /// Notes what a session reached.
    pub(crate) fn note(&mut self, space: &Space<'_>, input: &Input, session: &AnySession) {
        let words = space.setting.vocabulary();
        let exchanges: Vec<&Exchange> = session.reading().exchanges().collect();
        for exchange in &exchanges {
            let name = exchange.phase.name();
            if !self.phases.contains(&*name) {
                self.phases.insert(name.into_owned());
            }
            if input.surroundings.is_empty() {
                self.note_missing(exchange, input);
            }
        }
        let evaluated = |label: &Name| {
            let mut own = exchanges.iter();
            own.any(|one| {
                let is_own = one.item.as_ref() == Some(label) && one.message.is_some();
                is_own && one.phase != words.validation
            })
        };
        self.evaluations += exchanges.iter().filter(|one| evaluates(&one.key)).count() as u64;
        let mut claims = None;
        if self.outcomes.len() < words.outcomes.len() {
            for claim in claims.get_or_insert_with(|| session.claims()).iter() {
                let outcome = words.outcomes.iter().find(|(_, fate)| *fate == claim.fate);
                self.outcomes.extend(outcome.map(|(word, _)| *word));
            }
        }
        for (label, item) in labelled(space, input, &exchanges) {
            let is_open = |tried: Option<&Tried>| tried.is_none_or(|tried| !tried.accepted);
            let example = session.case().items.iter().find(|one| one.label == label);
            let example = example.filter(|one| one.original).map(|one| &one.example);
            let mut open = item.attributes.iter().map(|(name, _)| name);
            let some = open.any(|name| is_open(self.attributes.get(&name[..])));
            if !some && !example.is_some_and(|name| is_open(self.examples.get(name))) {
                continue;
            }
            let accepted = evaluated(&label);
            let refusal = match accepted {
                true => None,
                false => {
                    let claims = claims.get_or_insert_with(|| session.claims());
                    refusal(session, &exchanges, claims, &label)
                }
            };
            let note = |tried: &mut Tried| {
                tried.sent += 1;
                tried.accepted |= accepted;
                if tried.accepted {
                    tried.refusals.clear();
                } else if let Some((form, text)) = &refusal {
                    tried.refuse(*form, text);
                }
            };
            for (name, _) in &item.attributes {
                if self.attributes.len() < NAMES || self.attributes.contains_key(&name[..]) {
                    note(self.attributes.entry(name.to_vec()).or_default());
                }
            }
            if let Some(name) = example {
                note(self.examples.entry(name.clone()).or_default());
            }
        }
    }

    /// Notes what a subject did not find, unless a message named it.
    fn note_missing(&mut self, exchange: &Exchange, input: &Input) {
        let quits = matches!(exchange.ended, Ended::Exited(ExitCause::Code(127)));
        let texts = [&exchange.errors[..], &exchange.output[..]];
        let lines = texts
            .iter()
            .flat_map(|text| text.split(|byte| *byte == b'\n'));
        for line in lines {
            let Some(name) = lacking(line) else {
                continue;
            };
            let values = || {
                let items = input.asks().flat_map(|ask| ask.item.values());
                items.flat_map(Value::words)
            };
            let is_asked_for =
                contains(&exchange.sent, name) || values().any(|value| names(value, name));
            if is_asked_for || contains(name, SCRATCH.as_bytes()) {
                continue;
            }
            let name = cut(&visible(name), LONGEST);
            if self.missing.len() < MISSING || self.missing.contains_key(&name) {
                let status = if quits {
                    ", and exits with status 127"
                } else {
                    ""
                };
                let said = format!("{}{status}", cut(&visible(line), LONGEST));
                self.missing.entry(name).or_insert((0, said)).0 += 1;
            }
        }
    }

    /// What was never reached. `fields` are the names of attributes that items surely have.
    pub(crate) fn unreached(
        &self,
        setting: &Setting<'_>,
        fields: &[Vec<u8>],
        sources: &[Source],
    ) -> Vec<Unreached> {
        let mut all = Vec::new();
        let mut add = |what, hint| all.push(Unreached { what, hint });
        let (config, words) = (setting.config, setting.vocabulary());
        for example in &config.examples {
            let name = &example.name;
            match self.examples.get(name) {
                Some(tried) if !tried.accepted => add(What::Example(name.clone()), tried.why()),
                Some(_) => {}
                None => add(What::Example(name.clone()), None),
            }
        }
        let kinds = config.subject.kinds.iter();
        let with: BTreeSet<&String> = config
            .examples
            .iter()
            .filter_map(|one| one.kind.as_ref())
            .collect();
        // An example without a kind has the only one.
        for kind in kinds.filter(|kind| !with.contains(kind) && config.subject.kinds.len() > 1) {
            let hint = format!("no [[example]] has `{} = \"{kind}\"`", words.kind_key);
            add(What::Kind(kind.clone()), Some(hint));
        }
        for name in fields {
            match self.attributes.get(name) {
                Some(tried) if !tried.accepted => add(What::Attribute(visible(name)), tried.why()),
                _ => {}
            }
        }
        for (phase, _) in words.phases {
            let name = phase.name();
            // Each process is greeted, and told to end.
            let is_usual = Some(phase) == words.opening.as_ref() || *phase == words.closing;
            let is_open = !is_usual && setting.verbs.may_send(*phase);
            if is_open && !self.phases.contains(&*name) {
                add(What::Operation(name.into_owned()), None);
            }
        }
        for (outcome, _) in words.outcomes {
            if !self.outcomes.contains(outcome) {
                let hint = format!("none of {} evaluations had it", self.evaluations);
                add(What::Outcome((*outcome).to_owned()), Some(hint));
            }
        }
        for (name, (times, said)) in &self.missing {
            let hint = format!("said {times} times: {said}");
            add(What::Missing(name.clone()), Some(hint));
        }
        for source in sources {
            for (from, to) in gaps(source) {
                let hint = self.hint((setting, fields), source, (from, to));
                add(What::Lines(source.name.clone(), from, to), hint);
            }
        }
        all
    }

    /// Why lines never ran: they, or the line that leads to them, name something that was never reached.
    fn hint(
        &self,
        (setting, fields): (&Setting<'_>, &[Vec<u8>]),
        source: &Source,
        (from, to): (usize, usize),
    ) -> Option<String> {
        let before = source.lines[..from - 1]
            .iter()
            .rposition(|line| line.0 != Mark::NoCode);
        let first = before.unwrap_or(from - 1);
        let texts = || source.lines[first..to].iter().map(|line| line.1.as_bytes());
        let quotes = |name: &[u8]| {
            let quoted = |quote: &[u8]| [quote, name, quote].concat();
            texts().any(|text| contains(text, &quoted(b"\"")) || contains(text, &quoted(b"'")))
        };
        let says = |word: &str| texts().any(|text| has_word(text, word.as_bytes()));
        // Other names of the source are no attributes, though a campaign tries them.
        let never = fields.iter().filter_map(|name| {
            let tried = self.attributes.get(name)?;
            (!tried.accepted).then_some((name, tried))
        });
        for (name, tried) in never {
            if quotes(name)
                && let Some(why) = tried.why()
            {
                let name = visible(name);
                return Some(format!("attribute `{name}` was never accepted: {why}"));
            }
        }
        for (name, (_, said)) in &self.missing {
            let program = name.rsplit('/').next().unwrap_or(name);
            if says(program) {
                return Some(format!("`{name}` is missing: {said}"));
            }
        }
        for (outcome, _) in setting.vocabulary().outcomes {
            if !self.outcomes.contains(outcome) && says(outcome) {
                let evaluations = self.evaluations;
                return Some(format!("none of {evaluations} evaluations was `{outcome}`"));
            }
        }
        None
    }
}

/// The labels in a session, and the items of its input: both are in the order in which they came first.
fn labelled<'i>(
    space: &Space<'_>,
    input: &'i Input,
    exchanges: &[&Exchange],
) -> Vec<(Name, &'i InputItem)> {
    let validation = space.setting.vocabulary().validation;
    let mut labels: Vec<&Name> = Vec::new();
    for exchange in exchanges.iter().filter(|one| one.phase == validation) {
        match &exchange.item {
            Some(label) if !labels.contains(&label) => labels.push(label),
            _ => {}
        }
    }
    let mut items: Vec<&InputItem> = Vec::new();
    for ask in input.asks().filter(|ask| space.sends(&ask.item)) {
        if !items.contains(&&ask.item) {
            items.push(&ask.item);
        }
    }
    labels.into_iter().cloned().zip(items).collect()
}

/// What a subject said when it refused an item, and the form of that text.
fn refusal(
    session: &AnySession,
    exchanges: &[&Exchange],
    claims: &[Claim],
    label: &Name,
) -> Option<(u64, String)> {
    let mut claims = claims.iter();
    let claim = claims.find(|claim| claim.item == *label && claim.fate == Fate::Refused)?;
    let exchange = exchanges.iter().find(|one| one.number == claim.exchange)?;
    let finding = Ledger::new(Level::May).finding(claim.exchange, "");
    let lines = session.excerpt(&finding, 0).into_iter();
    // What it logs comes before the answer itself.
    let mut received = lines.filter(|line| line.arrow == Arrow::Received);
    let said = received.next()?.text;
    let said = cut(said.trim_end_matches('⏎'), LONGEST);
    Some((form(said.as_bytes(), &exchange.sent).unwrap_or(0), said))
}

/// Does a value of a message name what is missing, however the subject writes or divides it? A name without letters says
/// nothing.
fn names(value: &[u8], missing: &[u8]) -> bool {
    const TELLING: usize = 3;
    let letters = |text: &[u8]| -> Vec<u8> {
        let last = text[last_part(text)..].iter();
        last.copied().filter(u8::is_ascii_alphanumeric).collect()
    };
    let (value, missing) = (letters(value), letters(missing));
    let is_part = contains(&value, &missing);
    missing.is_empty() || is_part || value.len() >= TELLING && contains(&missing, &value)
}

/// What a line says is missing: a command or a file.
fn lacking(line: &[u8]) -> Option<&[u8]> {
    let before = |sign: &[u8]| Some(&line[..memchr::memmem::find(line, sign)?]);
    // `FileNotFoundError: [Errno 2] No such file or directory: 'name'`
    if let Some(at) = memchr::memmem::find(line, b"No such file or directory: '") {
        let rest = &line[at + b"No such file or directory: '".len()..];
        return rest.split(|byte| *byte == b'\'').next();
    }
    // `script: line 3: name: command not found`, and the same from other shells and programs.
    let head = before(b": command not found")
        .or_else(|| before(b": not found"))
        .or_else(|| before(b": No such file or directory"))?;
    let name = head.rsplit(|byte| b" '\"`".contains(byte)).next()?;
    (!name.is_empty()).then_some(name)
}

/// The first and last lines of all parts that did not run. Lines without code do not end a part.
fn gaps(source: &Source) -> Vec<(usize, usize)> {
    let mut gaps: Vec<(usize, usize)> = Vec::new();
    let mut goes_on = false;
    for (number, (mark, _)) in (1..).zip(&source.lines) {
        match mark {
            Mark::Reached => goes_on = false,
            Mark::NoCode => {}
            Mark::Missed => {
                match gaps.last_mut() {
                    Some(gap) if goes_on => gap.1 = number,
                    _ => gaps.push((number, number)),
                }
                goes_on = true;
            }
        }
    }
    gaps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_messages_of_shells_and_interpreters_name_the_missing_file() {
        for (line, name) in [
            ("./m.sh: line 12: rsync: command not found", "rsync"),
            ("sh: 1: systemctl: not found", "systemctl"),
            (
                "FileNotFoundError: [Errno 2] No such file or directory: 'ip'",
                "ip",
            ),
            ("cat: /etc/x: No such file or directory", "/etc/x"),
        ] {
            let found = lacking(line.as_bytes()).map(visible);
            assert_eq!(found.as_deref(), Some(name), "{line}");
        }
        assert_eq!(lacking(b"all is well"), None);
    }

    #[test]
    fn what_a_message_named_is_not_missing() {
        for (value, missing) in [
            ("/tmp/a.jso\"n", "/tmp/a.jso\\\"n"),
            ("/tmp/two words", "words"),
            ("notes|x", "/srv/notes|x.tmp"),
            ("anything", "|"),
        ] {
            assert!(names(value.as_bytes(), missing.as_bytes()), "{value}");
        }
        for (value, missing) in [("/tmp/a.json", "/usr/bin/ip"), ("a", "rsync"), ("", "ip")] {
            assert!(!names(value.as_bytes(), missing.as_bytes()), "{value}");
        }
    }

    #[test]
    fn the_most_frequent_refusal_is_quoted() {
        let mut tried = Tried::default();
        for _ in 0..3 {
            tried.refuse(1, "mode is no mode");
        }
        tried.refuse(2, "owner is unknown");
        tried.sent = 4;
        let why = tried.why().expect("refusals");
        assert!(why.ends_with("(3 times) with: mode is no mode"), "{why}");
    }
}
