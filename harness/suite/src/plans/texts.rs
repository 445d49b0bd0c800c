//! Each text of an example with difficult characters, one after the other in one process.

use crate::effort::Effort;
use crate::plans::batch::Batch;
use crate::plans::subjects::subjects;
use crate::setting::Setting;
use crate::values::HARD;
use stickler_transcript::{Relation, Value, Variation};

pub(super) fn batches(setting: &Setting<'_>, effort: Effort) -> Vec<Batch> {
    let mut batches = Vec::new();
    for instance in subjects(setting, effort) {
        let label = &instance.info.label;
        if !setting.knowledge.repaired.contains(label) {
            continue;
        }
        for field in instance.text_fields() {
            let Some(own) = instance.text(&field).map(<[u8]>::to_vec) else {
                continue;
            };
            let texts = HARD.iter().filter(|hard| hard.kind == Variation::Text);
            let variants = texts.map(|hard| {
                let words = format!("\"{field}\" with {}", hard.name);
                let suffix = format!(":{}", hard.name);
                let mut changed = instance.variant(hard.kind, &field, &suffix, words);
                changed.provenance = hard.provenance;
                changed.set(
                    &field,
                    Value::Text([hard.before, &own, hard.after].concat()),
                );
                changed
            });
            batches.push(Batch {
                id: format!("texts/{label}/{field}"),
                origin: instance.clone(),
                variants: variants.collect(),
                part: 0,
                relation: Relation::Text,
                group: None,
                traps: Vec::new(),
                evaluate: true,
                again: false,
                undone: Vec::new(),
            });
        }
    }
    batches
}
