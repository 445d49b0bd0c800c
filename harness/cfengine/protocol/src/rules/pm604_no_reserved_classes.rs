//! # No result class is a hard or reserved class
//!
//! ## What it requires
//! No result class has a name that the agent defines itself, such as `any`, an operating
//! system, a processor, an hour or a month.
//!
//! ## Why
//! A policy uses these classes to find out which machine it runs on. A module that defines
//! `linux` or `Monday` enables promises that are not meant for the host.
//!
//! ## How it is judged
//! - Judged: every name in `result_classes`, after the agent's conversion to a class
//!   identifier. cf-agent defines `error_mode`, `warning_mode` and `notice_mode` since 3.27.
//! - Not judged: names in a namespace other than `default`.
//!
//! ## Example
//! ```text
//! ← result_classes=debian
//! ```
//!
//! ## How to fix
//! Begin each name with the name of the module or promise type: `packages_from_debian`, not
//! `debian`. If a name comes from data, always put such a prefix before it.
//!
//! ## Source
//! CFEngine: Custom promise types, "Result classes" (the author chooses the names); the classes
//! that cf-agent defines. It accepts them as result classes.

use crate::reads::OUTCOMES;
use crate::session::Session;
use crate::words::{cut, visible};
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(OUTCOMES, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for (exchange, _) in session.responses().filter(|(exchange, _)| exchange.owed) {
        let names = exchange.classes();
        if names.is_empty() {
            continue;
        }
        let Some(reserved) = names.iter().find(|name| is_reserved(name)) else {
            ledger.pass(exchange.number);
            continue;
        };
        let finding = ledger
            .finding(
                exchange.number,
                format!(
                    "result class `{}` is one that the agent defines itself",
                    cut(&visible(reserved), 60)
                ),
            )
            .expected("a name that the agent does not use")
            .quote(reserved)
            .graded(exchange.provenance);
        ledger.report(finding);
    }
}

/// Operating systems and their families. A version may follow them.
const SYSTEMS: [&str; 47] = [
    "aix",
    "almalinux",
    "alpine",
    "alpine_linux",
    "amazon_linux",
    "android",
    "archlinux",
    "busybox",
    "centos",
    "coreos",
    "cygwin",
    "darwin",
    "debian",
    "dragonfly",
    "fedora",
    "freebsd",
    "gentoo",
    "hpux",
    "linux",
    "linuxmint",
    "macos",
    "mandrake",
    "mandriva",
    "manjaro",
    "mingw",
    "netbsd",
    "nixos",
    "openbsd",
    "openeuler",
    "opensuse",
    "oracle_linux",
    "raspbian",
    "redhat",
    "rhel",
    "rocky",
    "scientific_linux",
    "slackware",
    "sles",
    "sles_sap",
    "smartos",
    "solaris",
    "sunos",
    "suse",
    "ubuntu",
    "unix",
    "vmware",
    "windows",
];

/// Other classes that the agent sets: processors, its editions and modes.
const OTHERS: [&str; 36] = [
    "any",
    "agent",
    "cfengine",
    "aarch64",
    "amd64",
    "arm64",
    "armv7l",
    "i386",
    "i586",
    "i686",
    "ppc64",
    "ppc64le",
    "riscv64",
    "s390x",
    "x86_64",
    "32_bit",
    "64_bit",
    "compiled_on_linux_gnu",
    "community",
    "community_edition",
    "enterprise",
    "enterprise_edition",
    "nova",
    "nova_edition",
    "policy_server",
    "am_policy_hub",
    "bootstrap_mode",
    "failsafe_fallback",
    "error_mode",
    "warning_mode",
    "notice_mode",
    "inform_mode",
    "verbose_mode",
    "debug_mode",
    "opt_dry_run",
    "systemd",
];

const DAYS: [&str; 7] = [
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
    "Sunday",
];
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const SHIFTS: [&str; 4] = ["Night", "Morning", "Afternoon", "Evening"];

fn is_reserved(name: &[u8]) -> bool {
    let name = name.strip_prefix(b"default:").unwrap_or(name);
    if name.contains(&b':') {
        return false;
    }
    // The agent replaces other characters with underscores.
    let name: String = name
        .iter()
        .map(|byte| match byte {
            byte if byte.is_ascii_alphanumeric() => char::from(*byte),
            _ => '_',
        })
        .collect();
    let local = name.strip_prefix("GMT_").unwrap_or(&name);
    OTHERS.contains(&&name[..]) || is_system(&name) || is_time(local) || is_address(&name)
}

/// `debian`, `debian_12`, `ubuntu_22_04`, `cfengine_3_21_0`.
fn is_system(name: &str) -> bool {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '_');
    let rest = &name[stem.len()..];
    let version = rest.is_empty() || rest.starts_with('_') && rest.ends_with(|c: char| c != '_');
    version && (SYSTEMS.contains(&stem) || stem == "cfengine")
}

/// `Monday`, `Hr07`, `Hr07_Q2`, `Min35`, `Min35_40`, `Day3`, `Q1`, `Yr2026`, `Lcycle_0`.
fn is_time(name: &str) -> bool {
    if [&DAYS[..], &MONTHS[..], &SHIFTS[..]]
        .concat()
        .contains(&name)
    {
        return true;
    }
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let numbers = |prefix: &str| {
        name.strip_prefix(prefix).is_some_and(|rest| {
            let rest = rest
                .strip_suffix(['1', '2', '3', '4'])
                .map_or(rest, |head| head.strip_suffix("_Q").unwrap_or(rest));
            rest.split('_').all(digits)
        })
    };
    ["Hr", "Min", "Day", "Yr", "Lcycle_", "Q"]
        .into_iter()
        .any(numbers)
}

/// `ipv4_192_168_1`, `mac_00_16_3e_…`, `8_cpus`.
fn is_address(name: &str) -> bool {
    let all = |rest: &str, fits: fn(char) -> bool| {
        !rest.is_empty() && rest.chars().all(|c| c == '_' || fits(c))
    };
    let fits = |prefix, fits| {
        name.strip_prefix(prefix)
            .is_some_and(|rest| all(rest, fits))
    };
    let cpus = name.strip_suffix("_cpus").or(name.strip_suffix("_cpu"));
    fits("ipv4_", |c| c.is_ascii_digit())
        || fits("mac_", |c| c.is_ascii_hexdigit())
        || cpus.is_some_and(|count| count.bytes().all(|byte| byte.is_ascii_digit()))
}
