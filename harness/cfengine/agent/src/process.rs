//! Runs programs and reads their output.

use crate::children::{self, Children};
use crate::context::Agent;
use crate::log::Severity;
use crate::machine;
use crate::os::os;
use cfengine_policy::text;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use std::borrow::Cow;
use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The program to run, and how to run it.
#[derive(Default)]
pub(crate) struct Spec<'a> {
    pub(crate) line: &'a str,
    pub(crate) shell: bool,
    pub(crate) directory: Option<&'a str>,
    pub(crate) umask: Option<u32>,
    pub(crate) uid: Option<u32>,
    pub(crate) gid: Option<u32>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) reads: Reads,
    /// Whether a program without a path is looked up in `PATH`.
    pub(crate) searched: bool,
    /// The program's stdin.
    pub(crate) input: Option<&'a [u8]>,
}

/// Which of a program's outputs is read.
#[derive(Clone, Copy, Default, PartialEq)]
pub(crate) enum Reads {
    #[default]
    Both,
    /// Only stdout; stderr is inherited.
    Output,
    /// Only stdout; stderr is dropped.
    OutputAlone,
    /// Only stderr; stdout is dropped.
    ErrorsAlone,
}

/// The error for a promise that asks for `powershell`.
pub(crate) const NO_POWERSHELL: &str = "Powershell is only supported on Windows";

/// The timeout of a program that has no timeout of its own.
const PATIENCE: Duration = Duration::from_secs(600);

/// The output, and the exit code if the program exited.
pub(crate) type Done = (String, Option<i32>);

/// Whether cf-agent would run a file. It does not check the file's type, but refuses files that
/// everybody may write.
pub(crate) fn is_executable(path: &str) -> bool {
    use std::os::unix::fs::MetadataExt;
    let runs = rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok();
    let meta = std::fs::metadata(path);
    meta.is_ok_and(|meta| meta.mode() & 0o2 == 0 && (runs || meta.mode() & 0o100 != 0))
}

/// The program that a command line starts with.
pub(crate) fn program_of(line: &str) -> &str {
    match line.strip_prefix('"') {
        Some(rest) => rest.split('"').next().unwrap_or(rest),
        None => line.split(' ').next().unwrap_or(line),
    }
}

/// The message about a program that could not be started.
pub(crate) fn not_run(program: &str, reason: &str) -> String {
    format!("Couldn't run '{program}'. (execv: {reason})")
}

/// The line that cf-agent's child prints in place of the program's output.
pub(crate) fn of_child(message: &str) -> String {
    format!("{:>8}: {message}\n", Severity::Error.name())
}

/// Splits a command line into words; all three kinds of quotes group words.
pub(crate) fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = line.trim_start_matches([' ', '\t', '\n', '\r']);
    while let Some(first) = rest.chars().next() {
        let (word, behind) = if matches!(first, '"' | '\'' | '`') {
            let inside = &rest[1..];
            match inside.split_once(first) {
                Some((word, behind)) => (word, behind),
                None => (inside, ""),
            }
        } else {
            let end = rest.find([' ', '\t', '\n', '\r']).unwrap_or(rest.len());
            rest.split_at(end)
        };
        words.push(word.to_owned());
        rest = behind.trim_start_matches([' ', '\t', '\n', '\r']);
    }
    words
}

impl Agent {
    /// Does the same as [`is_executable`]; reports why not.
    pub(crate) fn can_execute(&mut self, path: &str) -> bool {
        use std::os::unix::fs::MetadataExt;
        let found = self.at(path).into_owned();
        match std::fs::metadata(&found) {
            Err(_) => {
                let message = format!("Proposed executable file '{path}' doesn't exist");
                self.say(Severity::Error, message);
            }
            Ok(meta) if meta.mode() & 0o2 != 0 => {
                let message =
                    format!("SECURITY ALERT: promised executable '{path}' is world writable! ");
                self.say(Severity::Error, message);
                let message =
                    "SECURITY ALERT: CFEngine will not execute this - requires human inspection";
                self.say(Severity::Error, message);
            }
            Ok(_) => {}
        }
        is_executable(&found)
    }

    /// A path relative to the agent's working directory, which `files` promises change.
    pub(crate) fn at<'a>(&self, path: &'a str) -> Cow<'a, str> {
        match &self.directory {
            Some(directory) if !path.starts_with('/') => format!("{directory}/{path}").into(),
            _ => path.into(),
        }
    }

    /// A file's content, up to the limit.
    pub(crate) fn read_bytes(&mut self, path: &str) -> std::io::Result<Vec<u8>> {
        if !self.voice.options.effects {
            return Err(std::io::ErrorKind::PermissionDenied.into());
        }
        let mut content = Vec::new();
        let limit = self.voice.options.limits.input as u64;
        self.open(path, OFlags::RDONLY)?
            .take(limit)
            .read_to_end(&mut content)?;
        Ok(content)
    }

    /// Runs a program to its end. The error says why it could not start.
    pub(crate) fn execute(&mut self, spec: &Spec<'_>) -> Result<Done, String> {
        let running = self.start(spec)?;
        let done = self.ended(running.end());
        // Background jobs report after the run has waited for a program.
        if let Err(stop) = self.hear_jobs(false) {
            self.stopped.get_or_insert(stop);
        }
        Ok(done)
    }

    /// The output and exit code of a program; reports abnormal ends.
    pub(crate) fn ended(&mut self, ended: Ended) -> Done {
        let Ended { pid, output, exit } = ended;
        if exit.is_none() {
            self.verbose(|| format!("Time out of process {pid}"));
        }
        if exit.is_none_or(|code| code < 0) {
            self.verbose(|| format!("Child PID {pid} exited abnormally (signalled)"));
        }
        (text::decode(&output).into_owned(), exit)
    }

    /// Starts a program. The error says why it could not start.
    pub(crate) fn start(&mut self, spec: &Spec<'_>) -> Result<Running, String> {
        if !self.voice.options.effects {
            return Err("programs are not started in this run".into());
        }
        let reason = |error: std::io::Error| machine::reason(&error);
        let mut command = if spec.shell {
            let mut command = Command::new("/bin/sh");
            command.arg0("sh").arg("-c").arg(os(spec.line));
            command
        } else {
            let words = words(spec.line);
            let Some((program, arguments)) = words.split_first() else {
                return Err("no command".into());
            };
            let here = if spec.searched || program.contains('/') {
                ""
            } else {
                "./"
            };
            let mut command = Command::new(os(&format!("{here}{program}")));
            command.arg0(os(program));
            command.args(arguments.iter().map(|word| os(word)));
            command
        };
        machine::unlocalize(&mut command);
        command.envs(self.voice.control.environment.iter().cloned());
        if let Some(directory) = spec.directory {
            command.current_dir(&*self.at(directory));
        } else if let Some(directory) = &self.directory {
            command.current_dir(directory);
        }
        if let Some(gid) = spec.gid {
            command.gid(gid);
        }
        if let Some(uid) = spec.uid {
            command.uid(uid);
        }
        let (reader, writer) = std::io::pipe().map_err(reason)?;
        let (output, errors) = match spec.reads {
            Reads::Output => (Stdio::from(writer), Stdio::inherit()),
            Reads::OutputAlone => (Stdio::from(writer), Stdio::null()),
            Reads::ErrorsAlone => (Stdio::null(), Stdio::from(writer)),
            Reads::Both => {
                let second = writer.try_clone().map_err(reason)?;
                (Stdio::from(writer), Stdio::from(second))
            }
        };
        let input = match spec.input {
            Some(_) => Stdio::piped(),
            None => Stdio::null(),
        };
        command
            .stdin(input)
            .stdout(output)
            .stderr(errors)
            .process_group(0);
        // The child inherits the umask; no other thread creates files in the meantime.
        let before = spec
            .umask
            .map(|umask| rustix::process::umask(Mode::from_raw_mode(umask)));
        let child = self
            .voice
            .options
            .children
            .start(|| match &self.modules.pin {
                Some(pin) => pin.lift(|| command.spawn()),
                None => command.spawn(),
            });
        let child = child.map_err(reason);
        if let Some(before) = before {
            rustix::process::umask(before);
        }
        let mut child = child?;
        // Closes this process's copy of the pipe's writing end.
        drop(command);
        let deadline = Instant::now() + spec.timeout.unwrap_or(PATIENCE);
        if let (Some(mut pipe), Some(input)) = (child.stdin.take(), spec.input) {
            let input = input.to_vec();
            // The program may not read everything; then this thread ends with the program.
            std::thread::spawn(move || pipe.write_all(&input));
        }
        Ok(Running {
            children: self.voice.options.children.clone(),
            child,
            reader,
            deadline,
            limit: self.voice.options.limits.input,
        })
    }
}

/// A running program.
pub(crate) struct Running {
    child: Child,
    reader: std::io::PipeReader,
    deadline: Instant,
    /// The most bytes of output that are read.
    limit: usize,
    children: Arc<Children>,
}

/// The result of a program: its output, and the exit code if it exited.
#[derive(Default)]
pub(crate) struct Ended {
    pub(crate) pid: u32,
    output: Vec<u8>,
    exit: Option<i32>,
}

impl Running {
    /// Waits for the program's end.
    pub(crate) fn end(mut self) -> Ended {
        let output = gather(&mut self.reader, self.deadline, self.limit);
        let exit = end(&mut self.child, self.deadline);
        let pid = self.child.id();
        self.children.end(pid);
        Ended { pid, output, exit }
    }
}

fn gather(reader: &mut std::io::PipeReader, deadline: Instant, limit: usize) -> Vec<u8> {
    let mut output = Vec::new();
    let mut chunk = [0; 16 << 10];
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let left = Timespec {
            tv_sec: i64::try_from(left.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: i64::from(left.subsec_nanos()),
        };
        let mut fds = [PollFd::from_borrowed_fd(reader.as_fd(), PollFlags::IN)];
        if !matches!(poll(&mut fds, Some(&left)), Ok(1..)) || output.len() > limit {
            return output;
        }
        match reader.read(&mut chunk) {
            Ok(0) | Err(_) => return output,
            Ok(length) => output.extend_from_slice(&chunk[..length]),
        }
    }
}

fn end(child: &mut Child, deadline: Instant) -> Option<i32> {
    let mut pause = Duration::from_micros(100);
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return status.code().or(status.signal().map(|_| -1)),
            Ok(None) if Instant::now() < deadline => {
                std::thread::sleep(pause);
                pause = (pause * 2).min(Duration::from_millis(5));
            }
            _ => {
                children::kill(child.id());
                let _ = child.wait();
                return None;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn quotes_hold_words_together() {
        assert_eq!(
            words("/bin/echo 'a b' \"c\"  d"),
            ["/bin/echo", "a b", "c", "d"]
        );
        assert!(words("  ").is_empty());
    }
}
