//! Builds one case step by step.

mod stand_ins;

use crate::capabilities::Tells;
use crate::instance::{Holds, Instance, SCRATCH, fill, scratch_dir};
use crate::setting::{Setting, Speech};
use crate::spoil::Spoil;
use crate::verbs::Ask;
use serde::Serialize;
use std::os::unix::ffi::OsStringExt;
use stickler_transcript::{
    AgentRun, Answer, Bytes, Case, Deadlines, Declared, Drift, Driver, Item, Key, Membership, Mode,
    Phase, Piece, Plan, PlannedCommand, Plant, Protection, Provenance, Purpose, Relation, Role,
    Send, Step, Subject, Target, Trap, Variation,
};

/// The line of a shell script that gives a variable the value that it has here.
fn assigned(env: &[(Bytes, Bytes)], name: &str) -> String {
    let known = env.iter().find(|(known, _)| known.lossy() == name);
    known.map_or_else(
        || format!("unset {name}\n"),
        |(_, value)| format!("export {name}='{}'\n", value.lossy().replace('\'', "'\\''")),
    )
}

/// The dates of what commands of the author make, where the author sets none (reproducible-builds.org, "SOURCE_DATE_EPOCH";
/// git-commit(1), "DATE FORMATS").
const DATES: [(&str, &str); 3] = [
    ("GIT_AUTHOR_DATE", "2024-01-01T00:00:00Z"),
    ("GIT_COMMITTER_DATE", "2024-01-01T00:00:00Z"),
    ("SOURCE_DATE_EPOCH", "1704067200"),
];

/// The `PATH` of subjects.
pub const PATH: &str = "/usr/bin:/bin:/usr/sbin:/sbin";

/// The full name of a group of sessions.
pub(crate) fn group_name(relation: Relation, name: &str) -> String {
    format!("{relation}/{name}")
}

impl Setting<'_> {
    /// Starts to build a case with this name.
    pub fn case(&self, id: impl Into<String>) -> CaseBuilder<'_> {
        CaseBuilder::new(self, id.into())
    }
}

/// A case under construction. Methods add steps in order.
pub struct CaseBuilder<'s> {
    setting: &'s Setting<'s>,
    case: Case,
    plan: Plan,
    deadlines: Deadlines,
    process: usize,
    observing: bool,
    /// How this case writes its messages.
    pub speech: Speech,
    /// The version of the partner whose messages the case sends, if it is not the usual one.
    pub partner: Option<&'static str>,
}

impl<'s> CaseBuilder<'s> {
    fn new(setting: &'s Setting<'s>, id: String) -> Self {
        let deadlines = setting
            .knowledge
            .deadlines(setting.config, setting.vocabulary());
        let case = Case {
            id,
            dialect: setting.vocabulary().dialect.into(),
            subject: Subject {
                name: setting.subject_name(),
                ignore: setting.ignored(),
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
            facts: setting.verbs.facts(setting),
            ..Case::default()
        };
        let mut builder = CaseBuilder {
            setting,
            case,
            plan: Plan {
                pinned: setting.verbs.shares_cpu(),
                ..Plan::default()
            },
            deadlines,
            process: 0,
            observing: false,
            speech: setting.speech,
            partner: None,
        };
        let command = builder.subject_command();
        let home = assigned(&command.env, "HOME");
        builder.plan.commands.push(command);
        for (name, program) in &setting.config.fakes {
            builder.plan.stand_ins.push(name.as_str().into());
            // Callers may remove their home from the environment of programs, as Puppet does.
            let own = format!("{SCRATCH}/fakes/{name}");
            let script = format!("#!/bin/sh\n{home}exec {own} \"$@\"\n");
            builder.plant(&format!("{SCRATCH}/bin/{name}"), script.into_bytes(), 0o755);
            builder.plant(&own, program.clone(), 0o755);
        }
        for service in &setting.config.services {
            let words = service.command.iter().enumerate().map(|(at, word)| {
                let path = std::path::absolute(setting.config.dir.join(word)).unwrap_or_default();
                // The first word of a command may be a name to look up in `PATH`. An empty word
                // names nothing.
                let is_name = !word.is_empty() && (at > 0 || word.contains('/'));
                let is_ours = (is_name && path.exists()).then(|| path.into_os_string().into_vec());
                is_ours.map_or_else(|| Bytes::from(fill(word, &scratch_dir(0))), Bytes::from)
            });
            builder.serve(words.collect(), service.ready.clone());
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
        if self.setting.vocabulary().channel && self.setting.config.subject.command.is_empty() {
            env.push(("STICKLER_RPC_FD".into(), "3,4".into()));
        }
        for (name, value) in &self.setting.config.subject.env {
            env.retain(|(known, _)| known.lossy() != name.as_str());
            let mut value = fill(value, &scratch_dir(0));
            if name == "PATH" && !self.setting.config.fakes.is_empty() {
                value = format!("{SCRATCH}/bin:{value}");
            }
            env.push((name.as_str().into(), value.into()));
        }
        PlannedCommand {
            argv: self.setting.argv.clone(),
            env,
            cwd: scratch_dir(0).into(),
            umask: 0o022,
            unprivileged: false,
            // A program of the author's own speaks on standard input and output.
            channel: self.setting.vocabulary().channel
                && self.setting.config.subject.command.is_empty(),
        }
    }

    /// Adds a command with the subject's environment. Returns its index. What it makes must be the same in each session,
    /// so its commits and archives have one date.
    fn command(&mut self, argv: Vec<Bytes>) -> usize {
        let mut env = self.plan.commands[0].env.clone();
        for (name, date) in DATES {
            if !env.iter().any(|(known, _)| known[..] == *name.as_bytes()) {
                env.push((name.into(), date.into()));
            }
        }
        let command = PlannedCommand {
            env,
            argv,
            unprivileged: false,
            channel: false,
            ..self.plan.commands[0].clone()
        };
        let known = self.plan.commands.iter().skip(1);
        if let Some(at) = known.into_iter().position(|other| *other == command) {
            return at + 1;
        }
        self.plan.commands.push(command);
        self.plan.commands.len() - 1
    }

    /// What all cases of the run share.
    pub fn setting(&self) -> &'s Setting<'s> {
        self.setting
    }

    // --- what the case is -------------------------------------------------

    /// Makes the case a member of a group.
    pub fn member(&mut self, relation: Relation, group: &str, role: Role) -> &mut Self {
        self.case.groups.push(Membership {
            group: group_name(relation, group),
            relation,
            role,
        });
        self
    }

    /// Lets the reference agent drive the session, with the behaviour of this name.
    pub fn driven(&mut self, mode: Mode, compat: &str) -> &mut Self {
        self.case.driver = Driver::Agent;
        self.case.agent = Some(AgentRun {
            name: concat!("stickler ", env!("CARGO_PKG_VERSION")).into(),
            compat: compat.into(),
            mode,
        });
        self
    }

    /// Has an oracle choose what happens after the steps: `oracle` is what it does, in the words of
    /// the dialect. Its keys are texts, so that it can be written as JSON.
    pub fn hand_over(&mut self, oracle: &impl Serialize) -> &mut Self {
        let oracle = serde_json::to_vec(oracle).unwrap_or_default();
        self.plan.oracle = Some(oracle.into());
        self
    }

    /// Says which kind the case is about, if it has no items.
    pub fn about(&mut self, kind: &str) -> &mut Self {
        self.case.kind = Some(kind.to_owned());
        self
    }

    /// Lays out a trap, which shows if the subject runs it or leaves its directory.
    pub fn trap(&mut self, trap: Trap) -> &mut Self {
        self.case.traps.push(trap);
        self
    }

    /// Puts a file in place before the session.
    pub fn plant(&mut self, path: &str, content: impl Into<Bytes>, mode: u32) -> &mut Self {
        self.plan.plants.push(Plant {
            path: path.into(),
            content: content.into(),
            mode,
        });
        self
    }

    /// Sets what the scratch directory is.
    pub fn target(&mut self, target: Target) -> &mut Self {
        self.plan.target = target;
        self
    }

    /// Lets the processes use all CPUs.
    pub fn unpinned(&mut self) -> &mut Self {
        self.plan.pinned = false;
        self
    }

    /// Changes the subject's own environment (variables, cwd, umask, privileges).
    pub fn surroundings(&mut self, change: impl FnOnce(&mut PlannedCommand)) -> &mut Self {
        change(&mut self.plan.commands[0]);
        self
    }

    /// Says in a few words what is unusual about the surroundings.
    pub fn surrounded(&mut self, words: String) -> &mut Self {
        self.case.surroundings.push(words);
        self
    }

    /// From here on, effects are recorded after each exchange.
    pub fn observing(&mut self) -> &mut Self {
        self.observing = true;
        self
    }

    /// Are effects recorded after each exchange?
    pub fn is_observing(&self) -> bool {
        self.observing
    }

    /// Registers an item that messages refer to.
    pub fn provide(&mut self, instance: &Instance) -> &mut Self {
        if !self
            .case
            .items
            .iter()
            .any(|known: &Item| known.label == instance.info.label)
        {
            self.case.items.push(Item {
                kind: instance.kind.clone(),
                ..instance.info.clone()
            });
        }
        self
    }

    // --- steps --------------------------------------------------------------

    /// Starts a command in the background, and waits until this address accepts connections.
    pub fn serve(&mut self, argv: Vec<Bytes>, ready: Option<String>) -> &mut Self {
        let command = self.command(argv);
        self.step(Step::Service {
            command,
            ready,
            deadline_us: 10_000_000,
        })
    }

    /// Adds a step.
    pub fn step(&mut self, step: Step) -> &mut Self {
        self.plan.steps.push(step);
        self
    }

    /// How many steps it has so far.
    pub fn steps(&self) -> usize {
        self.plan.steps.len()
    }

    /// Records effects at this point.
    pub fn observe(&mut self, point: &str) -> &mut Self {
        self.step(Step::Observe {
            point: point.to_owned(),
        })
    }

    /// Runs the setup commands of an example.
    pub fn setup(&mut self, instance: &Instance) -> &mut Self {
        for command in &instance.setup {
            self.run(command.clone());
        }
        self.provide(instance)
    }

    /// Runs those setup commands of an example that the session does not run yet: examples share
    /// commands that may not work twice.
    pub fn set_up_once(&mut self, instance: &Instance) -> &mut Self {
        for argv in &instance.setup {
            let own = self.command(argv.clone());
            let is_it = |step: &Step| matches!(step, Step::Run { command, .. } if *command == own);
            if !self.plan.steps.iter().any(is_it) {
                self.run(argv.clone());
            }
        }
        self
    }

    /// Runs a command of the harness.
    pub fn run(&mut self, argv: Vec<Bytes>) -> &mut Self {
        let command = self.command(argv);
        self.step(Step::Run {
            command,
            deadline_us: 30_000_000,
        })
    }

    /// Changes something from outside.
    pub fn drift(&mut self, drift: Drift) -> &mut Self {
        self.step(Step::Drift(drift))
    }

    /// Changes several things from outside.
    pub fn drifts(&mut self, drifts: &[Drift]) -> &mut Self {
        for drift in drifts {
            self.drift(drift.clone());
        }
        self
    }

    /// Spoils what the subject has brought about. `may_fail`: a command undoes what it may not have done.
    pub fn spoil(&mut self, how: &Spoil, may_fail: bool) -> &mut Self {
        match how {
            Spoil::Files(drifts) => self.drifts(drifts),
            Spoil::Command(words) => {
                let drift = Drift::Command {
                    command: self.command(words.clone()),
                    words: words.clone(),
                    deadline_us: 30_000_000,
                    may_fail,
                };
                self.drift(drift)
            }
        }
    }

    /// Protects the scratch directory against writes.
    pub fn protect(&mut self, how: Protection) -> &mut Self {
        self.case.protection = Some(how);
        self.step(Step::Protect { how })
    }

    /// Starts a process of the subject; later steps are about it.
    pub fn start(&mut self, process: usize) -> &mut Self {
        self.process = process;
        if self.observing {
            self.observe("start");
        }
        self.step(Step::Start {
            process,
            command: 0,
        })
    }

    /// The process that the next steps are about.
    pub fn process(&self) -> usize {
        self.process
    }

    /// Switches to another process.
    pub fn with(&mut self, process: usize) -> &mut Self {
        self.process = process;
        self
    }

    /// Sends a message.
    pub fn send(&mut self, send: Send) -> &mut Self {
        let answered = send.answer == Answer::Now;
        let key = send.key.clone();
        self.step(Step::Send(send));
        if self.observing && answered {
            self.observe(key.as_str());
        }
        self
    }

    /// Has a message with this key been sent to the current process?
    pub fn has_sent(&self, key: &Key) -> bool {
        self.sent().any(|send| send.key == *key)
    }

    /// The messages to the current process so far.
    pub fn sent(&self) -> impl Iterator<Item = &Send> {
        self.plan.steps.iter().filter_map(|step| match step {
            Step::Send(send) if send.process == self.process => Some(send),
            _ => None,
        })
    }

    /// The traps that are laid out.
    pub fn traps(&self) -> &[Trap] {
        &self.case.traps
    }

    /// The item with a label, if it was provided.
    pub fn item(&self, label: &str) -> Option<&Item> {
        self.case.items.iter().find(|item| &*item.label == label)
    }

    /// A message with the usual settings.
    pub fn message(&self, phase: Phase, key: impl Into<Key>, data: Vec<u8>) -> Send {
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

    /// Sends a fresh process whatever must come first.
    pub fn greet(&mut self) -> &mut Self {
        self.setting.verbs.greet(self);
        self
    }

    /// Is there a message that asks about an item?
    fn can_ask(&self) -> bool {
        self.setting.capabilities().tells != Tells::Nothing
    }

    /// Asks about an item: whether it is valid, or else what its state is. A subject that tells neither gets
    /// no message.
    pub fn validate(&mut self, item: &Instance) -> &mut Self {
        self.validate_as(Purpose::VALIDATE, item)
    }

    /// Like [`CaseBuilder::validate`], under another key.
    pub fn validate_as(&mut self, key: impl Into<Key>, item: &Instance) -> &mut Self {
        self.validate_with(key, item, |_| {})
    }

    /// Like [`CaseBuilder::validate_as`], with a change to the message.
    pub fn validate_with(
        &mut self,
        key: impl Into<Key>,
        item: &Instance,
        mut change: impl FnMut(&mut Send),
    ) -> &mut Self {
        self.provide(item);
        if !self.can_ask() {
            return self;
        }
        let ask = Ask {
            key: key.into().of(&item.info.label),
            item,
            requires: None,
        };
        self.setting.verbs.validate(self, ask, &mut change);
        self
    }

    /// Without a sandbox, only the author's own examples are evaluated: a probe could do anything
    /// to the system.
    pub fn may_evaluate(&self, item: &Instance) -> bool {
        let is_probe = item.info.variation == Some(Variation::Probe);
        !is_probe && (self.setting.sandboxed || item.info.original)
    }

    /// Has an item brought about, if its validation was accepted.
    pub fn evaluate(&mut self, item: &Instance) -> &mut Self {
        self.evaluate_as(Purpose::EVALUATE, Purpose::VALIDATE, item)
    }

    /// Looks whether what the author declared holds after an evaluation.
    pub fn verify(&mut self, key: impl Into<Key>, item: &Instance) -> &mut Self {
        let key = key.into().of(&item.info.label);
        for holds in &item.holds {
            let declared = match holds {
                Holds::Path(declared) => declared.clone(),
                Holds::Command(words) => Declared::Succeeds {
                    command: self.command(words.clone()),
                    words: words.clone(),
                    deadline_us: 30_000_000,
                },
            };
            self.step(Step::Verify {
                key: key.clone(),
                declared: Box::new(declared),
            });
        }
        // What the commands change is not the subject's doing.
        if item
            .holds
            .iter()
            .any(|holds| matches!(holds, Holds::Command(_)))
        {
            self.observe("verified");
        }
        self
    }

    /// Like [`CaseBuilder::evaluate`], under another key and after another validation.
    pub fn evaluate_as(
        &mut self,
        key: impl Into<Key>,
        requires: impl Into<Key>,
        item: &Instance,
    ) -> &mut Self {
        self.evaluate_with(key, requires, item, |_| {})
    }

    /// Like [`CaseBuilder::evaluate_as`], with a change to the message that starts the work.
    pub fn evaluate_with(
        &mut self,
        key: impl Into<Key>,
        requires: impl Into<Key>,
        item: &Instance,
        mut change: impl FnMut(&mut Send),
    ) -> &mut Self {
        if !self.may_evaluate(item) {
            return self;
        }
        self.provide(item);
        let ask = Ask {
            key: key.into().of(&item.info.label),
            item,
            requires: self.can_ask().then(|| requires.into().of(&item.info.label)),
        };
        self.setting.verbs.evaluate(self, ask, &mut change);
        self
    }

    /// Asks the process to end, as an agent does, and waits until it ends.
    pub fn terminate(&mut self) -> &mut Self {
        self.setting.verbs.farewell(self);
        self.close_and_wait()
    }

    /// Marks the last message as sent after something that no agent sends.
    pub fn grade_last(&mut self, provenance: Provenance) -> &mut Self {
        self.change_last(|send| send.provenance = provenance)
    }

    /// Changes the last message.
    pub fn change_last(&mut self, change: impl FnOnce(&mut Send)) -> &mut Self {
        let mut steps = self.plan.steps.iter_mut().rev();
        let last = steps.find_map(|step| match step {
            Step::Send(send) => Some(send),
            _ => None,
        });
        last.map(change);
        self
    }

    /// Closes standard input and waits for the process to end.
    pub fn close_and_wait(&mut self) -> &mut Self {
        let process = self.process;
        let deadline_us = self.deadlines.of(self.setting.vocabulary().closing);
        self.step(Step::CloseInput { process });
        self.step(Step::AwaitExit {
            process,
            deadline_us,
        })
    }

    /// Starts the first process and greets it.
    pub fn open(&mut self) -> &mut Self {
        self.start(0).greet()
    }

    /// How far the case has come, for [`CaseBuilder::rewind`].
    pub fn mark(&self) -> Mark {
        Mark {
            steps: self.plan.steps.len(),
            commands: self.plan.commands.len(),
            items: self.case.items.len(),
            process: self.process,
        }
    }

    /// Takes out what was added since a mark: steps, their commands and their items.
    pub fn rewind(&mut self, mark: Mark) -> &mut Self {
        self.plan.steps.truncate(mark.steps);
        self.plan.commands.truncate(mark.commands);
        self.case.items.truncate(mark.items);
        self.process = mark.process;
        self
    }

    /// The steps since a mark.
    pub fn since(&self, mark: Mark) -> &[Step] {
        self.plan.steps.get(mark.steps..).unwrap_or_default()
    }

    /// The items that it has so far.
    pub fn items(&self) -> &[Item] {
        &self.case.items
    }

    /// The case as it is now; the builder keeps it.
    pub fn so_far(&self) -> Case {
        Case {
            plan: Some(self.plan.clone()),
            ..self.case.clone()
        }
    }

    /// The finished case.
    pub fn build(&mut self) -> Case {
        let mut case = std::mem::take(&mut self.case);
        case.plan = Some(std::mem::take(&mut self.plan));
        case
    }
}

/// A place in a case that is being built.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    steps: usize,
    commands: usize,
    items: usize,
    process: usize,
}
