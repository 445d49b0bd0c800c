//! Changes the sequence of steps.

use crate::dice::Dice;
use crate::input::{Ask, Input, InputItem, InputStep, STEPS, Verb};
use crate::space::Space;
use stickler_suite::SCRATCH;
use stickler_transcript::{AtWrite, Bytes, Drift, Protection, Value};

pub(super) fn mutate(space: &Space<'_>, dice: &mut Dice, input: &mut Input, other: Option<&Input>) {
    let len = input.steps.len();
    match dice.below(17) {
        2 if len > 1 => {
            input.steps.remove(dice.below(len));
        }
        3 | 4 if len > 0 => {
            // Twice the same in a row: what is done must be known to be done.
            let at = dice.below(len);
            let step = input.steps[at].clone();
            let to = if dice.one_in(2) {
                at
            } else {
                dice.below(len + 1)
            };
            input.steps.insert(to, step);
        }
        5 if len > 1 => {
            let (a, b) = (dice.below(len), dice.below(len));
            input.steps.swap(a, b);
        }
        6 | 7 => verb(space, dice, input),
        8 => {
            if let Some(other) = other {
                splice(dice, input, other);
            }
        }
        9 => outside(dice, input),
        10 if dice.one_in(3) => disturb(dice, input),
        12 if dice.one_in(6) => {
            let all = [
                Protection::Full,
                Protection::ReadOnly,
                Protection::Forbidden,
            ];
            let how = all[dice.below(3)];
            input
                .steps
                .insert(dice.below(len + 1), InputStep::Protect { how });
        }
        14 if len > 0 => crowd(dice, input),
        15 if len > 1 => {
            // After all others, an early one again.
            let again = input.steps[dice.below(len.div_ceil(2))].clone();
            input.steps.push(again);
        }
        13 if !space.setting.verbs.deeds().is_empty() => deed(space, dice, input),
        11 if dice.one_in(3) => input.steps.insert(dice.below(len + 1), InputStep::Restart),
        _ => add(space, dice, input),
    }
}

/// Leaves out what needs a process of its own.
pub(crate) fn tame(input: &mut Input) {
    input.steps.retain(|step| {
        !matches!(
            step,
            InputStep::Raw { .. }
                | InputStep::Restart
                | InputStep::Protect { .. }
                | InputStep::Deed { .. }
        )
    });
    for ask in input.asks_mut() {
        ask.kill_after_us = None;
        ask.at_write = None;
    }
}

/// Leaves out the longer pauses.
pub(super) fn hurry(input: &mut Input) {
    const SHORT_US: u32 = 50;
    input
        .steps
        .retain(|step| !matches!(step, InputStep::Pause { .. }));
    for piece in input.asks_mut().flat_map(|ask| &mut ask.pieces) {
        piece.pause_us = piece.pause_us.min(SHORT_US);
    }
}

/// Adds a message about an item of the author, or about one that the input already has.
pub(super) fn add(space: &Space<'_>, dice: &mut Dice, input: &mut Input) {
    let known: Vec<InputItem> = input.asks().map(|ask| ask.item.clone()).collect();
    let item = if dice.one_in(2) {
        dice.pick(&known).or(dice.pick(&space.items)).cloned()
    } else if dice.one_in(6) {
        dice.pick(&space.invalid)
            .or(dice.pick(&space.items))
            .cloned()
    } else {
        dice.pick(&space.items).cloned()
    };
    let Some(item) = item else {
        return;
    };
    let step = InputStep::Ask(Ask::plain(any_verb(space, dice), item));
    let at = dice.below(input.steps.len() + 1);
    input.steps.insert(at, step);
}

/// Has a process set up many items that differ in their names, and then the first one again.
fn crowd(dice: &mut Dice, input: &mut Input) {
    let at = dice.below(input.asks().count());
    let Some(first) = input.asks().nth(at).cloned() else {
        return;
    };
    let count = 2 + dice.below(STEPS - 3);
    let mut steps = vec![InputStep::Ask(first.clone())];
    for number in 1..=count {
        let mut next = first.clone();
        let names = next.item.identity.iter_mut().map(|(_, value)| value);
        if let Some(Value::Text(name)) = names.last() {
            name.extend(number.to_string().into_bytes());
        }
        steps.push(InputStep::Ask(next));
    }
    steps.push(InputStep::Ask(first));
    input.steps = steps;
}

fn any_verb(space: &Space<'_>, dice: &mut Dice) -> Verb {
    match dice.below(6) {
        0 | 1 => Verb::Validate,
        2 if space.setting.knowledge.dry => Verb::Look,
        _ => Verb::Evaluate,
    }
}

fn verb(space: &Space<'_>, dice: &mut Dice, input: &mut Input) {
    let verb = any_verb(space, dice);
    let at = dice.below(input.asks().count());
    if let Some(ask) = input.asks_mut().nth(at) {
        ask.verb = verb;
    }
}

/// Takes a run of steps from another input.
fn splice(dice: &mut Dice, input: &mut Input, other: &Input) {
    let from = dice.below(other.steps.len());
    let count = 1 + dice.below(other.steps.len() - from.min(other.steps.len()));
    let at = dice.below(input.steps.len() + 1);
    let run = other.steps.iter().skip(from).take(count).cloned();
    input.steps.splice(at..at, run);
}

/// A process that is killed while it works, or whose call fails, must find its way afterwards.
fn disturb(dice: &mut Dice, input: &mut Input) {
    let at = dice.below(input.asks().count());
    let killed = input.asks_mut().nth(at).map(|ask| {
        ask.verb = Verb::Evaluate;
        let magnitude = 1_u32 << dice.below(16);
        let call = 1 + u32::try_from(dice.below(8)).unwrap_or(0);
        (ask.kill_after_us, ask.at_write) = match dice.below(4) {
            0 => (None, Some(AtWrite::Fail(call))),
            1 => (None, Some(AtWrite::Kill(call))),
            _ => {
                let after = magnitude + u32::try_from(dice.below(1_000)).unwrap_or(0);
                (Some(after), None)
            }
        };
        ask.clone()
    });
    if let Some(ask) = killed {
        input.steps.push(InputStep::Ask(Ask {
            kill_after_us: None,
            at_write: None,
            ..ask
        }));
    }
}

/// Adds what only some subjects can do, about an item that the input has, or one of the author.
fn deed(space: &Space<'_>, dice: &mut Dice, input: &mut Input) {
    let known: Vec<InputItem> = input.asks().map(|ask| ask.item.clone()).collect();
    let item = dice.pick(&known).or(dice.pick(&space.items)).cloned();
    let (Some(deed), Some(item)) = (dice.pick(space.setting.verbs.deeds()), item) else {
        return;
    };
    let step = InputStep::Deed {
        deed: (*deed).to_owned(),
        item,
    };
    let at = dice.below(input.steps.len() + 1);
    input.steps.insert(at, step);
}

/// Something changes at a path that the input names.
fn outside(dice: &mut Dice, input: &mut Input) {
    let paths: Vec<Bytes> = input
        .asks()
        .flat_map(|ask| ask.item.values())
        .filter_map(Value::as_text)
        .filter(|text| text.starts_with(SCRATCH.as_bytes()) && !text.contains(&0))
        .map(Bytes::from)
        .collect();
    let Some(path) = dice.pick(&paths).cloned() else {
        return;
    };
    let contents: [&[u8]; 5] = [b"", b"x", b"x\n", b"\xff\xfe\n", b"a\r\nb\r\n"];
    let drift = match dice.below(6) {
        0 => Drift::Remove { path },
        1 => Drift::Directory { path },
        2 => Drift::Mode {
            path,
            mode: [0o000, 0o400, 0o600, 0o777][dice.below(4)],
        },
        3 => Drift::Link {
            path,
            target: "stickler-nowhere".into(),
        },
        _ => Drift::Write {
            path,
            content: contents[dice.below(contents.len())].into(),
        },
    };
    let at = dice.below(input.steps.len() + 1);
    input.steps.insert(at, InputStep::Outside { drift });
}
