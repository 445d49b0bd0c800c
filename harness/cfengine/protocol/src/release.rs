//! The releases of cf-agent whose behaviour was measured, and where they differ.
//!
//! A difference is a field of [`Release`]. A new release is a row of [`RELEASES`].

/// A measured release of cf-agent. Each field says what it does where others do something else.
#[derive(Debug, PartialEq, Eq)]
pub struct Release {
    /// The version, as the header of the agent says it.
    pub version: &'static str,
    /// In JSON requests, it writes control characters and each byte beyond ASCII as an escape of its own.
    /// Otherwise they are raw.
    pub escapes_bytes: bool,
    /// In JSON requests, it writes names of attributes and keys of containers as it writes texts. Otherwise
    /// they are raw, quotes and line ends included.
    pub escapes_names: bool,
    /// In JSON that it reads, it takes `\u00XX` for the byte XX. Otherwise the escape stays as it is.
    pub reads_escapes: bool,
    /// In JSON that it reads, members and items need commas between them.
    pub needs_commas: bool,
    /// It survives an answer that is an array.
    pub survives_arrays: bool,
    /// It sends the member `expireafter` of an `action` body as an attribute.
    pub sends_expireafter: bool,
    /// Policies may give promises of custom types an attribute `expireafter`, which it does not send.
    pub allows_expireafter: bool,
    /// Names of attributes may have a dot.
    pub allows_dotted_names: bool,
    /// `fsattrs` is a kind of bodies of its own. Otherwise promises of custom types may have any of that name.
    pub has_fsattrs: bool,
    /// The last argument of a function may have a comma behind it.
    pub allows_final_comma: bool,
    /// It takes `evaluation_order` in bodies `control`.
    pub has_evaluation_order: bool,
    /// It knows `timer_policy` and `cancel` in promises of the type `classes`.
    pub has_cancel: bool,
    /// Equal arguments give one function the result of another in the same promise.
    pub confuses_functions: bool,
    /// Inherited bodies give variables of other bundles the value of what is in memory in the first pass.
    pub mangles_inherited: bool,
    /// It defines the classes of all log levels that it prints, and not that of `inform` alone.
    pub has_level_classes: bool,
    /// `--log-level none` is a level.
    pub has_level_none: bool,
}

const V3_21_0: Release = Release {
    version: "3.21.0",
    escapes_bytes: false,
    escapes_names: false,
    reads_escapes: false,
    needs_commas: false,
    survives_arrays: false,
    sends_expireafter: true,
    allows_expireafter: false,
    allows_dotted_names: false,
    has_fsattrs: false,
    allows_final_comma: false,
    has_evaluation_order: false,
    has_cancel: false,
    confuses_functions: true,
    mangles_inherited: true,
    has_level_classes: false,
    has_level_none: false,
};

const V3_24_4: Release = Release {
    version: "3.24.4",
    escapes_bytes: true,
    reads_escapes: true,
    survives_arrays: true,
    sends_expireafter: false,
    allows_expireafter: true,
    confuses_functions: false,
    mangles_inherited: false,
    has_level_none: true,
    ..V3_21_0
};

const V3_27_1: Release = Release {
    version: "3.27.1",
    has_fsattrs: true,
    has_evaluation_order: true,
    has_level_classes: true,
    ..V3_24_4
};

const V3_28_0: Release = Release {
    version: "3.28.0",
    escapes_names: true,
    needs_commas: true,
    allows_dotted_names: true,
    allows_final_comma: true,
    has_cancel: true,
    ..V3_27_1
};

/// All measured releases, from the oldest to the newest.
pub static RELEASES: [Release; 4] = [V3_21_0, V3_24_4, V3_27_1, V3_28_0];

impl Release {
    /// The newest measured one.
    pub fn newest() -> &'static Release {
        &RELEASES[RELEASES.len() - 1]
    }

    /// The oldest measured one.
    pub fn oldest() -> &'static Release {
        &RELEASES[0]
    }

    /// The release with this version. `3.24` is the newest measured one of 3.24.
    pub fn named(version: &str) -> Option<&'static Release> {
        let series = format!("{version}.");
        RELEASES
            .iter()
            .rfind(|release| release.version == version || release.version.starts_with(&series))
    }

    /// The measured release of a version, or the newest one before it; the oldest one if there is none.
    pub fn nearest(version: &str) -> &'static Release {
        let sought = order(version);
        let mut older = RELEASES.iter().rev();
        older
            .find(|release| order(release.version) <= sought)
            .unwrap_or_else(Release::oldest)
    }

    /// The parts of its version: major, minor, patch.
    pub fn numbers(&self) -> [&'static str; 3] {
        let mut parts = self.version.split('.');
        std::array::from_fn(|_| parts.next().unwrap_or("0"))
    }

    /// The header that it sends to modules. Source: "Protocol header".
    pub fn header(&self) -> Vec<u8> {
        format!("cf-agent {} v1\n\n", self.version).into_bytes()
    }
}

/// Is this the header of a measured release?
pub(crate) fn is_header(sent: &[u8]) -> bool {
    RELEASES.iter().any(|release| release.header() == sent)
}

/// Does the header of a measured release begin so?
pub(crate) fn begins_header(sent: &[u8]) -> bool {
    RELEASES
        .iter()
        .any(|release| release.header().starts_with(sent))
}

/// Names some of all releases, both from the oldest to the newest: `3.24.4 and later` where they are the last ones.
pub fn names(some: &[&Release], all: &[&Release]) -> String {
    let versions: Vec<&str> = some.iter().map(|release| release.version).collect();
    match versions.as_slice() {
        [first, _, ..] if all.ends_with(some) => format!("{first} and later"),
        [others @ .., last] if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        versions => versions.join(", "),
    }
}

/// All measured versions, as a choice: `3.27.1 or 3.28.0`.
pub fn versions() -> String {
    choice(RELEASES.iter().map(|release| release.version))
}

/// Words of which one is chosen: `a, b or c`.
fn choice(words: impl Iterator<Item = &'static str>) -> String {
    let words: Vec<&str> = words.collect();
    match words.as_slice() {
        [others @ .., last] if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        words => words.join(", "),
    }
}

/// The parts of a version as numbers, which sort as releases do.
pub fn order(version: &str) -> Vec<u32> {
    let parts = version.split(|c: char| !c.is_ascii_digit());
    parts.map_while(|part| part.parse().ok()).collect()
}

impl Default for &'static Release {
    fn default() -> Self {
        Release::newest()
    }
}

/// Whose behaviour an agent follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compat {
    /// That of a release of cf-agent, even where it breaks a rule.
    Deployed(&'static Release),
    /// That of the specification of custom promise types, where releases differ from it.
    Specification,
}

/// The name of the specification among versions.
const SPECIFICATION: &str = "spec";

impl Compat {
    /// What an option or a transcript names: a version, or `spec`.
    pub fn named(name: &str) -> Option<Compat> {
        match name {
            SPECIFICATION => Some(Compat::Specification),
            version => Release::named(version).map(Compat::Deployed),
        }
    }

    /// Its name in options and transcripts.
    pub fn name(self) -> &'static str {
        match self {
            Compat::Deployed(release) => release.version,
            Compat::Specification => SPECIFICATION,
        }
    }

    /// The release that it follows where the specification says nothing.
    pub fn release(self) -> &'static Release {
        match self {
            Compat::Deployed(release) => release,
            Compat::Specification => Release::newest(),
        }
    }

    /// The names of all.
    pub fn names() -> impl Iterator<Item = &'static str> {
        let versions = RELEASES.iter().map(|release| release.version);
        versions.chain([SPECIFICATION])
    }

    /// The names of all, as a choice.
    pub fn choices() -> String {
        choice(Self::names())
    }
}

impl Default for Compat {
    fn default() -> Self {
        Compat::Deployed(Release::newest())
    }
}
