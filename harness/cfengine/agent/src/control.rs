//! Control bodies.

mod said;

use crate::context::{Agent, Frame, Reference, Variable, body_frame};
use crate::log::Severity;
use crate::options::Mode;
use crate::program::Body;
use crate::stop::Step;
use crate::value::{Kind, Text, Value};
use cfengine_policy::order::TOP_DOWN;
use std::rc::Rc;

/// The settings from control bodies that evaluation needs.
#[derive(Clone, Debug)]
pub(crate) struct Control {
    pub(crate) bundlesequence: Option<Vec<Value>>,
    pub(crate) version: Option<Text>,
    pub(crate) ignore_missing_bundles: bool,
    /// Whether all filesystems are mounted after storage promises.
    pub(crate) mounts: bool,
    /// The most `files` promises in the background in a run.
    pub(crate) max_children: i64,
    pub(crate) ignore_missing_inputs: bool,
    /// Whether the results of functions that run programs are not cached.
    pub(crate) fresh_functions: bool,
    /// Additional environment variables of programs.
    pub(crate) environment: Vec<(String, String)>,
    /// After how many minutes promises are kept again, by default.
    pub(crate) if_elapsed: Option<i64>,
    pub(crate) files: crate::promise_types::FileControl,
    /// Whether promises are evaluated from top to bottom, in place of normal order.
    pub(crate) top_down: bool,
    /// Patterns of classes that end the run.
    pub(crate) abort_classes: Vec<Text>,
    /// Class expressions that end a bundle.
    pub(crate) abort_bundle_classes: Vec<Text>,
}

impl Default for Control {
    fn default() -> Self {
        Self {
            bundlesequence: None,
            version: None,
            ignore_missing_bundles: false,
            mounts: false,
            max_children: 1,
            ignore_missing_inputs: false,
            fresh_functions: false,
            environment: Vec::new(),
            if_elapsed: None,
            files: crate::promise_types::FileControl::default(),
            top_down: false,
            abort_classes: Vec::new(),
            abort_bundle_classes: Vec::new(),
        }
    }
}

impl Agent {
    /// Applies a control body; it may be applied twice.
    pub(crate) fn settle_control(&mut self, body: &Rc<Body>) -> Step<()> {
        let scope = format!("control_{}", body.kind);
        self.frames.push(Frame::Body(body_frame(body)));
        for attribute in &body.attributes {
            if !self.holds(attribute.guard.as_ref()) {
                continue;
            }
            let home = (None, Some(&*scope));
            let value = if &*attribute.name == "bundlesequence" {
                self.expand_value(&attribute.value, home)?
            } else {
                self.settle(&attribute.value, home, true)?
            };
            let reference = Reference::parse(&attribute.name, home);
            self.variables.remove(&reference);
            let kind = match &value {
                Value::List(_) => Kind::StringList,
                Value::Scalar(_) => Kind::String,
                _ => {
                    let message = format!(
                        "Attribute '{}' in {}:{} is of wrong type, skipping",
                        attribute.name, body.path, attribute.line
                    );
                    self.say(Severity::Error, message);
                    continue;
                }
            };
            let variable = Variable {
                kind,
                value: value.clone(),
                tags: Rc::new(vec!["source=promise".into()]),
                comment: None,
                promise: None,
            };
            self.put(&reference, variable)?;
            self.note_control(&attribute.name, &value);
        }
        self.leave();
        Ok(())
    }

    fn note_control(&mut self, name: &str, value: &Value) {
        let text = || value.scalar().cloned();
        let is_true = || text().is_some_and(|t| matches!(&*t, "true" | "yes" | "on"));
        match name {
            "bundlesequence" => {
                self.voice.control.bundlesequence = value.items().map(<[Value]>::to_vec);
            }
            "version" => self.voice.control.version = text(),
            "evaluation_order" => {
                self.voice.control.top_down = text().is_some_and(|order| &*order == TOP_DOWN);
            }
            "ignore_missing_bundles" => self.voice.control.ignore_missing_bundles = is_true(),
            "ignore_missing_inputs" => self.voice.control.ignore_missing_inputs = is_true(),
            "cache_system_functions" => self.voice.control.fresh_functions = !is_true(),
            "domain" => {
                if let Some(domain) = text() {
                    self.verbose(|| format!("SET domain = {domain}"));
                    self.put_domain(&domain);
                }
            }
            "output_prefix" => {
                if let Some(prefix) = text() {
                    self.voice.log.set_prefix(prefix);
                }
            }
            _ => {}
        }
    }

    /// Applies the settings of `body agent control`.
    pub(crate) fn settle_agent_control(&mut self) -> Step<()> {
        let program = self.program.clone();
        let bodies: Vec<_> = program.controls().cloned().collect();
        for body in bodies.iter().filter(|body| &*body.kind == "agent") {
            for attribute in &body.attributes {
                if !self.holds(attribute.guard.as_ref()) {
                    continue;
                }
                let reference = Reference::parse(&attribute.name, (None, Some("control_agent")));
                let Some((_, value)) = self.find_value(&reference) else {
                    let message =
                        format!("Unknown lval '{}' in agent control body", attribute.name);
                    self.say(Severity::Error, message);
                    continue;
                };
                if value.items().is_some_and(<[_]>::is_empty)
                    && &*attribute.name != "files_single_copy"
                {
                    let message = format!(
                        "Empty list is not a valid value for '{}' attribute in agent control body",
                        attribute.name
                    );
                    self.say(Severity::Error, message);
                    continue;
                }
                self.voice.control.files.note(&attribute.name, &value);
                if let Some(text) = value.scalar() {
                    self.note_verbosity(&attribute.name, text);
                }
                self.say_setting(&attribute.name, &value);
                let texts = value.items().unwrap_or_default();
                let texts: Vec<Text> = texts.iter().filter_map(Value::scalar).cloned().collect();
                match &*attribute.name {
                    "abortclasses" => {
                        self.voice.control.abort_classes.extend(texts);
                        self.check_aborting_classes();
                    }
                    "mountfilesystems" => {
                        let text = value.scalar().map(|text| &**text);
                        self.voice.control.mounts = matches!(text, Some("true" | "yes" | "on"));
                    }
                    "max_children" => self.note_max_children(&value),
                    "ifelapsed" => {
                        let minutes = value.scalar().and_then(|text| crate::number::int(text));
                        self.voice.control.if_elapsed = minutes;
                    }
                    "childlibpath" => {
                        if let Some(path) = value.scalar() {
                            let variable = ("LD_LIBRARY_PATH".into(), path.to_string());
                            self.voice.control.environment.push(variable);
                        }
                    }
                    "abortbundleclasses" => self.voice.control.abort_bundle_classes.extend(texts),
                    "environment" => {
                        let pairs = texts.iter().filter_map(|text| text.split_once('='));
                        let pairs = pairs.map(|(name, value)| (name.into(), value.into()));
                        self.voice.control.environment.extend(pairs);
                    }
                    "addclasses" => {
                        for name in texts {
                            let tags = Rc::new(vec!["source=environment".into()]);
                            self.set_class(&name, crate::context::Reach::Namespace, &tags, None);
                        }
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// Applies `inform`, `verbose` and `dryrun`.
    fn note_verbosity(&mut self, name: &str, text: &str) {
        let wanted = matches!(text, "true" | "yes" | "on");
        let (asked, below) = match name {
            "inform" => (Severity::Info, Severity::Notice),
            "verbose" => (Severity::Verbose, Severity::Info),
            "dryrun" => {
                self.voice.options.mode = if wanted { Mode::DryRun } else { Mode::Normal };
                return;
            }
            _ => return,
        };
        let global = self.voice.log.global;
        if wanted {
            self.voice.log.set_level(global.max(asked));
        } else if global >= asked {
            self.voice.log.set_level(below);
        }
    }

    fn note_max_children(&mut self, value: &Value) {
        const MOST: i64 = 10;
        let Some(count) = value.scalar().and_then(|text| crate::number::int(text)) else {
            return;
        };
        self.voice.control.max_children = count;
        if count > MOST {
            let message =
                format!("Silly value for max_children in agent control promise ({count} > {MOST})");
            self.say(Severity::Error, message);
            self.voice.control.max_children = 1;
        }
    }

    fn check_aborting_classes(&mut self) {
        let classes = self.classes.clone();
        for (namespace, name, _) in classes.in_order() {
            let shown = crate::context::show_class(namespace, name);
            let patterns = self.voice.control.abort_classes.clone();
            if patterns
                .iter()
                .any(|p| self.patterns.matches_fully(p, &shown))
            {
                self.say(
                    Severity::Notice,
                    format!("cf-agent aborted on defined class '{name}'"),
                );
                self.aborted = true;
                return;
            }
        }
    }
}
