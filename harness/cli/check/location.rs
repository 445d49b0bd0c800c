//! Where annotations of a report belong.

use std::path::Path;
use stickler_suite::config::Config;

/// The module's path for annotations: from the root of its repository, or else from the current
/// folder.
pub fn location(config: &Config) -> Option<String> {
    let path = config.dir.join(config.subject.path.as_ref()?);
    if path.is_dir() {
        // A folder may be written in many ways; its name is what people know.
        let folder = path.canonicalize().ok()?;
        return Some(folder.file_name()?.to_string_lossy().into_owned());
    }
    // The module may be a link to a file elsewhere.
    let folder = Path::new(".").join(path.parent()?).canonicalize().ok()?;
    let path = folder.join(path.file_name()?);
    let root = folder.ancestors().find(|root| root.join(".git").exists());
    let root = root.map(Path::to_owned).or(std::env::current_dir().ok());
    let local = root.and_then(|root| Some(path.strip_prefix(root).ok()?.to_owned()));
    Some(local.unwrap_or(path).display().to_string())
}
