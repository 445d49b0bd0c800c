//! Users and groups as promises name them.

use super::Expanded;
use crate::context::Agent;
use crate::log::Severity;
use crate::machine;

/// The id for a name that does not exist.
const UNKNOWN: u32 = u32::MAX - 1;

impl Agent {
    /// The id of a user or group; reports if there is none.
    pub(crate) fn account(&mut self, promise: &Expanded, users: bool, name: &str) -> Option<u32> {
        if !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit()) {
            // cf-agent truncates a large number to its lower 32 bits.
            return Some(name.parse().unwrap_or(u64::MAX) as u32);
        }
        let id = if users {
            machine::user_id(name)
        } else {
            machine::group_id(name)
        };
        if id.is_none() {
            self.say_unknown_account(Severity::Info, users, name);
            self.say_place(Severity::Info, promise);
        }
        id
    }

    /// Reports that no account has a name.
    pub(crate) fn say_unknown_account(&mut self, level: Severity, users: bool, name: &str) {
        // cf-agent calls `getent`, which takes the name as an option, or lists everything if it is
        // blank.
        let table = if users { "passwd" } else { "group" };
        if name.len() > 1 && name.starts_with('-') {
            let message = format!("Failed to get information about '{table} {name}' using getent");
            self.say(level, message);
        } else if name.trim_ascii().is_empty() {
            let message = format!("Multiple results from 'getent {table} {name}'");
            self.say(level, message);
        }
        let message = if users {
            format!("Could not get UID for user '{name}', (getpwnam: not found)")
        } else {
            format!("Could not get GID for group '{name}', (getgrnam: not found)")
        };
        self.say(level, message);
    }

    /// The id under which a command runs. An unknown name gives an id too: the command must not run
    /// as the agent's own user.
    pub(crate) fn account_to_run(&mut self, promise: &Expanded, users: bool) -> Option<u32> {
        let name = promise.text(if users { "exec_owner" } else { "exec_group" })?;
        if &**name == "*" {
            return None;
        }
        let id = self.account(promise, users, name).unwrap_or(UNKNOWN);
        (id != u32::MAX).then_some(id)
    }
}
