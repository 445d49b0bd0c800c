//! What there is instead of a name that nobody knows.

use puppet_types::near;

/// These names, and the one among them that was probably meant.
pub fn there_are<'n>(wanted: &str, names: impl Iterator<Item = &'n str> + Clone) -> String {
    let all: Vec<&str> = names.clone().collect();
    if all.is_empty() {
        return "there is none".to_owned();
    }
    let meant = near(wanted, names)
        .map_or_else(String::new, |near| format!("\n  did you mean \"{near}\"?"));
    format!("there are: {}{meant}", all.join(", "))
}
