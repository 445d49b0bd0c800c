//! Where annotations of a report belong.

use std::path::Path;
use stickler_suite::config::Config;

/// How many files of a module an annotation may name, and how deep their folders are.
const MOST_FILES: usize = 2_000;
const DEEPEST: usize = 8;

/// The module's path for annotations: from the root of its repository, or else from the current
/// folder.
pub fn location(config: &Config) -> Option<String> {
    let path = config.dir.join(config.subject.path.as_ref()?);
    if path.is_dir() {
        // A folder may be written in many ways; its name is what people know.
        let folder = path.canonicalize().ok()?;
        return Some(folder.file_name()?.to_string_lossy().into_owned());
    }
    in_repository(&path)
}

/// The files of a module in a folder, as annotations name them.
pub fn files(config: &Config) -> Vec<String> {
    let path = config.subject.path.as_ref();
    let path = path.map(|path| config.dir.join(path));
    let Some(path) = path.filter(|path| path.is_dir()) else {
        return location(config).into_iter().collect();
    };
    let mut folders = vec![(path, 0)];
    let mut files = Vec::new();
    while let Some((folder, depth)) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && depth < DEEPEST && !is_hidden => {
                    folders.push((entry.path(), depth + 1));
                }
                Ok(kind) if kind.is_file() && files.len() < MOST_FILES => {
                    files.extend(in_repository(&entry.path()));
                }
                _ => {}
            }
        }
    }
    files.sort();
    files
}

/// A path from the root of its repository, or else from the current folder.
fn in_repository(path: &Path) -> Option<String> {
    // The module may be a link to a file elsewhere.
    let folder = Path::new(".").join(path.parent()?).canonicalize().ok()?;
    let path = folder.join(path.file_name()?);
    let root = folder.ancestors().find(|root| root.join(".git").exists());
    let root = root.map(Path::to_owned).or(std::env::current_dir().ok());
    let local = root.and_then(|root| Some(path.strip_prefix(root).ok()?.to_owned()));
    Some(local.unwrap_or(path).display().to_string())
}
