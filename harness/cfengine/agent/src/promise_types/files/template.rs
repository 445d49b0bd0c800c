//! Renders files from templates.

use super::edit::is_templated;
use super::record::Task;
use crate::context::Agent;
use crate::log::Severity;
use crate::mustache::{self, Broken};
use crate::outcome::Outcome;
use crate::program::{Attribute, Bundle, Guard, Promise, Section};
use crate::scan::{self, until_zero};
use crate::stop::{Step, Stop};
use crate::value::{Text, Value};
use cfengine_policy::{class, text};
use rustix::io::Errno;
use std::io::ErrorKind;
use std::rc::Rc;

/// The state while a template in cfengine's own format is read; its lines become promises.
struct Reader {
    promises: Vec<Rc<Promise>>,
    block: Option<Block>,
    context: Text,
}

/// The text between `BEGIN` and `END`, and the class before the block.
struct Block {
    lines: String,
    context: Text,
}

impl Agent {
    /// Fills the current file from the promise's template.
    pub(super) fn edit_by_template(
        &mut self,
        task: &mut Task,
        path: &str,
        exists: bool,
    ) -> Step<()> {
        if !is_templated(task) {
            return Ok(());
        }
        let method = task
            .text("template_method")
            .unwrap_or("cfengine")
            .to_owned();
        let file = task.text("edit_template").map(str::to_owned);
        match (&*method, file) {
            ("cfengine", Some(template)) => {
                self.say_rendering(path, &template, &method);
                self.render_lines(task, path, &template, exists)
            }
            ("mustache", Some(template)) => {
                self.say_rendering(path, &template, &method);
                match self.read(&template) {
                    Ok(content) => {
                        let content = text::decode(&content);
                        let content = until_zero(&content);
                        self.render_mustache(task, path, (&template, &template, content), exists)
                    }
                    Err(error) => {
                        let severed = error.raw_os_error() == Some(Errno::NOLINK.raw_os_error());
                        let message = if severed || error.kind() == ErrorKind::IsADirectory {
                            format!("Could not read template file '{template}'")
                        } else {
                            format!("Template file '{template}' could not be opened for reading")
                        };
                        self.failed(task, message);
                        Ok(())
                    }
                }
            }
            ("inline_mustache", _) => {
                let Some(content) = task.text("edit_template_string").map(str::to_owned) else {
                    return Ok(());
                };
                self.verbose(|| format!("Rendering '{path}' with method '{method}'"));
                self.render_mustache(task, path, ("inline", &content, &content), exists)
            }
            _ => Ok(()),
        }
    }

    fn say_rendering(&mut self, path: &str, template: &str, method: &str) {
        self.verbose(|| {
            format!("Rendering '{path}' using template '{template}' with method '{method}'")
        });
    }

    fn render_mustache(
        &mut self,
        task: &mut Task,
        path: &str,
        (name, shown, template): (&str, &str, &str),
        exists: bool,
    ) -> Step<()> {
        let data = match task.promise.get("template_data") {
            Some(Value::Data(data)) => data.clone(),
            _ => Rc::new(crate::functions::state(self)),
        };
        let most = self.voice.options.limits.text;
        let rendered = match mustache::render(template, &data, most) {
            Ok(rendered) => rendered,
            Err(Broken::Template(said)) => {
                for (level, message) in said {
                    self.say(level, message);
                }
                self.failed(task, format!("Error rendering mustache template '{shown}'"));
                return Ok(());
            }
            Err(Broken::Number(uncopied)) => return Err(self.uncopied(&uncopied)),
            Err(Broken::TooLong) => {
                return Err(Stop::Limit(format!("a template grows beyond {most} bytes")));
            }
        };
        let content = text::encode(&rendered);
        if self.file_holds(path, &content) {
            return Ok(());
        }
        let what = format!("update rendering of '{path}' from mustache template '{name}'");
        if !self.may_change(task, what) {
            return Ok(());
        }
        if !exists && !self.create_object(task, &self.place(path)) {
            let message =
                format!("Failed to create file '{path}' for rendering mustache template '{name}'");
            self.failed(task, message);
        } else if self.save(task, path, &content) {
            let message = format!("Updated rendering of '{path}' from mustache template '{name}'");
            self.changed(task, message);
        } else {
            let message =
                format!("Failed to update rendering of '{path}' from mustache template '{name}'");
            self.failed(task, message);
        }
        Ok(())
    }

    /// Renders a template in cfengine's own format: it becomes a bundle that inserts its lines.
    fn render_lines(
        &mut self,
        task: &mut Task,
        path: &str,
        template: &str,
        exists: bool,
    ) -> Step<()> {
        let Some(promises) = self.read_lines(task, template) else {
            return Ok(());
        };
        if !exists && !self.create_object(task, &self.place(path)) {
            let message = format!(
                "Failed to create file '{path}' for rendering cfengine template '{template}'"
            );
            self.failed(task, message);
            return Ok(());
        }
        let bundle = Rc::new(Bundle {
            namespace: "default".into(),
            component: "edit_line".into(),
            name: format!("temp_cf_bundle_{}", scan::canonify(template)).into(),
            parameters: Vec::new(),
            sections: vec![Rc::new(Section {
                kind: "insert_lines".into(),
                promises,
            })],
            placed: Vec::new(),
            top_down: Some(false),
            path: "".into(),
        });
        self.run_edits(task, &bundle, &[], path)?;
        if let Some(edit) = &mut self.editing {
            edit.count = edit.count.max(1);
        }
        Ok(())
    }

    fn read_lines(&mut self, task: &mut Task, template: &str) -> Option<Vec<Rc<Promise>>> {
        let promiser = task.promise.promiser.clone();
        let content = match self.read(template) {
            Ok(content) => content,
            Err(error) if error.kind() == ErrorKind::IsADirectory => {
                let reason = crate::machine::reason(&error);
                let message = format!(
                    "While constructing template for '{promiser}', error reading. (getline {reason})"
                );
                self.say(Severity::Error, message);
                Vec::new()
            }
            Err(_) => {
                let message =
                    format!("Unable to open template file '{template}' to make '{promiser}'");
                self.stop_reading(task, message);
                return None;
            }
        };
        let content = text::decode(&content).into_owned();
        let mut reader = Reader {
            promises: Vec::new(),
            block: None,
            context: "any".into(),
        };
        for (at, line) in content.split_inclusive('\n').enumerate() {
            let (number, line) = (at + 1, until_zero(line));
            let Some(tag) = line.strip_prefix("[%CFEngine") else {
                if self.is_defined(&reader.context.clone()) {
                    reader.take(line, number);
                }
                continue;
            };
            let mut words = tag.split_whitespace();
            let (word, close) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
            if !close.starts_with("%]") {
                let message = format!(
                    "Template file '{template}' syntax error, missing close \"%]\" at line {number}"
                );
                self.stop_reading(task, message);
                return None;
            }
            match word {
                "BEGIN" if reader.block.is_some() => {
                    let message = format!(
                        "Template file '{template}' contains nested blocks which are not allowed, near line {number}"
                    );
                    self.stop_reading(task, message);
                    return None;
                }
                "BEGIN" => reader.begin_block(),
                "END" => reader.end_block(number),
                word => match word.strip_suffix("::") {
                    Some(context) => reader.context = context.into(),
                    None => reader.take_block(number),
                },
            }
        }
        Some(reader.promises)
    }

    fn stop_reading(&mut self, task: &mut Task, message: String) {
        let promise = task.promise.clone();
        self.conclude(Severity::Error, Outcome::Interrupted, &promise, message);
        task.add(Outcome::Interrupted);
    }
}

impl Reader {
    fn take(&mut self, line: &str, number: usize) {
        match &mut self.block {
            Some(block) => block.lines.push_str(line),
            None => self.push(line.strip_suffix('\n').unwrap_or(line).into(), number),
        }
    }

    fn begin_block(&mut self) {
        self.block = Some(Block {
            lines: String::new(),
            context: self.context.clone(),
        });
    }

    /// Restores the class from before the block. It also applies to the block itself, even if the
    /// block names another class.
    fn end_block(&mut self, number: usize) {
        let block = self.block.take();
        let lines = block.map_or_else(String::new, |block| {
            self.context = block.context;
            block.lines
        });
        self.push(lines.trim_end_matches('\n').into(), number);
    }

    /// An unknown tag ends the text collected so far, but not the block.
    fn take_block(&mut self, number: usize) {
        let lines = self.block.as_mut().map(|block| &mut block.lines);
        let lines = lines.map(std::mem::take).unwrap_or_default();
        self.push(lines.trim_end_matches('\n').into(), number);
    }

    fn push(&mut self, promiser: Text, number: usize) {
        let attribute = Attribute {
            name: "insert_type".into(),
            value: Value::text("preserve_all_lines"),
            bare: false,
            guard: None,
            line: 0,
        };
        let expression = class::parse(&self.context).map(|parsed| parsed.expression);
        self.promises.push(Rc::new(Promise {
            kind: "insert_lines".into(),
            plain: !scan::may_refer(&promiser),
            promiser,
            promisee: None,
            guard: Some(Guard {
                text: self.context.clone(),
                expression,
            }),
            attributes: vec![attribute],
            line: u32::try_from(number).unwrap_or(0),
        }));
    }
}
