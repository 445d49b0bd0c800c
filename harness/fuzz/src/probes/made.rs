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

/// An item without each of its attributes.
pub(super) fn each_left_out(item: &InputItem) -> impl Iterator<Item = InputItem> {
    (0..item.attributes.len()).map(|at| {
        let mut item = item.clone();
        item.attributes.remove(at);
        item
    })
}

/// What would change for an item, if the subject can say that, and then twice the change itself.
pub(super) fn looked_at(space: &Space<'_>, item: InputItem) -> Input {
    let mut input = twice(item.clone());
    if space.setting.knowledge.dry {
        let look = InputStep::Ask(Ask::plain(Verb::Look, item));
        input.steps.insert(0, look);
    }
    input
}

/// A field that takes texts, alone or as elements of a list.
pub(super) struct TextField {
    /// The place of an item.
    item: usize,
    name: Bytes,
    /// Has the item a value there?
    pub(super) is_there: bool,
    is_list: bool,
}

/// The fields to change, each once.
pub(super) fn fields(space: &Space<'_>) -> Vec<TextField> {
    let is_list = |value: &Value| match value {
        Value::Text(_) => Some(false),
        Value::List(items) => items
            .iter()
            .all(|item| item.as_text().is_some())
            .then_some(true),
        _ => None,
    };
    let mut known: Vec<(&str, &Bytes)> = Vec::new();
    let mut fields = Vec::new();
    for (number, item) in space.items.iter().enumerate() {
        for (name, value) in item.fields() {
            if let Some(is_list) = is_list(value)
                && !known.contains(&(&item.kind, name))
            {
                known.push((&item.kind, name));
                fields.push(TextField {
                    item: number,
                    name: name.clone(),
                    is_there: true,
                    is_list,
                });
            }
        }
    }
    for name in &space.dictionary.fields {
        let name = Bytes::from(&name[..]);
        let mut items = space.items.iter();
        let is_in = |item: &InputItem| item.fields().any(|(own, _)| *own == name);
        let is_known = known.iter().any(|(_, known)| **known == name);
        let Some(number) = items.position(|item| !is_in(item)).filter(|_| !is_known) else {
            continue;
        };
        // Others say what it takes, if anybody does.
        let others = space.others(number).into_iter();
        let mut others = others.filter(|(known, _)| *known == name);
        let kind = others
            .next()
            .map_or(Some(false), |(_, value)| is_list(&value));
        if let Some(is_list) = kind {
            fields.push(TextField {
                item: number,
                name,
                is_there: false,
                is_list,
            });
        }
    }
    fields
}

/// An item with a text in one of its fields, of which it keeps what `text` says. A list has it as its only element.
pub(super) fn with(
    space: &Space<'_>,
    field: &TextField,
    text: impl FnOnce(&[u8]) -> Vec<u8>,
) -> InputItem {
    let mut item = space.items[field.item].clone();
    let own = item.fields().find(|(name, _)| *name == field.name);
    let first = match own.map(|(_, value)| value) {
        Some(Value::List(items)) => items.first(),
        own => own,
    };
    let made = Value::Text(text(first.and_then(Value::as_text).unwrap_or_default()));
    let made = match field.is_list {
        true => Value::List(vec![made]),
        false => made,
    };
    item.set(field.name.clone(), made);
    item
}
