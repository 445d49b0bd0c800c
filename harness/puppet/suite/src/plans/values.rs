//! Each property with other values of its own type: of a resource that is there, and then of one that is
//! made with them. Both in one process, so that rules can compare what is refused.

use crate::altered::{in_turns, is_removal, most, properties, removal, values};
use crate::shown::Shown;
use puppet_protocol::relation;
use puppet_types::{Attribute, Behaviour, Definition};
use std::collections::BTreeMap;
use stickler_suite::plans::{Batch, subjects};
use stickler_suite::{Effort, Instance, Setting};

/// So many updates are tried of each type, and so many creations.
const UPDATES: usize = 24;
const CREATIONS: usize = 12;

pub(super) fn batches(shown: &Shown, setting: &Setting<'_>, effort: Effort) -> Vec<Batch> {
    let repaired = |item: &Instance| setting.knowledge.repaired.contains(&item.info.label);
    let items: Vec<Instance> = subjects(setting, effort)
        .into_iter()
        .filter(|item| repaired(item) && !is_removal(item))
        .collect();
    // The examples of a type share what may be tried.
    let share = |usual: usize, like: &dyn Fn(&Instance) -> bool, kind: &str| {
        let all = items.iter().filter(|item| item.kind == kind && like(item));
        most(effort, usual).div_ceil(all.count().max(1))
    };
    let creates = |item: &Instance| shown.creates(&item.info.label);
    let mut batches = Vec::new();
    for item in &items {
        let Some(definition) = shown.definition(&item.kind) else {
            continue;
        };
        let mut updates = others(setting, &definition, item, properties(&definition));
        updates.truncate(share(UPDATES, &|_| true, &item.kind));
        if !updates.is_empty() {
            // The resource is there before it is updated.
            updates.insert(0, item.clone());
        }
        let mut variants = updates;
        if creates(item) {
            let fixed = definition.attributes.iter();
            let fixed = fixed.filter(|one| one.behaviour == Behaviour::InitOnly);
            let all = properties(&definition).chain(fixed);
            let mut creations = others(setting, &definition, item, all);
            creations.truncate(share(CREATIONS, &creates, &item.kind));
            // An update has the same value: what is asked of both must not have the same key.
            for made in &mut creations {
                made.info.label = format!("{}:new", made.info.label).into();
            }
            variants.extend(anew(&definition, item, creations));
        }
        if !variants.is_empty() {
            batches.push(Batch {
                id: format!("values/{}", item.info.label),
                origin: item.clone(),
                variants,
                part: 0,
                relation: relation::VALUES,
                group: None,
                traps: Vec::new(),
                evaluate: true,
                again: true,
                undone: Vec::new(),
                apart: BTreeMap::new(),
                whole: true,
                partner: None,
            });
        }
    }
    batches
}

fn others<'d>(
    setting: &Setting<'_>,
    definition: &Definition,
    item: &Instance,
    attributes: impl Iterator<Item = &'d Attribute>,
) -> Vec<Instance> {
    let each = attributes.map(|one| values(setting, definition, item, one));
    in_turns(each.collect())
}

/// The provider removes the resource before each of them. A resource that cannot be removed is made
/// once.
fn anew(definition: &Definition, item: &Instance, creations: Vec<Instance>) -> Vec<Instance> {
    if removal(definition, item, 0).is_none() {
        return creations.into_iter().take(1).collect();
    }
    let numbered = creations.into_iter().enumerate();
    numbered
        .flat_map(|(number, made)| removal(definition, item, number).into_iter().chain([made]))
        .collect()
}
