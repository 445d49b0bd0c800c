//! Names of variables: namespace, scope, name and indices.

use crate::value::Text;

/// The separators of a name as written in a policy.
pub(crate) const WRITTEN: (char, char) = (':', '.');
/// The separators while a promise iterates over another bundle's variable. The current value is
/// then a `this` variable with a mangled name.
pub(crate) const MANGLED: (char, char) = ('*', '#');

/// Names that exist only in the scope `this`.
const THIS: [&str; 15] = [
    "v",
    "k",
    "this",
    "service_policy",
    "promiser",
    "promiser_uid",
    "promiser_gid",
    "promiser_pid",
    "promiser_ppid",
    "bundle",
    "handle",
    "namespace",
    "promise_filename",
    "promise_dirname",
    "promise_linenumber",
];

/// A parsed variable name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Reference {
    pub(crate) namespace: Option<Text>,
    pub(crate) scope: Option<Text>,
    pub(crate) name: Text,
    pub(crate) indices: Vec<Text>,
}

/// Whether a scope is built in, so that no bundle owns it.
pub(crate) fn is_special(scope: &str) -> bool {
    matches!(
        scope,
        "const" | "edit" | "match" | "mon" | "sys" | "def" | "this" | "body"
    )
}

impl Reference {
    /// Parses a name; missing parts come from `home`.
    pub(crate) fn parse(text: &str, home: (Option<&str>, Option<&str>)) -> Self {
        Self::parse_with(text, home, WRITTEN)
    }

    /// Parses a name without a home.
    pub(crate) fn plain(text: &str) -> Self {
        Self::parse(text, (None, None))
    }

    pub(crate) fn parse_with(
        text: &str,
        home: (Option<&str>, Option<&str>),
        separators: (char, char),
    ) -> Self {
        let (head, indices) = match text.find('[') {
            Some(at) => (&text[..at], Some(&text[at..])),
            None => (text, None),
        };
        let (namespace, rest) = match head.split_once(separators.0) {
            Some((namespace, rest)) => (Some(namespace), rest),
            None => (None, head),
        };
        let (scope, name) = match rest.split_once(separators.1) {
            Some((scope, name)) => (Some(scope), name),
            None => (None, rest),
        };
        let special = scope.is_some_and(is_special);
        let home_namespace = home.0.filter(|_| !special);
        // `this.x` is the variable `x` of the promise's own scope.
        let scope = scope.filter(|scope| *scope != "this" || THIS.contains(&name));
        Self {
            namespace: namespace.or(home_namespace).map(Text::from),
            scope: scope.or(home.1).map(Text::from),
            name: name.into(),
            indices: indices.map(parts).unwrap_or_default(),
        }
    }

    /// The error for a name whose index brackets do not match.
    pub(crate) fn complaint(text: &str) -> Option<String> {
        let indices = &text.as_bytes()[memchr::memchr(b'[', text.as_bytes())?..];
        let count = |bracket| memchr::memchr_iter(bracket, indices).count();
        (count(b'[') != count(b']')).then(|| {
            format!("Broken variable expression, index brackets do not balance, in '{text}'")
        })
    }

    /// The same name in another scope.
    pub(crate) fn moved(&self, namespace: Option<&str>, scope: &str) -> Self {
        Self {
            namespace: namespace.map(Text::from),
            scope: Some(scope.into()),
            ..self.clone()
        }
    }

    /// The name as messages show it.
    pub(crate) fn show(&self) -> String {
        let mut out = String::new();
        if let Some(scope) = &self.scope {
            out.push_str(self.namespace.as_deref().unwrap_or("default"));
            out.push(':');
            out.push_str(scope);
            out.push('.');
        }
        out.push_str(&self.name);
        for index in &self.indices {
            out.push('[');
            out.push_str(index);
            out.push(']');
        }
        out
    }
}

/// The indices in `[a][b[c]]`; none if the brackets do not match. Text between two indices is part
/// of the second.
fn parts(text: &str) -> Vec<Text> {
    // Negative if a bracket closes that was not open.
    let mut depth = 0_i64;
    let (mut start, mut end) = (0, 0);
    let mut parts = Vec::new();
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'[' => {
                if depth == 0 {
                    start = at;
                }
                depth += 1;
            }
            b']' => {
                if depth == 1 {
                    let inside = &text[start + 1..at];
                    parts.push(if start == end {
                        inside.into()
                    } else {
                        [&text[end..start], inside].concat().into()
                    });
                    end = at + 1;
                }
                depth -= 1;
            }
            _ => {}
        }
    }
    if depth == 0 { parts } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart() {
        let r = Reference::parse("ns:b.x[1][a.b]", (Some("default"), Some("main")));
        assert_eq!(r.show(), "ns:b.x[1][a.b]");
        let r = Reference::parse("x", (Some("default"), Some("main")));
        assert_eq!(r.show(), "default:main.x");
        assert_eq!(
            Reference::plain("this.promiser").scope.as_deref(),
            Some("this")
        );
        assert_eq!(Reference::plain("this.x").scope, None);
        assert_eq!(Reference::plain("x[a[b]]").indices, [Text::from("a[b]")]);
        assert_eq!(
            Reference::plain("x[a]b[c]").indices,
            ["a", "bc"].map(Text::from)
        );
        assert_eq!(
            Reference::plain("x[a]]b[[c]").indices,
            ["a", "]b[c"].map(Text::from)
        );
    }
}
