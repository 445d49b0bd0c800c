//! How the programs of this dialect are started: the host, which is written out when it is needed, and
//! the Ruby that runs it; or a program of the author's own.

use crate::find::folder;
use rustix::fs::Access;
use std::ffi::OsStr;
use std::fs::{self, DirBuilder, Metadata};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use stickler_suite::config::Config;
use stickler_suite::{PATH, RunError};
use stickler_transcript::Bytes;

/// How long a Ruby may take to compile the host: it needs 0.03 s.
const COMPILING: Duration = Duration::from_secs(3);

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
    let ruby = config.subject.interpreter.as_deref().unwrap_or("ruby");
    let host = installed(&interpreter(config, ruby));
    let host = host.map_err(|error| {
        RunError::Subject(format!(
            "the Ruby host cannot be written: {error}; XDG_CACHE_HOME names another folder"
        ))
    })?;
    // The host takes no arguments; the last one tells people what it runs.
    let folder = whole_folder(config).unwrap_or_else(|| config.dir.clone());
    let words = [ruby.into(), NO_GEMS.into(), host, folder];
    let words = words.into_iter().map(PathBuf::into_os_string);
    Ok(words.map(|word| word.into_vec().into()).collect())
}

/// Where the host is, once it is written, and compiled for a Ruby.
fn installed(ruby: &Path) -> io::Result<PathBuf> {
    let cache = cache()?;
    let host = puppet_host::install(&cache)?;
    compile(&cache, ruby);
    Ok(host)
}

/// Has a Ruby compile the host where it has not done so before. The host needs none of it: it only
/// starts sooner. So a Ruby that cannot do it, or does it too slowly, is not asked again.
fn compile(cache: &Path, ruby: &Path) {
    let Some((program, data)) = located(ruby) else {
        return;
    };
    let mut hash = DefaultHasher::new();
    (program.as_os_str(), data.len(), data.mtime(), data.ino()).hash(&mut hash);
    let asked = cache.join(format!(".compiled-{:016x}", hash.finish()));
    if asked.exists() || fs::write(&asked, "").is_err() {
        return;
    }
    let mut command = Command::new(&program);
    command
        .args([
            OsStr::new(NO_GEMS),
            cache.join(puppet_host::COMPILER).as_os_str(),
        ])
        .env_clear()
        .env("PATH", PATH);
    for stream in [Command::stdin, Command::stdout, Command::stderr] {
        stream(&mut command, Stdio::null());
    }
    let Ok(mut child) = command.spawn() else {
        return;
    };
    let until = Instant::now() + COMPILING;
    while let Ok(None) = child.try_wait() {
        if Instant::now() > until {
            let _ = child.kill();
            let _ = child.wait();
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// The file of a program, which may be a name to look up in `PATH`.
fn located(program: &Path) -> Option<(PathBuf, Metadata)> {
    let is_name = program.components().count() == 1 && program.is_relative();
    let folders = if is_name { PATH } else { "" };
    let found = folders
        .split(':')
        .map(|folder| Path::new(folder).join(program));
    found
        .filter_map(|path| Some((path.clone(), fs::metadata(path).ok()?)))
        .find(|(path, data)| data.is_file() && rustix::fs::access(path, Access::EXEC_OK).is_ok())
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
    let [ruby, _, host, folder] = argv else {
        return None;
    };
    let ruby = Path::new(OsStr::from_bytes(ruby));
    *host = installed(ruby).ok()?.into_os_string().into_vec().into();
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
    located(&path).is_some()
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
