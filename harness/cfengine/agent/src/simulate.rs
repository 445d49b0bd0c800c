//! `--simulate`: the agent changes copies of files below a separate root, and reports the changes
//! at the end. `path` is always the path in the policy; its `place` is the path of the copy.

mod mirror;
mod tell;

use crate::children::{self, Children};
use crate::context::Agent;
use crate::machine;
use crate::options::{Mode, Options, SimulationReport};
use crate::os::os;
use rustix::fs::{Access, access};
use std::borrow::Cow;
use std::collections::HashSet;
use std::fs;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::PathBuf;
use std::sync::Arc;

/// The copies of a simulation, and the changes to them. Dropping it removes the copies.
#[derive(Debug)]
pub(crate) struct Simulation {
    /// The root directory of the copies, without a trailing slash.
    root: String,
    shown: SimulationReport,
    children: Arc<Children>,
    changed: Vec<String>,
    renamed: Vec<(String, String)>,
    kept: Vec<String>,
    /// Files that cf-agent would have lost.
    taken: HashSet<String>,
    /// Copies of links that lead above the root.
    astray: HashSet<String>,
    /// Why the root could not be created.
    unmade: Option<String>,
}

impl Simulation {
    /// The simulation that the options ask for, if any.
    pub(crate) fn of(options: &Options) -> Option<Self> {
        let Mode::Simulate(shown) = options.mode else {
            return None;
        };
        let root = root(options);
        let make = || fs::DirBuilder::new().mode(0o700).create(os(&root));
        // An existing directory is not used: it is a leftover, or another user's trap.
        let made = make().or_else(|_| {
            children::remove(&os(&root));
            make()
        });
        for name in OWN.iter().filter(|_| made.is_ok()) {
            let own = format!("{root}/{}/state/{name}", options.workdir.display());
            let _ = fs::DirBuilder::new()
                .mode(0o700)
                .recursive(true)
                .create(os(&own));
        }
        if made.is_ok() {
            options.children.copies(Some(os(&root)));
        }
        Some(Self {
            children: options.children.clone(),
            unmade: made.err().map(|error| machine::reason(&error)),
            root,
            shown,
            changed: Vec::new(),
            renamed: Vec::new(),
            kept: Vec::new(),
            taken: HashSet::new(),
            astray: HashSet::new(),
        })
    }

    /// The path of a copy, as cf-agent builds it.
    fn named(&self, path: &str) -> String {
        format!("{}/{}", self.root, path.trim_start_matches('/'))
    }

    /// Where a path is changed; never above the root.
    fn place(&self, path: &str) -> String {
        if leads_out(path) {
            self.named(&path.replace("..", "."))
        } else {
            self.named(path)
        }
    }

    /// Whether a path leads above the root, directly or through a link to an existing file.
    fn is_astray(&self, path: &str) -> bool {
        let place = self.place(path);
        let through = |link: &String| {
            let rest = place.strip_prefix(&**link);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
                && fs::metadata(os(link)).is_ok()
        };
        leads_out(path) || self.astray.iter().any(through)
    }

    /// The path that belongs to a copy; other paths are returned unchanged.
    fn without_root<'a>(&self, place: &'a str) -> &'a str {
        let path = place.strip_prefix(&*self.root);
        path.filter(|path| path.starts_with('/')).unwrap_or(place)
    }
}

/// Directories in the state directory that cf-agent creates among the copies at the start.
const OWN: [&str; 3] = ["previous_state", "untracked", "diff"];

/// Whether a path has more `..` parts than names before them.
fn leads_out(path: &str) -> bool {
    let mut depth = 0_usize;
    path.split('/').any(|node| {
        match node {
            "" | "." => {}
            ".." if depth == 0 => return true,
            ".." => depth -= 1,
            _ => depth += 1,
        }
        false
    })
}

impl Drop for Simulation {
    fn drop(&mut self) {
        if self.unmade.is_none() {
            children::remove(&os(&self.root));
        }
        self.children.copies(None);
    }
}

/// The root of a simulation: in the work directory, or in the directory for temporary files if the
/// work directory is not writable.
pub(crate) fn root(options: &Options) -> String {
    let mut home = options.workdir.join("state");
    if access(&home, Access::WRITE_OK).is_err() {
        home = std::env::temp_dir();
    }
    format!("{}/{}.changes", home.display(), std::process::id())
}

impl Agent {
    /// Where a path is changed: the path itself, or its copy.
    pub(crate) fn place<'a>(&self, path: &'a str) -> Cow<'a, str> {
        match self.copies() {
            None => path.into(),
            Some(simulation) => simulation.place(path).into(),
        }
    }

    /// Whether a path is the root of the copies under any name. The root is not copied into itself.
    fn is_root(&self, path: &str) -> bool {
        let id = |path: &str| fs::symlink_metadata(os(path)).map(|meta| (meta.dev(), meta.ino()));
        let root = self
            .copies()
            .and_then(|simulation| id(&simulation.root).ok());
        root.is_some() && root == id(path).ok()
    }

    /// The simulation, unless the policy's control body turns it off (`dryrun`).
    fn copies(&self) -> Option<&Simulation> {
        self.simulation.as_ref().filter(|_| self.simulates())
    }

    /// Does the same as [`Agent::place`], for system calls.
    pub(crate) fn disk(&self, path: &str) -> PathBuf {
        os(&self.place(path))
    }

    /// The target to store in a link; records a link that leads above the root.
    pub(crate) fn target(&mut self, path: &str, to: &str) -> PathBuf {
        let Some(simulation) = self.copies() else {
            return os(to);
        };
        let (place, target) = (simulation.place(path), simulation.named(to));
        if leads_out(to) {
            self.note_astray(place);
        }
        os(&target)
    }

    /// The path that belongs to a copy; other paths are returned unchanged.
    pub(crate) fn without_root<'a>(&self, place: &'a str) -> &'a str {
        self.copies()
            .map_or(place, |simulation| simulation.without_root(place))
    }

    /// Where a possibly changed file is read: its copy, if there is one.
    pub(crate) fn newest<'a>(&self, path: &'a str) -> Cow<'a, str> {
        let place = self.place(path);
        if fs::symlink_metadata(os(&place)).is_ok() {
            place
        } else {
            path.into()
        }
    }

    /// What some parts of cf-agent use instead of [`Agent::newest`]: the path of the copy if the
    /// original exists, even if there is no copy.
    pub(crate) fn copy_of_known<'a>(&self, path: &'a str) -> Cow<'a, str> {
        if fs::symlink_metadata(os(path)).is_ok() {
            self.place(path)
        } else {
            path.into()
        }
    }

    /// Records a file that would be changed.
    pub(crate) fn note_change(&mut self, path: &str) {
        if let Some(simulation) = &mut self.simulation {
            simulation.changed.push(path.to_owned());
        }
    }

    /// Records a file that would be renamed.
    pub(crate) fn note_rename(&mut self, path: &str, new: &str) {
        if let Some(simulation) = &mut self.simulation {
            simulation.renamed.push((path.to_owned(), new.to_owned()));
        }
    }

    /// Records a file that would be lost; true if it was not recorded yet.
    pub(crate) fn note_taken(&mut self, path: &str) -> bool {
        let simulation = self.simulation.as_mut();
        simulation.is_some_and(|simulation| simulation.taken.insert(path.to_owned()))
    }

    /// Records a link that leads above the root.
    fn note_astray(&mut self, place: String) {
        if let Some(simulation) = &mut self.simulation {
            simulation.astray.insert(place);
        }
    }

    /// Records a file that is as promised.
    pub(crate) fn note_kept(&mut self, path: &str) {
        if let Some(simulation) = &mut self.simulation
            && simulation.shown == SimulationReport::ManifestFull
        {
            simulation.kept.push(path.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_has_a_place_below_the_root() {
        let simulation = Simulation {
            root: "/r".into(),
            children: Arc::default(),
            shown: SimulationReport::Diff,
            changed: Vec::new(),
            renamed: Vec::new(),
            kept: Vec::new(),
            taken: HashSet::new(),
            astray: HashSet::new(),
            unmade: None,
        };
        assert_eq!(simulation.place("/a/b"), "/r/a/b");
        assert_eq!(simulation.place("//a/"), "/r/a/");
        assert_eq!(simulation.without_root("/r/a/b"), "/a/b");
        assert_eq!(simulation.without_root("/ra"), "/ra");
        assert!(simulation.is_astray("/a/../../b"));
        assert!(!simulation.is_astray("/a/../b"));
        assert_eq!(simulation.place("/../../b"), "/r/././b");
    }
}
