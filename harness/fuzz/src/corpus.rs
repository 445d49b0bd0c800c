//! A corpus as a folder: one file for each input, which is whole or absent, so that a campaign may
//! be killed at any moment and several may share the folder.

use crate::input::Input;
use crate::secrets::Secrets;
use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// How the names of inputs end.
pub const FILE_EXTENSION: &str = "json";
/// The largest file that is read, in bytes.
const LARGEST: u64 = 16 << 20;

/// A corpus cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[error("{}: {why}", path.display())]
pub struct CorpusError {
    /// The file or folder.
    pub path: PathBuf,
    /// Why.
    pub why: String,
}

fn failed(path: &Path, why: &dyn std::fmt::Display) -> CorpusError {
    CorpusError {
        path: path.to_owned(),
        why: why.to_string(),
    }
}

/// A folder of inputs.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    /// The names of the files that were read or written.
    known: BTreeSet<String>,
    secrets: Secrets,
}

impl Folder {
    /// Opens the folder, and makes it if it does not exist.
    ///
    /// # Errors
    /// If that fails.
    pub(crate) fn open(path: &Path) -> Result<Self, CorpusError> {
        fs::create_dir_all(path).map_err(|error| failed(path, &error))?;
        Ok(Folder {
            path: path.to_owned(),
            known: BTreeSet::new(),
            secrets: Secrets::default(),
        })
    }

    /// The same, whose files hold none of these secrets.
    pub(crate) fn hiding(self, secrets: Secrets) -> Self {
        Folder { secrets, ..self }
    }

    /// The names of files that were not named before, sorted.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub(crate) fn new_names(&mut self) -> Result<Vec<String>, CorpusError> {
        let mut names = names(&self.path)?;
        names.retain(|name| self.known.insert(name.clone()));
        Ok(names)
    }

    /// Reads an input, and notes that it is known: a copy under another name is no second input.
    ///
    /// # Errors
    /// If the file holds none.
    pub(crate) fn read(&mut self, name: &str) -> Result<Input, CorpusError> {
        let input = read(&self.path.join(name))?;
        self.known.insert(file_name(&input));
        Ok(input)
    }

    /// Reads the input in a file of a folder.
    ///
    /// # Errors
    /// If the file holds none.
    pub(crate) fn input(folder: &Path, name: &str) -> Result<Input, CorpusError> {
        read(&folder.join(name))
    }

    /// Removes the file of an input, by the input's name. The input is not read again.
    ///
    /// # Errors
    /// If that fails.
    pub(crate) fn remove(&self, name: &str) -> std::io::Result<()> {
        fs::remove_file(self.path.join(format!("{name}.{FILE_EXTENSION}")))
    }

    /// Adds an input, unless it is there.
    ///
    /// # Errors
    /// If it cannot be written. Then nothing of it stays.
    pub(crate) fn add(&mut self, input: &Input) -> Result<(), CorpusError> {
        let mut input = input.clone();
        self.secrets.hide_input(&mut input);
        let name = file_name(&input);
        if self.known.insert(name.clone()) {
            write(&self.path, &name, &input).inspect_err(|_| {
                self.known.remove(&name);
            })?;
        }
        Ok(())
    }
}

fn file_name(input: &Input) -> String {
    format!("{}.{FILE_EXTENSION}", input.name())
}

/// Reads an input.
///
/// # Errors
/// If the file cannot be read, or holds none.
pub(crate) fn read(path: &Path) -> Result<Input, CorpusError> {
    let size = fs::metadata(path)
        .map_err(|error| failed(path, &error))?
        .len();
    if size > LARGEST {
        return Err(failed(path, &"too large for an input of `stickler fuzz`"));
    }
    let bytes = fs::read(path).map_err(|error| failed(path, &error))?;
    serde_json::from_slice(&bytes)
        .map_err(|error| failed(path, &format_args!("no input of `stickler fuzz`: {error}")))
}

fn write(folder: &Path, name: &str, input: &Input) -> Result<(), CorpusError> {
    let path = folder.join(name);
    let unfinished = folder.join(format!(".{name}.{}.part", std::process::id()));
    let write = || -> std::io::Result<()> {
        let mut text = serde_json::to_vec_pretty(input)?;
        text.push(b'\n');
        let mut file = fs::File::create(&unfinished)?;
        file.write_all(&text)?;
        fs::rename(&unfinished, &path)
    };
    write().map_err(|error| {
        let _ = fs::remove_file(&unfinished);
        failed(&path, &error)
    })
}

/// Copies the inputs of several corpora into one. Returns how many are new there, and what could
/// not be read.
///
/// # Errors
/// If a folder cannot be read or written.
pub fn merge(into: &Path, from: &[PathBuf]) -> Result<(usize, Vec<CorpusError>), CorpusError> {
    let mut whole = Folder::open(into)?;
    let (mut added, mut wrong) = (0, Vec::new());
    // One after the other: a night's corpus may be larger than the memory.
    for name in whole.new_names()? {
        wrong.extend(whole.read(&name).err());
    }
    for path in from {
        if !path.is_dir() {
            return Err(failed(path, &"no such folder"));
        }
        for name in names(path)? {
            match Folder::input(path, &name) {
                Ok(input) if !whole.known.contains(&file_name(&input)) => {
                    whole.add(&input)?;
                    added += 1;
                }
                Ok(_) => {}
                Err(error) => wrong.push(error),
            }
        }
    }
    Ok((added, wrong))
}

/// Removes all inputs from a corpus whose names are not in `keep`, and copies under other names. Returns
/// how many were removed.
///
/// # Errors
/// If one cannot be removed.
pub fn minimised(folder: &Path, keep: &[String]) -> Result<usize, CorpusError> {
    let file = |name| format!("{name}.{FILE_EXTENSION}");
    let mut wanted: BTreeSet<String> = keep.iter().map(file).collect();
    let mut removed = 0;
    for name in names(folder)? {
        let path = folder.join(name);
        // What is no input stays.
        let is_extra = read(&path).is_ok_and(|input| !wanted.remove(&file_name(&input)));
        if is_extra {
            fs::remove_file(&path).map_err(|error| failed(&path, &error))?;
            removed += 1;
        }
    }
    Ok(removed)
}

/// The names of the files in a corpus, sorted.
fn names(folder: &Path) -> Result<Vec<String>, CorpusError> {
    let entries = fs::read_dir(folder).map_err(|error| failed(folder, &error))?;
    let names = entries
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned());
    let is_input = |name: &String| name.ends_with(".json") && !name.starts_with('.');
    let mut names: Vec<String> = names.filter(is_input).collect();
    names.sort();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::InputStep;

    fn input(ms: u16) -> Input {
        Input {
            steps: vec![InputStep::Pause { ms }],
            ..Input::default()
        }
    }

    fn inputs(folder: &mut Folder) -> (Vec<Input>, Vec<CorpusError>) {
        let (mut inputs, mut wrong) = (Vec::new(), Vec::new());
        for name in folder.new_names().expect("read") {
            match folder.read(&name) {
                Ok(input) => inputs.push(input),
                Err(error) => wrong.push(error),
            }
        }
        (inputs, wrong)
    }

    #[test]
    fn a_reopened_corpus_returns_each_input_once_and_reports_broken_files() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut corpus = Folder::open(folder.path()).expect("open");
        corpus.add(&input(1)).expect("added");
        corpus.add(&input(1)).expect("known");
        corpus.add(&input(2)).expect("added");
        fs::write(folder.path().join("broken.json"), "{").expect("written");
        let mut again = Folder::open(folder.path()).expect("open");
        let (mut inputs, wrong) = inputs(&mut again);
        inputs.sort_by_key(|input| format!("{input:?}"));
        assert_eq!(inputs, [input(1), input(2)]);
        assert_eq!(wrong.len(), 1);
        assert!(wrong[0].to_string().contains("broken.json"), "{}", wrong[0]);
        assert!(again.new_names().expect("read").is_empty());
        assert_eq!(fs::read_dir(folder.path()).expect("read").count(), 3);
    }

    #[test]
    fn merging_adds_new_inputs() {
        let (one, two) = (
            tempfile::tempdir().expect("a"),
            tempfile::tempdir().expect("b"),
        );
        Folder::open(one.path())
            .and_then(|mut it| it.add(&input(1)))
            .expect("added");
        for ms in [1, 2] {
            Folder::open(two.path())
                .and_then(|mut it| it.add(&input(ms)))
                .expect("added");
        }
        let from = [two.path().to_owned()];
        assert_eq!(merge(one.path(), &from).expect("merged").0, 1);
        assert_eq!(merge(one.path(), &from).expect("merged").0, 0);
        assert_eq!(minimised(one.path(), &[input(2).name()]).expect("less"), 1);
        let mut left = Folder::open(one.path()).expect("open");
        assert_eq!(inputs(&mut left).0, [input(2)]);
        left.remove(&input(2).name()).expect("removed");
        assert_eq!(names(one.path()).expect("read"), [""; 0]);
    }
}
