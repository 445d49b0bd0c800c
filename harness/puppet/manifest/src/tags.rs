//! Tags of resources, as Puppet adds them.

use puppet_types::Value;
use std::collections::HashSet;

/// A set of tags that keeps its order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tags {
    all: Vec<String>,
    known: HashSet<String>,
}

impl Tags {
    pub(crate) fn into_vec(self) -> Vec<String> {
        self.all
    }

    fn insert(&mut self, tag: String) -> bool {
        let new = self.known.insert(tag.clone());
        if new {
            self.all.push(tag);
        }
        new
    }

    /// Adds a tag, and the parts of a qualified one.
    ///
    /// # Errors
    /// The tag that no tag may be.
    pub(crate) fn add(&mut self, name: &str) -> Result<(), String> {
        let name = name.to_lowercase();
        if !is_valid(&name) {
            return Err(name);
        }
        self.add_known(&name);
        Ok(())
    }

    /// Adds a title, if it may be a tag.
    pub(crate) fn add_title(&mut self, title: &str) {
        if is_valid(title) {
            self.add_known(&title.to_lowercase());
        }
    }

    fn add_known(&mut self, name: &str) {
        if self.insert(name.to_owned()) && name.contains("::") {
            let mut parts: Vec<&str> = name.split("::").collect();
            // Ruby's `split` drops empty parts at the end.
            while parts.last().is_some_and(|part| part.is_empty()) {
                parts.pop();
            }
            for part in parts {
                self.insert(part.to_owned());
            }
        }
    }

    /// Adds the values of the metaparameter `tag`.
    ///
    /// # Errors
    /// The first one that no tag may be.
    pub(crate) fn add_value(&mut self, value: &Value) -> Result<(), String> {
        match value {
            Value::Undef => Ok(()),
            Value::Array(items) => items.iter().try_for_each(|item| self.add_value(item)),
            Value::Hash(pairs) => pairs.iter().try_for_each(|(key, value)| {
                self.add_value(key)?;
                self.add_value(value)
            }),
            _ => self.add(&value.to_text()),
        }
    }
}

/// Letters, digits and underscores, and later also colons, points and dashes.
pub(crate) fn is_valid(name: &str) -> bool {
    let name = name.strip_suffix('\n').unwrap_or(name);
    let word = |one: char| one.is_alphanumeric() || one == '_';
    let mut characters = name.chars();
    characters.next().is_some_and(word)
        && characters.all(|one| word(one) || matches!(one, ':' | '.' | '-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn qualified_tags_are_split() {
        let mut tags = Tags::default();
        tags.add("A::B").expect("a tag");
        tags.add_title("two words");
        tags.add_title("B");
        assert_eq!(tags.into_vec(), ["a::b", "a", "b"]);
        assert_eq!(Tags::default().add("x y"), Err("x y".to_owned()));
        let list = Value::Array(vec![Value::Undef, Value::from(5)]);
        let mut tags = Tags::default();
        tags.add_value(&list).expect("tags");
        assert_eq!(tags.into_vec(), ["5"]);
    }
}
