//! Loads a policy with all its inputs; each file is evaluated once it is read.

use crate::context::Agent;
use crate::log::Severity;
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

/// The deepest chain of files that are inputs of each other.
const MOST_FILES: usize = 10_000;

#[derive(Default)]
pub(crate) struct Loader {
    pub(crate) sources: Sources,
    files: Vec<Rc<File>>,
    paths: HashSet<Text>,
    contents: HashSet<u64>,
    /// Parsed files, by path and content.
    known: HashMap<(Text, u64), Rc<File>>,
    /// Files that were searched and have no unsupported constructs.
    supported: Vec<Rc<File>>,
    /// The exceptions: constructs behind guards, or behind names that are built during the run.
    unsupported: Rc<Unsupported>,
}

impl Loader {
    /// Prepares to load the same policy again: unchanged files are not parsed again.
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
    /// Loads the policy and all its inputs.
    pub(crate) fn load(&mut self, loader: &mut Loader) -> Step<()> {
        self.augment()?;
        let path = Text::from(&*self.voice.options.file);
        loader.files = self.load_file(&path, loader)?;
        self.program = Rc::new(Program::of(&loader.files, self.checking));
        self.check_whole(loader)?;
        self.refuse(loader)
    }

    /// Checks all files together, as cf-agent does.
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
        self.reject(&check::whole(&whole, self.release()), &loader.sources)?;
        // If the command line names bundles, cf-agent checks less. cf-promises only requires all
        // bodies if the policy has a `body common control`.
        let asks = if self.voice.options.alone {
            whole.control("common").is_some()
        } else {
            self.voice.options.bundles.is_none()
        };
        if !asks {
            return Ok(());
        }
        self.reject(&check::missing(&whole, self.release()), &loader.sources)
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
        if !known {
            let holds = |text: &str| self.holds_by_now(text);
            let (files, sources) = (&loader.files, &loader.sources);
            let unsupported = support::unsupported(files, sources, &self.voice.options, &holds);
            if self.voice.options.skip_unsupported {
                self.unsupported = Rc::new(Unsupported {
                    functions: unsupported.functions,
                    ..Unsupported::default()
                });
                return Ok(());
            }
            if !unsupported.found.is_empty() {
                return Err(Stop::Refused(unsupported.found));
            }
            loader.supported.clone_from(&loader.files);
            loader.unsupported = Rc::new(unsupported);
        }
        self.unsupported = loader.unsupported.clone();
        Ok(())
    }

    /// A file's policy, followed by those of its inputs.
    fn load_file(&mut self, path: &Text, loader: &mut Loader) -> Step<Vec<Rc<File>>> {
        let given = self
            .voice
            .options
            .text
            .clone()
            .filter(|_| self.voice.options.file == **path);
        let read = given.map_or_else(|| self.read_bytes(path), Ok);
        let bytes = match read {
            Ok(bytes) => bytes,
            Err(error) if self.voice.control.ignore_missing_inputs => {
                // Opening a directory works.
                if error.kind() != std::io::ErrorKind::IsADirectory {
                    let reason = crate::machine::reason(&error);
                    let message =
                        format!("Cannot open file for hashing '{path}'. (fopen: {reason})");
                    self.say(Severity::Info, message);
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
        let policy = parse(&loader.sources, file, self.release()).map_err(|diagnostics| {
            let shown = diagnostics
                .iter()
                .map(|d| d.render("error", &loader.sources));
            Stop::Policy(shown.collect())
        })?;
        let (policy, mains) = self.rename_main(policy, path);
        self.reject(&check::file(&policy, self.release()), &loader.sources)?;
        Ok(Rc::new(File::new(
            path,
            policy,
            mains,
            &loader.sources,
            self.release(),
        )))
    }

    /// cf-agent refuses a policy that others can change.
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

    /// `bundle agent __main__` is renamed to `main` in the main file, and dropped elsewhere. Also
    /// returns the number of such bundles.
    fn rename_main(&self, mut policy: tree::Policy, path: &Text) -> (tree::Policy, usize) {
        let is_main = |bundle: &tree::Bundle| &*bundle.name.text == "__main__";
        let mains = policy.bundles.iter().filter(|bundle| is_main(bundle));
        let mains = mains.count();
        if self.voice.options.file == **path {
            let found = policy.bundles.iter_mut().filter(|bundle| is_main(bundle));
            found.for_each(|bundle| bundle.name.text = "main".into());
        } else {
            policy.bundles.retain(|bundle| !is_main(bundle));
        }
        (policy, mains)
    }

    /// Reports what happens to `__main__` bundles.
    fn say_mains(&mut self, path: &Text, count: usize) {
        if count == 0 || self.voice.log.global < Severity::Verbose {
            return;
        }
        let real = |path: &str| std::fs::canonicalize(os(path)).unwrap_or_default();
        let (file, entry) = (real(path), real(&self.voice.options.file));
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

    /// Evaluates the bundles and control bodies of only these files.
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
            // Files read since then may define the variables in the name.
            self.settle_those(files.get(1..).unwrap_or_default())?;
        }
        let settled = match input {
            // Functions are not called here.
            Value::Call(_) => input.clone(),
            _ => self.settle(input, (None, Some("sys")), true)?,
        };
        match settled {
            Value::Scalar(text) if scan::has_variables(&text) => {
                let message = format!("Unresolved variable '{text}' in input list, cannot parse");
                self.say(Severity::Error, message);
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
            _ => self.say(Severity::Error, "Non-file object in inputs list"),
        }
        Ok(())
    }

    /// The path of an input, relative to the main file.
    fn input_path(&self, name: &Text) -> Text {
        let path = Path::new(&**name);
        if path.is_absolute() {
            return name.clone();
        }
        let entry = Path::new(&self.voice.options.file);
        match entry.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => {
                parent.join(path).to_string_lossy().as_ref().into()
            }
            _ => name.clone(),
        }
    }

    /// Evaluates all loaded bundles and control bodies: common bundles first, and only the
    /// variables of others.
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

    /// Enters and leaves each bundle, which expands its variables.
    pub(crate) fn enter_all(&mut self) -> Step<()> {
        let program = self.program.clone();
        for bundle in &program.bundles {
            self.within(bundle, |_| Ok(()))?;
        }
        Ok(())
    }

    /// Expands every promise once, as cf-agent does before the bundles run.
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

    /// Whether a bundle is evaluated; the check evaluates those of all components.
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
