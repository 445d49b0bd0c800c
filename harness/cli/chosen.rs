//! Which dialect a subject speaks, and why Stickler thinks so.

use crate::args::{InitArgs, SubjectArgs};
use crate::failure::Failure;
use std::path::{Path, PathBuf};
use stickler_dialects::{Claimed, USUAL, claimed, sought};
use stickler_suite::config;

/// The file that describes a subject.
pub const CONFIG: &str = "stickler.toml";

/// A dialect, and why it was chosen.
pub struct Chosen {
    /// Its name.
    pub dialect: String,
    /// Why, in words that continue a sentence: "`--dialect` names it".
    pub why: String,
}

impl Chosen {
    fn new(dialect: &str, why: impl Into<String>) -> Self {
        Chosen {
            dialect: dialect.to_owned(),
            why: why.into(),
        }
    }

    fn usual(why: &str) -> Self {
        Chosen::new(USUAL, format!("{why}, and nothing names another dialect"))
    }
}

impl std::fmt::Display for Chosen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({})", self.dialect, self.why)
    }
}

/// The dialect of the subject of a check.
///
/// # Errors
/// If several dialects claim its folder.
pub fn of_subject(args: &SubjectArgs) -> Result<Chosen, Failure> {
    if let Some(dialect) = &args.dialect {
        return Ok(Chosen::new(dialect, "--dialect names it"));
    }
    // The file in this folder does not describe a module or command from the command line.
    let elsewhere = args.module.is_some() || args.policy.is_some() || !args.command.is_empty();
    let file = match &args.config {
        Some(file) => Some(file.as_path()),
        None => Some(Path::new(CONFIG)).filter(|_| !elsewhere),
    };
    let text = file.and_then(|file| std::fs::read_to_string(file).ok());
    if let (Some(file), Some(text)) = (file, &text)
        && let Some(named) = config::dialect(text)
    {
        return Ok(Chosen::new(&named, format!("{} names it", file.display())));
    }
    if args.policy.is_some() {
        return Ok(Chosen::usual("the subject is that of a policy"));
    }
    if !args.command.is_empty() {
        return Ok(Chosen::usual("the subject is a command"));
    }
    if let Some(config) = &args.config {
        return Ok(Chosen::usual(&format!("{} names none", config.display())));
    }
    let claimed = claim(args.module.as_deref())?;
    Ok(claimed.unwrap_or_else(|| match &args.module {
        Some(module) if !module.is_dir() => Chosen::usual("the module is a file"),
        _ => Chosen::usual("no dialect claims the folder"),
    }))
}

/// The dialect of the subject of `init`.
///
/// # Errors
/// If several dialects claim its folder.
pub fn of_init(args: &InitArgs) -> Result<Chosen, Failure> {
    if args.policy.is_some() {
        return Ok(Chosen::usual("the subject is that of a policy"));
    }
    let claimed = claim(args.module.as_deref())?;
    Ok(claimed.unwrap_or_else(|| Chosen::usual("the module is a file")))
}

/// Does a dialect claim this folder?
///
/// # Errors
/// If several do.
pub fn is_claimed(folder: &Path) -> Result<bool, Failure> {
    Ok(owner(folder)?.is_some())
}

/// What to say of a folder that no dialect claims.
pub fn unclaimed() -> String {
    format!("no dialect claims the folder ({})", sought())
}

fn claim(module: Option<&Path>) -> Result<Option<Chosen>, Failure> {
    let folder = module.map_or_else(|| PathBuf::from("."), Path::to_owned);
    let claimed = owner(&folder)?;
    Ok(claimed.map(|Claimed { dialect, why }| {
        Chosen::new(dialect, format!("because of the folder: {why}"))
    }))
}

fn owner(folder: &Path) -> Result<Option<Claimed>, Failure> {
    claimed(folder).map_err(|contested| {
        Failure::usage(format!(
            "{}: {contested}\n  choose one: write [subject] with dialect = \"…\" in a {CONFIG}",
            folder.display()
        ))
    })
}
