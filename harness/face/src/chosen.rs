//! Which dialect a subject speaks, and why Stickler thinks so.

use crate::args::{Given, InitArgs, SubjectArgs};
use crate::dialects::{Claimed, Dialects};
use crate::face::Face;
use crate::failure::Failure;
use std::path::{Path, PathBuf};
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

    fn unnamed(face: &dyn Face, why: &str) -> Self {
        let dialect = face.vocabulary().dialect;
        Chosen::new(dialect, format!("{why}, and nothing names another dialect"))
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
pub fn of_subject(dialects: &Dialects, args: &SubjectArgs) -> Result<Chosen, Failure> {
    if let Some(dialect) = &args.dialect {
        return Ok(Chosen::new(dialect, "--dialect names it"));
    }
    // The file in this folder does not describe a module or command from the command line.
    let named = named(dialects, &args.given);
    let elsewhere = args.module.is_some() || named.is_some() || !args.command.is_empty();
    let file = match &args.config {
        Some(file) => Some(file.as_path()),
        None => Some(Path::new(CONFIG)).filter(|_| !elsewhere),
    };
    let text = file.and_then(|file| std::fs::read_to_string(file).ok());
    if let (Some(file), Some(text)) = (file, &text)
        && let Some(dialect) = config::dialect(text)
    {
        return Ok(Chosen::new(
            &dialect,
            format!("{} names it", file.display()),
        ));
    }
    if let Some(chosen) = named {
        return Ok(chosen);
    }
    let usual = |why: &str| Chosen::unnamed(dialects.usual(), why);
    if !args.command.is_empty() {
        return Ok(usual("the subject is a command"));
    }
    if let Some(config) = &args.config {
        return Ok(usual(&format!("{} names none", config.display())));
    }
    let claimed = claim(dialects, args.module.as_deref())?;
    Ok(claimed.unwrap_or_else(|| match &args.module {
        Some(module) if !module.is_dir() => usual("the module is a file"),
        _ => usual("no dialect claims the folder"),
    }))
}

/// The dialect of the subject of `init`.
///
/// # Errors
/// If several dialects claim its folder.
pub fn of_init(dialects: &Dialects, args: &InitArgs) -> Result<Chosen, Failure> {
    if let Some(chosen) = named(dialects, &args.given) {
        return Ok(chosen);
    }
    let claimed = claim(dialects, args.module.as_deref())?;
    Ok(claimed.unwrap_or_else(|| Chosen::unnamed(dialects.usual(), "the module is a file")))
}

/// The dialect with an option that names what describes the subject.
fn named(dialects: &Dialects, given: &Given) -> Option<Chosen> {
    let mut all = dialects.all();
    all.find_map(|face| Some(Chosen::unnamed(face, face.named(given)?.why)))
}

/// Does a dialect claim this folder?
///
/// # Errors
/// If several do.
pub fn is_claimed(dialects: &Dialects, folder: &Path) -> Result<bool, Failure> {
    Ok(owner(dialects, folder)?.is_some())
}

/// What to say of a folder that no dialect claims.
pub fn unclaimed(dialects: &Dialects) -> String {
    format!("no dialect claims the folder ({})", dialects.sought())
}

fn claim(dialects: &Dialects, module: Option<&Path>) -> Result<Option<Chosen>, Failure> {
    let folder = module.map_or_else(|| PathBuf::from("."), Path::to_owned);
    let claimed = owner(dialects, &folder)?;
    Ok(claimed.map(|Claimed { dialect, why }| {
        Chosen::new(dialect, format!("because of the folder: {why}"))
    }))
}

fn owner(dialects: &Dialects, folder: &Path) -> Result<Option<Claimed>, Failure> {
    dialects.claimed(folder).map_err(|contested| {
        Failure::usage(format!(
            "{}: {contested}\n  choose one: write [subject] with dialect = \"…\" in a {CONFIG}",
            folder.display()
        ))
    })
}
