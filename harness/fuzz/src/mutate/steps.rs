//! Changes the sequence of steps.

use super::mutation::{Change, Fits, Means, Mutation};
use crate::input::{Ask, Input, InputItem, InputStep, STEPS, Verb};
use stickler_suite::SCRATCH;
use stickler_transcript::{AtWrite, Bytes, Drift, Protection, Value};

pub(super) const MUTATIONS: &[Mutation] = &[
    Mutation::new(
        "step/add",
        "adds a message about an item of the author, or about one that the input has",
        50,
        Change::Input(add),
    ),
    Mutation::new(
        "step/remove",
        "leaves out a step",
        17,
        Change::Input(|means, input| {
            let len = input.steps.len();
            (len > 1).then(|| input.steps.remove(means.dice.below(len)))?;
            Some(())
        }),
    ),
    Mutation::new(
        "step/double",
        "doubles a step where it is: what is done must be known to be done",
        17,
        Change::Input(|means, input| {
            let at = means.dice.below(input.steps.len());
            let step = input.steps.get(at)?.clone();
            input.steps.insert(at, step);
            Some(())
        }),
    ),
    Mutation::new(
        "step/repeat",
        "repeats a step somewhere else",
        14,
        Change::Input(|means, input| {
            let step = means.dice.pick(&input.steps)?.clone();
            insert(means, input, step)
        }),
    ),
    Mutation::new(
        "step/early",
        "repeats an early step after all others",
        17,
        Change::Input(|means, input| {
            let half = input.steps.len().div_ceil(2);
            let again = means.dice.pick(&input.steps[..half])?.clone();
            input.steps.push(again);
            Some(())
        }),
    ),
    Mutation::new(
        "step/swap",
        "swaps two steps",
        12,
        Change::Input(|means, input| {
            let len = input.steps.len();
            let (one, other) = (means.dice.below(len), means.dice.below(len));
            (len > 1).then(|| input.steps.swap(one, other))
        }),
    ),
    Mutation::new(
        "step/verb",
        "has a message ask for something else, such as a dry run",
        34,
        Change::Input(|means, input| {
            let verb = any_verb(means);
            any_ask(means, input)?.verb = verb;
            Some(())
        }),
    ),
    Mutation::new(
        "step/splice",
        "takes a run of steps from another input",
        17,
        Change::Input(splice),
    ),
    Mutation::new(
        "step/crowd",
        "sets up many items that differ in their names, and then the first one again",
        20,
        Change::Input(crowd),
    ),
    Mutation::new(
        "step/outside",
        "changes a path that the input names from outside",
        17,
        Change::Input(outside),
    ),
    Mutation::new(
        "step/kill-later",
        "kills the process a while after a message, and sends it again",
        3,
        Change::Input(|means, input| {
            let magnitude = 1_u32 << means.dice.below(16);
            let after = magnitude + u32::try_from(means.dice.below(1_000)).unwrap_or(0);
            disturb(means, input, |ask| ask.kill_after_us = Some(after))
        }),
    )
    .alone(),
    Mutation::new(
        "step/kill-at-write",
        "kills the process before a call that changes files, and sends the message again",
        4,
        Change::Input(|means, input| {
            let call = any_call(means);
            disturb(means, input, |ask| ask.at_write = Some(AtWrite::Kill(call)))
        }),
    )
    .alone(),
    Mutation::new(
        "step/fail-write",
        "has a call that changes files fail, and sends the message again",
        4,
        Change::Input(|means, input| {
            let call = any_call(means);
            disturb(means, input, |ask| ask.at_write = Some(AtWrite::Fail(call)))
        }),
    )
    .alone(),
    Mutation::new(
        "step/protect",
        "has the scratch directory refuse writes",
        3,
        Change::Input(|means, input| {
            let all = [
                Protection::Full,
                Protection::ReadOnly,
                Protection::Forbidden,
            ];
            let how = all[means.dice.below(all.len())];
            insert(means, input, InputStep::Protect { how })
        }),
    )
    .alone(),
    Mutation::new(
        "step/restart",
        "ends the process and starts another one",
        8,
        Change::Input(|means, input| insert(means, input, InputStep::Restart)),
    )
    .alone(),
    Mutation::new(
        "step/deed",
        "does with an item what only some subjects can do",
        17,
        Change::Input(deed),
    )
    .alone(),
];

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

/// Inserts a step anywhere.
fn insert(means: &mut Means<'_>, input: &mut Input, step: InputStep) -> Fits {
    let at = means.dice.below(input.steps.len() + 1);
    input.steps.insert(at, step);
    Some(())
}

/// One of the messages.
pub(super) fn any_ask<'i>(means: &mut Means<'_>, input: &'i mut Input) -> Option<&'i mut Ask> {
    let at = means.dice.below(input.asks().count());
    input.asks_mut().nth(at)
}

/// The items that an input has.
fn items(input: &Input) -> Vec<&InputItem> {
    input.asks().map(|ask| &ask.item).collect()
}

/// Adds a message about an item of the author, or about one that the input already has.
pub(super) fn add(means: &mut Means<'_>, input: &mut Input) -> Fits {
    let space = means.space;
    let own = |means: &mut Means<'_>| means.dice.pick(&space.items);
    let item = if means.dice.one_in(2) {
        let known = means.dice.pick(&items(input)).copied();
        known.or_else(|| own(means))
    } else if means.dice.one_in(6) {
        let invalid = means.dice.pick(&space.invalid);
        invalid.or_else(|| own(means))
    } else {
        own(means)
    };
    let item = item?.clone();
    let step = InputStep::Ask(Ask::plain(any_verb(means), item));
    insert(means, input, step)
}

/// Some subjects fail at their second item, others when a table is full.
fn crowd(means: &mut Means<'_>, input: &mut Input) -> Fits {
    let first = any_ask(means, input)?.clone();
    let count = 2 + means.dice.below(STEPS - 3);
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
    Some(())
}

fn any_verb(means: &mut Means<'_>) -> Verb {
    match means.dice.below(6) {
        0 | 1 => Verb::Validate,
        2 if means.space.setting.knowledge.dry => Verb::Look,
        3 if means.dice.one_in(2) => Verb::Later,
        _ => Verb::Evaluate,
    }
}

fn splice(means: &mut Means<'_>, input: &mut Input) -> Fits {
    let other = &means.other?.steps;
    let from = means.dice.below(other.len());
    let count = 1 + means.dice.below(other.len() - from);
    let at = means.dice.below(input.steps.len() + 1);
    let run = other.iter().skip(from).take(count).cloned();
    input.steps.splice(at..at, run).for_each(drop);
    Some(())
}

/// The number of a call that changes files.
fn any_call(means: &mut Means<'_>) -> u32 {
    1 + u32::try_from(means.dice.below(8)).unwrap_or(0)
}

/// A process that is killed while it works, or whose call fails, must find its way afterwards.
fn disturb(means: &mut Means<'_>, input: &mut Input, how: impl FnOnce(&mut Ask)) -> Fits {
    let ask = any_ask(means, input)?;
    ask.verb = Verb::Evaluate;
    (ask.kill_after_us, ask.at_write) = (None, None);
    let again = ask.clone();
    how(ask);
    input.steps.push(InputStep::Ask(again));
    Some(())
}

/// About an item that the input has, or one of the author.
fn deed(means: &mut Means<'_>, input: &mut Input) -> Fits {
    let known = means.dice.pick(&items(input)).copied();
    let item = known.or_else(|| means.dice.pick(&means.space.items));
    let item = item?.clone();
    let deeds = means.space.setting.verbs.deeds();
    let deed = (*means.dice.pick(deeds)?).to_owned();
    insert(means, input, InputStep::Deed { deed, item })
}

fn outside(means: &mut Means<'_>, input: &mut Input) -> Fits {
    let texts = input.asks().flat_map(|ask| ask.item.values());
    let texts = texts.filter_map(Value::as_text);
    let paths = texts.filter(|text| text.starts_with(SCRATCH.as_bytes()) && !text.contains(&0));
    let paths: Vec<Bytes> = paths.map(Bytes::from).collect();
    let path = means.dice.pick(&paths)?.clone();
    let contents: [&[u8]; 5] = [b"", b"x", b"x\n", b"\xff\xfe\n", b"a\r\nb\r\n"];
    let drift = match means.dice.below(6) {
        0 => Drift::Remove { path },
        1 => Drift::Directory { path },
        2 => Drift::Mode {
            path,
            mode: [0o000, 0o400, 0o600, 0o777][means.dice.below(4)],
        },
        3 => Drift::Link {
            path,
            target: "stickler-nowhere".into(),
        },
        _ => Drift::Write {
            path,
            content: contents[means.dice.below(contents.len())].into(),
        },
    };
    insert(means, input, InputStep::Outside { drift })
}
