//! The evaluation stack.

use super::variables::{Scope, Variable};
use super::{Agent, Classes};
use crate::log::Severity;
use crate::program::{Body, Bundle, Promise};
use crate::promise::Expanded;
use crate::stop::{Step, Stop};
use crate::value::{Kind, Text, Value, show_list};
use std::rc::Rc;

/// An entry of the evaluation stack.
pub(crate) enum Frame {
    Bundle(BundleFrame),
    Body(BodyFrame),
    /// A promise type's section.
    Section,
    Promise(Box<PromiseFrame>),
    Iteration(IterationFrame),
}

/// A bundle and the data of this call.
pub(crate) struct BundleFrame {
    pub(crate) bundle: Rc<Bundle>,
    pub(crate) classes: Classes,
    /// `$(edit.…)`
    pub(crate) edit: Scope,
    /// Whether the caller's classes are visible.
    pub(crate) inherits: bool,
}

/// A body while its attributes are read.
pub(crate) struct BodyFrame {
    pub(crate) body: Rc<Body>,
    pub(crate) variables: Scope,
}

/// A promise with its lists and bodies in place.
pub(crate) struct PromiseFrame {
    pub(crate) promise: Rc<Promise>,
    pub(crate) bundle: Rc<Bundle>,
    /// The promiser as written, with references to other bundles' lists in their mangled form.
    pub(crate) written: Text,
    /// `$(this.promiser)`, which every promise has.
    pub(crate) promiser: Option<Text>,
    /// Whether functions are called again instead of cached: `ifelapsed` is zero.
    pub(crate) fresh: bool,
    /// Other `$(this.…)` variables, apart from those of the promise's place.
    pub(crate) variables: Scope,
}

/// One iteration of a promise.
pub(crate) struct IterationFrame {
    pub(crate) promise: Rc<Expanded>,
    /// The number of the iteration, from 1.
    pub(crate) index: usize,
}

impl Agent {
    /// The number of the current iteration, from 1.
    pub(crate) fn turn_number(&self) -> Option<usize> {
        self.frames.iter().rev().find_map(|frame| match frame {
            Frame::Iteration(frame) => Some(frame.index),
            _ => None,
        })
    }
}

impl PromiseFrame {
    /// The `$(this.…)` variables that follow from the promise's place.
    pub(crate) fn place(&self, name: &str, agent: &Agent) -> Option<Text> {
        Some(match name {
            "promiser" => return self.promiser.clone(),
            "promise_filename" => agent.absolute(&self.bundle.path),
            "promise_dirname" => {
                let path = agent.absolute(&self.bundle.path);
                directory(&path).into()
            }
            "promise_linenumber" => self.promise.line.to_string().into(),
            "promiser_uid" => agent.machine.uid.to_string().into(),
            "promiser_gid" => agent.machine.gid.to_string().into(),
            "promiser_pid" => std::process::id().to_string().into(),
            "promiser_ppid" => std::os::unix::process::parent_id().to_string().into(),
            "bundle" => self.bundle.name.clone(),
            "namespace" => self.bundle.namespace.clone(),
            _ => return None,
        })
    }
}

/// The path before the last slash; `.` and `..` are kept.
fn directory(path: &str) -> &str {
    match path.rsplit_once('/') {
        Some((directory, _)) if directory.trim_end_matches('/').is_empty() => "/",
        Some((directory, _)) => directory.trim_end_matches('/'),
        None => "",
    }
}

impl Agent {
    pub(crate) fn bundle_frame(&self) -> Option<&BundleFrame> {
        self.frames.iter().rev().find_map(|frame| match frame {
            Frame::Bundle(frame) => Some(frame),
            _ => None,
        })
    }

    pub(crate) fn bundle_frame_mut(&mut self) -> Option<&mut BundleFrame> {
        self.frames.iter_mut().rev().find_map(|frame| match frame {
            Frame::Bundle(frame) => Some(frame),
            _ => None,
        })
    }

    pub(crate) fn body_frame(&self) -> Option<&BodyFrame> {
        self.frames.iter().rev().find_map(|frame| match frame {
            Frame::Body(frame) => Some(frame),
            _ => None,
        })
    }

    pub(crate) fn promise_frame(&self) -> Option<&PromiseFrame> {
        self.frames.iter().rev().find_map(|frame| match frame {
            Frame::Promise(frame) => Some(&**frame),
            _ => None,
        })
    }

    pub(crate) fn promise_frame_mut(&mut self) -> Option<&mut PromiseFrame> {
        self.frames.iter_mut().rev().find_map(|frame| match frame {
            Frame::Promise(frame) => Some(&mut **frame),
            _ => None,
        })
    }

    /// The promise of the innermost iteration.
    pub(crate) fn current_promise(&self) -> Option<&Rc<Expanded>> {
        self.frames.iter().rev().find_map(|frame| match frame {
            Frame::Iteration(frame) => Some(&frame.promise),
            _ => None,
        })
    }

    /// Ends the run if a bundle that the policy does not name for certain has unsupported
    /// constructs.
    pub(crate) fn refuse_late(&self, bundle: &Bundle) -> Step<()> {
        match self.unsupported.behind.get(&*bundle.name) {
            Some(places) => Err(Stop::Refused(places.clone())),
            None => Ok(()),
        }
    }

    /// Enters a bundle and expands its variables as far as possible.
    pub(crate) fn enter_bundle(
        &mut self,
        bundle: &Rc<Bundle>,
        arguments: &[Value],
        inherits: bool,
    ) -> Step<()> {
        let depth = self.frames.iter();
        let depth = depth.filter(|f| matches!(f, Frame::Bundle(_))).count();
        if depth >= self.voice.options.limits.depth {
            return Err(Stop::Limit(format!(
                "bundle '{}' is called in more than {} others: cf-agent 3.21.0 would crash here",
                bundle.name, self.voice.options.limits.depth
            )));
        }
        self.voice.log.level = self.voice.log.global;
        self.frames.push(Frame::Bundle(BundleFrame {
            bundle: bundle.clone(),
            classes: Classes::default(),
            edit: Scope::default(),
            inherits,
        }));
        if !arguments.is_empty() {
            self.bind_parameters(bundle, arguments)?;
        }
        self.expand_variables_of(bundle)
    }

    fn expand_variables_of(&mut self, bundle: &Rc<Bundle>) -> Step<()> {
        if !self
            .variables
            .values(&bundle.namespace, &bundle.name)
            .any(may_expand)
        {
            return Ok(());
        }
        let home = (Some(&*bundle.namespace), Some(&*bundle.name));
        let variables = self.variables.in_order(home.0, home.1).into_iter();
        let pending: Vec<_> = variables
            .filter(|(_, variable)| may_expand(&variable.value))
            .map(|(reference, variable)| (reference, variable.value.clone()))
            .collect();
        for (reference, value) in pending {
            let expanded = self.expand_value(&value, home)?;
            if let Some(value) = self.variables.value_mut(&reference) {
                *value = expanded;
            }
        }
        Ok(())
    }

    /// Pops the top frame.
    pub(crate) fn leave(&mut self) {
        let left = self.frames.pop();
        if matches!(left, Some(Frame::Iteration(_))) {
            self.voice.log.level = self.voice.log.global;
        }
        if let Some(Frame::Iteration(frame)) = self.frames.last() {
            self.voice.log.level = frame.promise.report_level(self.voice.log.global);
        }
    }

    /// Sets a `this` variable of the current promise.
    pub(crate) fn put_this(&mut self, name: &str, kind: Kind, value: Value) {
        self.complain_of_brackets(name);
        let (name, indices) = name_in_this(name);
        let variable = Variable {
            kind,
            value,
            tags: Rc::default(),
            comment: None,
            promise: None,
        };
        if let Some(frame) = self.promise_frame_mut() {
            frame.variables.put(&name, &indices, variable);
        }
    }

    /// Removes a `this` variable of the current promise.
    pub(crate) fn remove_this(&mut self, name: &str) {
        let (name, indices) = name_in_this(name);
        if let Some(frame) = self.promise_frame_mut() {
            frame.variables.remove(&name, &indices);
        }
    }

    /// A path relative to the directory in which the agent was started.
    pub(crate) fn absolute(&self, path: &Text) -> Text {
        if path.starts_with('/') {
            return path.clone();
        }
        format!("{}/{path}", self.machine.launch_directory).into()
    }

    fn bind_parameters(&mut self, bundle: &Rc<Bundle>, arguments: &[Value]) -> Step<()> {
        if bundle.parameters.len() != arguments.len() {
            self.say(
                Severity::Error,
                format!("While constructing scope '{}'", bundle.name),
            );
            let formal = bundle.parameters.iter().cloned().map(Value::Scalar);
            let (formal, actual) = (show_list(&Vec::from_iter(formal)), show_list(arguments));
            self.warn(&format!("Formal = {formal}, Actual = {actual}\n"));
            return Err(Stop::Fatal(
                "Augment scope, formal and actual parameter mismatch is fatal".into(),
            ));
        }
        let caller = self.current_promise().map(|promise| promise.bundle.clone());
        for (parameter, argument) in bundle.parameters.iter().zip(arguments) {
            self.verbose_parameter(bundle, parameter, argument);
            self.bind(bundle, caller.as_ref(), parameter, argument)?;
        }
        Ok(())
    }

    fn verbose_parameter(&mut self, bundle: &Bundle, parameter: &str, argument: &Value) {
        let letter = match argument {
            Value::Scalar(_) => 's',
            Value::List(_) => 'l',
            Value::Call(_) => 'f',
            Value::Data(_) => 'd',
        };
        let pass = self.pass;
        self.verbose(|| {
            format!(
                "V:     +  Private parameter: '{parameter}' in scope '{}' (type: {letter}) in pass {pass}",
                bundle.name
            )
        });
    }
}

fn may_expand(value: &Value) -> bool {
    match value {
        Value::Scalar(text) => crate::scan::may_refer(text),
        Value::List(items) => items.iter().any(may_expand),
        Value::Call(_) => true,
        Value::Data(_) => false,
    }
}

/// The frame of a body that is entered.
pub(crate) fn body_frame(body: &Rc<Body>) -> BodyFrame {
    BodyFrame {
        body: body.clone(),
        variables: Scope::default(),
    }
}

/// Name and indices within the scope `this`, which can't hold `scope.name`. Without an index the
/// name is not parsed: `this.x` is stored under that whole name, and lookups do not find it.
fn name_in_this(name: &str) -> (Text, Vec<Text>) {
    if !name.contains('[') && name.starts_with("this.") {
        return (name.into(), Vec::new());
    }
    let reference = super::Reference::parse(name, (None, Some("this")));
    let name = match &reference.scope {
        Some(scope) if &**scope != "this" => format!("{scope}___{}", reference.name).into(),
        _ => reference.name,
    };
    (name, reference.indices)
}
