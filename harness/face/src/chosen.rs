//! Which dialect a subject speaks, and why Stickler thinks so.

use crate::args::{Given, InitArgs, SubjectArgs};
use crate::dialects::{CONFIG, Chosen, Dialects};
use crate::face::Face;
use crate::failure::Failure;
use std::path::Path;
use stickler_suite::config;

/// The dialect of the subject of a check.
///
/// # Errors
/// If there is no such dialect, or if several dialects claim its folder.
pub fn of_subject<'d>(dialects: &'d Dialects, args: &SubjectArgs) -> Result<Chosen<'d>, Failure> {
    let by_name = |name: &str, why: &str| {
        Ok(Chosen {
            why: format!("{why} names it"),
            ..dialects.named(name)?
        })
    };
    if let Some(dialect) = &args.dialect {
        return by_name(dialect, "--dialect");
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
        return by_name(&dialect, &file.display().to_string());
    }
    if let Some(chosen) = named {
        return Ok(chosen);
    }
    let usual = |why: &str| unnamed(dialects, dialects.usual(), why);
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
pub fn of_init<'d>(dialects: &'d Dialects, args: &InitArgs) -> Result<Chosen<'d>, Failure> {
    if let Some(chosen) = named(dialects, &args.given) {
        return Ok(chosen);
    }
    let claimed = claim(dialects, args.module.as_deref())?;
    Ok(claimed.unwrap_or_else(|| unnamed(dialects, dialects.usual(), "the module is a file")))
}

/// The dialect with an option that names what describes the subject.
fn named<'d>(dialects: &'d Dialects, given: &Given) -> Option<Chosen<'d>> {
    let mut all = dialects.all();
    all.find_map(|face| Some(unnamed(dialects, face, face.named(given)?.why)))
}

fn unnamed<'d>(dialects: &'d Dialects, face: &'d dyn Face, why: &str) -> Chosen<'d> {
    let why = format!("{why}, and nothing names another dialect");
    Chosen {
        dialects,
        face,
        why,
    }
}

/// Does a dialect claim this folder?
///
/// # Errors
/// If several do.
pub fn is_claimed(dialects: &Dialects, folder: &Path) -> Result<bool, Failure> {
    Ok(dialects.claimed(folder)?.is_some())
}

/// What to say of a folder that no dialect claims.
pub fn unclaimed(dialects: &Dialects) -> String {
    format!("no dialect claims the folder ({})", dialects.sought())
}

fn claim<'d>(dialects: &'d Dialects, module: Option<&Path>) -> Result<Option<Chosen<'d>>, Failure> {
    let claimed = dialects.claimed(module.unwrap_or(Path::new(".")))?;
    Ok(claimed.map(|(face, why)| {
        let why = format!("because of the folder: {why}");
        Chosen {
            dialects,
            face,
            why,
        }
    }))
}
