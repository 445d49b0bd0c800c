//! `files` promises.

pub(crate) mod accounts;
mod changes;
mod content;
mod control;
mod copy;
mod create;
mod edit;
mod leaf;
mod lines;
mod link;
mod locate;
mod matching;
mod mode;
mod path;
mod perms;
mod record;
mod refuse;
mod rename;
mod repository;
mod sanity;
mod search;
mod select;
mod setid;
mod template;

pub(crate) use control::FileControl;
pub(crate) use edit::Edit;
pub(crate) use refuse::{lacking, refused};

use crate::context::{Agent, Frame};
use crate::log::Severity;
use crate::outcome::Outcome;
use crate::promise::Expanded;
use crate::stop::Step;
use crate::value::{Text, Value};
pub(crate) use accounts::{group_name, user_name};
use path::last_node;
pub(crate) use path::{chopped, compressed, joined, with_slash};
use record::Task;
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::rc::Rc;

impl Agent {
    /// Keeps the files of a promise. Also returns the promise as the closing messages show it.
    pub(crate) fn keep_files(&mut self, promise: &Rc<Expanded>) -> Step<(Outcome, Rc<Expanded>)> {
        let mut shown = promise.clone();
        if !self.voice.options.effects {
            if !self.done.insert(promise.identity(&promise.promiser)) {
                return Ok((Outcome::Skipped, shown));
            }
            let message = format!("files are not changed in this run: '{}'", promise.promiser);
            self.conclude(Severity::Error, Outcome::Failed, promise, message);
            return Ok((Outcome::Failed, shown));
        }
        self.say_promise(promise);
        let literal = promise.is_true("copy_from")
            || promise.text("pathtype").is_some_and(|t| &**t == "literal");
        let path = promise.promiser.clone();
        if literal {
            let outcome = self.keep_path(promise, &path, &mut shown)?;
            return Ok((outcome, shown));
        }
        let outcome = self.locate(promise, &path, &mut shown)?;
        if outcome != Outcome::Skipped {
            self.set_promiser(Some(shown.promiser.clone()));
            let expanded = self.seen_from_path(&shown)?;
            self.set_outcome_classes(outcome, &expanded);
            self.set_promiser(None);
        }
        Ok((outcome, shown))
    }

    /// Expands `$(this.promiser)` in the promise's classes and templates.
    fn seen_from_path(&mut self, promise: &Rc<Expanded>) -> Step<Rc<Expanded>> {
        const LISTS: [&str; 8] = [
            "promise_repaired",
            "promise_kept",
            "repair_failed",
            "repair_denied",
            "repair_timeout",
            "cancel_repaired",
            "cancel_kept",
            "cancel_notkept",
        ];
        const TEXTS: [&str; 6] = [
            "log_string",
            "log_kept",
            "log_repaired",
            "log_failed",
            "edit_template",
            "edit_template_string",
        ];
        let bundle = promise.bundle.clone();
        let home = (Some(&*bundle.namespace), Some(&*bundle.name));
        let mut own = None;
        for (name, value) in &promise.attributes {
            let changed = match value {
                Value::List(items) if LISTS.contains(&&**name) => self.expand_list(items, home)?,
                Value::Scalar(text) if TEXTS.contains(&&**name) => {
                    Value::Scalar(self.expand_text(text, home)?)
                }
                _ => continue,
            };
            own.get_or_insert_with(|| (**promise).clone())
                .set(name, changed);
        }
        Ok(own.map_or_else(|| promise.clone(), Rc::new))
    }

    /// Keeps a promise for one path.
    fn keep_path(
        &mut self,
        promise: &Rc<Expanded>,
        path: &str,
        shown: &mut Rc<Expanded>,
    ) -> Step<Outcome> {
        self.read_attributes(promise);
        let perms = self.perms_of(promise)?;
        if !self.is_sane(promise, path) {
            return Ok(Outcome::Kept);
        }
        if !self.claim(promise, path) {
            return Ok(Outcome::Skipped);
        }
        self.set_promiser(Some(path.into()));
        let mut task = Task::new(self.seen_from_path(promise)?, perms);
        task.unseen = promise.clone();
        let mut path = path.to_owned();
        let selected = self.keep_object(&mut task, &mut path)?;
        *shown = task.promise.clone();
        if selected {
            self.conclude_files(&task, &path);
        }
        self.set_promiser(None);
        Ok(task.outcome)
    }

    fn conclude_files(&mut self, task: &Task, path: &str) {
        const ACTIONS: [&str; 14] = [
            "transformer",
            "rename",
            "delete",
            "copy_from",
            "create",
            "touch",
            "link_from",
            "perms",
            "changes",
            "edit_line",
            "edit_template",
            "edit_template_string",
            "content",
            "acl",
        ];
        let promise = task.promise.clone();
        let acts = |name: &str| match name {
            "create" | "touch" => promise.is_true(name),
            name => promise.get(name).is_some(),
        };
        if !ACTIONS.into_iter().any(acts) {
            let message =
                format!("No action was requested for file '{path}'. Maybe a typo in the policy?");
            self.say(Severity::Warning, message);
        }
        let name = &promise.promiser;
        let (level, message) = match task.outcome {
            Outcome::Skipped | Outcome::Kept => (
                Severity::Verbose,
                format!("No changes done for the files promise '{name}'"),
            ),
            Outcome::Repaired => (
                Severity::Verbose,
                format!("files promise '{name}' repaired"),
            ),
            Outcome::Warned => (
                Severity::Warning,
                format!("Warnings encountered when actuating files promise '{name}'"),
            ),
            Outcome::Failed | Outcome::Interrupted | Outcome::Denied => (
                Severity::Error,
                format!("Errors encountered when actuating files promise '{name}'"),
            ),
        };
        self.conclude(level, task.outcome, &promise, message);
        match task.outcome {
            Outcome::Kept => self.note_kept(path),
            Outcome::Repaired if !task.is("rename") => self.note_change(path),
            _ => {}
        }
    }

    /// False if the file is not selected; then nothing is reported.
    fn keep_object(&mut self, task: &mut Task, path: &mut String) -> Step<bool> {
        let data = task.promise.get("template_data");
        if data.is_some_and(|data| !matches!(data, Value::Data(_))) {
            let name = task.promise.promiser.clone();
            let message = format!("No template data for the promise '{name}'");
            self.conclude(
                Severity::Error,
                Outcome::Failed,
                &task.promise.clone(),
                message,
            );
            task.add(Outcome::Failed);
            return Ok(true);
        }
        self.mirror(&task.promise, path);
        if let Some(stop) = self.stopped.take() {
            return Err(stop);
        }
        task.place = self.simulates().then(|| self.disk(path));
        let creates = task.is("create") || task.is("touch");
        let link = fs::symlink_metadata(task.place(path)).ok();
        if link.is_none() && creates && !self.create_object(task, path) {
            return Ok(true);
        }
        if link.is_some() && creates {
            self.unchanged(task, format!("File '{path}' exists as promised"));
        }
        let deletes = task.is("delete");
        if deletes && link.is_none() {
            self.unchanged(task, format!("File '{path}' does not exist as promised"));
            return Ok(true);
        }
        let deep = task.is("depth_search");
        if !deep {
            self.enter_directory_of(task, path);
        }
        if let Some(meta) = &link
            && !self.selects(task, path, meta)
            && !(deep && meta.is_dir())
        {
            return Ok(false);
        }
        let mut exists = true;
        match fs::metadata(task.place(path)) {
            Ok(meta) if deep && !meta.is_dir() => return Ok(true),
            Ok(_) => {}
            Err(_) if creates => {
                if !self.create_object(task, path) {
                    return Ok(true);
                }
            }
            Err(_) => exists = false,
        }
        if task.is("link_children")
            && let Some(source) = task.text("source").map(str::to_owned)
            && {
                self.mirror(&task.promise, &source);
                fs::metadata(self.disk(&self.at(&source))).is_ok_and(|meta| !meta.is_dir())
            }
        {
            let message = format!(
                "Cannot promise to link the children of '{source}' as it is not a directory!"
            );
            self.say(Severity::Error, message);
            return Ok(true);
        }
        let looks = ["rename", "perms", "changes"].iter().any(|n| task.is(n))
            || task.promise.get("transformer").is_some();
        if (exists && looks) || (deletes && (exists || link.is_some())) {
            self.keep_found_files(task, path)?;
        }
        self.keep_what_it_is(task, path, exists)?;
        Ok(true)
    }

    /// A promiser that ends with `/.` is a directory; the suffix is removed from its name.
    fn enter_directory_of(&mut self, task: &mut Task, path: &mut String) {
        if last_node(path) == "." {
            let name = chopped(path);
            // The promise on the stack changes too.
            if let Some(Frame::Iteration(frame)) = self.frames.last_mut()
                && *frame.promise.promiser == **path
            {
                Rc::make_mut(&mut frame.promise).promiser = Text::from(&*name);
            }
            *path = name;
            for promise in [&mut task.promise, &mut task.unseen] {
                Rc::make_mut(promise).promiser = Text::from(&**path);
            }
        }
        let directory = chopped(path);
        if let Err(error) = self.enter(&self.place(&directory)) {
            let reason = crate::machine::reason(&error);
            let mut message = format!("Failed to chdir into '{directory}'. (chdir: '{reason}')");
            if error.raw_os_error() == Some(rustix::io::Errno::NOLINK.raw_os_error()) {
                message.push_str(". There may be a symlink in the path that has a different owner from the owner of its target (security risk).");
            }
            self.say(Severity::Error, message);
        }
    }

    fn keep_found_files(&mut self, task: &mut Task, path: &str) -> Step<()> {
        let deep = task.is("depth_search");
        let meta = match fs::symlink_metadata(task.place(path)) {
            Ok(meta) => meta,
            // The agent created the parent directories, but not this one. cf-agent prints
            // uninitialized memory as the mode.
            Err(error) if deep => {
                let reason = crate::machine::reason(&error);
                let message = format!(
                    "Could not change to directory '{path}' (mode '0000', chdir: {reason})"
                );
                self.failed(task, message);
                return Ok(());
            }
            Err(_) => return Ok(()),
        };
        if deep {
            self.search(task, path, &meta, 0, meta.dev())?;
        } else {
            self.keep_single(task, path, &meta)?;
        }
        if task.is("include_basedir") {
            self.keep_single(task, path, &meta)?;
        } else if task.outcome == Outcome::Kept {
            self.verbose(|| format!("Basedir '{path}' not promising anything"));
        }
        Ok(())
    }

    /// Keeps a file, with its directory as the working directory.
    fn keep_single(&mut self, task: &mut Task, path: &str, meta: &Metadata) -> Step<()> {
        let directory = chopped(path);
        if let Err(error) = self.enter(&self.place(&directory)) {
            let reason = crate::machine::reason(&error);
            let message = format!("Failed to chdir into '{directory}'. (chdir: '{reason}')");
            self.say(Severity::Error, message);
        } else if self.selects(task, path, meta) {
            if !task.is("rename") {
                self.note_kept(path);
            }
            self.keep_leaf(task, path, meta)?;
        }
        Ok(())
    }

    fn keep_what_it_is(&mut self, task: &mut Task, path: &str, exists: bool) -> Step<()> {
        if task.is("copy_from") {
            self.keep_copy(task, path)?;
        }
        if task.is("link_from") {
            let source = task.text("source").unwrap_or_default().to_owned();
            if task.is("link_children") {
                self.link_children(task, path, &source, 1)?;
            } else {
                self.keep_link(task, path, &source)?;
            }
        }
        let never_made = task
            .text("create")
            .is_some_and(|text| matches!(text, "false" | "no"));
        if let Some(content) = task.text("content").map(str::to_owned) {
            if task.promise.get("edit_line").is_some() || edit::is_templated(task) {
                let message = "A file promise with content attribute cannot have edit operations";
                self.failed(task, message);
                return Ok(());
            }
            if !exists && (never_made || !self.create_object(task, path)) {
                self.verbose(|| {
                    format!(
                        "Cannot render file '{path}' with content '{content}': file does not exist"
                    )
                });
                return Ok(());
            }
            self.verbose(|| format!("Replacing '{path}' with content '{content}'"));
            self.keep_content(task, path, &content);
            return Ok(());
        }
        if task.promise.get("edit_line").is_some() || edit::is_templated(task) {
            let renders = task.promise.get("template_method").is_none()
                || matches!(
                    task.text("template_method"),
                    Some("cfengine" | "mustache" | "inline_mustache")
                );
            if !exists && (!renders || never_made) {
                self.verbose(|| format!("Cannot render file '{path}': file does not exist"));
                return Ok(());
            }
            self.keep_edits(task, path, exists)?;
        }
        match fs::metadata(task.place(path)) {
            Ok(meta) if meta.is_file() && self.selects(task, path, &meta) => {
                self.keep_leaf(task, path, &meta)?;
            }
            Err(_) if task.is("changes") => {
                let message =
                    format!("Promised to monitor '{path}' for changes, but file does not exist");
                self.failed(task, message);
            }
            _ => {}
        }
        Ok(())
    }
}
