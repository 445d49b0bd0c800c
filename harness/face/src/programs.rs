//! Programs on this machine, and their versions.

use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The `PATH` that subjects get.
const SUBJECT_PATH: &str = "/usr/bin:/bin:/usr/sbin:/sbin";
/// How long a program may take to print its version.
const PATIENCE: Duration = Duration::from_secs(3);

/// A program that exists.
pub struct Program {
    name: String,
    /// Its path.
    pub path: PathBuf,
}

/// The folders in which a subject's programs are looked up.
pub fn subject_path() -> Vec<PathBuf> {
    SUBJECT_PATH.split(':').map(PathBuf::from).collect()
}

/// The folders in which the user's programs are looked up.
pub fn own_path() -> Vec<PathBuf> {
    std::env::var_os("PATH").map_or_else(Vec::new, |path| std::env::split_paths(&path).collect())
}

impl Program {
    /// A program at a path.
    pub fn at(path: &Path) -> Program {
        let name = path.file_name().unwrap_or_default();
        Program {
            name: name.to_string_lossy().into_owned(),
            path: path.to_path_buf(),
        }
    }

    /// Looks a program up.
    pub fn find(name: &str, folders: &[PathBuf]) -> Option<Program> {
        folders
            .iter()
            .filter(|folder| folder.is_absolute())
            .map(|folder| folder.join(name))
            .find(|path| executable(path))
            .map(|path| Program {
                name: name.to_owned(),
                path,
            })
    }

    /// Is it the same file, possibly by another path?
    pub fn same_as(&self, other: &Program) -> bool {
        let real = |path: &Path| std::fs::canonicalize(path).ok();
        real(&self.path) == real(&other.path)
    }

    /// Its path, and its version if it prints one.
    pub fn described(&self, version: Option<&str>) -> String {
        match version {
            Some(version) => format!("{}  {version}", self.path.display()),
            None => self.path.display().to_string(),
        }
    }

    /// The first line of its output when it is asked for its version.
    pub fn version(&self) -> Option<String> {
        let arguments: &[&str] = match &self.name[..] {
            "lua" => &["-v"],
            // dash has no such option.
            "sh" => return None,
            _ => &["--version"],
        };
        number(&self.prints(arguments, Path::new("."))?).map(str::to_owned)
    }

    /// What it prints with these arguments in a folder, at most some kilobytes. `None` if it fails or hangs.
    pub fn prints(&self, arguments: &[&str], folder: &Path) -> Option<String> {
        self.prints_within(PATIENCE, arguments, folder)
    }

    /// The same with another patience.
    pub fn prints_within(
        &self,
        patience: Duration,
        arguments: &[&str],
        folder: &Path,
    ) -> Option<String> {
        let mut child = Command::new(&self.path)
            .args(arguments)
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let until = Instant::now() + patience;
        let done = loop {
            match child.try_wait() {
                Ok(Some(status)) => break status.success(),
                Ok(None) if Instant::now() < until => std::thread::sleep(Duration::from_millis(5)),
                _ => {
                    // It hangs; its words are not worth waiting for.
                    let _ = child.kill();
                    let _ = child.wait();
                    break false;
                }
            }
        };
        let mut printed = Vec::new();
        let output = child.stdout.take()?;
        output
            .take(4096)
            .read_to_end(&mut printed)
            .ok()
            .filter(|_| done)?;
        Some(String::from_utf8_lossy(&printed).into_owned())
    }
}

/// The first number with a point in it: `5.36.0`.
fn number(text: &str) -> Option<&str> {
    text.split(|c: char| !c.is_ascii_digit() && c != '.')
        .map(|word| word.trim_matches('.'))
        .find(|word| word.contains('.') && !word.contains(".."))
}

fn executable(path: &Path) -> bool {
    std::fs::metadata(path)
        .is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn the_version_number_is_extracted_from_program_output() {
        for (said, version) in [
            ("GNU bash, version 5.2.15(1)-release (x86_64)", "5.2.15"),
            (
                "\nThis is perl 5, version 36, subversion 0 (v5.36.0) built for",
                "5.36.0",
            ),
            ("go version go1.26.8 linux/amd64", "1.26.8"),
            ("v20.20.2", "20.20.2"),
        ] {
            assert_eq!(number(said), Some(version));
        }
        assert_eq!(number("no version. none"), None);
    }
}
