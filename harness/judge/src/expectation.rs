//! What an author declared: known failures, and rules that do not apply.

use stickler_transcript::{Case, Item};

/// What an expectation is limited to. Empty fields match everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// Name of an example.
    pub example: Option<String>,
    /// A kind of items.
    pub kind: Option<String>,
    /// Name of an attribute or field.
    pub field: Option<String>,
}

/// One `[[xfail]]` or `[[waive]]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expectation {
    /// Code of the rule.
    pub rule: String,
    /// Why.
    pub reason: String,
    /// What it is limited to.
    pub scope: Scope,
    /// The last day on which it held (`until`), if that day is over.
    pub expired: Option<String>,
}

/// All expectations.
#[derive(Clone, Debug, Default)]
pub struct Expectations {
    /// Known failures, which must still fail.
    pub xfail: Vec<Expectation>,
    /// Rules that do not apply.
    pub waive: Vec<Expectation>,
    /// Did only a part of the suite run? A known failure may be in the rest.
    pub partial: bool,
}

impl Scope {
    /// Is this item within the limits?
    fn holds(&self, item: &Item) -> bool {
        let fits = |wanted: &Option<String>, found: Option<&str>| {
            wanted.is_none() || wanted.as_deref() == found
        };
        fits(&self.example, Some(&item.example))
            && fits(&self.kind, Some(&item.kind))
            && fits(&self.field, item.field.as_deref())
    }

    /// Is a case without items, about one kind, within the limits?
    fn holds_kind_of(&self, case: &Case) -> bool {
        let only_kind = self.example.is_none() && self.field.is_none();
        only_kind && case.items.is_empty() && self.kind.is_some() && self.kind == case.kind
    }
}

impl Expectation {
    /// Does it cover a finding in this case?
    pub fn covers(&self, code: &str, case: &Case) -> bool {
        let is_limited = self.scope != Scope::default();
        let mut items = case.items.iter();
        self.rule == code
            && (!is_limited
                || items.any(|item| self.scope.holds(item))
                || self.scope.holds_kind_of(case))
    }
}
