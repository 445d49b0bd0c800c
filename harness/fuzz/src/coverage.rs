//! Which of its own code a subject runs. An interpreter tells the lines, through its environment
//! alone; a native program that its author has instrumented tells the branches. The subject is not
//! changed, and sessions that confirm a finding do without.

mod compared;
mod shared;

use shared::Segment;
use std::fs::{self, File};
use std::io::{self, Read};
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
    /// [`RUNTIME`], compiled into the program.
    Native,
    /// The runtime of AFL++, compiled into the program.
    Afl,
}

/// What an author compiles into a native program, in C.
pub const RUNTIME: &str = include_str!("../shims/coverage.c");
/// The variable that names the shared file.
const VARIABLE: &str = "STICKLER_COVERAGE";
/// The variable with the number of AFL++'s segment, and the one with its size.
const AFL: [&str; 2] = ["__AFL_SHM_ID", "AFL_MAP_SIZE"];
/// The most bytes of a program that are read.
const LARGEST: u64 = 64 << 20;
/// The size of AFL++'s segment.
const AFL_BYTES: usize = 1 << 18;

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

    /// The interpreter in a command line or in the first line of its program, or what is compiled
    /// into the program.
    pub fn of_command(argv: &[Bytes]) -> Option<Kind> {
        let program = argv.first()?.lossy().into_owned();
        Kind::of_program(&program).or_else(|| {
            let mut content = Vec::new();
            let file = File::open(&program).ok()?;
            file.take(LARGEST).read_to_end(&mut content).ok()?;
            let Some(line) = content.strip_prefix(b"#!") else {
                return Kind::of_binary(&content);
            };
            let line = line.split(|byte| *byte == b'\n').next()?;
            // The interpreter may stand behind `env` and its options.
            let line = String::from_utf8_lossy(line);
            line.split_whitespace().find_map(Kind::of_program)
        })
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Python => "python",
            Kind::Bash => "bash",
            Kind::Ruby => "ruby",
            Kind::Native => "native",
            Kind::Afl => "afl",
        }
    }

    /// What a subject tells.
    pub fn units(self) -> &'static str {
        match self {
            Kind::Python | Kind::Bash | Kind::Ruby => "lines",
            Kind::Native | Kind::Afl => "branches",
        }
    }

    /// What is compiled into a native program, if it can tell branches.
    pub fn of_binary(program: &[u8]) -> Option<Kind> {
        let has = |name: &str| memchr::memmem::find(program, name.as_bytes()).is_some();
        if !program.starts_with(b"\x7fELF") {
            None
        } else if has(VARIABLE) {
            Some(Kind::Native)
        } else {
            has(AFL[0]).then_some(Kind::Afl)
        }
    }

    /// Do subjects have to share the campaign's System V segments?
    pub fn shares_segments(self) -> bool {
        self == Kind::Afl
    }

    /// The file that the interpreter reads at its start, and its text.
    fn shim(self) -> Option<(&'static str, &'static str)> {
        Some(match self {
            Kind::Python => (
                "sitecustomize.py",
                include_str!("../shims/sitecustomize.py"),
            ),
            Kind::Bash => ("coverage.bash", include_str!("../shims/coverage.bash")),
            Kind::Ruby => ("coverage.rb", include_str!("../shims/coverage.rb")),
            Kind::Native | Kind::Afl => return None,
        })
    }

    /// The size of the shared file; what it is if programs append to it.
    fn bytes(self) -> usize {
        match self {
            Kind::Python => LINES,
            Kind::Native => LINES + compared::BYTES,
            Kind::Bash | Kind::Ruby | Kind::Afl => 0,
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
    /// Makes the folder, in memory if possible. For [`Kind::Afl`] this process leaves the machine's
    /// namespace for System V segments, unless `shares` says that subjects may share that.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn open(kind: Kind, shares: bool) -> io::Result<Self> {
        if kind.shares_segments() {
            let separated = shared::separate();
            if !shares {
                separated?;
            }
        }
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

    /// The device of its files.
    pub(crate) fn device(&self) -> Option<u64> {
        let folder = fs::metadata(self.folder.path()).ok()?;
        Some(std::os::unix::fs::MetadataExt::dev(&folder))
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
        file.set_len(self.kind.bytes() as u64)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o666))?;
        let segment = self
            .kind
            .shares_segments()
            .then(|| Segment::make(AFL_BYTES));
        Ok(Recorder {
            segment: segment.transpose()?,
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
    segment: Option<Segment>,
    bytes: Vec<u8>,
}

impl Recorder {
    /// Has the subject of a case tell its lines.
    pub(crate) fn instrument(&self, case: &mut Case) {
        let Some(plan) = &mut case.plan else {
            return;
        };
        let folder = format!("{SCRATCH}/shim");
        let shim = self.kind.shim();
        if let Some((file, text)) = shim {
            plan.plants.push(Plant {
                path: format!("{folder}/{file}").into(),
                content: text.as_bytes().into(),
                mode: 0o644,
            });
        }
        let file = shim.map_or("", |(file, _)| file);
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
            Kind::Native | Kind::Afl => Vec::new(),
        };
        match &self.segment {
            Some(segment) => set.extend([
                (AFL[0], segment.number().to_string()),
                (AFL[1], AFL_BYTES.to_string()),
            ]),
            None => set.push((VARIABLE, self.path.display().to_string())),
        }
        let set = set.into_iter();
        command
            .env
            .extend(set.map(|(name, value)| (Bytes::from(name), Bytes::from(value))));
    }

    /// Forgets what was told.
    pub(crate) fn reset(&mut self) -> io::Result<()> {
        match self.kind {
            Kind::Python | Kind::Native => {
                self.bytes.clear();
                self.bytes.resize(LINES, 0);
                self.file.write_all_at(&self.bytes, 0)
            }
            Kind::Afl => {
                if let Some(segment) = &self.segment {
                    segment.clear();
                }
                Ok(())
            }
            // Programs append.
            Kind::Bash | Kind::Ruby => self.file.set_len(0),
        }
    }

    /// Notes the lines that ran since the last reset. False if none did.
    pub(crate) fn read(&mut self, map: &mut [u8]) -> io::Result<bool> {
        if let Some(segment) = &self.segment {
            let mut some = false;
            for (at, times) in segment.set() {
                let mark = &mut map[at % map.len()];
                *mark = (*mark).max(often(times));
                some = true;
            }
            return Ok(some);
        }
        let most = match self.kind {
            Kind::Native => LINES,
            _ => TRACE,
        };
        self.bytes.clear();
        let size = usize::try_from(self.file.metadata()?.len()).unwrap_or(usize::MAX);
        self.bytes.resize(size.min(most), 0);
        let got = self.file.read_at(&mut self.bytes, 0)?;
        self.bytes.truncate(got);
        Ok(match self.kind {
            Kind::Afl => false,
            Kind::Python | Kind::Native => {
                let mut some = false;
                for (mark, told) in map.iter_mut().zip(&self.bytes) {
                    some |= *told != 0;
                    *mark = often(*told);
                }
                some
            }
            Kind::Bash | Kind::Ruby => traced(&self.bytes, map),
        })
    }
}

impl Recorder {
    /// What the subject compared since the last call, if it tells.
    pub(crate) fn compared(&mut self) -> Vec<[Vec<u8>; 2]> {
        if self.kind != Kind::Native {
            return Vec::new();
        }
        self.bytes.clear();
        self.bytes.resize(compared::BYTES, 0);
        let got = self.file.read_at(&mut self.bytes, LINES as u64);
        self.bytes.truncate(got.unwrap_or(0));
        let pairs = compared::pairs(&self.bytes);
        if !pairs.is_empty() {
            self.bytes.fill(0);
            // What cannot be cleared is told again.
            let _ = self.file.write_all_at(&self.bytes, LINES as u64);
        }
        pairs
    }
}

/// Marks the pairs of lines in a trace, whose lines begin with `+@NUMBER@`.
fn traced(trace: &[u8], map: &mut [u8]) -> bool {
    let (mut before, mut some, length) = (0, false, map.len());
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
            let at = number.wrapping_mul(40_503) % length;
            let count = &mut map[(at ^ before) % length];
            *count = count.saturating_add(1);
            before = at >> 1;
            some = true;
        }
    }
    for count in map {
        *count = often(*count);
    }
    some
}

/// The class of a count: what ran twice or ten times is something else than what ran once, and what
/// ran a hundred times is about the same as what ran ninety times.
fn often(times: u8) -> u8 {
    match times {
        0..=3 => times,
        4..=7 => 4,
        8..=15 => 5,
        16..=31 => 6,
        32..=127 => 7,
        128.. => 8,
    }
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
        assert_eq!(
            Kind::of_binary(b"\x7fELF..STICKLER_COVERAGE"),
            Some(Kind::Native)
        );
        assert_eq!(Kind::of_binary(b"\x7fELF..__AFL_SHM_ID"), Some(Kind::Afl));
        assert_eq!(Kind::of_binary(b"\x7fELF"), None);
        assert_eq!(Kind::of_binary(b"#!/bin/sh\necho STICKLER_COVERAGE"), None);
    }

    #[test]
    fn a_command_is_run_by_what_its_first_line_names() {
        let folder = tempfile::tempdir().expect("a folder");
        let kind = |text: &str| {
            let path = folder.path().join("module");
            fs::write(&path, text).expect("written");
            Kind::of_command(&[path.display().to_string().as_str().into()])
        };
        assert_eq!(kind("#!/usr/bin/env -S python3 -u\n"), Some(Kind::Python));
        assert_eq!(kind("#!/bin/bash\nruby\n"), Some(Kind::Bash));
        assert_eq!(kind("#!/bin/sh\n"), None);
        assert_eq!(kind("python3\n"), None);
        assert_eq!(Kind::of_command(&["ruby".into()]), Some(Kind::Ruby));
        assert_eq!(Kind::of_command(&[]), None);
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
