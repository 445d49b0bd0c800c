//! A host as a process of its own, without a session: for runs in the user's place.

use puppet_protocol::{Answer, Event, is_notification, phase, reply, request};
use puppet_runtime::{Exchange, Host, HostError};
use puppet_types::Value;
use rustix::process::{Pid, Signal, kill_process_group};
use std::ffi::OsStr;
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};
use stickler_session::record::Tape;
use stickler_transcript::{
    self as transcript, Bytes, Case, Driver, Input, Phase, PlannedCommand, Provenance, Subject,
    VERSION,
};

/// How long a host may take to end.
const PATIENCE: Duration = Duration::from_secs(2);
/// The most bytes of messages that a recording keeps.
const RECORD: u64 = 256 << 20;
/// How often it is looked at meanwhile.
const LOOK: Duration = Duration::from_millis(5);

/// A host that runs.
#[derive(Debug)]
pub struct Process {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    line: Vec<u8>,
    requests: usize,
    tape: Option<Tape>,
    /// How it was started.
    command: PlannedCommand,
}

impl Process {
    /// Starts a host. It speaks on its standard input and output; what providers print comes to
    /// standard error.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn start(argv: &[Bytes], folder: &Path, env: &[(String, String)]) -> io::Result<Self> {
        let mut words = argv.iter().map(|word| OsStr::from_bytes(word));
        let program = words.next().ok_or(io::ErrorKind::InvalidInput)?;
        let mut command = Command::new(program);
        command
            .args(words)
            .current_dir(folder)
            .env_remove("STICKLER_RPC_FD")
            // What the provider starts can then be ended with it.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        for (name, value) in env {
            command.env(name, value);
        }
        let mut child = command.spawn()?;
        let input = child.stdin.take();
        let output = child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
        Ok(Process {
            child,
            input,
            output: BufReader::with_capacity(1 << 16, output),
            line: Vec::new(),
            requests: 0,
            tape: None,
            command: PlannedCommand {
                argv: argv.to_vec(),
                cwd: folder
                    .canonicalize()
                    .unwrap_or_else(|_| folder.to_owned())
                    .as_os_str()
                    .as_bytes()
                    .into(),
                umask: 0o022,
                ..PlannedCommand::default()
            },
        })
    }

    /// Ends the host and all that it started, from another thread.
    pub fn ender(&self) -> impl Fn() + Send + 'static {
        let leader = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        move || {
            // If they are gone, there is nothing to do.
            if let Some(leader) = leader {
                let _ = kill_process_group(leader, Signal::KILL);
            }
        }
    }

    /// Writes all messages to a new transcript from now on. `name` is that of the module.
    ///
    /// # Errors
    /// If the file exists already, or cannot be written.
    pub fn record(&mut self, path: &Path, name: &str) -> io::Result<()> {
        let case = Case {
            version: VERSION,
            id: "recorded".to_owned(),
            dialect: crate::VOCABULARY.dialect.to_owned(),
            driver: Driver::Recorded,
            subject: Subject {
                name: name.to_owned(),
                ..Subject::default()
            },
            tier: "none".to_owned(),
            deadlines: phase::usual_deadlines(),
            command: Some(self.command.clone()),
            ..Case::default()
        };
        let mut tape = Tape::begin(path, &case, RECORD)?;
        tape.note(&transcript::Event::Start {
            t: tape.now(),
            process: 0,
        });
        self.tape = Some(tape);
        Ok(())
    }

    /// Ends the recording.
    ///
    /// # Errors
    /// If something of it could not be written.
    pub fn stop_recording(&mut self) -> io::Result<()> {
        self.tape.take().map_or(Ok(()), Tape::finish)
    }

    fn note_request(&mut self, method: &str, params: &Value, line: &[u8]) {
        let exchange = self.requests;
        let Some(tape) = &mut self.tape else {
            return;
        };
        let of = |key: &str| params.get(key).and_then(Value::as_str);
        let about = of("type")
            .or_else(|| of("transport"))
            .or_else(|| of("name"));
        let known = phase::ALL.iter().find(|phase| phase.name() == method);
        let t = tape.now();
        tape.note(&transcript::Event::Request(Input {
            t,
            process: 0,
            exchange,
            phase: known.copied().unwrap_or(Phase::OTHER),
            key: match about {
                Some(about) => format!("{method}:{about}").into(),
                None => format!("{method}:{exchange}").into(),
            },
            item: None,
            provenance: Provenance::Agent,
            owed: true,
        }));
        tape.keep(line.len(), || transcript::Event::In {
            t,
            process: 0,
            data: line.into(),
        });
    }

    fn note_line(&mut self) {
        if let Some(tape) = &mut self.tape {
            let (t, line) = (tape.now(), &self.line);
            tape.keep(line.len(), || transcript::Event::Out {
                t,
                process: 0,
                data: line.as_slice().into(),
            });
        }
    }

    fn send(&mut self, line: &[u8]) -> Result<(), HostError> {
        let input = self.input.as_mut();
        let sent = input.map_or(Err(io::ErrorKind::BrokenPipe.into()), |input| {
            input.write_all(line).and_then(|()| input.flush())
        });
        sent.map_err(|_| self.ended())
    }

    fn ended(&mut self) -> HostError {
        // It may have closed its output only.
        self.input = None;
        let status = self.wait();
        let how = match status {
            Some(status) => format!("the host ended ({status})"),
            None => "the host closed its output".to_owned(),
        };
        HostError(format!(
            "{how} in the middle of a request; its messages are above"
        ))
    }

    fn wait(&mut self) -> Option<std::process::ExitStatus> {
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

impl Host for Process {
    fn request(&mut self, method: &str, params: Value) -> Result<Exchange, HostError> {
        self.requests += 1;
        let begun = Instant::now();
        let line = match self.tape.is_some() {
            true => {
                // Judges want to see all rows.
                let params = match params {
                    Value::Hash(mut members) => {
                        members.retain(|(key, _)| key.as_symbol() != Some("find"));
                        Value::Hash(members)
                    }
                    other => other,
                };
                let line = request::line(self.requests, method, params.clone());
                self.note_request(method, &params, &line);
                line
            }
            false => request::line(self.requests, method, params),
        };
        self.send(&line)?;
        let mut events = Vec::new();
        loop {
            self.line.clear();
            match self.output.read_until(b'\n', &mut self.line) {
                Ok(0) | Err(_) => return Err(self.ended()),
                Ok(_) => self.note_line(),
            }
            if !is_notification(&self.line) {
                let answer = Answer::read(&self.line);
                return Ok(Exchange { events, answer });
            }
            if let Some(reply) = reply(&self.line) {
                self.send(&reply)?;
            }
            let event = Event::read(&self.line);
            events.extend(event.map(|event| (begun.elapsed(), event)));
        }
    }
}

impl Drop for Process {
    /// Closes the host's input, waits for it, and kills it if it stays.
    fn drop(&mut self) {
        self.input = None;
        if self.wait().is_none() {
            self.ender()();
            let _ = self.child.wait();
        }
    }
}
