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
        self.holds_but_for_field(item) && fits(&self.field, item.field.as_deref())
    }

    fn holds_but_for_field(&self, item: &Item) -> bool {
        fits(&self.example, Some(&item.example)) && fits(&self.kind, Some(&item.kind))
    }

    /// Is a case without items, about one kind, within the limits?
    fn holds_kind_of(&self, case: &Case) -> bool {
        let only_kind = self.example.is_none() && self.field.is_none();
        only_kind && case.items.is_empty() && self.kind.is_some() && self.kind == case.kind
    }
}

fn fits(wanted: &Option<String>, found: Option<&str>) -> bool {
    wanted.is_none() || wanted.as_deref() == found
}

impl Expectation {
    /// Does it cover a finding in this case, about this item of it?
    pub fn covers(&self, code: &str, case: &Case, about: Option<&Item>) -> bool {
        if self.rule != code {
            return false;
        }
        if self.scope == Scope::default() {
            return true;
        }
        match about {
            // A case may vary several fields, each in an item of its own.
            Some(item) if item.field.is_some() || self.scope.field.is_none() => {
                self.scope.holds(item)
            }
            Some(item) if !self.scope.holds_but_for_field(item) => false,
            _ => {
                let mut items = case.items.iter();
                items.any(|item| self.scope.holds(item)) || self.scope.holds_kind_of(case)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(label: &str, example: &str, field: Option<&str>) -> Item {
        Item {
            label: label.into(),
            example: example.into(),
            kind: "note".into(),
            field: field.map(Into::into),
            ..Item::default()
        }
    }

    fn waiver(example: Option<&str>, field: Option<&str>) -> Expectation {
        Expectation {
            rule: "MR403".to_owned(),
            reason: "it does not matter".to_owned(),
            scope: Scope {
                example: example.map(str::to_owned),
                kind: Some("note".to_owned()),
                field: field.map(str::to_owned),
            },
            expired: None,
        }
    }

    #[test]
    fn a_field_is_waived_where_the_finding_is_about_it() {
        let case = Case {
            items: vec![
                item("e1", "one", None),
                item("e1~mode", "one", Some("mode")),
                item("e1~text", "one", Some("text")),
            ],
            ..Case::default()
        };
        let of_mode = waiver(None, Some("mode"));
        let covers =
            |at: Option<usize>| of_mode.covers("MR403", &case, at.map(|at| &case.items[at]));
        assert!(covers(Some(1)));
        assert!(!covers(Some(2)));
        // What a variation leaves behind shows at the example itself, or at no item.
        assert!(covers(Some(0)));
        assert!(covers(None));
        assert!(!of_mode.covers("MR404", &case, None));
    }

    #[test]
    fn an_example_is_waived_where_the_finding_is_about_it() {
        let case = Case {
            items: vec![item("e1", "one", None), item("e2", "two", None)],
            ..Case::default()
        };
        let of_two = waiver(Some("two"), None);
        assert!(!of_two.covers("MR403", &case, Some(&case.items[0])));
        assert!(of_two.covers("MR403", &case, Some(&case.items[1])));
        assert!(of_two.covers("MR403", &case, None));
    }
}
