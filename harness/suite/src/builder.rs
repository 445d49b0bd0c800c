//! Builds one case step by step.

use crate::config::Config;
use crate::instance::{Instance, SCRATCH, fill, scratch_dir};
use crate::knowledge::Knowledge;
use cfengine_protocol::Facts;
use cfengine_protocol::phase;
use cfengine_protocol::wire::request::{Operation, Request};
use cfengine_protocol::wire::{Protocol, Style, Value};
use std::os::unix::ffi::OsStringExt;
use stickler_reading::CALLS;
use stickler_transcript::{
    AgentRun, Answer, Bytes, Case, Compat, Deadlines, Drift, Driver, Item, Membership, Mode, Name,
    Phase, Piece, Plan, PlannedCommand, Plant, Protection, Provenance, Relation, Role, Send, Step,
    Subject, Target, Trap, Variation,
};

/// The agent that the suite plays.
pub const HEADER_VERSION: &str = "3.21.0";

/// The `PATH` of subjects.
pub(crate) const PATH: &str = "/usr/bin:/bin:/usr/sbin:/sbin";

/// How the suite speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speech {
    /// Byte for byte as cf-agent 3.21.0.
    Agent,
    /// As the specification shows.
    Spec,
}

impl Speech {
    fn style(self) -> Style {
        match self {
            Speech::Agent => Style::Agent,
            Speech::Spec => Style::Spec,
        }
    }
}

/// What all cases of a run share.
pub(crate) struct Setting<'c> {
    pub(crate) config: &'c Config,
    pub(crate) knowledge: &'c Knowledge,
    pub(crate) argv: Vec<Bytes>,
    pub(crate) speech: Speech,
    pub(crate) seed: u64,
    /// Effects stay inside a sandbox.
    pub(crate) sandboxed: bool,
    /// The scratch directory can be a file system of its own.
    pub(crate) targets: bool,
}

impl Setting<'_> {
    pub(crate) fn protocol(&self) -> Protocol {
        self.knowledge.protocol.unwrap_or(Protocol::Line)
    }

    pub(crate) fn json(&self) -> bool {
        self.protocol() == Protocol::Json
    }

    pub(crate) fn usual_type(&self) -> &str {
        self.config
            .subject
            .promise_types
            .first()
            .map_or("stickler_probe", String::as_str)
    }

    /// An example, filled in for a scratch directory. Labels are `e1`, `e1b`, ….
    pub(crate) fn example(&self, index: usize, instance: usize) -> Instance {
        let suffix = ["", "b", "c"].get(instance).copied().unwrap_or("d");
        let mut filled = Instance::of(
            &self.config.examples[index],
            &format!("e{}{suffix}", index + 1),
            self.usual_type(),
            instance,
        );
        if instance > 0 {
            // The author spoke of the first directory; things outside it may
            // make the outcome another one here.
            filled.info.original = false;
            filled.info.expect.clear();
        }
        filled
    }

    /// A promise that the author says is invalid.
    pub(crate) fn invalid(&self, index: usize) -> Instance {
        let mut instance = Instance::of(
            &self.config.invalid[index],
            &format!("i{}", index + 1),
            self.usual_type(),
            0,
        );
        instance.info.invalid = true;
        instance
    }

    pub(crate) fn case(&self, id: impl Into<String>) -> CaseBuilder<'_> {
        CaseBuilder::new(self, id.into())
    }
}

/// A case in the making. Methods take steps in order.
pub(crate) struct CaseBuilder<'s> {
    setting: &'s Setting<'s>,
    case: Case,
    plan: Plan,
    deadlines: Deadlines,
    process: usize,
    observing: bool,
    pub(crate) log_level: &'static str,
    pub(crate) speech: Speech,
}

impl<'s> CaseBuilder<'s> {
    fn new(setting: &'s Setting<'s>, id: String) -> Self {
        let deadlines = setting.knowledge.deadlines(setting.config);
        let subject = &setting.config.subject;
        let case = Case {
            id,
            dialect: "promise-module".into(),
            subject: Subject {
                name: setting.argv.last().map_or_else(String::new, |word| {
                    let text = word.lossy();
                    text.rsplit('/').next().unwrap_or(&text).to_owned()
                }),
                ignore: setting.config.ignore.clone(),
                foreign: setting
                    .knowledge
                    .foreign
                    .iter()
                    .cloned()
                    .map(Bytes::from)
                    .collect(),
                own: setting.knowledge.own_files().map(Bytes::from).collect(),
            },
            dirs: vec![scratch_dir(0).into(), scratch_dir(1).into()],
            deadlines: deadlines.clone(),
            seed: setting.seed,
            facts: Facts {
                promise_types: subject.promise_types.clone(),
                executes: subject.executes.clone(),
                open_attributes: subject.open_attributes,
                protocol: setting.knowledge.protocol,
            }
            .into_map(),
            ..Case::default()
        };
        let mut builder = CaseBuilder {
            setting,
            case,
            plan: Plan {
                pinned: true,
                ..Plan::default()
            },
            deadlines,
            process: 0,
            observing: false,
            log_level: "info",
            speech: setting.speech,
        };
        let command = builder.subject_command();
        builder.plan.commands.push(command);
        for (name, file) in &setting.config.fakes {
            builder.plan.stand_ins.push(name.as_str().into());
            // Readability was checked when the configuration was read.
            if let Ok(content) = std::fs::read(setting.config.dir.join(file)) {
                builder.plant(&format!("{SCRATCH}/bin/{name}"), content, 0o755);
            }
        }
        for service in &setting.config.services {
            let words = service.command.iter().enumerate().map(|(at, word)| {
                let path = std::path::absolute(setting.config.dir.join(word)).unwrap_or_default();
                // The name of a command is looked for in `PATH`.
                let is_file = (at > 0 || word.contains('/')) && path.is_file();
                let is_ours = is_file.then(|| path.into_os_string().into_vec());
                is_ours.map_or_else(|| Bytes::from(fill(word, &scratch_dir(0))), Bytes::from)
            });
            let command = builder.command(words.collect());
            builder.plan.steps.push(Step::Service {
                command,
                ready: service.ready.clone(),
                deadline_us: 10_000_000,
            });
        }
        builder
    }

    fn subject_command(&self) -> PlannedCommand {
        let mut env: Vec<(Bytes, Bytes)> = vec![
            ("PATH".into(), PATH.into()),
            ("HOME".into(), format!("{SCRATCH}/home").into()),
            ("TMPDIR".into(), format!("{SCRATCH}/tmp").into()),
            ("LANG".into(), "C.UTF-8".into()),
        ];
        if !self.setting.config.fakes.is_empty() {
            env[0].1 = format!("{SCRATCH}/bin:{PATH}").into();
        }
        for (name, value) in &self.setting.config.subject.env {
            env.retain(|(known, _)| known.lossy() != name.as_str());
            env.push((name.as_str().into(), fill(value, &scratch_dir(0)).into()));
        }
        PlannedCommand {
            argv: self.setting.argv.clone(),
            env,
            cwd: scratch_dir(0).into(),
            umask: 0o022,
            unprivileged: false,
        }
    }

    /// Adds a command with the subject's surroundings. Returns its index.
    fn command(&mut self, argv: Vec<Bytes>) -> usize {
        let command = PlannedCommand {
            argv,
            unprivileged: false,
            ..self.plan.commands[0].clone()
        };
        let known = self.plan.commands.iter().skip(1);
        if let Some(at) = known.into_iter().position(|other| *other == command) {
            return at + 1;
        }
        self.plan.commands.push(command);
        self.plan.commands.len() - 1
    }

    // --- what the case is -------------------------------------------------

    /// Makes the case a member of a group.
    pub(crate) fn member(&mut self, relation: Relation, group: &str, role: Role) -> &mut Self {
        self.case.groups.push(Membership {
            group: format!("{relation}/{group}"),
            relation,
            role,
        });
        self
    }

    /// The reference agent drives the session.
    pub(crate) fn driven(&mut self, mode: Mode) -> &mut Self {
        self.case.driver = Driver::Agent;
        self.case.agent = Some(AgentRun {
            name: concat!("stickler ", env!("CARGO_PKG_VERSION")).into(),
            compat: match self.speech {
                Speech::Agent => Compat::Deployed,
                Speech::Spec => Compat::Specification,
            },
            mode,
        });
        self
    }

    pub(crate) fn trap(&mut self, trap: Trap) -> &mut Self {
        self.case.traps.push(trap);
        self
    }

    pub(crate) fn plant(&mut self, path: &str, content: Vec<u8>, mode: u32) -> &mut Self {
        self.plan.plants.push(Plant {
            path: path.into(),
            content: content.into(),
            mode,
        });
        self
    }

    /// From here on, the stand-ins for commands fail after so many calls in all.
    pub(crate) fn fail_fakes(&mut self, works: usize, code: u8) -> &mut Self {
        let mut behind_them = Vec::new();
        for plant in &mut self.plan.plants {
            let path = plant.path.lossy().into_owned();
            let Some(name) = path.strip_prefix(&format!("{SCRATCH}/bin/")) else {
                continue;
            };
            let behind = format!("{SCRATCH}/behind/{name}");
            let script = format!(
                "#!/bin/sh\n\
                 calls=$(cat {CALLS} 2>/dev/null) || exec {behind} \"$@\"\n\
                 echo $((calls + 1)) > {CALLS}\n\
                 [ \"$calls\" -lt {works} ] && exec {behind} \"$@\"\n\
                 echo \"{name}: fails\" >&2\nexit {code}\n"
            );
            let content = std::mem::replace(&mut plant.content, script.into_bytes().into());
            behind_them.push(Plant {
                path: behind.into(),
                content,
                mode: plant.mode,
            });
        }
        self.plan.plants.append(&mut behind_them);
        self.count_calls_from(0)
    }

    /// From here on, stand-ins that failed work again. Their calls are counted still.
    pub(crate) fn mend_fakes(&mut self) -> &mut Self {
        self.count_calls_from(-1_000_000).observe("commands work")
    }

    fn count_calls_from(&mut self, calls: i32) -> &mut Self {
        let begin = format!("echo {calls} > {CALLS}");
        self.run(["sh", "-c", &begin].map(Bytes::from).into())
    }

    pub(crate) fn target(&mut self, target: Target) -> &mut Self {
        self.plan.target = target;
        self
    }

    pub(crate) fn unpinned(&mut self) -> &mut Self {
        self.plan.pinned = false;
        self
    }

    /// Changes the subject's own surroundings (environment, cwd, umask, privileges).
    pub(crate) fn surroundings(&mut self, change: impl FnOnce(&mut PlannedCommand)) -> &mut Self {
        change(&mut self.plan.commands[0]);
        self
    }

    /// From here on, effects are read after each exchange.
    pub(crate) fn observing(&mut self) -> &mut Self {
        self.observing = true;
        self
    }

    pub(crate) fn provide(&mut self, instance: &Instance) -> &mut Self {
        if !self
            .case
            .items
            .iter()
            .any(|known: &Item| known.label == instance.info.label)
        {
            self.case.items.push(instance.info.clone());
        }
        self
    }

    // --- steps --------------------------------------------------------------

    pub(crate) fn step(&mut self, step: Step) -> &mut Self {
        self.plan.steps.push(step);
        self
    }

    pub(crate) fn observe(&mut self, point: &str) -> &mut Self {
        self.step(Step::Observe {
            point: point.to_owned(),
        })
    }

    /// Runs the setup commands of an example.
    pub(crate) fn setup(&mut self, instance: &Instance) -> &mut Self {
        for command in &instance.setup {
            self.run(command.clone());
        }
        self.provide(instance)
    }

    /// Runs a command of the harness's own.
    pub(crate) fn run(&mut self, argv: Vec<Bytes>) -> &mut Self {
        let command = self.command(argv);
        self.step(Step::Run {
            command,
            deadline_us: 30_000_000,
        })
    }

    pub(crate) fn drift(&mut self, drift: Drift) -> &mut Self {
        self.step(Step::Drift(drift))
    }

    pub(crate) fn drifts(&mut self, drifts: &[Drift]) -> &mut Self {
        for drift in drifts {
            self.drift(drift.clone());
        }
        self
    }

    pub(crate) fn protect(&mut self, how: Protection) -> &mut Self {
        self.case.protection = Some(how);
        self.step(Step::Protect { how })
    }

    /// Starts a process of the subject; what follows is about it.
    pub(crate) fn start(&mut self, process: usize) -> &mut Self {
        self.process = process;
        if self.observing {
            self.observe("start");
        }
        self.step(Step::Start {
            process,
            command: 0,
        })
    }

    /// Turns to another process.
    pub(crate) fn with(&mut self, process: usize) -> &mut Self {
        self.process = process;
        self
    }

    pub(crate) fn send(&mut self, send: Send) -> &mut Self {
        let answered = send.answer == Answer::Now;
        let key = send.key.clone();
        self.step(Step::Send(send));
        if self.observing && answered {
            self.observe(&key);
        }
        self
    }

    /// A message as it is sent usually.
    pub(crate) fn message(&self, phase: Phase, key: impl Into<Name>, data: Vec<u8>) -> Send {
        Send {
            process: self.process,
            phase,
            key: key.into(),
            item: None,
            provenance: Provenance::Agent,
            requires: None,
            pieces: vec![Piece {
                pause_us: 0,
                data: data.into(),
            }],
            answer: Answer::Now,
            deadline_us: self.deadlines.of(phase),
            kill_after_us: None,
            at_write: None,
        }
    }

    /// The agent's header.
    pub(crate) fn header(&mut self) -> &mut Self {
        let data = format!("cf-agent {HEADER_VERSION} v1\n\n").into_bytes();
        let send = self.message(phase::HEADER, "header", data);
        self.send(send)
    }

    /// The request for an instance.
    pub(crate) fn request(&self, operation: Operation, instance: &Instance) -> Request {
        let mut request = Request::new(operation);
        request.log_level = Some(self.log_level.into());
        request.promise_type = Some(instance.promise_type.clone().into_bytes());
        request.promiser = Some(instance.promiser.clone());
        if !instance.attributes.is_empty() || self.speech == Speech::Spec {
            request.attributes = Some(instance.attributes.clone());
        }
        if self.speech == Speech::Agent {
            request.filename = Some(b"/var/cfengine/inputs/promises.cf".to_vec());
            request.line_number = Some(12);
        }
        request
    }

    /// A validation of an instance, encoded.
    pub(crate) fn validation(&self, key: &str, instance: &Instance) -> Send {
        let request = self.request(Operation::Validate, instance);
        self.about(phase::VALIDATE, key, instance, &request)
    }

    /// An evaluation, sent only when the validation `requires` was accepted.
    pub(crate) fn evaluation(&self, key: &str, requires: &str, instance: &Instance) -> Send {
        let request = self.request(Operation::Evaluate, instance);
        Send {
            requires: Some(format!("{requires}:{}", instance.info.label).into()),
            ..self.about(phase::EVALUATE, key, instance, &request)
        }
    }

    /// A request about an instance.
    pub(crate) fn about(
        &self,
        phase: Phase,
        key: &str,
        instance: &Instance,
        request: &Request,
    ) -> Send {
        let style = if instance.ascii {
            Style::Ascii
        } else {
            self.speech.style()
        };
        let data = request.encode(self.setting.protocol(), style);
        let provenance = match self.speech {
            Speech::Agent => instance.provenance,
            Speech::Spec => instance.provenance.max(Provenance::Spec),
        };
        Send {
            item: Some(instance.info.label.clone()),
            provenance,
            ..self.message(phase, format!("{key}:{}", instance.info.label), data)
        }
    }

    pub(crate) fn validate(&mut self, instance: &Instance) -> &mut Self {
        self.validate_as("v", instance)
    }

    pub(crate) fn validate_as(&mut self, key: &str, instance: &Instance) -> &mut Self {
        self.provide(instance);
        let send = self.validation(key, instance);
        self.send(send)
    }

    /// Without a sandbox only what the author wrote is evaluated.
    fn may_evaluate(&self, instance: &Instance) -> bool {
        self.setting.sandboxed || instance.info.original
    }

    pub(crate) fn evaluate(&mut self, instance: &Instance) -> &mut Self {
        self.evaluate_as("e", "v", instance)
    }

    pub(crate) fn evaluate_as(
        &mut self,
        key: &str,
        requires: &str,
        instance: &Instance,
    ) -> &mut Self {
        // Nobody knows what a probe would do to the system.
        if instance.info.variation == Some(Variation::Probe) || !self.may_evaluate(instance) {
            return self;
        }
        self.provide(instance);
        let send = self.evaluation(key, requires, instance);
        self.send(send)
    }

    /// Asks the process to end, as an agent does, and waits for its end.
    pub(crate) fn terminate(&mut self) -> &mut Self {
        let request = Request {
            log_level: (self.speech == Speech::Spec).then(|| self.log_level.into()),
            ..Request::new(Operation::Terminate)
        };
        self.terminate_with(&request)
    }

    pub(crate) fn terminate_with(&mut self, request: &Request) -> &mut Self {
        let style = match request.log_level {
            Some(_) => Style::Spec,
            None => Style::Agent,
        };
        let data = request.encode(self.setting.protocol(), style);
        let send = self.message(phase::TERMINATE, "terminate", data);
        self.send(send);
        self.close_and_wait()
    }

    /// Marks the last `terminate` as sent after something that no agent sends.
    pub(crate) fn grade_last_terminate(&mut self, provenance: Provenance) -> &mut Self {
        let last = self
            .plan
            .steps
            .iter_mut()
            .rev()
            .find_map(|step| match step {
                Step::Send(send) if send.phase == phase::TERMINATE => Some(send),
                _ => None,
            });
        if let Some(send) = last {
            send.provenance = provenance;
        }
        self
    }

    /// Closes standard input and waits for the process to end.
    pub(crate) fn close_and_wait(&mut self) -> &mut Self {
        let process = self.process;
        let deadline_us = self.deadlines.of(phase::TERMINATE);
        self.step(Step::CloseInput { process });
        self.step(Step::AwaitExit {
            process,
            deadline_us,
        })
    }

    /// Start, header.
    pub(crate) fn open(&mut self) -> &mut Self {
        self.start(0).header()
    }

    /// The case, done.
    pub(crate) fn build(&mut self) -> Case {
        let mut case = std::mem::take(&mut self.case);
        case.plan = Some(std::mem::take(&mut self.plan));
        case
    }
}

/// A value that is text.
pub(crate) fn text(value: impl Into<Vec<u8>>) -> Value {
    Value::Text(value.into())
}
