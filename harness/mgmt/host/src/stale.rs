//! Removes hosts that nobody can use again: those of packages that are gone, and those of versions that were left.

use crate::HOST;
use crate::built::package_of;
use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// A version that built nothing for so long is not in use any more.
const LEFT: Duration = Duration::from_secs(30 * 24 * 3600);

/// Removes what is stale beside a version's folder and in it. What cannot be removed stays.
pub(crate) fn remove_stale(version: &Path) {
    for host in folders(version) {
        let is_gone = package_of(&host).is_some_and(|package| !package.is_dir());
        if is_gone {
            let _ = fs::remove_dir_all(&host);
        }
    }
    let Some(all) = version.parent() else {
        return;
    };
    let is_ours = |path: &Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        path != version && name.starts_with(&format!("{}-", HOST.name))
    };
    for other in folders(all).filter(|path| is_ours(path)) {
        let built = fs::metadata(&other).and_then(|found| found.modified());
        let age = built.map(|built| SystemTime::now().duration_since(built).unwrap_or_default());
        if age.is_ok_and(|age| age > LEFT) {
            let _ = fs::remove_dir_all(&other);
        }
    }
}

/// The folders in a folder.
fn folders(folder: &Path) -> impl Iterator<Item = std::path::PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    folders.map(|entry| entry.path())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;

    #[test]
    fn hosts_of_packages_that_are_gone_and_versions_that_were_left_are_removed() {
        let cache = tempfile::tempdir().expect("a folder");
        let package = tempfile::tempdir().expect("a folder");
        let version = |name: &str| cache.path().join(format!("{}-{name}", HOST.name));
        let host = |name: &str, package: &Path| {
            let host = version("now").join(name);
            fs::create_dir_all(&host).expect("a folder");
            let options = serde_json::json!({
                "folder": package,
                "options": {"tags": [], "overlay": [], "race": false, "init": null},
            });
            fs::write(host.join("options.json"), options.to_string()).expect("a file");
            host
        };
        let here = host("here", package.path());
        let gone = host("gone", &package.path().join("gone"));
        let strange = version("now").join("strange");
        let (old, recent) = (version("old"), version("recent"));
        let other = cache.path().join("other-old");
        for folder in [&strange, &old, &recent, &other] {
            fs::create_dir_all(folder).expect("a folder");
        }
        for folder in [&old, &other] {
            let long_ago = SystemTime::now() - 2 * LEFT;
            let folder = File::open(folder).expect("a folder");
            folder.set_modified(long_ago).expect("a time");
        }
        remove_stale(&version("now"));
        assert!(here.exists() && strange.exists() && recent.exists() && other.exists());
        assert!(!gone.exists() && !old.exists());
    }
}
