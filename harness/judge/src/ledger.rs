//! The notes of a rule while it judges.

use crate::{Defect, Level, Provenance, Variant, grade};

/// A place in a run: a session, and possibly an exchange in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunPlace {
    /// Index of the session in the run.
    pub session: usize,
    /// Number of the exchange in the session, from 1.
    pub exchange: Option<usize>,
}

impl RunPlace {
    /// An exchange, by its number in a session, which has this index in the run.
    pub fn at(session: usize, exchange: usize) -> Self {
        Self {
            session,
            exchange: Some(exchange),
        }
    }
}

/// A failed verdict with its evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Where it occurs.
    pub place: RunPlace,
    /// Its level.
    pub level: Level,
    /// Which of the rule's defects it shows.
    pub variant: Variant,
    /// Findings of one variant in other groups are other defects.
    pub group: Box<str>,
    /// What happened, in one line for the subject's author.
    pub message: String,
    /// What was expected instead, in a few words.
    pub expected: Option<String>,
    /// The part of the output that the evidence marks.
    pub quote: Option<Vec<u8>>,
    /// Other places that belong to the evidence.
    pub also: Vec<RunPlace>,
    /// The sessions behind the evidence, for the reproducer.
    pub sessions: Vec<usize>,
    /// Does the message name the cause? The same message elsewhere has the same cause then.
    pub telling: bool,
    /// The rule that tells the same of the example or its kind, in whatever session: what it finds there is the cause.
    pub follows: Option<&'static str>,
}

impl Finding {
    /// Sets what was expected instead.
    #[must_use]
    pub fn expected(mut self, expected: impl Into<String>) -> Self {
        self.expected = Some(expected.into());
        self
    }

    /// Says that the message names the cause.
    #[must_use]
    pub fn telling(mut self) -> Self {
        self.telling = true;
        self
    }

    /// Names the rule that tells the cause, if it is broken in any session of the same example or kind.
    #[must_use]
    pub fn follows(mut self, code: &'static str) -> Self {
        self.follows = Some(code);
        self
    }

    /// Sets the part of the output that the evidence marks.
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

    /// Shows the finding apart from those of its variant that have another group.
    #[must_use]
    pub fn grouped(mut self, group: impl Into<Box<str>>) -> Self {
        self.group = group.into();
        self
    }

    /// Adds another place to the evidence.
    #[must_use]
    pub fn also(mut self, place: RunPlace) -> Self {
        self.sessions.push(place.session);
        self.also.push(place);
        self
    }
}

/// The results of one rule in one run.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    level: Option<Level>,
    session: usize,
    /// Where the rule was exercised and kept.
    pub passes: Vec<RunPlace>,
    /// Where the rule was broken.
    pub findings: Vec<Finding>,
    /// Why the rule could not be judged in some places.
    pub skips: Vec<String>,
    /// Why findings were withdrawn, or something could not be tried. The rule is not kept then, whatever was found
    /// elsewhere.
    pub withdrawn: Option<Withdrawn>,
}

/// Why a rule says less than it found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Withdrawn {
    /// The reason, as a clause.
    pub why: String,
    /// Where it lies.
    pub cause: WithdrawnBy,
}

/// What withdraws findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WithdrawnBy {
    /// The examples break this rule, which the withdrawn findings presume.
    Rule(&'static str),
    /// The examples never succeed. Their author can mend that.
    Examples,
    /// Something is missing on this machine, or could not be tried.
    Machine,
}

impl Ledger {
    /// An empty ledger for a rule of this level.
    pub fn new(level: Level) -> Self {
        Ledger {
            level: Some(level),
            ..Ledger::default()
        }
    }

    /// Says which session is judged from now on, by its index in the run.
    pub fn enter(&mut self, session: usize) {
        self.session = session;
    }

    /// A place in the current session.
    pub fn place(&self, exchange: impl Into<Option<usize>>) -> RunPlace {
        RunPlace {
            session: self.session,
            exchange: exchange.into(),
        }
    }

    /// Notes that the rule was exercised here and kept.
    pub fn pass(&mut self, exchange: impl Into<Option<usize>>) {
        let place = self.place(exchange);
        self.passes.push(place);
    }

    /// Creates a finding at a place where the rule was broken. Complete it and pass it to
    /// [`Ledger::report`].
    pub fn finding(
        &self,
        exchange: impl Into<Option<usize>>,
        defect: impl Into<Defect>,
    ) -> Finding {
        self.finding_at(self.place(exchange), defect)
    }

    /// Like [`Ledger::finding`], at a place in another session of the group.
    pub fn finding_at(&self, place: RunPlace, defect: impl Into<Defect>) -> Finding {
        let Defect { variant, message } = defect.into();
        Finding {
            place,
            level: self.level.unwrap_or(Level::Must),
            variant,
            group: Box::default(),
            message,
            expected: None,
            quote: None,
            also: Vec::new(),
            sessions: vec![place.session],
            telling: false,
            follows: None,
        }
    }

    /// Adds a finding.
    pub fn report(&mut self, finding: Finding) {
        self.findings.push(finding);
    }

    /// Notes a pass, or a finding if `broken` has a defect.
    pub fn check(
        &mut self,
        exchange: usize,
        provenance: Provenance,
        broken: Option<impl Into<Defect>>,
    ) {
        let place = self.place(exchange);
        self.check_at(place, provenance, broken);
    }

    /// Like [`Ledger::check`], where the exchange is compared with another one of its session.
    pub fn check_against(
        &mut self,
        other: usize,
        exchange: usize,
        provenance: Provenance,
        broken: Option<impl Into<Defect>>,
    ) {
        let (place, other) = (self.place(exchange), self.place(other));
        self.check_with(place, provenance, broken, |finding| finding.also(other));
    }

    /// Like [`Ledger::check`], at a place in another session of the group.
    pub fn check_at(
        &mut self,
        place: RunPlace,
        provenance: Provenance,
        broken: Option<impl Into<Defect>>,
    ) {
        self.check_with(place, provenance, broken, |finding| finding);
    }

    /// Like [`Ledger::check_at`], for a finding that `complete` says more of.
    pub fn check_with(
        &mut self,
        place: RunPlace,
        provenance: Provenance,
        broken: Option<impl Into<Defect>>,
        complete: impl FnOnce(Finding) -> Finding,
    ) {
        match broken {
            None => self.passes.push(place),
            Some(defect) => {
                let finding = complete(self.finding_at(place, defect));
                self.report(finding.graded(provenance));
            }
        }
    }

    /// Notes that what the rule is about could not be tried here, whatever passes elsewhere.
    pub fn untried(&mut self, reason: impl Into<String>) {
        self.withdraw(reason.into(), WithdrawnBy::Machine);
    }

    /// Notes why the rule is not kept, whatever passes elsewhere. The first reason counts.
    pub(crate) fn withdraw(&mut self, why: String, cause: WithdrawnBy) {
        self.skip(&*why);
        self.withdrawn.get_or_insert(Withdrawn { why, cause });
    }

    /// Notes why the rule cannot be judged here.
    pub fn skip(&mut self, reason: impl Into<String>) {
        let reason = reason.into();
        if !self.skips.contains(&reason) {
            self.skips.push(reason);
        }
    }
}
