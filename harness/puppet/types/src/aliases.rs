//! Type aliases that modules define in their `types` folders.

use crate::names::lower_name;
use std::collections::{BTreeMap, BTreeSet};

/// The aliases that are known, and what others may be.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Aliases {
    /// The texts of their files, by name in lower case.
    texts: BTreeMap<String, String>,
    /// The modules whose aliases are all known.
    modules: BTreeSet<String>,
    /// May other modules have those that are not known?
    is_open: bool,
}

impl Aliases {
    /// The aliases of these modules: the name of each, and the text of its file.
    pub fn new(
        texts: impl IntoIterator<Item = (String, String)>,
        modules: impl IntoIterator<Item = String>,
    ) -> Self {
        let texts = texts.into_iter();
        Self {
            texts: texts
                .map(|(name, text)| (lower_name(&name), text))
                .collect(),
            modules: modules.into_iter().collect(),
            is_open: false,
        }
    }

    /// The same, where other modules may be missing: their aliases may stand for any type.
    #[must_use]
    pub fn open(self) -> Self {
        Self {
            is_open: true,
            ..self
        }
    }

    /// The text of the file of an alias, by its name in lower case.
    pub(crate) fn text(&self, lower: &str) -> Option<&str> {
        self.texts.get(lower).map(String::as_str)
    }

    /// May another module have an alias of this name, in lower case?
    pub(crate) fn is_elsewhere(&self, lower: &str) -> bool {
        let module = lower.split_once("::").map(|(module, _)| module);
        self.is_open && module.is_some_and(|module| !self.modules.contains(module))
    }
}
