//! Which lines of the subject's own files ran, for people who want to see them.

mod code;

use crate::feedback::CoverageKind;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The most files.
const FILES: usize = 64;
/// The most names that are remembered: a subject may name its files as it likes.
const NAMES: usize = 4_096;
/// Lines beyond this are not noted.
const LINES: u32 = 50_000;
/// The largest file, in bytes.
const BYTES: u64 = 1 << 20;

/// What is known about a line of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// It ran.
    Reached,
    /// It did not run.
    Missed,
    /// Nothing on it can run.
    NoCode,
}

/// A file of the subject, line by line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Its path, as seen from the module's folder.
    pub name: String,
    /// Its lines.
    pub lines: Vec<(Mark, String)>,
    /// Did it change after the campaign began? Then marks may be beside their lines.
    pub changed: bool,
}

/// The lines that were told so far. Its size is bounded.
#[derive(Debug)]
pub(crate) struct Told {
    /// The subject's own folders.
    folders: Vec<PathBuf>,
    /// The file that each name stands for, if it is the subject's.
    names: BTreeMap<Vec<u8>, Option<PathBuf>>,
    files: BTreeMap<PathBuf, Lines>,
    began: SystemTime,
}

#[derive(Debug, Default)]
struct Lines {
    ran: BTreeSet<u32>,
    /// The lines that can run, if the interpreter says so.
    code: Option<BTreeSet<u32>>,
}

impl Told {
    /// Notes lines of files in these folders, and below.
    pub(crate) fn new(folders: &[PathBuf]) -> Self {
        let folders = folders
            .iter()
            .filter_map(|folder| folder.canonicalize().ok());
        Told {
            folders: folders.collect(),
            names: BTreeMap::new(),
            files: BTreeMap::new(),
            began: SystemTime::now(),
        }
    }

    /// Takes what a subject told. A record is `+@LINE@FILE` or `=@LINE,LINE@FILE`, and ends with the
    /// control character 0x1f: these lines ran, or can run.
    pub(crate) fn take(&mut self, records: &[u8]) {
        for record in records.split(|byte| *byte == b'\n') {
            let Some((sign, rest)) = record.split_first() else {
                continue;
            };
            let plus = rest.iter().take_while(|byte| **byte == b'+').count();
            let Some(rest) = rest[plus..].strip_prefix(b"@") else {
                continue;
            };
            let mut parts = rest.splitn(2, |byte| *byte == b'@');
            let (Some(numbers), Some(rest)) = (parts.next(), parts.next()) else {
                continue;
            };
            let Some(end) = rest.iter().position(|byte| *byte == 0x1f) else {
                continue;
            };
            let Some(lines) = self.lines(&rest[..end]) else {
                continue;
            };
            let numbers = numbers.split(|byte| *byte == b',');
            let numbers =
                numbers.filter_map(|digits| std::str::from_utf8(digits).ok()?.parse().ok());
            let numbers = numbers.filter(|line| (1..=LINES).contains(line));
            match sign {
                b'+' => lines.ran.extend(numbers),
                b'=' => lines.code.get_or_insert_default().extend(numbers),
                _ => {}
            }
        }
    }

    /// The lines of a file, if it is the subject's.
    fn lines(&mut self, name: &[u8]) -> Option<&mut Lines> {
        if !self.names.contains_key(name) {
            if self.names.len() >= NAMES {
                return None;
            }
            let path = self.own(Path::new(std::ffi::OsStr::from_bytes(name)));
            self.names.insert(name.to_vec(), path);
        }
        let path = self.names.get(name)?.as_ref()?;
        if !self.files.contains_key(path) && self.files.len() >= FILES {
            return None;
        }
        Some(self.files.entry(path.clone()).or_default())
    }

    /// The file that a name stands for, if it is in one of the subject's folders.
    fn own(&self, name: &Path) -> Option<PathBuf> {
        let mut folders = self.folders.iter();
        // A relative name is relative to a folder in the sandbox.
        let path = folders.find_map(|folder| folder.join(name).canonicalize().ok())?;
        let is_own = self.folders.iter().any(|folder| path.starts_with(folder));
        (is_own && path.is_file()).then_some(path)
    }

    /// The files with their marks; these files first.
    pub(crate) fn sources(&self, kind: CoverageKind, first: &[PathBuf]) -> Vec<Source> {
        let first: Vec<PathBuf> = first
            .iter()
            .filter_map(|it| it.canonicalize().ok())
            .collect();
        let mut files: Vec<(&PathBuf, &Lines)> = self.files.iter().collect();
        files.sort_by_key(|(path, _)| !first.contains(path));
        let sources = files.into_iter();
        sources
            .filter_map(|(path, lines)| self.source(kind, path, lines))
            .collect()
    }

    fn source(&self, kind: CoverageKind, path: &Path, lines: &Lines) -> Option<Source> {
        let data = fs::metadata(path).ok()?;
        if data.len() > BYTES {
            return None;
        }
        let text = fs::read(path).ok()?;
        let text = String::from_utf8_lossy(&text);
        let texts: Vec<&str> = text.lines().collect();
        let mut marks: Vec<Mark> = match &lines.code {
            Some(code) => (1..)
                .zip(&texts)
                .map(|(number, _)| mark(code.contains(&number)))
                .collect(),
            None => code::lines(kind, &texts).into_iter().map(mark).collect(),
        };
        // A command of several lines is told with one of their numbers.
        let starts = match kind {
            CoverageKind::Bash => code::starts(&texts),
            _ => (0..texts.len()).collect(),
        };
        for number in &lines.ran {
            let at = usize::try_from(*number).unwrap_or(usize::MAX) - 1;
            if let Some(mark) = starts.get(at).and_then(|start| marks.get_mut(*start)) {
                *mark = Mark::Reached;
            }
        }
        let mut folders = self.folders.iter();
        let name = folders.find_map(|folder| path.strip_prefix(folder).ok());
        Some(Source {
            name: name.unwrap_or(path).display().to_string(),
            lines: marks
                .into_iter()
                .zip(texts.iter().map(|&text| text.to_owned()))
                .collect(),
            changed: data.modified().is_ok_and(|time| time > self.began),
        })
    }
}

/// The mark of a line that did not run.
fn mark(has_code: bool) -> Mark {
    match has_code {
        true => Mark::Missed,
        false => Mark::NoCode,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::TempDir::new().expect("a folder");
        let path = folder.path().canonicalize().expect("a path");
        (folder, path)
    }

    #[test]
    fn only_files_of_the_subject_are_noted_and_never_more_than_some() {
        let (_kept, folder) = folder();
        let own = folder.join("own");
        fs::create_dir(&own).expect("made");
        fs::write(own.join("a.py"), "x = 1\ny = 2\n\n").expect("written");
        fs::write(folder.join("secret"), "secret\n").expect("written");
        std::os::unix::fs::symlink(folder.join("secret"), own.join("link")).expect("made");
        let mut told = Told::new(std::slice::from_ref(&own));
        let name = |name: &str| own.join(name).display().to_string();
        for record in [
            format!("=@1,2@{}\x1f\n+@1@{}\x1f", name("a.py"), name("a.py")),
            format!("+@1@{}\x1f", name("link")),
            format!("+@1@{}\x1f", name("../secret")),
            format!("+@1@{}\x1f", name("missing")),
            format!("+@1@{}", name("a.py")),
            "+@0,99999999999,x@a.py\x1f\n@@\x1f\n=\n\n+@\x1f".to_owned(),
        ] {
            told.take(record.as_bytes());
        }
        for number in 0..2 * NAMES {
            told.take(format!("+@1@/nowhere/{number}\x1f").as_bytes());
        }
        assert!(told.names.len() <= NAMES);
        let sources = told.sources(CoverageKind::Python, &[]);
        assert_eq!(sources.len(), 1, "{sources:?}");
        assert_eq!(sources[0].name, "a.py");
        let marks: Vec<Mark> = sources[0].lines.iter().map(|line| line.0).collect();
        assert_eq!(marks, [Mark::Reached, Mark::Missed, Mark::NoCode]);
    }

    #[test]
    fn a_command_of_several_lines_is_reached_as_a_whole() {
        let (_kept, folder) = folder();
        let script = folder.join("a.sh");
        fs::write(
            &script,
            "list=(\n  1\n)\necho \"a\nb\"\nif true; then\n  false\nfi\n",
        )
        .expect("written");
        let mut told = Told::new(&[folder]);
        // Bash tells the last line of a list, and the first one of a text.
        for line in [3, 4, 6] {
            told.take(format!("++@{line}@{}\x1fecho\n", script.display()).as_bytes());
        }
        let sources = told.sources(CoverageKind::Bash, &[]);
        let signs = sources[0].lines.iter().map(|line| match line.0 {
            Mark::Reached => '+',
            Mark::Missed => '-',
            Mark::NoCode => ' ',
        });
        assert_eq!(signs.collect::<String>(), "+  + +- ");
    }
}
