//! What a rule notes while it judges.

use crate::{Defect, Level, Provenance, Variant, grade};

/// A place in a run: a session, and perhaps an exchange in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// Index of the session in the run.
    pub session: usize,
    /// Number of the exchange in the session, from 1.
    pub exchange: Option<usize>,
}

/// A failed verdict with its evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Where it shows.
    pub place: Place,
    /// How grave it is here.
    pub level: Level,
    /// Which of the rule's defects it is.
    pub variant: Variant,
    /// What happened, one line, for the subject's author.
    pub message: String,
    /// What was expected instead, a few words.
    pub expected: Option<String>,
    /// A part of the output to point at.
    pub quote: Option<Vec<u8>>,
    /// Other places that belong to the evidence.
    pub also: Vec<Place>,
    /// Sessions that the evidence rests on, for the reproducer.
    pub sessions: Vec<usize>,
}

impl Finding {
    /// What was expected instead.
    #[must_use]
    pub fn expected(mut self, expected: impl Into<String>) -> Self {
        self.expected = Some(expected.into());
        self
    }

    /// The part of the output to point at.
    #[must_use]
    pub fn quote(mut self, quote: &[u8]) -> Self {
        self.quote = Some(quote.to_vec());
        self
    }

    /// Lowers the level to `level`, if it is higher.
    #[must_use]
    pub fn at_most(mut self, level: Level) -> Self {
        self.level = self.level.min(level);
        self
    }

    /// Grades by who could send the input (see [`grade`]).
    #[must_use]
    pub fn graded(self, provenance: Provenance) -> Self {
        let level = grade(self.level, provenance, false);
        self.at_most(level)
    }

    /// Grades a hang by who could send the input (see [`grade`]).
    #[must_use]
    pub fn hang(self, provenance: Provenance) -> Self {
        let level = grade(self.level, provenance, true);
        self.at_most(level)
    }

    /// Adds another place to the evidence.
    #[must_use]
    pub fn also(mut self, place: Place) -> Self {
        self.sessions.push(place.session);
        self.also.push(place);
        self
    }
}

/// What one rule found in one run.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    level: Option<Level>,
    session: usize,
    /// Where the rule could have been broken and was not.
    pub passes: Vec<Place>,
    /// Where it was broken.
    pub findings: Vec<Finding>,
    /// Why it could not be judged somewhere.
    pub skips: Vec<String>,
}

impl Ledger {
    /// An empty ledger for a rule of this level.
    pub fn new(level: Level) -> Self {
        Ledger {
            level: Some(level),
            ..Ledger::default()
        }
    }

    pub(crate) fn enter(&mut self, session: usize) {
        self.session = session;
    }

    /// A place in the session that is judged now.
    pub fn place(&self, exchange: impl Into<Option<usize>>) -> Place {
        Place {
            session: self.session,
            exchange: exchange.into(),
        }
    }

    /// The rule could have been broken here, and was not.
    pub fn pass(&mut self, exchange: impl Into<Option<usize>>) {
        let place = self.place(exchange);
        self.passes.push(place);
    }

    /// The rule was broken here. Returns a finding to complete and hand to
    /// [`Ledger::report`].
    pub fn finding(
        &self,
        exchange: impl Into<Option<usize>>,
        defect: impl Into<Defect>,
    ) -> Finding {
        self.finding_at(self.place(exchange), defect)
    }

    /// As [`Ledger::finding`], at a place of another session of the group.
    pub fn finding_at(&self, place: Place, defect: impl Into<Defect>) -> Finding {
        let Defect { variant, message } = defect.into();
        Finding {
            place,
            level: self.level.unwrap_or(Level::Must),
            variant,
            message,
            expected: None,
            quote: None,
            also: Vec::new(),
            sessions: vec![place.session],
        }
    }

    /// Enters a finding.
    pub fn report(&mut self, finding: Finding) {
        self.findings.push(finding);
    }

    /// Passes or reports: `broken` is the defect where the rule was broken.
    pub fn check(
        &mut self,
        exchange: usize,
        provenance: Provenance,
        broken: Option<impl Into<Defect>>,
    ) {
        match broken {
            None => self.pass(exchange),
            Some(defect) => {
                let finding = self.finding(exchange, defect).graded(provenance);
                self.report(finding);
            }
        }
    }

    /// The rule cannot be judged here, for this reason.
    pub fn skip(&mut self, reason: impl Into<String>) {
        let reason = reason.into();
        if !self.skips.contains(&reason) {
            self.skips.push(reason);
        }
    }
}
