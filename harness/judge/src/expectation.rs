//! What an author declared: known failures, and rules that do not apply.

/// What an expectation is limited to. Empty fields match everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// Name of an example.
    pub example: Option<String>,
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

impl Expectation {
    /// Does it cover a finding about this example and field?
    pub fn covers(&self, code: &str, examples: &[&str], fields: &[&str]) -> bool {
        let matches = |wanted: &Option<String>, found: &[&str]| {
            wanted
                .as_deref()
                .is_none_or(|wanted| found.contains(&wanted))
        };
        self.rule == code
            && matches(&self.scope.example, examples)
            && matches(&self.scope.field, fields)
    }
}
