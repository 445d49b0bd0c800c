//! What a misspelt name may have meant.

use crate::failure::Failure;
use std::path::Path;

/// The name that was probably meant.
pub fn nearest<'n>(wanted: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let distances = names.map(|name| (strsim::damerau_levenshtein(name, wanted), name));
    let near = distances.filter(|(distance, _)| *distance <= 2);
    near.min().map(|(_, name)| name)
}

/// The failure for a missing file, with the most similar name in its folder.
pub fn missing(path: &Path) -> Failure {
    let mut message = format!("{}: no such file", path.display());
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let wanted = path.file_name().unwrap_or_default().to_string_lossy();
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names: Vec<String> = entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    if let Some(name) = nearest(&wanted, names.iter().map(String::as_str)) {
        message.push_str(&format!(
            "\n  did you mean {}?",
            folder.join(name).display()
        ));
    }
    Failure::usage(message)
}
