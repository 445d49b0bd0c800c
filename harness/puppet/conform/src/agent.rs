//! A Puppet under test: its command line, and how it is run in a sandbox.

use crate::folder::Folder;
use crate::messages::Messages;
use crate::seen::{Seen, Shown};
use crate::situation::{Line, Situation};
use crate::{PLAY, PROVIDER};
use anyhow::{Context, anyhow, bail};
use puppet_protocol::runtimes::Type;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Debug;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use stickler_conform::words;
use stickler_oracle::{End, Job, Ran, Room};
use stickler_session::sandbox::{ExitStatus, Host, PlantedFile, Tier};

/// How long Puppet may take to start.
const START: Duration = Duration::from_secs(120);

/// How long a situation may take, with its deadline in `play.rb`.
const EACH: Duration = Duration::from_secs(25);

/// The line of `play.rb`'s output that tells the versions begins so.
const VERSION: &str = "version ";

/// How many situations one process of Puppet plays: it takes long to start.
const BATCH: usize = 64;
/// What a wrapper must do that sets options of Ruby.
const RUBYOPT: &str = "; if it sets RUBYOPT, it must keep what stands there, as in \
    RUBYOPT=\"$RUBYOPT -r/path/mine.rb\"";

/// The most that is read of a file.
const MOST: u64 = 64 << 20;

/// A Puppet under test.
#[derive(Clone, Debug)]
pub struct Agent {
    command: Vec<OsString>,
    host: Host,
    /// The version of Puppet and that of the library, such as `7.23.0+1.8.16`.
    pub version: String,
}

/// What plays situations: a Puppet, or Stickler's own runtime.
pub trait Player: Debug + Send + Sync {
    /// As reports name it.
    fn name(&self) -> String;

    /// The version of Puppet and that of the library, such as `7.23.0+1.8.16`.
    fn version(&self) -> &str;

    /// Its command line, for people and for reproducers.
    fn words(&self) -> Vec<String>;

    /// How many situations it plays in one go.
    fn batch(&self) -> usize;

    /// Plays situations. Returns what came of each, and what is left of all.
    ///
    /// # Errors
    ///
    /// If it can't be run.
    fn play(
        &self,
        lines: &[&Line],
        messages: &Messages,
    ) -> anyhow::Result<(Vec<Played>, Vec<String>)>;

    /// Does it tell which types were registered? Rules need to know.
    fn tells_types(&self) -> bool {
        true
    }

    /// What counts of what was recorded and of what this one did.
    fn counted(&self, _: &Situation, recorded: &Seen, own: &Seen) -> (Seen, Seen) {
        (recorded.clone(), own.clone())
    }
}

/// A situation that was played.
#[derive(Debug, Default)]
pub struct Run {
    /// What was seen.
    pub seen: Seen,
    /// The types that were registered.
    pub types: BTreeMap<String, Type>,
    /// What was printed.
    pub printed: String,
}

/// A situation that was played, or why it was not.
pub type Played = Result<Run, String>;

impl Agent {
    /// The Puppet that a command line starts.
    ///
    /// # Errors
    ///
    /// If it can't be started, or has no Resource API.
    pub fn new(command: &[OsString], host: &Host) -> anyhow::Result<Self> {
        let mut command = command.to_vec();
        let Some(program) = command.first_mut() else {
            bail!("name Puppet's command after `--`");
        };
        if program.as_bytes().contains(&b'/') {
            *program = std::path::absolute(&*program)?.into();
            if !Path::new(&*program).exists() {
                bail!("{} does not exist", Path::new(&*program).display());
            }
        }
        let mut agent = Self {
            command,
            host: host.clone(),
            version: String::new(),
        };
        agent.version = agent.play_in(&[])?.0;
        Ok(agent)
    }

    /// The option of the command line that would have no effect: the situations have their own. Those of programs
    /// before Puppet, such as `ruby -I lib /usr/bin/puppet`, are theirs.
    pub fn idle_option(command: &[OsString]) -> Option<&OsString> {
        let is_option = |word: &&OsString| word.as_bytes().starts_with(b"-");
        let is_puppet = |word: &OsString| {
            Path::new(word)
                .file_name()
                .is_some_and(|name| name == "puppet")
        };
        let after = command.iter().rposition(is_puppet);
        let own = after.and_then(|at| command.get(at + 1..));
        let last = command.get(1..).and_then(<[OsString]>::last);
        let mut own = own.unwrap_or_default().iter();
        own.find(is_option).or(last.filter(is_option))
    }

    /// Why situations can't be played on a host.
    pub fn unplayable(host: &Host) -> Option<String> {
        (host.tier() == Tier::Copy).then(|| {
            "a copy sandbox lets Puppet write only to its scratch directory, but each situation has a folder of its own; \
             use --sandbox overlay or none"
                .to_owned()
        })
    }

    /// Runs Puppet in folders, and returns its version and what is left.
    fn play_in(&self, folders: &[PathBuf]) -> anyhow::Result<(String, Ran)> {
        let shown = self.words().join(" ");
        let count = u32::try_from(folders.len()).unwrap_or(u32::MAX);
        let scratch = self.host.scratch();
        let (player, list) = (scratch.join("play.rb"), scratch.join("situations"));
        let plant = |path: &Path, bytes: Vec<u8>| PlantedFile {
            path: path.to_owned(),
            bytes,
            mode: 0o644,
        };
        let names = folders.iter().map(|one| format!("{}\n", one.display()));
        let path = std::env::var_os("PATH").unwrap_or_default();
        let mut argv = self.command.clone();
        argv.push("--version".into());
        let job = Job {
            argv,
            env: vec![
                // A Puppet of the user's may be anywhere, and need its own libraries.
                ("PATH".into(), path),
                ("LANG".into(), "C.UTF-8".into()),
                ("RUBYOPT".into(), format!("-r{}", player.display()).into()),
                ("STICKLER_SITUATIONS".into(), list.clone().into()),
            ],
            plant: vec![
                plant(&player, PLAY.as_bytes().to_vec()),
                plant(&list, names.collect::<String>().into_bytes()),
            ],
            input: Vec::new(),
        };
        let room = Room {
            host: self.host.clone(),
            cwd: std::env::current_dir()?,
            deadline: START + EACH * count,
        };
        let ran = room.run(job, |_| Ok(())).with_context(|| shown.clone())?;
        let said = String::from_utf8_lossy(&ran.stdout).into_owned();
        let version = said.lines().find_map(|line| line.strip_prefix(VERSION));
        let version = version.map(str::to_owned).ok_or_else(|| {
            let errors = String::from_utf8_lossy(&ran.stderr);
            let told = errors
                .lines()
                .chain(said.lines())
                .next()
                .unwrap_or("nothing");
            let advice = match ran.end {
                End::Exit(ExitStatus::Code(0)) => RUBYOPT,
                _ => "",
            };
            anyhow!(
                "{shown} runs no Puppet with its Resource API: {}; it says {told:?}{advice}",
                ran.end
            )
        })?;
        Ok((version, ran))
    }
}

impl Player for Agent {
    fn name(&self) -> String {
        format!("puppet {}", self.version)
    }

    fn version(&self) -> &str {
        &self.version
    }

    fn words(&self) -> Vec<String> {
        words(&self.command)
    }

    fn batch(&self) -> usize {
        BATCH
    }

    fn play(
        &self,
        lines: &[&Line],
        messages: &Messages,
    ) -> anyhow::Result<(Vec<Played>, Vec<String>)> {
        let mut folders = Vec::new();
        for line in lines {
            let folder = Folder::new(line, PROVIDER)?;
            let words = serde_json::to_string(&folder.words(&line.situation))?;
            fs::write(folder.path.join("command.json"), words)?;
            folders.push(folder);
        }
        let paths: Vec<PathBuf> = folders.iter().map(|folder| folder.path.clone()).collect();
        let (_, ran) = self.play_in(&paths)?;
        let mut runs = Vec::new();
        for folder in &folders {
            let read = |path: PathBuf| {
                let within = ran.sandbox.read_file(path.as_os_str().as_bytes(), MOST);
                // A sandbox without layers leaves the folder where it is.
                let bytes = within.or_else(|_| fs::read(&path)).ok()?;
                Some(String::from_utf8_lossy(&bytes).into_owned())
            };
            let Some(result) = read(folder.path.join("result.json")) else {
                runs.push(Err(format!("the run left no result; Puppet: {}", ran.end)));
                continue;
            };
            let mut shown: Shown = serde_json::from_str(&folder.shown(&result))?;
            if let Some(calls) = read(folder.module().join("lib/calls.jsonl")) {
                shown.calls = folder.calls_in(&calls)?;
            }
            let stdout = read(folder.path.join("stdout")).unwrap_or_default();
            let stderr = read(folder.path.join("stderr")).unwrap_or_default();
            shown.stdout = folder.shown(&stdout);
            let printed = shown
                .messages
                .iter()
                .map(|(level, _, text)| format!("{level}: {text}\n"))
                .collect::<String>();
            runs.push(Ok(Run {
                types: std::mem::take(&mut shown.types),
                seen: Seen::of(shown, messages),
                printed: format!("{stdout}{stderr}{printed}"),
            }));
        }
        let own = |path: &[u8]| {
            path.starts_with(self.host.scratch().as_os_str().as_bytes())
                || paths
                    .iter()
                    .any(|one| path.starts_with(one.as_os_str().as_bytes()))
        };
        let outside = ran.effects.iter().filter(|one| !own(&one.path));
        let mut left: Vec<String> = outside
            .map(|one| format!("changed outside its own folders: {one}"))
            .collect();
        let alive = ran.sandbox.processes().into_iter();
        let alive = alive.map(|process| process.command_line);
        left.extend(
            alive
                .filter(|line| !line.is_empty())
                .map(|line| format!("left running: {line}")),
        );
        Ok((runs, left))
    }
}

#[cfg(test)]
mod tests {
    use super::Agent;
    use std::ffi::OsString;

    #[test]
    fn an_option_without_effect_is_named() {
        let cases: [(&[&str], Option<&str>); 8] = [
            (&["puppet"], None),
            (&["bundle", "exec", "puppet"], None),
            (&["ruby", "-I", "lib", "/usr/bin/puppet"], None),
            (&["puppet", "--noop"], Some("--noop")),
            (
                &["puppet", "--strict=error", "--noop"],
                Some("--strict=error"),
            ),
            (
                &["/opt/bin/puppet", "--ordering", "random"],
                Some("--ordering"),
            ),
            (&["./wrapper", "--noop"], Some("--noop")),
            (
                &["bundle", "exec", "puppet", "apply", "--noop"],
                Some("--noop"),
            ),
        ];
        for (words, option) in cases {
            let command: Vec<OsString> = words.iter().map(OsString::from).collect();
            let option = option.map(OsString::from);
            assert_eq!(Agent::idle_option(&command), option.as_ref(), "{words:?}");
        }
    }
}
