//! `classes` promises.

use crate::context::{Agent, Jenkins, Reach};
use crate::expand::THIS;
use crate::log::Severity;
use crate::machine;
use crate::outcome::Outcome;
use crate::promise::Expanded;
use crate::scan;
use crate::stop::Step;
use crate::value::{Text, Value};
use std::rc::Rc;

/// Attributes that give the condition of a class.
const CONDITIONS: [&str; 7] = [
    "or",
    "and",
    "xor",
    "dist",
    "expression",
    "not",
    "select_class",
];

impl Agent {
    /// Sets a class if its condition holds.
    pub(crate) fn define_class(&mut self, promise: &Rc<Expanded>) -> Step<Outcome> {
        self.read_attributes(promise);
        let mut name = promise.promiser.clone();
        let word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
        if name.is_empty() || !name.bytes().all(word) {
            self.verbose(|| {
                format!("Class identifier '{name}' contains illegal characters - canonifying")
            });
            name = scan::canonify(&name).into();
        }
        let conditions = promise.attributes.iter();
        let conditions: Vec<_> = conditions
            .filter(|(name, _)| CONDITIONS.contains(&&**name))
            .collect();
        if conditions.len() > 1 {
            let message = format!("Irreconcilable constraints in classes for '{name}'");
            self.conclude(Severity::Error, Outcome::Failed, promise, message);
            return Ok(Outcome::Failed);
        }
        if let Some((how, value)) = conditions.first()
            && !self.class_condition(&name, how, value, promise)?
        {
            return Ok(Outcome::Kept);
        }
        if name.is_empty() {
            let message =
                format!("Attempted to name a class '{name}', which is an illegal class identifier");
            self.conclude(Severity::Error, Outcome::Failed, promise, message);
            return Ok(Outcome::Failed);
        }
        self.put_class(&name, promise);
        Ok(Outcome::Kept)
    }

    fn put_class(&mut self, name: &Text, promise: &Expanded) {
        let mut tags: Vec<Text> = vec!["source=promise".into()];
        tags.extend(promise.texts("meta"));
        let persistence = promise.int("persistence").unwrap_or(0);
        let scope = promise.text("scope").map(|scope| &**scope);
        let common = &*promise.bundle.component == "common";
        let global = persistence > 0 || scope.map_or(common, |scope| scope != "bundle");
        let (reach, what) = if global {
            (Reach::Namespace, "Global")
        } else {
            (Reach::Bundle, "Private")
        };
        self.verbose(|| format!("C:     +  {what} class: {name}"));
        let comment = promise.comment.clone();
        let tags = Rc::new(tags);
        let set = self.set_class(name, reach, &tags, comment.clone());
        if persistence > 0 {
            self.verbose(|| {
                format!("C:     +  Persistent class: '{name}' ({persistence} minutes)")
            });
            self.persist_class(name, persistence, &tags);
        }
        if let Some(comment) = comment.filter(|_| set) {
            self.verbose(|| format!("Added class '{name}' with comment '{comment}'"));
        }
    }

    fn class_condition(
        &mut self,
        name: &Text,
        how: &str,
        value: &Value,
        promise: &Expanded,
    ) -> Step<bool> {
        if self.is_defined(name) {
            if promise.int("persistence") == Some(0) {
                self.verbose(|| format!(" ?> Cancelling cached persistent class {name}"));
                self.forget_class(name);
            }
            return Ok(false);
        }
        let value = match value {
            Value::Call(call) => self.call(call)?.unwrap_or_else(|| value.clone()),
            Value::List(items) => {
                let mut settled = Vec::with_capacity(items.len());
                for item in items.iter() {
                    settled.push(self.settle(item, THIS, true)?);
                }
                Value::List(Rc::new(settled))
            }
            other => self.expand_value(other, THIS)?,
        };
        if matches!(how, "expression" | "not") {
            let Value::Scalar(text) = &value else {
                return Ok(false);
            };
            return Ok(self.is_defined(text) == (how == "expression"));
        }
        let Value::List(items) = &value else {
            let message = format!("RHS of promise body attribute '{how}' is not a list");
            self.say(Severity::Error, message);
            self.say_place(Severity::Error, promise);
            return Ok(true);
        };
        Ok(match how {
            "select_class" => self.select_class(items, promise),
            "dist" => self.distribute_class(name, items, promise),
            _ => self.combine(how, items),
        })
    }

    /// Combines conditions; an item that is no text counts as false.
    fn combine(&mut self, how: &str, items: &[Value]) -> bool {
        let mut odd = false;
        for item in items {
            let holds = item.scalar().is_some_and(|text| self.is_defined(text));
            match how {
                "or" if holds => return true,
                "and" if !holds => return false,
                "xor" => odd ^= holds,
                _ => {}
            }
        }
        how == "and" || odd
    }

    /// Sets one of several classes; a host always gets the same one.
    fn select_class(&mut self, items: &[Value], promise: &Expanded) -> bool {
        let texts: Vec<_> = items.iter().filter_map(Value::scalar).cloned().collect();
        let unknown = texts.len() == 1 && texts[0].starts_with('@') && texts[0].len() > 3;
        if texts.is_empty() {
            self.say(Severity::Error, "No classes to select on RHS");
            self.say_place(Severity::Error, promise);
            return false;
        }
        if unknown {
            let list = &texts[0];
            self.verbose(|| {
                format!("select_class: Can not expand list '{list}' for setting class.")
            });
            self.say_place(Severity::Verbose, promise);
            return false;
        }
        let (host, uid) = (&self.machine.fqhost, self.machine.uid);
        let address = machine::of_host(host);
        let mut state = Jenkins::default();
        state.add(&format!("{host}+{address}+{uid}"));
        let chosen = &texts[state.finish() as usize % texts.len()];
        if scan::is_expandable(chosen) {
            self.verbose(|| {
                format!(
                    "select_class: Can not use not expanded element '{chosen}' for setting class."
                )
            });
            self.say_place(Severity::Verbose, promise);
            return false;
        }
        let tags = Rc::new(vec!["source=promise".into()]);
        self.set_class(chosen, Reach::Namespace, &tags, None);
        true
    }

    /// Sets one of several classes at random, by weight.
    fn distribute_class(&mut self, name: &Text, items: &[Value], promise: &Expanded) -> bool {
        let texts = items.iter().filter_map(Value::scalar);
        let weights: Vec<(Text, i64)> = texts
            .map(|text| (text.clone(), crate::number::int(text).unwrap_or(-1)))
            .collect();
        if weights.iter().any(|(_, weight)| *weight < 0) {
            self.say(Severity::Error, "Negative integer in class distribution");
            self.say_place(Severity::Error, promise);
            return false;
        }
        let total: i64 = weights.iter().map(|(_, weight)| weight).sum();
        if total == 0 {
            let message = "An empty distribution was specified on RHS";
            self.say(Severity::Error, message);
            self.say_place(Severity::Error, promise);
            return false;
        }
        let mut left = (crate::machine::chance() * total as f64) as i64;
        for (text, weight) in weights {
            left -= weight;
            if left < 0 {
                let reach = if &*promise.bundle.component == "common" {
                    Reach::Namespace
                } else {
                    Reach::Bundle
                };
                let tags = Rc::new(vec!["source=promise".into()]);
                self.set_class(&format!("{name}_{text}"), reach, &tags, None);
                break;
            }
        }
        true
    }
}
