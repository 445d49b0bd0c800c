//! The progress line of a run, and the failures that are shown above it.

use indicatif::{ProgressBar, ProgressStyle};
use std::sync::atomic::AtomicBool;
use stickler_face::Interrupt;
use stickler_face::terminal::{Color, is_watched, width_of};
use stickler_judge::{Level, Reported};
use stickler_report::{Options, render_so_far};
use stickler_suite::{Observer, RunEvent};

/// A progress line on standard error, if that is a terminal.
pub struct Bar {
    line: ProgressBar,
    interrupt: Interrupt,
    /// How failures are shown above the line; `None` if they are not.
    failures: Option<Failures>,
}

/// How failures are shown while a run goes on.
#[derive(Clone, Copy)]
pub struct Failures {
    /// Does a `should` fail the run?
    pub strict: bool,
    /// When to use colours.
    pub color: Color,
}

impl Bar {
    /// A bar that disappears when it is dropped.
    pub fn new() -> Bar {
        Bar::of(Interrupt::default())
    }

    /// The bar of a run that may be interrupted.
    pub fn of(interrupt: Interrupt) -> Bar {
        let line = if is_watched() {
            ProgressBar::new(0)
        } else {
            ProgressBar::hidden()
        };
        if let Ok(style) = ProgressStyle::with_template("{bar:20} {pos}/{len} {prefix}{wide_msg}") {
            line.set_style(style);
        }
        Bar {
            line,
            interrupt,
            failures: None,
        }
    }

    /// The same bar. Above it, failures are shown as they are proven.
    #[must_use]
    pub fn with_failures(mut self, failures: Option<Failures>) -> Bar {
        // Without a terminal, nobody waits for the report, and the log would hold them twice.
        self.failures = failures.filter(|_| !self.line.is_hidden());
        self
    }
}

impl Bar {
    /// The lowest level of the failures that it shows; `None` if it shows none.
    pub fn live(&self) -> Option<Level> {
        let strict = self.failures?.strict;
        // What does not fail the run can wait for the report.
        Some(if strict { Level::Should } else { Level::Must })
    }

    fn failed(&self, outcome: &Reported) {
        let Some(Failures { strict, color }) = self.failures else {
            return;
        };
        let options = Options {
            // A terminal may break a line that fills it.
            width: width_of(std::io::stderr()).saturating_sub(1),
            color: color.on_stderr(),
            ..Options::default()
        };
        let mut line = Vec::new();
        if render_so_far(outcome, strict, &options, &mut line).is_ok() {
            let line = String::from_utf8_lossy(&line);
            self.line.println(line.trim_end());
        }
    }
}

impl Observer<RunEvent<'_>> for Bar {
    fn tell(&self, event: RunEvent<'_>) {
        match event {
            RunEvent::Planned(cases) => self.line.set_length(cases as u64),
            RunEvent::Done(case) => {
                self.line.inc(1);
                self.line.set_message(case.to_owned());
            }
            // Estimates of less than a second only flicker.
            RunEvent::Left(left) => self.line.set_prefix(match left.as_secs() {
                0 => String::new(),
                seconds => format!("{seconds} s left "),
            }),
            RunEvent::Failed(outcome) => self.failed(outcome),
        }
    }

    fn stop(&self) -> &AtomicBool {
        self.interrupt.stop()
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.line.finish_and_clear();
    }
}
