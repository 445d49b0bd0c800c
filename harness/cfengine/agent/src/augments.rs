//! Augments: variables, classes and inputs from `def.json` next to the policy.

use crate::context::{Agent, Class, Reach, Reference, Variable, show_class};
use crate::data::{self, Data};
use crate::expand::THIS;
use crate::log::Severity;
use crate::map::Map;
use crate::stop::{Step, Stop};
use crate::value::{Kind, Text, Value};
use std::fs;
use std::path::Path;
use std::rc::Rc;

/// The tag of everything that augments define.
const TAG: &str = "source=augments_file";

/// Larger files, in bytes, are not read.
const LARGEST: u64 = 5 << 20;

/// The deepest chain of augments files.
const DEEPEST: usize = 20;

type Members = Map<Text, Data>;

impl Agent {
    /// Loads the augments next to the policy.
    pub(crate) fn augment(&mut self) -> Step<()> {
        let host = self.voice.options.workdir.join("data/host_specific.json");
        if host.exists() {
            return Err(Stop::Refused(format!(
                "{}: host-specific data is not supported by the reference agent",
                host.display()
            )));
        }
        // A policy given as a text has no directory.
        if self.voice.options.text.is_some() {
            return Ok(());
        }
        let file = self.voice.options.file.clone();
        let folder = match file.rsplit_once('/') {
            Some(("", _)) => "/",
            Some((folder, _)) => folder,
            None => ".",
        };
        let preferred = format!("{folder}/def_preferred.json");
        let name = if Path::new(&preferred).is_file() {
            preferred
        } else {
            format!("{folder}/def.json")
        };
        self.verbose(|| {
            format!(
                "Loading JSON augments from '{name}' (input dir '{folder}', input file '{file}'"
            )
        });
        self.load_augments(&name.into(), 0)?;
        Ok(())
    }

    /// Loads an augments file. True if it exists and is JSON.
    fn load_augments(&mut self, written: &Text, depth: usize) -> Step<bool> {
        if depth > DEEPEST {
            return Err(Stop::Limit(format!(
                "augments name each other more than {DEEPEST} times: {written}"
            )));
        }
        let path = self.expand_text(written, THIS)?;
        if path.contains("/.json") {
            return Ok(false);
        }
        let Ok(meta) = fs::metadata(&*path) else {
            self.verbose(|| format!("could not load JSON augments from '{path}'"));
            return Ok(false);
        };
        if meta.len() > LARGEST {
            let message = format!("Failed to parse JSON file {path}: too large");
            self.say(Severity::Error, message);
            return Ok(false);
        }
        let Ok(content) = fs::read(&*path) else {
            self.say(Severity::Error, format!("Could not open JSON file {path}"));
            return Ok(false);
        };
        let content = cfengine_policy::text::decode(&content);
        match data::parse(&content, self.release()) {
            Ok((Data::Object(members), _)) => {
                self.install_augments(&path, &members, depth)?;
                return Ok(true);
            }
            Ok(_) => {
                let message =
                    format!("Invalid augments file contents in '{path}', must be a JSON object");
                self.say(Severity::Error, message);
            }
            Err(broken) => {
                let message = format!("Could not parse JSON file {path}: {broken}");
                self.say(Severity::Error, message);
            }
        }
        Ok(false)
    }

    fn install_augments(&mut self, path: &Text, members: &Members, depth: usize) -> Step<()> {
        self.verbose(|| format!("Loaded augments file '{path}', installing contents"));
        for key in members.keys() {
            if !matches!(&**key, "vars" | "classes" | "inputs" | "augments") {
                self.verbose(|| {
                    format!("Unknown augments key '{key}' in file '{path}', skipping it")
                });
            }
        }
        for key in ["vars", "variables"] {
            if let Some(found) = present(members, key) {
                match self.expand_data(found)? {
                    Data::Object(all) => self.install_variables(path, &all, key == "variables")?,
                    _ => self.say(
                        Severity::Error,
                        format!("Invalid augments {key} in '{path}', must be a JSON object"),
                    ),
                }
            }
        }
        if let Some(found) = present(members, "classes") {
            match self.expand_data(found)? {
                Data::Object(all) => self.install_classes(path, &all)?,
                _ => self.say(
                    Severity::Error,
                    format!("Invalid augments classes in '{path}', must be a JSON object"),
                ),
            }
        }
        let no_list =
            format!("Trying to augment inputs in '{path}' but the value was not a list of strings");
        if let Some(found) = present(members, "inputs") {
            let found = self.expand_data(found)?;
            match self.list(&found)? {
                Some(list) => {
                    self.verbose(|| {
                        format!("Installing augments def.augments_inputs from file '{path}'")
                    });
                    let inputs = Reference::parse("augments_inputs", (None, Some("def")));
                    self.install_variable(&inputs, Value::texts(list), Vec::new(), None);
                }
                None => self.say(Severity::Error, &no_list),
            }
        }
        if let Some(found) = present(members, "augments") {
            let Some(more) = self.list(found)? else {
                self.say(Severity::Error, &no_list);
                return Ok(());
            };
            for name in more {
                if self.load_augments(&name, depth + 1)? {
                    self.verbose(|| format!("Completed augmenting from file '{name}'"));
                } else {
                    let message =
                        format!("Could not load requested further augments from file '{name}'");
                    self.say(Severity::Error, message);
                }
            }
        }
        Ok(())
    }

    /// Sets variables. With `described`, an object is a value with tags and a comment.
    fn install_variables(&mut self, path: &Text, all: &Members, described: bool) -> Step<()> {
        for (name, found) in all {
            let reference = Reference::plain(name);
            if reference.namespace.is_some() && reference.scope.is_none() {
                let message = format!(
                    "Invalid variable specification in augments data in '{path}': '{name}' (bundle name has to be specified if namespace is specified)"
                );
                self.say(Severity::Error, message);
                continue;
            }
            let reference = Reference::parse(name, (None, Some("def")));
            let (mut tags, mut comment, mut data) = (Vec::new(), None, found);
            if described && let Data::Object(members) = found {
                let Some(value) = present(members, "value") else {
                    let message = format!(
                        "Missing value for the augments variable '{name}' in '{path}' (value field is required)"
                    );
                    self.say(Severity::Error, message);
                    continue;
                };
                tags = self.tags_of("variable", name, members, path)?;
                comment = self.comment_of("variable", name, members, path);
                data = value;
            }
            let (value, kind) = match self.texts(data)? {
                Some(texts) if !data.is_container() => {
                    let text = only(texts, "variable", name, path)?;
                    self.verbose(|| {
                        format!("Installing augments variable '{name}={text}' from file '{path}'")
                    });
                    self.install_variable(&reference, Value::Scalar(text), tags, comment);
                    continue;
                }
                Some(list) => (Value::texts(list), "slist"),
                None => (Value::data(self.copied(data.clone())?), "data container"),
            };
            self.verbose(|| {
                format!("Installing augments {kind} variable '{name}' from file '{path}'")
            });
            self.install_variable(&reference, value, tags, comment);
        }
        Ok(())
    }

    fn install_variable(
        &mut self,
        reference: &Reference,
        value: Value,
        mut tags: Vec<Text>,
        comment: Option<Text>,
    ) {
        tags.push(TAG.into());
        let variable = Variable {
            kind: Kind::of(&value),
            value,
            tags: Rc::new(tags),
            comment,
            promise: None,
        };
        self.variables.put(reference, variable);
    }

    fn install_classes(&mut self, path: &Text, all: &Members) -> Step<()> {
        for (name, data) in all {
            let (mut tags, mut comment, mut entry) = (Vec::new(), None, "array entry ");
            let checks = match data {
                Data::Object(members) => {
                    let expressions = present(members, "class_expressions");
                    let patterns = present(members, "regular_expressions");
                    let ((Some(checks), None) | (None, Some(checks))) = (expressions, patterns)
                    else {
                        let message = format!(
                            "Invalid augments class data for class '{name}' in '{path}': either \"class_expressions\" or \"regular_expressions\" need to be specified"
                        );
                        self.say(Severity::Error, message);
                        continue;
                    };
                    let first = members.get("class_expressions").unwrap_or(checks);
                    if !first.is_container() {
                        return Err(would_crash(
                            "class",
                            name,
                            "has no list of expressions",
                            path,
                        ));
                    }
                    tags = self.tags_of("class", name, members, path)?;
                    comment = self.comment_of("class", name, members, path);
                    self.iterated(checks)?
                }
                other => match self.texts(other)? {
                    Some(checks) if !other.is_container() => {
                        entry = "";
                        vec![only(checks, "class", name, path)?]
                    }
                    Some(checks) => checks,
                    None => {
                        let message =
                            format!("Invalid augments class data for class '{name}' in '{path}'");
                        self.say(Severity::Error, message);
                        continue;
                    }
                },
            };
            let Some(check) = checks.into_iter().find(|check| self.matches_classes(check)) else {
                continue;
            };
            self.verbose(|| {
                format!(
                    "Installing augments class '{name}' (checked {entry}'{check}') from file '{path}'"
                )
            });
            tags.push(TAG.into());
            let (namespace, plain) = name.split_once(':').unwrap_or(("default", name));
            let class = Class {
                hard: false,
                reach: Reach::Namespace,
                tags: Rc::new(tags),
                comment,
            };
            let plain = crate::scan::canonify(plain);
            self.classes.put(namespace, &plain, class);
        }
        Ok(())
    }

    /// The texts of an array that has no containers in it.
    fn list(&mut self, data: &Data) -> Step<Option<Vec<Text>>> {
        match data {
            Data::Array(_) => self.texts(data),
            _ => Ok(None),
        }
    }

    /// Does the same as [`Agent::list`], but also accepts a single text. Numbers are formatted as
    /// cf-agent does; `null` gives nothing.
    fn texts(&mut self, data: &Data) -> Step<Option<Vec<Text>>> {
        let flat = match data {
            Data::Array(items) => !items.iter().any(Data::is_container),
            other => !other.is_container(),
        };
        flat.then(|| self.iterated(data)).transpose()
    }

    /// Evaluates a class expression if the text ends with `::`; otherwise matches a pattern of
    /// names.
    fn matches_classes(&mut self, check: &str) -> bool {
        if let Some(expression) = check.strip_suffix("::") {
            if expression.is_empty() {
                let message = format!("Invalid class expression in augments: '{check}'");
                self.say(Severity::Error, message);
                return false;
            }
            return self.is_defined(expression);
        }
        let names = self.classes.in_order().into_iter();
        let names: Vec<String> = names
            .map(|(namespace, name, _)| show_class(namespace, name))
            .collect();
        names
            .iter()
            .any(|name| self.patterns.matches_fully(check, name))
    }

    fn tags_of(
        &mut self,
        what: &str,
        name: &Text,
        members: &Members,
        path: &Text,
    ) -> Step<Vec<Text>> {
        let Some(tags) = present(members, "tags") else {
            return Ok(Vec::new());
        };
        let wrong = match self.list(tags)? {
            Some(texts) if texts.len() == tags.len() => return Ok(texts),
            Some(_) => "meta information",
            None => "tags information for",
        };
        let message = format!(
            "Invalid {wrong} {what} '{name}' in augments file '{path}': must be a JSON array of strings"
        );
        self.say(Severity::Error, message);
        Ok(Vec::new())
    }

    fn comment_of(
        &mut self,
        what: &str,
        name: &Text,
        members: &Members,
        path: &Text,
    ) -> Option<Text> {
        match present(members, "comment")? {
            Data::String(comment) => Some(comment.clone()),
            _ => {
                let message = format!(
                    "Invalid type of the 'comment' field for the '{name}' {what} in augments data in '{path}', must be a string"
                );
                self.say(Severity::Error, message);
                None
            }
        }
    }

    /// Expands variables in all strings and keys.
    fn expand_data(&mut self, data: &Data) -> Step<Data> {
        Ok(match data {
            Data::String(text) => Data::String(self.expand_text(text, THIS)?),
            Data::Array(items) => {
                let items = items.iter().map(|item| self.expand_data(item));
                Data::Array(items.collect::<Step<_>>()?)
            }
            Data::Object(members) => {
                let mut out = Members::default();
                for (key, value) in members {
                    out.insert(self.expand_text(key, THIS)?, self.expand_data(value)?);
                }
                Data::Object(out)
            }
            other => self.copied(other.clone())?,
        })
    }
}

/// The value of a key, unless it is `null`.
fn present<'a>(members: &'a Members, key: &str) -> Option<&'a Data> {
    members.get(key).filter(|data| **data != Data::Null)
}

/// The text of a value that is no container; cf-agent crashes on `null`.
fn only(texts: Vec<Text>, what: &str, name: &Text, path: &Text) -> Step<Text> {
    let text = texts.into_iter().next();
    text.ok_or_else(|| would_crash(what, name, "is null", path))
}

fn would_crash(what: &str, name: &Text, why: &str, path: &Text) -> Stop {
    Stop::Refused(format!(
        "{path}: {what} '{name}' {why}: cf-agent 3.21.0 would crash here"
    ))
}
