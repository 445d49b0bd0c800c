//! Which lines of its own code an interpreted subject runs: the interpreter tells, through its
//! environment alone. The subject is not changed, and sessions that confirm a finding do without.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::path::{Path, PathBuf};
use stickler_suite::SCRATCH;
use stickler_transcript::{Bytes, Case, Plant};

/// The number of marks that lines can set.
pub const LINES: usize = 1 << 16;
/// The most bytes of one input's trace that count.
const TRACE: usize = 1 << 20;

/// How a subject tells which lines it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A hook in PYTHONPATH, with `sys.settrace`.
    Python,
    /// A file in BASH_ENV, with `set -x` on a descriptor of its own.
    Bash,
    /// A file in RUBYOPT, with a trace point.
    Ruby,
}

impl Kind {
    /// What runs this program, if it can tell lines. `program` is its path or name.
    pub fn of_program(program: &str) -> Option<Kind> {
        let name = program.rsplit('/').next().unwrap_or(program);
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        match stem {
            "python" => Some(Kind::Python),
            "bash" => Some(Kind::Bash),
            "ruby" => Some(Kind::Ruby),
            _ => None,
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Python => "python",
            Kind::Bash => "bash",
            Kind::Ruby => "ruby",
        }
    }

    /// The file that the interpreter reads at its start, and its text.
    fn shim(self) -> (&'static str, &'static str) {
        match self {
            Kind::Python => (
                "sitecustomize.py",
                include_str!("../shims/sitecustomize.py"),
            ),
            Kind::Bash => ("coverage.bash", include_str!("../shims/coverage.bash")),
            Kind::Ruby => ("coverage.rb", include_str!("../shims/coverage.rb")),
        }
    }
}

/// How the names of shared folders begin.
const FOLDER: &str = "stickler-coverage-";
/// Where they are if possible: in memory.
const MEMORY: &str = "/dev/shm";
/// The file in such a folder that its campaign keeps locked.
const LOCK: &str = "lock";

/// A folder with files that a campaign shares with its subjects. It is removed at the end, or by
/// the next campaign if this one is killed.
#[derive(Debug)]
pub struct Coverage {
    kind: Kind,
    folder: tempfile::TempDir,
    _lock: File,
}

/// Removes the folders of campaigns that were killed.
fn remove_stale() {
    for entry in fs::read_dir(MEMORY).into_iter().flatten().flatten() {
        let name = entry.file_name();
        if name.to_string_lossy().starts_with(FOLDER)
            && let Ok(lock) = File::open(entry.path().join(LOCK))
            && lock.try_lock().is_ok()
        {
            // Another user's folder stays.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

impl Coverage {
    /// Makes the folder, in memory if possible.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn open(kind: Kind) -> io::Result<Self> {
        remove_stale();
        let mut builder = tempfile::Builder::new();
        builder.prefix(FOLDER);
        let folder = builder.tempdir_in(MEMORY).or_else(|_| builder.tempdir())?;
        let lock = File::create(folder.path().join(LOCK))?;
        lock.lock()?;
        // The subject may run as another user.
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755))?;
        Ok(Coverage {
            kind,
            folder,
            _lock: lock,
        })
    }

    /// The folder, which sandboxes must show.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// How the subject tells.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The file of one worker.
    ///
    /// # Errors
    /// If it cannot be made.
    pub(crate) fn recorder(&self, worker: usize) -> io::Result<Recorder> {
        let path = self.folder.path().join(worker.to_string());
        let file = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(true)
            .open(&path)?;
        if self.kind == Kind::Python {
            file.set_len(LINES as u64)?;
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(0o666))?;
        Ok(Recorder {
            kind: self.kind,
            path,
            file,
            bytes: Vec::new(),
        })
    }
}

/// What one worker's subjects tell.
#[derive(Debug)]
pub(crate) struct Recorder {
    kind: Kind,
    path: PathBuf,
    file: File,
    bytes: Vec<u8>,
}

impl Recorder {
    /// Has the subject of a case tell its lines.
    pub(crate) fn instrument(&self, case: &mut Case) {
        let Some(plan) = &mut case.plan else {
            return;
        };
        let (file, text) = self.kind.shim();
        let folder = format!("{SCRATCH}/shim");
        plan.plants.push(Plant {
            path: format!("{folder}/{file}").into(),
            content: text.as_bytes().into(),
            mode: 0o644,
        });
        let Some(command) = plan.commands.first_mut() else {
            return;
        };
        let mut known = |name: &str| {
            let at = command
                .env
                .iter()
                .position(|(known, _)| known.lossy() == name)?;
            Some(command.env.remove(at).1.lossy().into_owned())
        };
        let more = |before: Option<String>, between: &str| {
            before.map_or_else(String::new, |value| format!("{between}{value}"))
        };
        let mut set: Vec<(&str, String)> = match self.kind {
            Kind::Python => vec![(
                "PYTHONPATH",
                format!("{folder}{}", more(known("PYTHONPATH"), ":")),
            )],
            Kind::Bash => {
                let mut set = vec![("STICKLER_BASH_ENV", known("BASH_ENV").unwrap_or_default())];
                set.retain(|(_, value)| !value.is_empty());
                set.push(("BASH_ENV", format!("{folder}/{file}")));
                set
            }
            Kind::Ruby => vec![(
                "RUBYOPT",
                format!("-r{folder}/{file}{}", more(known("RUBYOPT"), " ")),
            )],
        };
        set.push(("STICKLER_COVERAGE", self.path.display().to_string()));
        let set = set.into_iter();
        command
            .env
            .extend(set.map(|(name, value)| (Bytes::from(name), Bytes::from(value))));
    }

    /// Forgets what was told.
    pub(crate) fn reset(&mut self) -> io::Result<()> {
        match self.kind {
            Kind::Python => {
                self.bytes.clear();
                self.bytes.resize(LINES, 0);
                self.file.write_all_at(&self.bytes, 0)
            }
            // Programs append.
            Kind::Bash | Kind::Ruby => self.file.set_len(0),
        }
    }

    /// Notes the lines that ran since the last reset. False if none did.
    pub(crate) fn read(&mut self, map: &mut [u8]) -> io::Result<bool> {
        self.bytes.clear();
        let size = usize::try_from(self.file.metadata()?.len()).unwrap_or(usize::MAX);
        self.bytes.resize(size.min(TRACE), 0);
        let got = self.file.read_at(&mut self.bytes, 0)?;
        self.bytes.truncate(got);
        Ok(match self.kind {
            Kind::Python => {
                let mut some = false;
                for (mark, told) in map.iter_mut().zip(&self.bytes) {
                    some |= *told != 0;
                    *mark |= u8::from(*told != 0);
                }
                some
            }
            Kind::Bash | Kind::Ruby => traced(&self.bytes, map),
        })
    }
}

/// Marks the pairs of lines in a trace, whose lines begin with `+@NUMBER@`.
fn traced(trace: &[u8], map: &mut [u8]) -> bool {
    let (mut before, mut some) = (0, false);
    for line in trace.split(|byte| *byte == b'\n') {
        let plus = line.iter().take_while(|byte| **byte == b'+').count();
        let Some(rest) = line[plus..].strip_prefix(b"@").filter(|_| plus > 0) else {
            continue;
        };
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let number = std::str::from_utf8(&rest[..digits]).ok();
        if rest.get(digits) == Some(&b'@')
            && let Some(number) = number.and_then(|number| number.parse::<usize>().ok())
        {
            let at = number.wrapping_mul(40_503) % map.len();
            map[(at ^ before) % map.len()] = 1;
            before = at >> 1;
            some = true;
        }
    }
    some
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interpreters_are_known_by_their_names() {
        assert_eq!(Kind::of_program("/usr/bin/python3.11"), Some(Kind::Python));
        assert_eq!(Kind::of_program("bash"), Some(Kind::Bash));
        assert_eq!(Kind::of_program("/usr/bin/ruby3.1"), Some(Kind::Ruby));
        assert_eq!(Kind::of_program("/bin/sh"), None);
    }

    #[test]
    fn a_trace_marks_pairs_of_lines_and_nothing_else() {
        let marks = |trace: &str| {
            let mut map = vec![0; LINES];
            let some = traced(trace.as_bytes(), &mut map);
            (some, map.iter().filter(|mark| **mark != 0).count())
        };
        assert_eq!(marks("+@3@echo a\n++@4@true\n+@3@echo b\n"), (true, 3));
        assert_eq!(marks("a value\n@5@\n+5@\n+@x@\n+@5\n"), (false, 0));
    }
}
