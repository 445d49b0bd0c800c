//! A run, from loading the policy to the exit of the last module.

use crate::context::Agent;
use crate::load::Loader;
use crate::log::{Log, Severity};
use crate::options::{Mode, Options};
use crate::program::Bundle;
use crate::simulate;
use crate::stop::{ABORTED, Step, Stop};
use crate::value::{Text, Value, show_list};
use crate::voice::Voice;
use std::io::Write;
use std::mem::ManuallyDrop;
use std::rc::Rc;

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It ended like cf-agent, with this exit code.
    Exit(i32),
    /// The policy has unsupported constructs; the run stopped there.
    Refused(String),
    /// The policy could not be read.
    Policy(String),
    /// A limit was exceeded.
    Limit(String),
}

/// The stack size in bytes; policies nest deeply.
const STACK: usize = 256 << 20;

/// Runs a policy and prints to `sink`.
pub fn run(options: Options, sink: Box<dyn Write + Send>) -> Ended {
    on_a_deep_stack(|| evaluate(options, sink).1).unwrap_or_else(|ended| ended)
}

/// Does the same as [`run`], for a process that exits right after it: the state is not freed, which
/// is faster.
pub fn run_last(options: Options, sink: Box<dyn Write + Send>) -> Ended {
    let run = || {
        let (agent, ended) = evaluate(options, sink);
        let _left = ManuallyDrop::new(agent);
        ended
    };
    on_a_deep_stack(run).unwrap_or_else(|ended| ended)
}

/// Runs work on a large stack in the same thread. In a process with one thread, allocation is
/// cheaper.
///
/// # Errors
/// There is not enough memory for the stack.
pub(crate) fn on_a_deep_stack<T>(work: impl FnOnce() -> T) -> Result<T, Ended> {
    // Reserving first avoids a panic if there is no memory.
    let mut room = Vec::<u8>::new();
    room.try_reserve_exact(STACK).map_err(|_| {
        let mebibytes = STACK >> 20;
        Ended::Limit(format!(
            "there is no room for a stack of {mebibytes} MiB: allow this program more memory (`ulimit -v`)"
        ))
    })?;
    drop(std::hint::black_box(room));
    Ok(stacker::grow(STACK, work))
}

fn evaluate(options: Options, sink: Box<dyn Write + Send>) -> (Agent, Ended) {
    let mut log = Log::new(sink, options.format, options.level, options.limits.output);
    if matches!(options.mode, Mode::Simulate(_)) {
        let root = simulate::root(&options);
        let message = format!("All changes in files will be made in the '{root}' chroot");
        log.line(Severity::Warning, &message);
    }
    // The check always prints at its default level, whatever level the run has.
    let (mut agent, ended) = evaluated(options, log, Severity::Notice, |_| {});
    // An agent that gives up does not send `terminate`.
    let gave_up = matches!(ended, Ended::Exit(1 | 255));
    agent.end_modules(!gave_up || agent.by_specification());
    let ended = match ended {
        Ended::Exit(0 | 6) => agent.wait_for_jobs(ended),
        ended => {
            agent.voice.options.children.stop();
            ended
        }
    };
    agent.keep_for_later();
    if matches!(ended, Ended::Exit(0 | 6)) {
        agent.show_evaluated();
        agent.tell_simulated();
    }
    agent.end_simulation();
    agent.voice.log.flush();
    (agent, ended)
}

/// Checks a policy as cf-promises does, then runs it with an agent that `begin` has prepared.
pub(crate) fn evaluated(
    options: Options,
    mut log: Log,
    check_level: Severity,
    begin: impl FnOnce(&mut Agent),
) -> (Agent, Ended) {
    log.set_level(check_level);
    let of_check = Options {
        negate: Vec::new(),
        ..options.clone()
    };
    let mut check = Agent::new(Voice::new(of_check, log));
    let facts = check.facts();
    let mut loader = Loader::default();
    let checked = check.check_policy(&mut loader).map_err(rejection);
    let mut log = check.voice.log;
    log.set_level(options.level);
    let mut agent = Agent::knowing(facts, Voice::new(options, log));
    begin(&mut agent);
    let ended = match checked.and_then(|()| agent.whole_run(loader.again())) {
        Ok(()) if agent.aborted => Ended::Exit(6),
        Ok(()) => Ended::Exit(0),
        Err(stop) => agent.outcome_of(stop),
    };
    (agent, ended)
}

/// A fatal error in cf-promises makes cf-agent reject the policy.
fn rejection(stop: Stop) -> Stop {
    match stop {
        Stop::Fatal(message) => Stop::Policy(format!("Fatal CFEngine error: {message}")),
        Stop::Exit(code) => Stop::Policy(format!("the check ended with exit code {code}")),
        other => other,
    }
}

/// Checks a policy as cf-promises does, without a run. The check reads the inputs, sets variables
/// and classes, and calls functions.
///
/// # Errors
/// [`Ended::Policy`] if cf-agent rejects the policy; another value if that is unknown.
pub fn check(mut options: Options) -> Result<(), Ended> {
    options.alone = true;
    on_a_deep_stack(move || {
        let sink = Box::new(std::io::sink());
        let log = Log::new(sink, options.format, Severity::Error, options.limits.output);
        let mut agent = Agent::new(Voice::new(options, log));
        agent.put_asked_classes();
        agent.voice.log.gather(Severity::Error);
        let checked = agent.check_policy(&mut Loader::default());
        let said = agent.voice.log.gathered();
        checked.map_err(|stop| {
            let stop = match (stop, said.last()) {
                (Stop::Exit(_), Some(why)) => Stop::Policy(why.clone()),
                (Stop::Insecure(message), _) => Stop::Policy(message),
                (stop, _) => rejection(stop),
            };
            agent.outcome_of(stop)
        })
    })?
}

impl Agent {
    /// Ends the run where cf-agent aborts, and reports why.
    pub(crate) fn aborts(&mut self, why: &str) -> Stop {
        let message = format!(
            "{why}: cf-agent {} would end its run here, with exit code {ABORTED}",
            self.release().version
        );
        self.say(Severity::Error, message);
        Stop::Exit(ABORTED)
    }

    /// Waits for the background jobs.
    fn wait_for_jobs(&mut self, ended: Ended) -> Ended {
        match self.hear_jobs(true) {
            Ok(()) => ended,
            Err(stop) => self.outcome_of(stop),
        }
    }

    /// The result of a run that was stopped.
    fn outcome_of(&mut self, stop: Stop) -> Ended {
        match stop {
            Stop::Fatal(message) => {
                self.say(Severity::Error, format!("Fatal CFEngine error: {message}"));
                Ended::Exit(1)
            }
            Stop::Insecure(message) => {
                self.say(Severity::Error, message);
                Ended::Exit(1)
            }
            Stop::Exit(code) => Ended::Exit(code),
            Stop::Refused(message) => Ended::Refused(message),
            Stop::Policy(message) => Ended::Policy(message),
            Stop::Limit(message) => Ended::Limit(message),
        }
    }

    /// Does what cf-promises does before cf-agent accepts a policy: sets all variables and the
    /// classes of common bundles, and calls functions. The results are dropped.
    fn check_policy(&mut self, loader: &mut Loader) -> Step<()> {
        self.checking = true;
        self.load(loader)?;
        self.loaded = true;
        self.enter_all()?;
        self.settle_program()?;
        if self.voice.options.bundles.is_none() && !self.voice.options.alone {
            self.check_sequence()?;
        }
        Ok(())
    }

    fn check_sequence(&mut self) -> Step<()> {
        let program = self.program.clone();
        let mut ok = true;
        for item in self.sequence() {
            let name = match &item {
                Value::Scalar(name) => name.clone(),
                Value::Call(call) => call.name.clone(),
                _ => continue,
            };
            // A bundle of any component and namespace counts.
            let plain = name.split_once(':').map_or(&*name, |(_, plain)| plain);
            let named = |bundle: &Rc<Bundle>| *bundle.name == *plain || bundle.name == name;
            let found = program.bundles.iter().any(named);
            if !found && !self.voice.control.ignore_missing_bundles {
                let message =
                    format!("Bundle '{name}' listed in the bundlesequence is not a defined bundle");
                self.say(Severity::Error, message);
                ok = false;
            }
        }
        if ok {
            return Ok(());
        }
        Err(Stop::Fatal(
            "Errors in promise bundles: could not verify bundlesequence".into(),
        ))
    }

    fn whole_run(&mut self, mut loader: Loader) -> Step<()> {
        self.load(&mut loader)?;
        self.converge()?;
        if self.voice.options.bundles.is_none() {
            self.check_sequence()?;
        }
        self.settle_agent_control()?;
        if self.aborted {
            return Ok(());
        }
        self.run_sequence()?;
        self.tick()
    }

    fn run_sequence(&mut self) -> Step<()> {
        let sequence = self.sequence();
        let banner = "----------------------------------------------------------------";
        self.verbose(|| banner.into());
        self.verbose(|| " Begin policy/promise evaluation ".into());
        self.verbose(|| banner.into());
        if self.voice.options.bundles.is_some() {
            self.say(
                Severity::Info,
                "Using command line specified bundlesequence",
            );
        }
        let program = self.program.clone();
        let mut ok = true;
        let mut bundles = Vec::new();
        for item in &sequence {
            let (name, arguments): (Text, &[Value]) = match item {
                Value::Scalar(name) => (name.clone(), &[]),
                Value::Call(call) => (call.name.clone(), &call.arguments),
                _ => continue,
            };
            let (namespace, plain) = self.qualified(&name);
            let found = program
                .bundle("agent", &namespace, &plain)
                .or_else(|| program.bundle("common", &namespace, &plain));
            match found {
                None if !self.voice.control.ignore_missing_bundles => {
                    let message =
                        format!("Bundle '{name}' listed in the bundlesequence was not found");
                    self.say(Severity::Error, message);
                    ok = false;
                }
                found => bundles.push((name, found.cloned(), arguments)),
            }
        }
        if !ok {
            return Err(Stop::Fatal("Errors in agent bundles".into()));
        }
        self.verbose(|| format!("Using bundlesequence => {}", show_list(&sequence)));
        for (name, bundle, arguments) in bundles {
            let Some(bundle) = bundle else {
                self.verbose(|| format!("Ignoring missing bundle '{name}'"));
                continue;
            };
            self.say_bundle(&bundle, arguments);
            self.bundle_arguments = Some(arguments)
                .filter(|arguments| !arguments.is_empty())
                .map(|arguments| Rc::new(arguments.to_vec()));
            self.enter_bundle(&bundle, arguments, false)?;
            self.run_bundle(&bundle)?;
            self.leave();
            self.say_bundle_end(&bundle);
            if self.aborted {
                break;
            }
        }
        Ok(())
    }

    /// The bundles of the command line, of the policy, or `main`.
    fn sequence(&self) -> Vec<Value> {
        match (
            &self.voice.options.bundles,
            &self.voice.control.bundlesequence,
        ) {
            (Some(names), _) => names.iter().map(|name| Value::text(&**name)).collect(),
            (None, Some(listed)) if !listed.is_empty() => listed.clone(),
            (None, _) => vec![Value::text("main")],
        }
    }
}
