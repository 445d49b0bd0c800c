//! Variants that change several fields at once, and the same changes one by one where the subject
//! refuses them together.

use crate::effort::Effort;
use crate::instance::Instance;
use crate::setting::Setting;
use std::collections::BTreeSet;
use stickler_transcript::{Value, Variation};

/// A variant, and those of which it consists if it changes several fields.
pub(super) struct Together {
    pub variant: Instance,
    pub apart: Vec<Instance>,
}

/// All changes of `singles` in one variant, as far as the subject's types admit them. Each of them changes one
/// field of the instance. `None` if no change is left.
pub(super) fn together(
    setting: &Setting<'_>,
    instance: &Instance,
    kind: Variation,
    suffix: &str,
    words: &str,
    singles: Vec<Instance>,
) -> Option<Together> {
    let mut apart = singles;
    apart.retain(|single| setting.verbs.admits(setting, single));
    if apart.len() < 2 {
        let variant = apart.pop()?;
        return Some(Together { variant, apart });
    }
    let mut variant = instance.variant(kind, "", suffix, format!("all texts with {words}"));
    variant.info.field = None;
    variant.provenance = apart[0].provenance;
    for single in &apart {
        if let Some(field) = single.info.field.as_deref()
            && let Some(value) = single.value(field)
        {
            variant.set(field, value.clone());
        }
    }
    Some(Together { variant, apart })
}

/// The fields of each kind of items that were tried, with the types of their values.
#[derive(Default)]
pub(super) struct Tried(BTreeSet<(String, String, Option<&'static str>)>);

impl Tried {
    /// The fields that no earlier item of this kind has shown; all of them, if the effort is high.
    pub(super) fn new_ones(
        &mut self,
        instance: &Instance,
        mut fields: Vec<String>,
        effort: Effort,
    ) -> Vec<String> {
        let mut is_new = |field: &String| {
            let of = instance.value(field).map(Value::type_name);
            self.0.insert((instance.kind.clone(), field.clone(), of))
        };
        fields.retain(|field| is_new(field) || effort == Effort::Deep);
        fields
    }
}
