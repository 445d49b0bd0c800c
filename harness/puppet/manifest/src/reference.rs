//! References to resources, such as `Package_key[a]`.

use puppet_types::Value;
use std::fmt::{self, Display, Formatter};

/// The name of a resource.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Reference {
    /// The type's name in lower case.
    pub kind: String,
    /// The title.
    pub title: String,
}

/// The class that a reference has as a part of a value.
const CLASS: &str = "Puppet::Resource";

impl Reference {
    /// A reference. The names of classes are capitalized, as in catalogs.
    pub fn new(kind: &str, title: &str) -> Self {
        let kind = kind.to_lowercase();
        let title = if kind == "class" {
            capitalized(title)
        } else {
            title.to_owned()
        };
        Self { kind, title }
    }

    /// Reads `Type[title]`; `None` if the text is none.
    pub fn read(text: &str) -> Option<Self> {
        let (kind, rest) = text.split_once('[')?;
        let title = rest.strip_suffix(']')?;
        if kind.is_empty() || kind.contains([']', '\n']) || title.is_empty() {
            return None;
        }
        Some(Self::new(kind, title))
    }

    /// The reference as a value. An empty title stands for the type itself.
    pub(crate) fn to_value(&self) -> Value {
        Value::Object {
            class: CLASS.to_owned(),
            text: self.to_string(),
        }
    }

    /// The reference that a value is.
    pub(crate) fn of(value: &Value) -> Option<Self> {
        let Value::Object { class, text } = value else {
            return None;
        };
        let (kind, rest) = text.split_once('[').filter(|_| class == CLASS)?;
        Some(Self::new(kind, rest.strip_suffix(']')?))
    }
}

/// `package_key` as `Package_key`, `foo::bar` as `Foo::Bar`.
pub fn capitalized(kind: &str) -> String {
    let segments = kind.split("::").map(|segment| {
        let mut characters = segment.chars();
        let first = characters.next().into_iter().flat_map(char::to_uppercase);
        first.chain(characters).collect::<String>()
    });
    segments.collect::<Vec<_>>().join("::")
}

impl Display for Reference {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]", capitalized(&self.kind), self.title)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_read_and_written() {
        let read = |text: &str| Reference::read(text).map(|own| own.to_string());
        assert_eq!(read("foo::bar[a[b]]").as_deref(), Some("Foo::Bar[a[b]]"));
        assert_eq!(read("Foo[]"), None);
        assert_eq!(read("foo"), None);
        let own = Reference::new("Package_key", "a");
        assert_eq!(Reference::of(&own.to_value()), Some(own));
    }
}
