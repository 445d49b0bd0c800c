//! Where the files of hosts are kept.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::PathBuf;

/// The folder of the user's cache for a version of a host's files.
///
/// # Errors
///
/// If the user has no folder for such files, and that of another user is in the place for them.
pub fn cache_folder(version: &str) -> io::Result<PathBuf> {
    let absolute = |name: &str| {
        let path = std::env::var_os(name).map(PathBuf::from);
        path.filter(|path| path.is_absolute())
    };
    let home = || absolute("HOME").map(|home| home.join(".cache"));
    let base = match absolute("XDG_CACHE_HOME").or_else(home) {
        Some(base) => base.join("stickler"),
        // Services may have no home.
        None => own_temporary()?,
    };
    Ok(base.join(version))
}

/// A folder of the user's own for temporary files. The sandbox has another one named `stickler`.
fn own_temporary() -> io::Result<PathBuf> {
    let user = fs::metadata("/proc/self")?.uid();
    let folder = std::env::temp_dir().join(format!("stickler-cache-{user}"));
    match DirBuilder::new().mode(0o700).create(&folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    let found = fs::symlink_metadata(&folder)?;
    if found.uid() != user || !found.is_dir() {
        let taken = format!("{} belongs to another user", folder.display());
        return Err(io::Error::other(taken));
    }
    Ok(folder)
}
