//! Runs bundles: three passes over their promises in normal order, custom types last.

use crate::context::{Agent, Frame, LAST_PASS};
use crate::log::Severity;
use crate::outcome::{Counts, Outcome};
use crate::program::{self, Bundle, NORMAL_ORDER, Section};
use crate::promise::{Action, Expanded};
use crate::promise_types::lacking;
use crate::stop::{Step, Stop};
use crate::value::{Value, show_list};
use cfengine_policy::text;
use std::rc::Rc;

impl Agent {
    /// Runs a bundle that is already entered.
    pub(crate) fn run_bundle(&mut self, bundle: &Rc<Bundle>) -> Step<Outcome> {
        let before = self.counts;
        let outcome = self.run_passes(bundle)?;
        self.say_compliance(bundle, before);
        Ok(outcome)
    }

    fn run_passes(&mut self, bundle: &Rc<Bundle>) -> Step<Outcome> {
        let mut outcome = Outcome::Skipped;
        let top_down = bundle.top_down.unwrap_or(self.voice.control.top_down);
        for pass in 1..=LAST_PASS {
            if top_down {
                for section in &bundle.placed {
                    if self.run_section(bundle, section, pass, &mut outcome)? {
                        return Ok(outcome);
                    }
                }
                continue;
            }
            for kind in NORMAL_ORDER {
                let Some(section) = bundle.section(kind) else {
                    continue;
                };
                if section.promises.is_empty() {
                    continue;
                }
                self.say_section(kind, pass);
                let ended = self.run_section(bundle, section, pass, &mut outcome)?;
                if kind == "storage" {
                    self.leave_storage(bundle)?;
                }
                if ended {
                    return Ok(outcome);
                }
                if kind == "classes" {
                    self.settle_bundle(bundle)?;
                    self.take_all(bundle, "defaults", Action::Default)?;
                }
            }
            for section in &bundle.sections {
                if !program::is_built_in(&section.kind)
                    && self.run_section(bundle, section, pass, &mut outcome)?
                {
                    return Ok(outcome);
                }
            }
        }
        Ok(outcome)
    }

    /// The end of a storage section; the reference agent never keeps storage promises.
    fn leave_storage(&mut self, bundle: &Bundle) -> Step<()> {
        self.verbose(|| "Number of changes observed in '/etc/fstab' is 0".into());
        if self.voice.control.mounts && !self.is_dry() {
            return Err(Stop::Refused(format!(
                "{}: attribute \"mountfilesystems\" is not supported by the reference agent\n",
                bundle.path
            )));
        }
        Ok(())
    }

    /// Runs a section. True if the bundle or the whole run was aborted.
    fn run_section(
        &mut self,
        bundle: &Rc<Bundle>,
        section: &Rc<Section>,
        pass: u32,
        outcome: &mut Outcome,
    ) -> Step<bool> {
        self.frames.push(Frame::Section);
        for promise in &section.promises {
            self.pass = pass;
            let taken = self.take(promise, bundle, Action::Keep)?;
            *outcome = outcome.and(taken);
            if self.aborted || std::mem::take(&mut self.bundle_aborted) {
                self.leave();
                return Ok(true);
            }
        }
        self.leave();
        Ok(false)
    }

    /// Defines a bundle's variables, and the classes of a common one.
    pub(crate) fn settle_bundle(&mut self, bundle: &Rc<Bundle>) -> Step<()> {
        self.remove_injected(bundle);
        if &*bundle.component == "common" {
            self.take_all(bundle, "vars", Action::Variable)?;
            self.take_all(bundle, "classes", Action::Class)?;
        }
        self.take_all(bundle, "vars", Action::Variable)
    }

    /// Evaluates all promises of a type once.
    pub(crate) fn take_all(&mut self, bundle: &Rc<Bundle>, kind: &str, action: Action) -> Step<()> {
        if let Some(section) = bundle.section(kind) {
            self.frames.push(Frame::Section);
            for promise in &section.promises {
                self.take(promise, bundle, action)?;
            }
            self.leave();
        }
        Ok(())
    }

    /// Keeps a promise in one of the passes.
    pub(crate) fn keep(&mut self, promise: &Rc<Expanded>) -> Step<Outcome> {
        if let Some(name) = lacking(promise) {
            let outcome = self.fail_without(name, promise)?;
            self.say_status(outcome, promise);
            return Ok(outcome);
        }
        let outcome = match &*promise.written.kind {
            "meta" | "vars" => {
                self.verbose(|| format!("V:     Computing value of '{}'", promise.promiser));
                self.define_variable(promise)?
            }
            "defaults" => self.define_default(promise)?,
            "classes" => self.define_class(promise)?,
            "methods" => self.keep_method(promise)?,
            "commands" => self.keep_command(promise)?,
            "reports" => self.keep_report(promise)?,
            "files" => {
                let (outcome, promise) = self.keep_files_somewhere(promise)?;
                self.say_status(outcome, &promise);
                return Ok(outcome);
            }
            kind if !program::is_built_in(kind) => self.keep_custom(promise)?,
            kind => self.fail_unsupported(kind, promise)?,
        };
        self.say_status(outcome, promise);
        Ok(outcome)
    }

    fn fail_unsupported(&mut self, kind: &str, promise: &Rc<Expanded>) -> Step<Outcome> {
        if let Some(places) = self.unsupported.kinds.get(kind) {
            return Err(Stop::Refused(places.clone()));
        }
        Ok(self.fail_for_lack_of(&format!("promise type '{kind}'"), promise))
    }

    /// Does not keep a promise that has an unsupported attribute.
    fn fail_without(&mut self, name: &str, promise: &Rc<Expanded>) -> Step<Outcome> {
        if !self.voice.options.skip_unsupported {
            // The search before the run does not know default bodies.
            let (file, line) = (&promise.bundle.path, promise.written.line);
            return Err(Stop::Refused(format!(
                "{file}:{line}: attribute \"{name}\" is not supported by the reference agent\n"
            )));
        }
        Ok(self.fail_for_lack_of(&format!("attribute '{name}'"), promise))
    }

    fn fail_for_lack_of(&mut self, what: &str, promise: &Rc<Expanded>) -> Outcome {
        if !self.done.insert(promise.identity(&promise.promiser)) {
            return Outcome::Skipped;
        }
        let message = format!(
            "{what} is not supported by the reference agent: promise '{}' is not kept",
            promise.promiser
        );
        self.conclude(Severity::Error, Outcome::Failed, promise, message);
        Outcome::Failed
    }

    fn say_section(&mut self, kind: &str, pass: u32) {
        if !self.would(Severity::Verbose) {
            return;
        }
        let (letter, what) = match kind {
            "classes" => ("C", "classes / conditions"),
            "vars" => ("V", "variables"),
            _ => return,
        };
        let dots = ".........................................................";
        self.say(Severity::Verbose, format!("{letter}: {dots}"));
        self.say(
            Severity::Verbose,
            format!("{letter}: BEGIN {what} (pass {pass})"),
        );
    }

    fn say_status(&mut self, outcome: Outcome, promise: &Expanded) {
        let kind = &*promise.written.kind;
        if matches!(kind, "vars" | "classes") {
            return;
        }
        let line = match outcome {
            Outcome::Skipped => return,
            Outcome::Kept => "A: Promise was KEPT",
            Outcome::Repaired => "A: Promise REPAIRED",
            Outcome::Warned | Outcome::Failed | Outcome::Interrupted => "A: Promise NOT KEPT!",
            Outcome::Denied => "A: Promise NOT KEPT - denied",
        };
        if self.voice.log.is_json() {
            self.voice.log.event(&[
                ("event", "promise"),
                ("type", kind),
                ("promiser", &promise.promiser),
                ("outcome", outcome.word()),
                ("bundle", &promise.bundle.name),
                ("file", &promise.bundle.path),
                ("line", &promise.written.line.to_string()),
            ]);
        }
        if !self.would(Severity::Verbose) {
            return;
        }
        self.say(Severity::Verbose, line);
        // cf-agent truncates by bytes, even within a character.
        let name = text::encode(&promise.promiser);
        let (short, dots) = match name.get(..30) {
            Some(short) if name.len() > 30 => (text::decode(short), "..."),
            _ => (text::decode(&name), ""),
        };
        self.say(
            Severity::Verbose,
            format!("P: END {kind} promise ({short}{dots})"),
        );
    }

    /// Reports that the agent is about to keep a promise.
    pub(crate) fn say_promise(&mut self, promise: &Expanded) {
        if !self.would(Severity::Verbose) {
            return;
        }
        let dots = ".........................................................";
        let mut lines = vec![
            format!("P: {dots}"),
            format!(
                "P: BEGIN promise '{}' of type \"{}\" (pass {})",
                promise.handle().cloned().unwrap_or_else(|| promise.id()),
                promise.written.kind,
                self.pass
            ),
            format!(
                "P:    Promiser/affected object: '{}'",
                abbreviated(&promise.promiser, true)
            ),
        ];
        match &self.bundle_arguments {
            Some(arguments) => lines.push(format!(
                "P:    From parameterized bundle: {}({})",
                promise.bundle.name,
                show_list(arguments)
            )),
            None => lines.push(format!("P:    Part of bundle: {}", promise.bundle.name)),
        }
        let guard = promise.written.guard.as_ref();
        lines.push(format!(
            "P:    Base context class: {}",
            guard.map_or("any", |guard| &*guard.text)
        ));
        for name in ["if", "ifvarclass", "unless"] {
            if let Some(condition) = promise.get(name) {
                let shown = if name == "unless" { name } else { "if" };
                lines.push(format!(
                    "P:    \"{shown}\" class condition: {}",
                    condition.show(false)
                ));
                break;
            }
        }
        lines.push(format!("P:    Stack path: {}", self.stack_path()));
        if let Some(comment) = &promise.comment {
            lines.push("P:\n".into());
            lines.push(format!("P:    Comment:  {comment}"));
        }
        for line in lines {
            self.say(Severity::Verbose, line);
        }
    }

    fn stack_path(&self) -> String {
        let mut path = String::new();
        let last = self.frames.len().saturating_sub(1);
        for (at, frame) in self.frames.iter().enumerate() {
            match frame {
                Frame::Bundle(frame) => {
                    path.push_str(&format!(
                        "/{}/{}",
                        frame.bundle.namespace, frame.bundle.name
                    ));
                }
                Frame::Iteration(frame) => {
                    path.push_str(&format!(
                        "/{}/'{}'",
                        frame.promise.written.kind,
                        abbreviated(&frame.promise.promiser, false)
                    ));
                    if at == last {
                        path.push_str(&format!("[{}]", frame.index));
                    }
                }
                _ => {}
            }
        }
        path
    }

    pub(crate) fn say_bundle(&mut self, bundle: &Bundle, arguments: &[Value]) {
        if !self.would(Severity::Verbose) {
            return;
        }
        let stars = "*****************************************************************";
        let arguments = match arguments {
            [] => String::new(),
            some => format!("({})", show_list(some)),
        };
        self.say(Severity::Verbose, format!("B: {stars}"));
        self.say(
            Severity::Verbose,
            format!("B: BEGIN bundle {}{arguments}", bundle.name),
        );
        self.say(Severity::Verbose, format!("B: {stars}"));
    }

    pub(crate) fn say_bundle_end(&mut self, bundle: &Bundle) {
        if !self.would(Severity::Verbose) {
            return;
        }
        let stars = "*****************************************************************";
        self.say(Severity::Verbose, format!("B: {stars}"));
        self.say(Severity::Verbose, format!("B: END bundle {}", bundle.name));
        self.say(Severity::Verbose, format!("B: {stars}"));
    }

    fn say_compliance(&mut self, bundle: &Bundle, before: Counts) {
        if !self.would(Severity::Verbose) {
            return;
        }
        let name = &bundle.name;
        let dots = "A: ...................................................";
        let kept = self.counts.kept - before.kept;
        let not_kept = self.counts.not_kept - before.not_kept;
        let repaired = self.counts.repaired - before.repaired;
        let all = kept + not_kept + repaired;
        let mut lines = vec![
            dots.to_owned(),
            format!(
                "A: Bundle Accounting Summary for '{name}' in namespace {}",
                bundle.namespace
            ),
        ];
        if all == 0 {
            lines.push(format!("A: Zero promises executed for bundle '{name}'"));
        } else {
            lines.push(format!("A: Promises kept in '{name}' = {kept}"));
            lines.push(format!("A: Promises not kept in '{name}' = {not_kept}"));
            lines.push(format!("A: Promises repaired in '{name}' = {repaired}"));
            lines.push(format!(
                "A: Aggregate compliance (promises kept/repaired) for bundle '{name}' = {:.1}%",
                (kept + repaired) as f64 / all as f64 * 100.0
            ));
        }
        lines.push(dots.to_owned());
        for line in lines {
            self.say(Severity::Verbose, line);
        }
    }
}

/// Shortens a promiser of several lines to the first and the last one.
fn abbreviated(whole: &str, cut: bool) -> String {
    const LONGEST: usize = 19;
    let shown = match (whole.find('\n'), whole.rfind('\n')) {
        (Some(first), Some(last)) => {
            let head = &whole[..first];
            let head: String = head.chars().take(LONGEST).collect();
            let tail: Vec<char> = whole[last + 1..].chars().collect();
            let tail: String = tail[tail.len().saturating_sub(LONGEST)..].iter().collect();
            format!("{head}...{tail}")
        }
        _ => whole.to_owned(),
    };
    let shown = shown.replace('*', ":").replace('#', ".");
    if cut {
        let bytes = text::encode(&shown);
        text::decode(&bytes[..bytes.len().min(2 * LONGEST + 2)]).into_owned()
    } else {
        shown
    }
}
