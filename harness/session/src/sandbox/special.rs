//! The parts of a plan that do not show the host's files: /proc, /sys, /dev, /run, and what the
//! user exposes.

use std::path::Path;

use super::plan::{Builder, SPECIAL, at_root, c};
use super::step::{Purpose, Step};

impl Builder<'_> {
    pub(super) fn special(&mut self) {
        let essential = Purpose::Essential;
        let quiet = libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC;
        for special in SPECIAL {
            self.directory(essential.clone(), at_root(Path::new(special)), 0o755, None);
        }
        let mount = |kind: &str, at: &str, flags, data: &str| Step::Mount {
            kind: c(kind),
            at: c(at),
            flags,
            data: c(data),
        };
        self.push(essential.clone(), mount("proc", "root/proc", quiet, ""));
        if let (Some(bound), false) = (self.situation.process_ids, self.repairs.no_bound) {
            self.push(
                Purpose::Bound,
                Step::Setting {
                    path: c("root/proc/sys/kernel/pid_max"),
                    text: c(bound.to_string()),
                },
            );
        }
        self.push(
            essential.clone(),
            Step::ReadOnly {
                at: c("root/proc"),
                recursive: false,
            },
        );
        if self.repairs.hide_sys {
        } else if self.repairs.bind_sys || !self.situation.own_network {
            let at = c("root/sys");
            self.push(
                Purpose::Sys,
                Step::Bind {
                    from: c("/sys"),
                    at: at.clone(),
                    recursive: true,
                },
            );
            self.push(
                Purpose::Sys,
                Step::ReadOnly {
                    at,
                    recursive: true,
                },
            );
        } else {
            self.push(
                Purpose::Sys,
                mount("sysfs", "root/sys", quiet | libc::MS_RDONLY, ""),
            );
        }
        self.push(
            essential.clone(),
            Step::Bind {
                from: c("run"),
                at: c("root/run"),
                recursive: false,
            },
        );
        self.devices();
    }

    fn devices(&mut self) {
        const DEVICES: [(&str, u32, u32); 6] = [
            ("null", 1, 3),
            ("zero", 1, 5),
            ("full", 1, 7),
            ("random", 1, 8),
            ("urandom", 1, 9),
            ("tty", 5, 0),
        ];
        const LINKS: [(&str, &str); 4] = [
            ("fd", "/proc/self/fd"),
            ("stdin", "/proc/self/fd/0"),
            ("stdout", "/proc/self/fd/1"),
            ("stderr", "/proc/self/fd/2"),
        ];
        let essential = Purpose::Essential;
        // Nobody can create devices in a user namespace.
        let bound = self.repairs.bind_devices || !self.situation.privileged;
        self.directory(essential.clone(), "dev", 0o755, None);
        self.directory(essential.clone(), "dev/shm", 0o1777, None);
        self.directory(essential.clone(), "dev/pts", 0o755, None);
        for (name, to) in LINKS {
            let path = c(format!("dev/{name}"));
            self.push(essential.clone(), Step::Symlink { path, to: c(to) });
        }
        for (name, major, minor) in DEVICES {
            let path = c(format!("dev/{name}"));
            let step = if bound {
                Step::File { path }
            } else {
                Step::Device { path, major, minor }
            };
            self.push(Purpose::Devices, step);
        }
        self.push(
            essential.clone(),
            Step::Symlink {
                path: c("dev/ptmx"),
                to: c("pts/ptmx"),
            },
        );
        let bind = |from: &str, at: &str| Step::Bind {
            from: c(from),
            at: c(at),
            recursive: false,
        };
        self.push(essential.clone(), bind("dev", "root/dev"));
        if bound {
            for (name, ..) in DEVICES {
                let (from, at) = (format!("/dev/{name}"), format!("root/dev/{name}"));
                self.push(essential.clone(), bind(&from, &at));
            }
        }
        self.push(essential, bind("shm", "root/dev/shm"));
        if !self.repairs.no_terminals {
            self.push(
                Purpose::Terminals,
                Step::Mount {
                    kind: c("devpts"),
                    at: c("root/dev/pts"),
                    flags: libc::MS_NOSUID | libc::MS_NOEXEC,
                    data: c("newinstance,ptmxmode=0666,mode=0620"),
                },
            );
        }
    }

    pub(super) fn exposed(&mut self) {
        for path in &self.situation.expose {
            // A link in the path would lead out of the new root, which is not mounted as the root
            // yet.
            let Ok(path) = path.canonicalize() else {
                continue;
            };
            let Ok(metadata) = std::fs::metadata(&path) else {
                continue;
            };
            let mut above: Vec<&Path> = path.ancestors().skip(1).collect();
            above.reverse();
            for parent in above.into_iter().filter(|parent| *parent != Path::new("/")) {
                self.plan.steps.push((
                    Purpose::Essential,
                    Step::Directory {
                        path: c(at_root(parent)),
                        mode: 0o755,
                        owner: None,
                    },
                ));
            }
            let at = c(at_root(&path));
            let make = if metadata.is_dir() {
                Step::Directory {
                    path: at.clone(),
                    mode: 0o755,
                    owner: None,
                }
            } else {
                Step::File { path: at.clone() }
            };
            self.plan.steps.push((Purpose::Essential, make));
            self.plan.steps.push((
                Purpose::Essential,
                Step::Bind {
                    from: c(&path),
                    at,
                    recursive: true,
                },
            ));
        }
    }
}
