//! What a campaign knows about its subject: the author's items, and words that the subject knows.

use crate::dictionary::Dictionary;
use crate::input::{Ask, Input, InputItem, InputStep, Verb};
use crate::secrets::Secrets;
use stickler_judge::Provenance;
use stickler_reading::words;
use stickler_suite::config::Config;
use stickler_suite::{Harvest, Instance, Knowledge, Setting, Vocabulary, is_of_the_harness, plans};
use stickler_transcript::{Bytes, Value, Variation};

/// Why a subject cannot be tested, if so, after its first sessions.
pub(crate) fn untestable(
    vocabulary: &Vocabulary,
    config: &Config,
    knowledge: &Knowledge,
) -> Option<String> {
    let subject = vocabulary.subject;
    if !knowledge.usable {
        return Some(format!(
            "the {subject} never answers; `stickler check` says more"
        ));
    }
    (!config.examples.is_empty() && knowledge.valid.is_empty())
        .then(|| format!("the {subject} accepts none of the examples; `stickler check` says more"))
}

/// Everything that inputs are made from.
pub struct Space<'s> {
    /// What all cases share.
    pub setting: &'s Setting<'s>,
    /// The author's valid items, or a probe if there are none.
    pub items: Vec<InputItem>,
    /// Items that the author declares invalid.
    pub invalid: Vec<InputItem>,
    /// Words to put into values.
    pub dictionary: Dictionary,
    /// Can any value be sent, or only texts without line ends?
    pub any_value: bool,
    /// What items are made from, by the name of the example: those of the author, and a probe.
    bases: Vec<Base>,
    /// Other values that types or sources name for fields of the items, by their places.
    named: Vec<Vec<(Bytes, Value)>>,
    /// What the items hold placeholders for.
    pub(crate) secrets: Secrets,
}

struct Base {
    instance: Instance,
    item: InputItem,
    is_authors: bool,
}

impl<'s> Space<'s> {
    /// A space with these words in addition to those of the items.
    pub fn new(
        setting: &'s Setting<'s>,
        mut dictionary: Dictionary,
        harvest: Option<&Harvest>,
        secrets: Secrets,
    ) -> Self {
        let item_of = |instance: &Instance| {
            let mut item = item_of(instance);
            secrets.hide_item(&mut item);
            item
        };
        let mut instances = plans::subjects(setting, stickler_suite::Effort::Normal);
        if instances.is_empty() {
            instances.push(plans::probe(setting));
        }
        let mut items: Vec<InputItem> = instances.iter().map(&item_of).collect();
        let named = |instance: &Instance| {
            let others = setting.verbs.others(setting, instance).into_iter();
            let others = others.map(|(name, mut value)| {
                secrets.hide(&mut value);
                (name.as_str().into(), value)
            });
            others.collect()
        };
        let mut named: Vec<Vec<(Bytes, Value)>> = instances.iter().map(named).collect();
        if let Some(harvest) = harvest {
            let made = |example| Instance::of(example, "", &harvest.kind, setting.vocabulary(), 0);
            items = harvest
                .items
                .iter()
                .map(made)
                .map(|made| item_of(&made))
                .collect();
            named.clear();
            for name in &harvest.names {
                dictionary.take_field(name.as_bytes());
            }
        }
        let invalid = 0..setting.config.invalid.len();
        let invalid: Vec<InputItem> = invalid.map(|at| item_of(&setting.invalid(at))).collect();
        for item in items.iter().chain(&invalid) {
            dictionary.take_item(item);
        }
        let examples = 0..setting.config.examples.len();
        let base = |instance: Instance, is_authors| Base {
            item: item_of(&instance),
            instance,
            is_authors,
        };
        let mut bases: Vec<Base> = examples
            .map(|at| base(setting.example(at, 0), true))
            .collect();
        bases.push(base(plans::probe(setting), false));
        Space {
            bases,
            named,
            secrets,
            setting,
            items,
            invalid,
            dictionary,
            any_value: setting.sends_any_text(),
        }
    }

    /// The inputs with which a campaign begins: the author's items, and short sequences of them.
    pub fn seeds(&self) -> Vec<Input> {
        let ask = |verb, item: &InputItem| InputStep::Ask(Ask::plain(verb, item.clone()));
        let mut seeds = Vec::new();
        let mut add = |steps: Vec<InputStep>| {
            seeds.push(Input {
                steps,
                ..Input::default()
            });
        };
        let is_harvested = self.setting.config.examples.is_empty();
        for item in self.items.iter().chain(&self.invalid) {
            add(vec![ask(Verb::Validate, item)]);
        }
        // What nobody has written is evaluated in a sandbox only.
        let evaluates = self.setting.sandboxed || !is_harvested;
        for item in self.items.iter().filter(|_| evaluates) {
            if !is_harvested {
                add(vec![ask(Verb::Evaluate, item)]);
            }
            add(vec![ask(Verb::Evaluate, item), ask(Verb::Evaluate, item)]);
            if self.setting.knowledge.dry {
                add(vec![ask(Verb::Look, item), ask(Verb::Evaluate, item)]);
            }
            // Mutants come to them rarely, since they need processes of their own.
            for deed in self.setting.verbs.deeds() {
                let deed = InputStep::Deed {
                    deed: (*deed).to_owned(),
                    item: item.clone(),
                };
                let again = ask(Verb::Evaluate, item);
                add(vec![ask(Verb::Evaluate, item), deed, again]);
            }
        }
        if self.items.len() > 1 && !is_harvested {
            add(self
                .items
                .iter()
                .map(|item| ask(Verb::Evaluate, item))
                .collect());
        }
        seeds
    }

    /// The author's item with this name; without one, the first.
    pub fn base(&self, example: &str) -> Option<(usize, &InputItem)> {
        let mut items = self.items.iter().enumerate();
        items.find(|(_, item)| item.example == example)
    }

    /// Other values for fields of one of the items: those that types and sources name, and those of other items of its
    /// kind, also declared invalid ones.
    pub(crate) fn others(&self, item: usize) -> Vec<(Bytes, Value)> {
        let own = &self.items[item];
        let is_own = |other: &&InputItem| other.kind == own.kind;
        let others = self.items.iter().chain(&self.invalid).filter(is_own);
        let others = others.flat_map(|other| other.attributes.iter().cloned());
        let named = self.named.get(item).cloned().unwrap_or_default();
        named.into_iter().chain(others).collect()
    }

    /// Can the dialect send this item, and is it about the subject alone? What the author wrote is always sent.
    pub fn sends(&self, item: &InputItem) -> bool {
        let words = item.values().flat_map(Value::words);
        if words.into_iter().any(is_of_the_harness)
            && !self.bases.iter().any(|base| base.item == *item)
        {
            return false;
        }
        let plain = |value: &Value| value.as_text().is_some_and(|text| !text.contains(&b'\n'));
        self.any_value || item.values().all(plain)
    }

    /// The item with its secrets.
    pub fn filled(&self, item: &InputItem) -> InputItem {
        let fill = |fields| {
            let fields = self.secrets.fill(fields).into_iter();
            fields.map(|(name, value)| (name.into(), value)).collect()
        };
        InputItem {
            identity: fill(&item.identity),
            attributes: fill(&item.attributes),
            ..item.clone()
        }
    }

    /// The item ready to send. `number` names it if it is not the author's.
    pub fn instance(&self, item: &InputItem, number: usize) -> Instance {
        let examples = &self.setting.config.examples;
        let known = examples
            .iter()
            .position(|example| example.name == item.example);
        // The last one is the probe.
        let base = &self.bases[known.unwrap_or(self.bases.len() - 1)];
        let mut instance = base.instance.clone();
        if !base.is_authors {
            instance.info.example.clone_from(&item.example);
        }
        if base.is_authors && base.item == *item {
            return instance;
        }
        let changed = differing(&base.item, item);
        let words = changed.iter().map(|(name, value)| match value {
            Some(value) => format!("{} = {}", shown(name), value),
            None => format!("no {}", shown(name)),
        });
        let words = words.collect::<Vec<_>>().join(", ");
        let field = match &changed[..] {
            [(name, _)] => shown(name),
            _ => instance.name_field(),
        };
        let kind = Variation::Fuzzed;
        instance = instance.variant(kind, &field, "", format!("with {words}"));
        instance.info.label = format!("f{number}").into();
        instance.kind.clone_from(&item.kind);
        instance.identity = self.secrets.fill(&item.identity);
        instance.attributes = self.secrets.fill(&item.attributes);
        instance.provenance = provenance(item, self.setting.vocabulary().typed);
        instance
    }
}

/// An item of the suite as a campaign holds it.
fn item_of(instance: &Instance) -> InputItem {
    let fields = |fields: &[(Vec<u8>, Value)]| {
        let fields = fields.iter();
        fields
            .map(|(name, value)| (name[..].into(), value.clone()))
            .collect()
    };
    InputItem {
        example: instance.info.example.clone(),
        kind: instance.kind.clone(),
        identity: fields(&instance.identity),
        attributes: fields(&instance.attributes),
    }
}

/// The fields in which an item differs from another one, with their values in words.
fn differing<'i>(base: &'i InputItem, item: &'i InputItem) -> Vec<(&'i Bytes, Option<String>)> {
    let said = |value: &Value| match value {
        Value::Text(text) => format!("`{}`", cut(text)),
        other => other.type_name().to_owned(),
    };
    let changed = item
        .fields()
        .filter(|(name, now)| value(base, name) != Some(now));
    let gone = base
        .fields()
        .filter(|(name, _)| value(item, name).is_none());
    let changed = changed.map(|(name, now)| (name, Some(said(now))));
    changed.chain(gone.map(|(name, _)| (name, None))).collect()
}

fn value<'i>(item: &'i InputItem, name: &Bytes) -> Option<&'i Value> {
    let mut fields = item.fields();
    fields
        .find(|(known, _)| known == name)
        .map(|(_, value)| value)
}

fn shown(name: &[u8]) -> String {
    words::visible(name)
}

/// A text in at most so many letters.
fn cut(text: &[u8]) -> String {
    const LETTERS: usize = 40;
    // Of a long text, only both ends are shown.
    const ENDS: usize = 4 * LETTERS;
    match text.len() {
        ..=ENDS => words::cut(&words::visible(text), LETTERS),
        length => {
            let (head, tail) = (&text[..ENDS / 2], &text[length - ENDS / 2..]);
            words::cut(&words::visible(&[head, tail].concat()), LETTERS)
        }
    }
}

/// Who could send an item: an agent has names that are identifiers, no field twice, and texts,
/// lists and objects as values, also numbers and booleans if its values are `typed`. None sends NUL.
fn provenance(item: &InputItem, typed: bool) -> Provenance {
    let is_name = |name: &Bytes| {
        !name.is_empty()
            && name
                .iter()
                .all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
    };
    let names: Vec<&Bytes> = item.attributes.iter().map(|(name, _)| name).collect();
    let mut once = names.clone();
    once.sort();
    once.dedup();
    let identified = item
        .identity
        .iter()
        .all(|(_, value)| value.as_text().is_some_and(|text| !text.is_empty()));
    let has_nul = item
        .values()
        .any(|value| value.words().iter().any(|word| word.contains(&0)));
    let mut values = item.attributes.iter().map(|(_, value)| value);
    let written = values.all(|value| match value {
        Value::Text(_) | Value::List(_) | Value::Object(_) => true,
        Value::Number(_) | Value::Bool(_) => typed,
        Value::Null => false,
    });
    let kind = !item.kind.is_empty() && is_name(&item.kind[..].into());
    let sound = once.len() == names.len() && names.into_iter().all(is_name);
    if sound && identified && written && kind && !has_nul {
        Provenance::Agent
    } else {
        Provenance::Beyond
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_agents_with_types_send_numbers_and_booleans() {
        let item = |value: Value| InputItem {
            kind: "file".into(),
            identity: vec![("path".into(), Value::text("/x"))],
            attributes: vec![("size".into(), value)],
            ..InputItem::default()
        };
        for value in [Value::Number("1".into()), Value::Bool(true)] {
            assert_eq!(provenance(&item(value.clone()), true), Provenance::Agent);
            assert_eq!(provenance(&item(value), false), Provenance::Beyond);
        }
        assert_eq!(
            provenance(&item(Value::text("1")), false),
            Provenance::Agent
        );
        assert_eq!(provenance(&item(Value::Null), true), Provenance::Beyond);
    }
}
