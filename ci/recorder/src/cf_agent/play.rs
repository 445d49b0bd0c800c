//! Plays a situation with a real agent, in a fresh folder.

use super::messages::Messages;
use super::situation::{Exit, Line, Want};
use crate::run::{End, to_end};
use anyhow::{Context, bail};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs::{self, File, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// No situation needs more than a few seconds.
const DEADLINE: Duration = Duration::from_secs(60);

/// The exit code of an agent that falls back to its failsafe policy.
const FAILSAFE: i32 = 6;

/// What the modules of situations say begins so.
const OF_MODULES: &str = "m: ";

/// A real agent.
#[derive(Debug)]
pub struct Agent {
    agent: PathBuf,
    checker: PathBuf,
    /// Its version, such as `3.21.0`.
    pub version: String,
    /// The text of the module that plays scripts.
    module: String,
}

impl Agent {
    /// The agent at a path. `cf-promises` has to be beside it. `module` plays the modules.
    ///
    /// # Errors
    ///
    /// If the agent does not tell its version, or if something is missing.
    pub fn new(path: &Path, module: &Path) -> anyhow::Result<Self> {
        let agent = path
            .canonicalize()
            .with_context(|| path.display().to_string())?;
        let checker = agent.with_file_name("cf-promises");
        if !checker.exists() {
            bail!("{} is missing: the agent needs it", checker.display());
        }
        let said = Command::new(&agent).arg("--version").output();
        let said = said.with_context(|| agent.display().to_string())?;
        let said = String::from_utf8_lossy(&said.stdout).into_owned();
        let version = said
            .lines()
            .next()
            .and_then(|line| line.strip_prefix("CFEngine Core "));
        let version = version.and_then(|rest| rest.split_whitespace().next());
        let Some(version) = version else {
            bail!("{} --version said no version: {said:?}", agent.display());
        };
        Ok(Self {
            version: version.to_owned(),
            module: fs::read_to_string(module).with_context(|| module.display().to_string())?,
            agent,
            checker,
        })
    }

    /// What the agent does in a situation.
    ///
    /// # Errors
    ///
    /// If the files can't be written or read, or if the agent can't be started.
    pub fn play(&self, line: &Line, messages: &Messages) -> anyhow::Result<Want> {
        let situation = &line.situation;
        let own = tempfile::tempdir()?;
        let folder = own.path().canonicalize()?;
        let shown_folder = folder.to_string_lossy().into_owned();
        let policy = folder.join("x.cf");
        private(&policy, &situation.policy(&shown_folder), 0o600)?;
        for name in situation.modules.keys() {
            let script = line.script(name).context("a module without a script")?;
            let module = folder.join(format!("{name}.py"));
            private(&module, &self.module, 0o700)?;
            private(&beside(&module, "json"), &script.to_string(), 0o600)?;
        }
        let output = folder.join("output");
        let mut command = match situation.is_check() {
            true => Command::new(&self.checker),
            false => Command::new(&self.agent),
        };
        let workdir = folder.join("work");
        self.lay_out(&workdir)?;
        command.arg("-f").arg(&policy);
        if !situation.is_check() {
            command.args(["-K", "--color=never"]);
            command.arg(format!("--show-evaluated-classes={}", situation.classes));
            match &situation.args {
                Some(args) => command.args(args),
                None => command.arg("-I"),
            };
        }
        let file = File::options().append(true).create(true).open(&output)?;
        command
            .env_clear()
            .envs([
                ("PATH", "/usr/bin:/bin:/usr/sbin:/sbin"),
                ("LANG", "C.UTF-8"),
            ])
            .env("HOME", &folder)
            .env("CFENGINE_TEST_OVERRIDE_WORKDIR", &workdir)
            .current_dir(&folder)
            .stdout(file.try_clone()?)
            .stderr(file);
        let end = to_end(&mut command, DEADLINE).with_context(|| situation.name.clone())?;
        let asked = asked(&folder, situation.modules.keys(), &shown_folder)?;
        if situation.is_check() {
            return Ok(Want {
                accepted: end == End::Code(0),
                refused: end != End::Code(0),
                ..Want::default()
            });
        }
        if end == End::Code(FAILSAFE) && asked.is_empty() {
            return Ok(Want {
                refused: true,
                ..Want::default()
            });
        }
        let printed = String::from_utf8_lossy(&fs::read(&output)?).replace(&shown_folder, "@DIR@");
        let mut want = messages.read(&printed);
        want.logs
            .retain(|(_, text)| text.starts_with(OF_MODULES) && !text.contains(is_garbled));
        want.exit = Some(match end {
            End::Code(code) => Exit::Code(code),
            End::Signal(signal) => Exit::Other(format!("signal {signal}")),
            End::Hung => Exit::Other("hung".to_owned()),
        });
        want.asked = asked;
        Ok(want)
    }

    /// The folder that an agent works in. Without `bin/cf-promises`, it refuses each policy.
    fn lay_out(&self, workdir: &Path) -> anyhow::Result<()> {
        for name in ["", "inputs", "ppkeys", "modules", "state", "bin"] {
            let folder = workdir.join(name);
            fs::create_dir(&folder)?;
            fs::set_permissions(&folder, Permissions::from_mode(0o700))?;
        }
        symlink(&self.checker, workdir.join("bin/cf-promises"))?;
        Ok(())
    }
}

/// Does this stand for bytes that are no text, or change how a terminal shows text?
fn is_garbled(c: char) -> bool {
    c.is_control() || c == char::REPLACEMENT_CHARACTER
}

/// A file that nobody else can write: the agent refuses others.
fn private(path: &Path, text: &str, mode: u32) -> anyhow::Result<()> {
    fs::write(path, text).with_context(|| path.display().to_string())?;
    fs::set_permissions(path, Permissions::from_mode(mode))?;
    Ok(())
}

/// The module's own file with this ending: `m1.py.json`.
fn beside(module: &Path, ending: &str) -> PathBuf {
    let mut name = module.as_os_str().to_owned();
    name.push(format!(".{ending}"));
    name.into()
}

/// A line of what `module.py` notes.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Noted {
    Start,
    Request(String),
}

/// What each module got that was started.
fn asked<'n>(
    folder: &Path,
    modules: impl Iterator<Item = &'n String>,
    shown_folder: &str,
) -> anyhow::Result<BTreeMap<String, Vec<String>>> {
    let mut all = BTreeMap::new();
    for name in modules {
        let log = beside(&folder.join(format!("{name}.py")), "log");
        if !log.exists() {
            continue;
        }
        let text = fs::read_to_string(&log)?;
        let read = |line: &str| -> anyhow::Result<String> {
            Ok(match serde_json::from_str(line)? {
                Noted::Start => "start".to_owned(),
                Noted::Request(request) => {
                    // Each byte is a character there.
                    let bytes = request.chars().map(|c| u8::try_from(u32::from(c)));
                    shown(&bytes.collect::<Result<Vec<u8>, _>>()?, shown_folder)
                }
            })
        };
        let asked: anyhow::Result<Vec<String>> = text.lines().map(read).collect();
        all.insert(name.clone(), asked?);
    }
    Ok(all)
}

/// A request as recordings show it. Bytes that are no text are the agent's memory.
pub fn shown(bytes: &[u8], folder: &str) -> String {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => {
            let lines = bytes.split_inclusive(|&byte| byte == b'\n');
            lines.map(shown_line).collect()
        }
    };
    text.replace(folder, "@DIR@")
}

fn shown_line(line: &[u8]) -> String {
    let equals = line.iter().position(|&byte| byte == b'=');
    match (std::str::from_utf8(line), equals) {
        (Ok(line), _) => line.to_owned(),
        (Err(_), Some(at)) => format!("{}=<memory>\n", String::from_utf8_lossy(&line[..at])),
        (Err(_), None) => String::from_utf8_lossy(line).into_owned(),
    }
}
