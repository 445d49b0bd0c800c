//! The programs that run a host: where they are, and what each does once for the host's files.

use rustix::fs::Access;
use std::fs::{self, Metadata};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The file of a program, which may be a name to look up in `path`.
pub fn located(program: &Path, path: &str) -> Option<PathBuf> {
    found(program, path).map(|(program, _)| program)
}

fn found(program: &Path, path: &str) -> Option<(PathBuf, Metadata)> {
    let is_name = program.components().count() == 1 && program.is_relative();
    let folders = if is_name { path } else { "" };
    let found = folders
        .split(':')
        .map(|folder| Path::new(folder).join(program));
    found
        .filter_map(|path| Some((path.clone(), fs::metadata(&path).ok()?)))
        .find(|(path, data)| data.is_file() && rustix::fs::access(path, Access::EXEC_OK).is_ok())
}

/// Runs a program with some arguments, unless the same file has run so for `folder` before: an
/// interpreter compiles the host, which only starts sooner then. A program that fails, or takes
/// longer than `patience`, does not run again.
pub fn run_once(
    folder: &Path,
    program: &Path,
    path: &str,
    arguments: &[&std::ffi::OsStr],
    patience: Duration,
) {
    let Some((program, data)) = found(program, path) else {
        return;
    };
    let mut hash = DefaultHasher::new();
    (program.as_os_str(), data.len(), data.mtime(), data.ino()).hash(&mut hash);
    let asked = folder.join(format!(".compiled-{:016x}", hash.finish()));
    if asked.exists() || fs::write(&asked, "").is_err() {
        return;
    }
    let mut command = Command::new(&program);
    command.args(arguments).env_clear().env("PATH", path);
    for stream in [Command::stdin, Command::stdout, Command::stderr] {
        stream(&mut command, Stdio::null());
    }
    let Ok(mut child) = command.spawn() else {
        return;
    };
    let until = Instant::now() + patience;
    while let Ok(None) = child.try_wait() {
        if Instant::now() > until {
            let _ = child.kill();
            let _ = child.wait();
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_runs_once_for_a_folder() {
        let folder = tempfile::tempdir().expect("a folder");
        let out = folder.path().join("out");
        let script = format!("echo x >> {}", out.display());
        let arguments = ["-c".as_ref(), script.as_ref()];
        for _ in 0..2 {
            let sh = Path::new("sh");
            run_once(
                folder.path(),
                sh,
                "/usr/bin:/bin",
                &arguments,
                Duration::from_secs(60),
            );
        }
        assert_eq!(fs::read_to_string(out).expect("written"), "x\n");
    }

    #[test]
    fn only_programs_are_found() {
        assert!(located(Path::new("sh"), "/usr/bin:/bin").is_some());
        assert_eq!(located(Path::new("sh"), "/etc"), None);
        assert_eq!(located(Path::new("/etc/passwd"), "/bin"), None);
    }
}
