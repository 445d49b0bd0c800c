//! Releases of Puppet and of its library, and all in which they differ: one row a core, one a library,
//! one a pair that is measured. Nothing else asks for a version.

use crate::strict::Strict;
use puppet_types::definition::Library;

/// A version of Puppet itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Core {
    /// The usual value of the setting `strict`.
    pub strict: Strict,
    /// Does a dry run tell what a change would say? Otherwise it tells both values.
    pub(crate) previews_messages: bool,
    /// Is a resource of `resources` applied on devices, too?
    pub(crate) purges_on_devices: bool,
    /// Are Deferred values called before a catalog is applied? Otherwise types get the object that stands for one.
    pub(crate) calls_deferred_first: bool,
    /// Has `puppet resource` the option `--fail`?
    pub has_fail: bool,
}

const CORE_7: Core = Core {
    strict: Strict::Warning,
    previews_messages: false,
    purges_on_devices: false,
    calls_deferred_first: true,
    has_fail: false,
};

const CORE_8: Core = Core {
    strict: Strict::Error,
    previews_messages: true,
    purges_on_devices: true,
    calls_deferred_first: false,
    has_fail: true,
};

/// When rows are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// For each resource again.
    ForEach,
    /// For each resource that no earlier answer has listed.
    ForUnknown,
    /// Once for all resources of a run.
    Once,
}

/// What a provider's `generate` is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Generating {
    /// It is not called: the feature is unknown.
    Never,
    /// The row, which is read for it.
    WithRow,
    /// The row if there is one already.
    WithKept,
}

/// A version of `puppet/resource_api`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Api {
    /// Its name in the protocol of hosts, whose context and SimpleProvider behave like it.
    pub name: &'static str,
    /// Which definitions it takes.
    pub(crate) definitions: Library,
    /// When rows are asked for.
    pub(crate) reading: Reading,
    /// Does it ask for all rows with a list of no names? Otherwise with nil.
    pub all_is_an_empty_list: bool,
    /// The method that rows lack if they are no list.
    pub(crate) goes_through_rows_by: &'static str,
    /// Does Puppet learn which values a catalog declares as sensitive?
    pub(crate) passes_sensitive: bool,
    /// What `generate` is told.
    pub(crate) generating: Generating,
    /// Is the fourth argument of `processing` its message? Otherwise the keyword is.
    pub(crate) processing_takes_message_last: bool,
    /// Does a block of the context that fails outside of `set` fail the next `set` of the type?
    pub(crate) failures_stay: bool,
    /// Is `set` called in a dry run, with the feature `supports_noop`?
    pub(crate) sets_in_noop: bool,
    /// Is the state of a resource that does not exist nil? Otherwise it says so itself.
    pub(crate) absent_is_nil: bool,
    /// Has a removal a target?
    pub(crate) removes_with_target: bool,
    /// Are messages of the context written as the specification samples them?
    pub(crate) messages_as_specified: bool,
}

impl Api {
    /// Does it keep rows during a run, which may grow stale?
    pub fn keeps_rows(&self) -> bool {
        self.reading == Reading::ForUnknown
    }

    /// Does it ask providers for further resources?
    pub fn generates(&self) -> bool {
        self.generating != Generating::Never
    }
}

const API_1_8: Api = Api {
    name: "1.8.16",
    definitions: Library::V1_8_16,
    reading: Reading::ForEach,
    all_is_an_empty_list: true,
    goes_through_rows_by: "find",
    passes_sensitive: false,
    generating: Generating::Never,
    processing_takes_message_last: false,
    failures_stay: true,
    sets_in_noop: false,
    absent_is_nil: false,
    removes_with_target: true,
    messages_as_specified: false,
};

const API_1_9: Api = Api {
    name: "1.9.2",
    definitions: Library::V1_9_2,
    passes_sensitive: true,
    generating: Generating::WithRow,
    processing_takes_message_last: true,
    ..API_1_8
};

const API_2_0: Api = Api {
    name: "2.0.1",
    definitions: Library::V2_0_1,
    reading: Reading::ForUnknown,
    all_is_an_empty_list: false,
    goes_through_rows_by: "each",
    generating: Generating::WithKept,
    ..API_1_9
};

/// The specification, as a library that follows it to the letter would behave.
const API_SPEC: Api = Api {
    name: "spec",
    reading: Reading::Once,
    processing_takes_message_last: false,
    failures_stay: false,
    sets_in_noop: true,
    absent_is_nil: true,
    removes_with_target: false,
    messages_as_specified: true,
    ..API_2_0
};

/// Whose behaviour the runtime has: a release that is measured, or the specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Release {
    /// Its name on the command line.
    pub name: &'static str,
    /// Shorter names.
    pub short: &'static [&'static str],
    /// How the versions of such a Puppet and of its library begin.
    begins: [&'static str; 2],
    /// Puppet itself.
    pub core: Core,
    /// Its library.
    pub api: Api,
}

impl Release {
    /// Puppet 7.23.0 with puppet-resource_api 1.8.16, which Debian ships.
    pub const PUPPET_7: Self = Release {
        name: "7.23+1.8.16",
        short: &["7", "7.23", "1.8", "1.8.16"],
        begins: ["7.23.", "1.8.16"],
        core: CORE_7,
        api: API_1_8,
    };
    /// OpenVox 8.28.1 with puppet-resource_api 1.9.2.
    pub const PUPPET_8_OLD: Self = Release {
        name: "8+1.9",
        short: &["1.9", "1.9.2"],
        begins: ["8.", "1.9."],
        core: CORE_8,
        api: API_1_9,
    };
    /// OpenVox 8.28.1 with puppet-resource_api 2.0.1.
    pub const PUPPET_8: Self = Release {
        name: "8+2.0",
        short: &["8", "2", "2.0", "2.0.1"],
        begins: ["8.", "2.0."],
        core: CORE_8,
        api: API_2_0,
    };
    /// The specification, which knows no core.
    pub const SPEC: Self = Release {
        name: "spec",
        short: &[],
        begins: ["", ""],
        core: CORE_7,
        api: API_SPEC,
    };

    /// All releases.
    pub const ALL: [Self; 4] = [
        Self::PUPPET_7,
        Self::PUPPET_8_OLD,
        Self::PUPPET_8,
        Self::SPEC,
    ];

    /// The releases that were measured, from the oldest to the newest.
    pub const MEASURED: [Self; 3] = [Self::PUPPET_7, Self::PUPPET_8_OLD, Self::PUPPET_8];

    /// The newest one that was measured.
    pub const NEWEST: Self = Self::PUPPET_8;

    /// The measured release to which a Puppet with a library of these versions belongs.
    pub fn of(core: &str, api: &str) -> Option<Self> {
        let mut all = Self::MEASURED.into_iter();
        all.find(|one| {
            let [own_core, own_api] = one.begins;
            // Behind the whole of a version, nothing follows but a point.
            let is_such = |version: &str, begin: &str| {
                let rest = version.strip_prefix(begin);
                rest.is_some_and(|rest| {
                    begin.ends_with('.') || rest.is_empty() || rest.starts_with('.')
                })
            };
            is_such(core, own_core) && is_such(api, own_api)
        })
    }

    /// The core alone, in words.
    pub fn core_name(self) -> &'static str {
        match self.core == CORE_7 {
            true => "Puppet 7.23",
            false => "Puppet 8",
        }
    }

    /// The release of this name, of this short name, or with these versions, such as `8.28.1+2.0.1`.
    pub fn named(name: &str) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        let named = all.find(|one| one.name == name || one.short.contains(&name));
        named.or_else(|| {
            let (core, api) = name.split_once('+')?;
            Self::of(&format!("{core}."), &format!("{api}."))
        })
    }
}

impl Default for Release {
    fn default() -> Self {
        Self::NEWEST
    }
}

#[cfg(test)]
mod tests {
    use super::Release;
    use crate::strict::Strict;

    #[test]
    fn each_name_is_of_one_release() {
        let mut seen = Vec::new();
        for release in Release::ALL {
            for name in release.short.iter().chain([&release.name]) {
                assert_eq!(Release::named(name), Some(release), "{name}");
                assert!(!seen.contains(name), "{name}");
                seen.push(name);
            }
        }
        for (versions, name) in [
            ("7.23.0+1.8.16", "7.23+1.8.16"),
            ("8+1.9.2", "8+1.9"),
            ("8.28.1+2.0.1", "8+2.0"),
        ] {
            let release = Release::named(versions);
            assert_eq!(release.map(|one| one.name), Some(name), "{versions}");
        }
        assert_eq!(Release::named("8+3.0"), None);
        assert_eq!(Release::named("+"), None);
        assert_eq!(Release::named("9"), None);
        assert_eq!(Release::named(""), None);
    }

    #[test]
    fn an_installed_puppet_is_of_the_release_that_was_measured() {
        let of = |core, api| Release::of(core, api).map(|one| one.name);
        assert_eq!(of("7.23.0", "1.8.16"), Some("7.23+1.8.16"));
        assert_eq!(of("8.28.1", "1.9.2"), Some("8+1.9"));
        assert_eq!(of("8.10.0", "2.0.0"), Some("8+2.0"));
        for (core, api) in [
            ("7.34.0", "1.8.16"),
            ("7.23.0", "1.8.160"),
            ("7.23.0", "2.0.1"),
            ("8.28.1", "2.1.0"),
            ("80.1", "2.0.1"),
            ("", ""),
        ] {
            assert_eq!(of(core, api), None, "{core}+{api}");
        }
    }

    #[test]
    fn strict_follows_the_core() {
        let strict = |name| Release::named(name).map(|one| one.core.strict);
        assert_eq!(strict("1.8.16"), Some(Strict::Warning));
        assert_eq!(strict("8+1.9"), Some(Strict::Error));
        assert_eq!(strict("2.0.1"), Some(Strict::Error));
    }
}
