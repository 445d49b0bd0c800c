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
use crate::phase;
use crate::releases::Releases;
use crate::rules::PUPPET;
use crate::session::Session;
use stickler_judge::{Check, Group, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Group(RUNTIMES, check)];

fn check(group: &Group<'_, Session>, ledger: &mut Ledger) {
    let mut real = group.variants().filter(|(role, ..)| role.name() == PUPPET);
    if let Some(api) = real.find_map(|(.., session)| untargeted(session)) {
        ledger.skip(format!(
            "the module is not meant for puppet-resource_api {api}, which is installed"
        ));
        return;
    }
    judge(
        group,
        ledger,
        |role| role.name() == PUPPET,
        |_| "under the installed Puppet".to_owned(),
    );
}

/// The installed library, where the author names releases without it.
fn untargeted(session: &Session) -> Option<String> {
    let releases = Releases::of(session);
    let (_, answer) = session.calls(phase::INITIALIZE).next()?;
    let api = answer.text("runtime")?;
    let is_targeted = match &*api {
        "1.8.16" => releases.seven,
        "1.9.2" => releases.eight_old,
        "2.0.1" => releases.eight,
        _ => true,
    };
    (!is_targeted).then_some(api)
}
