//! How large values may become: a manifest can double one again and again.

use puppet_types::Value;

/// All values together may take so many bytes, roughly.
pub(crate) const BUDGET: usize = 64 << 20;

/// What a value costs in addition to its text.
const EACH: usize = 32;

/// How many bytes a value takes, roughly.
pub(crate) fn size(value: &Value) -> usize {
    EACH + match value {
        Value::String(text) | Value::Symbol(text) | Value::Object { text, .. } => text.len(),
        Value::Regexp { source, .. } => source.len(),
        Value::Array(items) => items.iter().map(size).sum(),
        Value::Hash(pairs) => {
            let pairs = pairs.iter();
            pairs.map(|(key, value)| size(key) + size(value)).sum()
        }
        Value::Sensitive(inner) => size(inner),
        _ => 0,
    }
}

/// The sentence about values that are too large.
pub(crate) fn too_large() -> String {
    format!(
        "The values of the manifest take more than {} MiB",
        BUDGET >> 20
    )
}
