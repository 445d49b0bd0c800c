//! # A replaced file keeps its mode and owner
//!
//! ## What it requires
//! If no attribute names a mode or owner, a repaired file keeps the unusual mode and owner
//! that it had.
//!
//! ## Why
//! A module that renames a new file into place gives it the agent's owner and umask. A key
//! file may become readable by all, or a service may lose access to its configuration.
//!
//! ## How it is judged
//! - Judged: evaluations that answer `repaired`, after the suite gave a file of the promise an
//!   unusual mode (0624, 0705) and owner (12345), mostly with foreign content.
//! - Not judged: the mode or owner, if an attribute is about it or the module repairs it even
//!   if nothing else differs; the mode, if the module makes the file executable or created it
//!   with a special mode.
//! - Not judged: files of a tool's tree that the promise does not name; files that only a
//!   stand-in writes; copied trees and moved files; the owner, if the sandbox cannot set it.
//!
//! ## Example
//! `os.replace(tmp, path)` without `shutil.copystat` and `os.chown`.
//!
//! ## How to fix
//! Copy owner and mode from the old file to the new one before the rename, the owner first.
//! - Python:
//!   `st = os.stat(path); os.chown(new, st.st_uid, st.st_gid); os.chmod(new, st.st_mode & 0o7777)`
//! - Shell: `chown --reference="$file" -- "$new" && chmod --reference="$file" -- "$new"`
//! - C: `fchown(fd, st.st_uid, st.st_gid)`, then `fchmod(fd, st.st_mode & 07777)`
//!
//! ## Source
//! Good practice: a module does not change what the promise does not name.

use crate::phase;
use crate::session::{Exchange, Session};
use crate::temporary::promised_texts;
use crate::wire::Value;
use stickler_judge::{Check, Demands, Ledger, Relation, is_own_file, keeps_mode_and_owner};

pub(super) const CHECKS: super::Checks = &[Check::Session(&[Relation::DRIFT], check)];

fn check(session: &Session, ledger: &mut Ledger) {
    let texts = promised_texts(session);
    keeps_mode_and_owner(
        session,
        phase::EVALUATE,
        |exchange, path| {
            !session.is_foreign(path)
                && (session.writes_itself(path) || is_own_file(path, &texts, exchange))
        },
        |exchange| {
            let mut own = session.exchanges.iter();
            let own = own.find(|own| own.number == exchange.number);
            own.map_or_else(Demands::default, demands)
        },
        ledger,
    );
}

/// What the promise of an exchange demands.
fn demands(exchange: &Exchange) -> Demands<'_> {
    let mut demands = Demands::default();
    if let Some(request) = &exchange.request {
        let attributes = || request.attributes.iter().flatten();
        let values = attributes().filter_map(|(_, value)| value.as_text());
        demands.texts = request
            .promiser
            .as_deref()
            .into_iter()
            .chain(values)
            .collect();
        for (name, value) in attributes() {
            look(name, value, &mut demands);
        }
    }
    demands
}

fn look<'v>(name: &'v [u8], value: &'v Value, demands: &mut Demands<'v>) {
    demands.fields.push((name, value.as_text()));
    match value {
        Value::Object(members) => members
            .iter()
            .for_each(|(name, value)| look(name, value, demands)),
        Value::List(items) => items.iter().for_each(|item| look(name, item, demands)),
        Value::Text(_) | Value::Number(_) | Value::Bool(_) | Value::Null => {}
    }
}
