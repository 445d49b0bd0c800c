//! Rules.

use crate::check::Checks;
use crate::{Level, Page};
use std::collections::BTreeSet;
use stickler_transcript::Relation;

/// The subject matter of a rule's findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matter {
    /// The answers of the subject, or their absence.
    Answer,
    /// Everything else that the subject did: effects, processes, standard error.
    Deed,
}

/// What most rules want where they judge nothing: it is evaluated, and succeeds.
pub const WORKING_EXAMPLE: &str = "an example that works";
/// For the rules about what somebody else wrote in an item's file.
pub const NO_EDITS: &str = "no example changes a text file in which others could write";

/// What a rule needs before it can judge anything. The dialect knows whether it is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Need {
    /// Its name.
    pub name: &'static str,
    /// What to say if it is not there. The same reason has the same text, so that reports can group it.
    pub lacking: &'static str,
    /// What the author could add to have it: "for want of" this. `None` if it is a matter of the subject or of the run.
    pub wanted: Option<&'static str>,
}

/// A numbered rule of a specification.
#[derive(Clone, Copy)]
pub struct Rule {
    /// Its permanent code, such as `PM201`.
    pub code: &'static str,
    /// The highest level of its findings.
    pub level: Level,
    /// The subject matter of its findings.
    pub matter: Matter,
    /// The source text of the rule's file; its leading doc comment is the manual page.
    pub source: &'static str,
    /// How it judges.
    pub checks: &'static dyn Checks,
    /// Codes of rules whose findings explain findings of this rule about the same item of a session.
    pub explained_by: &'static [&'static str],
    /// Codes of rules without which this one can say nothing of an example: it judges what a
    /// variation makes of behaviour that these rules require of the usual evaluation.
    pub presumes: &'static [&'static str],
    /// Codes of rules about what a subject keeps from one request to the next. They explain its findings if all of
    /// them come after other items, or after the same request, in the same process.
    pub after: &'static [&'static str],
    /// Codes of rules whose findings explain findings of this rule about the same example or kind in any session.
    pub beside: &'static [&'static str],
    /// What it needs, the most basic need first.
    pub needs: &'static [Need],
    /// Why nothing exercises it although its needs are met, if it can tell.
    pub silent: Option<&'static str>,
}

impl Rule {
    /// What it requires, in one line: the title of its page.
    pub fn title(&self) -> String {
        Page::title_of(self.source)
    }

    /// The manual page.
    pub fn page(&self) -> Page {
        Page::from_source(self.source).presuming(self.presumes)
    }

    /// The relations whose sessions it needs, sorted, without duplicates.
    pub fn relations(&self) -> BTreeSet<Relation> {
        let needs = self.checks.needs().into_iter();
        needs
            .flat_map(|(relations, _)| relations)
            .copied()
            .collect()
    }

    /// The relations whose sessions it compares.
    pub fn compared(&self) -> BTreeSet<Relation> {
        let needs = self.checks.needs().into_iter();
        let compared = needs.filter(|(_, compares)| *compares);
        compared
            .flat_map(|(relations, _)| relations)
            .copied()
            .collect()
    }

    /// Does it compare sessions?
    pub fn compares(&self) -> bool {
        let mut needs = self.checks.needs().into_iter();
        needs.any(|(_, compares)| compares)
    }
}
