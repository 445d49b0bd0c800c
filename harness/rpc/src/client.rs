//! A host as a process of its own, without a session: for runs in the user's place.

use crate::errors::Errors;
use crate::{Caller, Ended, Notification, is_notification, message_len, request_line};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process_group};
use std::ffi::OsStr;
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use stickler_session::record::{LIMIT, Tape, cause, own_command};
use stickler_transcript::{
    Bytes, Case, Event, Input, Key, Name, Phase, PlannedCommand, Provenance, Stream, Usage,
};

/// How long a host may take to end.
const PATIENCE: Duration = Duration::from_secs(2);
/// How often it is looked at meanwhile.
const LOOK: Duration = Duration::from_millis(5);

/// A host that runs.
#[derive(Debug)]
pub struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    line: Vec<u8>,
    requests: usize,
    tape: Option<Tape>,
    /// Its standard error, if that is recorded.
    errors: Option<Errors>,
    /// Did the caller end it?
    killed: Arc<AtomicBool>,
    /// How it was started.
    command: PlannedCommand,
    speech: Speech,
    told: Vec<(Duration, Notification)>,
}

/// How a dialect speaks with hosts.
#[derive(Clone, Copy, Debug)]
pub struct Speech {
    /// What a recording says about a request: from its method, its parameters and its number.
    pub named: fn(&str, &str, usize) -> (Phase, Key),
    /// What to write at once if a notification is a question.
    pub reply: fn(&[u8]) -> Option<Vec<u8>>,
}

impl Client {
    /// Starts a host. It speaks on its standard input and output; what the subject prints comes to
    /// standard error.
    ///
    /// # Errors
    ///
    /// If it cannot be started.
    pub fn start(
        argv: &[Bytes],
        folder: &Path,
        env: &[(String, String)],
        speech: Speech,
    ) -> io::Result<Self> {
        Client::start_with(argv, folder, env, speech, false)
    }

    /// Starts a host whose run is recorded: what the subject prints is passed on, and recorded, too.
    ///
    /// # Errors
    ///
    /// If it cannot be started.
    pub fn start_overheard(
        argv: &[Bytes],
        folder: &Path,
        env: &[(String, String)],
        speech: Speech,
    ) -> io::Result<Self> {
        Client::start_with(argv, folder, env, speech, true)
    }

    fn start_with(
        argv: &[Bytes],
        folder: &Path,
        env: &[(String, String)],
        speech: Speech,
        overheard: bool,
    ) -> io::Result<Self> {
        let words: Vec<&OsStr> = argv.iter().map(|word| OsStr::from_bytes(word)).collect();
        let (program, arguments) = words.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(folder)
            .env_remove("STICKLER_RPC_FD")
            // What the subject starts can then be ended with it.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        if overheard {
            command.stderr(Stdio::piped());
        }
        for (name, value) in env {
            command.env(name, value);
        }
        let mut child = command.spawn()?;
        let input = child.stdin.take();
        let output = child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
        let errors = child.stderr.take().map(Errors::of).transpose()?;
        let cwd = folder.canonicalize();
        let cwd = cwd.unwrap_or_else(|_| folder.to_owned());
        Ok(Client {
            child,
            input,
            output: BufReader::with_capacity(1 << 16, output),
            line: Vec::new(),
            requests: 0,
            tape: None,
            errors,
            killed: Arc::new(AtomicBool::new(false)),
            command: own_command(&words, &cwd),
            speech,
            told: Vec::new(),
        })
    }

    /// Ends the host and all that it started, from another thread.
    pub fn ender(&self) -> impl Fn() + Send + 'static {
        let leader = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        let killed = Arc::clone(&self.killed);
        move || {
            killed.store(true, Ordering::Relaxed);
            // If they are gone, there is nothing to do.
            if let Some(leader) = leader {
                let _ = kill_process_group(leader, Signal::KILL);
            }
        }
    }

    /// Writes all messages to a new transcript from now on, whose first line is this case with the host's command.
    ///
    /// # Errors
    ///
    /// If the file exists already, or cannot be written.
    pub fn record(&mut self, path: &Path, case: Case) -> io::Result<()> {
        let case = Case {
            command: Some(self.command.clone()),
            ..case
        };
        let mut tape = Tape::begin(path, &case, LIMIT)?;
        tape.note(&Event::Start {
            t: tape.now(),
            process: 0,
        });
        self.tape = Some(tape);
        Ok(())
    }

    /// Ends the host and the recording, if there is one.
    ///
    /// # Errors
    ///
    /// If something of it could not be written.
    pub fn stop_recording(&mut self) -> io::Result<()> {
        if self.tape.is_none() {
            return Ok(());
        }
        // One that has ended has no input any more.
        if self.input.take().is_some() {
            self.note_closed();
            let status = self.wait();
            self.hear_errors();
            self.note_end(status);
        }
        self.tape.take().map_or(Ok(()), Tape::finish)
    }

    /// Names this moment in the recording.
    pub fn mark(&mut self, mark: &str) {
        self.hear_errors();
        if let Some(tape) = &mut self.tape {
            let (t, mark) = (tape.now(), Name::from(mark));
            tape.note(&Event::Marked { t, mark });
        }
    }

    /// Does the host write a message, or end, until then? Its standard error is heard meanwhile.
    fn is_readable(&mut self, until: Option<Instant>) -> bool {
        loop {
            self.hear_errors();
            let left = until.map(|until| until.saturating_duration_since(Instant::now()));
            let Ok(left) = left.map(Timespec::try_from).transpose() else {
                return false;
            };
            let mut polled = vec![PollFd::new(self.output.get_ref(), PollFlags::IN)];
            let errors = self.errors.as_ref().and_then(Errors::pipe);
            polled.extend(errors.map(|pipe| PollFd::new(pipe, PollFlags::IN)));
            match poll(&mut polled, left.as_ref()) {
                Ok(0) => return false,
                Ok(_) if !polled[0].revents().is_empty() => {
                    // What it printed before comes before.
                    self.hear_errors();
                    return true;
                }
                Ok(_) | Err(Errno::INTR) => {}
                Err(_) => return false,
            }
        }
    }

    /// Passes on what the host has printed, and records it.
    fn hear_errors(&mut self) {
        let Some(errors) = &mut self.errors else {
            return;
        };
        let printed = errors.take();
        if let (Some(tape), false) = (&mut self.tape, printed.is_empty()) {
            let t = tape.now();
            tape.keep(printed.len(), || Event::Err {
                t,
                process: 0,
                data: printed.into(),
            });
        }
    }

    fn note_request(&mut self, method: &str, params: &str, line: &[u8]) {
        self.hear_errors();
        let exchange = self.requests;
        let Some(tape) = &mut self.tape else {
            return;
        };
        let t = tape.now();
        let (phase, key) = (self.speech.named)(method, params, exchange);
        tape.note(&Event::Request(Input {
            t,
            process: 0,
            exchange,
            phase,
            key,
            item: None,
            provenance: Provenance::Agent,
            owed: true,
        }));
        tape.keep(line.len(), || Event::In {
            t,
            process: 0,
            data: line.into(),
        });
    }

    fn note_line(&mut self) {
        if let Some(tape) = &mut self.tape {
            let (t, line) = (tape.now(), &self.line);
            tape.keep(line.len(), || Event::Out {
                t,
                process: 0,
                data: line.as_slice().into(),
            });
        }
    }

    fn send(&mut self, line: &[u8]) -> Result<(), Ended> {
        debug_assert_eq!(message_len(line, 0), Some(line.len()));
        let input = self.input.as_mut();
        let sent = input.map_or(Err(io::ErrorKind::BrokenPipe.into()), |input| {
            input.write_all(line).and_then(|()| input.flush())
        });
        sent.map_err(|_| self.ended("in the middle of a request"))
    }

    fn ended(&mut self, when: &str) -> Ended {
        // It may have closed its output only.
        self.input = None;
        let status = self.wait();
        self.hear_errors();
        self.note_end(status);
        let how = match status {
            Some(status) => format!("the host ended ({status})"),
            None => "the host closed its output".to_owned(),
        };
        Ended(format!("{how} {when}; its messages are above"))
    }

    /// Keeps what the host told.
    fn hear(&mut self, since: Duration) {
        let told = Notification::read(&self.line);
        self.told.extend(told.map(|told| (since, told)));
    }

    fn note_closed(&mut self) {
        if let Some(tape) = &mut self.tape {
            tape.note(&Event::Closed {
                t: tape.now(),
                process: 0,
                stream: Stream::Stdin,
                by_harness: true,
            });
        }
    }

    /// Records how the host ended, and whether the caller ended it.
    fn note_end(&mut self, status: Option<ExitStatus>) {
        let (Some(tape), Some(status)) = (&mut self.tape, status) else {
            return;
        };
        if self.killed.load(Ordering::Relaxed) {
            tape.note(&Event::Killed {
                t: tape.now(),
                process: 0,
            });
        }
        tape.note(&Event::Exit {
            t: tape.now(),
            process: 0,
            cause: cause(status),
            usage: Usage::default(),
        });
    }

    fn wait(&mut self) -> Option<ExitStatus> {
        let begun = Instant::now();
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) if begun.elapsed() < PATIENCE => std::thread::sleep(LOOK),
                _ => return None,
            }
        }
    }
}

impl Caller for Client {
    fn request(&mut self, method: &str, params: &str) -> Result<Vec<u8>, Ended> {
        self.requests += 1;
        let begun = Instant::now();
        let line = request_line(self.requests, method, params);
        self.note_request(method, params, &line);
        self.send(&line)?;
        loop {
            if self.errors.is_some() && self.output.buffer().is_empty() {
                self.is_readable(None);
            }
            self.line.clear();
            match self.output.read_until(b'\n', &mut self.line) {
                Ok(0) | Err(_) => return Err(self.ended("in the middle of a request")),
                Ok(_) => self.note_line(),
            }
            if !is_notification(&self.line) {
                return Ok(std::mem::take(&mut self.line));
            }
            self.hear(begun.elapsed());
            if let Some(reply) = (self.speech.reply)(&self.line) {
                self.send(&reply)?;
            }
        }
    }

    fn listen(&mut self, until: Instant) -> Result<(), Ended> {
        let mut until = until;
        while !self.output.buffer().is_empty() || self.is_readable(Some(until)) {
            self.line.clear();
            match self.output.read_until(b'\n', &mut self.line) {
                Ok(0) | Err(_) => return Err(self.ended("between two requests")),
                Ok(_) => self.note_line(),
            }
            self.hear(Duration::ZERO);
            until = Instant::now();
        }
        Ok(())
    }

    fn told(&mut self) -> Vec<(Duration, Notification)> {
        std::mem::take(&mut self.told)
    }
}

impl Drop for Client {
    /// Closes the host's input, waits for it, and kills it if it stays.
    fn drop(&mut self) {
        self.input = None;
        if self.wait().is_none() {
            self.ender()();
            let _ = self.child.wait();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A host in shell: it notifies, waits for the reply, and answers with it.
    const HOST: &str = r#"while read -r request; do
        echo '{"jsonrpc":"2.0","method":"ask","params":{}}'
        read -r reply
        echo '{"jsonrpc":"2.0","id":1,"result":'"$reply"'}'
    done"#;

    fn start(script: &str) -> Client {
        let argv = ["/bin/sh", "-c", script].map(Bytes::from);
        let speech = Speech {
            named: |method, _, _| (Phase::OTHER, Key::parse(method)),
            reply: |_| Some(b"7\n".to_vec()),
        };
        Client::start(&argv, Path::new("/"), &[], speech).expect("it starts")
    }

    #[test]
    fn a_notification_may_be_answered_before_the_answer_comes() {
        let mut client = start(HOST);
        let answer = client.request("get", "{}").expect("an answer");
        let answer = String::from_utf8_lossy(&answer);
        assert_eq!(answer, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":7}\n");
        assert_eq!(client.told().len(), 1);
    }

    #[test]
    fn notifications_without_a_request_are_heard_at_once_or_not_at_all() {
        let mut client = start(
            "for m in a b; do echo '{\"method\":\"'$m'\",\"params\":{}}'; done; read -r request",
        );
        let mut heard = 0;
        while heard < 2 {
            let until = Instant::now() + Duration::from_secs(10);
            client.listen(until).expect("it runs");
            heard += client.told().len();
        }
        let begun = Instant::now();
        let told = client.listen(begun + Duration::from_millis(20));
        assert_eq!(told, Ok(()));
        assert!(begun.elapsed() < Duration::from_secs(5));
    }

    #[test]
    fn a_host_that_ends_says_how() {
        let mut client = start("read -r request; exit 3");
        let ended = client.request("get", "{}");
        let Ended(why) = ended.expect_err("it ended");
        assert!(why.starts_with("the host ended (exit status: 3)"), "{why}");
    }
}
