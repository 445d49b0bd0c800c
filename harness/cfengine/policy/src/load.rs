//! Loads and checks a policy with all its inputs.

mod constants;
mod inputs;

pub use constants::Constants;

use crate::check;
use crate::diagnostic::Diagnostic;
use crate::parser::parse;
use crate::source::{FileId, Sources, Span};
use crate::tree::{Guard, Policy, Rval};
use cfengine_protocol::release::Release;
use inputs::Next;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::{fs, io};

/// The deepest chain of files that are inputs of each other.
const DEEPEST: usize = 200;

/// Resolves the guards and variables that decide on inputs. [`Constants`] does so without
/// evaluation; an evaluator can resolve more.
pub trait Resolve {
    /// Whether a guard holds, given all blocks loaded so far; `None` if that is unknown.
    fn holds(&self, guard: Option<&Guard>, known: &Policy) -> Option<bool>;

    /// The expansion of a text at a place, given all blocks loaded so far.
    fn value(&self, text: &str, place: Span, known: &Policy, sources: &Sources) -> Value;
}

/// The expansion of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A text. One that still has variables is no input.
    Text(String),
    /// Several texts.
    List(Vec<String>),
    /// Only evaluation can resolve it.
    Unknown,
}

/// A loaded policy.
#[derive(Debug, Default)]
pub struct Loaded {
    /// All blocks: a file's own blocks, then those of its inputs. The inputs in common control come
    /// before those in file control.
    pub policy: Policy,
    /// The errors for which cf-agent would reject it.
    pub problems: Vec<Diagnostic>,
    /// Inputs that were not followed because only evaluation knows their names, and bodies that may
    /// be in these.
    pub notes: Vec<Diagnostic>,
}

/// Loads a policy file and all its inputs. Only a failure to read the file itself is an error;
/// faults in its content are problems.
pub fn load(
    sources: &mut Sources,
    path: &Path,
    resolve: &dyn Resolve,
    release: &Release,
) -> io::Result<Loaded> {
    let bytes = fs::read(path)?;
    let directory = match path.parent() {
        Some(parent) if parent != Path::new("") => parent.to_path_buf(),
        _ => PathBuf::from("."),
    };
    let mut loader = Loader {
        resolve,
        release,
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
        loaded
            .problems
            .extend(check::whole(&loaded.policy, release));
        let runs = loaded.policy.control("common").is_some();
        let missing = runs.then(|| check::missing(&loaded.policy, release));
        let missing = missing.unwrap_or_default();
        // Missing bodies may be in an input that was not followed.
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
    release: &'a Release,
    /// The directory of relative inputs.
    directory: PathBuf,
    sources: &'a mut Sources,
    seen: Vec<(PathBuf, FileId)>,
    /// The blocks so far, for the values of variables.
    known: Policy,
    ignore_missing: bool,
    /// Whether a file was left out, so that checks of the whole policy are meaningless.
    failed: bool,
    loaded: Loaded,
}

impl Loader<'_> {
    fn file(&mut self, file: FileId, depth: usize) -> Policy {
        let mut policy = match parse(self.sources, file, self.release) {
            Ok(policy) => policy,
            Err(problems) => {
                self.failed = true;
                self.loaded.problems.extend(problems);
                return Policy::default();
            }
        };
        take_main(&mut policy, depth == 0);
        let problems = check::file(&policy, self.release);
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
        // cf-agent loads each content once, under any name.
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

/// Renames `__main__` to `main` in the main file, and drops it in other files.
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
