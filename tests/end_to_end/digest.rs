//! Digests of files and folders, which decide what tests need not do again.

use crate::common::root;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

/// What Stickler and interpreters write beside a subject, and its description: plans say all that follows from that.
const WRITTEN: [&str; 3] = [".stickler", "stickler.toml", "__pycache__"];

/// The digest of files of the repository and of all files in its folders.
pub fn of(paths: &[&str]) -> String {
    let mut hasher = blake3::Hasher::new();
    for path in paths {
        add(&root().join(path), path, &mut hasher);
    }
    short(&hasher)
}

/// The first letters of a digest: enough to tell all files apart that anybody writes.
pub fn short(hasher: &blake3::Hasher) -> String {
    hasher.finalize().to_hex()[..24].to_owned()
}

/// Adds a file, or the files of a folder, with their names and whether they can be run.
pub fn add(path: &Path, name: &str, hasher: &mut blake3::Hasher) {
    if path.is_dir() {
        let entries = fs::read_dir(path).expect("a folder").flatten();
        let mut names: Vec<_> = entries.map(|entry| entry.file_name()).collect();
        names.retain(|name| WRITTEN.iter().all(|written| *name != **written));
        names.sort();
        for file in names {
            let name = format!("{name}/{}", file.to_string_lossy());
            add(&path.join(&file), &name, hasher);
        }
    } else if let (Ok(content), Ok(about)) = (fs::read(path), fs::metadata(path)) {
        let runs = about.permissions().mode() & 0o100 != 0;
        hasher.update(format!("{name} {runs} {}\n", content.len()).as_bytes());
        hasher.update(&content);
    }
}
