//! Fields of the messages of an input.

use crate::input::{Input, InputItem, InputStep};
use stickler_transcript::Value;

/// A field of the item of one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Field {
    pub(super) step: usize,
    pub(super) field: usize,
}

/// All fields of all messages, those of the last message first.
pub(super) fn fields(input: &Input) -> Vec<Field> {
    let steps = input.steps.iter().enumerate().rev();
    let all = steps.flat_map(|(step, one)| {
        let count = match one {
            InputStep::Ask(ask) => ask.item.fields().count(),
            _ => 0,
        };
        (0..count).map(move |field| Field { step, field })
    });
    all.collect()
}

pub(super) fn item(input: &Input, step: usize) -> Option<&InputItem> {
    match input.steps.get(step)? {
        InputStep::Ask(ask) => Some(&ask.item),
        _ => None,
    }
}

pub(super) fn item_mut(input: &mut Input, step: usize) -> Option<&mut InputItem> {
    match input.steps.get_mut(step)? {
        InputStep::Ask(ask) => Some(&mut ask.item),
        _ => None,
    }
}

/// The text of a field, if it is one: that of a list is its first.
pub(super) fn text(input: &Input, at: Field) -> Option<&[u8]> {
    let (_, value) = item(input, at.step)?.fields().nth(at.field)?;
    match value {
        Value::List(items) => items.first()?.as_text(),
        value => value.as_text(),
    }
}

/// The input with another text in a field. Messages about the same item stay about one.
pub(super) fn with(input: &Input, at: Field, text: &[u8]) -> Input {
    changed(input, at, |value| match value {
        Value::List(items) if !items.is_empty() => items[0] = Value::Text(text.to_vec()),
        value => *value = Value::Text(text.to_vec()),
    })
}

/// The input with another value in a field, in the same way.
pub(super) fn with_value(input: &Input, at: Field, new: &Value) -> Input {
    changed(input, at, |value| value.clone_from(new))
}

fn changed(input: &Input, at: Field, change: impl Fn(&mut Value)) -> Input {
    let Some(same) = item(input, at.step) else {
        return input.clone();
    };
    let mut changed = input.clone();
    for ask in changed.asks_mut().filter(|ask| ask.item == *same) {
        if let Some((_, value)) = ask.item.fields_mut().nth(at.field) {
            change(value);
        }
    }
    changed
}
