//! A toy system: it keeps one value a file. Each message is a line, each answer one word.
//!
//! | message | asks | answers |
//! |---|---|---|
//! | `may FILE VALUE` | is this sound? | `yes`, `no` |
//! | `put FILE VALUE` | let the file hold the value | `did`, `was`, `cannot` |
//! | `try FILE VALUE` | would you have to? | `would`, `was` |
//!
//! There is no greeting and no farewell. A line that begins with `news` is no answer.
//!
//! There are two kinds of it: [`Toy`] takes all messages and any number of files. [`Mute`] has no `may`, takes
//! one file a process, and its values have types.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicUsize, Ordering};
use stickler_judge::{
    AnySession, Arrow, Check, Claim, ExcerptLine, Finding, Group, Ledger, Level, Matter, Need,
    Rule, RunPlace, View,
};
use stickler_reading::words::visible;
use stickler_reading::{AnyReading, Ended, Exchange, Reading};
use stickler_session::Wire;
use stickler_suite::config::keys::COMMAND;
use stickler_suite::config::{Config, Form, Key, Keys};
use stickler_suite::own_families;
use stickler_suite::plans::{self, OwnFamily, own, relations_of, subjects};
use stickler_suite::{
    Ask, Capabilities, CaseBuilder, Dialect, Effort, Instance, Learned, Pace, Planned,
    PlanningStage, Setting, Tells, Values, Verbs, Vocabulary,
};
use stickler_transcript::{
    Case, Facts, Fate, Framing, Name, Phase, Purpose, Relation, Role, Send, Step, Transcript, Value,
};

const MAY: Phase = Phase::named("may");
const PUT: Phase = Phase::named("put");
const END: Phase = Phase::named("end");

/// What only a keeper has: marks, and commands that spoil an entry.
const KEYS: Keys = Keys {
    subject: &[
        COMMAND,
        Key::new(
            "marks",
            "The marks of the {subject}.",
            Form::Texts(|subject, marks| subject.own.set("marks", marks)),
        ),
    ],
    outcome: &[Key::new(
        "spoil",
        "Commands that spoil the {item}.",
        Form::Commands(|example, commands| example.own.set("spoil", commands)),
    )],
    ..Keys::NONE
};

static VOCABULARY: Vocabulary = Vocabulary {
    dialect: "toy",
    schema: "stickler.toy.schema.json",
    never: "nothing was said",
    subject: "keeper",
    subjects: "keepers",
    not_understood: "silent",
    unsent: "nothing was evaluated, since validation did not accept the file",
    item: "entry",
    kind: "kind",
    kind_key: "kind",
    kinds_key: "kinds",
    identity_key: "name",
    label_key: "label",
    attributes_key: "fields",
    outcomes: WORDS,
    phases: &[(MAY, Pace::Quick), (PUT, Pace::Work), (END, Pace::Quick)],
    opening: None,
    validation: MAY,
    closing: END,
    channel: false,
    awaited: &[],
    ignore: &[],
    answer_names: &["did"],
    typed: true,
    keys: KEYS,
    relations: &[OWN],
    has_rule: |code| RULES.iter().any(|rule| rule.code == code),
};

const WORDS: &[(&str, Fate)] = &[
    ("was", Fate::Unchanged),
    ("did", Fate::Changed),
    ("cannot", Fate::Failed),
];

/// One line.
fn line_end(buffer: &[u8], scanned: usize) -> Option<usize> {
    let end = buffer[scanned..].iter().position(|byte| *byte == b'\n')?;
    Some(scanned + end + 1)
}

/// The word behind `news`, in a line that answers nothing.
fn news(message: &[u8]) -> Option<Name> {
    let word = message.strip_prefix(b"news ")?.trim_ascii_end();
    Some(String::from_utf8_lossy(word).into_owned().into())
}

const FRAMING: Framing = Framing {
    message_end: line_end,
    notification: Some(news),
    last: None,
};

/// A session as the two rules see it.
#[derive(Clone)]
pub struct ToySession(pub Reading);

/// What an exchange was answered with.
fn answer(exchange: &Exchange) -> Option<&[u8]> {
    Some(exchange.output[..exchange.message?].trim_ascii_end())
}

impl View for ToySession {
    fn reading(&self) -> &dyn AnyReading {
        &self.0
    }

    fn claims(&self) -> Vec<Claim> {
        let claim = |exchange: &Exchange| {
            let word = answer(exchange)?;
            let known = WORDS.iter().find(|(known, _)| known.as_bytes() == word)?;
            Some(Claim {
                exchange: exchange.number,
                key: exchange.key.clone(),
                item: exchange.item.clone()?,
                fate: known.1,
            })
        };
        self.0.exchanges.iter().filter_map(claim).collect()
    }

    fn excerpt(&self, finding: &Finding, _: usize) -> Vec<ExcerptLine> {
        let number = finding.place.exchange;
        let shown = self
            .0
            .exchanges
            .iter()
            .filter(|one| Some(one.number) == number);
        let line = |arrow, exchange: &Exchange, bytes: &[u8]| ExcerptLine {
            exchange: Some(exchange.number),
            arrow,
            text: visible(bytes.trim_ascii_end()),
            mark: None,
            note: None,
        };
        shown
            .flat_map(|one| {
                [
                    line(Arrow::Sent, one, &one.sent),
                    line(Arrow::Received, one, &one.output),
                ]
            })
            .collect()
    }
}

stickler_transcript::relations! {
    /// The relations that only sessions with keepers have, with what their sessions are.
    OWN:
    /// A word as it is, and in capitals.
    CAPITALS = "capitals",
    /// No session has this one.
    NO_SESSION = "no-session",
}

/// The families that only toys have.
const SUITE: &[OwnFamily<()>] = own_families! {
    CAPITALS => |(), setting, effort| capitals(setting, effort);
    Relation::ENVIRONMENT => |(), setting, effort| on_a_channel(setting, effort);
};

/// All families that the toys are capable of are to run.
const ALL: &[Relation] = &[
    CAPITALS,
    Relation::ALONE,
    Relation::BARE,
    Relation::BETWEEN,
    Relation::COMMANDS,
    Relation::DISTURBED,
    Relation::DRIFT,
    Relation::ENVIRONMENT,
    Relation::ESCAPE,
    Relation::FIELDS,
    Relation::GROWTH,
    Relation::IDLE,
    Relation::IN_THE_WAY,
    Relation::INVALID,
    Relation::KILL,
    Relation::LAYOUTS,
    Relation::LINES,
    Relation::NEAR,
    Relation::ORDER,
    Relation::PLACES,
    Relation::PROTECT,
    Relation::REMOVED,
    Relation::RESTART,
    Relation::TEXT,
    Relation::TRAPS,
    Relation::TYPES,
    Relation::UNDONE,
    Relation::UNENDED,
    Relation::USUAL,
    Relation::WARN,
    Relation::WRITE,
];

const KNOWN_WORDS: &[Check<ToySession>] = &[Check::Session(ALL, known_words)];
const SAME_IN_CAPITALS: &[Check<ToySession>] = &[Check::Group(&[CAPITALS], same_in_capitals)];

/// The rules.
static RULES: [Rule; 2] = [
    Rule {
        code: "TY101",
        level: Level::Must,
        matter: Matter::Answer,
        source: "//! # Each answer is one of the five words\n",
        checks: &KNOWN_WORDS,
        explained_by: &[],
        presumes: &[],
        after: &[],
        beside: &[],
        needs: &[],
        silent: None,
    },
    Rule {
        code: "TY102",
        level: Level::Must,
        matter: Matter::Answer,
        source: "//! # A message means the same in capitals\n",
        checks: &SAME_IN_CAPITALS,
        explained_by: &[],
        presumes: &[],
        after: &[],
        beside: &[],
        needs: &[],
        silent: None,
    },
];

fn known_words(session: &ToySession, ledger: &mut Ledger) {
    let exchanges = session.0.exchanges.iter();
    // Whoever was killed owes no answer.
    for exchange in exchanges.filter(|one| one.owed && one.ended != Ended::Killed) {
        let known = matches!(
            answer(exchange),
            Some(b"yes" | b"no" | b"did" | b"was" | b"would" | b"cannot")
        );
        let broken = (!known).then_some("the answer is no word of the protocol");
        ledger.check(exchange.number, exchange.provenance, broken);
    }
}

fn same_in_capitals(group: &Group<'_, ToySession>, ledger: &mut Ledger) {
    let Some((_, plain)) = group.baseline() else {
        return;
    };
    for (_, index, variant) in group.variants() {
        for exchange in &variant.0.exchanges {
            let Some(other) = plain.0.exchange(&exchange.key) else {
                continue;
            };
            let place = RunPlace::at(index, exchange.number);
            if answer(exchange) == answer(other) {
                ledger.passes.push(place);
            } else {
                let finding = ledger.finding_at(place, "the answer is another in capitals");
                ledger.report(finding);
            }
        }
    }
}

/// A kind of keeper.
pub trait Kind: Clone + std::fmt::Debug + Default + std::marker::Send + Sync {
    const CAPABILITIES: Capabilities;
}

/// One that takes all messages.
#[derive(Clone, Debug, Default)]
pub struct Whole;

impl Kind for Whole {
    const CAPABILITIES: Capabilities = Capabilities {
        tells: Tells::Validity,
        values: Values::Lines,
        many_items: true,
    };
}

/// One that can do little.
#[derive(Clone, Debug, Default)]
pub struct Little;

impl Kind for Little {
    const CAPABILITIES: Capabilities = Capabilities {
        tells: Tells::Nothing,
        values: Values::Typed,
        many_items: false,
    };
}

/// The dialect. It counts the sessions that it reads.
#[derive(Default)]
pub struct Keeper<K> {
    pub read: AtomicUsize,
    kind: PhantomData<K>,
}

pub type Toy = Keeper<Whole>;
pub type Mute = Keeper<Little>;

impl<K: Kind> Wire for Keeper<K> {
    fn framing(&self) -> Framing {
        FRAMING
    }

    fn accepts(&self, _: Phase, answer: &[u8]) -> bool {
        answer.trim_ascii() == b"yes"
    }
}

fn message(verb: &str, item: &Instance) -> Vec<u8> {
    let mut line = [verb.as_bytes(), b" ", item.name()].concat();
    for (_, value) in &item.attributes {
        line.push(b' ');
        match value {
            Value::Text(text) => line.extend_from_slice(text),
            Value::Number(number) => line.extend_from_slice(number.as_bytes()),
            other => line.extend_from_slice(other.type_name().as_bytes()),
        }
    }
    line.push(b'\n');
    line
}

fn about(case: &CaseBuilder<'_>, phase: Phase, verb: &str, ask: Ask<'_>) -> Send {
    let label = &ask.item.info.label;
    Send {
        item: Some(label.clone()),
        provenance: ask.item.provenance,
        requires: ask.requires,
        ..case.message(phase, ask.key, message(verb, ask.item))
    }
}

/// What the toy learns: nothing, beside what any dialect learns.
#[derive(Clone, Debug, Default)]
pub struct Nothing<K>(PhantomData<K>);

impl<K: Kind> Verbs for Nothing<K> {
    fn facts(&self, _: &Setting<'_>) -> Facts {
        Facts::default()
    }

    fn capabilities(&self) -> Capabilities {
        K::CAPABILITIES
    }

    fn greet(&self, _: &mut CaseBuilder<'_>) {}

    fn validate(
        &self,
        case: &mut CaseBuilder<'_>,
        ask: Ask<'_>,
        change: &mut dyn FnMut(&mut Send),
    ) {
        let mut send = about(case, MAY, "may", ask);
        change(&mut send);
        case.send(send);
    }

    fn evaluate(
        &self,
        case: &mut CaseBuilder<'_>,
        ask: Ask<'_>,
        change: &mut dyn FnMut(&mut Send),
    ) {
        let verb = if ask.item.dry { "try" } else { "put" };
        let mut send = about(case, PUT, verb, ask);
        change(&mut send);
        case.send(send);
    }

    fn farewell(&self, _: &mut CaseBuilder<'_>) {}
}

impl<K: Kind + 'static> Dialect for Keeper<K> {
    fn vocabulary(&self) -> &'static Vocabulary {
        &VOCABULARY
    }

    fn rules(&self) -> Vec<&'static Rule> {
        RULES.iter().collect()
    }

    fn wire(&self) -> &dyn Wire {
        self
    }

    fn read(&self, transcript: Transcript) -> AnySession {
        self.read.fetch_add(1, Ordering::Relaxed);
        AnySession::new(ToySession(Reading::of(transcript, FRAMING)))
    }

    fn unknown(&self) -> Learned {
        Learned::new(Nothing::<K>::default())
    }

    fn own_relations(&self) -> Vec<Relation> {
        relations_of(SUITE).collect()
    }

    fn learn(&self, known: &mut Learned, session: &AnySession) {
        let knowledge = &mut known.common;
        knowledge.dry = true;
        for exchange in session.reading().exchanges() {
            let Some(word) = answer(exchange) else {
                continue;
            };
            knowledge.usable = true;
            knowledge.understood = true;
            if word == b"yes" {
                knowledge.valid.extend(exchange.item.clone());
            } else if exchange.phase == PUT {
                knowledge.evaluated(exchange, word == b"did", |_| false);
                if K::CAPABILITIES.tells == Tells::Nothing && word != b"cannot" {
                    knowledge.valid.extend(exchange.item.clone());
                }
            }
        }
    }

    fn plans(
        &self,
        setting: &Setting<'_>,
        _: &Learned,
        stage: PlanningStage,
        effort: Effort,
    ) -> Vec<Planned> {
        let cases = match stage {
            PlanningStage::First => Vec::new(),
            PlanningStage::Examples => plans::examples(setting),
            PlanningStage::Suite => {
                let mut cases = own(SUITE, &(), setting, effort);
                cases.extend(plans::cases(setting, effort));
                cases
            }
        };
        let mut planned: Vec<Planned> = cases.into_iter().map(Planned::Case).collect();
        if stage == PlanningStage::Suite {
            planned.extend(
                plans::batches(setting, effort)
                    .into_iter()
                    .map(Planned::Batch),
            );
        }
        planned
    }

    fn remark(&self, _: &Finding, _: &[AnySession]) -> Option<String> {
        Some("a toy agent would wonder".to_owned())
    }

    fn has(&self, _: &Need, _: &Config, _: &Learned) -> bool {
        true
    }
}

/// On a channel of its own, with news.
fn on_a_channel(setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    subjects(setting, effort)
        .iter()
        .map(|item| {
            let mut case = setting.case(format!("channel/{}", item.info.label));
            case.surroundings(|command| command.channel = true)
                .setup(item)
                .observing()
                .open()
                .step(Step::Listen {
                    process: 0,
                    name: Some("ready".into()),
                    since: None,
                    acknowledge: false,
                    deadline_us: 5_000_000,
                })
                .validate(item)
                .evaluate(item)
                .terminate()
                .build()
        })
        .collect()
}

/// The family of this dialect: each message in capitals.
fn capitals(setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let shout = |send: &mut Send| {
        let plain = send.message();
        let (verb, rest) = plain.split_at(3);
        if let Some(piece) = send.pieces.first_mut() {
            piece.data = [&verb.to_ascii_uppercase(), rest].concat().into();
        }
    };
    subjects(setting, effort)
        .iter()
        .map(|item| {
            let label = &item.info.label;
            setting
                .case(format!("capitals/{label}"))
                .member(CAPITALS, label, Role::variant("capitals"))
                .setup(item)
                .observing()
                .open()
                .validate_with(Purpose::VALIDATE, item, shout)
                .evaluate_with(Purpose::EVALUATE, Purpose::VALIDATE, item, shout)
                .terminate()
                .build()
        })
        .collect()
}
