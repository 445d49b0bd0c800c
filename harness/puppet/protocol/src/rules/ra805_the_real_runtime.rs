//! # The type works under the real Puppet
//!
//! ## What it requires
//! Types and providers load and work under Puppet as they do under Stickler's runtime.
//!
//! ## Why
//! A module may depend on code that only its tests load, or clash with code of Puppet.
//!
//! ## How it is judged
//! - Judged: all types, loaded and read in one process, and an example of each type, evaluated
//!   twice. The process has the installed Puppet and puppet-resource_api instead of Stickler's
//!   stand-ins. Types must load, and calls must return and raise, as with the stand-ins. Stickler
//!   calls `set` as puppet-resource_api does.
//! - Skipped: if Puppet is not installed, or the Ruby that runs the provider cannot load it.
//! - Not judged: differences that two identical runs also have; values of read_only attributes; the
//!   texts of exceptions. `stickler diff` compares whole runs of `puppet apply`.
//!
//! ## Example
//! A provider uses `JSON` without requiring it; a type has an attribute that Puppet refuses.
//!
//! ## How to fix
//! Require the libraries that you use. `stickler check --real-puppet` runs the provider under
//! Puppet.
//!
//! ## Source
//! Good practice.

use crate::alike::{RUNTIMES, judge};
use crate::rules::PUPPET;
use crate::session::Session;
use stickler_judge::{Check, Group, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Group(RUNTIMES, check)];

fn check(group: &Group<'_, Session>, ledger: &mut Ledger) {
    judge(
        group,
        ledger,
        |role| role.name() == PUPPET,
        |_| "under the installed Puppet".to_owned(),
    );
}
