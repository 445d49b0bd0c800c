//! Promise modules that a table describes.

use crate::common::{compile, root};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use stickler_proof::{Kind, Subjects, proofs, read};
use toml::{Table, Value};

/// A module and its configuration.
#[derive(Clone)]
pub struct Module {
    pub config: Table,
    pub source: PathBuf,
    /// The definitions with which it is compiled, if it is.
    pub defines: Option<Vec<String>>,
}

/// What runs mutants in Python: a Python that starts quickly.
fn python() -> &'static str {
    static PYTHON: OnceLock<String> = OnceLock::new();
    PYTHON.get_or_init(|| {
        let source = root().join("fixtures/mutants/python.c");
        let program = compile(&source, Path::new(env!("CARGO_TARGET_TMPDIR")), &[]);
        program.display().to_string()
    })
}

fn text(entry: &Table, key: &str) -> Option<String> {
    Some(entry.get(key)?.as_str()?.to_owned())
}

/// A text that may be the path of a file in a folder, made absolute if it is.
fn absolute(folder: &Path, word: &Value) -> Value {
    let path = folder.join(word.as_str().expect("a text"));
    match path.is_file() {
        true => path.display().to_string().into(),
        false => word.clone(),
    }
}

impl Module {
    pub fn of(subjects: &Subjects, keys: &Table) -> Module {
        let (folder, shared) = (&subjects.folder, &subjects.shared);
        let protocol = text(keys, "protocol").expect("protocol");
        let defines = keys.get("define").map(|list| {
            let list = list.as_array().expect("a list").iter();
            let defines = list.map(|define| define.as_str().expect("text").to_owned());
            let json = (protocol == "json").then(|| "JSON".to_owned());
            defines.chain(json).collect()
        });
        let about = keys.get("set").and_then(Value::as_table);
        let mut about = about.cloned().unwrap_or_default();
        if !about.contains_key("promise_types") {
            about.insert("promise_type".into(), shared["promise_type"].clone());
        }
        match text(keys, "interpreter").as_deref() {
            Some("python3") => about.insert("interpreter".into(), python().into()),
            Some(other) => about.insert("interpreter".into(), other.into()),
            None => None,
        };
        // The suite runs into the deadline of a hanging mutant several times. Deadlines of a subject
        // that waits for a processor are longer.
        let deadlines = [("header", 2.0), ("evaluate", 2.0)];
        let deadlines = deadlines.map(|(phase, seconds)| (phase.to_owned(), Value::Float(seconds)));
        let deadlines = Table::from_iter(deadlines);
        about.entry("deadlines").or_insert(Value::Table(deadlines));
        let mut config = Table::new();
        config.insert("subject".into(), Value::Table(about));
        let usual = shared[&protocol[..]].as_table().expect("examples");
        for key in ["example", "invalid"] {
            if let Some(list) = keys.get(key).or(usual.get(key)) {
                config.insert(key.into(), list.clone());
            }
        }
        // The paths of services and stand-ins for commands are relative to the table, but the
        // configuration is elsewhere.
        if let Some(services) = keys.get("service").and_then(Value::as_array) {
            let services = services.iter().map(|service| {
                let mut service = service.as_table().expect("a table").clone();
                let words = service["command"].as_array().expect("words").iter();
                let words = words.map(|word| absolute(folder, word)).collect();
                service.insert("command".into(), Value::Array(words));
                Value::Table(service)
            });
            config.insert("service".into(), Value::Array(services.collect()));
        }
        if let Some(fakes) = keys.get("fake").and_then(Value::as_table) {
            let fakes = fakes.iter();
            let fakes = fakes.map(|(name, file)| (name.clone(), absolute(folder, file)));
            config.insert("fake".into(), Value::Table(fakes.collect()));
        }
        Module {
            config,
            source: folder.join(text(keys, "path").expect("path")),
            defines,
        }
    }

    /// Its file and its definitions.
    pub fn name(&self) -> String {
        let folder = root().join("fixtures/mutants");
        let path = self.source.strip_prefix(folder).expect("a fixture");
        let defines = self.defines.iter().flatten();
        let defines = defines.map(|define| format!(" {define}"));
        format!("{}{}", path.display(), defines.collect::<String>())
    }

    /// Its files beside those of [`Module::prepare`]: its own, and the bases of all mutants.
    pub fn files(&self) -> Vec<PathBuf> {
        let own = self.source.parent().expect("a folder");
        let all = root().join("fixtures/mutants");
        let bases = std::fs::read_dir(&all).expect("the mutants").flatten();
        let bases = bases.map(|entry| entry.path());
        let bases = bases.filter(|path| path.is_file() && !path.ends_with("mutants.toml"));
        let mut files: Vec<PathBuf> = bases.collect();
        files.sort();
        files.extend((own != all).then(|| own.to_owned()));
        files
    }

    /// Writes its `stickler.toml` into a folder.
    pub fn prepare(&self, folder: &Path) {
        let program = match &self.defines {
            Some(defines) => compile(&self.source, folder, defines),
            None => self.source.clone(),
        };
        let mut config = self.config.clone();
        if let Some(about) = config.get_mut("subject").and_then(Value::as_table_mut) {
            about.insert("path".into(), Value::String(program.display().to_string()));
        }
        let text = toml::to_string(&config).expect("TOML");
        std::fs::write(folder.join("stickler.toml"), text).expect("written");
    }
}

/// Their table.
fn table() -> Subjects {
    let proofs = proofs();
    let modules = proofs.first().expect("that of promise modules");
    read(modules, &root()).expect("the table")
}

/// The rules and the modules of all mutants.
pub fn mutants() -> Vec<(String, Module)> {
    let table = table();
    let mutants = table.all.iter().filter(|one| one.kind == Kind::Mutant);
    let mutants = mutants.map(|one| (one.rules[0].clone(), Module::of(&table, &one.keys)));
    mutants.collect()
}

/// The modules that the mutants change.
pub fn bases() -> Vec<Module> {
    let table = table();
    let base = |path: &str, protocol: &str, how: (&str, Value)| {
        let mut keys = Table::new();
        keys.insert("path".into(), path.into());
        keys.insert("protocol".into(), protocol.into());
        keys.insert(how.0.into(), how.1);
        Module::of(&table, &keys)
    };
    let compiled = ("define", Value::Array(Vec::new()));
    vec![
        base("base.py", "json", ("interpreter", "python3".into())),
        base("base.sh", "line", ("interpreter", "/bin/bash".into())),
        base("native.c", "line", compiled.clone()),
        base("native.c", "json", compiled),
    ]
}
