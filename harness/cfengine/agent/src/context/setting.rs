//! Sets variables and classes, and evaluates class expressions.

use super::{Agent, Class, Frame, Reach, Reference, Variable, show_class};
use crate::data::{Data, Uncopied};
use crate::log::Severity;
use crate::program::{Bundle, Guard};
use crate::scan;
use crate::stop::{Step, Stop};
use crate::value::{Kind, Text, Value};
use cfengine_policy::class::{self, Expression, Part};
use std::rc::Rc;

/// Names of at least this length become no classes.
const LONGEST_CLASS: usize = 1024;

/// The class of a name: the namespace, if the name has one, and the canonical name.
///
/// # Errors
/// The reason why no such class can exist.
pub(crate) fn class_name(name: &str) -> Result<(Option<&str>, String), String> {
    let (namespace, name) = match name.split_once(':') {
        Some((namespace, name)) => (Some(namespace), name),
        None => (None, name),
    };
    if name.len() >= LONGEST_CLASS {
        return Err(format!(
            "Skipping adding class [{name}] as its name is equal or longer than {LONGEST_CLASS}"
        ));
    }
    // Trailing blanks are part of a name, but blanks alone are no name.
    let name = if name.trim_end().is_empty() { "" } else { name };
    Ok((namespace, scan::canonify(name)))
}

impl Agent {
    pub(super) fn refers_to_itself(&mut self, r: &Reference, value: &Value) -> bool {
        let refers = |value: &Value| {
            value
                .scalar()
                .is_some_and(|text| scan::refers_to(text, &r.name))
        };
        match value {
            Value::Scalar(text) if refers(value) => {
                let message = format!(
                    "The value of variable '{}' contains a reference to itself, '{text}'",
                    r.show()
                );
                self.say(Severity::Error, message);
                true
            }
            Value::List(items) if items.iter().any(refers) => {
                let message = format!(
                    "An item in list variable '{}' contains a reference to itself",
                    r.show()
                );
                self.say(Severity::Error, message);
                true
            }
            _ => false,
        }
    }

    /// Copies a container as cf-agent does.
    ///
    /// # Errors
    /// The container can't be copied; the run ends.
    pub(crate) fn copied(&mut self, data: Data) -> Step<Data> {
        data.copied().map_err(|uncopied| self.uncopied(&uncopied))
    }

    /// Does the same as [`Data::iterated`].
    ///
    /// # Errors
    /// A number can't be read; the run ends.
    pub(crate) fn iterated(&mut self, data: &Data) -> Step<Vec<Text>> {
        data.iterated().map_err(|uncopied| self.uncopied(&uncopied))
    }

    /// Reports a value that can't be copied; the run exits with code 1.
    pub(crate) fn uncopied(&mut self, uncopied: &Uncopied) -> Stop {
        self.say(Severity::Error, uncopied.to_string());
        Stop::Exit(1)
    }

    /// Sets a bundle's parameter to its argument.
    pub(super) fn bind(
        &mut self,
        bundle: &Rc<Bundle>,
        caller: Option<&Rc<Bundle>>,
        parameter: &Text,
        argument: &Value,
    ) -> Step<()> {
        let (kind, value) = match argument {
            Value::Scalar(text) => match scan::naked(text, b'@') {
                None => (Kind::String, argument.clone()),
                Some(name) => {
                    let home = caller.unwrap_or(bundle);
                    let home = (Some(&*home.namespace), Some(&*home.name));
                    let reference = self.reference(name, home);
                    match self.find_value(&reference) {
                        Some((kind, value)) if kind.is_list() => (Kind::StringList, value),
                        Some((Kind::Data, value)) => (Kind::Data, value),
                        _ => {
                            let message = format!(
                                "List or container parameter '{name}' not found while constructing scope '{}' - use @(scope.variable) in calling reference",
                                bundle.name
                            );
                            self.say(Severity::Error, message);
                            (Kind::String, argument.clone())
                        }
                    }
                }
            },
            Value::Call(call) => match self.call(call)? {
                Some(value @ Value::Scalar(_)) => (Kind::String, value),
                _ => {
                    let message = "Only functions returning scalars can be used as arguments";
                    self.say(Severity::Error, message);
                    return Ok(());
                }
            },
            other => (Kind::StringList, other.clone()),
        };
        let home = (Some(&*bundle.namespace), Some(&*bundle.name));
        let variable = Variable {
            kind,
            value,
            tags: Rc::new(vec!["source=promise".into()]),
            comment: None,
            promise: None,
        };
        let reference = self.reference(parameter, home);
        self.put(&reference, variable)?;
        Ok(())
    }

    /// The current namespace.
    pub(crate) fn namespace(&self) -> Option<&Text> {
        self.frames.iter().rev().find_map(|frame| match frame {
            Frame::Bundle(frame) => Some(&frame.bundle.namespace),
            Frame::Body(frame) => Some(&frame.body.namespace),
            _ => None,
        })
    }

    /// Whether a class is set, as seen from the current frame.
    pub(crate) fn has_class(&self, name: &str) -> bool {
        let (namespace, name) = match name.split_once(':') {
            Some((namespace, name)) => (Some(namespace), name),
            None => (None, name),
        };
        let hard = || {
            let class = self.classes.get("default", name);
            class.is_some_and(|class| class.hard)
        };
        if namespace.is_none_or(|namespace| namespace == "default") && hard() {
            return true;
        }
        let namespace = namespace.or_else(|| self.namespace().map(|ns| &**ns));
        let soft = self.classes.get(namespace.unwrap_or("default"), name);
        name == "any" || soft.is_some_and(|class| !class.hard) || self.bundle_has_class(name)
    }

    /// Whether the current bundle has a class, or a caller whose classes it inherits.
    fn bundle_has_class(&self, name: &str) -> bool {
        for frame in self.frames.iter().rev() {
            match frame {
                Frame::Bundle(frame) => {
                    if frame.classes.get(&frame.bundle.namespace, name).is_some() {
                        return true;
                    }
                    if !frame.inherits {
                        return false;
                    }
                }
                Frame::Body(_) => return false,
                _ => {}
            }
        }
        false
    }

    /// Whether a guard holds.
    pub(crate) fn holds(&self, guard: Option<&Guard>) -> bool {
        let Some(guard) = guard else {
            return true;
        };
        if class::has_inner_blank(guard.text.as_bytes()) {
            return false;
        }
        match &guard.expression {
            Ok(expression) => self.evaluate_expression(expression) == Some(true),
            Err(_) => false,
        }
    }

    /// Whether a class expression holds; `None` if it is malformed or refers to variables.
    pub(crate) fn check(&mut self, text: &str) -> Option<bool> {
        let simple = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        if !text.is_empty() && text.bytes().all(simple) {
            return Some(self.is_true(text));
        }
        if class::has_inner_blank(text.as_bytes()) {
            let message = format!(
                "class expressions can't be separated by whitespace without an intervening operator in expression '{text}'"
            );
            self.say(Severity::Error, message);
            return None;
        }
        match class::parse(&class::without_blanks(text)) {
            Ok(parsed) => self.evaluate_expression(&parsed.expression),
            Err(_) => {
                let message = format!("Unable to parse class expression '{text}'");
                self.say(Severity::Error, message);
                None
            }
        }
    }

    /// Whether a class expression certainly holds.
    pub(crate) fn is_defined(&mut self, text: &str) -> bool {
        self.check(text) == Some(true)
    }

    /// Does the same as [`Agent::check`], but reports nothing.
    pub(crate) fn holds_by_now(&self, text: &str) -> Option<bool> {
        self.evaluate_expression(&class::parse(text).ok()?.expression)
    }

    fn evaluate_expression(&self, expression: &Expression) -> Option<bool> {
        let all = |sides: &[Expression]| -> Option<Vec<bool>> {
            sides
                .iter()
                .map(|side| self.evaluate_expression(side))
                .collect()
        };
        match expression {
            Expression::Or(sides) => all(sides).map(|sides| sides.contains(&true)),
            Expression::And(sides) => all(sides).map(|sides| !sides.contains(&false)),
            Expression::Not(inner) => self.evaluate_expression(inner).map(|holds| !holds),
            Expression::Name(parts) => {
                if let [Part::Text(name)] = &parts[..] {
                    return Some(self.is_true(name));
                }
                let mut name = String::new();
                for part in parts {
                    match part {
                        Part::Text(text) => name.push_str(text),
                        Part::Variable { .. } => return None,
                    }
                }
                Some(self.is_true(&name))
            }
        }
    }

    /// Whether a name within an expression is true.
    fn is_true(&self, name: &str) -> bool {
        class::constant(name).unwrap_or_else(|| self.has_class(name))
    }

    /// Sets a class in the current namespace, or in the one that the name gives.
    pub(crate) fn set_class(
        &mut self,
        name: &str,
        reach: Reach,
        tags: &Rc<Vec<Text>>,
        comment: Option<Text>,
    ) -> bool {
        let (namespace, canonical) = match class_name(name) {
            Ok(named) => named,
            Err(complaint) => {
                self.say(Severity::Warning, complaint);
                return false;
            }
        };
        let here = || self.namespace().cloned();
        let namespace = namespace.map(Text::from).or_else(here);
        let namespace = namespace.unwrap_or_else(|| "default".into());
        let name = name.split_once(':').map_or(name, |(_, name)| name);
        let shown = show_class(&namespace, &canonical);
        if shown.is_empty() {
            return false;
        }
        self.check_abort(&show_class(&namespace, &scan::canonify(name.trim_end())));
        let existing = self
            .bundle_frame()
            .and_then(|frame| frame.classes.get(&namespace, &canonical))
            .or_else(|| self.classes.get(&namespace, &canonical));
        if existing.is_some_and(|class| class.reach == reach) {
            return false;
        }
        let class = Class {
            hard: false,
            reach,
            tags: tags.clone(),
            comment,
        };
        if self.would(Severity::Debug) {
            self.say(
                Severity::Debug,
                format!("Setting class: {namespace}:{canonical}"),
            );
        }
        match reach {
            Reach::Bundle => {
                if let Some(frame) = self.bundle_frame_mut() {
                    frame.classes.put(&namespace, &canonical, class);
                }
            }
            Reach::Namespace => self.classes.put(&namespace, &canonical, class),
        }
        self.check_bundle_abort(name, "setting class");
        true
    }

    /// Sets a class in the current bundle, as the outcomes of promises do.
    pub(crate) fn set_outcome_class(&mut self, name: &str) {
        let Some(bundle) = self.bundle().cloned() else {
            return;
        };
        let shown = show_class(&bundle.namespace, name);
        let shadows = self.classes.get(&bundle.namespace, name);
        if shadows.is_some_and(|class| !class.hard) {
            let message = format!(
                "Private class '{shown}' in bundle '{}' shadows a global class - you should choose a different name to avoid conflicts",
                bundle.name
            );
            self.say(Severity::Warning, message);
        }
        self.check_abort(&shown);
        if self.bundle_has_class(&shown) {
            return;
        }
        let class = Class {
            hard: false,
            reach: Reach::Bundle,
            tags: Rc::default(),
            comment: None,
        };
        if let Some(frame) = self.bundle_frame_mut() {
            frame.classes.put(&bundle.namespace, name, class);
        }
        self.check_bundle_abort(name, "setting");
    }

    /// Removes a class from all scopes.
    pub(crate) fn cancel_class(&mut self, name: &str) {
        let (namespace, name) = name.split_once(':').unwrap_or(("default", name));
        for frame in &mut self.frames {
            if let Frame::Bundle(frame) = frame {
                frame.classes.remove(namespace, name);
                let own = frame.bundle.namespace.clone();
                frame.classes.remove(&own, name);
            }
        }
        self.classes.remove(namespace, name);
    }

    fn check_abort(&mut self, name: &str) {
        if self.voice.control.abort_classes.is_empty()
            && self.voice.control.abort_bundle_classes.is_empty()
        {
            return;
        }
        if self.matches_any(&self.voice.control.abort_bundle_classes.clone(), name) {
            let bundle = self.bundle().map(|bundle| bundle.name.clone());
            let message = match bundle {
                Some(bundle) => format!("Bundle '{bundle}' aborted on defined class '{name}'"),
                None => format!("Bundle (unknown) aborted on defined class '{name}'"),
            };
            self.say(Severity::Error, message);
            self.bundle_aborted = true;
        }
        if self.matches_any(&self.voice.control.abort_classes.clone(), name) {
            self.say(
                Severity::Notice,
                format!("cf-agent aborted on defined class '{name}'"),
            );
            self.aborted = true;
        }
    }

    fn matches_any(&mut self, patterns: &[Text], name: &str) -> bool {
        patterns
            .iter()
            .any(|pattern| **pattern == *name || self.patterns.matches_fully(pattern, name))
    }

    fn check_bundle_abort(&mut self, name: &str, how: &str) {
        if self.bundle_aborted {
            return;
        }
        for expression in self.voice.control.abort_bundle_classes.clone() {
            if self.is_defined(&expression) {
                let message = format!("Setting abort for '{expression}' when {how} '{name}'");
                self.say(Severity::Error, message);
                self.bundle_aborted = true;
                return;
            }
        }
    }
}
