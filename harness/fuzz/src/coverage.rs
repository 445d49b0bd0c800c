//! Which of its own code a subject runs. An interpreter tells the lines, through its environment
//! alone; a native program that its author has instrumented tells the branches. The subject is not
//! changed, and sessions that confirm a finding do without.

mod compared;
#[cfg(test)]
mod interpreted;
mod shared;
mod traced;

use crate::feedback::{AFL, CoverageKind, VARIABLE};
use crate::novelty;
use crate::source::{Source, Told};
use shared::Segment;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use stickler_suite::{SCRATCH, lock};
use stickler_transcript::{Bytes, Case, Plant};

/// The number of marks that lines can set.
pub const LINES: usize = 1 << 16;
/// The most bytes of one input's trace that count.
const TRACE: usize = 1 << 20;

/// The size of AFL++'s segment.
const AFL_BYTES: usize = 1 << 18;

/// How the names of shared folders begin.
const FOLDER: &str = "stickler-coverage-";
/// Where they are if possible: in memory.
const MEMORY: &str = "/dev/shm";
/// The file in such a folder that its campaign keeps locked.
const LOCK: &str = "lock";
/// Its name until it is locked.
const UNNAMED: &str = "lock.new";

/// A folder with files that a campaign shares with its subjects. It is removed at the end, or by
/// the next campaign if this one is killed.
#[derive(Debug)]
pub struct Coverage {
    kind: CoverageKind,
    folder: tempfile::TempDir,
    _lock: File,
    /// The lines themselves, if they are wanted.
    told: Option<Arc<Mutex<Told>>>,
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
    /// Makes the folder, in memory if possible. For [`CoverageKind::Afl`] this process leaves the machine's
    /// namespace for System V segments, unless `shares` says that subjects may share that.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn open(kind: CoverageKind, shares: bool) -> io::Result<Self> {
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
        // Another campaign removes a folder whose lock is free, so it has that name only once it is locked.
        let unnamed = folder.path().join(UNNAMED);
        let lock = File::create(&unnamed)?;
        lock.lock()?;
        fs::rename(unnamed, folder.path().join(LOCK))?;
        // The subject may run as another user.
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755))?;
        Ok(Coverage {
            kind,
            folder,
            _lock: lock,
            told: None,
        })
    }

    /// Also notes which lines of the files in these folders run, for [`Coverage::sources`].
    #[must_use]
    pub fn noting(mut self, folders: &[PathBuf]) -> Self {
        self.told = Some(Arc::new(Mutex::new(Told::new(folders))));
        self
    }

    /// The subject's files of which a line ran, with the marks of all their lines; these files
    /// first. Empty without [`Coverage::noting`].
    pub fn sources(&self, first: &[PathBuf]) -> Vec<Source> {
        let told = self.told.as_ref();
        told.map_or_else(Vec::new, |told| lock(told).sources(self.kind, first))
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
    pub fn kind(&self) -> CoverageKind {
        self.kind
    }

    /// The file of one worker.
    ///
    /// # Errors
    /// If it cannot be made.
    pub(crate) fn recorder(&self, worker: usize) -> io::Result<Recorder> {
        let path = self.folder.path().join(worker.to_string());
        let file = shared(&path)?;
        file.set_len(bytes(self.kind) as u64)?;
        let segment = self
            .kind
            .shares_segments()
            .then(|| Segment::make(AFL_BYTES));
        let list = match &self.told {
            Some(told) => {
                let path = path.with_extension("lines");
                let file = shared(&path)?;
                Some(List {
                    path,
                    file,
                    told: Arc::clone(told),
                })
            }
            None => None,
        };
        Ok(Recorder {
            segment: segment.transpose()?,
            kind: self.kind,
            path,
            file,
            bytes: Vec::new(),
            list,
            noted: 0,
            wants: false,
            number: 0,
        })
    }
}

/// Follows programs that a campaign does not start itself, one at a time: agents that play situations.
#[derive(Debug)]
pub struct Watch {
    recorder: Recorder,
    map: Vec<u8>,
}

impl Coverage {
    /// Makes the files of a watch. `number` is its own.
    ///
    /// # Errors
    /// If they cannot be made.
    pub fn watch(&self, number: usize) -> io::Result<Watch> {
        Ok(Watch {
            recorder: self.recorder(number)?,
            map: vec![0; LINES],
        })
    }
}

impl Watch {
    /// Forgets what was told, and gives the variables for the next program.
    ///
    /// # Errors
    /// If the shared file cannot be written.
    pub fn begin(&mut self) -> io::Result<Vec<(&'static str, String)>> {
        self.recorder.reset()?;
        Ok(self.recorder.variables())
    }

    /// The branches that ran since then, with classes of how often.
    ///
    /// # Errors
    /// If the shared file cannot be read.
    pub fn branches(&mut self) -> io::Result<Vec<(usize, u8)>> {
        self.map.fill(0);
        self.recorder.read(&mut self.map, 1)?;
        Ok(novelty::set(&self.map).collect())
    }
}

/// The size of the shared file; nothing if programs append to it.
fn bytes(kind: CoverageKind) -> usize {
    match kind {
        CoverageKind::Python | CoverageKind::Ruby | CoverageKind::Native => {
            LINES + compared::BYTES + 1
        }
        CoverageKind::Bash | CoverageKind::Afl => 0,
    }
}

/// An empty file that subjects may write, as whatever user they run.
fn shared(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    let options = options.read(true).write(true).create(true).truncate(true);
    let file = options.open(path)?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o666))?;
    Ok(file)
}

/// Fills a buffer with what is in a file, up to so many bytes.
fn whole(file: &File, bytes: &mut Vec<u8>, most: usize) -> io::Result<()> {
    bytes.clear();
    let size = usize::try_from(file.metadata()?.len()).unwrap_or(usize::MAX);
    bytes.resize(size.min(most), 0);
    let got = file.read_at(bytes, 0)?;
    bytes.truncate(got);
    Ok(())
}

/// The file in which subjects tell the lines themselves. Bash tells them in its trace.
#[derive(Debug)]
struct List {
    path: PathBuf,
    file: File,
    told: Arc<Mutex<Told>>,
}

/// What one worker's subjects tell.
#[derive(Debug)]
pub(crate) struct Recorder {
    kind: CoverageKind,
    path: PathBuf,
    file: File,
    segment: Option<Segment>,
    bytes: Vec<u8>,
    list: Option<List>,
    /// How much of bash's trace was noted.
    noted: usize,
    /// Are comparisons wanted?
    wants: bool,
    /// The number of the last input of which they were.
    number: u8,
}

impl Recorder {
    /// Has the subject of a case tell its lines.
    pub(crate) fn instrument(&self, case: &mut Case) {
        let Some(plan) = &mut case.plan else {
            return;
        };
        let folder = format!("{SCRATCH}/shim");
        let shim = self.kind.shim();
        for (file, text) in shim.iter().chain(self.kind.beside()) {
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
            CoverageKind::Python => vec![(
                "PYTHONPATH",
                format!("{folder}{}", more(known("PYTHONPATH"), ":")),
            )],
            CoverageKind::Bash => {
                let mut set = vec![("STICKLER_BASH_ENV", known("BASH_ENV").unwrap_or_default())];
                set.retain(|(_, value)| !value.is_empty());
                set.push(("BASH_ENV", format!("{folder}/{file}")));
                set
            }
            CoverageKind::Ruby => vec![(
                "RUBYOPT",
                format!("-r{folder}/{file}{}", more(known("RUBYOPT"), " ")),
            )],
            CoverageKind::Native | CoverageKind::Afl => Vec::new(),
        };
        set.extend(self.variables());
        if let Some(list) = &self.list {
            set.push(("STICKLER_LINES", list.path.display().to_string()));
        }
        let set = set.into_iter();
        command
            .env
            .extend(set.map(|(name, value)| (Bytes::from(name), Bytes::from(value))));
    }

    /// The variables that tell a program what it shares.
    fn variables(&self) -> Vec<(&'static str, String)> {
        match &self.segment {
            Some(segment) => vec![
                (AFL[0], segment.number().to_string()),
                (AFL[1], AFL_BYTES.to_string()),
            ],
            None => vec![(VARIABLE, self.path.display().to_string())],
        }
    }

    /// Forgets what was told.
    pub(crate) fn reset(&mut self) -> io::Result<()> {
        // Lines may have run since the last input, such as those at the end of a process.
        self.note()?;
        match self.kind {
            CoverageKind::Python | CoverageKind::Ruby | CoverageKind::Native => {
                self.bytes.clear();
                self.bytes.resize(LINES, 0);
                self.file.write_all_at(&self.bytes, 0)
            }
            CoverageKind::Afl => {
                if let Some(segment) = &self.segment {
                    segment.clear();
                }
                Ok(())
            }
            // Programs append.
            CoverageKind::Bash => {
                self.noted = 0;
                self.file.set_len(0)
            }
        }
    }

    /// Notes in an empty map the lines that ran since the last reset, with how often one of so many messages ran them.
    /// False if none did.
    pub(crate) fn read(&mut self, map: &mut [u8], messages: usize) -> io::Result<bool> {
        let messages = u8::try_from(messages.max(1)).unwrap_or(u8::MAX);
        let often = |times: u8| often(times.div_ceil(messages));
        if let Some(segment) = &self.segment {
            let mut some = false;
            for (at, times) in segment.set() {
                let mark = &mut map[at % map.len()];
                *mark = (*mark).max(often(times));
                some = true;
            }
            return Ok(some);
        }
        self.note()?;
        // Behind the marks are the comparisons.
        let most = match self.kind {
            CoverageKind::Bash => TRACE,
            _ => LINES,
        };
        whole(&self.file, &mut self.bytes, most)?;
        Ok(match self.kind {
            CoverageKind::Afl => false,
            CoverageKind::Python | CoverageKind::Ruby | CoverageKind::Native => {
                let mut some = false;
                // Most marks are not set: eight of them are passed over at once.
                let told = self.bytes.chunks_exact(8).enumerate();
                for (at, told) in told.filter(|(_, told)| *told != [0; 8]) {
                    some = true;
                    for (mark, told) in map[8 * at..].iter_mut().zip(told) {
                        *mark = often(*told);
                    }
                }
                some
            }
            CoverageKind::Bash => traced(&self.bytes, map, often),
        })
    }

    /// Notes the lines themselves, if they are wanted.
    fn note(&mut self) -> io::Result<()> {
        let Some(list) = &self.list else {
            return Ok(());
        };
        let file = match self.kind {
            CoverageKind::Bash => &self.file,
            CoverageKind::Python | CoverageKind::Ruby => &list.file,
            // Branches have no lines.
            CoverageKind::Native | CoverageKind::Afl => return Ok(()),
        };
        whole(file, &mut self.bytes, TRACE)?;
        if self.bytes.is_empty() || self.bytes.len() == self.noted {
            return Ok(());
        }
        if self.kind == CoverageKind::Bash {
            self.noted = self.bytes.len();
        } else {
            list.file.set_len(0)?;
        }
        lock(&list.told).take(&self.bytes);
        Ok(())
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        // What ran at last is told as well. If it cannot be read, the campaign is over anyway.
        let _ = self.note();
    }
}

impl Recorder {
    /// Does the subject tell what it compares?
    pub(crate) fn tells_comparisons(&self) -> bool {
        self.kind != CoverageKind::Afl
    }

    /// Does it tell all that it compares? A native program tells the last pair of each place.
    pub(crate) fn keeps_comparisons(&self) -> bool {
        !matches!(self.kind, CoverageKind::Afl | CoverageKind::Native)
    }

    /// Says whether an interpreter is to tell what the next input has it compare: that takes time.
    pub(crate) fn want(&mut self, wants: bool) {
        if !wants && !self.wants {
            return;
        }
        self.wants = wants;
        // Each input that is asked about has another number.
        if wants {
            self.number = self.number % 255 + 1;
        }
        if matches!(self.kind, CoverageKind::Python | CoverageKind::Ruby) {
            let place = (LINES + compared::BYTES) as u64;
            // Without it, the subject tells what it told before.
            let sign = if wants { self.number } else { 0 };
            let _ = self.file.write_all_at(&[sign], place);
        }
    }

    /// What the subject compared since the last call, if it tells.
    pub(crate) fn compared(&mut self) -> Vec<[Vec<u8>; 2]> {
        let sides = match self.kind {
            CoverageKind::Native => compared::Sides::Machine,
            CoverageKind::Python | CoverageKind::Ruby => compared::Sides::Texts,
            CoverageKind::Bash => {
                let read = whole(&self.file, &mut self.bytes, TRACE);
                return read.map_or_else(|_| Vec::new(), |()| traced::pairs(&self.bytes));
            }
            CoverageKind::Afl => return Vec::new(),
        };
        self.bytes.clear();
        self.bytes.resize(compared::BYTES, 0);
        let got = self.file.read_at(&mut self.bytes, LINES as u64);
        self.bytes.truncate(got.unwrap_or(0));
        let pairs = compared::pairs(&self.bytes, sides);
        if !pairs.is_empty() {
            self.bytes.fill(0);
            // What cannot be cleared is told again.
            let _ = self.file.write_all_at(&self.bytes, LINES as u64);
        }
        pairs
    }
}

/// Marks the pairs of lines in a trace, whose lines begin with `+@NUMBER@`.
fn traced(trace: &[u8], map: &mut [u8], class: impl Fn(u8) -> u8) -> bool {
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
        *count = class(*count);
    }
    some
}

/// The class of a count: what ran twice is something else than what ran once, so that a loop over the letters of a word
/// tells of each, and what ran a hundred times is about the same as what ran ninety times.
fn often(times: u8) -> u8 {
    match times {
        0..=8 => times,
        9..=15 => 9,
        16..=31 => 10,
        32..=127 => 11,
        128.. => 12,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_marks_pairs_of_lines_and_nothing_else() {
        let marks = |trace: &str| {
            let mut map = vec![0; LINES];
            let some = traced(trace.as_bytes(), &mut map, often);
            (some, map.iter().filter(|mark| **mark != 0).count())
        };
        assert_eq!(marks("+@3@echo a\n++@4@true\n+@3@echo b\n"), (true, 3));
        assert_eq!(marks("a value\n@5@\n+5@\n+@x@\n+@5\n"), (false, 0));
    }

    /// Each campaign removes what killed ones have left, and spares those that just begin.
    #[test]
    fn campaigns_that_begin_at_once_leave_each_other_alone() {
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..100 {
                        let coverage = Coverage::open(CoverageKind::Python, false);
                        let coverage = coverage.expect("a folder");
                        assert!(coverage.folder().join(LOCK).exists());
                    }
                });
            }
        });
    }

    /// A subject that lives on works out comparisons anew only for another number.
    #[test]
    fn each_input_that_is_asked_about_has_another_number() {
        let coverage = Coverage::open(CoverageKind::Python, false).expect("a folder");
        let mut recorder = coverage.recorder(0).expect("a file");
        let sign = |recorder: &Recorder| {
            let mut sign = [0];
            let place = (LINES + compared::BYTES) as u64;
            recorder
                .file
                .read_exact_at(&mut sign, place)
                .expect("a sign");
            sign[0]
        };
        let mut before = 0;
        for _ in 0..600 {
            recorder.want(true);
            assert!(sign(&recorder) != 0 && sign(&recorder) != before);
            before = sign(&recorder);
            recorder.want(false);
            assert_eq!(sign(&recorder), 0);
        }
    }
}
