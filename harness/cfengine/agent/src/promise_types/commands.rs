//! `commands` promises.

use super::files::accounts::user_name;
use crate::context::Agent;
use crate::log::Severity;
use crate::outcome::Outcome;
use crate::process::{NO_POWERSHELL, Spec, not_run, of_child, program_of};
use crate::promise::Expanded;
use crate::scan;
use crate::stop::Step;
use crate::value::{Text, Value};
use cfengine_policy::text;
use rustix::process::{Gid, getegid, geteuid, getgid, getuid};
use std::rc::Rc;
use std::time::Duration;

/// The most bytes of a command's output that are collected into one log message.
const GATHERED: usize = 4096;

/// The most bytes of a command line; the rest is cut off.
const LONGEST: usize = 4095;

/// A command's name as shown before its output: its last bytes.
fn shortened(line: &str) -> String {
    let line = text::encode(line);
    let end = memchr::memchr(b' ', &line).unwrap_or(line.len());
    let start = end.saturating_sub(10);
    text::decode(&line[start..line.len().min(start + 15)]).into_owned()
}

/// Whether cf-agent treats a line as empty.
fn is_blank(line: &str) -> bool {
    line.bytes()
        .all(|byte| byte.is_ascii_whitespace() || byte == 0x0b)
}

/// Why cf-agent's child can't change its group. The child also looks up its owner's groups.
fn group_refused(gid: u32, owner: u32) -> Option<String> {
    let root = geteuid().is_root();
    if !root && ![getgid(), getegid()].map(Gid::as_raw).contains(&gid) {
        return Some(format!(
            "Couldn't set gid to '{gid}'. (setgid: Operation not permitted)"
        ));
    }
    match user_name(owner) {
        None => Some(format!(
            "Unable to get login groups when dropping privilege to '{owner}'. (getpwuid: Success)"
        )),
        Some(name) if !root => Some(format!(
            "Unable to set login groups when dropping privilege to '{name}={owner}'. (initgroups: Operation not permitted)"
        )),
        Some(_) => None,
    }
}

/// Why cf-agent's child can't change its user.
fn user_refused(uid: u32) -> Option<String> {
    let own = [getuid(), geteuid()];
    let may = own.iter().any(|own| own.is_root() || own.as_raw() == uid);
    (!may).then(|| format!("Couldn't set uid to '{uid}'. (setuid: Operation not permitted)"))
}

impl Agent {
    /// Runs a command.
    pub(crate) fn keep_command(&mut self, promise: &Rc<Expanded>) -> Step<Outcome> {
        self.read_octal(promise, "umask");
        let owner = self.account_to_run(promise, true);
        let group = self.account_to_run(promise, false);
        self.read_int(promise, "exec_timeout");
        self.read_attributes(promise);
        let line = command_line(promise);
        if promise.is_true("no_output") && promise.is_true("preview") {
            let message = "no_output and preview are mutually exclusive (broken promise)";
            self.say(Severity::Error, message);
            self.say_place(Severity::Error, promise);
            return Ok(Outcome::Failed);
        }
        if !self.claim(promise, &line) {
            return Ok(Outcome::Skipped);
        }
        self.say_promise(promise);
        let mut outcome = Outcome::Kept;
        let line = text::encode(&line);
        let line = text::decode(&line[..line.len().min(LONGEST)]);
        self.run_command(promise, &line, (owner, group), &mut outcome)?;
        Ok(outcome)
    }

    fn run_command(
        &mut self,
        promise: &Rc<Expanded>,
        line: &str,
        (owner, group): (Option<u32>, Option<u32>),
        outcome: &mut Outcome,
    ) -> Step<()> {
        let shell = promise.text("useshell").map(|shell| &**shell);
        let powershell = shell == Some("powershell");
        let shell = matches!(shell, Some("true" | "yes" | "on" | "useshell"));
        let program = program_of(&promise.promiser);
        if program.starts_with('/') || !(shell || powershell) {
            if !self.can_execute(program) {
                let message = format!("'{}' promises to be executable but isn't", promise.promiser);
                self.conclude(Severity::Error, Outcome::Failed, promise, message);
                if promise.promiser.contains(' ') {
                    let promiser = &promise.promiser;
                    self.verbose(|| {
                        format!("Paths with spaces must be inside escaped quoutes (e.g. \\\"{promiser}\\\")")
                    });
                }
                *outcome = Outcome::Failed;
                return Ok(());
            }
            self.verbose(|| {
                format!("Promiser string contains a valid executable '{program}' - ok")
            });
        }
        let inform = match promise.text("inform") {
            Some(_) if !promise.is_true("inform") => Severity::Verbose,
            _ => Severity::Info,
        };
        let timeout = promise.int("exec_timeout");
        let limit = match timeout {
            Some(seconds) => format!("timeout={seconds}s"),
            None => "no timeout".to_owned(),
        };
        let uid = owner.map_or(String::new(), |uid| format!(",uid={uid}"));
        let gid = group.map_or(String::new(), |gid| format!(",gid={gid}"));
        self.say(
            inform,
            format!("Executing '{limit}{uid}{gid}' ... '{line}'"),
        );
        if self.is_dry() && !promise.is_true("preview") {
            let message = format!("Would execute script '{line}'");
            self.conclude(Severity::Warning, Outcome::Warned, promise, message);
            *outcome = Outcome::Warned;
            return Ok(());
        }
        if promise.only_warns() {
            let message =
                format!("Command '{line}' needs to be executed, but only warning was promised");
            self.conclude(Severity::Warning, Outcome::Warned, promise, message);
            *outcome = Outcome::Warned;
            return Ok(());
        }
        let umask = promise
            .text("umask")
            .and_then(|text| u32::from_str_radix(text, 8).ok());
        let folder = promise.text("chdir").filter(|text| !text.is_empty());
        let spec = Spec {
            line,
            shell,
            directory: folder.map(|text| &**text),
            umask: Some(umask.unwrap_or(0o77)),
            uid: owner,
            gid: group,
            timeout: timeout
                .and_then(|s| u64::try_from(s).ok())
                .map(Duration::from_secs),
            ..Spec::default()
        };
        let beside = promise.is_true("background");
        if beside {
            self.verbose(|| format!("Backgrounding job '{line}'"));
        }
        if powershell {
            self.say_umask(line, umask);
            self.say(Severity::Error, NO_POWERSHELL);
            if beside {
                let message = "cf-agent 3.21.0 would run what follows twice here";
                self.say(Severity::Error, message);
            }
            *outcome = Outcome::Failed;
            return Ok(());
        }
        // cf-agent's child prints an error in place of the program's output.
        let kept_out = spec.directory.and_then(|folder| self.kept_out(folder));
        let is_out = kept_out.is_some();
        let of_group = group.and_then(|gid| group_refused(gid, owner.unwrap_or(u32::MAX)));
        let refused = of_group.clone().or_else(|| user_refused(owner?));
        let stopped = kept_out.or_else(|| refused.map(|message| of_child(&message)));
        // The log lines of cf-agent's child are part of the program's output.
        let mut said = String::new();
        if self.would(Severity::Verbose) && !is_out {
            let gid = group.map(|gid| format!(" verbose: Changing gid to {gid}\n"));
            let uid = owner.filter(|_| of_group.is_none());
            let uid = uid.map(|uid| format!(" verbose: Changing uid to '{uid}'\n"));
            said.extend(gid.into_iter().chain(uid));
        }
        let ordered = Ordered {
            promise: promise.clone(),
            line: line.to_owned(),
            said,
            inform,
            umask,
            level: self.voice.log.level,
        };
        let not_started = |reason: String| (of_child(&not_run(program, &reason)), Some(1));
        if !beside {
            self.say_umask(line, umask);
            let (output, exit) = match stopped {
                Some(said) => (said, Some(1)),
                None => self.execute(&spec).unwrap_or_else(not_started),
            };
            return self.tell_output(&ordered, &output, exit, outcome);
        }
        let started = match stopped {
            Some(said) => Err((said, Some(1))),
            None => self.start(&spec).map_err(not_started),
        };
        self.run_beside(ordered, started);
        self.say(inform, format!("Completed execution of '{line}'"));
        Ok(())
    }

    fn say_umask(&mut self, line: &str, umask: Option<u32>) {
        self.verbose(|| format!("Setting umask to {:o}", umask.unwrap_or(0o77)));
        if umask == Some(0) {
            self.verbose(|| {
                format!("Programming '{line}' running with umask 0! Use umask= to set")
            });
        }
    }

    /// Reports a command that ran in the background.
    pub(crate) fn tell_command(
        &mut self,
        ordered: &Ordered,
        output: &str,
        exit: Option<i32>,
        outcome: &mut Outcome,
    ) -> Step<()> {
        self.say_umask(&ordered.line, ordered.umask);
        self.tell_output(ordered, output, exit, outcome)
    }

    /// Reports a command's output and exit code.
    fn tell_output(
        &mut self,
        ordered: &Ordered,
        output: &str,
        exit: Option<i32>,
        outcome: &mut Outcome,
    ) -> Step<()> {
        let Ordered {
            promise,
            line,
            said,
            inform,
            ..
        } = ordered;
        let inform = *inform;
        let quoted = self.take_output(promise, line, &format!("{said}{output}"))?;
        match exit {
            Some(code) if code >= 0 => self.judge_exit(code, promise, inform, outcome),
            _ => {
                let message = format!(
                    "Finished script '{}' - failed (abnormal termination)",
                    promise.promiser
                );
                self.conclude(Severity::Error, Outcome::Failed, promise, message);
                *outcome = Outcome::Failed;
            }
        }
        if quoted.count > 0 {
            if !quoted.text.is_empty() {
                self.say(Severity::Notice, &quoted.text);
            }
            let message = format!(
                "Last {} quoted lines were generated by promiser '{line}'",
                quoted.count
            );
            self.say(Severity::Info, message);
        }
        self.say(inform, format!("Completed execution of '{line}'"));
        Ok(())
    }

    fn take_output(&mut self, promise: &Expanded, line: &str, output: &str) -> Step<Quoted> {
        let module = promise.is_true("module");
        let silent = match promise.text("no_output") {
            Some(_) => promise.is_true("no_output"),
            None => module,
        };
        let mut state = module.then(|| self.module_state(line, !silent));
        let short = shortened(line);
        let mut quoted = Quoted::default();
        for said in scan::lines(output) {
            if said.contains("cfengine-die") {
                break;
            }
            if promise.is_true("preview") {
                const MARKS: [&str; 6] = [
                    ":silent:",
                    ":inform:",
                    ":verbose:",
                    ":editverbose:",
                    ":error:",
                    ":logonly:",
                ];
                let message = MARKS.iter().find_map(|mark| said.strip_prefix(mark));
                let message = message.unwrap_or(said);
                self.verbose(|| format!("'{message}', preview of '{line}'"));
            }
            if let Some(state) = &mut state {
                self.module_line(state, said)?;
            }
            if silent || is_blank(said) {
                continue;
            }
            quoted.count += 1;
            let length = text::encode(&short).len() + text::encode(said).len() + 12;
            if length > GATHERED {
                self.say(Severity::Notice, format!("Q: '{short}': {said}"));
                continue;
            }
            if quoted.text.len() + length > GATHERED {
                let text = std::mem::take(&mut quoted.text);
                self.say(Severity::Notice, text);
            }
            quoted
                .text
                .push_str(&format!("Q: \"...{short}\": {said}\n"));
        }
        Ok(quoted)
    }

    pub(super) fn judge_exit(
        &mut self,
        code: i32,
        promise: &Expanded,
        inform: Severity,
        outcome: &mut Outcome,
    ) {
        let promiser = &promise.promiser;
        let lists = [
            ("kept_returncodes", Outcome::Kept, "kept"),
            ("repaired_returncodes", Outcome::Repaired, "repaired"),
            ("failed_returncodes", Outcome::Failed, "failed"),
        ];
        if lists.iter().all(|(name, ..)| promise.get(name).is_none()) {
            let (level, became, message) = if code == 0 {
                let message =
                    format!("Finished command related to promiser '{promiser}' -- succeeded");
                (Severity::Verbose, Outcome::Repaired, message)
            } else {
                let message = format!(
                    "Finished command related to promiser '{promiser}' -- an error occurred, returned {code}"
                );
                (Severity::Error, Outcome::Failed, message)
            };
            self.conclude(level, became, promise, message);
            *outcome = outcome.and(became);
            return;
        }
        let own = Text::from(code.to_string());
        let mut matched = false;
        for (name, became, word) in lists {
            if !promise.texts(name).contains(&own) {
                continue;
            }
            matched = true;
            let level = if became == Outcome::Failed {
                Severity::Error
            } else {
                inform
            };
            let message = format!(
                "Command related to promiser '{promiser}' returned code '{code}' defined as promise {word}"
            );
            self.conclude(level, became, promise, message);
            *outcome = outcome.and(became);
        }
        if !matched {
            let message = format!(
                "Command related to promiser '{promiser}' returned code '{code}' not defined as promise kept, not kept or repaired; setting to failed"
            );
            self.conclude(inform, Outcome::Failed, promise, message);
            *outcome = outcome.and(Outcome::Failed);
        }
    }
}

/// A command that the agent runs.
pub(crate) struct Ordered {
    promise: Rc<Expanded>,
    pub(crate) line: String,
    /// The child's own log lines, before the output.
    said: String,
    /// The level of the messages about it.
    inform: Severity,
    umask: Option<u32>,
    /// The log level of its promise.
    pub(crate) level: Severity,
}

/// Output that is not printed yet.
#[derive(Default)]
struct Quoted {
    text: String,
    count: usize,
}

fn command_line(promise: &Expanded) -> String {
    let mut line = promise.promiser.to_string();
    if let Some(arguments) = promise.text("args") {
        line.push(' ');
        line.push_str(arguments);
    }
    let list = promise.get("arglist").and_then(Value::items);
    for argument in list.unwrap_or_default().iter().filter_map(Value::scalar) {
        line.push(' ');
        line.push_str(argument);
    }
    line
}
