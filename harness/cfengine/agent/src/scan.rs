//! Variables in texts, and texts as class names.

pub(crate) use cfengine_policy::variable::*;

/// The lines of a text as cf-agent reads them: each one up to a zero byte.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split_terminator('\n').map(until_zero)
}

/// The text up to the first zero byte; cf-agent does not see the rest.
pub(crate) fn until_zero(text: &str) -> &str {
    text.split_once('\0').map_or(text, |(seen, _)| seen)
}

/// The text as a class name: everything but ASCII letters, digits and `_`
/// becomes `_`.
pub(crate) fn canonify(text: &str) -> String {
    cfengine_policy::text::encode(text)
        .iter()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' => *byte as char,
            _ => '_',
        })
        .collect()
}
