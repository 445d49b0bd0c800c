//! The report at the end of a simulation.

use crate::children;
use crate::context::Agent;
use crate::log::Severity;
use crate::machine;
use crate::options::SimulationReport;
use crate::os::{os, said};
use crate::process::{Reads, Spec, not_run, of_child};
use crate::promise_types::{group_name, user_name};
use cfengine_policy::text;
use std::collections::HashSet;
use std::fmt::Write;
use std::fs::{self, Metadata};
use std::io::ErrorKind;
use std::os::unix::fs::{FileTypeExt, MetadataExt};

/// The block size in bytes for the check of a file's content.
const BLOCK: usize = 4096;

/// The separator line before each file: five columns shorter than the terminal.
fn delimiter() -> String {
    const LEAST: usize = 80;
    let columns = std::env::var("COLUMNS").unwrap_or_default();
    let digits: String = columns
        .trim_start()
        .chars()
        .take_while(char::is_ascii_digit)
        .collect();
    "=".repeat(digits.parse().unwrap_or(0).max(LEAST) - 5) + "\n"
}

fn kind_of(meta: &Metadata) -> &'static str {
    let kind = meta.file_type();
    match () {
        () if kind.is_block_device() => "block device",
        () if kind.is_char_device() => "character device",
        () if kind.is_dir() => "directory",
        () if kind.is_fifo() => "FIFO/pipe",
        () if kind.is_symlink() => "symbolic link",
        () if kind.is_file() => "regular file",
        () if kind.is_socket() => "socket",
        () => "unknown",
    }
}

/// A mode as `ls` shows it: `rwxr-xr-x`.
fn letters(mode: u32) -> String {
    let mut out = String::new();
    for (shift, special, marks) in [
        (6, 0o4000, ('s', 'S')),
        (3, 0o2000, ('s', 'S')),
        (0, 0o1000, ('t', 'T')),
    ] {
        let has = |bit: u32| mode >> shift & bit != 0;
        out.push(if has(4) { 'r' } else { '-' });
        out.push(if has(2) { 'w' } else { '-' });
        out.push(match (mode & special != 0, has(1)) {
            (true, true) => marks.0,
            (true, false) => marks.1,
            (false, true) => 'x',
            (false, false) => '-',
        });
    }
    out
}

/// A file's content; it stops at the first block that is not pure ASCII.
fn content(bytes: &[u8]) -> String {
    let mut out = String::from("Contents of the file:\n");
    for block in bytes.chunks(BLOCK) {
        if !block.is_ascii() {
            out.push_str("File contains non-ASCII data\n");
            return out;
        }
        out.push_str(&text::decode(block));
    }
    if bytes.last().is_some_and(|byte| *byte != b'\n') {
        out.push_str("\n\\no newline at the end of file\n");
    }
    out
}

impl Agent {
    /// Reports what would be changed in files and packages.
    pub(crate) fn tell_simulated(&mut self) {
        if !self.simulates() {
            return;
        }
        let Some(simulation) = &mut self.simulation else {
            return;
        };
        let shown = simulation.shown;
        let [changed, kept] = [&mut simulation.changed, &mut simulation.kept].map(std::mem::take);
        let renamed = std::mem::take(&mut simulation.renamed);
        if !renamed.is_empty() {
            let message = "Manifesting renamed files (in the changes chroot)";
            self.say(Severity::Info, message);
        }
        for (path, new) in renamed {
            let line = format!("'{new}' is the new name of '{path}'\n");
            self.voice.log.raw(&(delimiter() + &line));
        }
        let mut told = HashSet::new();
        let (doing, to_do, done) = match shown {
            SimulationReport::Diff => (
                "Showing diff for",
                "show diff for",
                "show differences for changed",
            ),
            _ => ("Manifesting", "manifest", "manifest changed"),
        };
        self.tell_files("changed", (doing, to_do), &changed, &mut told)
            .unwrap_or_else(|()| self.say(Severity::Error, format!("Failed to {done} files")));
        if shown == SimulationReport::ManifestFull {
            self.tell_files("unmodified", (doing, to_do), &kept, &mut told)
                .unwrap_or_else(|()| {
                    self.say(Severity::Error, "Failed to manifest unmodified files");
                });
        }
        self.say(
            Severity::Info,
            "No package operations done by the agent run",
        );
    }

    /// Removes the copies, whether they were reported or not.
    pub(crate) fn end_simulation(&mut self) {
        if let Some(simulation) = self.simulation.take().filter(|one| one.unmade.is_none()) {
            let root = &simulation.root;
            self.verbose(|| format!("Deleting changes chroot '{root}'"));
            self.empty_tree(root);
            if !children::remove(&os(root)) {
                // cf-agent leaves a directory that it can't delete.
                let message = format!("Failed to delete changes chroot '{root}'");
                self.say(Severity::Error, message);
            }
        }
    }

    /// Reports each file once. After an error, the rest is not reported.
    fn tell_files(
        &mut self,
        which: &str,
        (doing, to_do): (&str, &str),
        paths: &[String],
        told: &mut HashSet<String>,
    ) -> Result<(), ()> {
        if paths.is_empty() {
            self.say(Severity::Info, format!("No {which} files to {to_do}"));
            return Ok(());
        }
        self.say(
            Severity::Info,
            format!("{doing} {which} files (in the changes chroot)"),
        );
        let diff = self
            .simulation
            .as_ref()
            .is_some_and(|simulation| simulation.shown == SimulationReport::Diff);
        for path in paths {
            if !told.insert(path.clone()) {
                continue;
            }
            if diff {
                self.tell_difference(path)?;
            } else {
                self.tell_file(path);
            }
        }
        Ok(())
    }

    /// Reports the new state of a file.
    fn tell_file(&mut self, path: &str) {
        let place = self.place(path).into_owned();
        match fs::symlink_metadata(os(&place)) {
            Err(_) => self
                .voice
                .log
                .raw(&format!("{}'{path}' no longer exists\n", delimiter())),
            Ok(meta) => {
                let head = format!("{}'{path}' is a {}\n", delimiter(), kind_of(&meta));
                self.tell_state(head, &place, &meta);
            }
        }
    }

    /// Reports the difference between a file and its copy.
    fn tell_difference(&mut self, path: &str) -> Result<(), ()> {
        let taken = self
            .simulation
            .as_ref()
            .is_some_and(|simulation| simulation.taken.contains(path));
        let before = fs::symlink_metadata(os(path)).ok().filter(|_| !taken);
        let Some(before) = before else {
            self.tell_file(path);
            return Ok(());
        };
        let Ok(after) = fs::symlink_metadata(self.disk(path)) else {
            self.voice
                .log
                .raw(&format!("{}'{path}' no longer exists\n", delimiter()));
            return Ok(());
        };
        let (was, is) = (kind_of(&before), kind_of(&after));
        let head = match () {
            () if was != is => format!("'{path}' changed type from {was} to {is}\n"),
            () if after.is_file() || after.is_dir() => {
                self.voice.log.raw(&delimiter());
                return self.run_diff(path);
            }
            () => format!("'{path}' is a {is}\n"),
        };
        // cf-agent shows the new status, but the old content.
        self.tell_state(delimiter() + &head, path, &after);
        Ok(())
    }

    /// Reports a file's status and content.
    fn tell_state(&mut self, head: String, place: &str, meta: &Metadata) {
        let mut out = head;
        let (mode, size) = (meta.mode() & 0o7777, meta.len());
        // Writing to a string can't fail.
        let _ = write!(
            out,
            "Size: {size}\nAccess: ({mode:04o}/{})  ",
            letters(mode)
        );
        match user_name(meta.uid()) {
            Some(name) => {
                let _ = write!(out, "Uid: ({}/{name})   ", meta.uid());
            }
            None => self.say_nameless(&mut out, ("user", "uid", "getpwuid"), meta.uid()),
        }
        match group_name(meta.gid()) {
            Some(name) => {
                let _ = writeln!(out, "Gid: ({}/{name})", meta.gid());
            }
            None => self.say_nameless(&mut out, ("group", "gid", "getgrgid"), meta.gid()),
        }
        for (name, seconds) in [
            ("Access", meta.atime()),
            ("Modify", meta.mtime()),
            ("Change", meta.ctime()),
        ] {
            let time = jiff::Timestamp::from_second(seconds).unwrap_or_default();
            let time = time.to_zoned(machine::zone());
            let _ = writeln!(out, "{name}: {}", time.strftime("%Y-%m-%d %H:%M:%S %z"));
        }
        if meta.is_file() {
            out.push('\n');
            match self.read(place) {
                Ok(bytes) => out.push_str(&content(&bytes)),
                // A file that replaced a directory is read under the old path, which is still a
                // directory.
                Err(error) if error.kind() == ErrorKind::IsADirectory => {
                    self.voice.log.raw(&(out + "Contents of the file:\n"));
                    self.say(Severity::Error, "Failed to print contents of the file");
                    return;
                }
                Err(error) => {
                    self.voice.log.raw(&out);
                    let reason = machine::reason(&error);
                    let message = format!("Failed to open file for reading: {reason}");
                    self.say(Severity::Error, message);
                    return;
                }
            }
        } else if meta.is_symlink() {
            match fs::read_link(os(place)) {
                Ok(target) => {
                    let target = said(target.into_os_string());
                    // cf-agent strips the root's length from every absolute target.
                    let shown = match target.starts_with('/') {
                        true => target
                            .get(self.place("").len().saturating_sub(1)..)
                            .unwrap_or_default(),
                        false => &target,
                    };
                    let _ = write!(out, "\nTarget: '{shown}'\n");
                }
                Err(_) => out.push_str("\nInvalid target\n"),
            }
        } else if meta.is_dir() {
            out.push('\n');
            match self.names_in(place) {
                Ok(names) => {
                    out.push_str("Directory contents:\n");
                    let names = names.iter().filter(|name| !matches!(&***name, "." | ".."));
                    names.for_each(|name| out.extend([name, "\n"]));
                }
                Err(error) => {
                    self.voice.log.raw(&out);
                    let reason = machine::reason(&error);
                    let message = format!("Failed to open the directory: {reason}");
                    self.say(Severity::Error, message);
                    return;
                }
            }
        }
        self.voice.log.raw(&out);
    }

    /// Reports, in the middle of a line, an id without a name.
    fn say_nameless(&mut self, line: &mut String, words: (&str, &str, &str), number: u32) {
        let (what, id, call) = words;
        self.voice.log.raw(&std::mem::take(line));
        let message = format!("Could not get {what} name for {id} {number}, ({call}: not found)");
        self.say(Severity::Error, message);
    }

    /// Runs `diff`: CFEngine's own, or the one in `PATH` if CFEngine's programs are not installed.
    fn run_diff(&mut self, path: &str) -> Result<(), ()> {
        let programs = self.voice.options.workdir.join("bin");
        let place = self.place(path).into_owned();
        let program = if programs.is_dir() {
            programs.join("diff").display().to_string()
        } else {
            "diff".into()
        };
        let line = format!(
            "{program} -u --label 'original {path}' --label 'changed  {path}' '{path}' '{place}'"
        );
        let spec = Spec {
            line: &line,
            reads: Reads::Both,
            searched: true,
            ..Spec::default()
        };
        let (output, exit) = match self.execute(&spec) {
            Ok(done) => done,
            Err(reason) => (of_child(&not_run(&program, &reason)), Some(1)),
        };
        if !output.is_empty() {
            self.voice.log.raw(&output);
        }
        if exit == Some(2) {
            let message = format!("'diff -u {path} {place}' failed");
            self.say(Severity::Error, message);
            return Err(());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_are_shown_as_letters() {
        assert_eq!(letters(0o755), "rwxr-xr-x");
        assert_eq!(letters(0o4711), "rws--x--x");
        assert_eq!(letters(0o6644), "rwSr-Sr--");
        assert_eq!(letters(0o1777), "rwxrwxrwt");
        assert_eq!(letters(0o1776), "rwxrwxrwT");
    }

    #[test]
    fn text_is_shown_and_bytes_are_not() {
        assert_eq!(content(b""), "Contents of the file:\n");
        assert_eq!(content(b"a\n"), "Contents of the file:\na\n");
        let open = content(b"a");
        assert!(
            open.ends_with("a\n\\no newline at the end of file\n"),
            "{open}"
        );
        let mut late = vec![b'a'; BLOCK];
        late.push(0xff);
        let late = content(&late);
        assert!(late.ends_with("aFile contains non-ASCII data\n"), "{late}");
    }
}
