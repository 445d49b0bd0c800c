//! Promise locks: a promise is kept once in a run, and again after `ifelapsed` minutes.

use crate::context::Agent;
use crate::machine;
use crate::promise::Expanded;
use crate::scan;
use md5::{Digest, Md5};

/// The default of `ifelapsed`, in minutes.
const IF_ELAPSED: i64 = 1;

/// Locks older than this many seconds are deleted: four weeks.
const HORIZON: i64 = 4 * 7 * 24 * 3600;

/// How many bytes of a lock's name are shown.
const SHOWN: usize = 40;

impl Agent {
    /// Claims a promise: whether the agent must keep it now. A second claim in a run fails.
    pub(crate) fn claim(&mut self, promise: &Expanded, salt: &str) -> bool {
        let own = promise.int("ifelapsed").or(self.voice.control.if_elapsed);
        self.claim_after(own.unwrap_or(IF_ELAPSED), promise, salt)
    }

    /// Does the same for edits of lines, for which 3.21.0 ignores `ifelapsed`.
    pub(crate) fn claim_edit(&mut self, promise: &Expanded, salt: &str) -> bool {
        self.claim_after(IF_ELAPSED, promise, salt)
    }

    fn claim_after(&mut self, wait: i64, promise: &Expanded, salt: &str) -> bool {
        let identity = promise.identity(salt);
        let digest = (!self.ignores_locks()).then(|| Md5::digest(&identity));
        self.done.insert(identity)
            && digest.is_none_or(|digest| {
                let digest = u128::from_be_bytes(digest.into());
                self.is_due(wait, digest, promise, salt)
            })
    }

    fn ignores_locks(&self) -> bool {
        self.voice.options.no_lock || self.surveyed.is_some()
    }

    fn is_due(&mut self, wait: i64, digest: u128, promise: &Expanded, salt: &str) -> bool {
        let key = format!("{digest:032x}");
        let last = self.kept.locks.entries().get(&key).copied().unwrap_or(0);
        let elapsed = (self.machine.started - last) / 60;
        if wait != 0 && elapsed < 0 {
            self.verbose(|| {
                format!(
                    "Another cf-agent seems to have done this since I started (elapsed={elapsed})"
                )
            });
            return false;
        }
        if wait != 0 && elapsed < wait {
            let name = self.lock_name(digest, promise, salt);
            self.verbose(|| {
                format!("Nothing promised here [{name}] ({elapsed}/{wait} minutes elapsed)")
            });
            return false;
        }
        self.kept.locks.put(key, machine::now());
        true
    }

    /// The start of the name that cf-agent gives a lock.
    fn lock_name(&self, digest: u128, promise: &Expanded, salt: &str) -> String {
        let names = promise.attributes.iter().map(|(name, _)| &**name).take(5);
        let names = names.filter(|name| !matches!(*name, "args" | "arglist"));
        let mut operator = format!("{}.", promise.written.kind);
        for name in names {
            operator.push_str(name);
            operator.push('.');
        }
        operator.push('-');
        operator.push_str(&self.machine.host);
        let operand = scan::canonify(salt);
        let sum = operator
            .bytes()
            .chain(operand.bytes())
            .fold(0, |sum: u32, byte| (61 * sum + u32::from(byte)) % 8192);
        let start = |text: &str| text.chars().take(100).collect::<String>();
        let name = format!(
            "last.{}.{operator}.{}_{sum}_MD5={digest:032x}",
            start(&promise.bundle.name),
            start(&operand)
        );
        name.chars().take(SHOWN).collect()
    }

    /// Deletes expired locks.
    pub(super) fn purge_locks(&mut self) {
        if self.kept.locks.is_changed() {
            let now = machine::now();
            self.kept.locks.retain(|last| now - last <= HORIZON);
        }
    }
}
