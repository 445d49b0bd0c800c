//! Looks for a folder near a module.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// How many folders above the module are searched if no repository ends the search before.
const ABOVE: usize = 3;

/// How deep the search goes below each of them: `libraries/python` is two deep.
const BELOW: usize = 2;

/// How many folders are read at most.
const MOST: usize = 2_000;

/// The nearest folder for which `holds` is true: the module's own, then those above it with the folders below
/// each of them. The search ends at the root of a repository, and before a folder in which anyone may
/// write.
pub fn find(home: &Path, holds: impl Fn(&Path) -> bool) -> Option<PathBuf> {
    let home = home.canonicalize().ok()?;
    let is_root = |folder: &Path| folder.join(".git").exists();
    let in_repository = home.ancestors().any(is_root);
    let mut budget = MOST;
    for (height, top) in home.ancestors().enumerate() {
        let is_far = !in_repository && height > ABOVE;
        if is_far || top.parent().is_none() || anyone_writes(top) {
            break;
        }
        if let Some(folder) = below(top, &holds, &mut budget) {
            return Some(folder);
        }
        if is_root(top) {
            break;
        }
    }
    None
}

/// Searches breadth first.
fn below(top: &Path, holds: impl Fn(&Path) -> bool, budget: &mut usize) -> Option<PathBuf> {
    let mut level = vec![top.to_owned()];
    for depth in 0..=BELOW {
        if let Some(folder) = level.iter().find(|folder| holds(folder)) {
            return Some(folder.clone());
        }
        if depth == BELOW {
            break;
        }
        let mut next = Vec::new();
        for folder in level {
            *budget = budget.checked_sub(1)?;
            next.extend(folders_in(&folder));
        }
        next.sort();
        level = next;
    }
    None
}

/// The folders in a folder, without links, hidden ones, and those in which anyone may write.
fn folders_in(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| {
        let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        !is_hidden && entry.file_type().is_ok_and(|kind| kind.is_dir())
    });
    folders
        .map(|entry| entry.path())
        .filter(|path| !anyone_writes(path))
}

/// May anyone write in this folder, such as `/tmp`? A library in it may be a stranger's.
fn anyone_writes(folder: &Path) -> bool {
    std::fs::metadata(folder).is_ok_and(|data| data.mode() & 0o002 != 0)
}

#[cfg(test)]
mod tests {
    use super::find;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    #[track_caller]
    fn found(root: &Path, home: &str) -> Option<String> {
        let root = root.canonicalize().expect("a folder");
        let found = find(&root.join(home), |folder| {
            folder.join("library.py").is_file()
        });
        let found = found.map(|folder| folder.strip_prefix(root).expect("below").to_owned());
        found.map(|folder| folder.display().to_string())
    }

    #[test]
    fn the_nearest_folder_within_the_repository_is_found() {
        let root = tempfile::tempdir().expect("a folder");
        let make = |path: &str| {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(path, "").expect("written");
        };
        make("library.py");
        make("repository/.git/config");
        make("repository/types/a/b/module.py");
        assert_eq!(found(root.path(), "repository/types/a/b"), None);
        make("repository/libraries/python/library.py");
        let far = found(root.path(), "repository/types/a/b");
        assert_eq!(far.as_deref(), Some("repository/libraries/python"));
        make("repository/types/library.py");
        let near = found(root.path(), "repository/types/a/b");
        assert_eq!(near.as_deref(), Some("repository/types"));
        make("repository/types/a/b/library.py");
        let same = found(root.path(), "repository/types/a/b");
        assert_eq!(same.as_deref(), Some("repository/types/a/b"));
    }

    #[test]
    fn folders_in_which_anyone_may_write_are_not_searched() {
        let root = tempfile::tempdir().expect("a folder");
        let open = root.path().join("open");
        fs::create_dir_all(open.join("own")).expect("made");
        fs::write(open.join("library.py"), "").expect("written");
        let mode = fs::Permissions::from_mode(0o1777);
        fs::set_permissions(&open, mode).expect("changed");
        assert_eq!(found(root.path(), "open/own"), None);
    }
}
