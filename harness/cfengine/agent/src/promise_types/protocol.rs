//! The protocol of command modules: a program prints lines that define classes and variables.

use crate::context::{Agent, Reach, Variable};
use crate::data;
use crate::functions::FileKind;
use crate::log::Severity;
use crate::number;
use crate::scan;
use crate::stop::{Step, Stop};
use crate::value::{Kind, Text, Value};
use std::borrow::Cow;
use std::rc::Rc;

/// The most bytes in a line about a class, and in an item of a list.
const LONGEST_NAME: usize = 1024;

/// The most bytes in a line about a variable.
const LONGEST_VALUE: usize = 4096 + 256;

fn bytes(line: &str) -> usize {
    cfengine_policy::text::encode(line).len()
}

/// The settings that earlier lines make for later ones.
pub(crate) struct ModuleState {
    command: String,
    /// The scope of the variables; by default, the program's name.
    context: String,
    tags: Rc<Vec<Text>>,
    /// For how many minutes classes persist.
    persistence: i64,
    /// Whether lines without a meaning are printed.
    print: bool,
}

impl Agent {
    /// The initial state for a command whose output is read.
    pub(crate) fn module_state(&self, command: &str, print: bool) -> ModuleState {
        ModuleState {
            command: command.into(),
            context: String::new(),
            tags: Rc::default(),
            persistence: 0,
            print,
        }
    }

    /// Processes one line.
    pub(crate) fn module_line(&mut self, state: &mut ModuleState, line: &str) -> Step<()> {
        if state.context.is_empty() {
            let program = crate::process::program_of(&state.command).trim_end_matches('/');
            state.context = scan::canonify(program.rsplit('/').next().unwrap_or_default());
            self.verbose(|| format!("Module context '{}'", state.context));
        }
        let Some(first) = line.chars().next() else {
            return Ok(());
        };
        let rest = &line[first.len_utf8()..];
        if self.is_overlong(first, line) {
            return Ok(());
        }
        match first {
            '^' => self.module_directive(state, rest, line),
            '+' => self.module_class(state, rest),
            '-' => return self.module_no_class(rest),
            '=' => {
                let (name, value) = shortly_named(rest);
                self.check_name(&name);
                self.say_defined(state, &name, "variable", &value);
                self.module_variable(state, &name, Kind::String, Value::text(&*value))?;
            }
            '@' => {
                let (name, value) = shortly_named(rest);
                self.check_name(&name);
                match parse_list(&value) {
                    Ok(items) if items.iter().any(|item| bytes(item) > LONGEST_NAME) => {
                        let message = "Module protocol was given a variable @ line with an oversize entry, skipping";
                        self.say(Severity::Error, message);
                    }
                    Ok(items) => {
                        self.say_defined(state, &name, "variable", &value);
                        let list = Value::texts(items);
                        self.module_variable(state, &name, Kind::StringList, list)?;
                    }
                    Err(reason) => {
                        self.say(Severity::Error, reason);
                        let message = format!(
                            "Module protocol could not parse variable {name}'s data content {value}"
                        );
                        self.say(Severity::Error, message);
                    }
                }
            }
            '%' => {
                let (name, value) = named(rest);
                self.check_name(name);
                self.module_data(state, name, value)?;
            }
            '&' => {
                let (name, path) = named(rest);
                self.check_name(name);
                self.module_file(state, name, path)?;
            }
            _ if state.print && !line.trim().is_empty() => {
                let message = format!("M '{}': {line}", state.command);
                self.say(Severity::Info, message);
            }
            _ => {}
        }
        Ok(())
    }

    /// Whether a line is too long for its kind; reports if so.
    fn is_overlong(&mut self, first: char, line: &str) -> bool {
        let (what, most) = match first {
            '+' => ("+class ", LONGEST_NAME),
            '-' => ("-class ", LONGEST_NAME),
            '=' => ("variable =", LONGEST_VALUE),
            '@' => ("variable @", LONGEST_VALUE - 1),
            _ => return false,
        };
        let length = bytes(line);
        if length > most {
            let message = format!(
                "Module protocol was given an overlong {what}line ({length} bytes), skipping"
            );
            self.say(Severity::Error, message);
        }
        length > most
    }

    fn module_directive(&mut self, state: &mut ModuleState, rest: &str, line: &str) {
        let given = |name: &str| rest.strip_prefix(name).filter(|value| !value.is_empty());
        if let Some(context) = given("context=") {
            let word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
            if context.bytes().all(word) {
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
                self.say(Severity::Error, message);
            }
        } else if let Some(tags) = given("meta=") {
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
            self.say(Severity::Info, message);
        }
    }

    /// Reports characters that are illegal in a name; cf-agent accepts the name anyway.
    fn check_name(&mut self, name: &str) {
        let belongs = |c: &char| {
            c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '[' | ']' | '/' | '@')
        };
        for c in name.chars().filter(|c| !belongs(c)) {
            self.verbose(|| {
                format!(
                    "Module protocol contained an illegal character '{c}' in class/variable identifier '{name}'."
                )
            });
        }
    }

    fn module_class(&mut self, state: &ModuleState, name: &str) {
        self.verbose(|| format!("Activating classes from module protocol: '{name}'"));
        self.check_name(name);
        let class = match name.split_once(':') {
            Some((namespace, name)) => format!("{namespace}:{}", scan::canonify(name)),
            None => scan::canonify(name),
        };
        self.set_class(&class, Reach::Namespace, &state.tags, None);
        let minutes = state.persistence;
        if minutes > 0 {
            self.verbose(|| format!("Module set persistent class '{name}' for {minutes} minutes"));
            self.persist_class(name, minutes, &state.tags);
        }
    }

    fn module_no_class(&mut self, names: &str) -> Step<()> {
        self.verbose(|| format!("Deactivating classes from module protocol: '{names}'"));
        self.check_name(names);
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
        // cf-agent prints an empty text in place of the JSON.
        match data::parse(text, self.release()) {
            Ok((data, _)) if data.is_container() => {
                self.say_defined(state, name, "data container variable", text);
                let data = Value::data(self.copied(data)?);
                self.module_variable(state, name, Kind::Data, data)
            }
            Ok(_) => {
                let message = "Module protocol JSON '' should be object or array; wasn't";
                self.say(Severity::Info, message);
                Ok(())
            }
            Err(error) => {
                let message = format!("Failed to parse JSON '' for module protocol: {error}");
                self.say(Severity::Info, message);
                Ok(())
            }
        }
    }

    fn module_file(&mut self, state: &ModuleState, name: &str, path: &str) -> Step<()> {
        if self.read_bytes(path).is_err() {
            let message = format!("could not load module file '{path}'");
            self.say(Severity::Error, message);
            return Ok(());
        }
        let caller = "module file protocol";
        match self.read_data(caller, path, FileKind::of(path), number::INFINITE)? {
            Some(data) => {
                let data = Value::data(self.copied(data)?);
                self.module_variable(state, name, Kind::Data, data)
            }
            None => Ok(()),
        }
    }

    fn say_defined(&mut self, state: &ModuleState, name: &str, what: &str, value: &str) {
        let context = &state.context;
        self.verbose(|| {
            format!("Defined {what} '{name}' in context '{context}' with value '{value}'")
        });
    }

    fn module_variable(
        &mut self,
        state: &ModuleState,
        name: &str,
        kind: Kind,
        value: Value,
    ) -> Step<()> {
        let reference = self.reference(name, (None, Some(&state.context)));
        let variable = Variable {
            kind,
            value,
            tags: state.tags.clone(),
            comment: None,
            promise: None,
        };
        self.put(&reference, variable)?;
        Ok(())
    }
}

/// Splits at the first `=` into name and value.
fn named(rest: &str) -> (&str, &str) {
    match rest.split_once('=') {
        // Without a name, cf-agent does not read the value.
        Some(("", _)) => ("", ""),
        Some(pair) => pair,
        None => (rest, ""),
    }
}

/// Does the same as [`named`], but truncates where cf-agent stops reading.
fn shortly_named(rest: &str) -> (Cow<'_, str>, Cow<'_, str>) {
    let (name, value) = named(rest);
    let most = |text: &str, most: usize| {
        let bytes = cfengine_policy::text::encode(text);
        cfengine_policy::text::decode(&bytes[..bytes.len().min(most)]).into_owned()
    };
    if bytes(name) > 256 {
        return (most(name, 256).into(), "".into());
    }
    (name.into(), most(value, 4095).into())
}

/// The items of `{ "a", 'b' }`; quotes can't be escaped.
///
/// # Errors
/// cf-agent's message for any other text.
pub(crate) fn parse_list(text: &str) -> Result<Vec<String>, &'static str> {
    const MALFORMED: &str = "Parsing error : Malformed string";
    const ENDS: &str = "Parsing error : Malformed string (unexpected end of input)";
    // The text goes wrong here: either it continues or it ends too early.
    let wrong = |rest: &str| if rest.len() > 1 { MALFORMED } else { ENDS };
    let blanks = |text: &'_ str| text.len() - text.trim_start_matches([' ', '\t']).len();
    let mut rest = &text[blanks(text)..];
    rest = rest.strip_prefix('{').ok_or_else(|| wrong(rest))?;
    let mut items = Vec::new();
    loop {
        rest = &rest[blanks(rest)..];
        let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''));
        let quote = quote.ok_or_else(|| wrong(rest))?;
        let (item, behind) = rest[1..].split_once(quote).ok_or(ENDS)?;
        items.push(item.to_owned());
        rest = &behind[blanks(behind)..];
        if let Some(behind) = rest.strip_prefix(',') {
            rest = behind;
            continue;
        }
        let behind = rest.strip_prefix('}').ok_or_else(|| wrong(rest))?;
        let behind = &behind[blanks(behind)..];
        return if behind.is_empty() {
            Ok(items)
        } else {
            Err(wrong(behind))
        };
    }
}
