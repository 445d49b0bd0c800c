//! How the programs of this dialect are started: the host, which is written out when it is needed, and
//! the Ruby that runs it; or a program of the author's own.

use crate::find::folder;
use puppet_host::HOST;
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::time::Duration;
use stickler_rpc::{cache_folder, located, run_once};
use stickler_suite::config::Config;
use stickler_suite::{PATH, RunError};
use stickler_transcript::Bytes;

/// How long a Ruby may take to compile the host: it needs about 0.5 s.
const COMPILING: Duration = Duration::from_secs(10);

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

/// Where the host is, once it is written, and compiled for a Ruby. It needs no byte code: with it, it
/// only starts sooner.
fn installed(ruby: &Path) -> io::Result<PathBuf> {
    let cache = cache_folder(&HOST.version())?;
    let host = HOST.install(&cache)?;
    let compiler = cache.join(puppet_host::COMPILER);
    let arguments = [OsStr::new(NO_GEMS), compiler.as_os_str()];
    run_once(&cache, ruby, PATH, &arguments, COMPILING);
    Ok(host)
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
pub fn interpreter(config: &Config, name: &str) -> PathBuf {
    if !name.contains('/') {
        return PathBuf::from(name);
    }
    let path = config.dir.join(name);
    path.canonicalize().unwrap_or(path)
}

pub(crate) fn is_program(config: &Config, name: &str) -> bool {
    let path = interpreter(config, name);
    located(&path, PATH).is_some()
}
