//! A guess from a module's file and header: which promise type it serves.

use std::path::Path;

/// A promise type's name and, in words, its source. The name comes from the file, or from the
/// module's header if the file does not indicate one.
pub fn guess(module: &Path, header: Option<&str>) -> (String, &'static str) {
    let stem = module.file_stem().unwrap_or_default().to_string_lossy();
    let name = identifier(&stem);
    let says_nothing = [
        "",
        "module",
        "main",
        "promise",
        "promise_module",
        "promise_type",
        "cli",
    ];
    if !says_nothing.contains(&&name[..]) {
        return (name, "from the file's name");
    }
    match header
        .map(identifier)
        .filter(|name| !says_nothing.contains(&&name[..]))
    {
        Some(name) => (name, "from the header"),
        None if name.is_empty() => ("my_type".to_owned(), "a placeholder: replace it"),
        None => (name, "from the file's name"),
    }
}

fn identifier(text: &str) -> String {
    let mut name = String::new();
    for c in text.chars() {
        if c.is_ascii_alphanumeric() {
            name.push(c.to_ascii_lowercase());
        } else if !name.is_empty() && !name.ends_with('_') {
            name.push('_');
        }
    }
    let mut name = name.trim_matches('_');
    let before = name;
    for end in ["_module", "_type", "_promise", "_custom"] {
        name = name.strip_suffix(end).unwrap_or(name);
    }
    name = name.strip_prefix("promise_type_").unwrap_or(name);
    name = name.strip_prefix("promise_").unwrap_or(name);
    if name.is_empty() { before } else { name }.to_owned()
}

#[cfg(test)]
mod tests {
    use super::{guess, identifier};
    use std::path::Path;

    #[test]
    fn promise_types_come_from_file_names() {
        for (stem, name) in [
            ("git", "git"),
            ("git_promise_module", "git"),
            ("http-promise-type", "http"),
            ("promise_systemd", "systemd"),
            ("rpm.repo", "rpm_repo"),
            ("module", "module"),
        ] {
            assert_eq!(identifier(stem), name);
        }
        assert_eq!(guess(Path::new("/x/main.py"), Some("git_module")).0, "git");
        assert_eq!(guess(Path::new("/x/日.py"), None).0, "my_type");
    }
}
