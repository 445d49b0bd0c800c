//! Runs programs for the tests. Each call has a time limit, so that a program that hangs fails one
//! test, and waits for a CPU of the pool.

use crate::pool::Permit;
use rustix::process::{Pid, Signal, kill_process_group};
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io;
use std::ops::{Deref, DerefMut};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// How long a program may run: what takes longer on a busy machine than this hangs.
const LIMIT: Duration = Duration::from_secs(1200);

/// A call by itself waits about half of its time.
const PER_CPU: usize = 2;

/// A program to call, with the methods of [`Command`].
#[derive(Debug, Default)]
pub struct Call {
    words: Vec<OsString>,
    clears: bool,
    envs: Vec<(OsString, Option<OsString>)>,
    folder: Option<PathBuf>,
    stdin: Option<Stdio>,
    stdout: Option<Stdio>,
    stderr: Option<Stdio>,
    limit: Option<Duration>,
}

impl Call {
    pub fn of(program: impl AsRef<OsStr>) -> Self {
        Self {
            words: vec![program.as_ref().to_owned()],
            ..Self::default()
        }
    }

    pub fn arg(&mut self, argument: impl AsRef<OsStr>) -> &mut Self {
        self.args([argument])
    }

    pub fn args(&mut self, arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> &mut Self {
        let arguments = arguments.into_iter();
        let arguments = arguments.map(|argument| argument.as_ref().to_owned());
        self.words.extend(arguments);
        self
    }

    pub fn env(&mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> &mut Self {
        self.envs([(name, value)])
    }

    pub fn envs<N: AsRef<OsStr>, V: AsRef<OsStr>>(
        &mut self,
        all: impl IntoIterator<Item = (N, V)>,
    ) -> &mut Self {
        for (name, value) in all {
            let value = Some(value.as_ref().to_owned());
            self.envs.push((name.as_ref().to_owned(), value));
        }
        self
    }

    pub fn env_remove(&mut self, name: impl AsRef<OsStr>) -> &mut Self {
        self.envs.push((name.as_ref().to_owned(), None));
        self
    }

    /// Gives the program only the environment that is set later.
    pub fn env_clear(&mut self) -> &mut Self {
        self.clears = true;
        self.envs.clear();
        self
    }

    pub fn current_dir(&mut self, folder: impl AsRef<Path>) -> &mut Self {
        self.folder = Some(folder.as_ref().to_owned());
        self
    }

    pub fn stdin(&mut self, stdin: impl Into<Stdio>) -> &mut Self {
        self.stdin = Some(stdin.into());
        self
    }

    pub fn stdout(&mut self, stdout: impl Into<Stdio>) -> &mut Self {
        self.stdout = Some(stdout.into());
        self
    }

    pub fn stderr(&mut self, stderr: impl Into<Stdio>) -> &mut Self {
        self.stderr = Some(stderr.into());
        self
    }

    /// The same program, called by another: `env`, `setpriv` or the like.
    pub fn through(&mut self, words: &[&str]) -> &mut Self {
        self.words.splice(0..0, words.iter().map(OsString::from));
        self
    }

    /// Gives the program another time than the usual one.
    pub fn within(&mut self, limit: Duration) -> &mut Self {
        self.limit = Some(limit);
        self
    }

    /// A command of these words, with the environment and the folder of the call.
    fn command(&self, words: &[OsString]) -> Command {
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]);
        if self.clears {
            command.env_clear();
        }
        for (name, value) in &self.envs {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        command
    }

    /// Runs the program without input, and returns its output.
    ///
    /// # Panics
    ///
    /// If the program does not end in time.
    pub fn output(&mut self) -> io::Result<Output> {
        self.output_with(b"")
    }

    /// Runs the program with this input, which it need not read.
    ///
    /// # Panics
    ///
    /// If the program does not end in time.
    pub fn output_with(&mut self, input: &[u8]) -> io::Result<Output> {
        let _permit = Permit::shared(PER_CPU);
        let limit = self.limit.unwrap_or(LIMIT);
        // assert_cmd ends only the program itself, `timeout` its whole process group.
        let seconds = limit.as_secs().to_string();
        let timeout = ["/usr/bin/timeout", "--signal=KILL", &seconds].map(OsString::from);
        let command = self.command(&[&timeout, &self.words[..]].concat());
        let mut command = assert_cmd::Command::from_std(command);
        command.timeout(limit + Duration::from_secs(10));
        command.write_stdin(input);
        let output = command.output()?;
        let killed = output.status.signal() == Some(Signal::KILL.as_raw());
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        assert!(
            !killed,
            "killed, perhaps because it did not end within {limit:?}: {:?}\n{}{}",
            self.words,
            text(&output.stdout),
            text(&output.stderr)
        );
        Ok(output)
    }

    /// Runs the program with the streams that were set, and returns how it ended.
    pub fn status(&mut self) -> io::Result<ExitStatus> {
        self.spawn()?.wait()
    }

    /// Starts the program with the streams that were set, as the leader of a process group.
    pub fn spawn(&mut self) -> io::Result<Running> {
        let permit = Permit::shared(PER_CPU);
        let mut command = self.command(&self.words);
        command.process_group(0);
        let streams = [&mut self.stdin, &mut self.stdout, &mut self.stderr].map(Option::take);
        let [stdin, stdout, stderr] = streams;
        command.stdin(stdin.unwrap_or_else(Stdio::null));
        stdout.map(|stream| command.stdout(stream));
        stderr.map(|stream| command.stderr(stream));
        let child = command.spawn()?;
        let group = Pid::from_child(&child);
        let limit = self.limit.unwrap_or(LIMIT);
        let (ended, end) = channel();
        std::thread::spawn(move || {
            if end.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
                let _ = kill_process_group(group, Signal::KILL);
            }
        });
        Ok(Running {
            child: Some(child),
            _ended: ended,
            _permit: permit,
        })
    }
}

/// A program that runs. Its process group is ended when the time is over, or when nobody waits for it any more.
#[derive(Debug)]
pub struct Running {
    /// None once its end is waited for.
    child: Option<Child>,
    /// Closed when the program is no longer watched.
    _ended: Sender<()>,
    _permit: Option<Permit>,
}

impl Running {
    /// Waits until the program ends, and returns its output.
    pub fn wait_with_output(mut self) -> io::Result<Output> {
        self.child.take().expect("a program").wait_with_output()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child
            && let Ok(None) = child.try_wait()
        {
            let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
            let _ = child.wait();
        }
    }
}

impl Deref for Running {
    type Target = Child;

    fn deref(&self) -> &Child {
        self.child.as_ref().expect("a program")
    }
}

impl DerefMut for Running {
    fn deref_mut(&mut self) -> &mut Child {
        self.child.as_mut().expect("a program")
    }
}

/// The time within which anything happens that happens at all, however busy the machine is.
pub const SOON: Duration = Duration::from_secs(240);

/// Is this a nightly run? It holds everything, on a machine that does nothing else, so that times say something.
pub fn is_nightly() -> bool {
    std::env::var_os("STICKLER_PROVE").is_some()
}

/// Waits for an event.
#[track_caller]
pub fn wait_until(what: &str, mut happened: impl FnMut() -> bool) {
    let began = std::time::Instant::now();
    while !happened() {
        assert!(
            began.elapsed() < SOON,
            "{what}: it did not happen within {SOON:?}"
        );
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The processes with this in their command line.
pub fn processes_of(what: &str) -> BTreeSet<u32> {
    let entries = std::fs::read_dir("/proc").expect("/proc").flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let of_it = |number: &u32| {
        let line = std::fs::read(format!("/proc/{number}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(what)
    };
    numbers.filter(of_it).collect()
}

/// Waits until this many processes of a program have been there.
#[track_caller]
pub fn wait_for_processes(of: &Path, number: usize) {
    let of = of.to_str().expect("text");
    let mut seen = BTreeSet::new();
    wait_until(&format!("{number} processes of {of}"), || {
        seen.extend(processes_of(of));
        seen.len() >= number
    });
}

/// A program that hangs, and starts another that does.
fn hanging() -> Call {
    let mut call = Call::of("sh");
    let limit = Duration::from_secs(1);
    call.args(["-c", "sleep 600 & sleep 600"]).within(limit);
    call
}

#[test]
fn a_call_that_hangs_fails_in_time_with_all_that_it_started() {
    let began = std::time::Instant::now();
    // What is left of the group would hold the pipe of the output.
    let ended = std::panic::catch_unwind(|| hanging().output());
    assert!(ended.is_err());
    assert!(began.elapsed() < Duration::from_secs(60));
}

#[test]
fn a_program_that_is_started_and_hangs_is_ended_in_time() {
    let mut running = hanging().stdout(Stdio::piped()).spawn().expect("sh");
    let mut output = Vec::new();
    let mut stdout = running.stdout.take().expect("piped");
    io::Read::read_to_end(&mut stdout, &mut output).expect("an end");
    let status = running.wait().expect("an end");
    assert_eq!(status.signal(), Some(Signal::KILL.as_raw()));
}

#[test]
fn a_program_that_nobody_waits_for_is_ended_with_all_that_it_started() {
    let mark = format!("stickler-left-{}", std::process::id());
    let left = std::panic::catch_unwind(|| {
        let script = format!("sh -c 'while :; do sleep 1; done' {mark} & wait");
        let _running = Call::of("sh").args(["-c", &script]).spawn().expect("sh");
        wait_until("the program starts", || !processes_of(&mark).is_empty());
        panic!("a test fails");
    });
    assert!(left.is_err());
    wait_until("all that it started ends", || {
        processes_of(&mark).is_empty()
    });
}
