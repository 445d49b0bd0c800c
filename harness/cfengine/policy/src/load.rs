//! A policy with all its inputs, read and checked.

mod constants;
mod inputs;

pub use constants::Constants;

use crate::check;
use crate::diagnostic::Diagnostic;
use crate::parser::parse;
use crate::source::{FileId, Sources, Span};
use crate::tree::{Guard, Policy, Rval};
use inputs::Next;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::{fs, io};

/// Files that take in each other are followed this deep.
const DEEPEST: usize = 200;

/// Tells what the names of inputs depend on. [`Constants`] does so without
/// evaluation; an evaluator can tell more.
pub trait Resolve {
    /// Whether a guard holds, given all blocks read so far; none if that is
    /// not known.
    fn holds(&self, guard: Option<&Guard>, known: &Policy) -> Option<bool>;

    /// What a text at a place stands for once its variables are put in, given
    /// all blocks read so far.
    fn value(&self, text: &str, place: Span, known: &Policy, sources: &Sources) -> Value;
}

/// What a text stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A text. One that still holds variables has no value and is no input.
    Text(String),
    /// Several texts.
    List(Vec<String>),
    /// Only an evaluation can tell.
    Unknown,
}

/// A policy that was read.
#[derive(Debug, Default)]
pub struct Loaded {
    /// All blocks: a file's own, then those of its inputs, common control's
    /// before file control's.
    pub policy: Policy,
    /// Why the agent would reject it.
    pub problems: Vec<Diagnostic>,
    /// Inputs that were not followed, since their names come from what only
    /// an evaluation tells, and bodies that may stand in these.
    pub notes: Vec<Diagnostic>,
}

/// Reads a policy file and all that it takes in. An error is one of reading
/// the file itself; whatever is wrong inside is a problem.
pub fn load(sources: &mut Sources, path: &Path, resolve: &dyn Resolve) -> io::Result<Loaded> {
    let bytes = fs::read(path)?;
    let directory = match path.parent() {
        Some(parent) if parent != Path::new("") => parent.to_path_buf(),
        _ => PathBuf::from("."),
    };
    let mut loader = Loader {
        resolve,
        directory,
        sources,
        seen: Vec::new(),
        known: Policy::default(),
        ignore_missing: false,
        failed: false,
        loaded: Loaded::default(),
    };
    let file = loader.sources.add(shown(path), bytes);
    loader.seen.push((path.to_path_buf(), file));
    let policy = loader.file(file, 0);
    loader.loaded.policy = policy;
    let mut loaded = loader.loaded;
    if !loader.failed {
        loaded.problems.extend(check::whole(&loaded.policy));
        let runs = loaded.policy.control("common").is_some();
        let missing = runs.then(|| check::missing(&loaded.policy));
        let missing = missing.unwrap_or_default();
        // What is missing may stand in an input that was not followed.
        if loaded.notes.is_empty() {
            loaded.problems.extend(missing);
        } else {
            loaded.notes.extend(missing);
        }
    }
    Ok(loaded)
}

struct Loader<'a> {
    resolve: &'a dyn Resolve,
    /// Where inputs without a leading slash lie.
    directory: PathBuf,
    sources: &'a mut Sources,
    seen: Vec<(PathBuf, FileId)>,
    /// What was read so far, for the values of variables.
    known: Policy,
    ignore_missing: bool,
    /// A file was left out, so that the rest says nothing about the whole.
    failed: bool,
    loaded: Loaded,
}

impl Loader<'_> {
    fn file(&mut self, file: FileId, depth: usize) -> Policy {
        let mut policy = match parse(self.sources, file) {
            Ok(policy) => policy,
            Err(problems) => {
                self.failed = true;
                self.loaded.problems.extend(problems);
                return Policy::default();
            }
        };
        take_main(&mut policy, depth == 0);
        let problems = check::file(&policy);
        if !problems.is_empty() {
            self.failed = true;
            self.loaded.problems.extend(problems);
            return Policy::default();
        }
        self.known.merge(policy.clone());
        self.ignore_missing |= self.ignores_missing(&policy);
        let taken = [policy.control("common"), policy.control("file")]
            .into_iter()
            .flatten()
            .map(|control| self.inputs(control))
            .collect::<Vec<_>>();
        for found in taken {
            match found {
                Ok(items) => {
                    for item in items {
                        let taken = self.input(&item, depth);
                        policy.merge(taken);
                    }
                }
                Err(note) => self.loaded.notes.push(note),
            }
        }
        policy
    }

    fn input(&mut self, item: &Rval, depth: usize) -> Policy {
        let span = item.span();
        let mut policy = Policy::default();
        for next in self.names(item) {
            match next {
                Next::Name(name) => {
                    let path = self.directory.join(&name);
                    policy.merge(self.path(&path, span, depth + 1));
                }
                Next::Unknown => {
                    let message = "this input was not followed: its name is not known yet";
                    self.loaded.notes.push(Diagnostic::new(span, message));
                }
            }
        }
        policy
    }

    fn path(&mut self, path: &Path, span: Span, depth: usize) -> Policy {
        if self.seen.iter().any(|(seen, _)| seen == path) {
            return Policy::default();
        }
        let problem = match fs::read(path) {
            Ok(_) if depth > DEEPEST => "the inputs stand too deep in each other".into(),
            Ok(bytes) => return self.bytes(path, bytes, depth),
            Err(_) if self.ignore_missing => return Policy::default(),
            Err(error) => format!("the input `{}` can't be read: {error}", path.display()),
        };
        self.failed = true;
        self.loaded.problems.push(Diagnostic::new(span, problem));
        Policy::default()
    }

    fn bytes(&mut self, path: &Path, bytes: Vec<u8>, depth: usize) -> Policy {
        // The agent reads each text once, by whatever name.
        let sources = &*self.sources;
        let again = self
            .seen
            .iter()
            .any(|(_, file)| sources.get(*file).bytes() == bytes);
        let file = self.sources.add(shown(path), bytes);
        self.seen.push((path.to_path_buf(), file));
        if again {
            return Policy::default();
        }
        self.file(file, depth)
    }
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// `__main__` is `main` in the file that is started with, and nothing in the
/// others.
fn take_main(policy: &mut Policy, entry: bool) {
    let name: Rc<str> = "main".into();
    policy.bundles.retain_mut(|bundle| {
        let main = &*bundle.name.text == "__main__";
        if main && entry {
            bundle.name.text = name.clone();
        }
        !main || entry
    });
}

#[cfg(test)]
mod tests;
