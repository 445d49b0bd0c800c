//! Setuid and setgid programs of root.

use super::path::os;
use super::record::Task;
use crate::context::Agent;
use crate::log::Severity;
use crate::machine;
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;

impl Agent {
    /// Reports each program that runs as root once.
    pub(super) fn keep_setid(&mut self, task: &mut Task, path: &str, meta: &Metadata, mode: u32) {
        if meta.uid() != 0 || meta.mode() & 0o6000 == 0 {
            return;
        }
        let mut known = self.setid_programs();
        let count = known.len();
        for (bit, name, flag) in [(0o4000, "SETUID", "setuid"), (0o2000, "SETGID", "setgid")] {
            if meta.mode() & bit == 0 {
                continue;
            }
            if mode & bit != 0 {
                let inherits = meta.is_dir() && bit == 0o2000;
                if !inherits && !known.iter().any(|program| program == path) {
                    if self.machine.uid == 0 {
                        self.say(
                            Severity::Notice,
                            format!("NEW {name} root PROGRAM '{path}' "),
                        );
                    }
                    known.insert(0, path.to_owned());
                }
            } else if self.may_change(task, format!("remove {flag} (root) flag from '{path}'")) {
                let message = format!("Removed {flag} (root) flag from '{path}'");
                self.changed(task, message);
            }
        }
        if known.len() > count {
            self.save_setid_programs(&known);
        }
    }

    /// The list of programs that run as root; cf-agent converts the whole path to lower case.
    fn setid_list(&self) -> String {
        let host = rustix::system::uname();
        let host = host.nodename().to_string_lossy();
        let workdir = self.voice.options.workdir.display();
        format!("{workdir}/cfagent.{host}.log").to_ascii_lowercase()
    }

    fn setid_programs(&self) -> Vec<String> {
        let list = fs::read_to_string(self.setid_list()).unwrap_or_default();
        list.lines().map(str::to_owned).collect()
    }

    fn save_setid_programs(&mut self, known: &[String]) {
        let list = self.setid_list();
        let new = format!("{list}.cfedited");
        let mut content = String::new();
        for path in known {
            if fs::symlink_metadata(os(path)).is_ok() {
                content.extend([path, "\n"]);
            } else {
                self.verbose(|| {
                    format!(
                        "Purging file '{path}' from 'SETUID/SETGID' list as it no longer exists"
                    )
                });
            }
        }
        if let Err(error) = fs::write(&new, content).and_then(|()| fs::rename(&new, &list)) {
            let reason = machine::reason(&error);
            self.say(
                Severity::Error,
                format!("Couldn't write file '{new}'. (fopen: {reason})"),
            );
        }
    }
}
