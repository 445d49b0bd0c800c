//! Reporters, one file per format. [`render`] writes a [`Report`] as text for a person or as data
//! for a program.
//!
//! This crate knows verdicts, evidence and formats. It must never know a dialect, judge anything,
//! or open a file: it writes to the given sink.

mod badge;
mod block;
mod campaign;
mod cases;
mod changes;
mod error;
mod excerpt;
mod format;
mod github;
mod html;
mod json;
mod junit;
mod line;
mod markdown;
mod options;
mod pretty;
mod prose;
mod sarif;
mod source;
mod summary;
mod tap;
mod text;
mod words;

pub use campaign::{Campaign, Defect, Gap, Reach, Sample, SourceFile, Sources, Yield};
pub use cases::{CaseLine, CaseVerdict, CasesLine, Part};
pub use changes::diff;
pub use error::ReportError;
pub use format::{Format, UnknownFormat};
pub use json::json_schema;
pub use options::Options;
pub use stickler_judge::Report;
use stickler_judge::Reported;
pub use summary::in_short;
pub use text::visible;
pub use words::{capital, clock, command_line, count, thousands};

use std::io;

/// Writes a report in a format, and flushes the sink.
///
/// Text from a subject cannot affect the rest of the output: characters that would control a
/// terminal or a parser are written as escapes (see [`visible`]).
///
/// # Errors
/// If the sink cannot be written, or if a library cannot serialize.
pub fn render(
    report: &Report,
    format: Format,
    options: &Options,
    sink: &mut dyn io::Write,
) -> Result<(), ReportError> {
    match format {
        Format::Pretty => pretty::render(report, options, sink)?,
        Format::Json => json::render(report, sink)?,
        Format::Junit => junit::render(report, options, sink)?,
        Format::Sarif => sarif::render(report, sink)?,
        Format::Tap => tap::render(report, options, sink)?,
        Format::Github => github::render(report, options, sink)?,
        Format::Markdown => markdown::render(report, sink)?,
        Format::Html => html::render(report, sink)?,
        Format::Badge => badge::render(report, sink)?,
    }
    sink.flush()?;
    Ok(())
}

/// Writes one outcome in the pretty format: what happened, where, the evidence, what to do.
///
/// # Errors
/// If the sink cannot be written.
pub fn render_outcome(
    outcome: &Reported,
    strict: bool,
    options: &Options,
    sink: &mut dyn io::Write,
) -> Result<(), ReportError> {
    for line in block::block(outcome, strict, options) {
        line.write(options.color, sink)?;
    }
    Ok(())
}

/// Writes the web page of a campaign, in one file that needs no other, and flushes the sink.
///
/// # Errors
/// If the sink cannot be written.
pub fn render_campaign(campaign: &Campaign, sink: &mut dyn io::Write) -> Result<(), ReportError> {
    html::campaign::render(campaign, sink)?;
    sink.flush()?;
    Ok(())
}

/// A failure in one line, for people who follow a run.
///
/// # Errors
/// If the sink cannot be written.
pub fn render_so_far(
    outcome: &Reported,
    strict: bool,
    options: &Options,
    sink: &mut dyn io::Write,
) -> Result<(), ReportError> {
    block::so_far(outcome, strict, options).write(options.color, sink)?;
    Ok(())
}
