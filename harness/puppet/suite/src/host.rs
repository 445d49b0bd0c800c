//! How the programs of this dialect are started: the host, which is written out when it is needed, and
//! the Ruby that runs it; or a program of the author's own.

use crate::find::folder;
use rustix::fs::Access;
use std::ffi::OsStr;
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use stickler_suite::config::Config;
use stickler_suite::{PATH, RunError};
use stickler_transcript::Bytes;

/// How Ruby starts without looking for gems.
const NO_GEMS: &str = "--disable-gems";

/// The command line of the host, or of the author's own program.
///
/// # Errors
/// If the description names no program that exists, or if the host cannot be written.
pub(crate) fn command_line(config: &Config) -> Result<Vec<Bytes>, RunError> {
    if !config.subject.command.is_empty() {
        let mut words = stickler_suite::command_line(config)?;
        // The provider runs elsewhere. The first word may be looked up in `PATH`.
        for word in words.iter_mut().skip(1) {
            let path = config.dir.join(Path::new(OsStr::from_bytes(word)));
            if !word.is_empty() && path.is_file() {
                let whole = path.canonicalize().unwrap_or(path);
                *word = whole.into_os_string().into_vec().into();
            }
        }
        return Ok(words);
    }
    let host = installed();
    let host = host.map_err(|error| {
        RunError::Subject(format!(
            "the Ruby host cannot be written: {error}; XDG_CACHE_HOME names another folder"
        ))
    })?;
    let ruby = config.subject.interpreter.as_deref().unwrap_or("ruby");
    // The host takes no arguments; the last one tells people what it runs.
    let folder = whole_folder(config).unwrap_or_else(|| config.dir.clone());
    let words = [ruby.into(), NO_GEMS.into(), host, folder];
    let words = words.into_iter().map(PathBuf::into_os_string);
    Ok(words.map(|word| word.into_vec().into()).collect())
}

/// Where the host is, once it is written.
fn installed() -> io::Result<PathBuf> {
    puppet_host::install(&cache()?)
}

/// Where the module's code is, given the last word of the command line, which is the module's folder.
pub(crate) fn lib(folder: &Bytes) -> String {
    format!("{}/lib", folder.lossy())
}

/// Does a command line start the host for a module's folder, and no program of the author's own?
pub fn runs_folder(argv: &[Bytes]) -> bool {
    matches!(argv, [_, option, _, _] if **option == *NO_GEMS.as_bytes())
}

/// Names this machine's host in a command line that starts one, and returns where the module's code is.
pub(crate) fn relocate(argv: &mut [Bytes]) -> Option<String> {
    if !runs_folder(argv) {
        return None;
    }
    let [_, _, host, folder] = argv else {
        return None;
    };
    *host = installed().ok()?.into_os_string().into_vec().into();
    Some(lib(folder))
}

/// The folder of the module, without links in its path.
pub(crate) fn whole_folder(config: &Config) -> Option<PathBuf> {
    let folder = folder(config)?;
    Some(folder.canonicalize().unwrap_or(folder))
}

/// The path of another interpreter; a name without a slash is looked up in `PATH`.
pub(crate) fn interpreter(config: &Config, name: &str) -> PathBuf {
    if !name.contains('/') {
        return PathBuf::from(name);
    }
    let path = config.dir.join(name);
    path.canonicalize().unwrap_or(path)
}

pub(crate) fn is_program(config: &Config, name: &str) -> bool {
    let path = interpreter(config, name);
    let is_there = |path: &Path| rustix::fs::access(path, Access::EXEC_OK).is_ok();
    match name.contains('/') {
        true => path.is_file() && is_there(&path),
        false => PATH
            .split(':')
            .any(|folder| is_there(&Path::new(folder).join(&path))),
    }
}

/// Where the host's files are kept, by what they are.
///
/// # Errors
/// If the user has no folder for such files, and that of another user is in the place for them.
fn cache() -> io::Result<PathBuf> {
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
    Ok(base.join(puppet_host::version()))
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
