//! The state of a run: variables, classes, the evaluation stack, finished promises.

mod classes;
mod frames;
mod reference;
mod resolve;
mod setting;
mod variables;

pub(crate) use classes::{Class, Classes, Reach, set_order, show as show_class};
pub(crate) use frames::{Frame, IterationFrame, PromiseFrame, body_frame};
pub(crate) use reference::{MANGLED, Reference};
pub(crate) use setting::class_name;
pub(crate) use variables::{Jenkins, Variable, Variables, bucket_count};

use crate::background::Jobs;
use crate::functions;
use crate::kept::Kept;
use crate::log::Severity;
use crate::machine::Machine;
use crate::map::Set;
use crate::module::Modules;
use crate::options::Mode;
use crate::outcome::Counts;
use crate::program::{Bundle, Program, Promise};
use crate::simulate::Simulation;
use crate::stop::{Step, Stop};
use crate::support::Unsupported;
use crate::value::{Text, Value};
use crate::voice::Voice;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// The state of a run.
pub(crate) struct Agent {
    pub(crate) voice: Voice,
    pub(crate) program: Rc<Program>,
    pub(crate) machine: Rc<Machine>,
    pub(crate) variables: Variables,
    /// The groups of the last match, for `$(match.…)`.
    pub(crate) matched: Vec<(Text, Text)>,
    pub(crate) classes: Classes,
    pub(crate) frames: Vec<Frame>,
    /// 0 before the bundles run, then 1 to 3.
    pub(crate) pass: u32,
    /// Promises that were claimed, by their identity.
    pub(crate) done: Set<Box<[u8]>>,
    /// Those of them that are the same in every pass; later passes skip them.
    pub(crate) spent: Set<*const Promise>,
    /// Handles of promises that were kept or repaired.
    pub(crate) handles: HashSet<Text>,
    pub(crate) bundle_arguments: Option<Rc<Vec<Value>>>,
    pub(crate) cache: functions::Cache,
    pub(crate) counts: Counts,
    pub(crate) bundle_aborted: bool,
    pub(crate) aborted: bool,
    pub(crate) modules: Modules,
    /// Commands that run in the background.
    pub(crate) jobs: Jobs,
    pub(crate) patterns: crate::pattern::Patterns,
    /// Promises that set variables of other bundles, by those bundles' names.
    pub(crate) remote: HashMap<Text, Vec<Rc<Promise>>>,
    pub(crate) loaded: bool,
    /// An unsupported construct that only the run could find.
    pub(crate) stopped: Option<Stop>,
    /// Whether this is the check before the run.
    pub(crate) checking: bool,
    /// Files with a copy in the repository.
    pub(crate) archived: HashSet<String>,
    /// Files whose numbered copies were rotated.
    pub(crate) rotated: HashSet<String>,
    pub(crate) kept: Kept,
    /// The copies that a simulating run changes.
    pub(crate) simulation: Option<Simulation>,
    /// Lines that insertions refer to, by bundle.
    pub(crate) anchors: HashSet<(Text, Text)>,
    /// Files that are copied only once.
    pub(crate) single_copies: HashSet<String>,
    /// The working directory after `files` promises; programs start there.
    pub(crate) directory: Option<String>,
    /// The file whose lines are being edited.
    pub(crate) editing: Option<crate::promise_types::Edit>,
    /// If set, custom promises are recorded here and not sent.
    pub(crate) surveyed: Option<Vec<crate::survey::Promised>>,
    /// The statement about the current custom promise.
    pub(crate) statement: crate::witness::Statement,
    /// Unsupported constructs that the run may never reach.
    pub(crate) unsupported: Rc<Unsupported>,
    /// Unsupported functions that the agent has already reported.
    pub(crate) told: HashSet<String>,
    /// Whether the agent evaluates a function that no promise calls.
    pub(crate) uncalled: bool,
    /// The last rewritten text of an inherited body with parameters.
    pub(crate) rewritten: Text,
    steps: u64,
}

/// The last of the three passes.
pub(crate) const LAST_PASS: u32 = 3;

/// What the agent knows before it reads a policy.
pub(crate) struct Facts {
    machine: Rc<Machine>,
    variables: Variables,
    classes: Classes,
}

impl Agent {
    /// Creates an agent and discovers the host.
    pub(crate) fn new(voice: Voice) -> Self {
        let known = Facts {
            machine: Rc::new(Machine::look()),
            variables: Variables::default(),
            classes: Classes::default(),
        };
        let mut agent = Self::empty(voice, known);
        agent.discover();
        agent.put_persistent_classes();
        agent
    }

    /// Creates an agent from the facts that another agent with the same options has found.
    pub(crate) fn knowing(known: Facts, voice: Voice) -> Self {
        let simulation = Simulation::of(&voice.options);
        let mut agent = Self::empty(voice, known);
        agent.simulation = simulation;
        agent.put_asked_classes();
        agent.put_persistent_classes();
        agent
    }

    /// The facts that other agents can reuse, before this one reads a policy.
    pub(crate) fn facts(&self) -> Facts {
        Facts {
            machine: self.machine.clone(),
            variables: self.variables.clone(),
            classes: self.classes.clone(),
        }
    }

    fn empty(voice: Voice, known: Facts) -> Self {
        Self {
            steps: voice.options.limits.steps,
            kept: Kept::new(&voice.options.workdir),
            simulation: None,
            voice,
            program: Rc::new(Program::default()),
            variables: known.variables,
            machine: known.machine,
            matched: Vec::new(),
            classes: known.classes,
            frames: Vec::new(),
            pass: 0,
            done: Set::default(),
            spent: Set::default(),
            handles: HashSet::new(),
            bundle_arguments: None,
            cache: functions::Cache::default(),
            counts: Counts::default(),
            bundle_aborted: false,
            aborted: false,
            modules: Modules::default(),
            jobs: Jobs::default(),
            patterns: crate::pattern::Patterns::default(),
            remote: HashMap::new(),
            loaded: false,
            checking: false,
            stopped: None,
            archived: HashSet::new(),
            rotated: HashSet::new(),
            anchors: HashSet::new(),
            directory: None,
            single_copies: HashSet::new(),
            editing: None,
            surveyed: None,
            statement: crate::witness::Statement::default(),
            unsupported: Rc::default(),
            told: HashSet::new(),
            uncalled: false,
            rewritten: Text::default(),
        }
    }

    /// Prints a log line.
    pub(crate) fn say(&mut self, level: Severity, message: impl AsRef<str>) {
        self.voice.log.line(level, message.as_ref());
    }

    /// Prints text that is no log line to stderr, unless warnings are turned off.
    pub(crate) fn warn(&self, text: &str) {
        self.voice.warn(text);
    }

    /// Whether a line of this level would be printed, so that it is worth formatting.
    pub(crate) fn would(&self, level: Severity) -> bool {
        self.voice.log.would(level)
    }

    /// Prints a verbose line; the message is only formatted if it is printed.
    pub(crate) fn verbose(&mut self, message: impl FnOnce() -> String) {
        if self.would(Severity::Verbose) {
            let message = message();
            self.say(Severity::Verbose, message);
        }
    }

    /// Counts a step of evaluation.
    pub(crate) fn tick(&mut self) -> Step<()> {
        self.voice.within_limit()?;
        if let Some(stop) = self.stopped.take() {
            return Err(stop);
        }
        self.steps = self.steps.checked_sub(1).ok_or_else(|| {
            Stop::Limit(format!(
                "the policy takes more than {} steps",
                self.voice.options.limits.steps
            ))
        })?;
        Ok(())
    }

    /// Whether changes are made to copies and reported, as simulate modes do.
    pub(crate) fn simulates(&self) -> bool {
        matches!(self.voice.options.mode, Mode::Simulate(_)) && !self.checking
    }

    /// Whether the run must not change anything.
    pub(crate) fn is_dry(&self) -> bool {
        self.voice.options.mode != Mode::Normal
    }

    /// The current bundle.
    pub(crate) fn bundle(&self) -> Option<&Rc<Bundle>> {
        self.bundle_frame().map(|frame| &frame.bundle)
    }
}
