//! Rules, verdicts and evidence, for any dialect.
//!
//! A [`Rule`] is a pure function of transcripts as a dialect reads them (its [`View`]). [`judge`]
//! passes views and complete groups to rules. [`conclude`] turns their notes into one [`Outcome`]
//! per rule. Nothing here does I/O, reads a clock, starts a process, or knows a dialect.

mod abridge;
mod aside;
mod check;
mod consequence;
mod excerpt;
mod expectation;
mod grade;
mod judge;
mod ledger;
mod narrow;
mod outcome;
mod page;
mod presumed;
mod rule;
mod table;
mod timeline;
mod unsuccessful;
mod variant;
mod view;

pub use abridge::abridge;
pub use aside::set_aside;
pub use check::{Check, Checks, Group};
pub use excerpt::{Arrow, ExcerptLine};
pub use expectation::{Expectation, Expectations, Scope};
pub use grade::grade;
pub use judge::{judge, judge_alone, judge_part};
pub use ledger::{Finding, Ledger, Place};
pub use narrow::narrowest;
pub use outcome::{Consequence, Exit, Found, Idle, Outcome, Report, Totals, Verdict, conclude};
pub use page::Page;
pub use presumed::Presumed;
pub use rule::{Matter, Need, Rule};
pub use stickler_transcript::{Level, Provenance, Relation, Role, Variation};
pub use timeline::{Happening, Moment, Timeline};
pub use unsuccessful::unsuccessful;
pub use variant::{Defect, Variant};
pub use view::{AnySession, Claim, View};
