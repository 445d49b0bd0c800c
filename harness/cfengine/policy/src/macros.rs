//! The conditions of `@if`: the version and the features of the agent.

use cfengine_protocol::release::Release;
use std::cmp::Ordering;

/// A version in a condition; an omitted part matches any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Version {
    /// The first number.
    pub major: u32,
    /// The second number.
    pub minor: Option<u32>,
    /// The third number.
    pub patch: Option<u32>,
}

/// The features that Debian's build of cf-agent has, as in `@if feature(…)`.
const FEATURES: [&str; 10] = [
    "yaml",
    "xml",
    "curl",
    "tls_1_0",
    "tls_1_1",
    "tls_1_2",
    "tls_1_3",
    "def_json_preparse",
    "host_specific_data_load",
    "copyfrom_restrict_keys",
];

/// A valid `@if` line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Condition<'a> {
    Version(Test, Version),
    Between(Version, Version),
    Feature(&'a [u8]),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Test {
    Minimum,
    Maximum,
    Before,
    At,
    After,
}

const TESTS: [(&[u8], Test); 5] = [
    (b"minimum_version(", Test::Minimum),
    (b"maximum_version(", Test::Maximum),
    (b"before_version(", Test::Before),
    (b"at_version(", Test::At),
    (b"after_version(", Test::After),
];

impl<'a> Condition<'a> {
    /// Parses a whole `@if …(…)` at the start of `bytes`; also returns its length.
    pub(crate) fn read(bytes: &'a [u8]) -> Option<(Self, usize)> {
        let rest = bytes.strip_prefix(b"@if ")?;
        let (condition, rest) = Self::word(rest)?;
        let rest = rest.strip_prefix(b")")?;
        Some((condition, bytes.len() - rest.len()))
    }

    fn word(bytes: &'a [u8]) -> Option<(Self, &'a [u8])> {
        for (word, test) in TESTS {
            if let Some(rest) = bytes.strip_prefix(word) {
                let (version, rest) = Version::read(rest)?;
                return Some((Self::Version(test, version), rest));
            }
        }
        if let Some(rest) = bytes.strip_prefix(b"between_versions(") {
            let (from, rest) = Version::read(rest)?;
            let rest = blanks(blanks(rest).strip_prefix(b",")?);
            let (to, rest) = Version::read(rest)?;
            return Some((Self::Between(from, to), rest));
        }
        let rest = bytes.strip_prefix(b"feature(")?;
        let end = rest
            .iter()
            .position(|b| !(b.is_ascii_alphanumeric() || *b == b'_'))?;
        (end > 0).then(|| (Self::Feature(&rest[..end]), &rest[end..]))
    }

    pub(crate) fn holds(&self, release: &Release) -> bool {
        let own = Version::of(release);
        match self {
            Self::Version(test, version) => {
                let ours = own.compare(*version);
                match test {
                    Test::Minimum => ours.is_ge(),
                    Test::Maximum => ours.is_le(),
                    Test::Before => ours.is_lt(),
                    Test::At => ours.is_eq(),
                    Test::After => ours.is_gt(),
                }
            }
            Self::Between(from, to) => own.compare(*from).is_ge() && own.compare(*to).is_le(),
            Self::Feature(name) => FEATURES.iter().any(|f| f.as_bytes() == *name),
        }
    }
}

impl Version {
    fn of(release: &Release) -> Self {
        let [major, minor, patch] = release.numbers().map(|part| part.parse().ok());
        Self {
            major: major.unwrap_or_default(),
            minor,
            patch,
        }
    }

    fn read(bytes: &[u8]) -> Option<(Self, &[u8])> {
        let (major, rest) = number(bytes)?;
        let (minor, rest) = part(rest);
        let (patch, rest) = match minor {
            Some(_) => part(rest),
            None => (None, rest),
        };
        let version = Self {
            major,
            minor,
            patch,
        };
        Some((version, rest))
    }

    /// A part that either side omits counts as equal.
    fn compare(self, other: Self) -> Ordering {
        let parts = [(self.minor, other.minor), (self.patch, other.patch)];
        parts
            .into_iter()
            .filter_map(|(ours, theirs)| Some(ours?.cmp(&theirs?)))
            .fold(self.major.cmp(&other.major), Ordering::then)
    }
}

fn number(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let end = bytes
        .iter()
        .position(|b| !b.is_ascii_digit())
        .unwrap_or(bytes.len());
    if !(1..=5).contains(&end) {
        return None;
    }
    let value = bytes[..end]
        .iter()
        .fold(0, |value, digit| value * 10 + u32::from(digit - b'0'));
    Some((value, &bytes[end..]))
}

fn part(bytes: &[u8]) -> (Option<u32>, &[u8]) {
    match bytes.strip_prefix(b".").and_then(number) {
        Some((value, rest)) => (Some(value), rest),
        None => (None, bytes),
    }
}

fn blanks(mut bytes: &[u8]) -> &[u8] {
    while let [b' ', rest @ ..] = bytes {
        bytes = rest;
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(line: &str) -> Option<bool> {
        let (condition, length) = Condition::read(line.as_bytes())?;
        assert_eq!(length, line.len());
        Some(condition.holds(Release::oldest()))
    }

    #[test]
    fn versions_left_short_match_any_rest() {
        assert_eq!(holds("@if minimum_version(3.21)"), Some(true));
        assert_eq!(holds("@if minimum_version(3.21.1)"), Some(false));
        assert_eq!(holds("@if at_version(3)"), Some(true));
        assert_eq!(holds("@if after_version(3.20)"), Some(true));
        assert_eq!(holds("@if after_version(3.21)"), Some(false));
        assert_eq!(holds("@if before_version(3.22)"), Some(true));
        assert_eq!(holds("@if maximum_version(3.21.0)"), Some(true));
        assert_eq!(holds("@if between_versions(3.18 , 3.21.99999)"), Some(true));
    }

    #[test]
    fn features_are_known_by_name() {
        assert_eq!(holds("@if feature(yaml)"), Some(true));
        assert_eq!(holds("@if feature(warp)"), Some(false));
    }

    #[test]
    fn other_forms_are_no_macros() {
        assert_eq!(holds("@if minimum_version(3.21.0.1)"), None);
        assert_eq!(holds("@if minimum_version(123456)"), None);
        assert_eq!(holds("@if  minimum_version(3)"), None);
        assert_eq!(holds("@if minimum_version(3"), None);
        assert_eq!(holds("@if feature()"), None);
    }
}
