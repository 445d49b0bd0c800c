//! Makes an input that shows a defect as small as possible.

use crate::input::{Ask, Input, InputItem, InputStep, Verb};
use crate::space::Space;
use stickler_transcript::{Bytes, Value};

/// The longest text of which each character is tried.
const LONG: usize = 64;

/// Tries simpler inputs as long as `shows` says that they show the same defect. `shows` gives
/// `None` when no more may be tried.
pub fn minimise(
    space: &Space<'_>,
    input: Input,
    mut shows: impl FnMut(&Input) -> Option<bool>,
) -> Input {
    let mut best = input;
    loop {
        let before = best.clone();
        for simpler in [
            usual_surroundings,
            fewer_steps,
            simpler_steps,
            simpler_fields,
            shorter_texts,
        ] {
            if simpler(space, &mut best, &mut shows).is_none() {
                return best;
            }
        }
        if best == before {
            return best;
        }
    }
}

type Shows<'s> = &'s mut dyn FnMut(&Input) -> Option<bool>;

/// Takes the simpler input if it still shows the defect.
fn attempt(best: &mut Input, simpler: Input, shows: Shows<'_>) -> Option<bool> {
    if simpler == *best || simpler.steps.is_empty() || simpler.weight() > best.weight() {
        return Some(false);
    }
    let still = shows(&simpler)?;
    if still {
        *best = simpler;
    }
    Some(still)
}

/// Leaves out what is unusual about the surroundings, one thing after the other.
fn usual_surroundings(_: &Space<'_>, best: &mut Input, shows: Shows<'_>) -> Option<()> {
    let mut usual = best.clone();
    usual.surroundings.clear();
    attempt(best, usual, shows)?;
    let mut at = 0;
    while at < best.surroundings.len() {
        let mut fewer = best.clone();
        fewer.surroundings.remove(at);
        if !attempt(best, fewer, shows)? {
            at += 1;
        }
    }
    Some(())
}

/// Delta debugging over the steps: leaves out runs of steps, long ones first.
fn fewer_steps(_: &Space<'_>, best: &mut Input, shows: Shows<'_>) -> Option<()> {
    let mut run = best.steps.len() / 2;
    while run > 0 {
        let mut at = 0;
        while at < best.steps.len() && best.steps.len() > 1 {
            let mut fewer = best.clone();
            let end = (at + run).min(fewer.steps.len());
            fewer.steps.drain(at..end);
            if !attempt(best, fewer, shows)? {
                at += run;
            }
        }
        run /= 2;
    }
    Some(())
}

/// Sends messages in one piece, kills nothing, and only validates.
fn simpler_steps(_: &Space<'_>, best: &mut Input, shows: Shows<'_>) -> Option<()> {
    for at in 0..best.steps.len() {
        let changes: [fn(&mut Ask); 9] = [
            |ask| ask.pieces.clear(),
            |ask| ask.pieces.truncate(ask.pieces.len() / 2),
            |ask| drop(ask.pieces.drain(..ask.pieces.len() / 2)),
            |ask| {
                ask.pieces.pop();
            },
            |ask| drop(ask.pieces.drain(..ask.pieces.len().min(1))),
            |ask| ask.kill_after_us = None,
            |ask| ask.at_write = None,
            |ask| {
                if ask.verb == Verb::Later {
                    ask.verb = Verb::Evaluate;
                }
            },
            |ask| ask.verb = Verb::Validate,
        ];
        for change in changes {
            let mut simpler = best.clone();
            if let Some(InputStep::Ask(ask)) = simpler.steps.get_mut(at) {
                change(ask);
            }
            attempt(best, simpler, shows)?;
        }
    }
    Some(())
}

/// All items of the input, each once.
fn items(input: &Input) -> Vec<InputItem> {
    let mut items: Vec<InputItem> = Vec::new();
    for ask in input.asks() {
        if !items.contains(&ask.item) {
            items.push(ask.item.clone());
        }
    }
    items
}

/// The input with another item in the place of one.
fn with(input: &Input, old: &InputItem, new: &InputItem) -> Input {
    let mut input = input.clone();
    for ask in input.asks_mut() {
        if ask.item == *old {
            ask.item = new.clone();
        }
    }
    input
}

/// Puts the author's own items and values in the place of others, and leaves attributes out.
fn simpler_fields(space: &Space<'_>, best: &mut Input, shows: Shows<'_>) -> Option<()> {
    for mut item in items(best) {
        let base = space.base(&item.example).map(|(_, base)| base.clone());
        let mut candidate =
            |best: &mut Input, item: &mut InputItem, new: InputItem| -> Option<bool> {
                let taken = new != *item && {
                    let simpler = with(best, item, &new);
                    // The author's own value is simpler even if it is longer.
                    simpler != *best && shows(&simpler)? && {
                        *best = simpler;
                        true
                    }
                };
                if taken {
                    *item = new;
                }
                Some(taken)
            };
        if let Some(base) = &base
            && candidate(best, &mut item, base.clone())?
        {
            continue;
        }
        let names: Vec<Bytes> = item.fields().map(|(name, _)| name.clone()).collect();
        for name in &names {
            let own = base
                .as_ref()
                .and_then(|base| base.fields().find(|(known, _)| known == name));
            if let Some((_, own)) = own {
                let mut new = item.clone();
                for (_, value) in new.fields_mut().filter(|(known, _)| known == name) {
                    value.clone_from(own);
                }
                candidate(best, &mut item, new)?;
            } else {
                let mut new = item.clone();
                new.attributes.retain(|(known, _)| known != name);
                candidate(best, &mut item, new)?;
            }
        }
        // Attributes that the mutation left out come back.
        for (name, value) in base.iter().flat_map(|base| &base.attributes) {
            if !item.attributes.iter().any(|(known, _)| known == name) {
                let mut new = item.clone();
                new.attributes.push((name.clone(), value.clone()));
                candidate(best, &mut item, new)?;
            }
        }
    }
    Some(())
}

/// Cuts pieces out of the texts that are not the author's, and makes odd characters plain.
fn shorter_texts(space: &Space<'_>, best: &mut Input, shows: Shows<'_>) -> Option<()> {
    for mut item in items(best) {
        let base = space.base(&item.example).map(|(_, base)| base.clone());
        let count = item.fields().count();
        for at in 0..count {
            let own = item.fields().nth(at).map(|(_, value)| value.clone());
            let Some(Value::Text(text)) = own else {
                continue;
            };
            let is_authors = base
                .iter()
                .flat_map(InputItem::fields)
                .any(|(_, value)| value.as_text() == Some(&text));
            if is_authors {
                continue;
            }
            let mut text = text;
            let mut put = |best: &mut Input, item: &mut InputItem, new: &[u8]| -> Option<bool> {
                let mut changed = item.clone();
                if let Some((_, value)) = changed.fields_mut().nth(at) {
                    *value = Value::Text(new.to_vec());
                }
                let simpler = with(best, item, &changed);
                let still = attempt(best, simpler, shows)?;
                if still {
                    *item = changed;
                }
                Some(still)
            };
            let mut run = text.len().div_ceil(2);
            // Of a long text, only long pieces are cut out: each piece costs a session.
            while run > text.len().saturating_sub(1) / LONG {
                let mut from = 0;
                while from < text.len() {
                    let mut new = text.clone();
                    new.drain(from..(from + run).min(text.len()));
                    if put(best, &mut item, &new)? {
                        text = new;
                    } else {
                        from += run;
                    }
                }
                run /= 2;
            }
            if text.len() > LONG {
                continue;
            }
            for at in 0..text.len() {
                if !text[at].is_ascii_alphanumeric() {
                    let mut new = text.clone();
                    new[at] = b'a';
                    if put(best, &mut item, &new)? {
                        text = new;
                    }
                }
            }
        }
    }
    Some(())
}
