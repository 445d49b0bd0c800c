//! Reading a policy with all its inputs, each settled as it comes.

use crate::context::Agent;
use crate::log::Level;
use crate::os::os;
use crate::program::{self, Body, Bundle, File, Program};
use crate::promise::Action;
use crate::removed;
use crate::scan;
use crate::stop::{Step, Stop};
use crate::support::{self, Unsupported};
use crate::value::{Text, Value};
use cfengine_policy::{Diagnostic, Sources, check, parse, tree};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::rc::Rc;

/// Files in each other's inputs, at most.
const MOST_FILES: usize = 10_000;

#[derive(Default)]
pub(crate) struct Loader {
    pub(crate) sources: Sources,
    files: Vec<Rc<File>>,
    paths: HashSet<Text>,
    contents: HashSet<u64>,
    /// What files came to, by path and content.
    known: HashMap<(Text, u64), Rc<File>>,
    /// Files in which nothing was found that is not supported.
    supported: Vec<Rc<File>>,
    /// But for what only a made-up name leads to, or a guard.
    unsupported: Rc<Unsupported>,
}

impl Loader {
    /// For the same policy once more: what did not change meanwhile is not parsed
    /// again.
    pub(crate) fn again(self) -> Self {
        Self {
            sources: self.sources,
            known: self.known,
            supported: self.supported,
            unsupported: self.unsupported,
            ..Self::default()
        }
    }
}

impl Agent {
    /// Reads the policy and all that it names as inputs.
    pub(crate) fn load(&mut self, loader: &mut Loader) -> Step<()> {
        self.augment()?;
        let path = Text::from(&*self.options.file);
        loader.files = self.load_file(&path, loader)?;
        self.program = Rc::new(Program::of(&loader.files, self.checking));
        self.check_whole(loader)?;
        self.refuse(loader)
    }

    /// What the agent finds wrong with all files together.
    fn check_whole(&mut self, loader: &Loader) -> Step<()> {
        if !self.checking {
            return Ok(());
        }
        let whole = match &*loader.files {
            [file] => Cow::Borrowed(&file.policy),
            files => {
                let mut whole = tree::Policy::default();
                for file in files {
                    whole.merge(file.policy.clone());
                }
                Cow::Owned(whole)
            }
        };
        self.reject(&check::whole(&whole), &loader.sources)?;
        // Told which bundles to run, the agent checks less; alone, the check asks a policy
        // that is whole for its bodies.
        let asks = if self.options.alone {
            whole.control("common").is_some()
        } else {
            self.options.bundles.is_none()
        };
        if !asks {
            return Ok(());
        }
        self.reject(&check::missing(&whole), &loader.sources)
    }

    fn reject(&self, problems: &[Diagnostic], sources: &Sources) -> Step<()> {
        if problems.is_empty() {
            return Ok(());
        }
        let shown = problems.iter().map(|d| d.render("error", sources));
        Err(Stop::Policy(shown.collect()))
    }

    fn refuse(&mut self, loader: &mut Loader) -> Step<()> {
        let same = |(one, other)| Rc::ptr_eq(one, other);
        let known = loader.files.len() == loader.supported.len()
            && loader.files.iter().zip(&loader.supported).all(same);
        if self.options.skip_unsupported {
            return Ok(());
        }
        if !known {
            let holds = |text: &str| self.holds_by_now(text);
            let (files, sources) = (&loader.files, &loader.sources);
            let unsupported = support::unsupported(files, sources, &self.options, &holds);
            if !unsupported.found.is_empty() {
                return Err(Stop::Refused(unsupported.found));
            }
            loader.supported.clone_from(&loader.files);
            loader.unsupported = Rc::new(unsupported);
        }
        self.unsupported = loader.unsupported.clone();
        Ok(())
    }

    /// A file's policy, and behind it that of its inputs.
    fn load_file(&mut self, path: &Text, loader: &mut Loader) -> Step<Vec<Rc<File>>> {
        let given = self
            .options
            .text
            .clone()
            .filter(|_| self.options.file == **path);
        let read = given.map_or_else(|| self.read_bytes(path), Ok);
        let bytes = match read {
            Ok(bytes) => bytes,
            Err(error) if self.control.ignore_missing_inputs => {
                // A directory can be opened.
                if error.kind() != std::io::ErrorKind::IsADirectory {
                    let reason = crate::machine::reason(&error);
                    let message =
                        format!("Cannot open file for hashing '{path}'. (fopen: {reason})");
                    self.say(Level::Info, message);
                }
                return Ok(Vec::new());
            }
            Err(error) => {
                return Err(Stop::Policy(format!(
                    "Can't stat file '{path}' for parsing. (stat: {})",
                    crate::machine::reason(&error)
                )));
            }
        };
        self.check_writable(path)?;
        let mut state = DefaultHasher::new();
        bytes.hash(&mut state);
        let hash = state.finish();
        if !loader.paths.insert(path.clone()) || !loader.contents.insert(hash) {
            return Ok(Vec::new());
        }
        if loader.paths.len() > MOST_FILES {
            return Err(Stop::Limit(format!("more than {MOST_FILES} inputs")));
        }
        self.verbose(|| format!("BEGIN parsing file: {path}"));
        let known = loader.known.get(&(path.clone(), hash)).cloned();
        let file = match known {
            Some(file) => file,
            None => self.parse(path, bytes, loader)?,
        };
        self.verbose(|| format!("END   parsing file: {path}"));
        self.say_mains(path, file.mains);
        if self.checking {
            self.warn(&removed::warnings(&file.policy, &loader.sources));
        }
        loader.known.insert((path.clone(), hash), file.clone());
        self.settle_those(std::slice::from_ref(&file))?;
        let mut inputs = Vec::new();
        for component in ["common", "file"] {
            if let Some(body) = file.control(component) {
                inputs.extend(self.inputs_of(body)?);
            }
        }
        let mut files = vec![file];
        for input in inputs {
            self.load_inputs(&input, loader, &mut files)?;
        }
        Ok(files)
    }

    fn parse(&self, path: &Text, bytes: Vec<u8>, loader: &mut Loader) -> Step<Rc<File>> {
        let file = loader.sources.add(path.clone(), bytes);
        let policy = parse(&loader.sources, file).map_err(|diagnostics| {
            let shown = diagnostics
                .iter()
                .map(|d| d.render("error", &loader.sources));
            Stop::Policy(shown.collect())
        })?;
        let (policy, mains) = self.rename_main(policy, path);
        self.reject(&check::file(&policy), &loader.sources)?;
        Ok(Rc::new(File::new(path, policy, mains, &loader.sources)))
    }

    /// The agent takes no policy that others could have changed.
    fn check_writable(&self, path: &Text) -> Step<()> {
        use std::os::unix::fs::MetadataExt;
        let Ok(found) = std::fs::metadata(&**path) else {
            return Ok(());
        };
        if found.mode() & 0o022 != 0 {
            return Err(Stop::Insecure(format!(
                "File {path} (owner {}) is writable by others (security exception)",
                found.uid()
            )));
        }
        Ok(())
    }

    /// `bundle agent __main__` counts as `main` in the file that is run. How many there are
    /// comes with the policy.
    fn rename_main(&self, mut policy: tree::Policy, path: &Text) -> (tree::Policy, usize) {
        let is_main = |bundle: &tree::Bundle| &*bundle.name.text == "__main__";
        let mains = policy.bundles.iter().filter(|bundle| is_main(bundle));
        let mains = mains.count();
        if self.options.file == **path {
            let found = policy.bundles.iter_mut().filter(|bundle| is_main(bundle));
            found.for_each(|bundle| bundle.name.text = "main".into());
        } else {
            policy.bundles.retain(|bundle| !is_main(bundle));
        }
        (policy, mains)
    }

    /// Says what becomes of bundles that are written `__main__`.
    fn say_mains(&mut self, path: &Text, count: usize) {
        if count == 0 || self.log.global < Level::Verbose {
            return;
        }
        let real = |path: &str| std::fs::canonicalize(os(path)).unwrap_or_default();
        let (file, entry) = (real(path), real(&self.options.file));
        let message = if file == entry {
            format!(
                "Redefining __main__ bundle from file {} to be main",
                file.display()
            )
        } else {
            format!(
                "Dropping __main__ bundle from file {} (entry point: {})",
                file.display(),
                entry.display()
            )
        };
        for _ in 0..count {
            self.verbose(|| message.clone());
        }
    }

    /// Settles the bundles and control bodies of some files alone.
    fn settle_those(&mut self, files: &[Rc<File>]) -> Step<()> {
        self.program = Rc::new(Program::of(files, self.checking));
        self.settle_program()
    }

    fn inputs_of(&mut self, body: &Body) -> Step<Vec<Value>> {
        let mut found = None;
        for attribute in &body.attributes {
            if &*attribute.name == "inputs"
                && self.holds(attribute.guard.as_ref())
                && found.is_none()
            {
                found = Some(attribute.value.clone());
            }
        }
        match found {
            Some(Value::List(items)) => Ok(items.to_vec()),
            Some(other) => Err(Stop::Policy(format!(
                "the inputs in {} are no list, but {}",
                body.path,
                other.show(false)
            ))),
            None => Ok(Vec::new()),
        }
    }

    fn load_inputs(
        &mut self,
        input: &Value,
        loader: &mut Loader,
        files: &mut Vec<Rc<File>>,
    ) -> Step<()> {
        if input.scalar().is_some_and(|text| scan::is_expandable(text)) {
            // What was read since may define what the name holds.
            self.settle_those(files.get(1..).unwrap_or_default())?;
        }
        let settled = match input {
            // No function is called here.
            Value::Call(_) => input.clone(),
            _ => self.settle(input, (None, Some("sys")), true)?,
        };
        match settled {
            Value::Scalar(text) if scan::has_variables(&text) => {
                let message = format!("Unresolved variable '{text}' in input list, cannot parse");
                self.say(Level::Error, message);
            }
            Value::Scalar(text) => {
                let path = self.input_path(&text);
                files.extend(self.load_file(&path, loader)?);
            }
            Value::List(items) => {
                for item in items.iter() {
                    self.load_inputs(item, loader, files)?;
                }
            }
            _ => self.say(Level::Error, "Non-file object in inputs list"),
        }
        Ok(())
    }

    /// Where an input is: beside the policy that is run.
    fn input_path(&self, name: &Text) -> Text {
        let path = Path::new(&**name);
        if path.is_absolute() {
            return name.clone();
        }
        let entry = Path::new(&self.options.file);
        match entry.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => {
                parent.join(path).to_string_lossy().as_ref().into()
            }
            _ => name.clone(),
        }
    }

    /// Settles all bundles and control bodies that are loaded: common bundles
    /// first, of others the variables alone.
    pub(crate) fn settle_program(&mut self) -> Step<()> {
        let program = self.program.clone();
        for common in [true, false] {
            for bundle in &program.bundles {
                if (&*bundle.component == "common") == common && self.takes(bundle) {
                    self.within(bundle, |agent| agent.settle_bundle(bundle))?;
                }
            }
        }
        for body in program.controls() {
            self.settle_control(body)?;
        }
        Ok(())
    }

    /// Enters each bundle and leaves it again, which expands its variables.
    pub(crate) fn enter_all(&mut self) -> Step<()> {
        let program = self.program.clone();
        for bundle in &program.bundles {
            self.within(bundle, |_| Ok(()))?;
        }
        Ok(())
    }

    /// Expands every promise once, as the agent does before it runs anything.
    pub(crate) fn converge(&mut self) -> Step<()> {
        self.loaded = true;
        let program = self.program.clone();
        for bundle in &program.bundles {
            if !self.takes(bundle) {
                continue;
            }
            self.within(bundle, |agent| {
                for section in &bundle.sections {
                    if program::is_built_in(&section.kind) {
                        agent.take_all(bundle, &section.kind, Action::Expand)?;
                    }
                }
                Ok(())
            })?;
        }
        self.settle_program()
    }

    /// Whether a bundle is settled: the check takes those of all components.
    fn takes(&self, bundle: &Bundle) -> bool {
        let own = ["common", "agent", "edit_line", "edit_xml"];
        self.checking || own.contains(&&*bundle.component)
    }

    fn within(
        &mut self,
        bundle: &Rc<Bundle>,
        work: impl FnOnce(&mut Self) -> Step<()>,
    ) -> Step<()> {
        self.enter_bundle(bundle, &[], false)?;
        work(self)?;
        self.leave();
        Ok(())
    }
}
