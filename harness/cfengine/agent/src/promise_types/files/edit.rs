//! `edit_line` and templates: a file's lines are read, edited, and written.

mod delete;
mod fields;
mod insert;
mod insert_line;
mod region;
mod replace;
mod save;
mod whitespace;

use super::lines::Lines;
use super::path::os;
use super::perms::Perms;
use super::record::Task;
use crate::context::{Agent, Frame, LAST_PASS, Reference, Variable};
use crate::log::Severity;
use crate::machine;
use crate::outcome::Outcome;
use crate::program::Bundle;
use crate::promise::{Action, Expanded};
use crate::scan;
use crate::stop::Step;
use crate::value::{Kind, Text, Value};
use cfengine_policy::text;
use std::fs;
use std::rc::Rc;

/// A file that is being edited.
pub(crate) struct Edit {
    pub(super) path: String,
    pub(super) lines: Lines,
    pub(super) count: usize,
}

/// The size limit in bytes for files to edit, if the policy sets none.
const EDITABLE: i64 = 100_000;

/// The promise types in `edit_line` bundles, in order.
const ORDER: [&str; 7] = [
    "vars",
    "classes",
    "delete_lines",
    "field_edits",
    "insert_lines",
    "replace_patterns",
    "reports",
];

impl Agent {
    /// Edits a file as promised. Messages about edits are held back until the edits are saved.
    pub(super) fn keep_edits(&mut self, task: &mut Task, path: &str, exists: bool) -> Step<()> {
        let salt = format!("fileedit-{path}");
        if !self.claim(&task.promise, &salt) {
            return Ok(());
        }
        let mut own = Task::new(task.promise.clone(), task.perms.clone());
        let opened = self.open_for_edits(&own, path);
        self.voice.log.hold();
        let done = match opened {
            Some(edit) => self.edit(&mut own, edit, exists),
            None => {
                let message =
                    format!("File '{path}' was marked for editing but could not be opened");
                self.failed(&mut own, message);
                Ok(())
            }
        };
        self.voice.log.release(own.outcome == Outcome::Repaired);
        task.add(own.outcome);
        done
    }

    fn open_for_edits(&mut self, task: &Task, path: &str) -> Option<Edit> {
        if !path.starts_with('/') {
            let message = format!(
                "Relative file name '{path}' was marked for editing but has no invariant meaning"
            );
            self.say(Severity::Error, message);
            return None;
        }
        let templated = is_templated(task);
        let blank = templated || task.is("empty_file_before_editing");
        let mut lines = Lines::default();
        if task.promise.get("edit_line").is_some() {
            lines = self.load_lines(task, path, blank)?;
        }
        if blank {
            self.verbose(|| "Build file model from a blank slate".into());
        }
        Some(Edit {
            path: path.into(),
            lines,
            count: 0,
        })
    }

    /// The lines of a file that may be edited; no lines if editing starts with an empty file.
    fn load_lines(&mut self, task: &Task, path: &str, blank: bool) -> Option<Lines> {
        let path = &*self.place(path);
        let meta = match fs::metadata(os(path)) {
            Ok(meta) => meta,
            Err(error) => {
                let reason = machine::reason(&error);
                self.verbose(|| {
                    format!("The proposed file '{path}' could not be loaded. (stat: {reason})")
                });
                return None;
            }
        };
        let limit = task.promise.int("max_file_size");
        let limit = limit
            .or(self.voice.control.files.edit_limit)
            .unwrap_or(EDITABLE);
        let size = i64::try_from(meta.len()).unwrap_or(i64::MAX);
        if limit != 0 && size > limit {
            let message = format!(
                "File '{path}' is bigger than the edit limit. max_file_size = {size} > {limit} bytes"
            );
            self.say(Severity::Info, message);
            return None;
        }
        if !meta.is_file() {
            self.say(Severity::Info, format!("{path} is not a plain file"));
            return None;
        }
        if blank {
            return Some(Lines::default());
        }
        match self.read(path) {
            Ok(content) => {
                let content = text::decode(&content);
                let joins = task.is("recognize_join");
                Some(
                    scan::lines(&content)
                        .filter(|line| !(joins && line.ends_with('\\')))
                        .collect(),
                )
            }
            Err(error) => {
                let reason = machine::reason(&error);
                let message = format!("Couldn't read file '{path}' for editing. (fopen: {reason})");
                self.say(Severity::Info, message);
                None
            }
        }
    }

    fn edit(&mut self, task: &mut Task, edit: Edit, exists: bool) -> Step<()> {
        let path = edit.path.clone();
        let outer = self.editing.replace(edit);
        let done = self.edit_by_bundle(task, &path);
        let done = done.and_then(|()| self.edit_by_template(task, &path, exists));
        let edit = std::mem::replace(&mut self.editing, outer);
        done?;
        if let Some(edit) = edit {
            self.finish_edits(task, &edit);
        }
        Ok(())
    }

    fn edit_by_bundle(&mut self, task: &mut Task, path: &str) -> Step<()> {
        let (name, arguments) = match task.promise.get("edit_line") {
            Some(Value::Scalar(name)) => (name.clone(), Vec::new()),
            Some(Value::Call(call)) => (call.name.clone(), call.arguments.clone()),
            _ => return Ok(()),
        };
        self.verbose(|| format!("Handling file edits in edit_line bundle '{name}'"));
        let (namespace, plain) = self.qualified(&name);
        let program = self.program.clone();
        let Some(bundle) = program.bundle("edit_line", &namespace, &plain) else {
            let message = format!("Did not find bundle '{name}' for edit operation");
            self.say(Severity::Error, message);
            return Ok(());
        };
        self.run_edits(task, bundle, &arguments, path)
    }

    /// Runs a bundle on the current file.
    pub(super) fn run_edits(
        &mut self,
        task: &Task,
        bundle: &Rc<Bundle>,
        arguments: &[Value],
        path: &str,
    ) -> Step<()> {
        let templated = is_templated(task);
        self.refuse_late(bundle)?;
        self.enter_bundle(bundle, arguments, templated || task.is("inherit"))?;
        self.settle_bundle(bundle)?;
        let salt = format!("masterfilelock-{path}");
        if self.claim(&task.promise, &salt) {
            let blank = templated || task.is("empty_file_before_editing");
            self.put_edit("filename", path)?;
            self.put_edit("empty_before_use", if blank { "true" } else { "false" })?;
            self.edit_passes(bundle)?;
        }
        self.leave();
        Ok(())
    }

    fn put_edit(&mut self, name: &str, value: &str) -> Step<()> {
        let variable = Variable {
            kind: Kind::String,
            value: Value::text(value),
            tags: Rc::new(vec!["source=promise".into()]),
            comment: None,
            promise: None,
        };
        self.put(&Reference::parse(name, (None, Some("edit"))), variable)?;
        Ok(())
    }

    fn edit_passes(&mut self, bundle: &Rc<Bundle>) -> Step<()> {
        for _ in 0..LAST_PASS {
            for section in ORDER.iter().filter_map(|kind| bundle.section(kind)) {
                self.frames.push(Frame::Section);
                for promise in &section.promises {
                    self.take(promise, bundle, Action::Edit)?;
                    if std::mem::take(&mut self.bundle_aborted) {
                        self.leave();
                        return Ok(());
                    }
                }
                self.leave();
            }
        }
        Ok(())
    }

    /// Keeps a promise of an `edit_line` bundle.
    pub(crate) fn keep_edit(&mut self, promise: &Rc<Expanded>) -> Step<Outcome> {
        self.say_promise(promise);
        match &*promise.written.kind {
            "classes" => return self.define_class(promise),
            "reports" => return self.keep_report(promise),
            _ => {}
        }
        let Some(mut edit) = self.editing.take() else {
            return Ok(Outcome::Kept);
        };
        let mut task = Task::new(promise.clone(), Perms::default());
        let done = match &*promise.written.kind {
            "delete_lines" => self.keep_deletion(&mut task, &mut edit),
            "field_edits" => self.keep_fields(&mut task, &mut edit),
            "insert_lines" => self.keep_insertion(&mut task, &mut edit),
            "replace_patterns" => self.keep_replacement(&mut task, &mut edit),
            _ => Ok(()),
        };
        self.editing = Some(edit);
        done?;
        Ok(task.outcome)
    }

    /// Ends a failed edit with an error.
    fn fail_edit(&mut self, task: &mut Task, message: String) {
        let promise = task.promise.clone();
        self.conclude(Severity::Error, Outcome::Failed, &promise, message);
        task.add(Outcome::Failed);
    }

    /// Whether an edit is claimed for the first time.
    fn is_new_edit(&mut self, task: &mut Task, salt: &str) -> bool {
        let new = self.claim_edit(&task.promise, salt);
        if !new {
            task.outcome = Outcome::Skipped;
        }
        new
    }

    fn conclude_edit(&mut self, task: &Task, kind: &str) {
        let promise = task.promise.clone();
        let name = &promise.promiser;
        let (level, message) = match task.outcome {
            Outcome::Skipped | Outcome::Kept => (
                Severity::Verbose,
                format!("No changes done for the {kind} promise '{name}'"),
            ),
            Outcome::Repaired => (Severity::Info, format!("{kind} promise '{name}' repaired")),
            Outcome::Warned => (
                Severity::Warning,
                format!("Warnings encountered when actuating {kind} promise '{name}'"),
            ),
            Outcome::Failed | Outcome::Interrupted | Outcome::Denied => (
                Severity::Error,
                format!("Errors encountered when actuating {kind} promise '{name}'"),
            ),
        };
        self.conclude(level, task.outcome, &promise, message);
    }
}

/// Whether a file is rendered from a template, which replaces its whole content.
pub(super) fn is_templated(task: &Task) -> bool {
    task.promise.get("edit_template").is_some()
        || task.promise.get("edit_template_string").is_some()
}

/// The lines of a text.
fn pieces(chunk: &Text) -> Vec<String> {
    chunk.split('\n').map(str::to_owned).collect()
}
