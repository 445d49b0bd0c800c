//! `{config_dir}`: the folder of `stickler.toml`, in texts of the file.

use std::path::Path;

/// What stands for the folder of the file.
pub const CONFIG_DIR: &str = "{config_dir}";

/// The folder of a file, whole.
pub(super) fn folder_of(file: &Path) -> String {
    let folder = match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let whole = folder
        .canonicalize()
        .or_else(|_| std::path::absolute(folder));
    let whole = whole.unwrap_or_else(|_| folder.to_owned());
    whole.to_string_lossy().into_owned()
}

/// Replaces `{config_dir}` with the folder; `{{config_dir}}` is a literal `{config_dir}`.
pub(super) fn fill(text: &str, folder: &str) -> String {
    let parts = text.split("{{config_dir}}");
    let parts = parts.map(|part| part.replace(CONFIG_DIR, folder));
    parts.collect::<Vec<_>>().join(CONFIG_DIR)
}

#[cfg(test)]
mod tests {
    use super::{fill, folder_of};
    use std::path::Path;

    #[test]
    fn braces_twice_are_literal() {
        let filled = fill("{config_dir}/a:{{config_dir}}:{dir}", "/x");
        assert_eq!(filled, "/x/a:{config_dir}:{dir}");
    }

    #[test]
    fn the_folder_is_whole() {
        let here = std::env::current_dir().expect("a folder");
        let here = here.canonicalize().expect("a folder");
        assert_eq!(Path::new(&folder_of(Path::new("stickler.toml"))), here);
    }
}
