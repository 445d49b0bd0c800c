//! User namespaces, which the overlay sandbox needs: what forbids them, and how to allow them.

use std::path::Path;
use stickler_face::doctor::{Item, Topic};

/// The topic of what a kernel can do.
pub const KERNEL: Topic = Topic("kernel", "Kernel");
/// The settings that can forbid them, and the value that does.
const FORBIDDING: &[(&str, &str)] = &[
    ("/proc/sys/user/max_user_namespaces", "0"),
    ("/proc/sys/kernel/unprivileged_userns_clone", "0"),
    (APPARMOR, "1"),
];
/// Ubuntu sets it since 23.10.
const APPARMOR: &str = "/proc/sys/kernel/apparmor_restrict_unprivileged_userns";

/// What matters here about a machine.
struct Machine {
    /// Does the kernel have user namespaces?
    there: bool,
    root: bool,
    /// The setting that forbids them, and its value.
    forbids: Option<(&'static str, &'static str)>,
    /// Does the overlay sandbox work nevertheless?
    overlay: bool,
}

/// What doctor says about this machine.
pub fn item(overlay: bool) -> Item {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let forbids = FORBIDDING.iter().copied();
    described(&Machine {
        there: Path::new("/proc/self/ns/user").exists(),
        root: rustix::process::geteuid().is_root(),
        forbids: forbids
            .into_iter()
            .find(|(path, value)| read(path).trim() == *value),
        overlay,
    })
}

fn described(machine: &Machine) -> Item {
    let item = |ok: bool, detail: String| Item::new(KERNEL, "user namespaces", ok, detail);
    let mut todo = Vec::new();
    let item = match machine.forbids {
        _ if !machine.there => item(false, "not in this kernel".to_owned()),
        Some((path, value)) if machine.root => {
            item(true, format!("{path} is {value}; not needed as root"))
        }
        Some((path, value)) if machine.overlay => item(
            true,
            format!("{path} is {value}, but this program is exempt"),
        ),
        Some((path, value)) => {
            todo = advice(path);
            item(
                false,
                format!("{path} is {value}, so users cannot use them"),
            )
        }
        None if machine.root => item(true, "allowed; not needed as root".to_owned()),
        None => item(true, "allowed".to_owned()),
    };
    Item {
        todo,
        ..item.optional()
    }
}

/// How to allow them.
fn advice(path: &str) -> Vec<String> {
    let key = path.trim_start_matches("/proc/sys/").replace('/', ".");
    let value = match path {
        APPARMOR => 0,
        "/proc/sys/user/max_user_namespaces" => 10_000,
        _ => 1,
    };
    let mut lines = vec![
        "allow them for all programs, until the next boot:".to_owned(),
        format!("  sudo sysctl -w {key}={value}"),
    ];
    if path == APPARMOR {
        lines.extend(
            [
                "or for Stickler alone, for good:",
                "  stickler doctor --apparmor-profile | sudo tee /etc/apparmor.d/stickler",
                "  sudo apparmor_parser -r /etc/apparmor.d/stickler",
            ]
            .map(str::to_owned),
        );
    }
    lines
}

/// An AppArmor profile that lets one program use user namespaces, and restricts nothing.
pub fn profile(program: &Path) -> String {
    let mut path = String::new();
    for c in program.to_string_lossy().chars() {
        // These have a meaning in profiles.
        if "\\\"*?[]{}^,@".contains(c) {
            path.push('\\');
        }
        path.push(c);
    }
    format!(
        "abi <abi/4.0>,\n\
         include <tunables/global>\n\n\
         profile stickler \"{path}\" flags=(unconfined) {{\n\
         \x20 userns,\n\
         \x20 include if exists <local/stickler>\n\
         }}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::{APPARMOR, Machine, described, profile};
    use std::path::Path;

    const UBUNTU: Machine = Machine {
        there: true,
        root: false,
        forbids: Some((APPARMOR, "1")),
        overlay: false,
    };

    #[test]
    fn a_restriction_by_apparmor_comes_with_the_commands_that_lift_it() {
        let item = described(&UBUNTU);
        assert!(!item.ok && item.optional);
        assert_eq!(
            item.todo,
            [
                "allow them for all programs, until the next boot:",
                "  sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
                "or for Stickler alone, for good:",
                "  stickler doctor --apparmor-profile | sudo tee /etc/apparmor.d/stickler",
                "  sudo apparmor_parser -r /etc/apparmor.d/stickler",
            ]
        );
    }

    #[test]
    fn other_settings_are_changed_back() {
        for (path, value, command) in [
            (
                "/proc/sys/user/max_user_namespaces",
                "0",
                "  sudo sysctl -w user.max_user_namespaces=10000",
            ),
            (
                "/proc/sys/kernel/unprivileged_userns_clone",
                "0",
                "  sudo sysctl -w kernel.unprivileged_userns_clone=1",
            ),
        ] {
            let item = described(&Machine {
                forbids: Some((path, value)),
                ..UBUNTU
            });
            assert_eq!(item.todo[1..], [command]);
        }
    }

    #[test]
    fn nothing_is_to_be_done_where_the_overlay_works() {
        for machine in [
            Machine {
                overlay: true,
                ..UBUNTU
            },
            Machine {
                root: true,
                ..UBUNTU
            },
            Machine {
                forbids: None,
                ..UBUNTU
            },
        ] {
            let item = described(&machine);
            assert!(item.ok && item.todo.is_empty(), "{item:?}");
        }
    }

    #[test]
    fn a_profile_names_the_program_literally() {
        assert_eq!(
            profile(Path::new("/home/a b/{c}/stickler")),
            "abi <abi/4.0>,\ninclude <tunables/global>\n\n\
             profile stickler \"/home/a b/\\{c\\}/stickler\" flags=(unconfined) {\n\
             \x20 userns,\n\x20 include if exists <local/stickler>\n}\n"
        );
    }
}
