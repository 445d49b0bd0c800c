//! Promises about one file that was found: its removal, its name, its times, its attributes.

use super::path::{last_node, os};
use super::perms::touch;
use super::record::Task;
use crate::context::Agent;
use crate::log::Severity;
use crate::machine;
use crate::outcome::Outcome;
use crate::process::Spec;
use crate::stop::Step;
use std::fs::{self, Metadata};
use std::io;

impl Agent {
    /// Keeps one file. The promise is expanded again with this file as `$(this.promiser)`.
    pub(super) fn keep_leaf(&mut self, task: &mut Task, path: &str, meta: &Metadata) -> Step<()> {
        self.verbose(|| format!("Handling file existence constraints on '{path}'"));
        self.set_promiser(Some(path.into()));
        let promise = self.seen_from_path(&task.unseen)?;
        let perms = self.perms_of(&promise)?;
        let mut own = Task::new(promise, perms);
        own.unseen = task.unseen.clone();
        own.outcome = task.outcome;
        self.keep_found(&mut own, path, meta)?;
        task.outcome = own.outcome;
        Ok(())
    }

    fn keep_found(&mut self, task: &mut Task, path: &str, meta: &Metadata) -> Step<()> {
        if task.promise.get("transformer").is_some() {
            self.transform(task, path)?;
        } else {
            if task.is("rename") {
                self.keep_name(task, path, meta);
            }
            if task.is("delete") {
                self.keep_absent(task, path, meta);
            }
            if task.is("touch") {
                self.touch_file(task, path);
            }
        }
        if task.is("perms") || task.is("changes") {
            let depth = task.promise.int("depth").unwrap_or(0);
            let base = *task.promise.promiser == *path;
            if meta.is_dir() && depth != 0 && !task.is("include_basedir") && base {
                self.verbose(|| format!("Promise to skip base directory '{path}'"));
            } else {
                let perms = task.perms.clone();
                self.keep_attributes(task, path, meta, &perms);
            }
        }
        Ok(())
    }

    fn keep_absent(&mut self, task: &mut Task, path: &str, meta: &Metadata) {
        self.verbose(|| format!("Verifying file deletions for '{path}'"));
        let what = if meta.is_dir() { "directory" } else { "file" };
        if !self.may_change(task, format!("delete {what} '{path}'")) {
            return;
        }
        if !meta.is_dir() {
            // cf-agent uses only the file's name, relative to the working directory, which may be
            // elsewhere.
            let mut place = self.at(last_node(path)).into_owned();
            if self.simulates() && self.without_root(&place) == place {
                place = self.place(path).into_owned();
            }
            match fs::remove_file(os(&place)) {
                Ok(()) => self.changed(task, format!("Deleted file '{path}'")),
                Err(error) => {
                    let reason = machine::reason(&error);
                    let message = format!("Couldn't unlink '{path}' tidying. (unlink: {reason})");
                    self.failed(task, message);
                }
            }
            return;
        }
        if !task.is("rmdirs") {
            let message =
                format!("Keeping directory '{path}' since 'rmdirs' attribute was not specified");
            self.unchanged(task, message);
            return;
        }
        if task.is("depth_search") && *task.promise.promiser == *path {
            return;
        }
        match remove_directory(&self.place(path)) {
            Ok(()) => self.changed(task, format!("Deleted directory '{path}'")),
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => {
                self.verbose(|| format!("Delete directory '{path}' not empty, skipping"));
            }
            Err(error) => {
                let reason = machine::reason(&error);
                let message = format!("Delete directory '{path}' failed (rmdir: {reason})");
                self.failed(task, message);
            }
        }
    }

    fn touch_file(&mut self, task: &mut Task, path: &str) {
        if !self.may_change(task, format!("update time stamps for '{path}'")) {
            return;
        }
        match touch(&self.place(path)) {
            Ok(()) => {
                let message = format!("Touched (updated time stamps) for path '{path}'");
                self.changed(task, message);
            }
            Err(error) => {
                let reason = machine::reason(&error);
                let message =
                    format!("Touch '{path}' failed to update timestamps. (utime: {reason})");
                self.failed(task, message);
            }
        }
    }

    /// Runs the promised command over a file.
    fn transform(&mut self, task: &mut Task, path: &str) -> Step<()> {
        let promise = task.promise.clone();
        let Some(written) = promise.text("transformer") else {
            return Ok(());
        };
        let bundle = promise.bundle.clone();
        let home = (Some(&*bundle.namespace), Some(&*bundle.name));
        let line = self.expand_text(written, home)?;
        let program = crate::process::program_of(&line);
        if !self.can_execute(program) {
            self.failed(
                task,
                format!("Transformer '{written}' for file '{path}' failed"),
            );
            return Ok(());
        }
        if !self.may_change(task, format!("transform file '{path}' with '{line}'")) {
            return Ok(());
        }
        if !self.claim(&promise, &line) {
            return Ok(());
        }
        if self.simulates() && !line.contains(path) {
            let message = format!(
                "Failed to replace path '{path}' in transformer command '{line}' for changes chroot"
            );
            self.failed(task, message);
            return Ok(());
        }
        self.say(
            Severity::Info,
            format!("Transforming '{path}' with '{line}'"),
        );
        let placed = line.replace(path, &self.place(path));
        let spec = Spec {
            line: &placed,
            ..Spec::default()
        };
        let Ok((output, exit)) = self.execute(&spec) else {
            self.failed(
                task,
                format!("Transformer '{written}' for file '{path}' failed"),
            );
            return Ok(());
        };
        for said in output.lines() {
            self.say(Severity::Info, said);
        }
        let before = task.outcome;
        self.changed(task, format!("Transformed '{path}' with '{line}' "));
        task.outcome = before;
        let mut outcome = Outcome::Kept;
        self.judge_exit(exit.unwrap_or(-1), &promise, Severity::Info, &mut outcome);
        task.add(outcome);
        if outcome == Outcome::Failed {
            let message = format!("Transformer '{path}' => '{line}' returned error");
            self.say(Severity::Error, message);
        } else {
            let message = format!("Transformer '{path}' => '{line}' seemed to work ok");
            self.say(Severity::Info, message);
        }
        Ok(())
    }
}

/// cf-agent removes the name after the last slash, so it finds nothing for a trailing slash.
fn remove_directory(path: &str) -> io::Result<()> {
    if last_node(path).is_empty() {
        return Err(rustix::io::Errno::NOENT.into());
    }
    fs::remove_dir(os(path))
}

/// Whether the agent always ignores a name.
pub(super) fn is_ignored(name: &str) -> bool {
    matches!(last_node(name), "." | ".." | "lost+found" | ".cfengine.rm")
}
