//! Rules, verdicts and evidence, for any dialect.
//!
//! A [`Rule`] is a pure function of transcripts as a dialect reads them (its [`View`]). [`judge`]
//! passes views and complete groups to rules. [`conclude`] turns their notes into one outcome per
//! rule, which has a type for each stage: [`Judged`], [`Confirmed`], [`Explained`], [`Reported`]. Nothing here does I/O, reads a clock, starts a process, or knows a dialect.

mod abridge;
mod check;
mod concern;
mod confirmed;
mod consequence;
mod excerpt;
mod expectation;
mod explained;
mod foreign;
mod found;
mod grade;
mod judge;
mod judged;
mod ledger;
mod narrow;
mod page;
mod presumed;
mod replaced;
mod report;
mod rule;
mod table;
mod timeline;
mod unsuccessful;
mod variant;
mod verdict;
mod view;

pub use abridge::abridge;
pub use check::{Check, Checks, Group};
pub use confirmed::Confirmed;
pub use excerpt::{Arrow, ExcerptLine, effects};
pub use expectation::{Expectation, Expectations, Scope};
pub use explained::Explained;
pub use foreign::others_lines_stay;
pub use found::{Found, Traced};
pub use grade::grade;
pub use judge::{judge, judge_alone, judge_part};
pub use judged::{Consequence, Judged, Places, conclude};
pub use ledger::{Finding, Ledger, RunPlace, Withdrawn, WithdrawnBy};
pub use narrow::narrowest;
pub use page::Page;
pub use presumed::Presumed;
pub use replaced::{Demands, is_of_mode_or_owner, is_own_file, keeps_mode_and_owner, keeps_some};
pub use report::{Exit, Idle, Pages, Report, Reported, Totals};
pub use rule::{Matter, NO_EDITS, Need, Rule, WORKING_EXAMPLE};
pub use stickler_transcript::{Level, Provenance, Relation, Role, Variation};
pub use timeline::{Happening, Moment, Timeline};
pub use unsuccessful::unsuccessful;
pub use variant::{Defect, Variant};
pub use verdict::Verdict;
pub use view::{AnySession, Claim, View, serves_comparisons};
