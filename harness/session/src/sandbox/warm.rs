//! Starts Python scripts as copies of an interpreter that has started and loaded its library, but nothing of the
//! script: a *warmer*. To copy it takes a tenth of the time of a start.
//!
//! A warmer is started by the subject's own command line, with its environment, in a *nursery*: a sandbox's view of
//! files in which a `.pth` file of Python's library has [`SERVE`] run before the script. A copy leaves that program and
//! goes on as any Python does, with the script's first line, in the sandbox that it has entered meanwhile. So it
//! differs from a fresh process only in what copies of one warmer share: the seed of hashes, and addresses.
//!
//! What cannot be warmed starts as usual: see [`Script::of`] and [`Warm::is_fit`].

mod order;
mod process;

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use rustix::fs::{Mode, OFlags, ResolveFlags};
use rustix::io::Errno;

use super::place::Place;
use super::plan::SCRATCH;
use super::view::names;
use super::{Command, Host, Sandbox, Spec, Tier};
pub(super) use order::{Order, Started};
use process::{CHANNEL, Warmer};

const SURVEY: &str = include_str!("warm/survey.py");
const SERVE: &str = include_str!("warm/serve.py");

/// So many processes of one command line start as usual before others are copies: a warmer costs as much as four.
const USUAL: usize = 3;
/// How many warmers serve one command line by turns, so that not all processes have one seed of hashes.
const TURNS: usize = 2;
/// For so many command lines at most there are warmers.
const MOST: usize = 8;
/// How long the survey may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// The options of Python, in one letter each, that change nothing here.
const OPTIONS: &[u8] = b"BEIOPbqsu";

/// Whatever decides how an interpreter starts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    argv: Vec<OsString>,
    env: Vec<(OsString, OsString)>,
    cwd: PathBuf,
    umask: u32,
}

/// The warmers of a host, by their command line.
#[derive(Debug, Default)]
pub(super) struct Warmers {
    known: Mutex<BTreeMap<Key, State>>,
    copies: AtomicUsize,
}

#[derive(Debug)]
enum State {
    /// So many processes have started as usual.
    Usual(usize),
    Ready(Arc<Warm>),
    /// It cannot be warmed, or is just being warmed.
    Refused,
}

/// The warmers of one command line.
#[derive(Debug)]
pub(super) struct Warm {
    /// What Python reads before the script.
    depends: Vec<PathBuf>,
    /// The script's folder.
    folder: PathBuf,
    warmers: Vec<Mutex<Warmer>>,
    turn: AtomicUsize,
}

impl Warmers {
    /// How many processes were copies.
    pub(super) fn copies(&self) -> usize {
        self.copies.load(Ordering::Relaxed)
    }

    /// Notes a copy that goes on.
    pub(super) fn count(&self) {
        self.copies.fetch_add(1, Ordering::Relaxed);
    }

    /// The warmers for a command, started when enough of its processes were.
    pub(super) fn of(&self, host: &Host, command: &Command) -> Option<Arc<Warm>> {
        if host.tier() != Tier::Overlay || !host.inner.privileged {
            return None;
        }
        let key = Key {
            argv: command.argv.clone(),
            env: command.env.clone(),
            cwd: command.cwd.clone(),
            umask: command.umask,
        };
        let script = {
            let mut known = self.known();
            let ready = |state: &&State| matches!(state, State::Ready(_));
            let others = known.values().filter(ready).count();
            let state = known.entry(key.clone()).or_insert(State::Usual(0));
            match state {
                State::Ready(warm) => return Some(Arc::clone(warm)),
                State::Refused => return None,
                State::Usual(count) if *count < USUAL || others >= MOST => {
                    *count += 1;
                    return None;
                }
                State::Usual(_) => *state = State::Refused,
            }
            Script::of(command)?
        };
        // Meanwhile other processes start as usual.
        let warm = Arc::new(Warm::start(host, command, &script)?);
        let ready = State::Ready(Arc::clone(&warm));
        self.known().insert(key, ready);
        Some(warm)
    }

    fn known(&self) -> MutexGuard<'_, BTreeMap<Key, State>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A command line that runs a Python script.
struct Script<'c> {
    options: &'c [OsString],
    script: &'c OsStr,
}

impl<'c> Script<'c> {
    /// `None` for other programs, for other options than [`OPTIONS`], and for an interpreter that is no program
    /// itself, such as a script that chooses one.
    fn of(command: &'c Command) -> Option<Self> {
        let (name, rest) = command.argv.split_first()?;
        let at = rest.iter().position(|word| !is_option(word))?;
        let (options, rest) = rest.split_at(at);
        let is_known = |word: &OsString| {
            word.as_bytes()
                .iter()
                .skip(1)
                .all(|one| OPTIONS.contains(one))
        };
        if !options.iter().all(is_known) {
            return None;
        }
        let interpreter = located(name, command)?;
        let name = interpreter
            .file_name()?
            .as_bytes()
            .strip_prefix(b"python3")?;
        let is_version = name
            .iter()
            .all(|byte| byte.is_ascii_digit() || *byte == b'.');
        let mut magic = [0; 4];
        let file = std::fs::File::open(&interpreter);
        file.and_then(|mut file| std::io::Read::read_exact(&mut file, &mut magic))
            .ok()?;
        (is_version && magic == *b"\x7fELF").then_some(Self {
            options,
            script: rest.first()?,
        })
    }
}

fn is_option(word: &OsString) -> bool {
    word.as_bytes().starts_with(b"-")
}

/// The program of a command, if it cannot be one of the sandbox's own.
fn located(name: &OsStr, command: &Command) -> Option<PathBuf> {
    let path = Path::new(name);
    if name.as_bytes().contains(&b'/') {
        return (path.is_absolute() && !path.starts_with(SCRATCH)).then(|| path.to_owned());
    }
    let (_, folders) = command.env.iter().find(|(key, _)| key == "PATH")?;
    for folder in folders.as_bytes().split(|byte| *byte == b':') {
        let folder = Path::new(OsStr::from_bytes(folder));
        if !folder.is_absolute() || folder.starts_with(SCRATCH) {
            return None;
        }
        let path = folder.join(name);
        if path.is_file() {
            return Some(path);
        }
    }
    None
}

impl Warm {
    /// `None` if the interpreter cannot be warmed.
    fn start(host: &Host, command: &Command, script: &Script<'_>) -> Option<Self> {
        let mut surveying = command.clone();
        surveying.argv = vec![command.argv.first()?.clone()];
        surveying.argv.extend(script.options.iter().cloned());
        surveying
            .argv
            .extend(["-c".into(), SURVEY.into(), script.script.to_owned()]);
        let spec = Spec {
            commands: vec![surveying],
            ..Spec::default()
        };
        let mut nursery = Sandbox::start(host, &spec).ok()?;
        let found = nursery
            .capture(0, b"", PATIENCE, &AtomicBool::new(false))
            .ok()?;
        let (mut site, mut folder) = (None, None);
        let (mut depends, mut modules) = (Vec::new(), Vec::new());
        for line in found.stdout.split(|byte| *byte == b'\n') {
            let Some(space) = line.iter().position(|byte| *byte == b' ') else {
                continue;
            };
            let (what, text) = (&line[..space], &line[space + 1..]);
            let path = || PathBuf::from(OsStr::from_bytes(text));
            match what {
                b"site" => site = Some(path()),
                b"folder" => folder = Some(path()),
                b"depends" => depends.push(path()),
                b"import" => modules.push(format!("{:?}", String::from_utf8_lossy(text))),
                _ => {}
            }
        }
        let (site, folder) = (site?, folder?);
        let serve = format!("{SCRATCH}/bin/serve.py");
        let names = format!("'CHANNEL': {CHANNEL}, 'MODULES': [{}]", modules.join(", "));
        // The last of its folder, so that what the machine adds comes first.
        let hook = site.join("~stickler.pth");
        let line = format!("import sys; exec(open('{serve}').read(), {{{names}}})\n");
        nursery
            .write_file(serve.as_bytes(), SERVE.as_bytes())
            .ok()?;
        nursery
            .write_file(hook.as_os_str().as_bytes(), line.as_bytes())
            .ok()?;
        let warmers = (0..TURNS).map(|_| {
            let warmer = Warmer::start(
                (
                    nursery.init.as_fd(),
                    &host.inner.options.limits,
                    &host.inner.cpus,
                ),
                command,
            )?;
            Some(Mutex::new(warmer))
        });
        Some(Self {
            warmers: warmers.collect::<Option<_>>()?,
            depends,
            folder,
            turn: AtomicUsize::new(0),
        })
    }

    /// Would Python start in this sandbox as it did in the nursery?
    pub(super) fn is_fit(&self, places: &[Place]) -> bool {
        let is_same =
            |path: &PathBuf| matches!(changed(places, path, OFlags::PATH), Err(Errno::NOENT));
        self.depends.iter().all(is_same)
            && match changed(places, &self.folder, OFlags::DIRECTORY) {
                Err(errno) => errno == Errno::NOENT,
                // Byte code of the script's own library replaces no other module.
                Ok(dir) => names(&dir)
                    .is_ok_and(|names| names.iter().all(|name| name.as_c_str() == c"__pycache__")),
            }
    }

    /// Has the next warmer make a copy. `None` if that fails.
    pub(super) fn copy(&self, order: &Order<'_>) -> Option<Started> {
        let turn = self.turn.fetch_add(1, Ordering::Relaxed);
        let first = self.warmers.get(turn % TURNS)?;
        let other = self.warmers.get((turn + 1) % TURNS)?;
        let mut warmer = match (first.try_lock(), other.try_lock()) {
            (Ok(warmer), _) | (Err(TryLockError::WouldBlock), Ok(warmer)) => warmer,
            (Err(TryLockError::WouldBlock), Err(TryLockError::WouldBlock)) => first.lock().ok()?,
            _ => return None,
        };
        warmer.copy(order)
    }
}

/// Opens a path in what the sandbox has changed; [`Errno::NOENT`] if it is as on the machine.
fn changed(places: &[Place], path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    let above = places.iter().filter(|place| path.starts_with(&place.at));
    let place = above
        .max_by_key(|place| place.at.components().count())
        .ok_or(Errno::NOENT)?;
    let below = path.strip_prefix(&place.at).map_err(|_| Errno::INVAL)?;
    let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    rustix::fs::openat2(&place.dir, below, flags, Mode::empty(), resolve)
}
