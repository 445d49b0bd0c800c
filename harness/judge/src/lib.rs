//! Rules, verdicts and evidence, whatever the dialect.
//!
//! A [`Rule`] is a pure function of what a dialect made of transcripts (its
//! [`View`]). [`judge`] hands views and complete groups to rules; [`conclude`]
//! turns what they noted into one [`Outcome`] a rule. Nothing here does I/O,
//! reads a clock or starts a process, and nothing knows a dialect.

mod expectation;
mod ledger;
mod outcome;
mod page;
mod rule;
mod variant;

pub use expectation::{Expectation, Expectations, Scope};
pub use ledger::{Finding, Ledger, Place};
pub use outcome::{Arrow, ExcerptLine, Exit, Found, Outcome, Report, Totals, Verdict, conclude};
pub use page::Page;
pub use rule::{Check, Group, Matter, Rule, View, grade, judge};
pub use stickler_transcript::{Level, Provenance, Relation, Role, Variation};
pub use variant::{Defect, Variant};
