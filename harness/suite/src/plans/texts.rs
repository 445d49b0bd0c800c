//! The texts of an example, also the first one in each list and hash, with difficult characters: all at once,
//! or one by one where the subject refuses that.

use crate::effort::Effort;
use crate::instance::Instance;
use crate::plans::batch::Batch;
use crate::plans::subjects::subjects;
use crate::plans::together::{Tried, together};
use crate::setting::Setting;
use crate::values::{HARD, Hard, SINGLE};
use std::collections::BTreeMap;
use stickler_transcript::{Name, Relation, Variation};

pub(super) fn batches(setting: &Setting<'_>, effort: Effort) -> Vec<Batch> {
    let mut batches = Vec::new();
    let mut tried = Tried::default();
    for instance in subjects(setting, effort) {
        let label = &instance.info.label;
        if !setting.knowledge.repaired.contains(label) {
            continue;
        }
        let mut fields = instance.leaf_fields();
        fields.retain(|field| !setting.verbs.is_fixed(&instance, field));
        let fields = tried.new_ones(&instance, fields, effort);
        let (variants, apart) = texts(setting, &instance, &fields);
        if variants.is_empty() {
            continue;
        }
        batches.push(Batch {
            id: format!("texts/{label}"),
            origin: instance.clone(),
            variants,
            part: 0,
            relation: Relation::TEXT,
            group: None,
            traps: Vec::new(),
            evaluate: true,
            again: false,
            undone: Vec::new(),
            apart,
            whole: false,
            partner: None,
        });
    }
    batches
}

type Apart = BTreeMap<Name, Vec<Instance>>;

/// The variants, and what is tried one by one. A combination of signs that is refused may hold one that is
/// taken.
fn texts(setting: &Setting<'_>, instance: &Instance, fields: &[String]) -> (Vec<Instance>, Apart) {
    let combined = || HARD.iter().filter(|hard| hard.kind == Variation::Text);
    let is_refused = |field: &&String| {
        let mut all = combined().filter_map(|hard| with(instance, field, hard));
        all.any(|one| !setting.verbs.admits(setting, &one))
    };
    let refused: Vec<String> = fields.iter().filter(is_refused).cloned().collect();
    let mut variants = Vec::new();
    let mut apart = Apart::new();
    let singles = SINGLE.iter().map(|hard| (hard, &refused[..]));
    for (hard, fields) in combined().map(|hard| (hard, fields)).chain(singles) {
        let all = fields
            .iter()
            .filter_map(|field| with(instance, field, hard));
        let suffix = format!(":{}", hard.name);
        let all = together(
            setting,
            instance,
            hard.kind,
            &suffix,
            hard.name,
            all.collect(),
        );
        let Some(mut all) = all else {
            continue;
        };
        let parts = SINGLE.iter().filter(|single| hard.holds(single));
        let parts = parts.flat_map(|single| {
            let parts = fields
                .iter()
                .filter_map(|field| with(instance, field, single));
            parts.filter(|one| setting.verbs.admits(setting, one))
        });
        all.apart.extend(parts);
        apart.insert(all.variant.info.label.clone(), all.apart);
        variants.push(all.variant);
    }
    (variants, apart)
}

/// The instance with a difficult text in a field.
fn with(instance: &Instance, field: &str, hard: &Hard) -> Option<Instance> {
    let own = instance.leaf(field)?;
    let words = format!("\"{field}\" with {}", hard.name);
    let suffix = format!(":{}", hard.name);
    let mut changed = instance.variant(hard.kind, field, &suffix, words);
    changed.provenance = hard.provenance;
    changed.set_leaf(field, [hard.before, own, hard.after].concat());
    Some(changed)
}
