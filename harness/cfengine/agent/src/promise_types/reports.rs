//! `reports` promises.

use crate::context::{Agent, LAST_PASS, Reference, Variable};
use crate::log::Severity;
use crate::outcome::Outcome;
use crate::promise::Expanded;
use crate::scan;
use crate::stop::Step;
use crate::value::{Kind, Text, Value};
use rustix::fs::OFlags;
use std::io::{ErrorKind, Write};
use std::rc::Rc;

impl Agent {
    /// Prints a report.
    pub(crate) fn keep_report(&mut self, promise: &Rc<Expanded>) -> Step<Outcome> {
        if self.pass < LAST_PASS && scan::has_variables(&promise.promiser) {
            return Ok(Outcome::Skipped);
        }
        self.read_attributes(promise);
        let new = self.claim(promise, &promise.promiser);
        if let Some(index) = promise.text("bundle_return_value_index") {
            self.return_value(index, promise)?;
            return Ok(Outcome::Kept);
        }
        if !new {
            return Ok(Outcome::Skipped);
        }
        self.say_promise(promise);
        if self.is_dry() || promise.only_warns() {
            let message = format!("Need to repair reports promise: {}", promise.promiser);
            self.conclude(Severity::Warning, Outcome::Warned, promise, message);
            return Ok(Outcome::Warned);
        }
        match promise.text("report_to_file") {
            Some(path) => self.report_to_file(path, &promise.promiser),
            None => self.voice.log.report(&promise.promiser),
        }
        let mut outcome = Outcome::Kept;
        if promise.is_true("printfile") && !self.print_file(promise) {
            outcome = Outcome::Failed;
        }
        self.note_outcome(outcome, promise);
        Ok(outcome)
    }

    /// Stores a return value for the caller of the bundle.
    fn return_value(&mut self, index: &Text, promise: &Expanded) -> Step<()> {
        let bundle = &promise.bundle;
        let reference = Reference {
            namespace: Some(bundle.namespace.clone()),
            scope: Some(bundle.name.clone()),
            name: "last-result".into(),
            indices: Some(index.clone())
                .into_iter()
                .filter(|i| !i.is_empty())
                .collect(),
        };
        let variable = Variable {
            kind: Kind::String,
            value: Value::Scalar(promise.promiser.clone()),
            tags: Rc::new(vec!["source=bundle".into()]),
            comment: None,
            promise: None,
        };
        self.put(&reference, variable)?;
        Ok(())
    }

    fn report_to_file(&mut self, path: &Text, text: &Text) {
        if !self.voice.options.effects {
            return;
        }
        let file = self.open(path, OFlags::WRONLY | OFlags::CREATE | OFlags::APPEND);
        let written = file.and_then(|mut file| {
            let mut line = cfengine_policy::text::encode(text).into_owned();
            line.push(b'\n');
            file.write_all(&line)
        });
        if let Err(error) = written {
            let message = format!(
                "Could not open log file '{path}', message '{text}'. (fopen: {})",
                crate::machine::reason(&error)
            );
            self.say(Severity::Error, message);
        }
    }

    fn print_file(&mut self, promise: &Expanded) -> bool {
        let Some(path) = promise.text("file_to_print").cloned() else {
            self.verbose(|| "Printfile promise was incomplete, with no filename.".into());
            return false;
        };
        let lines = promise.int("number_of_lines").unwrap_or(5);
        let content = match self.read_bytes(&path) {
            Ok(content) => content,
            // Opening a directory works.
            Err(error) if error.kind() == ErrorKind::IsADirectory && lines == 0 => return true,
            Err(error) => {
                let reason = crate::machine::reason(&error);
                let message = match error.kind() {
                    ErrorKind::IsADirectory => {
                        format!("Failed to read line from stream, (getline: {reason})")
                    }
                    _ => format!("Printing of file '{path}' was not possible. (fopen: {reason})"),
                };
                self.say(Severity::Error, message);
                return false;
            }
        };
        let content = cfengine_policy::text::decode(&content).into_owned();
        let all: Vec<&str> = scan::lines(&content).collect();
        let count = usize::try_from(lines.unsigned_abs()).unwrap_or(usize::MAX);
        let shown = if lines < 0 {
            &all[all.len().saturating_sub(count)..]
        } else {
            &all[..all.len().min(count)]
        };
        for line in shown {
            self.voice.log.report(line);
        }
        true
    }
}
