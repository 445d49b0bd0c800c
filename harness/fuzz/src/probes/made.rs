//! Inputs about one item, and the fields to change in items.

use crate::input::{Ask, Input, InputItem, InputStep, Verb};
use crate::space::Space;
use stickler_transcript::{Bytes, Value};

/// An evaluation.
pub(super) fn ask(item: InputItem) -> InputStep {
    InputStep::Ask(Ask::plain(Verb::Evaluate, item))
}

/// One evaluation.
pub(super) fn evaluated(item: InputItem) -> Input {
    Input {
        steps: vec![ask(item)],
        ..Input::default()
    }
}

/// The second time there is nothing to do.
pub(super) fn twice(item: InputItem) -> Input {
    let again = InputStep::Ask(Ask::plain(Verb::Later, item.clone()));
    Input {
        steps: vec![ask(item), again],
        ..Input::default()
    }
}

/// The fields to change, each once: its item, and its place there. `None` is a field that the item has not.
pub(super) fn fields(space: &Space<'_>) -> Vec<(usize, Option<usize>, Bytes)> {
    let mut known: Vec<(&str, &Bytes)> = Vec::new();
    let mut fields = Vec::new();
    for (number, item) in space.items.iter().enumerate() {
        for (at, (name, value)) in item.fields().enumerate() {
            let is_text = value.as_text().is_some();
            if is_text && !known.contains(&(&item.kind, name)) {
                known.push((&item.kind, name));
                fields.push((number, Some(at), name.clone()));
            }
        }
    }
    for name in &space.dictionary.fields {
        let name = Bytes::from(&name[..]);
        let mut items = space.items.iter();
        if !known.iter().any(|(_, known)| **known == name)
            && let Some(number) = items.position(|item| item.fields().all(|(own, _)| *own != name))
        {
            fields.push((number, None, name));
        }
    }
    fields
}

/// An item with a text in one of its fields, of which it keeps what `text` says.
pub(super) fn with(
    space: &Space<'_>,
    (number, at, name): &(usize, Option<usize>, Bytes),
    text: impl FnOnce(&[u8]) -> Vec<u8>,
) -> InputItem {
    let mut item = space.items[*number].clone();
    match at.and_then(|at| item.fields_mut().nth(at)) {
        Some((_, value)) => *value = Value::Text(text(value.as_text().unwrap_or_default())),
        None => item.attributes.push((name.clone(), Value::Text(text(b"")))),
    }
    item
}
