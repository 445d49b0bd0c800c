//! `case` and selectors.

use super::collections::unwrapped;
use super::{Evaluator, compare, describe};
use crate::error::Result;
use crate::hash::Lookup;
use crate::reference::Reference;
use crate::tree::{Block, Choice, Expr, Node};
use puppet_types::Value;
use puppet_types::regex::Pattern;

impl Evaluator<'_, '_> {
    /// Does a tested value match an option?
    pub(super) fn option_matches(
        &self,
        test: &Value,
        option: &Value,
        offset: usize,
    ) -> Result<bool> {
        if Reference::of(option).is_some() {
            return Err(self.unsupported(offset, "match with a type"));
        }
        match (option, test) {
            (Value::Regexp { .. }, Value::String(text)) => match Pattern::of(option) {
                Some(pattern) => self.pattern_matches(&pattern, text, offset),
                None => Ok(false),
            },
            (Value::Array(options), Value::Array(tests)) => {
                if options.len() != tests.len() {
                    return Ok(false);
                }
                for (option, test) in options.iter().zip(tests) {
                    if !self.option_matches(test, option, offset)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            (Value::Hash(options), Value::Hash(tests)) => {
                let tests = Lookup::new(tests);
                for (key, option) in options {
                    let test = tests.get(key);
                    if !self.option_matches(test, option, offset)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            (Value::Regexp { .. } | Value::Array(_) | Value::Hash(_), _) => Ok(false),
            (Value::Symbol(name), _) if name == "default" => Ok(true),
            _ => Ok(compare::equal(test, option)),
        }
    }

    /// Does the value match an option as it is written? `None` for `default`.
    fn met(&mut self, test: &Value, option: &Expr) -> Result<Option<bool>> {
        let option = unwrapped(option);
        match &option.node {
            Node::Default => Ok(None),
            Node::Unfold(_) => {
                let Value::Array(options) = self.eval(option)? else {
                    return Ok(Some(false));
                };
                for one in &options {
                    if self.option_matches(test, one, option.offset)? {
                        return Ok(Some(true));
                    }
                }
                Ok(Some(false))
            }
            _ => {
                let value = self.eval(option)?;
                self.option_matches(test, &value, option.offset).map(Some)
            }
        }
    }

    pub(super) fn case(&mut self, test: &Expr, choices: &[Choice]) -> Result<Value> {
        let value = self.eval(test)?;
        let mut otherwise: Option<&Block> = None;
        for choice in choices {
            for option in &choice.values {
                match self.met(&value, option)? {
                    Some(true) => return self.block(&choice.then),
                    Some(false) => {}
                    None => otherwise = Some(&choice.then),
                }
            }
        }
        otherwise.map_or(Ok(Value::Undef), |block| self.block(block))
    }

    pub(super) fn selector(&mut self, test: &Expr, entries: &[(Expr, Expr)]) -> Result<Value> {
        let value = self.eval(test)?;
        let mut otherwise: Option<&Expr> = None;
        for (option, result) in entries {
            match self.met(&value, option)? {
                Some(true) => return self.eval(result),
                Some(false) => {}
                None => otherwise = Some(result),
            }
        }
        match otherwise {
            Some(result) => self.eval(result),
            None => {
                let shown = match &value {
                    Value::Object { .. } => describe::shown(&value),
                    _ => value.to_text(),
                };
                let message =
                    format!("No matching entry for selector parameter with value '{shown}'");
                Err(self.refuse(test.offset, message))
            }
        }
    }
}
