//! Has the reference agent drive a session. The agent evaluates a policy in its own thread
//! and sends its requests for modules to this one.

use crate::program::{Known, Program};
use cfengine_agent::{Became, Behind, Conclusion, Mode, ModuleHost, Options, Severity, Witness};
use cfengine_protocol::meant;
use cfengine_protocol::release::Compat;
use cfengine_protocol::wire::{Header, Operation, Protocol, Request};
use cfengine_protocol::{phase, purpose};
use std::io;
use std::path::PathBuf;
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use stickler_session::{SessionError, Stage};
use stickler_transcript::{
    self as transcript, Answer, Event, Fate, ItemOutcome, Name, Phase, Piece, Provenance, Purpose,
    Send, Silence, Step, Stream,
};

/// The path of the policy, as the requests name it.
const POLICY: &str = "/var/cfengine/inputs/stickler.cf";

/// Runs the agent as often as planned, with its modules in one session.
pub(crate) fn drive(program: &[u8], stage: &mut dyn Stage) -> Result<(), SessionError> {
    // A changed or damaged plan stands for nothing.
    let Ok(program) = serde_json::from_slice::<Program>(program) else {
        return Ok(());
    };
    let mut modules = Modules {
        stage,
        known: &program.promises,
        protocols: Vec::new(),
        failed: false,
    };
    for _ in 0..program.runs {
        let (asks, asked) = mpsc::channel();
        let options = agent_options(&program, Arc::new(Remote(Mutex::new(asks))));
        let agent = std::thread::spawn(|| cfengine_agent::run(options, Box::new(io::sink())));
        // The agent drops its end of the channel when it is done.
        let done = asked.iter().try_for_each(|ask| modules.serve(ask));
        drop(asked);
        let ended = agent.join();
        done?;
        if let Err(panic) = ended {
            std::panic::resume_unwind(panic);
        }
    }
    Ok(())
}

fn agent_options(program: &Program, remote: Arc<Remote>) -> Options {
    Options {
        text: Some(program.policy.to_vec()),
        // No state from other runs, and none for later ones.
        workdir: PathBuf::from("/dev/null"),
        bundles: Some(vec!["main".into()]),
        level: Severity::Info,
        mode: match program.mode {
            transcript::Mode::DryRun => Mode::DryRun,
            _ => Mode::Normal,
        },
        compat: Compat::named(&program.compat).unwrap_or_default(),
        module_host: Some(remote.clone()),
        witness: Some(remote),
        effects: false,
        ..Options::new(POLICY)
    }
}

/// A request of the agent's thread.
enum Ask {
    Start(Sender<usize>),
    Say(usize, Vec<u8>, Sender<(Vec<u8>, Behind)>),
    Finish(usize, Sender<bool>),
    Note(Conclusion),
}

/// The agent's end of the channel.
#[derive(Debug)]
struct Remote(Mutex<Sender<Ask>>);

impl Remote {
    /// `None` if the session has ended.
    fn ask<T>(&self, ask: impl FnOnce(Sender<T>) -> Ask) -> Option<T> {
        let (reply, answer) = mpsc::channel();
        self.tell(ask(reply));
        answer.recv().ok()
    }

    fn tell(&self, ask: Ask) {
        let asks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // If the session has failed, it reports that itself.
        let _ = asks.send(ask);
    }
}

impl ModuleHost for Remote {
    fn start(&self, _: &str) -> Option<usize> {
        self.ask(Ask::Start)
    }

    fn exchange(&self, number: usize, message: &[u8]) -> (Vec<u8>, Behind) {
        self.ask(|reply| Ask::Say(number, message.to_vec(), reply))
            .unwrap_or((Vec::new(), Behind::End))
    }

    fn finish(&self, number: usize) -> bool {
        self.ask(|reply| Ask::Finish(number, reply)).unwrap_or(true)
    }
}

impl Witness for Remote {
    fn starts(&self, _: &str, _: &[&str], _: Option<&str>) -> Vec<String> {
        Vec::new()
    }

    fn concludes(&self, _: &str, conclusion: Conclusion) {
        self.tell(Ask::Note(conclusion));
    }
}

/// The session's end of the channel.
struct Modules<'s> {
    stage: &'s mut dyn Stage,
    known: &'s [Known],
    /// By process; `None` before its header.
    protocols: Vec<Option<Protocol>>,
    /// Did a module fail to answer? Then no other one starts.
    failed: bool,
}

impl Modules<'_> {
    fn serve(&mut self, ask: Ask) -> Result<(), SessionError> {
        // If nobody receives the answer, the agent has ended.
        match ask {
            Ask::Start(reply) => {
                if !self.failed {
                    let _ = reply.send(self.start()?);
                }
            }
            Ask::Say(process, message, reply) => {
                let _ = reply.send(self.say(process, message)?);
            }
            Ask::Finish(process, reply) => {
                let _ = reply.send(self.finish(process)?);
            }
            // The session sets the time.
            Ask::Note(conclusion) => self.stage.conclude(outcome(0, conclusion)),
        }
        Ok(())
    }

    fn observe(&mut self, point: &str) -> Result<(), SessionError> {
        let point = point.to_owned();
        self.stage.step(Step::Observe { point }).map(|_| ())
    }

    fn start(&mut self) -> Result<usize, SessionError> {
        let process = self.protocols.len();
        self.protocols.push(None);
        self.observe("start")?;
        self.stage.step(Step::Start {
            process,
            command: 0,
        })?;
        Ok(process)
    }

    fn say(&mut self, process: usize, message: Vec<u8>) -> Result<(Vec<u8>, Behind), SessionError> {
        let protocol = self.protocols[process];
        let request = protocol.and_then(|protocol| Request::parse(&message, protocol));
        let promise = request.as_ref().and_then(|request| {
            label(self.known, request).or_else(|| label(self.known, &meant::request(request)))
        });
        let warns = request.as_ref().is_some_and(Request::only_warns);
        let (phase, purpose) = match request.as_ref().map(|request| &request.operation) {
            Some(Operation::Validate) => (
                phase::VALIDATE,
                if warns {
                    Purpose::DRY_VALIDATE
                } else {
                    Purpose::VALIDATE
                },
            ),
            Some(Operation::Evaluate) => (
                phase::EVALUATE,
                if warns {
                    Purpose::DRY_EVALUATE
                } else {
                    Purpose::EVALUATE
                },
            ),
            Some(Operation::Terminate) => (phase::TERMINATE, purpose::TERMINATE),
            None if self.protocols[process].is_none() => (phase::HEADER, purpose::HEADER),
            // Old agents send names of containers as they are, so that the message is no JSON.
            None | Some(Operation::Other(_)) => (Phase::OTHER, purpose::OTHER),
        };
        let key = match &promise {
            Some(label) => purpose.of(label),
            None => purpose.into(),
        };
        let before = self.stage.events().len();
        let deadline_us = self.stage.deadline_us(phase);
        let answered = self.stage.step(Step::Send(Send {
            process,
            phase,
            key: key.clone(),
            item: promise,
            provenance: match request {
                None if phase == Phase::OTHER => Provenance::Beyond,
                _ => Provenance::Agent,
            },
            requires: None,
            pieces: vec![Piece {
                pause_us: 0,
                data: message.into(),
            }],
            answer: Answer::Now,
            deadline_us,
            kill_after_us: None,
            at_write: None,
        }))?;
        self.failed |= !answered;
        let (printed, behind) = self.since(before, process);
        if answered {
            self.observe(key.as_str())?;
        }
        if phase == phase::HEADER {
            let asked = Header::analyse(&printed).and_then(|header| header.protocol());
            // If the header asks for no protocol, the agent takes this one.
            self.protocols[process] = Some(asked.unwrap_or(Protocol::Line));
        }
        Ok((printed, behind))
    }

    /// What a process has printed since an event, and why no more follows.
    fn since(&self, event: usize, process: usize) -> (Vec<u8>, Behind) {
        let mut printed = Vec::new();
        let mut behind = Behind::Nothing;
        for event in &self.stage.events()[event..] {
            match event {
                Event::Out {
                    process: of, data, ..
                } if *of == process => {
                    printed.extend_from_slice(data);
                }
                Event::Exit { process: of, .. }
                | Event::Closed {
                    process: of,
                    stream: Stream::Stdout,
                    ..
                } if *of == process => behind = Behind::End,
                Event::Silent {
                    process: of, why, ..
                } if *of == process => {
                    // What follows is only the harness ending the process.
                    let behind = match why {
                        Silence::Deadline | Silence::Input => Behind::Nothing,
                        Silence::Flood | Silence::Processes | Silence::Memory => Behind::Flood,
                    };
                    return (printed, behind);
                }
                _ => {}
            }
        }
        (printed, behind)
    }

    fn finish(&mut self, process: usize) -> Result<bool, SessionError> {
        self.stage.step(Step::CloseInput { process })?;
        let deadline_us = self.stage.deadline_us(phase::TERMINATE);
        self.stage.step(Step::AwaitExit {
            process,
            deadline_us,
        })
    }
}

/// The label of the promise in a request.
fn label(known: &[Known], request: &Request) -> Option<Name> {
    let sent = |name: &[u8]| request.attribute(name);
    let of = |known: &&Known| {
        let others = request.attributes.iter().flatten();
        let names = others.filter(|(name, _)| name != b"action_policy").count();
        request.promise_type.as_deref() == Some(known.kind.as_bytes())
            && request.promiser.as_deref() == Some(&known.promiser[..])
            && names == known.attributes.len()
            && known
                .attributes
                .iter()
                .all(|(name, value)| sent(name) == Some(value))
    };
    known.iter().find(of).map(|known| known.label.clone())
}

/// Converts the agent's conclusion about a promise into the form of transcripts.
pub fn outcome(t: u64, conclusion: Conclusion) -> ItemOutcome {
    let bytes = |all: Vec<Vec<u8>>| all.into_iter().map(Into::into).collect();
    ItemOutcome {
        t,
        kind: conclusion.promise_type.into(),
        identity: conclusion.promiser.into(),
        place: conclusion.promise,
        outcome: match conclusion.became {
            Became::Kept => Fate::Unchanged,
            Became::Repaired => Fate::Changed,
            Became::NotKept => Fate::Failed,
        },
        turn: conclusion.pass.into(),
        cause: None,
        unresolved: conclusion.unresolved,
        warns: conclusion.warns,
        errors: bytes(conclusion.errors),
        defines: bytes(conclusion.result_classes),
    }
}
