//! Facts about the host: hard classes and `$(sys.…)`.

mod discover;
mod hard;
mod netlink;
mod network;

pub(crate) use discover::{group_id, has_number, user_data, user_id};
pub(crate) use network::of_host;

use jiff::tz::TimeZone;
use std::io;
use std::path::Path;
use std::sync::LazyLock;

/// Facts that do not change during a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Machine {
    pub(crate) uid: u32,
    pub(crate) gid: u32,
    pub(crate) launch_directory: String,
    pub(crate) host: String,
    pub(crate) fqhost: String,
    pub(crate) domain: String,
    pub(crate) kernel: String,
    pub(crate) release: String,
    pub(crate) kernel_version: String,
    pub(crate) architecture: String,
    pub(crate) cpus: usize,
    pub(crate) os_release: Vec<(String, String)>,
    pub(crate) started: i64,
    /// IPv6 addresses, with the names of their interfaces.
    pub(crate) newer: Vec<(String, String)>,
}

/// Seconds since 1970.
pub(crate) fn now() -> i64 {
    jiff::Timestamp::now().as_second()
}

/// The time zone that `TZ` names, or the host's. Does not load the whole zone database.
pub(crate) fn zone() -> TimeZone {
    static HOST: LazyLock<Option<TimeZone>> = LazyLock::new(|| {
        let rules = std::fs::read("/etc/localtime").ok()?;
        TimeZone::tzif("", &rules).ok()
    });
    match std::env::var_os("TZ") {
        None => HOST.clone().unwrap_or_else(TimeZone::system),
        Some(_) => TimeZone::system(),
    }
}

/// A random number from 0 to below 1.
pub(crate) fn chance() -> f64 {
    use std::hash::{BuildHasher, Hasher};
    let hasher = std::hash::RandomState::new().build_hasher();
    (hasher.finish() >> 11) as f64 / (1_u64 << 53) as f64
}

/// The system's text for an error.
pub(crate) fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error") {
        Some(at) => text[..at].to_owned(),
        None => text,
    }
}

/// Variables of the scope `sys` that cf-agent has and the reference agent does not.
pub(crate) const UNKNOWN_SYS: [&str; 5] = [
    "inet",
    "inet6",
    "interfaces_data",
    "key_digest",
    "policy_hub",
];

/// Those of them that cf-agent has on each host.
pub(crate) const UNKNOWN_EVERYWHERE: [&str; 3] = ["inet", "inet6", "interfaces_data"];

/// The variables that cf-agent removes from its environment, so that programs print in English.
pub(crate) const LOCALIZING: [&str; 4] = ["COLUMNS", "LANG", "LANGUAGE", "LC_MESSAGES"];

/// Removes the variables from a program's environment.
pub(crate) fn unlocalize(command: &mut std::process::Command) {
    // Without a removal, the program's environment keeps its order.
    for name in LOCALIZING
        .iter()
        .filter(|name| std::env::var_os(name).is_some())
    {
        command.env_remove(name);
    }
}

impl Machine {
    /// Collects the facts.
    pub(crate) fn look() -> Self {
        let uname = rustix::system::uname();
        let text = |c: &std::ffi::CStr| c.to_string_lossy().into_owned();
        let nodename = text(uname.nodename());
        let (host, domain) = match nodename.split_once('.') {
            Some((host, domain)) => (host.to_owned(), domain.to_owned()),
            None => (nodename.clone(), String::new()),
        };
        let directory = std::env::current_dir().unwrap_or_default();
        Self {
            uid: rustix::process::geteuid().as_raw(),
            gid: rustix::process::getegid().as_raw(),
            launch_directory: directory.to_string_lossy().into_owned(),
            host: host.clone(),
            fqhost: if domain.is_empty() {
                host
            } else {
                nodename.clone()
            },
            domain,
            kernel: text(uname.sysname()).to_lowercase(),
            release: text(uname.release()),
            kernel_version: text(uname.version()),
            architecture: text(uname.machine()),
            cpus: cpus_in(
                &std::fs::read_to_string("/sys/devices/system/cpu/online").unwrap_or_default(),
            ),
            os_release: os_release(Path::new("/etc/os-release")),
            started: now(),
            newer: Vec::new(),
        }
    }

    pub(crate) fn os(&self, key: &str) -> &str {
        let found = self.os_release.iter().find(|(name, _)| name == key);
        found.map_or("", |(_, value)| value)
    }

    /// `debian_12`, or the kernel's name.
    pub(crate) fn flavor(&self) -> String {
        let major = self.os("VERSION_ID").split('.').next().unwrap_or_default();
        match (self.os("ID"), major) {
            ("", _) => self.kernel.clone(),
            (id, "") => id.to_owned(),
            (id, major) => format!("{id}_{major}"),
        }
    }
}

/// The number of processors in a list such as `0-3,6`.
fn cpus_in(list: &str) -> usize {
    let count = |range: &str| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last): (usize, usize) = (first.parse().ok()?, last.parse().ok()?);
        Some(last.checked_sub(first)? + 1)
    };
    let ranges = list.trim().split(',').filter_map(count);
    ranges.sum::<usize>().max(1)
}

fn os_release(path: &Path) -> Vec<(String, String)> {
    let content = std::fs::read_to_string(path).unwrap_or_default();
    content
        .lines()
        .filter_map(|line| {
            let (key, value) = line.split_once('=')?;
            let value = value.trim().trim_matches(['"', '\'']);
            Some((key.to_owned(), value.to_owned()))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processors_are_counted_in_ranges() {
        for (list, cpus) in [
            ("0-1\n", 2),
            ("0\n", 1),
            ("0-3,6,8-9", 7),
            ("", 1),
            ("3-1", 1),
        ] {
            assert_eq!(cpus_in(list), cpus, "{list:?}");
        }
    }
}
