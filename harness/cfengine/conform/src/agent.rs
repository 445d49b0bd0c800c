//! An agent under test: its command line, and how it is run in a sandbox.

use crate::MODULE;
use crate::noted::Noted;
use crate::situation::{Line, Want};
use anyhow::{Context, anyhow, bail};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Debug;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use stickler_conform::words;
use stickler_oracle::{End, Job, Room};
use stickler_session::sandbox::{ExitStatus, Host, PlantedFile, Sandbox};

/// How long an agent may take that does not wait for a silent module.
const DEADLINE: Duration = Duration::from_secs(20);

/// How long an agent may wait for a silent module: longer than rules allow.
const PATIENCE: Duration = Duration::from_secs(70);

/// How long modules may take to end after their agent.
const AFTERWARDS: Duration = Duration::from_secs(2);

/// The most that is read of what a module noted.
const MOST_NOTED: u64 = 64 << 20;

/// The line of the module that says where it is planted: an agent may start a copy of it.
const OWN: &str = "OWN = os.path.abspath(__file__)  # @OWN@";

/// The interpreter that policies of situations name.
const INTERPRETER: &str = "/usr/bin/python3";

/// An agent under test.
#[derive(Clone, Debug)]
pub struct Agent {
    /// The program and the arguments before the options.
    command: Vec<OsString>,
    /// `cf-promises`, which the agent expects in its work directory.
    promises: Option<PathBuf>,
    host: Host,
    /// Does it know all options of cf-agent? The reference agent has no colours.
    colours: bool,
    /// Once it is set, runs end.
    stop: Arc<AtomicBool>,
    /// Its version, such as `3.21.0`.
    pub version: String,
}

/// What plays situations: an agent under test, or the reference agent within this program.
pub trait Player: Debug + Send + Sync {
    /// Its version, such as `3.21.0`.
    fn version(&self) -> &str;

    /// Its command line, for people and for reproducers.
    fn words(&self) -> Vec<String>;

    /// Can it check policies without running them?
    fn checks(&self) -> bool;

    /// Plays a situation, with more variables.
    ///
    /// # Errors
    ///
    /// If it can't be run at all.
    fn run(&self, line: &Line, more: &[(OsString, OsString)]) -> anyhow::Result<Run>;

    /// What counts of what was recorded and of what this one did.
    fn counted(&self, recorded: Want, own: Want) -> (Want, Want) {
        (recorded, own)
    }
}

/// What a run of the agent left.
#[derive(Debug)]
pub struct Run {
    /// How it ended.
    pub end: End,
    /// What it printed, on both streams.
    pub printed: Vec<u8>,
    /// What each module noted that was started.
    pub noted: BTreeMap<String, Vec<Noted>>,
    /// The command lines of the processes that were still there.
    pub alive: Vec<String>,
    /// Processes and changes that it left.
    pub left: Vec<String>,
    /// The folder of policy and modules, as the agent saw it.
    pub folder: String,
    /// How long it took.
    pub took: Duration,
}

impl Agent {
    /// The agent that a command line starts. Its `cf-promises` is beside the program, or in `PATH`.
    ///
    /// # Errors
    ///
    /// If it can't be started, or does not tell its version.
    pub fn new(command: &[OsString], host: &Host) -> anyhow::Result<Self> {
        let mut command = command.to_vec();
        let Some(program) = command.first_mut() else {
            bail!("name the agent after `--`");
        };
        if !Path::new(INTERPRETER).exists() {
            bail!("{INTERPRETER} does not exist: it runs the modules of the situations");
        }
        let shown = Path::new(&*program).display().to_string();
        let path = match program.as_bytes().contains(&b'/') {
            true => std::path::absolute(&*program)?,
            false => in_path(&shown).ok_or_else(|| anyhow!("{shown} is not in PATH"))?,
        };
        if !path.exists() {
            bail!("{shown} does not exist");
        }
        if path.is_dir() {
            bail!("{shown} is a folder: name the agent's program");
        }
        *program = path.clone().into();
        let real = path.canonicalize().unwrap_or(path);
        let beside = Some(real.with_file_name("cf-promises")).filter(|one| one.exists());
        let mut agent = Self {
            command,
            promises: beside.or_else(|| in_path("cf-promises")),
            host: host.clone(),
            colours: true,
            stop: Arc::default(),
            version: String::new(),
        };
        agent.version = agent.says_version(&shown)?;
        Ok(agent)
    }

    /// The reference agent of a program, `stickler`, as a release of cf-agent.
    pub fn reference(program: &Path, release: &str, host: &Host) -> Self {
        let words = ["agent", "--compat", release].map(OsString::from);
        Self {
            command: [program.into()].into_iter().chain(words).collect(),
            promises: in_path("cf-promises"),
            host: host.clone(),
            colours: false,
            stop: Arc::default(),
            version: release.to_owned(),
        }
    }

    /// Once this is set, runs end, and fail.
    #[must_use]
    pub fn until(self, stop: &Arc<AtomicBool>) -> Self {
        Self {
            stop: Arc::clone(stop),
            ..self
        }
    }

    fn room(&self, deadline: Duration) -> Room {
        Room {
            host: self.host.clone(),
            cwd: self.host.scratch().to_owned(),
            deadline,
        }
    }

    fn says_version(&self, shown: &str) -> anyhow::Result<String> {
        let mut argv = self.command.clone();
        argv.push("--version".into());
        let job = Job {
            argv,
            env: self.env(),
            ..Job::default()
        };
        let ran = self
            .room(DEADLINE)
            .run(job, |sandbox| self.lay_out(sandbox));
        let ran = ran.with_context(|| shown.to_owned())?;
        let said = String::from_utf8_lossy(&ran.stdout).into_owned();
        let mut lines = said.lines();
        let version = lines.find_map(|line| {
            let rest = line.strip_prefix("CFEngine Core ")?;
            rest.split_whitespace().next()
        });
        let version = version.ok_or_else(|| {
            let errors = String::from_utf8_lossy(&ran.stderr);
            let told = said
                .lines()
                .chain(errors.lines())
                .next()
                .unwrap_or("nothing");
            anyhow!(
                "{shown} --version must say `CFEngine Core 3.x.y`: {} says {told:?}",
                ran.end
            )
        })?;
        Ok(version.to_owned())
    }

    fn work(&self) -> PathBuf {
        self.host.scratch().join("work")
    }

    fn env(&self) -> Vec<(OsString, OsString)> {
        vec![
            ("LANG".into(), "C.UTF-8".into()),
            ("CFENGINE_TEST_OVERRIDE_WORKDIR".into(), self.work().into()),
        ]
    }

    /// The work directory as the agent wants it. Without `bin/cf-promises`, it refuses each policy.
    fn lay_out(&self, sandbox: &Sandbox) -> Result<(), stickler_oracle::Error> {
        for name in ["", "inputs", "ppkeys", "modules", "state", "bin"] {
            let folder = self.work().join(name);
            sandbox.mkdir(folder.as_os_str().as_bytes())?;
            sandbox.chmod(folder.as_os_str().as_bytes(), 0o700)?;
        }
        if let Some(promises) = &self.promises {
            let link = self.work().join("bin/cf-promises");
            sandbox.symlink(link.as_os_str().as_bytes(), promises.as_os_str().as_bytes())?;
        }
        Ok(())
    }
}

impl Player for Agent {
    fn version(&self) -> &str {
        &self.version
    }

    fn words(&self) -> Vec<String> {
        words(&self.command)
    }

    fn checks(&self) -> bool {
        self.promises.is_some()
    }

    /// Runs the agent, or its `cf-promises`.
    fn run(&self, line: &Line, more: &[(OsString, OsString)]) -> anyhow::Result<Run> {
        let situation = &line.situation;
        let folder = self.host.scratch().join("situation");
        let shown_folder = folder.to_string_lossy().into_owned();
        let plant = |path: PathBuf, bytes: Vec<u8>, mode: u32| PlantedFile { path, bytes, mode };
        let policy = folder.join("x.cf");
        let mut plants = vec![plant(
            policy.clone(),
            situation.policy(&shown_folder).into_bytes(),
            0o600,
        )];
        for name in situation.modules.keys() {
            let script = line.script(name).context("a module without a script")?;
            let module = folder.join(format!("{name}.py"));
            let beside = folder.join(format!("{name}.py.json"));
            let own = format!("OWN = {:?}", module.display().to_string());
            let text = MODULE.replace(OWN, &own);
            plants.push(plant(module, text.into_bytes(), 0o700));
            plants.push(plant(beside, script.to_string().into_bytes(), 0o600));
        }
        // Both streams go to one file, in the order in which the agent writes.
        let mut argv: Vec<OsString> = ["/bin/sh", "-c", "exec \"$@\" 2>&1", "sh"]
            .map(OsString::from)
            .to_vec();
        match (&self.promises, situation.is_check()) {
            (Some(promises), true) => argv.push(promises.into()),
            _ => argv.extend(self.command.iter().cloned()),
        }
        argv.extend(["-f".into(), policy.into()]);
        if !situation.is_check() {
            argv.push("-K".into());
            if self.colours {
                argv.push("--color=never".into());
            }
            argv.push(format!("--show-evaluated-classes={}", situation.classes).into());
            match &situation.args {
                Some(args) => argv.extend(args.iter().map(OsString::from)),
                None => argv.push("-I".into()),
            }
        }
        let job = Job {
            argv,
            env: self.env().into_iter().chain(more.to_vec()).collect(),
            plant: plants,
            input: Vec::new(),
        };
        let deadline = match situation.waits {
            true => PATIENCE,
            false => DEADLINE,
        };
        let began = Instant::now();
        let room = self.room(deadline);
        let ran = room.run_until(job, |sandbox| self.lay_out(sandbox), &self.stop)?;
        let took = began.elapsed();
        let end = of_agent(ran.end);
        let hung = matches!(end, End::Hung { .. });
        if !hung {
            settle(&ran.sandbox);
        }
        let mut noted = BTreeMap::new();
        for name in situation.modules.keys() {
            let log = folder.join(format!("{name}.py.log"));
            let read = ran
                .sandbox
                .read_file(log.as_os_str().as_bytes(), MOST_NOTED);
            // A module that was never started has none.
            if let Ok(text) = read {
                noted.insert(name.clone(), Noted::read(&text)?);
            }
        }
        let processes = ran.sandbox.processes().into_iter();
        let lines = processes.map(|process| process.command_line);
        let alive: Vec<String> = lines.filter(|line| !line.is_empty()).collect();
        let mut left: Vec<String> = Vec::new();
        if !hung {
            // A module that outlives its agent does so by its script.
            let others = alive.iter().filter(|line| !line.contains(&shown_folder));
            left.extend(others.map(|line| format!("left running: {line}")));
        }
        let own = self.host.scratch().as_os_str().as_bytes();
        let outside = ran.effects.iter().filter(|one| !one.path.starts_with(own));
        left.extend(outside.map(|one| format!("changed outside its work directory: {one}")));
        Ok(Run {
            end,
            printed: ran.stdout,
            noted,
            alive,
            left,
            folder: shown_folder,
            took,
        })
    }
}

/// How the agent ended: a wrapper that is a shell adds 128 to the signal that ended the agent. No agent exits so.
fn of_agent(end: End) -> End {
    const SIGNALS: std::ops::RangeInclusive<i32> = 129..=192;
    match end {
        End::Exit(ExitStatus::Code(code)) if SIGNALS.contains(&code) => {
            End::Exit(ExitStatus::Signal(code - 128))
        }
        other => other,
    }
}

/// Waits until the modules have noticed that their agent has ended.
fn settle(sandbox: &Sandbox) {
    let began = Instant::now();
    while sandbox
        .processes()
        .iter()
        .any(|one| !one.command_line.is_empty())
        && began.elapsed() < AFTERWARDS
    {
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The program of a name in `PATH`.
fn in_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut places = std::env::split_paths(&path).map(|folder| folder.join(name));
    places.find(|place| place.is_file())
}
