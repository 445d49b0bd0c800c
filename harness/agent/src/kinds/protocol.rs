//! The protocol of command modules: classes and variables from lines that a
//! program prints.

use crate::context::{Agent, Reach, Reference, Variable};
use crate::data::{self, Data};
use crate::log::Level;
use crate::number;
use crate::scan;
use crate::stop::{Step, Stop};
use crate::value::{Kind, Text, Value};
use std::rc::Rc;

/// What lines before say of the lines that follow.
pub(crate) struct ModuleState {
    command: String,
    context: String,
    tags: Rc<Vec<Text>>,
    /// For so many minutes classes persist.
    persistence: i64,
    /// Lines that mean nothing are printed.
    print: bool,
}

fn is_id(text: &str) -> bool {
    let word =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '[' | ']' | '/' | '@');
    text.chars().all(word)
}

impl Agent {
    /// Takes note of a command whose lines are to be read.
    pub(crate) fn module_state(&mut self, command: &str, print: bool) -> ModuleState {
        let program = super::commands::program_of(command);
        let context = scan::canonify(program.rsplit('/').next().unwrap_or_default());
        self.verbose(|| format!("Module context '{context}'"));
        ModuleState {
            command: command.into(),
            context,
            tags: Rc::new(vec!["source=module".into()]),
            persistence: 0,
            print,
        }
    }

    /// Takes one line.
    pub(crate) fn module_line(&mut self, state: &mut ModuleState, line: &str) -> Step<()> {
        let Some(first) = line.chars().next() else {
            return Ok(());
        };
        let rest = &line[first.len_utf8()..];
        match first {
            '^' => self.module_directive(state, rest, line),
            '+' => self.module_class(state, rest),
            '-' => return self.module_no_class(rest),
            '=' => {
                if let Some((name, value)) = rest.split_once('=') {
                    self.module_variable(state, name, Kind::String, Value::text(value))?;
                }
            }
            '@' => {
                if let Some((name, value)) = rest.split_once('=') {
                    match parse_list(value) {
                        Some(items) => {
                            let list = Value::texts(items);
                            self.module_variable(state, name, Kind::StringList, list)?;
                        }
                        None => {
                            let message = format!(
                                "Module protocol could not parse variable {name}'s data content {value}"
                            );
                            self.say(Level::Error, message);
                        }
                    }
                }
            }
            '%' => {
                if let Some((name, value)) = rest.split_once('=') {
                    self.module_data(state, name, value)?;
                }
            }
            '&' => {
                if let Some((name, path)) = rest.split_once('=') {
                    match self.read_bytes(path) {
                        Ok(bytes) => {
                            let content = stickler_policy::text::decode(&bytes).into_owned();
                            self.module_data(state, name, &content)?;
                        }
                        Err(_) => {
                            let message = format!("could not load module file '{path}'");
                            self.say(Level::Error, message);
                        }
                    }
                }
            }
            _ if state.print => {
                let message = format!("M '{}': {line}", state.command);
                self.say(Level::Info, message);
            }
            _ => {}
        }
        Ok(())
    }

    fn module_directive(&mut self, state: &mut ModuleState, rest: &str, line: &str) {
        if let Some(context) = rest.strip_prefix("context=") {
            let word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
            if !context.is_empty() && context.bytes().all(word) {
                self.verbose(|| {
                    format!(
                        "Module changed variable context from '{}' to '{context}'",
                        state.context
                    )
                });
                state.context = context.into();
            } else {
                let message = format!(
                    "Module protocol was given an unacceptable ^context directive '{context}', skipping"
                );
                self.say(Level::Error, message);
            }
        } else if let Some(tags) = rest.strip_prefix("meta=") {
            self.verbose(|| format!("Module set meta tags to '{tags}'"));
            let tags = tags.split(',').chain(["source=module"]);
            state.tags = Rc::new(tags.map(Text::from).collect());
        } else if let Some((minutes, _)) =
            rest.strip_prefix("persistence=").and_then(number::leading)
        {
            state.persistence = minutes;
            self.verbose(|| format!("Module set persistence to {minutes} minutes"));
        } else {
            let message = format!("Unknown extended module command '{line}'");
            self.say(Level::Info, message);
        }
    }

    fn module_class(&mut self, state: &ModuleState, name: &str) {
        self.verbose(|| format!("Activating classes from module protocol: '{name}'"));
        if !is_id(name) {
            let name = scan::canonify(name);
            self.set_class(&name, Reach::Namespace, &state.tags, None);
            return;
        }
        self.set_class(name, Reach::Namespace, &state.tags, None);
        let minutes = state.persistence;
        if minutes > 0 {
            self.verbose(|| format!("Module set persistent class '{name}' for {minutes} minutes"));
            self.persist_class(name, minutes, &state.tags);
        }
    }

    fn module_no_class(&mut self, names: &str) -> Step<()> {
        self.verbose(|| format!("Deactivating classes from module protocol: '{names}'"));
        if !is_id(&names.replace(',', "")) {
            return Ok(());
        }
        for name in names.split(',').filter(|name| !name.is_empty()) {
            if self
                .classes
                .get("default", name)
                .is_some_and(|class| class.hard)
            {
                return Err(Stop::Fatal(format!(
                    "Cannot negate the reserved class '{name}'"
                )));
            }
            self.cancel_class(name);
        }
        Ok(())
    }

    fn module_data(&mut self, state: &ModuleState, name: &str, text: &str) -> Step<()> {
        match data::parse(text) {
            Ok((data, _)) if data.is_container() => {
                self.module_variable(state, name, Kind::Data, Value::data(Data::copied(data)))
            }
            Ok(_) => {
                let message =
                    format!("Module protocol JSON '{text}' should be object or array; wasn't");
                self.say(Level::Info, message);
                Ok(())
            }
            Err(error) => {
                let message = format!("Failed to parse JSON '' for module protocol: {error}");
                self.say(Level::Info, message);
                Ok(())
            }
        }
    }

    fn module_variable(
        &mut self,
        state: &ModuleState,
        name: &str,
        kind: Kind,
        value: Value,
    ) -> Step<()> {
        if !is_id(name) {
            return Ok(());
        }
        self.verbose(|| {
            format!(
                "Defined variable '{name}' in context '{}' with value '{}'",
                state.context,
                value.show(false)
            )
        });
        let reference = Reference::parse(name, (None, Some(&state.context)));
        let variable = Variable {
            kind,
            value,
            tags: state.tags.clone(),
            comment: None,
        };
        self.put(&reference, variable)?;
        Ok(())
    }
}

/// `{ "a", 'b' }`
pub(crate) fn parse_list(text: &str) -> Option<Vec<String>> {
    let inner = text.trim().strip_prefix('{')?.strip_suffix('}')?;
    let mut items = Vec::new();
    let mut rest = inner.trim_start();
    while !rest.is_empty() {
        let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        let mut item = String::new();
        let mut chars = rest.char_indices().skip(1);
        let end = loop {
            match chars.next()? {
                (_, '\\') => item.push(chars.next()?.1),
                (at, c) if c == quote => break at,
                (_, c) => item.push(c),
            }
        };
        items.push(item);
        rest = rest[end + 1..].trim_start();
        rest = match rest.strip_prefix(',') {
            Some(rest) => rest.trim_start(),
            None if rest.is_empty() => rest,
            None => return None,
        };
    }
    Some(items)
}
