//! Names that are easily taken for each other.

use puppet_types::{Definition, Type, Value};

/// How easily one name is taken for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Likeness {
    /// They have nothing in common.
    Far,
    /// They differ in case alone.
    Cased,
    /// One is a part of the other, a pattern for it, or the same in another section.
    Near,
}

/// How easily a row is taken for the resource of another name.
pub(crate) fn likeness(definition: &Definition, name: &Value, row: &Value) -> Likeness {
    let each = definition.namevars().into_iter().filter_map(|key| {
        let own = match name {
            Value::Hash(_) => name.get(key),
            name => Some(name),
        };
        let other = row.get(key);
        if own == other {
            return None;
        }
        let (Some(own), Some(other)) = (own, other) else {
            return Some(Likeness::Far);
        };
        let attribute = definition.attribute(key);
        let words = attribute.and_then(|one| one.data_type.as_ref());
        Some(match words {
            // One of few words is a section more often than a name.
            Some(Type::Enum { .. }) => Likeness::Near,
            _ => alike(&own.to_text(), &other.to_text()),
        })
    });
    each.min().unwrap_or(Likeness::Near)
}

fn alike(one: &str, other: &str) -> Likeness {
    let [lower, other_lower] = [one, other].map(str::to_lowercase);
    if lower == other_lower {
        return Likeness::Cased;
    }
    let is_part = |part: &str, whole: &str| !part.is_empty() && whole.contains(part);
    if is_part(&lower, &other_lower) || is_part(&other_lower, &lower) || is_pattern(one, other) {
        return Likeness::Near;
    }
    Likeness::Far
}

/// Do they differ only where one of them has a sign, which patterns may take for any letter?
fn is_pattern(one: &str, other: &str) -> bool {
    let is_sign = |letter: char| !letter.is_alphanumeric();
    let mut pairs = one.chars().zip(other.chars());
    one.chars().count() == other.chars().count()
        && pairs.all(|(one, other)| one == other || is_sign(one) || is_sign(other))
}

#[cfg(test)]
mod tests {
    use super::{Likeness, alike};

    #[test]
    fn parts_patterns_and_other_case_are_alike() {
        for (one, other, is) in [
            ("web", "web2", Likeness::Near),
            ("webserver", "server", Likeness::Near),
            ("Web", "webserver", Likeness::Near),
            ("vm.swap", "vmxswap", Likeness::Near),
            ("web", "WEB", Likeness::Cased),
            ("web", "jro", Likeness::Far),
            ("web", "", Likeness::Far),
            ("/etc/a", "/etc/n", Likeness::Far),
        ] {
            assert_eq!(alike(one, other), is, "{one} and {other}");
            assert_eq!(alike(other, one), is, "{other} and {one}");
        }
    }
}
