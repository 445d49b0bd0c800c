//! Converts inputs into cases, which any part of Stickler can run, store and replay.

use crate::input::{Ask, Input, InputItem, InputStep, Limit, Piece as Cut, Surrounding, Verb};
use crate::space::Space;
use std::collections::BTreeMap;
use stickler_suite::{CaseBuilder, Mark};
use stickler_transcript::{
    Answer, Bytes, Case, Item, Key, Name, Phase, Piece, PlannedCommand, Protection, Provenance,
    Purpose, Relation, Role, Send, Step, Target,
};

/// The session of an input. Effects are recorded after each exchange.
pub fn plan(space: &Space<'_>, input: &Input) -> Case {
    let mut prepared = Prepared::of(space, input);
    let (disturbed, closed) = prepared.write(space, input);
    let case = &mut prepared.case;
    if !closed {
        case.terminate();
        if disturbed {
            case.grade_last(Provenance::Beyond);
        }
    }
    Case {
        id: id(input),
        ..case.build()
    }
}

/// The name of the case.
pub(crate) fn id(input: &Input) -> String {
    format!("fuzz/{}", input.name())
}

/// A session before the steps of its input: how its sandbox is set up, and how its process is greeted. Inputs that need
/// the same can use it one after the other.
pub(crate) struct Prepared<'s> {
    case: CaseBuilder<'s>,
    /// Where the steps of inputs begin.
    opening: Mark,
    /// Could an agent give the subject its surroundings?
    deployed: bool,
}

impl<'s> Prepared<'s> {
    /// The session for an input.
    pub(crate) fn of(space: &Space<'s>, input: &Input) -> Self {
        let mut case = space.setting.case("");
        // What the author declares about an example holds for ordinary sessions only.
        case.member(Relation::FUZZ, "fuzz", Role::variant("made-up"));
        let mut prepared: Vec<&str> = Vec::new();
        for ask in input.asks() {
            let example = &ask.item.example[..];
            if !prepared.contains(&example) {
                prepared.push(example);
                let instance = space.instance(&ask.item, 0);
                case.set_up_once(&instance);
            }
        }
        if !input.surroundings.is_empty() {
            case.settled_fakes();
        }
        let mut greeting = Vec::new();
        for surrounding in &input.surroundings {
            if let Surrounding::Greeted(before, pause_us) = surrounding {
                greeting.push(Cut::before_end(*before, *pause_us));
                continue;
            }
            case.surroundings(|command| surround(command, surrounding))
                .surrounded(surrounding.to_string());
        }
        if let Some(target) = target(space, input) {
            case.target(target);
        }
        case.observing().open();
        if !greeting.is_empty() {
            case.change_last(|send| divide(send, &greeting));
        }
        let deployed = input.surroundings.iter().all(Surrounding::is_deployed);
        if !deployed {
            case.grade_last(Provenance::Beyond);
        }
        Prepared {
            opening: case.mark(),
            case,
            deployed,
        }
    }

    /// Writes the steps of an input, in place of those of the last one. Was its process disturbed, and is it closed?
    pub(crate) fn write(&mut self, space: &Space<'s>, input: &Input) -> (bool, bool) {
        self.case.rewind(self.opening);
        let mut writer = Writer {
            space,
            case: &mut self.case,
            process: 0,
            disturbed: !self.deployed,
            deployed: self.deployed,
            closed: false,
            protected: false,
            items: Vec::new(),
            asked: BTreeMap::new(),
            looked: None,
        };
        for step in &input.steps {
            writer.step(step);
        }
        (writer.disturbed, writer.closed)
    }

    /// The session as it is now: without its end.
    pub(crate) fn so_far(&self) -> Case {
        self.case.so_far()
    }

    /// The steps of the input that was written last.
    pub(crate) fn steps(&self) -> &[Step] {
        self.case.since(self.opening)
    }

    /// The items that its messages are about, in the order of the first message about each.
    pub(crate) fn items(&self) -> &[Item] {
        self.case.items()
    }
}

/// What the scratch directory has to be so that it can refuse writes, if it is to do so.
fn target(space: &Space<'_>, input: &Input) -> Option<Target> {
    let mut steps = input.steps.iter();
    let how = steps.find_map(|step| match step {
        InputStep::Protect { how } => Some(*how),
        _ => None,
    })?;
    space.setting.targets.then_some(match how {
        Protection::Full => Target::Small,
        Protection::ReadOnly | Protection::Forbidden => Target::Separate,
    })
}

/// What surrounds an input's process: inputs with the same surroundings, prepared by the same
/// examples, can share it.
pub fn prepared_by(input: &Input) -> (Vec<Surrounding>, Vec<String>) {
    let mut examples: Vec<String> = input.asks().map(|ask| ask.item.example.clone()).collect();
    examples.sort();
    examples.dedup();
    let mut surroundings = input.surroundings.clone();
    surroundings.sort();
    (surroundings, examples)
}

/// Changes the subject's command.
fn surround(command: &mut PlannedCommand, surrounding: &Surrounding) {
    let mut without = |name: &str| command.env.retain(|(known, _)| known.lossy() != name);
    match surrounding {
        Surrounding::Set(name, value) => {
            without(name);
            command
                .env
                .push((name.as_str().into(), value.as_str().into()));
        }
        Surrounding::Unset(name) => without(name),
        Surrounding::Cwd(path) => command.cwd = path.as_str().into(),
        Surrounding::Umask(bits) => command.umask = bits & 0o777,
        Surrounding::Limit(limit, most) => {
            let (option, most) = match limit {
                Limit::Descriptors => ('n', *most),
                Limit::Memory => ('v', *most),
                // Blocks of 512 bytes.
                Limit::FileSize => ('f', most.saturating_mul(2)),
            };
            let script = format!("ulimit -{option} {most} && exec \"$@\"");
            let shell = ["/bin/sh", "-c", &script, "sh"].map(Bytes::from);
            command.argv.splice(0..0, shell);
        }
        Surrounding::Greeted(..) => {}
    }
}

/// The item of an input that its plan gave this label.
pub fn labelled(space: &Space<'_>, input: &Input, label: &str) -> Option<InputItem> {
    let number: usize = label.strip_prefix('f')?.parse().ok()?;
    sent(space, input)
        .get(number.checked_sub(1)?)
        .map(|item| (*item).clone())
}

/// The items of an input that its plan sends, each once.
pub(crate) fn sent<'i>(space: &Space<'_>, input: &'i Input) -> Vec<&'i InputItem> {
    let mut items: Vec<&InputItem> = Vec::new();
    for ask in input.asks().filter(|ask| space.sends(&ask.item)) {
        if !items.contains(&&ask.item) {
            items.push(&ask.item);
        }
    }
    items
}

/// The bytes of a message.
pub fn encoded(space: &Space<'_>, ask: &Ask) -> Vec<u8> {
    let mut case = space.setting.case("");
    let instance = space.instance(&ask.item, 0);
    case.validate(&instance);
    let case = case.build();
    let steps = case.plan.map(|plan| plan.steps).unwrap_or_default();
    let messages = steps.iter().filter_map(|step| match step {
        Step::Send(send) => Some(send.message()),
        _ => None,
    });
    messages.last().unwrap_or_default()
}

struct Writer<'w, 's> {
    space: &'w Space<'s>,
    case: &'w mut CaseBuilder<'s>,
    process: usize,
    /// Did the process get a message that no agent sends? What it does then proves little.
    disturbed: bool,
    /// Could an agent give the subject its surroundings?
    deployed: bool,
    /// Is the process's input closed, and the process gone?
    closed: bool,
    /// Does the scratch directory refuse writes?
    protected: bool,
    /// The items so far: equal ones have one label.
    items: Vec<InputItem>,
    /// How often an item was asked about, and which process was asked last, by key.
    asked: BTreeMap<Key, (usize, usize)>,
    /// The item that the last message looked at, and the number of that look.
    looked: Option<(usize, InputItem)>,
}

/// Bytes that are no message. Turns are the numbers of steps.
const RAW: Purpose = Purpose::new("raw");

impl Writer<'_, '_> {
    fn step(&mut self, step: &InputStep) {
        if !matches!(step, InputStep::Ask(_)) {
            self.looked = None;
        }
        if std::mem::take(&mut self.closed) {
            self.next();
        }
        match step {
            InputStep::Ask(ask) => self.ask(ask),
            InputStep::Raw { bytes } => {
                self.disturbed = true;
                let number = self.case.steps();
                let ends = bytes.ends_with(b"\n\n");
                let bytes = self.space.secrets.filled(bytes).into_owned();
                let send = Send {
                    answer: Answer::Optional,
                    provenance: Provenance::Beyond,
                    ..self.case.message(Phase::OTHER, RAW.turn(number), bytes)
                };
                self.case.send(send);
                // A message without its end is the last thing that an agent sends before it is gone.
                let is_subjects = !self.space.setting.vocabulary().channel;
                if is_subjects && !ends {
                    self.case.close_and_wait();
                    self.closed = true;
                }
            }
            InputStep::Restart => {
                self.case.terminate();
                if self.disturbed {
                    self.case.grade_last(Provenance::Beyond);
                }
                self.next();
            }
            InputStep::Pause { ms } => {
                self.case.step(Step::Pause {
                    us: u64::from(*ms) * 1_000,
                });
            }
            InputStep::Protect { how } => {
                // It can be done once, and not in each sandbox.
                if self.space.setting.targets && !std::mem::replace(&mut self.protected, true) {
                    // What the harness changes there is not the subject's.
                    self.case.protect(*how).observe("protected");
                }
            }
            InputStep::Deed { deed, item } => {
                if self.space.sends(item) {
                    let number = self.number(item);
                    let instance = self.space.instance(item, number);
                    self.space.setting.verbs.deed(self.case, deed, &instance);
                    self.process = self.case.process();
                }
            }
            InputStep::Outside { drift } => {
                self.case.drift(drift.clone()).observe("outside");
            }
        }
    }

    fn next(&mut self) {
        self.process += 1;
        self.disturbed = !self.deployed;
        self.case.start(self.process).greet();
        if !self.deployed {
            self.case.grade_last(Provenance::Beyond);
        }
    }

    /// The key of the next message about an item for this purpose.
    fn key(&mut self, purpose: Purpose, label: &Name) -> Key {
        let (count, process) = self.asked.entry(purpose.of(label)).or_default();
        *count += 1;
        *process = self.process;
        purpose.nth(*count)
    }

    /// The key of the last message about an item for this purpose, if the process has had one.
    fn last_key(&self, purpose: Purpose, label: &Name) -> Option<Key> {
        let (count, process) = *self.asked.get(&purpose.of(label))?;
        (process == self.process).then(|| purpose.nth(count))
    }

    /// The number of an item, from 1.
    fn number(&mut self, item: &InputItem) -> usize {
        let known = self.items.iter().position(|known| known == item);
        let place = known.unwrap_or_else(|| {
            self.items.push(item.clone());
            self.items.len() - 1
        });
        place + 1
    }

    fn ask(&mut self, ask: &Ask) {
        if !self.space.sends(&ask.item) {
            return;
        }
        let number = self.number(&ask.item);
        let mut instance = self.space.instance(&ask.item, number);
        if ask.verb == Verb::Look {
            instance = instance.looked_at();
        }
        let label = instance.info.label.clone();
        let validates = match ask.verb {
            Verb::Look => Purpose::DRY_VALIDATE,
            _ => Purpose::VALIDATE,
        };
        let disturbed = self.disturbed;
        let change = |send: &mut Send| {
            if disturbed {
                send.provenance = Provenance::Beyond;
            }
        };
        let divide = |send: &mut Send| {
            change(send);
            divide(send, &ask.pieces);
        };
        let earlier = match ask.verb {
            Verb::Later => self.last_key(validates, &label),
            _ => None,
        };
        let validation = match earlier {
            Some(earlier) => earlier,
            None => {
                let validation = self.key(validates, &label);
                if ask.verb == Verb::Validate {
                    self.case.validate_with(validation, &instance, divide);
                    return;
                }
                self.case.validate_with(&validation, &instance, change);
                validation
            }
        };
        // Rules compare what a look says with the evaluation right after it.
        let looked = self.looked.take().filter(|(_, item)| *item == ask.item);
        let evaluation = match (ask.verb, looked) {
            (Verb::Look, _) => {
                let number = self.case.steps();
                self.looked = Some((number, ask.item.clone()));
                Purpose::WARNED.turn(number)
            }
            (_, Some((number, _))) => Purpose::MENDED.turn(number),
            _ => self.key(Purpose::EVALUATE, &label),
        };
        self.case
            .evaluate_with(evaluation, validation, &instance, |send| {
                divide(send);
                send.kill_after_us = ask.kill_after_us.map(u64::from);
                send.at_write = ask.at_write;
            });
        if ask.kills() {
            self.next();
        }
    }
}

/// Is it the key of a message that may change the system?
pub fn evaluates(key: &Key) -> bool {
    let mut purposes = [Purpose::EVALUATE, Purpose::MENDED].into_iter();
    key.label().is_some() && purposes.any(|purpose| key.turn_of(purpose).is_some())
}

/// Cuts a message into the pieces of an input.
fn divide(send: &mut Send, cuts: &[Cut]) {
    if cuts.is_empty() {
        return;
    }
    let message = send.message();
    let mut cuts: Vec<(usize, u64)> = cuts
        .iter()
        .map(|piece| {
            let at = message.len() * usize::from(piece.at.min(1000)) / 1000;
            let at = at.saturating_sub(usize::from(piece.before));
            (at, u64::from(piece.pause_us))
        })
        .collect();
    cuts.sort_unstable();
    cuts.dedup_by_key(|cut| cut.0);
    let ends = cuts.iter().skip(1).map(|cut| cut.0).chain([message.len()]);
    let mut pieces: Vec<Piece> = Vec::new();
    let first = cuts.first().map_or(message.len(), |cut| cut.0);
    let mut add = |pause_us, from: usize, to: usize| {
        if from < to {
            pieces.push(Piece {
                pause_us,
                data: message[from..to].into(),
            });
        }
    };
    add(0, 0, first);
    for ((from, pause), to) in cuts.iter().zip(ends) {
        add(*pause, *from, to);
    }
    send.pieces = pieces;
}
