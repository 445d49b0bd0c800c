//! Expands `$(…)` and `@(…)`.

use crate::context::{Agent, Frame};
use crate::functions;
use crate::log::Severity;
use crate::scan::{self, Endless};
use crate::stop::{Step, Stop};
use crate::value::{Call, Text, Value};
use std::rc::Rc;

/// The namespace and scope for names that do not give their own.
pub(crate) type Home<'a> = (Option<&'a str>, Option<&'a str>);

/// For names that must be fully qualified.
pub(crate) const NOWHERE: Home<'static> = (None, None);

/// The home for most parts of a promise.
pub(crate) const THIS: Home<'static> = (None, Some("this"));

/// The deepest chain of values that refer to each other.
const DEEPEST: u32 = 60;

impl Agent {
    /// Expands a text; unknown references are kept.
    pub(crate) fn expand_text(&mut self, text: &Text, home: Home<'_>) -> Step<Text> {
        if scan::next_reference(text).is_none() {
            return Ok(text.clone());
        }
        let mut out = String::with_capacity(text.len() + 32);
        self.expand_into(text, home, 0, &mut out)?;
        Ok(out.into())
    }

    fn expand_into(
        &mut self,
        text: &str,
        home: Home<'_>,
        depth: u32,
        out: &mut String,
    ) -> Step<()> {
        let mut rest = text;
        while let Some(at) = scan::next_reference(rest) {
            out.push_str(&rest[..at]);
            rest = &rest[at..];
            self.tick()?;
            let length = scan::reference_length(rest);
            let Ok(length @ 4..) = length else {
                self.complain_of_reference(rest, length.err());
                out.push_str(if rest.as_bytes()[1] == b'{' {
                    "${}"
                } else {
                    "$()"
                });
                // cf-agent continues after the next character.
                let skipped = rest[2..].chars().next().map_or(0, char::len_utf8);
                rest = &rest[2 + skipped..];
                continue;
            };
            let inner = &rest[2..length - 1];
            self.expand_reference(&rest[..length], inner, home, depth, out)?;
            rest = &rest[length..];
            if out.len() > self.voice.options.limits.text {
                let limit = self.voice.options.limits.text;
                return Err(Stop::Limit(format!("a text grows beyond {limit} bytes")));
            }
        }
        out.push_str(rest);
        Ok(())
    }

    fn complain_of_reference(&mut self, rest: &str, endless: Option<Endless>) {
        match endless {
            Some(Endless::Deep) => {
                let message = "Stack overflow in variable reference parsing. More than 10 levels";
                self.say(Severity::Error, message);
            }
            Some(Endless::Mismatch) => {
                let message = format!("Variable reference bracket mismatch '{rest}'");
                self.say(Severity::Error, message);
            }
            Some(Endless::Open) | None => {}
        }
        let what = if endless.is_some() {
            "Variable"
        } else {
            "Empty variable"
        };
        let message = format!("{what} reference close mismatch '{rest}'");
        self.say(Severity::Error, message);
    }

    fn expand_reference(
        &mut self,
        whole: &str,
        inner: &str,
        home: Home<'_>,
        depth: u32,
        out: &mut String,
    ) -> Step<()> {
        let mut name = inner.to_owned();
        if scan::has_variables(inner) && depth < DEEPEST {
            name.clear();
            self.expand_into(inner, home, depth + 1, &mut name)?;
        }
        if !scan::is_expandable(&name) {
            let reference = self.reference(&name, home);
            if let Some(value) = self.find_text(&reference) {
                out.push_str(&value);
                return Ok(());
            }
        }
        let (open, close) = if whole.as_bytes()[1] == b'{' {
            ("${", '}')
        } else {
            ("$(", ')')
        };
        out.push_str(open);
        out.push_str(&name);
        out.push(close);
        Ok(())
    }

    /// Expands a value of any type.
    pub(crate) fn expand_value(&mut self, value: &Value, home: Home<'_>) -> Step<Value> {
        Ok(match value {
            Value::Scalar(text) => Value::Scalar(self.expand_text(text, home)?),
            Value::List(items) => self.expand_list(items, home)?,
            Value::Call(call) => Value::Call(Rc::new(self.expand_call(call, home)?)),
            Value::Data(_) => value.clone(),
        })
    }

    /// Expands a list; `@(x)` is replaced by the items of `x`.
    pub(crate) fn expand_list(&mut self, items: &[Value], home: Home<'_>) -> Step<Value> {
        let mut out = Vec::with_capacity(items.len());
        for item in items {
            let item = self.expand_item(item, home, true)?;
            splice(&mut out, item);
        }
        Ok(Value::List(Rc::new(out)))
    }

    fn expand_call(&mut self, call: &Call, home: Home<'_>) -> Step<Call> {
        let name = if scan::has_variables(&call.name) {
            self.expand_text(&call.name, home)?
        } else {
            call.name.clone()
        };
        let mut arguments = Vec::with_capacity(call.arguments.len());
        for argument in &call.arguments {
            let argument = self.expand_item(argument, home, false)?;
            splice(&mut arguments, argument);
        }
        Ok(Call { name, arguments })
    }

    fn expand_item(&mut self, item: &Value, home: Home<'_>, lists: bool) -> Step<Value> {
        let Value::Scalar(text) = item else {
            return self.expand_value(item, home);
        };
        let mut text = text.clone();
        if is_list_reference(&text) {
            text = self.expand_text(&text, home)?;
        }
        let Some(name) = scan::naked(&text, b'@') else {
            return Ok(Value::Scalar(self.expand_text(&text, home)?));
        };
        if !lists {
            return Ok(Value::Scalar(text));
        }
        let name = self.expand_text(&Text::from(name), home)?;
        if !scan::is_expandable(&name) {
            let reference = self.reference(&name, (None, home.1));
            if let Some((_, value)) = self.find_value(&reference) {
                return self.expand_value(&value, home);
            }
        }
        Ok(Value::Scalar(self.expand_text(&text, home)?))
    }

    /// Expands a value and calls its functions, as far as possible.
    pub(crate) fn settle(&mut self, value: &Value, home: Home<'_>, lists: bool) -> Step<Value> {
        let value = match value {
            Value::Scalar(text) => match scan::naked(text, b'@') {
                Some(name) => self.settle_list(value, name, home)?,
                None if lists => self.expand_value(value, home)?,
                None => self.expand_value(value, THIS)?,
            },
            _ if lists => self.expand_value(value, home)?,
            Value::Call(call) if functions::is_known(&call.name) => value.clone(),
            _ => self.expand_value(value, THIS)?,
        };
        self.call_all(value)
    }

    fn settle_list(&mut self, value: &Value, name: &str, home: Home<'_>) -> Step<Value> {
        if !scan::is_expandable(name) {
            let reference = self.reference(name, (None, home.1));
            if let Some((kind, found)) = self.find_value(&reference)
                && kind.is_list()
                && let Some(items) = found.items()
            {
                return self.expand_list(items, home);
            }
        }
        self.expand_value(value, THIS)
    }

    fn call_all(&mut self, value: Value) -> Step<Value> {
        match &value {
            Value::Call(call) if functions::is_known(&call.name) => {
                Ok(self.call(call)?.unwrap_or_else(|| value.clone()))
            }
            Value::List(items) => {
                let in_turn = self.frames.iter().any(|f| matches!(f, Frame::Iteration(_)));
                let mut out = Vec::with_capacity(items.len());
                for item in items.iter() {
                    out.push(match item {
                        Value::Call(call) => self.call(call)?.unwrap_or_else(|| item.clone()),
                        Value::Scalar(text) if in_turn && scan::has_variables(text) => {
                            Value::Scalar(self.expand_text(text, THIS)?)
                        }
                        other => other.clone(),
                    });
                }
                Ok(Value::List(Rc::new(out)))
            }
            _ => Ok(value),
        }
    }

    /// Replaces `@(list)` by the list's items; containers are not replaced.
    pub(crate) fn flatten(&mut self, items: &[Value]) -> Vec<Value> {
        let mut out = Vec::with_capacity(items.len());
        for item in items {
            let name = item.scalar().and_then(|text| scan::naked(text, b'@'));
            let Some(name) = name.filter(|name| !scan::is_expandable(name)) else {
                out.push(item.clone());
                continue;
            };
            let reference = self.reference(name, NOWHERE);
            match self.find_value(&reference) {
                Some((kind, Value::List(found))) if kind.is_list() => {
                    out.extend(found.iter().cloned());
                }
                Some((kind, _)) => {
                    let message = format!(
                        "'{}' failed - variable is not list but {}",
                        item.show(false),
                        kind.word()
                    );
                    self.say(Severity::Warning, message);
                    out.push(item.clone());
                }
                None => out.push(item.clone()),
            }
        }
        out
    }
}

/// Appends an item; a nested list is flattened, and a container is dropped.
fn splice(out: &mut Vec<Value>, item: Value) {
    match item {
        Value::List(items) => out.extend(items.iter().cloned()),
        Value::Data(_) => {}
        other => out.push(other),
    }
}

/// Whether the name of a list is still to be expanded: `@($(x))`, `@(a.$(x))`, `@(a[$(x)])`.
fn is_list_reference(text: &str) -> bool {
    if text.len() < 7 || !(text.starts_with("@(") || text.starts_with("@{")) {
        return false;
    }
    let Some(at) = scan::next_reference(text) else {
        return false;
    };
    let name = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b':' | b'.' | b'[');
    let close = if text.as_bytes()[at + 1] == b'(' {
        ')'
    } else {
        '}'
    };
    text.as_bytes()[2..at].iter().all(|b| name(*b)) && text[at + 2..].contains(close)
}
