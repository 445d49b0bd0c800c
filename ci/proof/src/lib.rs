//! The proof of the rules: one table of subjects for each kind of rule.
//!
//! A mutant has one defect. A near miss is the legal behaviour closest to that defect. This crate reads
//! the tables and counts. The end-to-end tests run the subjects.

use anyhow::{Context, Result, bail, ensure};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

pub use stickler_dialects::Proof;

/// The proofs of all rules.
pub fn proofs() -> Vec<Proof> {
    let all = stickler_dialects::all().into_iter();
    all.flat_map(|dialect| dialect.proofs()).collect()
}

/// What a subject shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It breaks its rule.
    Mutant,
    /// It breaks no rule.
    Near,
}

impl Kind {
    /// As the table names it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Mutant => "mutant",
            Kind::Near => "near",
        }
    }
}

/// An entry of a table.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The rule that a mutant breaks, or the rules that a near miss comes close to.
    pub rules: Vec<String>,
    /// What it shows.
    pub kind: Kind,
    /// The rules that cannot pass if its rule fails.
    pub companions: Vec<String>,
    /// What it does, in words.
    pub why: String,
    /// The keys that say what to run.
    pub keys: Table,
}

/// A table of subjects.
#[derive(Clone, Debug)]
pub struct Subjects {
    /// The folder to which paths in the table are relative.
    pub folder: PathBuf,
    /// What its subjects share.
    pub shared: Table,
    /// Its entries, in their order.
    pub all: Vec<Subject>,
}

/// Reads the table of a proof.
///
/// # Errors
/// If it is no table of subjects, or names a rule that is not one of its own.
pub fn read(proof: &Proof, root: &Path) -> Result<Subjects> {
    let path = root.join(proof.table);
    let text = std::fs::read_to_string(&path).with_context(|| proof.table.to_owned())?;
    let mut table: Table = text.parse().with_context(|| proof.table.to_owned())?;
    let shared = match table.remove("shared") {
        Some(Value::Table(shared)) => shared,
        _ => Table::new(),
    };
    let Some(Value::Array(entries)) = table.remove("subject") else {
        bail!("{}: there is no [[subject]]", proof.table);
    };
    let read = |(index, entry)| {
        subject(proof, entry).with_context(|| format!("{}: subject {}", proof.table, index + 1))
    };
    Ok(Subjects {
        folder: path.parent().unwrap_or(root).to_owned(),
        shared,
        all: entries
            .into_iter()
            .enumerate()
            .map(read)
            .collect::<Result<_>>()?,
    })
}

fn subject(proof: &Proof, entry: Value) -> Result<Subject> {
    let Value::Table(mut keys) = entry else {
        bail!("it is no table");
    };
    let rules = words(keys.remove("rule"))?;
    let companions = words(keys.remove("companions"))?;
    for code in rules.iter().chain(&companions) {
        ensure!(
            proof.rules.contains(&&**code),
            "{code} is no rule about {}",
            proof.about
        );
    }
    let kind = match keys.remove("kind") {
        Some(Value::String(kind)) if kind == Kind::Mutant.name() => Kind::Mutant,
        Some(Value::String(kind)) if kind == Kind::Near.name() => Kind::Near,
        other => bail!("`kind` is {other:?}, not mutant or near"),
    };
    match (kind, rules.len()) {
        (Kind::Mutant, 1) | (Kind::Near, 1..) => {}
        (_, count) => bail!("a {} of {count} rules", kind.name()),
    }
    let why = match keys.remove("why") {
        Some(Value::String(why)) if !why.trim().is_empty() => why,
        other => bail!("`why` is {other:?}"),
    };
    Ok(Subject {
        rules,
        kind,
        companions,
        why,
        keys,
    })
}

/// How many mutants and how many near misses each rule has.
pub fn counts(proof: &Proof, subjects: &Subjects) -> BTreeMap<&'static str, [usize; 2]> {
    let count = |code: &str, kind: Kind| {
        let all = subjects.all.iter();
        let own = all.filter(|one| one.kind == kind && one.rules.iter().any(|own| own == code));
        own.count()
    };
    let both = |code| [count(code, Kind::Mutant), count(code, Kind::Near)];
    proof.rules.iter().map(|&code| (code, both(code))).collect()
}

/// The most rules that may fail beside a mutant of this one.
pub fn others(subjects: &Subjects, code: &str) -> usize {
    let all = subjects.all.iter();
    let own = all.filter(|one| one.kind == Kind::Mutant && one.rules.iter().any(|own| own == code));
    own.map(|one| one.companions.len()).max().unwrap_or(0)
}

/// The rules without a mutant or without a near miss.
///
/// # Errors
/// If a table cannot be read.
pub fn unproven(root: &Path) -> Result<Vec<&'static str>> {
    let mut unproven = Vec::new();
    for proof in proofs() {
        let counts = counts(&proof, &read(&proof, root)?);
        let lacking = counts.into_iter().filter(|(_, counts)| counts.contains(&0));
        unproven.extend(lacking.map(|(code, _)| code));
    }
    Ok(unproven)
}

/// A text, or a list of texts.
fn words(value: Option<Value>) -> Result<Vec<String>> {
    match value {
        None => Ok(Vec::new()),
        Some(Value::String(word)) => Ok(vec![word]),
        Some(Value::Array(list)) => list
            .into_iter()
            .map(|word| match word {
                Value::String(word) => Ok(word),
                other => bail!("{other} is no text"),
            })
            .collect(),
        Some(other) => bail!("{other} is no text"),
    }
}
