//! # The type works under each version
//!
//! ## What it requires
//! Types and providers do the same under each version of Ruby and of puppet-resource_api.
//!
//! ## Why
//! Puppet 7 brings Ruby 2.7, Puppet 8 brings Ruby 3.2, and distributions have others. Operators
//! update the agent without the module.
//!
//! ## How it is judged
//! - Judged: all types, loaded and read in one process, and each example, evaluated twice: with each
//!   release that `runtimes` in `[subject]` names (without it, with all measured ones), and with each Ruby
//!   that `interpreters` names. Compared with the usual ones: calls must return and raise alike.
//! - Not judged: differences that two identical runs also have; values of read_only attributes; the
//!   texts of exceptions.
//!
//! ## Example
//! `context.failed(name, 'text')` where a keyword is required; `File.exists?`, which Ruby 3.2
//! lacks.
//!
//! ## How to fix
//! Use only what all versions named in the module's metadata have.
//!
//! ## Source
//! Good practice.

use crate::alike::{RUNTIMES, judge};
use crate::rules::PUPPET;
use crate::session::Session;
use stickler_judge::{Check, Group, Ledger, Role};

pub(super) const CHECKS: super::Checks = &[Check::Group(RUNTIMES, check)];

fn check(group: &Group<'_, Session>, ledger: &mut Ledger) {
    judge(
        group,
        ledger,
        |role| *role != Role::Again && role.name() != PUPPET,
        |role| match role.name() {
            name if name.starts_with(|c: char| c.is_ascii_digit()) => {
                format!("under puppet-resource_api {name}")
            }
            ruby => format!("under {ruby}"),
        },
    );
}
