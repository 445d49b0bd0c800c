//! `stickler conform --record NAME`: what an agent does, in the form of the recordings.

use super::played::Run;
use serde_json::Value;
use std::io::Write as _;
use std::path::Path;
use stickler_conform::Table;
use stickler_face::conform::unusable;
use stickler_face::{Done, Failure, terminal};
use stickler_judge::Exit;

/// Writes the whole table, with what the agent did as the recording of a release.
pub(super) fn write(
    table: &mut dyn Table,
    run: &Run,
    name: &str,
    folder: &Path,
    interrupted: bool,
) -> Done {
    if interrupted {
        terminal::note("the run was interrupted, so nothing is recorded");
        return Ok(Exit::Harness);
    }
    let version = match name {
        "" => table.version().to_owned(),
        name => name.to_owned(),
    };
    if !version.starts_with(|c: char| c.is_ascii_digit()) {
        return Err(Failure::usage(format!(
            "--record {version}: name a release by its version, such as 3.30.0"
        )));
    }
    let mut changed = Vec::new();
    for (at, played) in &run.ran {
        match played {
            Ok(played) => {
                let earlier = run.earlier.iter().filter(|(other, _)| other == at);
                let mut runs: Vec<&Value> = earlier.map(|(_, seen)| seen).collect();
                runs.push(&played.seen);
                let is_new = table.note(*at, &runs, &version);
                if is_new.map_err(|error| unusable(&error))? {
                    changed.push(table.name(*at).to_owned());
                }
            }
            Err(why) => terminal::note(&format!("{}: not recorded: {why}", table.name(*at))),
        }
    }
    let failed = |path: &Path, error: &std::io::Error| {
        Failure::usage(format!("{}: cannot be written: {error}", path.display()))
    };
    std::fs::create_dir_all(folder).map_err(|error| failed(folder, &error))?;
    for (name, bytes) in table.files().map_err(|error| unusable(&error))? {
        let path = folder.join(name);
        let unfinished = path.with_extension("part");
        let written =
            std::fs::write(&unfinished, bytes).and_then(|()| std::fs::rename(&unfinished, &path));
        written.map_err(|error| failed(&path, &error))?;
    }
    let mut out = std::io::stdout().lock();
    // The reader may close the pipe early.
    let _ = writeln!(
        out,
        "{} as {version}: {} situations played, {} recordings changed; written to {}",
        table.agent(),
        run.ran.len(),
        changed.len(),
        folder.display()
    );
    for name in &changed {
        let _ = writeln!(out, "  {name}");
    }
    Ok(Exit::Success)
}
