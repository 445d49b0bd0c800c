//! `stickler policy check`: accepted or rejected, and why.

use super::{event, read};
use crate::args::{ListFormat, PolicyCheckArgs};
use crate::failure::{Done, Failure};
use crate::terminal;
use std::io::Write;
use std::path::Path;
use stickler_judge::Exit;
use stickler_policy::{Loaded, Sources};

pub fn run(args: &PolicyCheckArgs) -> Done {
    let (mut accepted, mut rejected) = (0, 0);
    let mut unread: Option<Failure> = None;
    for file in &args.files {
        let mut sources = Sources::new();
        let loaded = match read(&mut sources, file, &args.workdir) {
            Ok(loaded) => loaded,
            Err(failure) => {
                if let Some(earlier) = unread.replace(failure) {
                    terminal::error(&earlier.message);
                }
                continue;
            }
        };
        if loaded.problems.is_empty() {
            accepted += 1;
        } else {
            rejected += 1;
        }
        let text = match args.format {
            ListFormat::Pretty => pretty(file, &loaded, &sources),
            ListFormat::Json => json(file, &loaded, &sources),
        };
        print(&text)?;
    }
    if args.format == ListFormat::Json {
        let summary = serde_json::json!({
            "event": "summary",
            "accepted": accepted,
            "rejected": rejected,
        });
        print(&format!("{summary}\n"))?;
    }
    match unread {
        Some(failure) => Err(failure),
        None if rejected > 0 => Ok(Exit::Findings),
        None => Ok(Exit::Success),
    }
}

fn print(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())
        .map_err(|error| Failure::from(anyhow::Error::from(error)))
}

fn pretty(file: &Path, loaded: &Loaded, sources: &Sources) -> String {
    let problems = loaded
        .problems
        .iter()
        .map(|one| one.render("error", sources));
    let notes = loaded.notes.iter().map(|one| one.render("note", sources));
    let mut text: String = problems.chain(notes).collect();
    let name = stickler_report::visible(&file.display().to_string()).into_owned();
    text.push_str(&match loaded.problems.len() {
        0 => format!("{name}: accepted\n"),
        1 => format!("{name}: rejected, 1 error\n"),
        many => format!("{name}: rejected, {many} errors\n"),
    });
    text
}

fn json(file: &Path, loaded: &Loaded, sources: &Sources) -> String {
    let problems = loaded
        .problems
        .iter()
        .map(|one| event("error", one, sources));
    let notes = loaded.notes.iter().map(|one| event("note", one, sources));
    let end = serde_json::json!({
        "event": "file",
        "file": file.display().to_string(),
        "accepted": loaded.problems.is_empty(),
    });
    let lines = problems.chain(notes).chain([end]);
    lines.map(|line| format!("{line}\n")).collect()
}
