//! Inputs in which a comparison of the subject comes out the other way.

use super::STEPS;
use crate::input::{Input, InputStep};
use std::collections::BTreeSet;
use stickler_transcript::Value;

/// How many inputs are made from one.
const MOST: usize = 96;
/// At how many places of a text one side of a comparison is replaced.
const PLACES: usize = 4;

/// Inputs like this one in which a text has one side of a comparison in place of the other: alone,
/// and with the message as it was after all others, which may meet another state then. The last
/// message comes first, since it met what the others had led to. If there was a comparison, the
/// input with its last message once more is the first of all.
pub(crate) fn matched(input: &Input, pairs: &[[Vec<u8>; 2]]) -> Vec<Input> {
    let mut made = BTreeSet::new();
    let mut inputs = Vec::new();
    if let Some(last @ InputStep::Ask(_)) = input.steps.last()
        && !pairs.is_empty()
        && input.steps.len() < STEPS
    {
        let mut again = input.clone();
        again.steps.push(last.clone());
        inputs.push(again);
    }
    let asks = input.steps.iter().enumerate().rev();
    for (at, step) in asks {
        let InputStep::Ask(ask) = step else {
            continue;
        };
        let fields = ask.item.identity.len() + ask.item.attributes.len();
        for field in 0..fields {
            for text in texts(ask.item.values().nth(field), pairs) {
                let mut changed = ask.clone();
                let identity = &mut changed.item.identity;
                let values = identity.iter_mut().chain(&mut changed.item.attributes);
                if let Some((_, value)) = values.into_iter().nth(field) {
                    *value = Value::Text(text.clone());
                }
                if !made.insert((at, field, text)) {
                    continue;
                }
                let mut replaced = input.clone();
                replaced.steps[at] = InputStep::Ask(changed);
                inputs.push(replaced.clone());
                if replaced.steps.len() < STEPS {
                    replaced.steps.push(step.clone());
                    inputs.push(replaced);
                }
                if inputs.len() >= MOST {
                    return inputs;
                }
            }
        }
    }
    inputs
}

/// The texts that a value becomes if one side of a comparison is replaced by the other.
fn texts(value: Option<&Value>, pairs: &[[Vec<u8>; 2]]) -> Vec<Vec<u8>> {
    let Some(text) = value.and_then(Value::as_text) else {
        return Vec::new();
    };
    let sides = pairs
        .iter()
        .flat_map(|[one, other]| [(one, other), (other, one)]);
    let mut texts = Vec::new();
    for (is, wanted) in sides {
        let places = memchr::memmem::find_iter(text, is).take(PLACES);
        texts.extend(places.map(|at| {
            let mut changed = text.to_vec();
            changed.splice(at..at + is.len(), wanted.iter().copied());
            changed
        }));
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::matched;
    use crate::input::{Ask, Input, InputItem, InputStep, Verb};
    use stickler_transcript::Value;

    fn asks(texts: &[&str]) -> Input {
        let ask = |text: &&str| {
            InputStep::Ask(Ask {
                verb: Verb::Evaluate,
                item: InputItem {
                    attributes: vec![("mode".into(), Value::text(*text))],
                    ..InputItem::default()
                },
                pieces: Vec::new(),
                kill_after_us: None,
                at_write: None,
            })
        };
        Input {
            steps: texts.iter().map(ask).collect(),
            ..Input::default()
        }
    }

    #[test]
    fn one_message_changes_and_may_come_again() {
        let pair = [b"0644".to_vec(), b"0640".to_vec()];
        let made = matched(&asks(&["0600", "0644"]), std::slice::from_ref(&pair));
        assert_eq!(
            made,
            [
                asks(&["0600", "0644", "0644"]),
                asks(&["0600", "0640"]),
                asks(&["0600", "0640", "0644"])
            ]
        );
        // Either side may be the one that is there.
        let made = matched(&asks(&["0640"]), &[pair]);
        assert_eq!(made[1], asks(&["0644"]));
    }

    #[test]
    fn each_place_counts_and_there_is_an_end() {
        let pair = [b"l".to_vec(), b"7".to_vec()];
        let made = matched(&asks(&["hello"]), &[pair]);
        assert!(made.contains(&asks(&["he7lo"])) && made.contains(&asks(&["hel7o"])));
        let pairs: Vec<[Vec<u8>; 2]> = (0..=255).map(|byte| [b"h".to_vec(), vec![byte]]).collect();
        assert!(matched(&asks(&["hello"]), &pairs).len() <= super::MOST + 1);
        assert!(matched(&asks(&["hello"]), &[]).is_empty());
    }
}
