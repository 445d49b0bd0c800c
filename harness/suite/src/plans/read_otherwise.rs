//! Values that are plain text to an item and something else to the programs that a subject
//! calls: options, patterns, home directories, and the subject's own input.

use crate::instance::Instance;
use crate::setting::Setting;
use crate::values::{OPERANDS, OWN_INPUT, TAIL};
use std::collections::BTreeSet;
use stickler_transcript::Variation;

/// The fields, by kind of item, that already have these values.
pub(super) type Tried = BTreeSet<(String, String)>;

/// Puts such values into each field, once for each kind of item. After a value that names the
/// subject's own input comes the example as it is, whose request must not be lost.
pub(super) fn variants(
    setting: &Setting<'_>,
    instance: &Instance,
    tried: &mut Tried,
) -> Vec<Instance> {
    let mut fields = instance.leaf_fields();
    fields.retain(|field| !setting.config.subject.executes.contains(field));
    fields.extend(instance.identity_fields());
    let mut variants = Vec::new();
    for field in fields {
        let Some(base) = instance.leaf(&field) else {
            continue;
        };
        // A number with another form may be a number of another kind.
        let is_number = base.iter().all(u8::is_ascii_digit);
        if is_number || !tried.insert((instance.kind.clone(), field.clone())) {
            continue;
        }
        for (number, value) in values(instance, &field, base).into_iter().enumerate() {
            let shown = String::from_utf8_lossy(&value).into_owned();
            let suffix = format!(":operand{number}");
            let words = format!("\"{field}\" is \"{shown}\"");
            let mut changed = instance.variant(Variation::Text, &field, &suffix, words);
            changed.set_leaf(&field, value);
            variants.push(changed);
            if OWN_INPUT.contains(&&*shown) {
                let words = format!("unchanged, after \"{field}\" was \"{shown}\"");
                let suffix = format!("{suffix}:after");
                variants.push(instance.variant(Variation::Text, &field, &suffix, words));
            }
        }
    }
    variants
}

/// The values for a field. A path stays a path, or validation rejects it.
fn values(instance: &Instance, field: &str, base: &[u8]) -> Vec<Vec<u8>> {
    let all = OPERANDS.iter().chain(OWN_INPUT);
    // A subject that splits at the last `=` reads a relative path. A file keeps its extension.
    let name = base.iter().rposition(|byte| *byte == b'/').unwrap_or(0);
    let dot = base.iter().rposition(|byte| *byte == b'.');
    let extension = dot.filter(|dot| *dot > name + 1).unwrap_or(base.len());
    let split = [base, b"=", TAIL.as_bytes(), &base[extension..]].concat();
    match base.iter().rposition(|byte| *byte == b'/') {
        Some(at) if base.starts_with(b"/") && instance.is_identity(field) => {
            let in_folder = |name: &&str| [&base[..=at], name.as_bytes()].concat();
            let names = OPERANDS.iter().filter(|name| !name.contains('/'));
            names.map(in_folder).chain([split]).collect()
        }
        Some(_) if base.starts_with(b"/") => OWN_INPUT
            .iter()
            .map(|name| name.as_bytes().to_vec())
            .chain([split])
            .collect(),
        _ => all.map(|text| text.as_bytes().to_vec()).collect(),
    }
}
