//! Adds what the installed Puppet does to the recordings.

use super::folder::Folder;
use super::messages::Messages;
use super::seen::{Seen, Shown};
use super::situation::{Line, lines};
use crate::recorded::Recorded;
use crate::rows::note;
use crate::run::{End, to_end};
use anyhow::{Context, bail};
use std::fs::{self, File};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// All runs together. Each has a deadline of its own, in `play.rb`.
const DEADLINE: Duration = Duration::from_secs(3600);

/// The line of `play.rb`'s output that tells the versions begins so.
const VERSION: &str = "version ";

/// Plays each situation of a fixture with the Puppet of a Ruby, and notes in the fixture what it does.
///
/// # Errors
///
/// If a file can't be read or written, or if there is no Puppet with its Resource API.
pub fn record(fixture: &Path, ruby: &Path) -> anyhow::Result<Recorded> {
    let messages = Messages::load(&fixture.join("messages.jsonl"))?;
    let provider = fs::read_to_string(fixture.join("scripted.rb"))?;
    let path = fixture.join("situations.jsonl");
    let mut lines = lines(&path)?;
    let mut folders = Vec::new();
    for line in &lines {
        let folder = Folder::new(line, &provider)?;
        let words = serde_json::to_string(&folder.words(&line.situation))?;
        fs::write(folder.path.join("command.json"), words)?;
        folders.push(folder);
    }
    let version = play(ruby, &fixture.join("play.rb"), &folders)?;
    let known = versions(&lines);
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    let mut changed = Vec::new();
    for (line, folder) in lines.iter_mut().zip(&folders) {
        let situation = &mut line.situation;
        let observed = Seen::of(
            shown(folder).with_context(|| situation.name.clone())?,
            &messages,
        );
        let alike = |one: &Seen, other: &Seen| {
            let other = Seen {
                since: one.since.clone(),
                ..other.clone()
            };
            *one == other
        };
        if note(&mut situation.want, observed, &version, &known, alike) {
            changed.push(situation.name.clone());
        }
    }
    if !changed.is_empty() {
        let text: Result<Vec<String>, _> = lines.iter().map(Line::text).collect();
        fs::write(&path, text?.join("\n") + "\n")?;
    }
    Ok(Recorded {
        version,
        played: lines.len(),
        changed,
    })
}

/// Runs Puppet in all folders, and returns its version.
fn play(ruby: &Path, program: &Path, folders: &[Folder]) -> anyhow::Result<String> {
    let output = tempfile::NamedTempFile::new()?;
    let file = File::options().append(true).open(output.path())?;
    let mut command = Command::new(ruby);
    command
        .arg(program)
        .args(folders.iter().map(|folder| &folder.path))
        .stdout(file.try_clone()?)
        .stderr(file)
        .env("LANG", "C.UTF-8");
    let end = to_end(&mut command, DEADLINE).with_context(|| ruby.display().to_string())?;
    let said = fs::read_to_string(output.path())?;
    let mut versions = said.lines().filter_map(|line| line.strip_prefix(VERSION));
    match versions.next() {
        Some(version) if end == End::Code(0) => Ok(version.to_owned()),
        _ => bail!("Puppet with its Resource API does not run here: {end:?}\n{said}"),
    }
}

/// What a run showed.
fn shown(folder: &Folder) -> anyhow::Result<Shown> {
    let result = fs::read_to_string(folder.path.join("result.json"));
    let result = result.context("the run left no result")?;
    let mut shown: Shown = serde_json::from_str(&folder.shown(&result))?;
    shown.calls = folder.calls()?;
    let stdout = fs::read(folder.path.join("stdout"))?;
    shown.stdout = folder.shown(&String::from_utf8_lossy(&stdout));
    Ok(shown)
}

/// All versions that were recorded, from the oldest to the newest.
fn versions(lines: &[Line]) -> Vec<String> {
    let wants = lines.iter().flat_map(|line| &line.situation.want);
    let mut versions: Vec<String> = wants.map(|want| want.since.clone()).collect();
    versions.sort_by_key(|version| cfengine_protocol::release::order(version));
    versions.dedup();
    versions
}
