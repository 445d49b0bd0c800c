//! Values of keys that only one dialect has, and that only this dialect reads.

use std::collections::BTreeMap;

/// Values by the names of their keys.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Own(BTreeMap<&'static str, OwnValue>);

/// One value.
#[derive(Clone, Debug, PartialEq)]
pub enum OwnValue {
    /// A text.
    Text(String),
    /// A list of texts.
    Texts(Vec<String>),
    /// True or false.
    Truth(bool),
    /// A list of commands.
    Commands(Vec<Vec<String>>),
}

impl Own {
    /// Sets the value of a key.
    pub fn set(&mut self, key: &'static str, value: impl Into<OwnValue>) {
        self.0.insert(key, value.into());
    }

    /// A text, if the key has one.
    pub fn text(&self, key: &str) -> Option<&str> {
        match self.0.get(key)? {
            OwnValue::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The texts of a list; none without the key.
    pub fn texts(&self, key: &str) -> &[String] {
        match self.0.get(key) {
            Some(OwnValue::Texts(texts)) => texts,
            _ => &[],
        }
    }

    /// Is this true? Without the key, it is not.
    pub fn truth(&self, key: &str) -> bool {
        matches!(self.0.get(key), Some(OwnValue::Truth(true)))
    }

    /// The commands of a list; none without the key.
    pub fn commands(&self, key: &str) -> &[Vec<String>] {
        match self.0.get(key) {
            Some(OwnValue::Commands(commands)) => commands,
            _ => &[],
        }
    }
}

impl From<String> for OwnValue {
    fn from(text: String) -> Self {
        OwnValue::Text(text)
    }
}

impl From<Vec<String>> for OwnValue {
    fn from(texts: Vec<String>) -> Self {
        OwnValue::Texts(texts)
    }
}

impl From<bool> for OwnValue {
    fn from(truth: bool) -> Self {
        OwnValue::Truth(truth)
    }
}

impl From<Vec<Vec<String>>> for OwnValue {
    fn from(commands: Vec<Vec<String>>) -> Self {
        OwnValue::Commands(commands)
    }
}
