//! The texts of an example with difficult characters, all at once or one after the other.

use crate::effort::Effort;
use crate::plans::batch::Batch;
use crate::plans::subjects::subjects;
use crate::plans::together::{Tried, together};
use crate::setting::Setting;
use crate::values::HARD;
use std::collections::BTreeMap;
use stickler_transcript::{Relation, Value, Variation};

pub(super) fn batches(setting: &Setting<'_>, effort: Effort) -> Vec<Batch> {
    let mut batches = Vec::new();
    let mut tried = Tried::default();
    for instance in subjects(setting, effort) {
        let label = &instance.info.label;
        if !setting.knowledge.repaired.contains(label) {
            continue;
        }
        let mut fields = instance.text_fields();
        fields.retain(|field| !setting.verbs.is_fixed(&instance, field));
        let fields = tried.new_ones(&instance, fields, effort);
        let mut variants = Vec::new();
        let mut apart = BTreeMap::new();
        for hard in HARD.iter().filter(|hard| hard.kind == Variation::Text) {
            let single = |field: &String| {
                let own = instance.text(field)?;
                let words = format!("\"{field}\" with {}", hard.name);
                let suffix = format!(":{}", hard.name);
                let mut changed = instance.variant(hard.kind, field, &suffix, words);
                changed.provenance = hard.provenance;
                let text = [hard.before, own, hard.after].concat();
                changed.set(field, Value::Text(text));
                Some(changed)
            };
            let singles = fields.iter().filter_map(single).collect();
            let suffix = format!(":{}", hard.name);
            let all = together(setting, &instance, hard.kind, &suffix, hard.name, singles);
            if let Some(all) = all {
                apart.insert(all.variant.info.label.clone(), all.apart);
                variants.push(all.variant);
            }
        }
        if variants.is_empty() {
            continue;
        }
        batches.push(Batch {
            id: format!("texts/{label}"),
            origin: instance.clone(),
            variants,
            part: 0,
            relation: Relation::Text,
            group: None,
            traps: Vec::new(),
            evaluate: true,
            again: false,
            undone: Vec::new(),
            apart,
        });
    }
    batches
}
