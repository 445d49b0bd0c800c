//! The reference agent against recordings of four releases of cf-agent: the table of `stickler conform`, its runner and
//! its comparison, with the agent in this process.

mod differences;
mod module;

use cfengine_agent::{Ended, Format, Mode, Options, Severity, SimulationReport, run};
use cfengine_conform::{Exit, Line, Player, Run, Situation, Situations, Want};
use cfengine_protocol::release::{Compat, RELEASES, Release};
use differences::Differences;
use module::Modules;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use stickler_conform::{Settings, Situations as _, Table, differing};
use stickler_oracle::End;
use stickler_session::sandbox::ExitStatus;

/// The folder of policy and modules; nothing is read there.
const FOLDER: &str = "/situation";

/// The exit code of an agent that falls back to its failsafe policy.
const FAILSAFE: i32 = 6;

/// Where the reference agent does something else, and why. By the beginning of the situation's name.
const KNOWN: [(&str, &str); 6] = [
    (
        "request/iteration-foreign",
        "lists of other bundles in promisers",
    ),
    (
        "request-line/iteration-foreign",
        "lists of other bundles in promisers",
    ),
    ("response/json-depth-50000", "deep nesting"),
    ("hostile/evaluate-log-15", "what is in cf-agent's memory"),
    ("hostile/nested-objects-10000", "deep nesting"),
    ("hostile/log-64-mib", "cf-agent cuts the message"),
];

/// An agent's output, in memory.
#[derive(Clone, Default)]
struct Output(Arc<Mutex<Vec<u8>>>);

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("the output").extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The reference agent within this program, as a release.
#[derive(Debug)]
struct Reference(&'static Release);

impl Player for Reference {
    fn version(&self) -> &str {
        self.0.version
    }

    fn words(&self) -> Vec<String> {
        ["stickler", "agent", "--compat", self.0.version]
            .map(str::to_owned)
            .to_vec()
    }

    fn checks(&self) -> bool {
        true
    }

    fn run(&self, line: &Line, _: &[(OsString, OsString)]) -> anyhow::Result<Run> {
        let situation = &line.situation;
        let modules = Arc::new(Modules::of(&situation.modules));
        let output = Output::default();
        let workdir = tempfile::tempdir()?;
        let mut options = Options {
            text: Some(situation.policy(FOLDER).into_bytes()),
            workdir: workdir.path().to_path_buf(),
            no_lock: true,
            level: Severity::Info,
            show_classes: Some(situation.classes.clone()),
            compat: Compat::Deployed(self.0),
            module_host: Some(modules.clone()),
            format: Format::Text,
            ..Options::new(format!("{FOLDER}/x.cf"))
        };
        if let Some(arguments) = &situation.args {
            options.level = Severity::Notice;
            for argument in arguments {
                set(&mut options, argument);
            }
        }
        let ended = run(options, Box::new(output.clone()));
        let printed = output.0.lock().expect("the output").clone();
        let told = String::from_utf8_lossy(&printed);
        let code = |code| End::Exit(ExitStatus::Code(code));
        let end = match ended {
            // Where cf-agent ends so, the reference agent says so and continues.
            Ended::Exit(_) if told.contains("would crash") => End::Exit(ExitStatus::Signal(0)),
            Ended::Exit(_) if told.contains("would wait for ever") => End::Hung {
                after: Duration::ZERO,
                with: Vec::new(),
            },
            // A check runs nothing.
            Ended::Exit(_) if situation.is_check() => code(0),
            Ended::Exit(exit) => code(exit),
            Ended::Policy(_) => code(FAILSAFE),
            other => anyhow::bail!("{}: {other:?}", situation.name),
        };
        Ok(Run {
            end,
            noted: modules.noted(),
            printed,
            alive: Vec::new(),
            left: Vec::new(),
            folder: FOLDER.to_owned(),
            took: Duration::ZERO,
        })
    }

    /// Of a run that crashes or hangs, only this counts: the reference agent continues.
    fn counted(&self, recorded: Want, own: Want) -> (Want, Want) {
        let of = |want: Want| match &want.exit {
            Some(Exit::Other(word)) => {
                let word = word.split(' ').next().unwrap_or_default();
                Want {
                    exit: Some(Exit::Other(word.to_owned())),
                    ..Want::default()
                }
            }
            _ => want,
        };
        (of(recorded), of(own))
    }
}

/// Sets what an option of the agent's says.
fn set(options: &mut Options, argument: &str) {
    match argument {
        "-I" => options.level = Severity::Info,
        "-K" => options.no_lock = true,
        "-v" => options.level = Severity::Verbose,
        "-n" => options.mode = Mode::DryRun,
        "--simulate=manifest" => options.mode = Mode::Simulate(SimulationReport::Manifest),
        "--simulate=manifest-full" => {
            options.mode = Mode::Simulate(SimulationReport::ManifestFull);
        }
        "--simulate=diff" => options.mode = Mode::Simulate(SimulationReport::Diff),
        other => match other.strip_prefix("--log-level=").and_then(Severity::named) {
            Some(level) => options.level = level,
            None => panic!("{other}"),
        },
    }
}

#[test]
fn each_difference_is_recorded_and_each_recorded_difference_is_told() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../fixtures/recorded/releases");
    let differences = Differences::load(&folder.join("differences.toml"));
    let lines = Situations::stored().expect("the situations");
    let situations: Vec<Situation> = lines.into_iter().map(|line| line.situation).collect();
    for difference in &differences.difference {
        let since: Vec<&str> = difference.does.keys().map(String::as_str).collect();
        for name in &difference.recorded {
            let situation = situations.iter().find(|situation| situation.name == *name);
            let situation = situation.unwrap_or_else(|| panic!("{name} is not recorded"));
            for release in &RELEASES {
                let told = since.contains(&release.version);
                assert!(
                    situation.varies.is_some() || situation.changes_with(release) == told,
                    "{name}: {} changes, {:?}",
                    release.version,
                    difference.situation
                );
            }
        }
    }
    let told = |name: &String| {
        let mut all = differences.difference.iter();
        all.any(|difference| difference.recorded.contains(name))
    };
    let differing = situations
        .iter()
        .filter(|one| one.differs())
        .map(|one| &one.name);
    let untold: Vec<&String> = differing.filter(|name| !told(name)).collect();
    assert!(untold.is_empty(), "no difference tells of {untold:?}");
}

/// Is a situation played as a release? What does not change with a release is seen with the newest one.
fn is_played(situation: &Situation, release: &Release) -> bool {
    let mut recorded = RELEASES.iter().filter(|one| situation.of(one).is_some());
    let newest = recorded
        .next_back()
        .is_some_and(|last| last.version == release.version);
    situation.of(release).is_some() && (newest || situation.changes_with(release))
}

#[test]
fn the_reference_agent_reproduces_the_recordings_of_each_release() {
    let lines = Situations::stored().expect("the situations");
    assert!(lines.len() > 550, "{}", lines.len());
    let mut wrong = Vec::new();
    let mut known: BTreeMap<&str, usize> = KNOWN.iter().map(|(name, _)| (*name, 0)).collect();
    for release in &RELEASES {
        let table = Situations::of(Box::new(Reference(release)), lines.clone());
        let table = table.expect("a table");
        let chosen = (0..lines.len()).filter(|at| is_played(&lines[*at].situation, release));
        let chosen: Vec<usize> = chosen.collect();
        let settings = Settings {
            jobs: 2,
            time: None,
            done: &|_| {},
            stop: &AtomicBool::new(false),
        };
        let ran = stickler_conform::run(&table, &chosen, &settings).expect("they are played");
        let unplayed = ran.iter().filter_map(|(at, played)| {
            let why = played.as_ref().err()?;
            Some(format!("{} {}: {why}", table.name(*at), release.version))
        });
        wrong.extend(unplayed);
        for (at, found) in differing(&table, &ran, release.version).expect("a comparison") {
            let name = table.name(at);
            match KNOWN.iter().find(|(start, _)| name.starts_with(start)) {
                Some((start, _)) => *known.entry(start).or_default() += 1,
                None => wrong.push(format!("{name} {}\n    {found:.2000?}", release.version)),
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} differ\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    let stale: Vec<_> = known.iter().filter(|(_, count)| **count == 0).collect();
    assert!(stale.is_empty(), "these agree now: {stale:?}");
}
